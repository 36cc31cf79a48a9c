//! Textbook hash functions straight from their specifications: the oracle of manyhash's tests.
//!
//! What: SHA-1 and the six SHA-2 functions of FIPS 180-4 (August 2015), SHA3-256 of FIPS 202 (August
//! 2015), MD5 of RFC 1321 (April 1992) and BLAKE2s of RFC 7693 (November 2015), over whole bytes; HMAC of RFC 2104 over each of them, and HKDF and PBKDF2 over that.
//! Why: a test is worth as much as what it compares with. This crate is to be read beside the
//! standard: no dependency, no speed trick, and no table of constants that the engine has
//! too: they are computed, from roots of primes, from sines and from a shift register.
#![forbid(unsafe_code)]

mod blake2s;
mod hmac;
mod md5;
mod padding;
mod roots;
mod sha1;
mod sha256;
mod sha3;
mod sha512;

pub use blake2s::blake2s;
pub use hmac::Hmac;
pub use md5::md5;
pub use sha1::sha1;
pub use sha3::sha3_256;
pub use sha256::{sha224, sha256};
pub use sha512::{sha384, sha512, sha512_224, sha512_256};

/// Message in, digest out.
pub type HashFunction = fn(&[u8]) -> Vec<u8>;

/// The function of a standard name such as `"SHA-1"` or `"SHA-512/256"`; `None` if there is
/// no function of that name here.
pub fn by_name(name: &str) -> Option<HashFunction> {
    Some(match name {
        "MD5" => |message| md5(message).to_vec(),
        "SHA-1" => |message| sha1(message).to_vec(),
        "SHA-224" => |message| sha224(message).to_vec(),
        "SHA-256" => |message| sha256(message).to_vec(),
        "SHA-384" => |message| sha384(message).to_vec(),
        "SHA-512" => |message| sha512(message).to_vec(),
        "SHA-512/224" => |message| sha512_224(message).to_vec(),
        "SHA-512/256" => |message| sha512_256(message).to_vec(),
        "SHA3-256" => |message| sha3_256(message).to_vec(),
        "BLAKE2s" => |message| blake2s(message).to_vec(),
        _ => return None,
    })
}

#[cfg(test)]
fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_gives_its_function() {
        let message = b"one name, one function";
        let digest = |name| by_name(name).expect(name)(message);
        assert_eq!(digest("MD5"), md5(message));
        assert_eq!(digest("SHA-1"), sha1(message));
        assert_eq!(digest("SHA-224"), sha224(message));
        assert_eq!(digest("SHA-256"), sha256(message));
        assert_eq!(digest("SHA-384"), sha384(message));
        assert_eq!(digest("SHA-512"), sha512(message));
        assert_eq!(digest("SHA-512/224"), sha512_224(message));
        assert_eq!(digest("SHA-512/256"), sha512_256(message));
        assert_eq!(digest("SHA3-256"), sha3_256(message));
        assert_eq!(digest("BLAKE2s"), blake2s(message));
    }

    #[test]
    fn other_names_give_nothing() {
        for name in ["", "sha-256", "SHA256", "SHA-512/384", "SHA-3"] {
            assert!(by_name(name).is_none(), "{name:?}");
        }
    }
}
