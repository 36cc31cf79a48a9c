//! Textbook hash functions straight from their specifications: the oracle of manyhash's tests.
//!
//! What: SHA-1 and the six SHA-2 functions of FIPS 180-4 (August 2015), SHA-3 of FIPS 202 (August
//! 2015) and what else is made of Keccak (SP 800-185, RFC 9861), MD5 of RFC 1321 (April 1992), BLAKE2b and BLAKE2s of RFC 7693 (November 2015), BLAKE3 of its authors' paper (November 2021) and SM3 of GM/T 0004 (2012), over whole bytes; HMAC of RFC 2104 over those that have it, and HKDF and PBKDF2 over that.
//! Why: a test is worth as much as what it compares with. This crate is to be read beside the
//! standard: no dependency, no speed trick, and constants that are computed, from roots of primes,
//! from sines and by a shift register, and not copied from the engine's tables.
#![forbid(unsafe_code)]

mod blake2;
mod derived_sponges;
mod hmac;
pub mod messages;
mod padding;
mod roots;
mod word;

pub use blake3::{blake3_derived, blake3_keyed, blake3_output};
pub use derived_sponges::{cshake, kangaroo_twelve, kmac, turbo_shake};
pub use hmac::Hmac;
pub use sha3::{shake128, shake256};
pub use word::Word;

/// The compression functions, on words of any kind: `u32` and `u64`, or the expressions of a proof.
pub mod compression {
    pub use crate::blake2b::compress as blake2b;
    pub use crate::blake2s::compress as blake2s;
    pub use crate::blake3::compress as blake3;
    pub use crate::md5::compress as md5;
    pub use crate::sha1::compress as sha1;
    pub use crate::sha3::absorb as sha3;
    pub use crate::sha3::absorb_in_12 as turbo_shake;
    pub use crate::sha256::compress as sha256;
    pub use crate::sha512::compress as sha512;
    pub use crate::sm3::compress as sm3;
}

/// Message in, digest out.
pub type HashFunction = fn(&[u8]) -> Vec<u8>;

/// Declares `module: function "NAME BY ITS STANDARD" BYTES OF A BLOCK, ...;` with everything that goes
/// by such names.
macro_rules! functions {
    ($($module:ident: $($function:ident $name:literal $block_bytes:literal),+;)+) => {
        $(
            mod $module;
            pub use $module::{$($function),+};
        )+

        /// The function of a standard name such as `"SHA-1"` or `"SHA-512/256"`; `None` if no
        /// function of this crate has the name.
        pub fn by_name(name: &str) -> Option<HashFunction> {
            Some(match name {
                $($($name => |message| $function(message).to_vec(),)+)+
                _ => return None,
            })
        }

        /// The bytes of a block of the function of a standard name: for SHA-1 and SHA-2 those of
        /// FIPS 180-4, figure 1; of SHA-3, its rate, that of FIPS 202, 6.1.
        fn block_bytes(name: &str) -> Option<usize> {
            Some(match name {
                $($($name => $block_bytes,)+)+
                _ => return None,
            })
        }
    };
}

// The ONE list: the files, and the functions in them.
functions! {
    md5: md5 "MD5" 64;
    sha1: sha1 "SHA-1" 64;
    sha256: sha224 "SHA-224" 64, sha256 "SHA-256" 64;
    sha512: sha384 "SHA-384" 128, sha512 "SHA-512" 128, sha512_224 "SHA-512/224" 128, sha512_256 "SHA-512/256" 128;
    sha3: sha3_224 "SHA3-224" 144, sha3_256 "SHA3-256" 136, sha3_384 "SHA3-384" 104, sha3_512 "SHA3-512" 72, keccak256 "Keccak-256" 136;
    blake2s: blake2s "BLAKE2s" 64;
    blake2b: blake2b "BLAKE2b" 128, blake2b_256 "BLAKE2b-256" 128;
    blake3: blake3 "BLAKE3" 64;
    sm3: sm3 "SM3" 64;
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
    }

    #[test]
    fn other_names_give_nothing() {
        for name in ["", "sha-256", "SHA256", "SHA-512/384", "SHA-3"] {
            assert!(by_name(name).is_none(), "{name:?}");
        }
    }
}
