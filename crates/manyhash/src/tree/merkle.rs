//! Merkle trees: one builder for fs-verity, dm-verity, BitTorrent v2 and Glacier, which differ by
//! parameters only.
//!
//! Data is cut into leaves. A node is the digests of a fixed number of leaves or nodes below it,
//! one after the other. Digests of nodes make the next level, until one is left, the root. Leaves
//! and nodes of a level are messages of one length, so they fill lanes by themselves.

use crate::algorithms::Algorithm;
use crate::frame::Frame;
use std::convert::Infallible;

/// The rule for the last leaf if the data ends before it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLeaf {
    /// The last leaf is hashed as it is.
    Short,
    /// The last leaf is filled with zeros.
    ZeroPadded,
}

/// The rule for the last node of a level if it has fewer children than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastNode {
    /// The last node is filled with zeros.
    ZeroPadded,
    /// The roots of trees over leaves whose digests are zeros take the places of missing children.
    ZeroSubtrees,
    /// A single child makes no node: it becomes a digest of the next level itself.
    Promoted,
}

/// A kind of Merkle tree, described by the parameters in which formats differ.
#[derive(Clone, Debug)]
pub struct Merkle<A: Algorithm> {
    pub(crate) frame: Frame<A>,
    pub(crate) leaf_bytes: usize,
    pub(crate) last_leaf: LastLeaf,
    /// The number of children of a node.
    pub(crate) children: usize,
    /// Bytes from one child's digest to the next: those of a digest, or more, filled with zeros.
    pub(crate) child_bytes: usize,
    /// Bytes of a node that are hashed: all children, and zeros.
    pub(crate) node_bytes: usize,
    pub(crate) last_node: LastNode,
}

/// Successive nodes of a level, as they were hashed.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<'a> {
    /// The level of the nodes; it is 0 for the nodes over leaves.
    pub level: usize,
    /// The index in the level of the first of these nodes.
    pub first: u64,
    /// The bytes of whole nodes, one after the other.
    pub bytes: &'a [u8],
}

/// Nodes that are hashed together have at most this many bytes, unless one alone has more: 32 of 4
/// KiB fill all lanes.
const BATCH_BYTES: usize = 128 << 10;

impl<A: Algorithm> Merkle<A> {
    /// Returns the bytes of a leaf; the last one may have fewer.
    pub fn leaf_bytes(&self) -> usize {
        self.leaf_bytes
    }

    /// Returns the bytes of a node.
    pub fn node_bytes(&self) -> usize {
        self.node_bytes
    }

    /// Returns the number of children of a node.
    pub fn children(&self) -> usize {
        self.children
    }

    /// Returns the bytes from one child's digest in a node to the next. What is not digests is
    /// zeros.
    pub fn child_bytes(&self) -> usize {
        self.child_bytes
    }

    /// Returns the number of nodes of each level over `leaves` leaves, the level over leaves first.
    /// A single leaf has no nodes: its digest is the root.
    pub fn nodes(&self, leaves: u64) -> Vec<u64> {
        let mut nodes = Vec::new();
        let mut digests = leaves;
        while digests > 1 {
            digests = digests.div_ceil(self.children as u64);
            nodes.push(digests);
        }
        nodes
    }

    /// Returns where each level begins in a file of all nodes, and where they end, counted in
    /// nodes. The level over leaves comes first in the result. In the file, as fs-verity and
    /// dm-verity have it, the root's level comes first.
    pub fn level_offsets(&self, leaves: u64) -> (Vec<u64>, u64) {
        let mut offsets = self.nodes(leaves);
        let mut end = 0;
        for nodes in offsets.iter_mut().rev() {
            (*nodes, end) = (end, end + *nodes);
        }
        (offsets, end)
    }

    /// Returns the digests of leaves. `data` is any number of whole leaves, and the last one of all
    /// if it is short.
    pub fn hash_leaves(&self, data: &[u8]) -> Vec<A::Digest> {
        self.hash_leaves_of(&[data]).pop().unwrap_or_default()
    }

    /// Returns the digests of nodes. `bytes` is any number of whole nodes.
    ///
    /// # Panics
    /// Panics if the last node is not whole.
    pub fn hash_nodes(&self, bytes: &[u8]) -> Vec<A::Digest> {
        assert!(bytes.len().is_multiple_of(self.node_bytes), "{} bytes are not whole nodes of {}", bytes.len(), self.node_bytes);
        let mut digests = vec![A::ZERO; bytes.len() / self.node_bytes];
        self.frame.hash_chunks(bytes, self.node_bytes, &mut digests);
        digests
    }

    /// Returns the root over each message, and computes all of them together. The root is `None` if
    /// a message is empty.
    pub fn roots(&self, messages: &[impl AsRef<[u8]>]) -> Vec<Option<A::Digest>> {
        let mut levels = self.hash_leaves_of(messages);
        for level in 0.. {
            let mut nodes = Vec::new();
            let promoted: Vec<_> = levels.iter().map(|digests| self.push_nodes(digests, level, End::Here, &mut nodes)).collect();
            if nodes.is_empty() {
                break;
            }
            let mut hashed = self.hash_nodes(&nodes).into_iter();
            for (digests, promoted) in levels.iter_mut().zip(promoted) {
                if digests.len() > 1 {
                    let nodes = digests.len().div_ceil(self.children) - usize::from(promoted.is_some());
                    *digests = hashed.by_ref().take(nodes).chain(promoted).collect();
                }
            }
        }
        levels.into_iter().map(|digests| digests.first().copied()).collect()
    }

    /// Begins a tree whose leaves come one after the other.
    pub fn builder(&self) -> Builder<'_, A> {
        Builder { tree: self, levels: vec![Level::new()] }
    }

    fn hash_leaves_of(&self, messages: &[impl AsRef<[u8]>]) -> Vec<Vec<A::Digest>> {
        let is_short = |message: &[u8]| !message.len().is_multiple_of(self.leaf_bytes);
        let pads = self.last_leaf == LastLeaf::ZeroPadded;
        let mut padded = Vec::new();
        for message in messages.iter().map(AsRef::as_ref).filter(|message| pads && is_short(message)) {
            padded.extend_from_slice(&message[message.len() - message.len() % self.leaf_bytes..]);
            padded.resize(padded.len().next_multiple_of(self.leaf_bytes), 0);
        }
        let mut padded = padded.chunks_exact(self.leaf_bytes);
        let mut leaves = Vec::new();
        for message in messages.iter().map(AsRef::as_ref) {
            leaves.extend(message.chunks(self.leaf_bytes));
            if pads && is_short(message) {
                *leaves.last_mut().expect("it has a short leaf") = padded.next().expect("each short leaf has been padded");
            }
        }
        let mut digests = self.frame.hash_many(&leaves).into_iter();
        let count = |message: &[u8]| message.len().div_ceil(self.leaf_bytes);
        messages.iter().map(|message| digests.by_ref().take(count(message.as_ref())).collect()).collect()
    }

    /// Appends the nodes over `digests`, which begin a node. A single digest may be the root, or
    /// promoted: then it is returned.
    fn push_nodes(&self, digests: &[A::Digest], level: usize, end: End, nodes: &mut Vec<u8>) -> Option<A::Digest> {
        if end == End::Here && digests.len() <= 1 {
            return None;
        }
        for children in digests.chunks(self.children) {
            if children.len() == 1 && self.last_node == LastNode::Promoted {
                return children.first().copied();
            }
            let start = nodes.len();
            nodes.resize(start + self.node_bytes, 0);
            for (child, place) in children.iter().zip(nodes[start..].chunks_mut(self.child_bytes)) {
                place[..A::DIGEST_BYTES].copy_from_slice(child.as_ref());
            }
            if self.last_node == LastNode::ZeroSubtrees && children.len() < self.children {
                let zeros = self.zero_root(level);
                for place in nodes[start..].chunks_mut(self.child_bytes).take(self.children).skip(children.len()) {
                    place[..A::DIGEST_BYTES].copy_from_slice(zeros.as_ref());
                }
            }
        }
        None
    }

    /// Returns the root of a tree of `levels` levels over leaves whose digests are zeros.
    fn zero_root(&self, levels: usize) -> A::Digest {
        let above = |digest: A::Digest| self.frame.hash(&digest.as_ref().repeat(self.children));
        (0..levels).fold(A::ZERO, |digest, _| above(digest))
    }
}

/// Says whether a level ends after some digests, so that a single one is the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Here,
    AfterOthers,
}

/// Builds a tree whose leaves come one after the other. It keeps a batch of digests for each level,
/// whatever the size of the data.
#[derive(Debug)]
pub struct Builder<'a, A: Algorithm> {
    tree: &'a Merkle<A>,
    levels: Vec<Level<A>>,
}

#[derive(Debug)]
struct Level<A: Algorithm> {
    /// The digests that are in no node yet.
    digests: Vec<A::Digest>,
    /// The number of nodes made so far.
    nodes: u64,
}

impl<A: Algorithm> Level<A> {
    fn new() -> Self {
        Self { digests: Vec::new(), nodes: 0 }
    }
}

impl<A: Algorithm> Builder<'_, A> {
    /// Adds leaves by their digests, in order. `made` gets the nodes that are complete by now, each
    /// once, those of a level in order.
    ///
    /// # Errors
    /// Returns the error of `made`; the tree is of no use after that.
    pub fn push<E>(&mut self, leaves: &[A::Digest], mut made: impl FnMut(Nodes<'_>) -> Result<(), E>) -> Result<(), E> {
        self.push_to(0, leaves, &mut made)
    }

    /// Adds leaves as [`push`](Self::push) does, for the root alone.
    pub fn add(&mut self, leaves: &[A::Digest]) {
        let Ok(()) = self.push(leaves, |_| Ok::<_, Infallible>(()));
    }

    /// Returns the root, once all leaves are there; `None` if there are none. `made` gets the nodes
    /// that are left.
    ///
    /// # Errors
    /// Returns the error of `made`.
    pub fn finish<E>(mut self, mut made: impl FnMut(Nodes<'_>) -> Result<(), E>) -> Result<Option<A::Digest>, E> {
        let mut level = 0;
        loop {
            let Level { digests, nodes } = &mut self.levels[level];
            if *nodes == 0 && digests.len() <= 1 {
                return Ok(digests.first().copied());
            }
            let left = std::mem::take(digests);
            let end = if *nodes == 0 { End::Here } else { End::AfterOthers };
            self.make(level, &left, end, &mut made)?;
            level += 1;
            if level == self.levels.len() {
                self.levels.push(Level::new());
            }
        }
    }

    /// Returns the root as [`finish`](Self::finish) does.
    pub fn root(self) -> Option<A::Digest> {
        let Ok(root) = self.finish(|_| Ok::<_, Infallible>(()));
        root
    }

    fn push_to<E>(&mut self, level: usize, digests: &[A::Digest], made: &mut impl FnMut(Nodes<'_>) -> Result<(), E>) -> Result<(), E> {
        if level == self.levels.len() {
            self.levels.push(Level::new());
        }
        self.levels[level].digests.extend_from_slice(digests);
        let waiting = self.levels[level].digests.len();
        let batch_nodes = (BATCH_BYTES / self.tree.node_bytes).max(1);
        if waiting < batch_nodes * self.tree.children {
            return Ok(());
        }
        let whole = self.levels[level].digests.drain(..waiting - waiting % self.tree.children).collect::<Vec<_>>();
        self.make(level, &whole, End::AfterOthers, made)
    }

    /// Makes nodes over `digests` of a level, which begin a node.
    fn make<E>(
        &mut self,
        level: usize,
        digests: &[A::Digest],
        end: End,
        made: &mut impl FnMut(Nodes<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = Vec::new();
        let promoted = self.tree.push_nodes(digests, level, end, &mut bytes);
        made(Nodes { level, first: self.levels[level].nodes, bytes: &bytes })?;
        self.levels[level].nodes += (bytes.len() / self.tree.node_bytes) as u64;
        let mut above = self.tree.hash_nodes(&bytes);
        above.extend(promoted);
        self.push_to(level + 1, &above, made)
    }
}
