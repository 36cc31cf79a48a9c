//! One message after the other: what lanes are compared with, and verified against.

use blake_hash::Digest as _;
use sha3::Digest as _;

/// Appends the digest of a message.
pub type Linear = fn(&[u8], &mut Vec<u8>);

/// BLAKE-256, with the columns of its state in the lanes of a register: SIMD inside one message.
pub fn blake256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&blake_hash::Blake256::digest(message));
}

/// BLAKE-512 in the same way.
pub fn blake512(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&blake_hash::Blake512::digest(message));
}

/// Keccak[1088] as it was submitted: scalar code.
pub fn keccak256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&sha3::Keccak256::digest(message));
}

/// SHA3-256: scalar code.
pub fn sha3_256(message: &[u8], digests: &mut Vec<u8>) {
    digests.extend_from_slice(&sha3::Sha3_256::digest(message));
}
