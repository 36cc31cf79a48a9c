//! BitTorrent v2 (BEP 52): `pieces root` and `piece layers` of a file.
//!
//! Leaves are blocks of 16 KiB, hashed with SHA-256; the last one may be shorter. Nodes are pairs.
//! If leaves are missing to a power of two, zeros stand for their digests. The layer that covers
//! pieces is the torrent's `piece layers` entry, without digests of zeros only.

use super::merkle::{Builder, LastLeaf, LastNode, Leaf, Node};
use super::{Merkle, Nodes, ParameterError};
use crate::algorithm::Sha256;
use crate::frame::Frame;
use alloc::vec::Vec;
use std::convert::Infallible;

/// Bytes of a leaf, and the fewest bytes of a piece.
pub const BLOCK_BYTES: usize = 16 << 10;

type Digest = [u8; 32];

/// Computes the trees of BitTorrent v2 with pieces of a given size.
#[derive(Clone, Debug)]
pub struct BitTorrentV2 {
    merkle: Merkle<Sha256>,
    piece_bytes: u64,
}

/// The digests that a torrent has of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTree {
    /// The `pieces root`; an empty file has none.
    pub pieces_root: Option<Digest>,
    /// The `piece layers` entry: one digest for each piece. A file of at most one piece has none.
    pub piece_layer: Vec<Digest>,
}

impl BitTorrentV2 {
    /// Takes pieces of `piece_bytes` bytes.
    ///
    /// # Errors
    /// Fails if `piece_bytes` is no power of two, or less than [`BLOCK_BYTES`].
    pub fn new(piece_bytes: u64) -> Result<Self, ParameterError> {
        if !piece_bytes.is_power_of_two() || piece_bytes < BLOCK_BYTES as u64 {
            return Err(ParameterError::PieceLength { bytes: piece_bytes });
        }
        let merkle = Merkle {
            leaf: Leaf::Hashed(Frame::default()),
            node: Node::Hashed(Frame::default()),
            leaf_bytes: BLOCK_BYTES,
            last_leaf: LastLeaf::Short,
            children: 2,
            child_bytes: 32,
            node_bytes: 64,
            last_node: LastNode::ZeroSubtrees,
        };
        Ok(Self { merkle, piece_bytes })
    }

    /// Returns the Merkle tree over blocks.
    pub fn merkle(&self) -> &Merkle<Sha256> {
        &self.merkle
    }

    /// Returns the bytes of a piece.
    pub fn piece_bytes(&self) -> u64 {
        self.piece_bytes
    }

    /// Returns what a torrent has of a file with this content.
    pub fn file_tree(&self, content: &[u8]) -> FileTree {
        let mut tree = self.builder();
        tree.add(&self.merkle.hash_leaves(content));
        tree.finish(content.len() as u64)
    }

    /// Begins a file whose leaves come one after the other.
    pub fn builder(&self) -> FileTreeBuilder<'_> {
        let layer = (self.piece_bytes / BLOCK_BYTES as u64).trailing_zeros() as usize;
        FileTreeBuilder { builder: self.merkle.builder(), layer, piece_bytes: self.piece_bytes, piece_layer: Vec::new() }
    }
}

/// Builds the digests of a file whose leaves come one after the other.
#[derive(Debug)]
pub struct FileTreeBuilder<'a> {
    builder: Builder<'a, Sha256>,
    /// The level whose nodes have the digests of pieces.
    layer: usize,
    piece_bytes: u64,
    piece_layer: Vec<Digest>,
}

impl FileTreeBuilder<'_> {
    /// Adds leaves by their digests, in order.
    pub fn add(&mut self, leaves: &[Digest]) {
        let Ok(()) = self.builder.push(leaves, keep(self.layer, &mut self.piece_layer));
    }

    /// Returns what a torrent has of the file, once all leaves are there. The file has `file_bytes`
    /// bytes.
    pub fn finish(mut self, file_bytes: u64) -> FileTree {
        let Ok(pieces_root) = self.builder.finish(keep(self.layer, &mut self.piece_layer));
        // The last node may have a digest of zeros only, and a file of one piece has no layer.
        let pieces = if file_bytes > self.piece_bytes { file_bytes.div_ceil(self.piece_bytes) } else { 0 };
        self.piece_layer.truncate(usize::try_from(pieces).unwrap_or(usize::MAX));
        FileTree { pieces_root, piece_layer: self.piece_layer }
    }
}

/// Returns a function that keeps the children of nodes of a level.
fn keep(layer: usize, kept: &mut Vec<Digest>) -> impl FnMut(Nodes<'_>) -> Result<(), Infallible> {
    move |nodes| {
        if nodes.level == layer {
            kept.extend_from_slice(nodes.bytes.as_chunks().0);
        }
        Ok(())
    }
}
