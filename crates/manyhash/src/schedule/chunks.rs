//! Messages that are trees of chunks ("BLAKE3", sections 2.1, 2.4 and 2.5): many of them, and one in pieces.
//!
//! A long message fills the lanes by itself. Shorter ones are taken together until they have about
//! [`GROUP_CHUNKS`] chunks, whose values stay in the second cache. Then the chunks of all of them share the lanes,
//! and so do all parents of each level above. `nodes.rs` has both.

use super::digests::Digests;
use super::framed::Around;
use super::messages::{Messages, Slice};
use super::mix::Mix;
use super::nodes::{Gathered, Nodes, OneTree, Placed};
use super::{alone, route};
#[cfg(feature = "hmac")]
use crate::algorithm::WordOf;
use crate::algorithm::{ChainingOf, SelfTested, TreeNode};
use crate::isa::Row;
#[cfg(feature = "hmac")]
use crate::isa::Word;
use crate::kernel::nodes::NODE_LANES;
use crate::kernel::start::{Passes, Start, Starts};
use alloc::vec::Vec;

/// The most chunks of a subtree that is reduced at once, and about as many as are taken together of several messages: a
/// power of two.
pub(crate) const GROUP_CHUNKS: usize = 512;

/// The most chunks of a message that shares the lanes with others. A longer one fills them by itself.
const MOST_SHARED_CHUNKS: usize = GROUP_CHUNKS / 2;

/// Bytes of the value of a node.
pub(crate) const VALUE_BYTES: usize = 32;
/// The chaining value of a node, or a digest.
pub(crate) type Value = [u8; VALUE_BYTES];
/// The block of a parent: the values of its two children.
pub(crate) type Pair = [u8; 2 * VALUE_BYTES];

/// What the trees of some messages have in common.
#[derive(Clone, Copy)]
pub(crate) struct Trees<'a, C: SelfTested> {
    pub(crate) mix: &'a Mix<C>,
    /// The state that each message would begin with, were it one chunk.
    pub(crate) start: &'a ChainingOf<C>,
}

impl<C: SelfTested> Trees<'_, C> {
    /// Returns the value of the parent of two nodes, which is not the root.
    fn parent_of(&self, left: &Value, right: &Value) -> Value {
        let mut value = [0; VALUE_BYTES];
        alone::hash(self.mix, (&C::node(self.start, TreeNode::Parent), 0), None, &pair(left, right), &mut value);
        value
    }
}

/// Returns two children as the block of their parent.
pub(super) fn pair(left: &Value, right: &Value) -> Pair {
    let mut pair = [0; 2 * VALUE_BYTES];
    pair[..VALUE_BYTES].copy_from_slice(left);
    pair[VALUE_BYTES..].copy_from_slice(right);
    pair
}

/// Returns whether one of the messages is a tree.
#[inline]
pub(super) fn has_tree<C: SelfTested>(messages: &dyn Messages) -> bool {
    C::HAS_CHUNKS && (0..messages.count()).any(|i| messages.message(i).len() > C::CHUNK_BYTES)
}

/// Writes the digest of each message, trees among them. Panics if there are not as many digests as
/// messages.
#[inline(never)]
pub(super) fn hash_many<C: SelfTested>(mix: &Mix<C>, passes: &Passes<'_, C>, messages: &dyn Messages, digests: &mut Digests<'_>) {
    digests.check_room(messages.count());
    let is_tree = |i: &usize| messages.message(*i).len() > C::CHUNK_BYTES;
    let mut trees = Vec::with_capacity(messages.count());
    trees.extend((0..messages.count()).filter(is_tree));
    match passes.inner {
        Starts::Same(start) => hash_trees(Trees { mix, start: &start.state }, messages, &trees, digests),
        Starts::Each { state, .. } => {
            trees.iter().for_each(|i| hash(Trees { mix, start: state(*i) }, messages.message(*i), digests.room(*i)));
        }
    }
    if trees.len() < messages.count() {
        let others = (0..messages.count()).filter(|i| !is_tree(i)).collect();
        hash_others(mix, passes, messages, others, digests);
    }
}

/// Writes the digests of those messages that are one chunk each.
fn hash_others<C: SelfTested>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    others: Vec<usize>,
    digests: &mut Digests<'_>,
) {
    let other_messages: Vec<&[u8]> = others.iter().map(|i| messages.message(*i)).collect();
    let mut made = vec![0; others.len() * digests.digest_bytes()];
    let room = &mut Digests::new(&mut made, digests.digest_bytes());
    match passes.inner {
        Starts::Same(_) => route::hash_many(mix, passes, &Slice(&other_messages), room, None),
        Starts::Each { state, bytes } => {
            let state = &|i: usize| state(others[i]);
            route::hash_many(mix, &Starts::Each { state, bytes }.into(), &Slice(&other_messages), room, None);
        }
    }
    for (i, digest) in others.into_iter().zip(made.chunks_exact(digests.digest_bytes())) {
        digests.room(i).copy_from_slice(digest);
    }
}

/// Writes the digest of one tree.
pub(super) fn hash<C: SelfTested>(trees: Trees<'_, C>, message: &[u8], digest: &mut [u8]) {
    let halves = halves(trees, message, 0);
    alone::hash(trees.mix, (&C::node(trees.start, TreeNode::Root), 0), None, &halves, digest);
}

/// Writes the digests of trees.
fn hash_trees<C: SelfTested>(trees: Trees<'_, C>, messages: &dyn Messages, which: &[usize], digests: &mut Digests<'_>) {
    let nodes = Nodes::roots(trees);
    let (mut values, mut rows) = (Vec::new(), [[0; size_of::<Row>()]; NODE_LANES]);
    reduce(trees, messages, which, |roots| {
        values.resize(roots.len(), [0; VALUE_BYTES]);
        nodes.hash(roots.len(), roots, &mut values, &mut rows);
        for ((message, _), value) in roots.iter().zip(&values) {
            digests.room(*message).copy_from_slice(value);
        }
    });
}

/// Writes the digest of each message with bytes around it: they are put together in memory, because a
/// chunk may have bytes of all three.
#[inline(never)]
pub(super) fn hash_framed<C: SelfTested>(mix: &Mix<C>, around: Around<'_, '_, C>, messages: &dyn Messages, digests: &mut Digests<'_>) {
    /// The bytes that are put together at once, unless one message has more.
    const TOGETHER_BYTES: usize = 1 << 18;
    digests.check_room(messages.count());
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let mut first = 0;
    for i in 0..messages.count() {
        for part in [around.head, messages.message(i), around.suffix] {
            bytes.extend_from_slice(part);
        }
        ends.push(bytes.len());
        if bytes.len() >= TOGETHER_BYTES || i + 1 == messages.count() {
            let begins = std::iter::once(&0).chain(&ends);
            let framed: Vec<&[u8]> = begins.zip(&ends).map(|(begin, end)| &bytes[*begin..*end]).collect();
            let digest_bytes = digests.digest_bytes();
            let room = &mut Digests::new(digests.part(first..i + 1), digest_bytes);
            match around.passes.inner {
                Starts::Same(_) => hash_many(mix, &around.passes, &Slice(&framed), room),
                Starts::Each { state, bytes } => {
                    let state = &|i: usize| state(first + i);
                    hash_many(mix, &Starts::Each { state, bytes }.into(), &Slice(&framed), room);
                }
            }
            first = i + 1;
            bytes.clear();
            ends.clear();
        }
    }
}

/// The blocks of roots, each with the number of its message.
pub(crate) type Roots = [(usize, Pair)];

/// A message that shares the lanes with others, on its way from its chunks to its root.
struct Tree<'a> {
    message: usize,
    bytes: &'a [u8],
    /// How many nodes of the current level it has.
    nodes: usize,
}

/// Gives the blocks of the roots of messages to `take`, some at a time. All messages have more than one
/// chunk.
pub(crate) fn reduce<C: SelfTested>(trees: Trees<'_, C>, messages: &dyn Messages, which: &[usize], mut take: impl FnMut(&Roots)) {
    let together = which.len().min(GROUP_CHUNKS / 2);
    let mut group = Group::new(trees, together);
    let mut shared = Vec::with_capacity(together);
    let mut chunks = 0;
    for &message in which {
        let bytes = messages.message(message);
        let nodes = bytes.len().div_ceil(C::CHUNK_BYTES);
        if nodes > MOST_SHARED_CHUNKS {
            group.roots.push((message, group.alone.halves(bytes, 0, &mut group.rows)));
        } else {
            shared.push(Tree { message, bytes, nodes });
            chunks += nodes;
        }
        if chunks >= GROUP_CHUNKS {
            group.reduce(&mut shared);
            shared.clear();
            chunks = 0;
        }
        if group.roots.len() >= GROUP_CHUNKS / 2 {
            take(&group.roots);
            group.roots.clear();
        }
    }
    group.reduce(&mut shared);
    take(&group.roots);
}

/// Returns the values beneath the root of a subtree: see [`OneTree::halves`].
pub(super) fn halves<C: SelfTested>(trees: Trees<'_, C>, bytes: &[u8], first_chunk: u64) -> Pair {
    OneTree::new(trees).halves(bytes, first_chunk, &mut [[0; size_of::<Row>()]; NODE_LANES])
}

/// Memory for messages that are reduced together.
struct Group<'a, 'm, C: SelfTested> {
    trees: Trees<'a, C>,
    /// For messages that fill the lanes by themselves.
    alone: OneTree<'a, C>,
    chunks: Nodes<'a, C>,
    parents: Nodes<'a, C>,
    /// Chunks that are not full.
    last: Vec<Placed<'m>>,
    /// Where chunks that are not full start.
    starts: Vec<ChainingOf<C>>,
    /// The values of the current level, those of a message one after the other.
    values: Vec<Value>,
    made: Vec<Value>,
    roots: Vec<(usize, Pair)>,
    rows: [Row; NODE_LANES],
}

impl<'a, 'm, C: SelfTested> Group<'a, 'm, C> {
    /// Prepares for about so many messages together.
    fn new(trees: Trees<'a, C>, together: usize) -> Self {
        Self {
            trees,
            alone: OneTree::new(trees),
            chunks: Nodes::chunks(trees),
            parents: Nodes::parents(trees),
            last: Vec::with_capacity(together),
            starts: Vec::new(),
            values: Vec::new(),
            made: Vec::new(),
            roots: Vec::with_capacity(together),
            rows: [[0; size_of::<Row>()]; NODE_LANES],
        }
    }

    /// Reduces messages to their roots.
    fn reduce(&mut self, trees: &mut Vec<Tree<'m>>) {
        if trees.is_empty() {
            return;
        }
        self.hash_chunks(trees);
        while !trees.is_empty() {
            self.hash_parents(trees);
        }
    }

    /// Hashes all chunks to their places among the values.
    fn hash_chunks(&mut self, trees: &[Tree<'m>]) {
        self.values.resize(trees.iter().map(|tree| tree.nodes).sum(), [0; VALUE_BYTES]);
        self.last.clear();
        let mut full = Gathered::default();
        let mut place = 0;
        for tree in trees {
            let (chunks, last) = tree.bytes.split_at(tree.bytes.len() - tree.bytes.len() % C::CHUNK_BYTES);
            for (number, bytes) in chunks.chunks_exact(C::CHUNK_BYTES).enumerate() {
                let chunk = Placed { place: place + number, number: number as u64, bytes };
                self.chunks.gather(&mut full, chunk, &mut self.values, &mut self.rows);
            }
            if !last.is_empty() {
                let number = tree.nodes - 1;
                self.last.push(Placed { place: place + number, number: number as u64, bytes: last });
            }
            place += tree.nodes;
        }
        self.chunks.hash_gathered(&mut full, &mut self.values, &mut self.rows);
        self.hash_last_chunks();
    }

    /// Hashes chunks that are not full.
    fn hash_last_chunks(&mut self) {
        let chunks = &self.last[..];
        let Some(first) = chunks.first() else { return };
        let state_of = |chunk: &Placed<'_>| C::node(self.trees.start, TreeNode::Chunk(chunk.number));
        self.made.resize(chunks.len(), [0; VALUE_BYTES]);
        let room = &mut Digests::new(self.made.as_flattened_mut(), VALUE_BYTES);
        if chunks.iter().all(|chunk| chunk.number == first.number) {
            let start = Start { state: state_of(first), bytes: 0 };
            route::hash_many(self.trees.mix, &(&start).into(), &Slice(chunks), room, None);
        } else {
            erase::<C>(&mut self.starts);
            self.starts.clear();
            self.starts.extend(chunks.iter().map(state_of));
            let state = &|i: usize| &self.starts[i];
            route::hash_many(self.trees.mix, &Starts::Each { state, bytes: 0 }.into(), &Slice(chunks), room, None);
        }
        for (chunk, value) in chunks.iter().zip(&self.made) {
            self.values[chunk.place] = *value;
        }
    }

    /// Hashes the parents of a level. A last node that has no other stays as it is. Messages whose root is next are
    /// taken out.
    fn hash_parents(&mut self, trees: &mut Vec<Tree<'_>>) {
        let mut parents = Gathered::default();
        self.made.resize(self.values.len(), [0; VALUE_BYTES]);
        let (mut rest, mut place) = (&self.values[..], 0);
        trees.retain_mut(|tree| {
            let (nodes, later) = rest.split_at(tree.nodes);
            rest = later;
            if let [left, right] = nodes {
                self.roots.push((tree.message, pair(left, right)));
                return false;
            }
            let (pairs, last) = nodes.as_chunks::<2>();
            for pair in pairs {
                let parent = Placed { place, number: 0, bytes: pair.as_flattened() };
                self.parents.gather(&mut parents, parent, &mut self.made, &mut self.rows);
                place += 1;
            }
            self.made[place..][..last.len()].copy_from_slice(last);
            place += last.len();
            tree.nodes = pairs.len() + last.len();
            true
        });
        self.parents.hash_gathered(&mut parents, &mut self.made, &mut self.rows);
        self.made.truncate(place);
        std::mem::swap(&mut self.values, &mut self.made);
    }
}

impl<C: SelfTested> Drop for Group<'_, '_, C> {
    fn drop(&mut self) {
        erase::<C>(&mut self.starts);
    }
}

/// Overwrites starts, which may have a key in them, with zeros.
pub(crate) fn erase<C: SelfTested>(_starts: &mut [ChainingOf<C>]) {
    #[cfg(feature = "hmac")]
    _starts.iter_mut().for_each(|start| WordOf::<C>::erase(start.as_mut()));
}

/// The values of whole subtrees of one message, each of a power of two chunks, the largest first. The last ones are
/// joined when another comes: until then, their parent may be the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    values: Vec<Value>,
    /// The chunks of all of them.
    pub(crate) chunks: u64,
}

impl Stack {
    /// Returns how many of the chunks that come next, in a piece of `bytes` bytes, are a whole subtree: 0 unless they are
    /// two or more.
    pub(crate) fn next_chunks<C: SelfTested>(&self, bytes: usize) -> usize {
        let most = (bytes / C::CHUNK_BYTES).min(GROUP_CHUNKS);
        if most < 2 {
            return 0;
        }
        // A subtree of n chunks begins at a multiple of n.
        let aligned = 1 << self.chunks.trailing_zeros().min(GROUP_CHUNKS.ilog2());
        let chunks = (1 << most.ilog2()).min(aligned);
        if chunks < 2 { 0 } else { chunks }
    }

    /// Adds the value of a subtree of so many chunks, a power of two.
    pub(crate) fn push<C: SelfTested>(&mut self, trees: Trees<'_, C>, value: &Value, chunks: u64) {
        self.join(trees);
        self.values.push(*value);
        self.chunks += chunks;
    }

    /// Adds the values of the halves of a subtree of so many chunks, a power of two.
    pub(crate) fn push_halves<C: SelfTested>(&mut self, trees: Trees<'_, C>, halves: &Pair, chunks: u64) {
        self.join(trees);
        self.values.extend_from_slice(halves.as_chunks().0);
        self.chunks += chunks;
    }

    /// Joins subtrees until there is one for each bit of the number of chunks.
    fn join<C: SelfTested>(&mut self, trees: Trees<'_, C>) {
        while self.values.len() > self.chunks.count_ones() as usize
            && let Some(right) = self.values.pop()
            && let Some(left) = self.values.pop()
        {
            self.values.push(trees.parent_of(&left, &right));
        }
    }

    /// Returns the block of the root, once `last` is the value of what comes behind all subtrees, if anything does.
    /// There are two nodes at least.
    pub(crate) fn root<C: SelfTested>(&mut self, trees: Trees<'_, C>, last: Option<&Value>) -> Pair {
        if let Some(last) = last {
            self.push(trees, last, 0);
        }
        let (first, others) = self.values.split_first().expect("two nodes");
        let (last, others) = others.split_last().expect("two nodes");
        let right = others.iter().rev().fold(*last, |right, left| trees.parent_of(left, &right));
        pair(first, &right)
    }
}
