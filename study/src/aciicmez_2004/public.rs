//! The system's Crypto++ and mbed TLS, through a small file each; only where build.rs found them.

/// A public implementation as the paper had them: it hashes one message.
#[derive(Clone, Copy)]
pub struct Library {
    /// With its version.
    pub name: fn() -> String,
    /// Appends the digest, of 20, 32 or 64 bytes: SHA-1, SHA-256 or SHA-512.
    pub hash: fn(digest_bytes: usize, message: &[u8], digests: &mut Vec<u8>),
}

/// Crypto++, which the paper has in version 5.1.
pub fn cryptopp() -> Option<Library> {
    #[cfg(cryptopp)]
    {
        Some(cryptopp::LIBRARY)
    }
    #[cfg(not(cryptopp))]
    None
}

/// mbed TLS, which grew out of Devine's code.
pub fn mbedtls() -> Option<Library> {
    #[cfg(mbedtls)]
    {
        Some(mbedtls::LIBRARY)
    }
    #[cfg(not(mbedtls))]
    None
}

#[cfg(cryptopp)]
mod cryptopp {
    use std::ffi::{c_int, c_uint};

    unsafe extern "C" {
        fn study_cryptopp(digest_bytes: c_int, message: *const u8, bytes: usize, digest: *mut u8);
        fn study_cryptopp_version() -> c_uint;
    }

    pub const LIBRARY: super::Library = super::Library {
        name: || {
            // SAFETY: it has no arguments and returns a constant.
            let version = unsafe { study_cryptopp_version() };
            format!("Crypto++ {}.{}.{}", version / 100, version / 10 % 10, version % 10)
        },
        hash: |digest_bytes, message, digests| {
            assert!([20, 32, 64].contains(&digest_bytes));
            let start = digests.len();
            digests.resize(start + digest_bytes, 0);
            // SAFETY: there are so many bytes to read, and place for a digest of that length.
            unsafe { study_cryptopp(digest_bytes as c_int, message.as_ptr(), message.len(), digests[start..].as_mut_ptr()) };
        },
    };
}

#[cfg(mbedtls)]
mod mbedtls {
    use std::ffi::{c_int, c_uint};

    unsafe extern "C" {
        fn study_mbedtls(digest_bytes: c_int, message: *const u8, bytes: usize, digest: *mut u8) -> c_int;
        fn study_mbedtls_version() -> c_uint;
    }

    pub const LIBRARY: super::Library = super::Library {
        name: || {
            // SAFETY: it has no arguments and returns a constant.
            let version = unsafe { study_mbedtls_version() };
            format!("mbed TLS {}.{}.{}", version >> 24, version >> 16 & 0xff, version >> 8 & 0xff)
        },
        hash: |digest_bytes, message, digests| {
            assert!([20, 32, 64].contains(&digest_bytes));
            let start = digests.len();
            digests.resize(start + digest_bytes, 0);
            // SAFETY: there are so many bytes to read, and place for a digest of that length.
            let error = unsafe { study_mbedtls(digest_bytes as c_int, message.as_ptr(), message.len(), digests[start..].as_mut_ptr()) };
            assert_eq!(error, 0, "mbed TLS hashes bytes in memory");
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_libraries_compute_the_same_digests() {
        let message = b"the same digests";
        for (name, library) in [("Crypto++", cryptopp()), ("mbed TLS", mbedtls())] {
            let Some(library) = library else {
                println!("SKIPPED: no {name}");
                assert!(std::env::var_os("CI").is_none(), "no {name}");
                continue;
            };
            assert!((library.name)().starts_with(name));
            for digest in [reference::sha1(message).to_vec(), reference::sha256(message).to_vec(), reference::sha512(message).to_vec()] {
                let mut digests = vec![1];
                (library.hash)(digest.len(), message, &mut digests);
                assert_eq!(digests, [vec![1], digest].concat(), "{name}");
            }
        }
    }
}
