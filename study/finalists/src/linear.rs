//! Linear code, one message after the other. Lanes are compared with it and verified against it.

use blake_hash::Digest as _;
use sha3::Digest as _;
use skein::digest::consts::U64;

/// A function that appends the digest of a message.
pub type Linear = fn(&[u8], &mut Vec<u8>);

/// Computes BLAKE-256 with the columns of its state in a register: SIMD inside one message.
pub fn blake256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&blake_hash::Blake256::digest(message));
}

/// Computes BLAKE-512 with the columns of its state in the lanes of a register.
pub fn blake512(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&blake_hash::Blake512::digest(message));
}

/// Computes Keccak[1088] as it was submitted, in scalar code.
pub fn keccak256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&sha3::Keccak256::digest(message));
}

/// Computes SHA3-256 in scalar code.
pub fn sha3_256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&sha3::Sha3_256::digest(message));
}

/// Computes Skein-512 with a digest of 512 bits, in scalar code.
pub fn skein512(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&skein::Skein512::<U64>::digest(message));
}

/// Computes JH-256 with bit slices in registers of 128 bits: SIMD inside one message.
pub fn jh256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&jh::Jh256::digest(message));
}

/// Computes Grøstl-256 with tables of the S-box and its multiples.
pub fn groestl256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&groestl::Groestl256::digest(message));
}
