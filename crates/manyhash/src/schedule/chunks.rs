//! Messages that are trees of chunks ("BLAKE3", sections 2.1, 2.4 and 2.5): many of them, and one in pieces.
//!
//! A long message fills the lanes by itself. Shorter ones are taken together until they have about
//! [`GROUP_CHUNKS`] chunks, whose values stay in the second cache. Then the chunks of all of them share the lanes,
//! and so do all parents of each level above. `nodes.rs` has both.

use super::digests::Digests;
use super::framed::Around;
use super::messages::{Messages, Slice, Which};
use super::mix::Mix;
use super::nodes::{Gathered, Nodes, OneTree, Placed};
use super::queue::in_chunks;
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
    let mut found = false;
    if const { C::HAS_CHUNKS } {
        in_chunks(messages, 0..messages.count(), |_, message| {
            found = message.len() > C::CHUNK_BYTES;
            !found
        });
    }
    found
}

/// Writes the digest of each message, trees among them. Panics if there are not as many digests as
/// messages.
#[inline(never)]
pub(super) fn hash_many<C: SelfTested>(mix: &Mix<C>, passes: &Passes<'_, C>, messages: &dyn Messages, digests: &mut Digests<'_>) {
    digests.check_room(messages.count());
    let is_tree = |message: &[u8]| message.len() > C::CHUNK_BYTES;
    let mut count = 0;
    let all = (0..messages.count()).map(|i| (i, messages.message(i)));
    let trees = all.filter(|(_, message)| is_tree(message)).inspect(|_| count += 1);
    match passes.inner {
        Starts::Same(start) => hash_trees(Trees { mix, start: &start.state }, messages.count(), trees, digests),
        Starts::Each { state, .. } => {
            trees.for_each(|(i, message)| hash(Trees { mix, start: state(i) }, message, digests.room(i)));
        }
    }
    if count < messages.count() {
        let others: Vec<usize> = (0..messages.count()).filter(|i| !is_tree(messages.message(*i))).collect();
        route::hash_these(mix, passes, messages, (Which::These(&others), others.len()), digests, None);
    }
}

/// Writes the digest of one tree.
pub(super) fn hash<C: SelfTested>(trees: Trees<'_, C>, message: &[u8], digest: &mut [u8]) {
    let halves = halves(trees, message, 0);
    alone::hash(trees.mix, (&C::node(trees.start, TreeNode::Root), 0), None, &halves, digest);
}

/// Writes the digests of trees, which are some of `count` messages: see [`reduce`].
fn hash_trees<'m, C: SelfTested>(
    trees: Trees<'_, C>,
    count: usize,
    messages: impl Iterator<Item = (usize, &'m [u8])>,
    digests: &mut Digests<'_>,
) {
    let nodes = Nodes::roots(trees);
    let mut rows = [[0; size_of::<Row>()]; NODE_LANES];
    let (digests, _) = digests.part(0..count).as_chunks_mut();
    reduce(trees, count, messages, |roots| nodes.hash(roots.messages.len(), roots, digests, &mut rows));
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

/// The roots of some messages.
#[derive(Clone, Copy)]
pub(crate) struct Roots<'a> {
    /// Their messages.
    pub(super) messages: &'a [usize],
    /// Where the two values beneath each are.
    at: &'a [usize],
    values: &'a [Value],
}

impl<'a> Roots<'a> {
    /// Returns the block of root `i`.
    #[inline(always)]
    pub(super) fn block(&self, i: usize) -> &'a Pair {
        self.values[self.at[i]..].as_flattened().first_chunk().expect("two values")
    }

    /// Returns the message and the block of each root.
    pub(crate) fn iter(self) -> impl Iterator<Item = (usize, &'a Pair)> {
        self.messages.iter().enumerate().map(move |(i, message)| (*message, self.block(i)))
    }
}

/// Gives the roots of messages to `take`, some at a time. Each message, which has more than one chunk, comes with its
/// number; there are no more than `count`.
pub(crate) fn reduce<'m, C: SelfTested>(
    trees: Trees<'_, C>,
    count: usize,
    messages: impl Iterator<Item = (usize, &'m [u8])>,
    mut take: impl FnMut(Roots<'_>),
) {
    let mut group = Group::new(trees, count.min(GROUP_CHUNKS / 2));
    for (message, bytes) in messages {
        let nodes = bytes.len().div_ceil(C::CHUNK_BYTES);
        if nodes > MOST_SHARED_CHUNKS {
            group.add_alone(message, bytes);
        } else {
            group.add(message, bytes, nodes);
        }
        if group.count >= GROUP_CHUNKS {
            group.reduce();
            if group.rooted.len() < GROUP_CHUNKS / 2 {
                group.keep_roots();
            } else {
                take(group.roots());
                group.clear();
            }
        }
    }
    group.reduce();
    take(group.roots());
}

/// Returns the values beneath the root of a subtree: see [`OneTree::halves`].
pub(super) fn halves<C: SelfTested>(trees: Trees<'_, C>, bytes: &[u8], first_chunk: u64) -> Pair {
    OneTree::new(trees).halves(bytes, first_chunk, &mut [[0; size_of::<Row>()]; NODE_LANES])
}

/// A message that shares the lanes with others, on its way from its chunks to its root.
struct Tree {
    message: usize,
    /// Where the values of its nodes of the current level begin.
    at: usize,
    /// How many nodes of the current level it has: more than two.
    nodes: usize,
}

/// Messages that are reduced together.
struct Group<'a, 'm, C: SelfTested> {
    all: Trees<'a, C>,
    /// For messages that fill the lanes by themselves.
    alone: OneTree<'a, C>,
    chunks: Nodes<'a, C>,
    parents: Nodes<'a, C>,
    trees: Vec<Tree>,
    /// The values of all levels one after the other, and perhaps more behind them.
    values: Vec<Value>,
    /// Where those of the current level begin.
    first: usize,
    /// How many nodes the current level has. Those of a message come one after the other.
    count: usize,
    /// The messages whose root is next, and where the values beneath it are.
    rooted: Vec<usize>,
    roots_at: Vec<usize>,
    /// Full chunks that are not hashed yet.
    full: Gathered<'m>,
    /// Chunks that are not full.
    last: Vec<Placed<'m>>,
    /// Where chunks that are not full start.
    starts: Vec<ChainingOf<C>>,
    last_values: Vec<Value>,
    rows: [Row; NODE_LANES],
}

/// Makes room for so many values.
fn grow(values: &mut Vec<Value>, count: usize) {
    if values.len() < count {
        values.resize(count, [0; VALUE_BYTES]);
    }
}

impl<'a, 'm, C: SelfTested> Group<'a, 'm, C> {
    /// Prepares for about so many messages together.
    fn new(all: Trees<'a, C>, together: usize) -> Self {
        Self {
            all,
            alone: OneTree::new(all),
            chunks: Nodes::chunks(all),
            parents: Nodes::parents(all),
            trees: Vec::with_capacity(together),
            values: Vec::new(),
            first: 0,
            count: 0,
            rooted: Vec::with_capacity(together),
            roots_at: Vec::with_capacity(together),
            full: Gathered::new(),
            last: Vec::with_capacity(together),
            starts: Vec::new(),
            last_values: Vec::new(),
            rows: [[0; size_of::<Row>()]; NODE_LANES],
        }
    }

    /// Adds a message of so many chunks. Its full chunks are hashed once they fill the lanes.
    #[inline(always)]
    fn add(&mut self, message: usize, bytes: &'m [u8], nodes: usize) {
        let first = self.add_nodes(message, nodes);
        let (chunks, last) = bytes.split_at(bytes.len() - bytes.len() % C::CHUNK_BYTES);
        for (number, bytes) in chunks.chunks_exact(C::CHUNK_BYTES).enumerate() {
            let chunk = Placed { place: first + number, number: number as u64, bytes };
            self.chunks.gather(&mut self.full, chunk, &mut self.values, &mut self.rows);
        }
        if !last.is_empty() {
            self.last.push(Placed { place: first + nodes - 1, number: nodes as u64 - 1, bytes: last });
        }
    }

    /// Adds a message that fills the lanes by itself.
    fn add_alone(&mut self, message: usize, bytes: &[u8]) {
        let first = self.add_nodes(message, 2);
        let halves = self.alone.halves(bytes, 0, &mut self.rows);
        self.values[first..][..2].copy_from_slice(halves.as_chunks().0);
    }

    /// Makes room for the nodes of a message in the current level, and returns where it is.
    #[inline(always)]
    fn add_nodes(&mut self, message: usize, nodes: usize) -> usize {
        let at = self.first + self.count;
        self.count += nodes;
        grow(&mut self.values, at + nodes);
        if nodes == 2 {
            self.rooted.push(message);
            self.roots_at.push(at);
        } else {
            self.trees.push(Tree { message, at, nodes });
        }
        at
    }

    /// Reduces the messages to their roots.
    fn reduce(&mut self) {
        self.chunks.hash_gathered(&mut self.full, &mut self.values, &mut self.rows);
        self.hash_last_chunks();
        while !self.trees.is_empty() {
            self.hash_parents();
        }
        self.count = 0;
    }

    /// Returns the roots of the messages that are reduced.
    fn roots(&self) -> Roots<'_> {
        Roots { messages: &self.rooted, at: &self.roots_at, values: &self.values }
    }

    /// Forgets all values but those beneath the roots.
    fn keep_roots(&mut self) {
        for (i, at) in self.roots_at.iter_mut().enumerate() {
            // The pairs of other roots are before this one.
            self.values.copy_within(*at..*at + 2, 2 * i);
            *at = 2 * i;
        }
        self.first = 2 * self.rooted.len();
    }

    /// Forgets all values.
    fn clear(&mut self) {
        self.rooted.clear();
        self.roots_at.clear();
        self.first = 0;
    }

    /// Hashes chunks that are not full.
    fn hash_last_chunks(&mut self) {
        let chunks = &self.last[..];
        let Some(first) = chunks.first() else { return };
        let state_of = |chunk: &Placed<'_>| C::node(self.all.start, TreeNode::Chunk(chunk.number));
        grow(&mut self.last_values, chunks.len());
        let room = &mut Digests::new(self.last_values[..chunks.len()].as_flattened_mut(), VALUE_BYTES);
        if chunks.iter().all(|chunk| chunk.number == first.number) {
            let start = Start { state: state_of(first), bytes: 0 };
            route::hash_many(self.all.mix, &(&start).into(), &Slice(chunks), room, None);
        } else {
            erase::<C>(&mut self.starts);
            self.starts.clear();
            self.starts.extend(chunks.iter().map(state_of));
            let state = &|i: usize| &self.starts[i];
            route::hash_many(self.all.mix, &Starts::Each { state, bytes: 0 }.into(), &Slice(chunks), room, None);
        }
        for (chunk, value) in chunks.iter().zip(&self.last_values) {
            self.values[chunk.place] = *value;
        }
        self.last.clear();
    }

    /// Hashes the parents of a level. A last node that has no other stays as it is. Messages whose root is next are
    /// taken out.
    fn hash_parents(&mut self) {
        let mut parents = Gathered::new();
        let end = self.first + self.count;
        grow(&mut self.values, end + self.count);
        let (level, made) = self.values.split_at_mut(end);
        let mut place = 0;
        self.trees.retain_mut(|tree| {
            let (pairs, last) = level[tree.at..][..tree.nodes].as_chunks::<2>();
            tree.at = end + place;
            for pair in pairs {
                let parent = Placed { place, number: 0, bytes: pair.as_flattened() };
                self.parents.gather(&mut parents, parent, made, &mut self.rows);
                place += 1;
            }
            made[place..][..last.len()].copy_from_slice(last);
            place += last.len();
            tree.nodes = pairs.len() + last.len();
            if tree.nodes == 2 {
                self.rooted.push(tree.message);
                self.roots_at.push(tree.at);
            }
            tree.nodes > 2
        });
        self.parents.hash_gathered(&mut parents, made, &mut self.rows);
        (self.first, self.count) = (end, place);
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
