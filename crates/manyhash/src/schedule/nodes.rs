//! Nodes of trees in lanes: chunks of one tree or of many, and parents of a level.
//!
//! Nodes here are whole blocks, equally many, so that there is nothing to pad: the last block of each is
//! read where it lies. Those that share the lanes differ in nothing but their bytes and their number.

use super::alone;
use super::chunks::{Pair, Roots, Trees, VALUE_BYTES, Value, pair};
use super::mix::Mix;
use crate::algorithm::ending::Node;
use crate::algorithm::{ChainingOf, SelfTested, TreeNode, WordOf};
use crate::isa::{Blocks, Row, Word};
use crate::kernel::HashNodes;
use crate::kernel::nodes::{NODE_LANES, Nodes as Task, Numbers};
use std::ops::Range;

/// Nodes that all are chunks, or all are parents.
pub(super) struct Nodes<'a, C: SelfTested> {
    mix: &'a Mix<C>,
    /// The state that a node begins with, but for its number.
    start: ChainingOf<C>,
    /// The blocks of each node.
    blocks: usize,
    /// Whether nodes have numbers: chunks do.
    has_numbers: bool,
    /// How many nodes are hashed together: the lanes that are worth it, a power of two, but two at least.
    together: usize,
    /// What hashes so many, if one kernel does.
    all_lanes: Option<HashNodes<C>>,
}

impl<'a, C: SelfTested> Nodes<'a, C> {
    /// Prepares for full chunks.
    pub(super) fn chunks(trees: Trees<'a, C>) -> Self {
        Self::new(trees, TreeNode::Chunk(0), C::CHUNK_BYTES / C::BLOCK_BYTES)
    }

    /// Prepares for parents, which are no roots.
    pub(super) fn parents(trees: Trees<'a, C>) -> Self {
        Self::new(trees, TreeNode::Parent, 1)
    }

    /// Prepares for parents that are roots.
    pub(super) fn roots(trees: Trees<'a, C>) -> Self {
        Self::new(trees, TreeNode::Root, 1)
    }

    fn new(trees: Trees<'a, C>, node: TreeNode, blocks: usize) -> Self {
        let widest = trees.mix.widest_for(blocks as u64);
        let together = (1 << widest.lanes.ilog2()).clamp(2, NODE_LANES);
        let all_lanes = widest.hash_nodes().filter(|_| widest.lanes == together);
        let has_numbers = matches!(node, TreeNode::Chunk(_));
        Self { mix: trees.mix, start: C::node(trees.start, node), blocks, has_numbers, together, all_lanes }
    }

    /// Writes the values of `count` nodes to their places among `values`.
    #[inline(always)]
    pub(super) fn hash<'m>(&self, count: usize, nodes: impl Of<'m>, values: &mut [Value], rows: &mut [Row; NODE_LANES]) {
        let mut first = 0;
        while first < count {
            let kernel = &self.mix.kernels[self.mix.best_for(count - first, self.blocks as u64)];
            let together = first..count.min(first + kernel.lanes);
            first = together.end;
            match kernel.hash_nodes() {
                Some(hash_nodes) => self.hash_together(hash_nodes, kernel.lanes, together, &nodes, values, rows),
                None => together.for_each(|i| self.hash_alone(&mut values[nodes.place(i)], &nodes, i)),
            }
        }
    }

    /// Takes a node. Once there are enough for the lanes twice, the older half is hashed, and the bytes of the younger one
    /// are fetched meanwhile.
    #[inline(always)]
    pub(super) fn gather<'m>(&self, gathered: &mut Gathered<'m>, node: Placed<'m>, values: &mut [Value], rows: &mut [Row; NODE_LANES]) {
        let half = &mut gathered.halves[usize::from(gathered.is_turned)];
        half.bytes[half.count] = node.bytes;
        half.places[half.count] = node.place;
        half.numbers[half.count] = node.number;
        half.count += 1;
        if half.count == self.together {
            self.hash_older(gathered, values, rows);
        }
    }

    /// Hashes the nodes that are gathered.
    #[inline(always)]
    pub(super) fn hash_gathered(&self, gathered: &mut Gathered<'_>, values: &mut [Value], rows: &mut [Row; NODE_LANES]) {
        self.hash_older(gathered, values, rows);
        self.hash_older(gathered, values, rows);
    }

    /// Hashes the older half of the nodes that are gathered. The younger one takes its place.
    #[inline(never)]
    fn hash_older(&self, gathered: &mut Gathered<'_>, values: &mut [Value], rows: &mut [Row; NODE_LANES]) {
        let [younger, older] = &mut gathered.halves;
        let (younger, older) = if gathered.is_turned { (older, younger) } else { (younger, older) };
        match self.all_lanes {
            Some(hash_nodes) if older.count == self.together => {
                let blocks = &Blocks::new(self.together, self.blocks * C::BLOCK_BYTES, |lane| older.bytes[lane]);
                let numbers = self.has_numbers.then(|| words_of::<C>(|lane| older.numbers[lane]));
                // Parents were just made: nothing of them has to be fetched.
                let later = self.has_numbers.then_some(&younger.bytes);
                hash_nodes(Task { start: &self.start, numbers: numbers.as_ref(), blocks, later, rows });
                for (place, row) in older.places[..self.together].iter().zip(rows) {
                    values[*place] = *row.first_chunk().expect("a row is long enough");
                }
            }
            _ => self.hash(older.count, &*older, values, rows),
        }
        older.count = 0;
        gathered.is_turned = !gathered.is_turned;
    }

    /// Writes the value of node `i`.
    #[inline(always)]
    fn hash_alone<'m>(&self, value: &mut Value, nodes: &impl Of<'m>, i: usize) {
        let mut start = self.start;
        if self.has_numbers {
            let number = nodes.number(i);
            let counter = &mut start.as_mut()[Node::COUNTER..];
            (counter[0], counter[1]) = (WordOf::<C>::low(number), WordOf::<C>::high(number));
        }
        alone::hash(self.mix, (&start, 0), None, &nodes.bytes(i)[..self.blocks * C::BLOCK_BYTES], value);
    }

    /// Writes the values of nodes `together`, no more than lanes.
    #[inline(always)]
    fn hash_together<'m>(
        &self,
        hash_nodes: HashNodes<C>,
        lanes: usize,
        together: Range<usize>,
        nodes: &impl Of<'m>,
        values: &mut [Value],
        rows: &mut [Row; NODE_LANES],
    ) {
        // A lane without a node does the work of the last one again.
        let node_of = |lane: usize| (together.start + lane).min(together.end - 1);
        let numbers = self.has_numbers.then(|| words_of::<C>(|lane| nodes.number(node_of(lane))));
        let blocks = &Blocks::new(lanes, self.blocks * C::BLOCK_BYTES, |lane| nodes.bytes(node_of(lane)));
        let mut later = [&[][..]; NODE_LANES];
        // Parents were just made: nothing of them has to be fetched.
        for (lane, later) in later.iter_mut().enumerate().take_while(|_| self.has_numbers) {
            *later = nodes.later(node_of(lane), lanes).unwrap_or_else(|| nodes.bytes(node_of(lane)));
        }
        let later = self.has_numbers.then_some(&later);
        hash_nodes(Task { start: &self.start, numbers: numbers.as_ref(), blocks, later, rows });
        for (i, row) in together.zip(rows) {
            values[nodes.place(i)] = *row.first_chunk().expect("a row is long enough");
        }
    }
}

/// Returns the numbers of the nodes in the lanes as a kernel wants them.
#[inline(always)]
fn words_of<C: SelfTested>(number: impl Fn(usize) -> u64) -> Numbers<C> {
    [std::array::from_fn(|lane| WordOf::<C>::low(number(lane))), std::array::from_fn(|lane| WordOf::<C>::high(number(lane)))]
}

/// Where nodes are.
pub(super) trait Of<'m> {
    /// Returns the bytes of node `i`, and perhaps more behind them.
    fn bytes(&self, i: usize) -> &'m [u8];
    /// Returns the bytes of the node that comes `behind` nodes after node `i`, if there is one that will be hashed too. It
    /// need not be one of those that [`Nodes::hash`] is told to hash.
    #[inline(always)]
    fn later(&self, _i: usize, _behind: usize) -> Option<&'m [u8]> {
        None
    }
    /// Returns the number of node `i`, if nodes have numbers.
    #[inline(always)]
    fn number(&self, _i: usize) -> u64 {
        0
    }
    /// Returns where the value of node `i` goes.
    #[inline(always)]
    fn place(&self, i: usize) -> usize {
        i
    }
}

/// Full chunks of one message that follow each other, their bytes, and the number of the first one. The rest of the message comes behind them.
struct Successive<'m>(&'m [u8], usize, u64);

impl<'m> Of<'m> for Successive<'m> {
    #[inline(always)]
    fn bytes(&self, i: usize) -> &'m [u8] {
        &self.0[i * self.1..]
    }
    #[inline(always)]
    fn later(&self, i: usize, behind: usize) -> Option<&'m [u8]> {
        self.0.get((i + behind) * self.1..)
    }
    #[inline(always)]
    fn number(&self, i: usize) -> u64 {
        self.2 + i as u64
    }
}

impl<'m> Of<'m> for &'m [[Value; 2]] {
    #[inline(always)]
    fn bytes(&self, i: usize) -> &'m [u8] {
        self[i].as_flattened()
    }
}

/// A root's value is the digest of its message.
impl<'m> Of<'m> for Roots<'m> {
    #[inline(always)]
    fn bytes(&self, i: usize) -> &'m [u8] {
        self.block(i)
    }
    #[inline(always)]
    fn place(&self, i: usize) -> usize {
        self.messages[i]
    }
}

/// A node of one of several messages.
#[derive(Clone, Copy, Default)]
pub(super) struct Placed<'m> {
    /// Where its value goes.
    pub(super) place: usize,
    /// Its number in its message, if it is a chunk.
    pub(super) number: u64,
    pub(super) bytes: &'m [u8],
}

impl AsRef<[u8]> for Placed<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// Nodes that wait for the lanes to be full, and for those that will be next.
pub(super) struct Gathered<'m> {
    /// The younger half and the older one.
    halves: [Half<'m>; 2],
    /// Whether the older half comes first.
    is_turned: bool,
}

/// Nodes for all lanes, or fewer.
struct Half<'m> {
    count: usize,
    bytes: [&'m [u8]; NODE_LANES],
    numbers: [u64; NODE_LANES],
    /// Where their values go.
    places: [usize; NODE_LANES],
}

impl Gathered<'_> {
    /// Nothing is gathered.
    pub(super) fn new() -> Self {
        Self { halves: [Half::empty(), Half::empty()], is_turned: false }
    }
}

impl Half<'_> {
    fn empty() -> Self {
        Self { count: 0, bytes: [&[]; NODE_LANES], numbers: [0; NODE_LANES], places: [0; NODE_LANES] }
    }
}

impl<'m> Of<'m> for &Half<'m> {
    #[inline(always)]
    fn bytes(&self, i: usize) -> &'m [u8] {
        self.bytes[i]
    }
    #[inline(always)]
    fn number(&self, i: usize) -> u64 {
        self.numbers[i]
    }
    #[inline(always)]
    fn place(&self, i: usize) -> usize {
        self.places[i]
    }
}

/// A start may have a key in it.
#[cfg(feature = "hmac")]
impl<C: SelfTested> Drop for Nodes<'_, C> {
    fn drop(&mut self) {
        WordOf::<C>::erase(self.start.as_mut());
    }
}

/// One tree, or a subtree of it, which lies in one piece.
pub(super) struct OneTree<'a, C: SelfTested> {
    trees: Trees<'a, C>,
    chunks: Nodes<'a, C>,
    parents: Nodes<'a, C>,
}

impl<'a, C: SelfTested> OneTree<'a, C> {
    pub(super) fn new(trees: Trees<'a, C>) -> Self {
        Self { trees, chunks: Nodes::chunks(trees), parents: Nodes::parents(trees) }
    }

    /// Returns the values of the two nodes beneath the root of the subtree that `bytes` are: more than one chunk, from
    /// chunk number `first_chunk` on. Only the last chunk of a message is not full.
    pub(super) fn halves(&self, bytes: &[u8], first_chunk: u64, rows: &mut [Row; NODE_LANES]) -> Pair {
        let mut levels = [[[0; VALUE_BYTES]; NODE_LANES]; 2];
        let [level, next] = &mut levels;
        let (mut level, mut next) = (level, next);
        let mut count = self.reduce(bytes, bytes.len(), first_chunk, level, rows);
        while count > 2 {
            count = self.parents_of(&level[..count], next, rows);
            std::mem::swap(&mut level, &mut next);
        }
        pair(&level[0], &level[1])
    }

    /// Writes the values of the highest level that has more than half as many nodes as are hashed together, and
    /// returns their number: two at least, unless there is one chunk only. It is the level of the first `len` bytes; those
    /// behind them will be hashed next.
    fn reduce(&self, bytes: &[u8], len: usize, first_chunk: u64, values: &mut [Value], rows: &mut [Row; NODE_LANES]) -> usize {
        let count = len.div_ceil(C::CHUNK_BYTES);
        if count <= self.chunks.together {
            self.hash_chunks(bytes, len, first_chunk, &mut values[..count], rows);
            return count;
        }
        // The left subtree is the largest one that is full and leaves something (2.1).
        let left_chunks = 1 << (count - 1).ilog2();
        let left = left_chunks * C::CHUNK_BYTES;
        let mut below = [[0; VALUE_BYTES]; 2 * NODE_LANES];
        let mut below_count = self.reduce(bytes, left, first_chunk, &mut below, rows);
        below_count += self.reduce(&bytes[left..], len - left, first_chunk + left_chunks as u64, &mut below[below_count..], rows);
        self.parents_of(&below[..below_count], values, rows)
    }

    /// Writes the values of the chunks of the first `len` bytes, all of which are full but perhaps the last one.
    fn hash_chunks(&self, bytes: &[u8], len: usize, first_chunk: u64, values: &mut [Value], rows: &mut [Row; NODE_LANES]) {
        let full_chunks = len / C::CHUNK_BYTES;
        self.chunks.hash(full_chunks, Successive(bytes, C::CHUNK_BYTES, first_chunk), values, rows);
        if let [value] = &mut values[full_chunks..] {
            let start = C::node(self.trees.start, TreeNode::Chunk(first_chunk + full_chunks as u64));
            alone::hash(self.trees.mix, (&start, 0), None, &bytes[full_chunks * C::CHUNK_BYTES..len], value);
        }
    }

    /// Writes the values of the parents of some nodes, and returns their number. A last node that has no other stays as
    /// it is.
    fn parents_of(&self, nodes: &[Value], values: &mut [Value], rows: &mut [Row; NODE_LANES]) -> usize {
        let (pairs, last) = nodes.as_chunks::<2>();
        self.parents.hash(pairs.len(), pairs, values, rows);
        values[pairs.len()..][..last.len()].copy_from_slice(last);
        pairs.len() + last.len()
    }
}
