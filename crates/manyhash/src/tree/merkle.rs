//! Merkle trees: one builder for all formats, which differ by parameters only.
//!
//! Data is cut into leaves. A node is the digests of a fixed number of leaves or nodes below it,
//! one after the other. Digests of nodes make the next level, until one is left, the root. Leaves
//! and nodes of a level are messages of one length, so they fill lanes by themselves.

use super::compressed::Compressed;
use crate::algorithms::Algorithm;
use crate::frame::Frame;
use alloc::vec::Vec;
use std::convert::Infallible;

/// What makes the digest of a leaf.
#[derive(Clone, Debug)]
pub(crate) enum Leaf<A: Algorithm> {
    /// The algorithm, with what is around each leaf.
    Hashed(Frame<A>),
    /// Nothing: a leaf has as many bytes as a digest, and stands for itself.
    Digest,
}

/// What makes the digest of a node.
#[derive(Clone, Debug)]
pub(crate) enum Node<A: Algorithm> {
    /// The algorithm, with what is around each node.
    Hashed(Frame<A>),
    /// One call of the compression function. A node has the bytes of a block.
    Compressed(Compressed<A>),
}

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
    /// The last child takes the places of missing ones.
    Duplicated,
}

/// A kind of Merkle tree, described by the parameters in which formats differ.
#[derive(Clone, Debug)]
pub struct Merkle<A: Algorithm> {
    pub(crate) leaf: Leaf<A>,
    pub(crate) node: Node<A>,
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

/// At most so many nodes are hashed together. Those of 64 bytes stay in the second cache with what waits
/// on each level, and a tree is small enough for the allocator to keep its memory: twice as many took SSZ a twentieth to a seventh longer
/// (Zen 5).
const MOST_NODES: usize = 512;

/// Trees of so many leaves are built one by one, because their levels fill lanes by themselves. The
/// levels of smaller ones are copied together, until they have so many leaves: more would not stay in the second cache.
const MANY_LEAVES: usize = 1024;

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
        self.hash_leaves_of(&[data])
    }

    /// Returns the digest of each leaf. Leaves may have any length if the format says so, as that
    /// of RFC 9162 does.
    pub fn hash_each_leaf(&self, leaves: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        match &self.leaf {
            Leaf::Hashed(frame) => frame.hash_many(leaves),
            Leaf::Digest => leaves.iter().map(|leaf| padded::<A>(leaf.as_ref())).collect(),
        }
    }

    /// Returns the digests of nodes. `bytes` is any number of whole nodes.
    ///
    /// # Panics
    /// Panics if the last node is not whole.
    pub fn hash_nodes(&self, bytes: &[u8]) -> Vec<A::Digest> {
        assert!(bytes.len().is_multiple_of(self.node_bytes), "{} bytes are not whole nodes of {}", bytes.len(), self.node_bytes);
        let mut digests = vec![A::ZERO; bytes.len() / self.node_bytes];
        self.hash_nodes_into(bytes, &mut digests);
        digests
    }

    /// Writes the digests of whole nodes, of which there are as many as digests.
    pub(super) fn hash_nodes_into(&self, bytes: &[u8], digests: &mut [A::Digest]) {
        match &self.node {
            Node::Hashed(frame) => frame.hash_chunks(bytes, self.node_bytes, digests),
            Node::Compressed(compressed) => compressed.hash_blocks(bytes, digests),
        }
    }

    /// Returns the bytes of the nodes over these digests where they are, if whole nodes are nothing but
    /// digests.
    pub(super) fn nodes_of<'a>(&self, digests: &'a [A::Digest]) -> Option<&'a [u8]> {
        let are_digests = self.child_bytes == A::DIGEST_BYTES && self.node_bytes == self.children * A::DIGEST_BYTES;
        (are_digests && digests.len().is_multiple_of(self.children)).then(|| A::flat(digests))
    }

    /// Returns the root over each message, and computes all of them together. The root is `None` if
    /// a message is empty.
    pub fn roots(&self, messages: &[impl AsRef<[u8]>]) -> Vec<Option<A::Digest>> {
        let mut roots = Vec::with_capacity(messages.len());
        let mut rest = messages;
        while !rest.is_empty() {
            let mut leaves = 0;
            let is_enough = |message: &_| {
                leaves += self.leaves(AsRef::<[u8]>::as_ref(message));
                leaves >= MANY_LEAVES
            };
            let some;
            (some, rest) = rest.split_at(rest.iter().position(is_enough).map_or(rest.len(), |last| last + 1));
            roots.extend(self.roots_together(some));
        }
        roots
    }

    /// Returns the root over each message, with the leaves of all at once.
    fn roots_together(&self, messages: &[impl AsRef<[u8]>]) -> Vec<Option<A::Digest>> {
        let mut digests = self.hash_leaves_of(messages);
        let mut counts: Vec<usize> = messages.iter().map(|message| self.leaves(message.as_ref())).collect();
        let mut roots = vec![None; messages.len()];
        let mut rest = digests.as_slice();
        for (count, root) in counts.iter_mut().zip(&mut roots) {
            let leaves = rest.split_off(..*count).expect("the leaves of a message");
            if *count >= MANY_LEAVES {
                let mut builder = self.builder();
                builder.add(leaves);
                *root = builder.root();
            }
        }
        for level in 0.. {
            let (mut nodes, mut above) = (Vec::new(), Vec::new());
            let mut rest = digests.as_slice();
            for (count, root) in counts.iter_mut().zip(&mut roots) {
                let own = rest.split_off(..*count).expect("the digests of a message");
                if own.len() <= 1 || root.is_some() {
                    *root = root.or(own.first().copied());
                    *count = 0;
                    continue;
                }
                above.push(self.push_nodes(own, level, End::Here, &mut nodes));
                *count = own.len().div_ceil(self.children);
            }
            if nodes.is_empty() {
                break;
            }
            let hashed = self.hash_nodes(&nodes);
            let mut hashed = hashed.as_slice();
            digests.clear();
            for (count, promoted) in counts.iter().filter(|count| **count > 0).zip(above) {
                let nodes = count - usize::from(promoted.is_some());
                digests.extend_from_slice(hashed.split_off(..nodes).expect("a digest of each node"));
                digests.extend(promoted);
            }
        }
        roots
    }

    /// Begins a tree whose leaves come one after the other.
    pub fn builder(&self) -> Builder<'_, A> {
        Builder { tree: self, levels: vec![Level::new()] }
    }

    /// Returns how many leaves a message has.
    pub(super) fn leaves(&self, message: &[u8]) -> usize {
        message.len().div_ceil(self.leaf_bytes)
    }

    /// Returns the digests of the leaves of each message, one after the other.
    pub(super) fn hash_leaves_of(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let frame = match &self.leaf {
            Leaf::Hashed(frame) => frame,
            Leaf::Digest => return messages.iter().flat_map(|message| message.as_ref().chunks(self.leaf_bytes).map(padded::<A>)).collect(),
        };
        let is_short = |message: &[u8]| !message.len().is_multiple_of(self.leaf_bytes);
        let pads = self.last_leaf == LastLeaf::ZeroPadded;
        if let [message] = messages
            && !(pads && is_short(message.as_ref()))
        {
            let mut digests = vec![A::ZERO; self.leaves(message.as_ref())];
            frame.hash_chunks(message.as_ref(), self.leaf_bytes, &mut digests);
            return digests;
        }
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
        frame.hash_many(&leaves)
    }

    /// Appends the nodes over `digests`, which begin a node. A single digest may be the root, or
    /// promoted: then it is returned.
    fn push_nodes(&self, digests: &[A::Digest], level: usize, end: End, nodes: &mut Vec<u8>) -> Option<A::Digest> {
        if end == End::Here && digests.len() <= 1 {
            return None;
        }
        nodes.reserve(digests.len().div_ceil(self.children) * self.node_bytes);
        for children in digests.chunks(self.children) {
            if let Some(promoted) = self.promoted(children) {
                return Some(promoted);
            }
            self.push_node(children, level, nodes);
        }
        None
    }

    /// Returns the only child, if a node of a single child is none.
    pub(super) fn promoted(&self, children: &[A::Digest]) -> Option<A::Digest> {
        match *children {
            [child] if self.last_node == LastNode::Promoted => Some(child),
            _ => None,
        }
    }

    /// Appends the node over these children, of which there is at least one.
    pub(super) fn push_node(&self, children: &[A::Digest], level: usize, nodes: &mut Vec<u8>) {
        let start = nodes.len();
        let push = |child: &A::Digest, nodes: &mut Vec<u8>| {
            nodes.extend_from_slice(child.as_ref());
            if self.child_bytes > A::DIGEST_BYTES {
                nodes.resize(nodes.len() + self.child_bytes - A::DIGEST_BYTES, 0);
            }
        };
        children.iter().for_each(|child| push(child, nodes));
        if children.len() < self.children {
            let missing = match self.last_node {
                LastNode::ZeroPadded | LastNode::Promoted => None,
                LastNode::ZeroSubtrees => Some(self.zero_root(level)),
                LastNode::Duplicated => children.last().copied(),
            };
            for child in missing.iter().cycle().take(self.children - children.len()) {
                push(child, nodes);
            }
        }
        nodes.resize(start + self.node_bytes, 0);
    }

    /// Returns the root of a tree of `levels` levels over leaves whose digests are zeros.
    pub(super) fn zero_root(&self, levels: usize) -> A::Digest {
        (0..levels).fold(A::ZERO, |digest, level| self.node(&vec![digest; self.children], level))
    }

    /// Returns the digest of the node over these children, which are of a level.
    pub(super) fn node(&self, children: &[A::Digest], level: usize) -> A::Digest {
        let mut node = Vec::with_capacity(self.node_bytes);
        self.push_node(children, level, &mut node);
        self.hash_nodes(&node)[0]
    }

    /// Returns how many nodes are hashed together.
    pub(super) fn batch_nodes(&self) -> usize {
        (BATCH_BYTES / self.node_bytes).clamp(1, MOST_NODES)
    }
}

/// Returns a leaf that stands for itself, with zeros behind it if it is short.
///
/// Panics if it has more bytes than a digest.
fn padded<A: Algorithm>(leaf: &[u8]) -> A::Digest {
    let mut digest = A::ZERO;
    digest.as_mut()[..leaf.len()].copy_from_slice(leaf);
    digest
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
        let batch = self.batch_digests();
        let mut leaves = leaves;
        // Batches are hashed where they are; only leaves that do not fill one are copied.
        if !self.levels[0].digests.is_empty() {
            let waiting = &mut self.levels[0].digests;
            let (next, rest) = leaves.split_at(leaves.len().min(batch - waiting.len()));
            waiting.extend_from_slice(next);
            leaves = rest;
            self.make_batches(0, &mut made)?;
        }
        while let Some((next, rest)) = leaves.split_at_checked(batch) {
            self.make(0, next, End::AfterOthers, &mut made)?;
            self.make_batches(1, &mut made)?;
            leaves = rest;
        }
        self.levels[0].digests.extend_from_slice(leaves);
        Ok(())
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
            self.make_batches(level, &mut made)?;
        }
    }

    /// Returns the root as [`finish`](Self::finish) does.
    pub fn root(self) -> Option<A::Digest> {
        let Ok(root) = self.finish(|_| Ok::<_, Infallible>(()));
        root
    }

    /// Returns how many digests make a batch of nodes.
    fn batch_digests(&self) -> usize {
        self.tree.batch_nodes() * self.tree.children
    }

    /// Makes nodes over all whole batches of digests that wait, on this level and on those above it.
    fn make_batches<E>(&mut self, level: usize, made: &mut impl FnMut(Nodes<'_>) -> Result<(), E>) -> Result<(), E> {
        let batch = self.batch_digests();
        let mut level = level;
        while self.levels.get(level).is_some_and(|level| level.digests.len() >= batch) {
            // A batch makes no more than a batch of digests above it, which with those that waited there
            // may be one, but never two.
            let mut waiting = std::mem::take(&mut self.levels[level].digests);
            self.make(level, &waiting[..batch], End::AfterOthers, made)?;
            waiting.drain(..batch);
            self.levels[level].digests = waiting;
            level += 1;
        }
        Ok(())
    }

    /// Makes nodes over `digests` of a level, which begin a node. Their digests wait on the level above.
    fn make<E>(
        &mut self,
        level: usize,
        digests: &[A::Digest],
        end: End,
        made: &mut impl FnMut(Nodes<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut filled, mut promoted) = (Vec::new(), None);
        let bytes = self.tree.nodes_of(digests).unwrap_or_else(|| {
            promoted = self.tree.push_nodes(digests, level, end, &mut filled);
            &filled
        });
        made(Nodes { level, first: self.levels[level].nodes, bytes })?;
        let nodes = bytes.len() / self.tree.node_bytes;
        self.levels[level].nodes += nodes as u64;
        if level + 1 == self.levels.len() {
            self.levels.push(Level::new());
        }
        let above = &mut self.levels[level + 1].digests;
        let before = above.len();
        above.resize(before + nodes, A::ZERO);
        self.tree.hash_nodes_into(bytes, &mut above[before..]);
        above.extend(promoted);
        Ok(())
    }
}
