//! Linear code, one message after the other. Lanes are compared with it and verified against it.

use blake_hash::Digest as _;
use sha3::Digest as _;

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
