//! Chunks and parents of many messages, level by level.
//!
//! Messages are cut into subtrees of at most [`GROUP_CHUNKS`] chunks. Subtrees are taken together until
//! they have about so many chunks, whose chaining values stay in the second cache. Then all their chunks
//! are messages of one batch, and so are all parents of each level above (2.1, 2.4, 2.5).

use super::{DIGEST_BYTES, Mode};
use crate::algorithm::ChainingOf;
use crate::algorithm::blake3::{Blake3Compression, CHUNK_BYTES, CHUNK_END, CHUNK_START, PARENT, ROOT};
use crate::backend;
use crate::kernel::start::{Passes, Start, Starts};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::{Messages, Slice};
use crate::schedule::mix::Mix;
use crate::schedule::short::Rows;

/// The most chunks of a subtree that is reduced at once: a power of two.
pub(super) const GROUP_CHUNKS: usize = 512;

/// The chaining value of a node, or a digest.
pub(super) type Value = [u8; DIGEST_BYTES];
/// The block of a parent: the chaining values of its two children (2.5).
pub(super) type Pair = [u8; 2 * DIGEST_BYTES];

type State = ChainingOf<Blake3Compression>;

impl Mode {
    /// Returns the start of chunk number `counter`, of several.
    pub(super) fn chunk(&self, counter: u64) -> Start<Blake3Compression> {
        self.start(counter, CHUNK_START, CHUNK_END)
    }

    /// Returns the start of a message that is one chunk.
    fn only_chunk(&self) -> Start<Blake3Compression> {
        self.start(0, CHUNK_START, CHUNK_END | ROOT)
    }

    /// Returns the start of a parent that is not the root.
    fn parent(&self) -> Start<Blake3Compression> {
        self.start(0, PARENT, 0)
    }

    /// Returns the start of a parent that is the root.
    fn root(&self) -> Start<Blake3Compression> {
        self.start(0, PARENT, ROOT)
    }

    /// Returns the chaining value of the parent of two nodes, which is not the root.
    pub(super) fn parent_of(&self, pair: &Pair) -> Value {
        one(&self.parent(), pair)
    }
}

/// Returns two children as the block of their parent.
pub(super) fn pair(left: &Value, right: &Value) -> Pair {
    let mut pair = [0; 2 * DIGEST_BYTES];
    pair[..DIGEST_BYTES].copy_from_slice(left);
    pair[DIGEST_BYTES..].copy_from_slice(right);
    pair
}

/// Returns the value of one node.
fn one(start: &Start<Blake3Compression>, bytes: &[u8]) -> Value {
    let mut value = [0; DIGEST_BYTES];
    Blake3Compression::hash_alone(backend::mix_of(), (&start.state, 0), None, bytes, &mut value);
    value
}

/// Writes the digest of each message. There are as many digests as messages.
pub(super) fn hash_many(mode: &Mode, messages: &dyn Messages, digests: &mut [Value]) {
    let only_chunk = mode.only_chunk();
    if let ([digest], Some(message)) = (&mut *digests, (messages.count() == 1).then(|| messages.message(0)))
        && message.len() <= CHUNK_BYTES
    {
        *digest = one(&only_chunk, message);
        return;
    }
    let (short, long): (Vec<usize>, Vec<usize>) = (0..messages.count()).partition(|i| messages.message(*i).len() <= CHUNK_BYTES);
    if long.is_empty() {
        let mut digests = Digests::new(digests.as_flattened_mut(), DIGEST_BYTES);
        return Blake3Compression::hash_many(backend::mix_of(), &(&only_chunk).into(), messages, &mut digests, None);
    }
    let short_messages: Vec<&[u8]> = short.iter().map(|i| messages.message(*i)).collect();
    let mut short_digests = vec![[0; DIGEST_BYTES]; short.len()];
    let mut room = Digests::new(short_digests.as_flattened_mut(), DIGEST_BYTES);
    Blake3Compression::hash_many(backend::mix_of(), &(&only_chunk).into(), &Slice(&short_messages), &mut room, None);
    for (i, digest) in short.into_iter().zip(short_digests) {
        digests[i] = digest;
    }
    let (mut values, root) = (Vec::new(), mode.root());
    reduce(mode, messages, &long, |roots, rows| {
        values.resize(roots.len(), [0; DIGEST_BYTES]);
        alike(&(&root).into(), &Pairs(roots), &mut values, rows);
        for ((message, _), value) in roots.iter().zip(&values) {
            digests[*message] = *value;
        }
    });
}

/// The blocks of roots, each with the number of its message.
pub(super) type Roots = [(usize, Pair)];

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
fn alike(starts: &Passes<'_, Blake3Compression>, nodes: &dyn Messages, values: &mut [Value], rows: &mut Rows) {
    let mix: &Mix<Blake3Compression> = backend::mix_of();
    Blake3Compression::hash_alike(mix, starts, nodes, &mut Digests::new(values.as_flattened_mut(), DIGEST_BYTES), rows);
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

impl<'a> Subtree<'a> {
    /// Returns all of a message, or the first bytes of it from a chunk on.
    fn new(message: usize, bytes: &'a [u8], first_chunk: u64, is_whole_message: bool) -> Self {
        Self { message, bytes, first_chunk, is_whole_message, nodes: bytes.len().div_ceil(CHUNK_BYTES) }
    }
}

/// Gives the blocks of the roots of messages to `take`, some at a time. All messages have more than one
/// chunk.
pub(super) fn reduce(mode: &Mode, messages: &dyn Messages, which: &[usize], mut take: impl FnMut(&Roots, &mut Rows)) {
    let mut group = Group::new(mode);
    let mut subtrees = Vec::new();
    let mut chunks = 0;
    for &message in which {
        let bytes = messages.message(message);
        if bytes.len() > GROUP_CHUNKS * CHUNK_BYTES {
            let mut stack = Stack::default();
            let last = (bytes.len() - 1) / (GROUP_CHUNKS * CHUNK_BYTES);
            let mut root = None;
            for (i, part) in bytes.chunks(GROUP_CHUNKS * CHUNK_BYTES).enumerate() {
                let value = group.value_of(part, (i * GROUP_CHUNKS) as u64);
                if i == last { root = Some(stack.root(mode, &value)) } else { stack.push(mode, &value, GROUP_CHUNKS as u64) }
            }
            group.roots.extend(root.flatten().map(|root| (message, root)));
        } else {
            chunks += bytes.len().div_ceil(CHUNK_BYTES);
            subtrees.push(Subtree::new(message, bytes, 0, true));
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

/// Returns the chaining value of a subtree that is not the root: as many chunks as `bytes` has, from chunk
/// number `first_chunk` on. Only the last chunk of a message is not full.
pub(super) fn subtree(mode: &Mode, bytes: &[u8], first_chunk: u64) -> Value {
    Group::new(mode).value_of(bytes, first_chunk)
}

/// Memory for subtrees that are reduced together.
struct Group<'m> {
    mode: &'m Mode,
    /// The starts of chunks, from number `first_start` of a message on.
    starts: Vec<State>,
    first_start: u64,
    /// The values of the current level, those of a subtree one after the other.
    values: Vec<Value>,
    next_values: Vec<Value>,
    made: Vec<Value>,
    roots: Vec<(usize, Pair)>,
    rows: Rows,
}

impl<'m> Group<'m> {
    fn new(mode: &'m Mode) -> Self {
        Self {
            mode,
            starts: Vec::new(),
            first_start: 0,
            values: Vec::new(),
            next_values: Vec::new(),
            made: Vec::new(),
            roots: Vec::new(),
            rows: None,
        }
    }

    /// Returns the chaining value of a subtree that is not the root.
    fn value_of(&mut self, bytes: &[u8], first_chunk: u64) -> Value {
        self.reduce(&mut [Subtree::new(0, bytes, first_chunk, false)]);
        self.values[0]
    }

    /// Reduces subtrees to one value each. Of those that are whole messages, the root is taken before.
    fn reduce(&mut self, subtrees: &mut [Subtree<'_>]) {
        self.hash_chunks(subtrees);
        while subtrees.iter().any(|subtree| subtree.nodes > 1) {
            self.hash_parents(subtrees);
        }
    }

    /// Makes the starts of `count` chunks, from number `first` of a message on.
    fn make_starts(&mut self, first: u64, count: usize) {
        if self.first_start != first {
            erase(&mut self.starts);
            self.starts.clear();
            self.first_start = first;
        }
        let made = self.starts.len();
        self.starts.extend((made..count).map(|i| self.mode.chunk(first + i as u64).state));
    }

    /// Hashes all chunks: the full ones, which have equally many blocks, and the last ones of messages. All subtrees
    /// begin at the same chunk of their messages.
    fn hash_chunks(&mut self, subtrees: &[Subtree<'_>]) {
        let count = subtrees.iter().map(|subtree| subtree.nodes).sum();
        let most = subtrees.iter().map(|subtree| subtree.nodes).max().unwrap_or(0);
        self.make_starts(subtrees.first().map_or(0, |subtree| subtree.first_chunk), most);
        let (mut full, mut full_places) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut partial, mut partial_places) = (Vec::new(), Vec::new());
        let mut place = 0;
        for subtree in subtrees {
            let (whole, rest) = subtree.bytes.as_chunks::<CHUNK_BYTES>();
            for (i, chunk) in whole.iter().enumerate() {
                full.push(chunk);
                full_places.push((i, place + i));
            }
            place += whole.len();
            if !rest.is_empty() {
                partial.push(rest);
                partial_places.push((whole.len(), place));
                place += 1;
            }
        }
        self.values.clear();
        self.values.resize(count, [0; DIGEST_BYTES]);
        let starts = &self.starts;
        let full_start = &|i: usize| &starts[full_places[i].0];
        if partial.is_empty() {
            // The values are in their places.
            return alike(&each(full_start).into(), &Slice(&full), &mut self.values, &mut self.rows);
        }
        self.made.clear();
        self.made.resize(count, [0; DIGEST_BYTES]);
        let (of_full, of_partial) = self.made.split_at_mut(full.len());
        alike(&each(full_start).into(), &Slice(&full), of_full, &mut self.rows);
        let partial_start = &|i: usize| &starts[partial_places[i].0];
        let mut room = Digests::new(of_partial.as_flattened_mut(), DIGEST_BYTES);
        Blake3Compression::hash_many(backend::mix_of(), &each(partial_start).into(), &Slice(&partial), &mut room, None);
        for ((_, place), value) in full_places.iter().chain(&partial_places).zip(&self.made) {
            self.values[*place] = *value;
        }
    }

    /// Hashes the parents of a level. A last node that has no other stays as it is.
    fn hash_parents(&mut self, subtrees: &mut [Subtree<'_>]) {
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
        self.made.resize(parents.len(), [0; DIGEST_BYTES]);
        alike(&(&self.mode.parent()).into(), &Slice(&parents), &mut self.made, &mut self.rows);
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

impl Drop for Group<'_> {
    fn drop(&mut self) {
        erase(&mut self.starts);
    }
}

/// Overwrites starts, which have the key in them, with zeros.
pub(super) fn erase(_starts: &mut [State]) {
    #[cfg(feature = "hmac")]
    crate::isa::Word::erase(_starts.as_flattened_mut());
}

/// Returns starts of their own for nodes.
fn each<'a>(state: &'a dyn Fn(usize) -> &'a State) -> Starts<'a, Blake3Compression> {
    Starts::Each { state, bytes: 0 }
}

/// The values of whole subtrees of one message, each of a power of two chunks, the largest first.
#[derive(Clone, Default)]
pub(super) struct Stack {
    values: Vec<Value>,
    /// The chunks of all of them.
    pub(super) chunks: u64,
}

impl Stack {
    /// Adds a subtree of so many chunks, a power of two. More of the message follows it.
    pub(super) fn push(&mut self, mode: &Mode, value: &Value, chunks: u64) {
        self.chunks += chunks;
        let mut value = *value;
        // There is one subtree for each bit of the number of chunks.
        while self.values.len() >= self.chunks.count_ones() as usize {
            let left = self.values.pop().expect("a subtree of as many chunks");
            value = mode.parent_of(&pair(&left, &value));
        }
        self.values.push(value);
    }

    /// Returns the block of the root, once `last` is the value of what comes behind all subtrees; `None` if
    /// nothing is before it.
    pub(super) fn root(&self, mode: &Mode, last: &Value) -> Option<Pair> {
        let (first, others) = self.values.split_first()?;
        let right = others.iter().rev().fold(*last, |right, left| mode.parent_of(&pair(left, &right)));
        Some(pair(first, &right))
    }
}
