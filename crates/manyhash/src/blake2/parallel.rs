//! BLAKE2bp and BLAKE2sp: trees of four and of eight leaves, to which the blocks of a message are dealt
//! out in turns.

use super::{Blake2, Node, Parameters};
use crate::algorithm::{ChainingOf, CompressionOf, write_digest};
use crate::backend;
use crate::kernel::start::{Start, Starts};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::leaves::Dealing;
use crate::schedule::messages::{Chunks, Messages, Part, Slice};
use alloc::vec::Vec;
use std::fmt;
#[cfg(feature = "std")]
use std::io;

/// BLAKE2bp, if `A` is [`Blake2b`](crate::Blake2b), or BLAKE2sp, if it is [`Blake2s`](crate::Blake2s): the
/// leaves of a message, and those of many messages, share the lanes.
///
/// Their digests are others than those of BLAKE2b and BLAKE2s.
///
/// ```
/// use manyhash::Blake2b;
/// use manyhash::blake2::{Parallel, Parameters};
/// let blake2bp = Parallel::<Blake2b>::new(Parameters::new());
/// assert_eq!(blake2bp.hash(b"")[..4], [0xb5, 0xef, 0x81, 0x1a]);
/// let tags = Parallel::<Blake2b>::new(Parameters::new().digest_bytes(16)?.key(b"secret")?);
/// assert_eq!(tags.hash_many(&["one", "two"])[16..], tags.hash(b"two"));
/// # Ok::<(), manyhash::blake2::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct Parallel<A: Blake2> {
    /// They have the key, and erase it.
    parameters: Parameters<A>,
    /// Where leaves begin.
    leaves: Vec<ChainingOf<CompressionOf<A>>>,
    root: Start<CompressionOf<A>>,
}

impl<A: Blake2> Parallel<A> {
    /// How many leaves every message has: 4 of BLAKE2bp, and 8 of BLAKE2sp.
    pub const LEAVES: usize = if A::DIGEST_BYTES == 64 { 4 } else { 8 };
    /// Bytes of a block for each leaf.
    const ROUND_BYTES: usize = Self::LEAVES * A::BLOCK_BYTES;
    /// The values of all leaves of a message, one after the other.
    const VALUES_BYTES: usize = Self::LEAVES * A::DIGEST_BYTES;

    /// Takes length, key, salt and personalisation. A [`node`](Parameters::node) that the parameters say
    /// is replaced by the nodes of this tree.
    pub fn new(parameters: Parameters<A>) -> Self {
        let node = |offset: usize, level| Node {
            fan_out: Self::LEAVES as u8,
            depth: 2,
            leaf_bytes: 0,
            offset: offset as u64,
            level,
            inner_bytes: A::DIGEST_BYTES as u8,
            is_last: level == 1 || offset + 1 == Self::LEAVES,
        };
        let start = |node| parameters.clone().node(node).expect("a node of a small tree").start();
        let leaves = (0..Self::LEAVES).map(|leaf| start(node(leaf, 0)).state).collect();
        let root = start(node(0, 1));
        Self { parameters, leaves, root }
    }

    /// Returns the digest of one message, which has as many bytes as
    /// [`digest_bytes`](Parameters::digest_bytes) says.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        self.hash_many(&[message])
    }

    /// Returns the digest of each message, in the order of the messages, one after the other.
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut digests = vec![0; messages.len() * self.parameters.length()];
        self.hash_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of message i to the bytes of `digests` from i times the length of a digest on.
    ///
    /// # Panics
    /// Panics if `digests` has not exactly as many bytes as all digests.
    pub fn hash_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
        self.parameters.check_room(messages.len(), digests.len());
        self.hash_all(&Slice(messages), digests);
    }

    fn hash_all(&self, messages: &dyn Messages, digests: &mut [u8]) {
        /// How many messages are taken together: the values of their leaves stay in the second cache.
        const TOGETHER: usize = 1024;
        let count = messages.count();
        let mut values = vec![0; count.min(TOGETHER) * Self::VALUES_BYTES];
        for (first, digests) in (0..count).step_by(TOGETHER).zip(digests.chunks_mut(TOGETHER * self.parameters.length())) {
            let range = first..count.min(first + TOGETHER);
            let values = &mut values[..range.len() * Self::VALUES_BYTES];
            let messages = &Part { messages, range };
            let head = &self.parameters.key_block;
            if head.is_empty() && (0..messages.count()).all(|i| messages.message(i).len() <= Self::ROUND_BYTES) {
                self.make_values_of_short(messages, values);
            } else {
                let dealing = Dealing { starts: &self.leaves, bytes_before: 0, head, messages, ends: true };
                Self::make_values(&dealing, values);
            }
            self.hash_roots(values, digests);
        }
    }

    /// Writes the values of leaves.
    fn make_values(dealing: &Dealing<'_, CompressionOf<A>>, values: &mut [u8]) {
        A::deal(backend::mix::<A>(), dealing, &mut |leaf, state| {
            write_digest::<CompressionOf<A>>(state, &mut values[leaf * A::DIGEST_BYTES..][..A::DIGEST_BYTES]);
        });
    }

    /// Writes the values of leaves of no more than a block, which go the ways of short messages.
    fn make_values_of_short(&self, messages: &dyn Messages, values: &mut [u8]) {
        let leaf = |i: usize| {
            let message = messages.message(i / Self::LEAVES);
            let begin = message.len().min(i % Self::LEAVES * A::BLOCK_BYTES);
            &message[begin..message.len().min(begin + A::BLOCK_BYTES)]
        };
        let leaves: Vec<&[u8]> = (0..messages.count() * Self::LEAVES).map(leaf).collect();
        let starts = Starts::Each { state: &|i: usize| &self.leaves[i % Self::LEAVES], bytes: 0 };
        let room = &mut Digests::new(values, A::DIGEST_BYTES);
        <CompressionOf<A>>::hash_many(backend::mix::<A>(), &starts.into(), &Slice(&leaves), room, None);
    }

    /// Writes the digests of messages with these values of leaves.
    fn hash_roots(&self, values: &[u8], digests: &mut [u8]) {
        let roots = Chunks { values, message_bytes: Self::VALUES_BYTES };
        let room = &mut Digests::new(digests, self.parameters.length());
        <CompressionOf<A>>::hash_many(backend::mix::<A>(), &(&self.root).into(), &roots, room, None);
    }

    /// Returns a hasher for one message that arrives in pieces.
    pub fn hasher(&self) -> ParallelHasher<A> {
        ParallelHasher { mode: self.clone(), states: self.leaves.clone(), leaf_bytes: 0, rest: Vec::new() }
    }
}

/// Shows the lengths, and never a key.
impl<A: Blake2> fmt::Debug for Parallel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

/// Hashes one message that arrives in pieces, by [`Parallel`]. It is also a [`Write`](io::Write).
#[derive(Clone)]
pub struct ParallelHasher<A: Blake2> {
    mode: Parallel<A>,
    /// The leaves as far as they are hashed.
    states: Vec<ChainingOf<CompressionOf<A>>>,
    /// The bytes that each of these has taken, those of a key included.
    leaf_bytes: u64,
    /// The bytes of the message that have not been compressed yet.
    rest: Vec<u8>,
}

impl<A: Blake2> ParallelHasher<A> {
    const ROUND_BYTES: usize = <Parallel<A>>::ROUND_BYTES;
    /// Bytes that must follow a round of blocks before it is compressed: each leaf then has more of them,
    /// so that no block of the round is the last one of its leaf.
    const HELD_BYTES: usize = Self::ROUND_BYTES - A::BLOCK_BYTES + 1;

    /// Appends a piece to the message.
    pub fn update(&mut self, mut piece: &[u8]) {
        if !self.rest.is_empty() {
            let missing = self.rest.len().next_multiple_of(Self::ROUND_BYTES) - self.rest.len();
            if piece.len() < missing + Self::HELD_BYTES {
                self.rest.extend_from_slice(piece);
                let whole = Self::rounds_bytes(self.rest.len());
                let rest = std::mem::take(&mut self.rest);
                self.advance(&rest[..whole]);
                self.rest = rest;
                self.rest.drain(..whole);
                return;
            }
            let (completing, later) = piece.split_at(missing);
            let mut rounds = std::mem::take(&mut self.rest);
            rounds.extend_from_slice(completing);
            self.advance(&rounds);
            piece = later;
        }
        let (rounds, rest) = piece.split_at(Self::rounds_bytes(piece.len()));
        self.advance(rounds);
        self.rest.extend_from_slice(rest);
    }

    /// Returns how many of so many bytes are rounds that can be compressed.
    fn rounds_bytes(bytes: usize) -> usize {
        let bytes = bytes.saturating_sub(Self::HELD_BYTES);
        bytes - bytes % Self::ROUND_BYTES
    }

    /// Compresses rounds of blocks.
    fn advance(&mut self, rounds: &[u8]) {
        if rounds.is_empty() {
            return;
        }
        let mut states = self.states.clone();
        let dealing =
            Dealing { starts: &self.states, bytes_before: self.leaf_bytes, head: self.head(), messages: &Slice(&[rounds]), ends: false };
        let added = dealing.head.len() + rounds.len() / <Parallel<A>>::LEAVES;
        A::deal(backend::mix::<A>(), &dealing, &mut |leaf, state| states[leaf] = *state);
        self.states = states;
        self.leaf_bytes += added as u64;
    }

    /// Returns the block of the key, unless the leaves have taken it.
    fn head(&self) -> &[u8] {
        if self.leaf_bytes == 0 { &self.mode.parameters.key_block } else { &[] }
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> Vec<u8> {
        let mut values = vec![0; <Parallel<A>>::VALUES_BYTES];
        let messages = &Slice(&[&self.rest]);
        let dealing = Dealing { starts: &self.states, bytes_before: self.leaf_bytes, head: self.head(), messages, ends: true };
        <Parallel<A>>::make_values(&dealing, &mut values);
        let mut digest = vec![0; self.mode.parameters.length()];
        self.mode.hash_roots(&values, &mut digest);
        digest
    }
}

/// Shows the algorithm, and never a state.
impl<A: Blake2> fmt::Debug for ParallelHasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelHasher").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: Blake2> io::Write for ParallelHasher<A> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
