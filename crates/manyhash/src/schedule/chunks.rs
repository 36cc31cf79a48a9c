//! Messages that are trees of chunks, and chunks and parents of many of them, level by level
//! ("BLAKE3", sections 2.1, 2.4 and 2.5).
//!
//! Messages are cut into subtrees of at most [`GROUP_CHUNKS`] chunks. Subtrees are taken together until
//! they have about so many chunks, whose values stay in the second cache. Then all their chunks are
//! messages of one batch, and so are all parents of each level above.

use super::digests::Digests;
use super::framed::Around;
use super::messages::{Chunks, Messages, Slice, Which};
use super::mix::{Mix, Usage};
use super::short::{self, Group as Alike, Rows};
use super::{alone, route};
#[cfg(feature = "hmac")]
use crate::algorithm::WordOf;
use crate::algorithm::ending::block_count;
use crate::algorithm::{ChainingOf, SelfTested, TreeNode};
#[cfg(feature = "hmac")]
use crate::isa::Word;
use crate::kernel::start::{Passes, Start, Starts};
use alloc::vec::Vec;

/// The most chunks of a subtree that is reduced at once: a power of two.
pub(crate) const GROUP_CHUNKS: usize = 512;

/// How many chunks there must be, if those of one number are hashed at a time: enough for all lanes several times.
const SAME_START_CHUNKS: usize = 128;

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
    /// Returns where a node begins.
    fn node(&self, node: TreeNode) -> Start<C> {
        Start { state: C::node(self.start, node), bytes: 0 }
    }

    /// Returns the value of the parent of two nodes, which is not the root.
    fn parent_of(&self, left: &Value, right: &Value) -> Value {
        let mut value = [0; VALUE_BYTES];
        alone::hash(self.mix, (&C::node(self.start, TreeNode::Parent), 0), None, &pair(left, right), &mut value);
        value
    }
}

/// Returns two children as the block of their parent.
fn pair(left: &Value, right: &Value) -> Pair {
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
    let (trees, others): (Vec<usize>, Vec<usize>) = (0..messages.count()).partition(|i| messages.message(*i).len() > C::CHUNK_BYTES);
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
    match passes.inner {
        Starts::Same(start) => hash_trees(Trees { mix, start: &start.state }, messages, &trees, digests),
        Starts::Each { state, .. } => {
            trees.iter().for_each(|i| hash_trees(Trees { mix, start: state(*i) }, messages, &[*i], digests));
        }
    }
}

/// Writes the digests of trees.
fn hash_trees<C: SelfTested>(trees: Trees<'_, C>, messages: &dyn Messages, which: &[usize], digests: &mut Digests<'_>) {
    let root = trees.node(TreeNode::Root);
    let mut values = Vec::new();
    reduce(trees, messages, which, |roots, rows| {
        values.resize(roots.len(), [0; VALUE_BYTES]);
        alike(trees.mix, &(&root).into(), &Pairs(roots), &mut values, rows);
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

/// The blocks as messages.
struct Pairs<'a>(&'a Roots);

impl Messages for Pairs<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn message(&self, i: usize) -> &[u8] {
        &self.0[i].1
    }
}

/// Writes the values of nodes that all have equally many blocks.
fn alike<C: SelfTested>(mix: &Mix<C>, starts: &Passes<'_, C>, nodes: &dyn Messages, values: &mut [Value], rows: &mut Rows) {
    short::hash_alike(mix, starts, nodes, &mut Digests::new(values.as_flattened_mut(), VALUE_BYTES), rows);
}

/// A part of a message whose chunks are a whole subtree, or the last chunks of the message.
struct Subtree<'a> {
    message: usize,
    bytes: &'a [u8],
    /// The number of its first chunk in the message.
    first_chunk: u64,
    is_whole_message: bool,
    /// How many nodes of the current level it has; 0 once its root has been taken.
    nodes: usize,
}

/// Gives the blocks of the roots of messages to `take`, some at a time. All messages have more than one
/// chunk.
pub(crate) fn reduce<C: SelfTested>(
    trees: Trees<'_, C>,
    messages: &dyn Messages,
    which: &[usize],
    mut take: impl FnMut(&Roots, &mut Rows),
) {
    let group_bytes = GROUP_CHUNKS * C::CHUNK_BYTES;
    let mut group = Group::new(trees);
    let mut subtrees = Vec::new();
    let mut chunks = 0;
    for &message in which {
        let bytes = messages.message(message);
        if bytes.len() > group_bytes {
            let (whole, last) = bytes.split_at((bytes.len() - 1) / group_bytes * group_bytes);
            let mut stack = Stack::default();
            for part in whole.chunks(group_bytes) {
                let value = group.value_of(part, stack.chunks);
                stack.push(trees, &value, GROUP_CHUNKS as u64);
            }
            let last = group.value_of(last, stack.chunks);
            group.roots.push((message, stack.root(trees, &last)));
        } else {
            let nodes = bytes.len().div_ceil(C::CHUNK_BYTES);
            subtrees.push(Subtree { message, bytes, first_chunk: 0, is_whole_message: true, nodes });
            chunks += nodes;
        }
        if chunks >= GROUP_CHUNKS {
            group.reduce(&mut subtrees);
            (subtrees, chunks) = (Vec::new(), 0);
        }
        if group.roots.len() >= GROUP_CHUNKS / 2 {
            take(&group.roots, &mut group.rows);
            group.roots.clear();
        }
    }
    group.reduce(&mut subtrees);
    take(&group.roots, &mut group.rows);
}

/// Returns the value of a subtree that is not the root: as many chunks as `bytes` has, from chunk number
/// `first_chunk` on. Only the last chunk of a message is not full.
pub(super) fn subtree<C: SelfTested>(trees: Trees<'_, C>, bytes: &[u8], first_chunk: u64) -> Value {
    Group::new(trees).value_of(bytes, first_chunk)
}

/// Memory for subtrees that are reduced together.
struct Group<'a, C: SelfTested> {
    trees: Trees<'a, C>,
    /// The starts of chunks, from number `first_start` of a message on.
    starts: Vec<ChainingOf<C>>,
    first_start: u64,
    /// The values of the current level, those of a subtree one after the other.
    values: Vec<Value>,
    next_values: Vec<Value>,
    made: Vec<Value>,
    roots: Vec<(usize, Pair)>,
    rows: Rows,
}

impl<'a, C: SelfTested> Group<'a, C> {
    fn new(trees: Trees<'a, C>) -> Self {
        Self {
            trees,
            starts: Vec::new(),
            first_start: 0,
            values: Vec::new(),
            next_values: Vec::new(),
            made: Vec::new(),
            roots: Vec::new(),
            rows: None,
        }
    }

    /// Returns the value of a subtree that is not the root.
    fn value_of(&mut self, bytes: &[u8], first_chunk: u64) -> Value {
        let nodes = bytes.len().div_ceil(C::CHUNK_BYTES);
        self.reduce(&mut [Subtree { message: 0, bytes, first_chunk, is_whole_message: false, nodes }]);
        self.values[0]
    }

    /// Reduces subtrees to one value each. Of those that are whole messages, the root is taken before.
    fn reduce(&mut self, subtrees: &mut [Subtree<'_>]) {
        if subtrees.is_empty() {
            return;
        }
        self.hash_chunks(subtrees);
        while subtrees.iter().any(|subtree| subtree.nodes > 1) {
            self.hash_parents(subtrees);
        }
    }

    /// Makes the starts of `count` chunks, from number `first` of a message on.
    fn make_starts(&mut self, first: u64, count: usize) {
        if self.first_start != first {
            erase::<C>(&mut self.starts);
            self.starts.clear();
            self.first_start = first;
        }
        let made = self.starts.len();
        self.starts.extend((made..count).map(|i| C::node(self.trees.start, TreeNode::Chunk(first + i as u64))));
    }

    /// Hashes all chunks to their places among the values. All subtrees begin at the same chunk of their
    /// messages.
    fn hash_chunks(&mut self, subtrees: &[Subtree<'_>]) {
        let count = subtrees.iter().map(|subtree| subtree.nodes).sum();
        let most = subtrees.iter().map(|subtree| subtree.nodes).max().unwrap_or(0);
        self.make_starts(subtrees.first().map_or(0, |subtree| subtree.first_chunk), most);
        self.values.clear();
        self.values.resize(count, [0; VALUE_BYTES]);
        if most == 2 && count >= SAME_START_CHUNKS {
            // Chunks of the same number begin with the same state. On Zen 4, a thousand messages of 1,025 bytes are
            // hashed at 4.4 GB/s, and at 4.2 if each chunk has a start of its own. If there are more numbers, that gains nothing, and
            // costs 10 % where messages are 4,096 bytes apart: their chunks of one number share a set of the cache.
            let (first, second) = (self.starts[0], self.starts[1]);
            let chunks = subtrees.iter().map(|subtree| subtree.bytes.split_at(C::CHUNK_BYTES));
            let chunks: Vec<[&[u8]; 2]> = chunks.map(|(first, second)| [first, second]).collect();
            let places: Vec<usize> = (0..count).step_by(2).collect();
            self.hash_nodes(&(&Start { state: first, bytes: 0 }).into(), chunks.as_flattened(), &places);
            let places: Vec<usize> = (1..count).step_by(2).collect();
            self.hash_nodes(&(&Start { state: second, bytes: 0 }).into(), chunks.as_flattened(), &places);
            return;
        }
        if let [subtree] = subtrees {
            return self.hash_chunks_of_one(subtree.bytes);
        }
        let (mut chunks, mut numbers): (Vec<&[u8]>, Vec<usize>) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for subtree in subtrees {
            chunks.extend(subtree.bytes.chunks(C::CHUNK_BYTES));
            numbers.extend(0..subtree.nodes);
        }
        let starts = std::mem::take(&mut self.starts);
        let state = &|place: usize| &starts[numbers[place]];
        let passes = Starts::Each { state, bytes: 0 }.into();
        let full_blocks = block_count::<C>(C::CHUNK_BYTES as u64);
        if chunks.iter().all(|chunk| block_count::<C>(chunk.len() as u64) == full_blocks) {
            alike(self.trees.mix, &passes, &Slice(&chunks), &mut self.values, &mut self.rows);
        } else {
            let is_full = |place: &usize| block_count::<C>(chunks[*place].len() as u64) == full_blocks;
            let (full, last): (Vec<usize>, Vec<usize>) = (0..count).partition(is_full);
            self.hash_nodes(&passes, &chunks, &full);
            self.hash_nodes(&passes, &chunks, &last);
        }
        self.starts = starts;
    }

    /// Hashes the chunks of one subtree, which lie one after the other, as their values do.
    fn hash_chunks_of_one(&mut self, bytes: &[u8]) {
        let (mix, starts) = (self.trees.mix, &self.starts);
        let last_bytes = (bytes.len() - 1) % C::CHUNK_BYTES + 1;
        let is_last_full = block_count::<C>(last_bytes as u64) == block_count::<C>(C::CHUNK_BYTES as u64);
        let alike_chunks = if is_last_full { self.values.len() } else { self.values.len() - 1 };
        let (full, last) = bytes.split_at(bytes.len().min(alike_chunks * C::CHUNK_BYTES));
        let state = &|number: usize| &starts[number];
        let passes = Starts::Each { state, bytes: 0 }.into();
        let (values, last_value) = self.values.split_at_mut(alike_chunks);
        alike(mix, &passes, &Chunks { values: full, message_bytes: C::CHUNK_BYTES }, values, &mut self.rows);
        if let [value] = last_value {
            alone::hash(mix, (&starts[alike_chunks], 0), None, last, value);
        }
    }

    /// Hashes the chunks of these places to the values there.
    fn hash_nodes(&mut self, passes: &Passes<'_, C>, chunks: &[&[u8]], places: &[usize]) {
        let Some(first) = places.first() else { return };
        let blocks = |place: &usize| block_count::<C>(chunks[*place].len() as u64);
        let (mix, all) = (self.trees.mix, Alike { blocks: blocks(first), count: places.len(), which: Which::These(places), bytes: None });
        if places.iter().all(|place| blocks(place) == all.blocks) {
            let values = &mut Digests::new(self.values.as_flattened_mut(), VALUE_BYTES);
            return short::hash(mix, passes, &Slice(chunks), values, all, &mut self.rows, &mut Usage::default());
        }
        self.made.clear();
        self.made.resize(places.len(), [0; VALUE_BYTES]);
        let room = &mut Digests::new(self.made.as_flattened_mut(), VALUE_BYTES);
        let of_places: Vec<&[u8]> = places.iter().map(|place| chunks[*place]).collect();
        match passes.inner {
            Starts::Same(_) => route::hash_many(mix, passes, &Slice(&of_places), room, None),
            Starts::Each { state, bytes } => {
                let state = &|i: usize| state(places[i]);
                route::hash_many(mix, &Starts::Each { state, bytes }.into(), &Slice(&of_places), room, None);
            }
        }
        for (place, value) in places.iter().zip(&self.made) {
            self.values[*place] = *value;
        }
    }

    /// Hashes the parents of a level. A last node that has no other stays as it is.
    fn hash_parents(&mut self, subtrees: &mut [Subtree<'_>]) {
        if let [subtree] = subtrees
            && !(subtree.is_whole_message && subtree.nodes == 2)
        {
            // The blocks of the parents lie one after the other.
            let start = self.trees.node(TreeNode::Parent);
            let (pairs, last) = self.values.as_chunks::<2>();
            self.next_values.clear();
            self.next_values.resize(pairs.len(), [0; VALUE_BYTES]);
            let blocks = Chunks { values: pairs.as_flattened().as_flattened(), message_bytes: 2 * VALUE_BYTES };
            alike(self.trees.mix, &(&start).into(), &blocks, &mut self.next_values, &mut self.rows);
            self.next_values.extend_from_slice(last);
            subtree.nodes = self.next_values.len();
            return std::mem::swap(&mut self.values, &mut self.next_values);
        }
        let mut parents: Vec<&[u8]> = Vec::with_capacity(self.values.len() / 2);
        let mut rest = &self.values[..];
        for subtree in &mut *subtrees {
            let (nodes, later) = rest.split_at(subtree.nodes);
            rest = later;
            if subtree.is_whole_message
                && let [left, right] = nodes
            {
                self.roots.push((subtree.message, pair(left, right)));
            } else {
                parents.extend(nodes.as_chunks::<2>().0.iter().map(|pair| pair.as_flattened()));
            }
        }
        self.made.clear();
        self.made.resize(parents.len(), [0; VALUE_BYTES]);
        let start = self.trees.node(TreeNode::Parent);
        alike(self.trees.mix, &(&start).into(), &Slice(&parents), &mut self.made, &mut self.rows);
        self.next_values.clear();
        let (mut rest, mut made) = (&self.values[..], &self.made[..]);
        for subtree in subtrees {
            let (nodes, later) = rest.split_at(subtree.nodes);
            rest = later;
            if subtree.is_whole_message && subtree.nodes == 2 {
                subtree.nodes = 0;
                continue;
            }
            let (mine, later) = made.split_at(subtree.nodes / 2);
            made = later;
            self.next_values.extend_from_slice(mine);
            self.next_values.extend_from_slice(nodes.as_chunks::<2>().1);
            subtree.nodes = subtree.nodes.div_ceil(2);
        }
        std::mem::swap(&mut self.values, &mut self.next_values);
    }
}

impl<C: SelfTested> Drop for Group<'_, C> {
    fn drop(&mut self) {
        erase::<C>(&mut self.starts);
    }
}

/// Overwrites starts, which may have a key in them, with zeros.
pub(crate) fn erase<C: SelfTested>(_starts: &mut [ChainingOf<C>]) {
    #[cfg(feature = "hmac")]
    _starts.iter_mut().for_each(|start| WordOf::<C>::erase(start.as_mut()));
}

/// The values of whole subtrees of one message, each of a power of two chunks, the largest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    values: Vec<Value>,
    /// The chunks of all of them.
    pub(crate) chunks: u64,
}

impl Stack {
    /// Returns how many of the chunks that come next are a whole subtree, and not the end of a piece of
    /// `bytes` bytes: 0 unless they are two or more.
    pub(crate) fn next_chunks<C: SelfTested>(&self, bytes: usize) -> usize {
        let most = bytes.saturating_sub(1) / C::CHUNK_BYTES;
        if most < 2 {
            return 0;
        }
        // A subtree of n chunks begins at a multiple of n.
        let aligned = if self.chunks == 0 { GROUP_CHUNKS } else { 1 << self.chunks.trailing_zeros().min(GROUP_CHUNKS.ilog2()) };
        let chunks = aligned.min(GROUP_CHUNKS).min(1 << most.ilog2());
        if chunks < 2 { 0 } else { chunks }
    }

    /// Adds the value of a subtree of so many chunks, a power of two. More of the message follows it.
    pub(crate) fn push<C: SelfTested>(&mut self, trees: Trees<'_, C>, value: &Value, chunks: u64) {
        self.chunks += chunks;
        let mut value = *value;
        // There is one subtree for each bit of the number of chunks.
        while self.values.len() >= self.chunks.count_ones() as usize {
            let left = self.values.pop().expect("a subtree of as many chunks");
            value = trees.parent_of(&left, &value);
        }
        self.values.push(value);
    }

    /// Returns the block of the root, once `last` is the value of what comes behind all subtrees, of which
    /// there is at least one.
    pub(crate) fn root<C: SelfTested>(&self, trees: Trees<'_, C>, last: &Value) -> Pair {
        let (first, others) = self.values.split_first().expect("a subtree before the last");
        let right = others.iter().rev().fold(*last, |right, left| trees.parent_of(left, &right));
        pair(first, &right)
    }
}
