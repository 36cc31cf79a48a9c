//! The Merkle tree of a block of Bitcoin: SHA-256 twice over pairs of digests, from the ids of its
//! transactions. An odd digest is paired with itself.
//!
//! That rule gives lists that repeat their last transactions the root of the list without the
//! repeat (CVE-2012-2459). Whoever takes a list from a stranger has to refuse one that
//! [repeats](is_ambiguous), as nodes of the network do.
//!
//! Ids and roots are bytes in the order in which they are hashed. Programs print them from the last
//! byte to the first: [`displayed`] turns them around.

use super::Merkle;
use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use alloc::vec::Vec;

type Digest = [u8; 32];

/// Returns the Merkle tree, whose leaves are ids of transactions.
pub fn merkle() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Digest,
        node: Node::Hashed(Frame::twice()),
        leaf_bytes: 32,
        last_leaf: LastLeaf::Short,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::Duplicated,
    }
}

/// Returns the root over the ids of transactions, or `None` if there are none.
pub fn root(ids: &[Digest]) -> Option<Digest> {
    let merkle = merkle();
    let mut builder = merkle.builder();
    builder.add(ids);
    builder.root()
}

/// Returns the id of each transaction, whose bytes are those without witnesses: SHA-256 twice.
pub fn ids(transactions: &[impl AsRef<[u8]>]) -> Vec<Digest> {
    Frame::<Sha256>::twice().hash_many(transactions)
}

/// Returns whether two digests that are paired are equal, on any level, as in a list that repeats
/// its end: then it may have the root of the list without the repeat (CVE-2012-2459).
pub fn is_ambiguous(ids: &[Digest]) -> bool {
    let levels = merkle().levels(ids.to_vec());
    levels.levels().iter().any(|level| level.as_chunks::<2>().0.iter().any(|[left, right]| left == right))
}

/// Returns an id or a root in the order of bytes in which programs print it, or the other way
/// round.
pub fn displayed(mut digest: Digest) -> Digest {
    digest.reverse();
    digest
}
