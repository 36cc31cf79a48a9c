//! The system's Crypto++ and mbed TLS, through a small file each; only where build.rs found them.

use std::ffi::{c_int, c_uint};

/// A public implementation as the paper had them: it hashes one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Crypto++, which the paper has in version 5.1.
    CryptoPp,
    /// mbed TLS, which grew out of Devine's code.
    MbedTls,
}

unsafe extern "C" {
    #[cfg(cryptopp)]
    fn study_cryptopp(digest_bytes: c_int, message: *const u8, bytes: usize, digest: *mut u8) -> c_int;
    #[cfg(cryptopp)]
    fn study_cryptopp_version() -> c_uint;
    #[cfg(mbedtls)]
    fn study_mbedtls(digest_bytes: c_int, message: *const u8, bytes: usize, digest: *mut u8) -> c_int;
    #[cfg(mbedtls)]
    fn study_mbedtls_version() -> c_uint;
}

/// Writes the digest of a message, and returns zero if it could.
type Hash = unsafe extern "C" fn(digest_bytes: c_int, message: *const u8, bytes: usize, digest: *mut u8) -> c_int;

/// Major, minor and patch.
type Version = fn() -> [c_uint; 3];

impl Library {
    pub fn name(self) -> &'static str {
        match self {
            Self::CryptoPp => "Crypto++",
            Self::MbedTls => "mbed TLS",
        }
    }

    fn functions(self) -> Option<(Hash, Version)> {
        match self {
            #[cfg(cryptopp)]
            Self::CryptoPp => Some((study_cryptopp, || {
                // SAFETY: it has no arguments and returns a constant.
                let version = unsafe { study_cryptopp_version() };
                [version / 100, version / 10 % 10, version % 10]
            })),
            #[cfg(mbedtls)]
            Self::MbedTls => Some((study_mbedtls, || {
                // SAFETY: it has no arguments and returns a constant.
                let version = unsafe { study_mbedtls_version() };
                [version >> 24, version >> 16 & 0xff, version >> 8 & 0xff]
            })),
            #[allow(unreachable_patterns, reason = "where both are there")]
            _ => None,
        }
    }

    pub fn missing(self) -> Option<String> {
        let package = match self {
            Self::CryptoPp => "libcrypto++-dev",
            Self::MbedTls => "libmbedtls-dev",
        };
        self.functions().is_none().then(|| format!("not there when the study was built (Debian: {package})"))
    }

    /// The name with the version, where it is there: "mbed TLS 2.28.3".
    pub fn version(self) -> Option<String> {
        let [major, minor, patch] = self.functions()?.1();
        Some(format!("{} {major}.{minor}.{patch}", self.name()))
    }

    /// Appends the digest, of 20, 32 or 64 bytes: SHA-1, SHA-256 or SHA-512. Panics where the
    /// library is not there.
    pub fn hash(self, digest_bytes: usize, message: &[u8], digests: &mut Vec<u8>) {
        assert!([20, 32, 64].contains(&digest_bytes));
        let (hash, _) = self.functions().expect("asked before whether it is there");
        let start = digests.len();
        digests.resize(start + digest_bytes, 0);
        // SAFETY: the message has these bytes to read, and there is room for a digest of that
        // length.
        let error = unsafe { hash(digest_bytes as c_int, message.as_ptr(), message.len(), digests[start..].as_mut_ptr()) };
        assert_eq!(error, 0, "{} hashes bytes in memory", self.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_libraries_are_there_with_their_versions() {
        for library in [Library::CryptoPp, Library::MbedTls] {
            let Some(version) = library.version() else {
                println!("SKIPPED: no {}", library.name());
                assert!(std::env::var_os("CI").is_none(), "no {}", library.name());
                continue;
            };
            assert!(version.starts_with(library.name()));
        }
    }
}
