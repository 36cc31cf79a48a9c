//! SHA256TREE of the Remote Execution API (build/bazel/remote/execution/v2/remote_execution.proto,
//! `DigestFunction`), by which Bazel's caches may name blobs.
//!
//! Leaves are 1024 bytes, hashed with SHA-256; the last one may be shorter. A node is one block of
//! the block cipher within SHA-256: what its compression function gives for the digests of two
//! children, from an initial value of its own, before that value is added. A digest without a
//! partner goes up as it is. A blob of one leaf or none has its SHA-256 digest.

use super::Merkle;
use super::compressed::Compressed;
use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use alloc::vec::Vec;

/// Bytes of a leaf.
pub const LEAF_BYTES: usize = 1024;

/// The initial value of nodes: the first 32 bits of the fractional parts of the square roots of the
/// 9th to 16th primes.
const INITIAL: [u32; 8] = [0xCBBB_9D5D, 0x629A_292A, 0x9159_015A, 0x152F_ECD8, 0x6733_2667, 0x8EB4_4A87, 0xDB0C_2E0D, 0x47B5_481D];

/// Returns the Merkle tree. Empty content has the digest of an empty message: see [`digests`].
pub fn merkle() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Hashed(Frame::default()),
        node: Node::Compressed(Compressed::new(INITIAL, take_back_initial)),
        leaf_bytes: LEAF_BYTES,
        last_leaf: LastLeaf::Short,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::Promoted,
    }
}

/// Returns the digest of each content, and computes all of them together.
///
/// ```
/// use manyhash::{Sha256, hash, tree::sha256tree};
/// assert_eq!(sha256tree::digests(&["short"]), [hash::<Sha256>(b"short")]);
/// ```
pub fn digests(contents: &[impl AsRef<[u8]>]) -> Vec<[u8; 32]> {
    merkle().roots(contents).into_iter().map(|root| root.unwrap_or_else(|| crate::hash::hash::<Sha256>(&[]))).collect()
}

/// Subtracts word `i` of the initial value, which the compression function adds and the block cipher does
/// not.
fn take_back_initial(i: usize, words: &mut [u32]) {
    words.iter_mut().for_each(|word| *word = word.wrapping_sub(INITIAL[i]));
}
