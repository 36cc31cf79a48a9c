//! The tree hash of Amazon S3 Glacier: SHA-256 of each MiB, then of pairs of digests. An odd digest
//! goes up as it is.

use super::Merkle;
use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use crate::algorithm::Sha256;
use crate::frame::Frame;

/// Bytes of a leaf.
pub const LEAF_BYTES: usize = 1 << 20;

/// Returns the Merkle tree. Empty content has the digest of an empty message: see
/// [`glacier`](super::glacier()).
pub fn merkle() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Hashed(Frame::default()),
        node: Node::Hashed(Frame::default()),
        leaf_bytes: LEAF_BYTES,
        last_leaf: LastLeaf::Short,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::Promoted,
    }
}
