//! BLAKE2 with parameters: digests of any length, keys, salts, personalisation and nodes of trees
//! (RFC 7693; J.-P. Aumasson and others, "BLAKE2: simpler, smaller, fast as MD5", section 2.8).
//!
//! [`Blake2b`] and [`Blake2s`] are BLAKE2 without any of these and with the longest digest.
//! [`Parameters`] say the rest, and hash many messages in lanes as [`hash_many`](crate::hash_many)
//! does.
//!
//! ```
//! use manyhash::{Blake2b, blake2::Parameters};
//! // As Python's hashlib.blake2b(b"one", digest_size=16, key=b"secret", person=b"example").
//! let tags = Parameters::<Blake2b>::new().digest_bytes(16)?.key(b"secret")?.personal(b"example")?;
//! let two = tags.hash_many(&["one", "two"]);
//! assert_eq!(two.len(), 2 * 16);
//! assert_eq!(two[16..], tags.hash(b"two"));
//! # Ok::<(), manyhash::blake2::ParameterError>(())
//! ```
//!
//! [`Parallel`] is BLAKE2bp or BLAKE2sp, by the same parameters.

mod parallel;

use alloc::vec::Vec;
pub use parallel::{Parallel, ParallelHasher};

use crate::algorithm::ending::Counted;
use crate::algorithm::{ChainingOf, Compression, CompressionOf, WordOf, blake2b, blake2s, write_digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::in_pieces::InPieces;
use crate::isa::Word;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::framed::Around;
use crate::schedule::leaves::{self, Dealing};
use crate::schedule::messages::Slice;
use crate::schedule::mix::Mix;
use crate::{Blake2b, Blake2s};
use std::fmt;
#[cfg(feature = "std")]
use std::io;
use std::marker::PhantomData;

/// [`Blake2b`] or [`Blake2s`]. The trait is sealed.
#[allow(private_bounds, reason = "sealed")]
pub trait Blake2: Algorithm + Initial {
    /// The most bytes of a key, which are also those of the longest digest: 64 or 32.
    const MOST_KEY_BYTES: usize = Self::DIGEST_BYTES;
    /// The most bytes of a salt, and of a personalisation: 16 or 8.
    const MOST_SALT_BYTES: usize = Self::DIGEST_BYTES / 4;
}

/// What the compression functions of both have beside what all have.
trait Initial: Algorithm {
    /// The initial value without parameters.
    const INITIAL_WORDS: [WordOf<CompressionOf<Self>>; 8];
    /// Deals messages out to leaves: see [`leaves::run`]. It is compiled in this crate, as the functions of
    /// [`Compiled`] are.
    fn deal(mix: &Mix<CompressionOf<Self>>, dealing: &Dealing<'_, CompressionOf<Self>>, finish: &mut Finish<'_, Self>);
}

/// Takes the last state of a leaf, by its number.
type Finish<'a, A> = dyn FnMut(usize, &ChainingOf<CompressionOf<A>>) + 'a;

macro_rules! blake2 { ($($Algorithm:ident: $initial:expr;)*) => { $(
    impl Initial for $Algorithm {
        const INITIAL_WORDS: [WordOf<CompressionOf<Self>>; 8] = $initial;
        fn deal(mix: &Mix<CompressionOf<Self>>, dealing: &Dealing<'_, CompressionOf<Self>>, finish: &mut Finish<'_, Self>) {
            leaves::run(mix, dealing, finish);
        }
    }
    impl Blake2 for $Algorithm {}
)* } }
blake2! {
    Blake2b: blake2b::INITIAL;
    Blake2s: blake2s::INITIAL;
}

/// A parameter that BLAKE2 does not allow. Its text names the parameter, what was given and what may
/// be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    parameter: &'static str,
    given: u64,
    least: u64,
    most: u64,
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, given, least, most } = self;
        write!(f, "{parameter} is {given}; it must be {least} to {most}")
    }
}

impl std::error::Error for ParameterError {}

/// Returns an error unless a number is within bounds.
fn check(parameter: &'static str, given: u64, least: u64, most: u64) -> Result<(), ParameterError> {
    if (least..=most).contains(&given) { Ok(()) } else { Err(ParameterError { parameter, given, least, most }) }
}

/// The parameters of BLAKE2 (RFC 7693, section 2.5; "BLAKE2", section 2.8), and all that hashes by
/// them. A key is erased when they are dropped, if the feature `hmac` is on.
#[derive(Clone)]
pub struct Parameters<A: Blake2> {
    /// The parameter block; that of BLAKE2s is the shorter one.
    block: [u8; 64],
    is_last_node: bool,
    /// The key with zeros behind it, which is the first block; empty if there is no key.
    key_block: Vec<u8>,
    algorithm: PhantomData<A>,
}

impl<A: Blake2> Parameters<A> {
    /// Bytes of the node's offset: eight of BLAKE2b, and six of BLAKE2s, whose parameters take half
    /// as many bytes.
    const OFFSET_BYTES: usize = if A::DIGEST_BYTES == 64 { 8 } else { 6 };
    const PERSONAL: usize = A::DIGEST_BYTES - A::MOST_SALT_BYTES;
    const SALT: usize = Self::PERSONAL - A::MOST_SALT_BYTES;

    /// Returns those of the plain algorithm: the longest digest, no key, salt and personalisation, and
    /// no tree.
    pub fn new() -> Self {
        let mut block = [0; 64];
        block[0] = A::DIGEST_BYTES as u8;
        (block[2], block[3]) = (1, 1);
        Self { block, is_last_node: false, key_block: Vec::new(), algorithm: PhantomData }
    }

    /// Makes digests of so many bytes: 1 to 64, of BLAKE2s 1 to 32.
    ///
    /// # Errors
    /// Fails for others.
    pub fn digest_bytes(mut self, bytes: usize) -> Result<Self, ParameterError> {
        check("digest_bytes", bytes as u64, 1, A::DIGEST_BYTES as u64)?;
        self.block[0] = bytes as u8;
        Ok(self)
    }

    /// Makes tags under a secret key (RFC 7693, section 2.9). A key of no bytes is none.
    ///
    /// # Errors
    /// Fails for more than 64 bytes, of BLAKE2s for more than 32.
    pub fn key(mut self, key: &[u8]) -> Result<Self, ParameterError> {
        check("the length of key", key.len() as u64, 0, A::MOST_KEY_BYTES as u64)?;
        self.block[1] = key.len() as u8;
        self.erase();
        if !key.is_empty() {
            self.key_block = vec![0; A::BLOCK_BYTES];
            self.key_block[..key.len()].copy_from_slice(key);
        }
        Ok(self)
    }

    /// Randomises digests. A salt that is shorter than it may be has zeros behind it.
    ///
    /// # Errors
    /// Fails for more than 16 bytes, of BLAKE2s for more than 8.
    pub fn salt(mut self, salt: &[u8]) -> Result<Self, ParameterError> {
        self.set("the length of salt", Self::SALT, salt)?;
        Ok(self)
    }

    /// Tells one use of the function from others. What is shorter than it may be has zeros behind it.
    ///
    /// # Errors
    /// Fails for more than 16 bytes, of BLAKE2s for more than 8.
    pub fn personal(mut self, personal: &[u8]) -> Result<Self, ParameterError> {
        self.set("the length of personal", Self::PERSONAL, personal)?;
        Ok(self)
    }

    fn set(&mut self, parameter: &'static str, at: usize, bytes: &[u8]) -> Result<(), ParameterError> {
        check(parameter, bytes.len() as u64, 0, A::MOST_SALT_BYTES as u64)?;
        let room = &mut self.block[at..at + A::MOST_SALT_BYTES];
        room.fill(0);
        room[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Makes the messages nodes of a tree.
    ///
    /// # Errors
    /// Fails for a number that the parameter block has no room for; the text names it.
    pub fn node(mut self, node: Node) -> Result<Self, ParameterError> {
        check("depth", node.depth.into(), 1, 255)?;
        check("inner_bytes", node.inner_bytes.into(), 0, A::DIGEST_BYTES as u64)?;
        check("offset", node.offset, 0, u64::MAX >> (64 - 8 * Self::OFFSET_BYTES))?;
        (self.block[2], self.block[3]) = (node.fan_out, node.depth);
        self.block[4..8].copy_from_slice(&node.leaf_bytes.to_le_bytes());
        self.block[8..8 + Self::OFFSET_BYTES].copy_from_slice(&node.offset.to_le_bytes()[..Self::OFFSET_BYTES]);
        self.block[8 + Self::OFFSET_BYTES] = node.level;
        self.block[9 + Self::OFFSET_BYTES] = node.inner_bytes;
        self.is_last_node = node.is_last;
        Ok(self)
    }

    /// Returns the state before the first block.
    fn start(&self) -> Start<CompressionOf<A>> {
        let word_bytes = size_of::<WordOf<CompressionOf<A>>>();
        let mut state: ChainingOf<CompressionOf<A>> = <CompressionOf<A>>::filled(WordOf::<CompressionOf<A>>::default());
        let words = A::INITIAL_WORDS.into_iter().zip(self.block.chunks_exact(word_bytes));
        for (word, (initial, parameters)) in state.as_mut().iter_mut().zip(words) {
            let mut bytes = [0; 8];
            initial.write_bytes(<CompressionOf<A>>::BYTE_ORDER, 0, &mut bytes[..word_bytes]);
            bytes.iter_mut().zip(parameters).for_each(|(byte, parameter)| *byte ^= parameter);
            *word = WordOf::<CompressionOf<A>>::from_bytes(<CompressionOf<A>>::BYTE_ORDER, &bytes[..word_bytes]);
        }
        if self.is_last_node {
            state.as_mut()[Counted::LAST_NODE] = WordOf::<CompressionOf<A>>::ONES;
        }
        Start { state, bytes: 0 }
    }

    /// Panics unless there is room for exactly the digests of so many messages.
    fn check_room(&self, messages: usize, room: usize) {
        let wanted = messages * self.length();
        assert_eq!(room, wanted, "{messages} messages have digests of {wanted} bytes, and there is room for {room}");
    }

    /// Returns the bytes of a digest.
    fn length(&self) -> usize {
        self.block[0].into()
    }

    /// Returns the digest of one message, which has as many bytes as [`digest_bytes`](Self::digest_bytes)
    /// says.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        self.hash_many(&[message])
    }

    /// Returns the digest of each message, in the order of the messages, one after the other.
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut digests = vec![0; messages.len() * self.length()];
        self.hash_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of message i to the bytes of `digests` from i times the length of a digest on.
    ///
    /// # Panics
    /// Panics if `digests` has not exactly as many bytes as all digests.
    pub fn hash_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
        self.check_room(messages.len(), digests.len());
        let start = self.start();
        let around = Around { passes: (&start).into(), head: &self.key_block, suffix: &[] };
        <CompressionOf<A>>::hash_framed(backend::mix::<A>(), around, &Slice(messages), &mut Digests::new(digests, self.length()));
    }

    /// Returns a hasher for one message that arrives in pieces.
    pub fn hasher(&self) -> Hasher<A> {
        let mut message = InPieces::starting(self.start());
        message.update(&self.key_block);
        Hasher { message, digest_bytes: self.length() }
    }

    /// Overwrites the key.
    fn erase(&mut self) {
        #[cfg(feature = "hmac")]
        zeroize::Zeroize::zeroize(&mut self.key_block);
        self.key_block.clear();
    }
}

impl<A: Blake2> Drop for Parameters<A> {
    fn drop(&mut self) {
        self.erase();
    }
}

impl<A: Blake2> Default for Parameters<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the lengths, and never a key.
impl<A: Blake2> fmt::Debug for Parameters<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Parameters");
        shown.field("algorithm", &A::NAME).field("digest_bytes", &self.length()).field("key_bytes", &self.block[1]);
        shown.finish_non_exhaustive()
    }
}

/// Where a message is in a tree ("BLAKE2", sections 2.8 and 2.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The most children of a node; 0: any number.
    pub fan_out: u8,
    /// The most levels, at least 1; 255: any number.
    pub depth: u8,
    /// The most bytes of a leaf; 0: any number.
    pub leaf_bytes: u32,
    /// The place of this node on its level, from 0.
    pub offset: u64,
    /// The level of this node; 0 is that of leaves.
    pub level: u8,
    /// Bytes of the digests of nodes below the root.
    pub inner_bytes: u8,
    /// True for the last node of each level.
    pub is_last: bool,
}

/// Hashes one message that arrives in pieces. It is also a [`Write`](io::Write).
#[derive(Clone)]
pub struct Hasher<A: Blake2> {
    message: InPieces<CompressionOf<A>>,
    digest_bytes: usize,
}

impl<A: Blake2> Hasher<A> {
    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.message.update(piece);
    }

    /// Returns the digest of the message.
    pub fn finalize(mut self) -> Vec<u8> {
        let mut digest = vec![0; self.digest_bytes];
        write_digest::<CompressionOf<A>>(self.message.finish(), &mut digest);
        digest
    }
}

/// Shows the algorithm, and never a state.
impl<A: Blake2> fmt::Debug for Hasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: Blake2> io::Write for Hasher<A> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
