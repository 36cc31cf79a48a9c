//! `hash_tree_root` of Ethereum's SimpleSerialize (ethereum/consensus-specs,
//! ssz/simple-serialize.md).
//!
//! Leaves are chunks of 32 bytes, which stand for themselves; the last one is filled with zeros.
//! Nodes are SHA-256 over pairs. Chunks of zeros take the places that are missing to a power of
//! two, or to the limit of the type. A list has its length mixed in: SHA-256 over root and length.

use super::levels::Levels;
use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use super::{Merkle, ParameterError};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use alloc::vec::Vec;

/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 32;

type Digest = [u8; 32];

/// Returns the Merkle tree over chunks, without regard to a limit.
pub fn merkle() -> Merkle<Sha256> {
    Merkle {
        leaf: Leaf::Digest,
        node: Node::Hashed(Frame::default()),
        leaf_bytes: CHUNK_BYTES,
        last_leaf: LastLeaf::ZeroPadded,
        children: 2,
        child_bytes: 32,
        node_bytes: 64,
        last_node: LastNode::ZeroSubtrees,
    }
}

/// Returns `merkleize(chunks, limit)`: the root over chunks, as of a vector if there is no limit,
/// and otherwise as of a type that has room for so many chunks.
///
/// # Errors
/// Fails if there are more chunks than the limit.
///
/// ```
/// use manyhash::tree::ssz;
/// let roots = [[1; 32], [2; 32], [3; 32]];
/// // A list of at most 16 roots.
/// let root = ssz::mix_in_length(ssz::merkleize(&roots, Some(16)).unwrap(), 3);
/// assert_eq!(root[..3], [0x16, 0x4e, 0xfd]);
/// ```
pub fn merkleize(chunks: &[Digest], limit: Option<u64>) -> Result<Digest, ParameterError> {
    let merkle = merkle();
    let mut builder = merkle.builder();
    builder.add(chunks);
    root(builder.root(), chunks.len() as u64, limit)
}

/// Returns the root of a type that has room for `limit` chunks from the root over its `chunks`
/// chunks, which a [builder](Merkle::builder) or [`Levels`] have, or `None` if there are none.
/// Without a limit it is the root of a vector.
///
/// # Errors
/// Fails if there are more chunks than the limit.
pub fn root(over_chunks: Option<Digest>, chunks: u64, limit: Option<u64>) -> Result<Digest, ParameterError> {
    let limit = limit.unwrap_or(chunks);
    if chunks > limit {
        return Err(ParameterError::Limit { chunks, limit });
    }
    let merkle = merkle();
    let (from, to) = (depth(chunks), depth(limit));
    let mut root = over_chunks.unwrap_or_default();
    if from == to {
        return Ok(root);
    }
    let mut zeros = merkle.zero_root(from);
    for _ in from..to {
        let hashed = merkle.hash_nodes([root, zeros, zeros, zeros].as_flattened());
        (root, zeros) = (hashed[0], hashed[1]);
    }
    Ok(root)
}

/// Returns `mix_in_length(root, length)`: the root of a list from that of its elements and how many
/// they are.
pub fn mix_in_length(root: Digest, length: u64) -> Digest {
    let mut node = [0; 64];
    node[..32].copy_from_slice(&root);
    node[32..40].copy_from_slice(&length.to_le_bytes());
    crate::hash::hash::<Sha256>(&node)
}

/// Returns the number of levels above this many chunks.
fn depth(chunks: u64) -> usize {
    (u64::BITS - chunks.saturating_sub(1).leading_zeros()) as usize
}

/// Returns the proof of the chunk with this index in a type that has room for `limit` chunks, or
/// without a limit in a vector: what its path is hashed with, from the lowest level on. `tree` has
/// all levels. `None` if there is no such chunk, or if there are more chunks than the limit.
pub fn proof(tree: &Levels<Sha256>, index: usize, limit: Option<u64>) -> Option<Vec<Digest>> {
    let chunks = tree.leaves() as u64;
    let limit = limit.unwrap_or(chunks);
    if index as u64 >= chunks || chunks > limit {
        return None;
    }
    let sibling = |level: usize| {
        let kept = tree.levels().get(level).and_then(|kept| kept.get((index >> level) ^ 1));
        kept.copied().unwrap_or_else(|| merkle().zero_root(level))
    };
    Some((0..depth(limit)).map(sibling).collect())
}

/// Returns the root that a chunk with its proof leads to: it is in the tree if that is the tree's
/// root.
pub fn root_of_proof(chunk: Digest, index: u64, proof: &[Digest]) -> Digest {
    let merkle = merkle();
    proof.iter().enumerate().fold(chunk, |below, (level, sibling)| {
        let is_right = index.checked_shr(level as u32).unwrap_or(0) & 1 == 1;
        merkle.node(&if is_right { [*sibling, below] } else { [below, *sibling] }, level)
    })
}
