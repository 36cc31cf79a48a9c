//! HMAC (RFC 2104, FIPS 198-1): tags of messages under a secret key, one or many at once.
//!
//! A [`Key`] has absorbed its two blocks. Messages start from midstates, and both passes of a batch
//! run in lanes, whether all messages have one key or each has its own.
//!
//! ```
//! use manyhash::{Sha256, hmac::Key};
//! let key = Key::<Sha256>::new(b"secret");
//! let tags = key.tag_many(&["one", "two"]);
//! assert!(key.verify(b"two", &tags[1]).is_ok());
//! assert!(key.verify(b"three", &tags[1]).is_err());
//! ```
//!
//! Two ways to derive keys use HMAC alone and are here too, for many inputs at once:
//! [`hkdf_expand`] and [`pbkdf2_many`].
//!
//! Comparing tags takes a time that depends on their length only. Lengths of keys, messages and
//! tags are no secrets: see SECURITY.md.

mod derive;

use crate::algorithm::{ChainingOf, CompressionOf, MAX_BLOCK_BYTES};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::hash::{Hasher, hash_on};
use crate::isa::Word;
use crate::kernel::start::{Passes, Start, Starts};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::{Messages, Slice};
use crate::schedule::mix::{Mix, Usage};
use crate::schedule::route::check_room;
use alloc::vec::Vec;
use ctutils::CtEq;
pub use derive::{TooManyBytes, hkdf_expand, hkdf_extract, pbkdf2_many};
use std::borrow::Borrow;
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// The byte that is exclusive-ored to each byte of the key for its inner block (RFC 2104, section
/// 2).
const INNER_PAD: u8 = 0x36;
/// The byte that is exclusive-ored to each byte of the key for its outer block.
const OUTER_PAD: u8 = 0x5C;
/// The fewest bytes that a truncated tag may have: 32 bits (NIST SP 800-107, section 5.3.3).
const FEWEST_TAG_BYTES: usize = 4;

/// A secret key, ready for use: the midstates after its inner and its outer block.
///
/// The midstates are as secret as the key: they are erased when it is dropped, and never shown.
/// Copies that moving a key or computing with it leaves on the stack are not erased.
#[derive(Clone)]
pub struct Key<A: Algorithm> {
    midstates: Midstates<A>,
    tag_bytes: usize,
}

/// The midstates after the inner and the outer key block.
#[derive(Clone)]
pub(crate) struct Midstates<A: Algorithm> {
    pub(crate) inner: ChainingOf<CompressionOf<A>>,
    pub(crate) outer: ChainingOf<CompressionOf<A>>,
}

impl<A: Algorithm> Drop for Midstates<A> {
    fn drop(&mut self) {
        Word::erase(self.inner.as_mut());
        Word::erase(self.outer.as_mut());
    }
}

impl<A: Algorithm> Key<A> {
    /// Makes a key from any number of secret bytes; more than a block are replaced by their digest
    /// (RFC 2104, section 2). The standard recommends as many bytes as a digest has. An empty key
    /// protects nothing.
    ///
    /// # Panics
    /// Panics if the algorithm has no HMAC: see [`Algorithm::HAS_HMAC`].
    pub fn new(key: &[u8]) -> Self {
        assert!(A::HAS_HMAC, "{} has no HMAC: it takes a key by itself", A::NAME);
        let mut block = Zeroizing::new([0; MAX_BLOCK_BYTES]);
        let block = &mut block[..A::BLOCK_BYTES];
        if key.len() <= A::BLOCK_BYTES {
            block[..key.len()].copy_from_slice(key);
        } else {
            let mut digest = crate::hash::hash::<A>(key);
            block[..A::DIGEST_BYTES].copy_from_slice(digest.as_ref());
            digest.as_mut().zeroize();
        }
        let mut midstate = |pad: u8| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            let start = Hasher::<A>::absorbed(Start::of::<A>(), block);
            block.iter_mut().for_each(|byte| *byte ^= pad);
            start.state
        };
        Self { midstates: Midstates { inner: midstate(INNER_PAD), outer: midstate(OUTER_PAD) }, tag_bytes: A::DIGEST_BYTES }
    }

    /// Makes the key expect truncated tags: [`verify`](Self::verify) and
    /// [`verify_many`](Self::verify_many) take the first `bytes` bytes of a tag. RFC 2104 (section
    /// 5) advises against fewer than half of a tag and fewer than ten. The other functions return
    /// whole tags.
    ///
    /// # Panics
    /// Panics if `bytes` is less than 4, or more than a digest has.
    pub fn with_tag_bytes(self, bytes: usize) -> Self {
        let most = A::DIGEST_BYTES;
        assert!((FEWEST_TAG_BYTES..=most).contains(&bytes), "tags of {bytes} bytes; {FEWEST_TAG_BYTES} to {most} can be had");
        Self { tag_bytes: bytes, ..self }
    }

    /// Returns how many bytes the expected tags have.
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// Returns the tag of one message.
    pub fn tag(&self, message: &[u8]) -> A::Digest {
        let Midstates { inner, outer } = &self.midstates;
        let bytes = A::BLOCK_BYTES as u64;
        hash_on::<A>(backend::mix::<A>(), (inner, bytes), Some((outer, bytes)), message)
    }

    /// Returns the tag of each message, in the order of the messages.
    pub fn tag_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut tags = vec![A::ZERO; messages.len()];
        self.tag_many_into(messages, &mut tags);
        tags
    }

    /// Writes the tag of `messages[i]` to `tags[i]`.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn tag_many_into(&self, messages: &[impl AsRef<[u8]>], tags: &mut [A::Digest]) {
        tag_many_on::<A>(backend::mix::<A>(), Keys::One(self), &Slice(messages), tags, None);
    }

    /// Begins the tag of a message that arrives in pieces.
    pub fn tagger(&self) -> Tagger<A> {
        Tagger { hasher: Hasher::starting(self.inner_start()), key: self.clone() }
    }

    /// Checks the tag of a message.
    ///
    /// # Errors
    /// Fails if this is not the tag of the message, or if it does not have the expected number of
    /// bytes.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), TagError> {
        self.compare(&self.tag(message), tag)
    }

    /// Checks for every message whether `tags[i]` is the tag of `messages[i]`.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Vec<Result<(), TagError>> {
        check_room(messages.len(), tags.len());
        let right = self.tag_many(messages);
        right.iter().zip(tags).map(|(right, tag)| self.compare(right, tag.as_ref())).collect()
    }

    /// Compares a given tag with the right one, which this key made elsewhere, as in a
    /// [`Batcher`](crate::batcher::Batcher). The time that it takes depends on the length of the
    /// tag only.
    ///
    /// # Errors
    /// Fails if the tag is not the right one, or if it does not have the expected number of bytes.
    pub fn compare(&self, right: &A::Digest, tag: &[u8]) -> Result<(), TagError> {
        if tag.len() != self.tag_bytes {
            return Err(TagError::Bytes { given: tag.len(), expected: self.tag_bytes });
        }
        if right.as_ref()[..self.tag_bytes].ct_eq(tag).into() { Ok(()) } else { Err(TagError::Wrong) }
    }

    /// Returns where messages start.
    pub(crate) fn inner_start(&self) -> Start<CompressionOf<A>> {
        after_key_block::<A>(&self.midstates.inner)
    }

    /// Returns where the digests of messages start.
    pub(crate) fn outer_start(&self) -> Start<CompressionOf<A>> {
        after_key_block::<A>(&self.midstates.outer)
    }

    pub(crate) fn midstates(&self) -> &Midstates<A> {
        &self.midstates
    }
}

/// Shows which algorithm the key is for, and never a secret.
impl<A: Algorithm> fmt::Debug for Key<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("algorithm", &A::NAME).field("tag_bytes", &self.tag_bytes).finish_non_exhaustive()
    }
}

/// Returns the tag of `messages[i]` under `keys[i]`, for every message, in their order.
///
/// # Panics
/// Panics if the lengths differ.
///
/// ```
/// use manyhash::{Sha256, hmac::{Key, tag_many}};
/// let (alice, bob) = (Key::<Sha256>::new(b"secret of Alice"), Key::new(b"secret of Bob"));
/// let tags = tag_many(&[&alice, &bob, &alice], &["one", "two", "three"]);
/// assert_eq!(tags[1], bob.tag(b"two"));
/// ```
pub fn tag_many<A: Algorithm>(keys: &[impl Borrow<Key<A>>], messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    check_keys(keys.len(), messages.len());
    let mut tags = vec![A::ZERO; messages.len()];
    tag_many_on::<A>(backend::mix::<A>(), Keys::Each(&|i| keys[i].borrow()), &Slice(messages), &mut tags, None);
    tags
}

/// Checks for every message whether `tags[i]` is the tag of `messages[i]` under `keys[i]`.
///
/// # Panics
/// Panics if the lengths differ.
pub fn verify_many<A: Algorithm>(
    keys: &[impl Borrow<Key<A>>],
    messages: &[impl AsRef<[u8]>],
    tags: &[impl AsRef<[u8]>],
) -> Vec<Result<(), TagError>> {
    check_room(messages.len(), tags.len());
    let right = tag_many(keys, messages);
    right.iter().zip(tags).zip(keys).map(|((right, tag), key)| key.borrow().compare(right, tag.as_ref())).collect()
}

/// Panics if there are not as many keys as messages.
fn check_keys(keys: usize, messages: usize) {
    assert_eq!(keys, messages, "{keys} keys for {messages} messages");
}

/// The reason why a tag is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagError {
    /// The tag belongs to another message or another key.
    Wrong,
    /// The tag does not have the expected number of bytes.
    Bytes {
        /// The number of bytes that the tag has.
        given: usize,
        /// The number of bytes that it should have.
        expected: usize,
    },
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong => f.write_str("the tag belongs to another message or another key"),
            Self::Bytes { given, expected } => write!(f, "the tag has {given} bytes and not {expected}"),
        }
    }
}

impl std::error::Error for TagError {}

/// Computes the tag of a message that arrives in pieces.
///
/// ```
/// use manyhash::{Sha256, hmac::Key};
/// let key = Key::<Sha256>::new(b"secret");
/// let mut tagger = key.tagger();
/// tagger.update(b"to be ");
/// tagger.update(b"or not to be");
/// assert_eq!(tagger.finalize(), key.tag(b"to be or not to be"));
/// ```
#[derive(Clone)]
pub struct Tagger<A: Algorithm> {
    hasher: Hasher<A>,
    key: Key<A>,
}

impl<A: Algorithm> Tagger<A> {
    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
    }

    /// Returns the tag of the message.
    pub fn finalize(mut self) -> A::Digest {
        hash_on::<A>(backend::mix::<A>(), (&self.key.midstates.outer, A::BLOCK_BYTES as u64), None, self.hasher.finish().as_ref())
    }

    /// Checks the tag of the message.
    ///
    /// # Errors
    /// Fails if this is not the tag of the message, or if it does not have the expected number of
    /// bytes.
    pub fn verify(self, tag: &[u8]) -> Result<(), TagError> {
        let key = self.key.clone();
        key.compare(&self.finalize(), tag)
    }
}

/// A new `Tagger` holds the inner key midstate, so its state is erased on drop.
impl<A: Algorithm> Drop for Tagger<A> {
    fn drop(&mut self) {
        self.hasher.erase();
    }
}

/// Shows how far the message has come, and never a secret.
impl<A: Algorithm> fmt::Debug for Tagger<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tagger").field("hasher", &self.hasher).finish_non_exhaustive()
    }
}

/// Returns where messages start after a key block.
fn after_key_block<A: Algorithm>(midstate: &ChainingOf<CompressionOf<A>>) -> Start<CompressionOf<A>> {
    Start { state: *midstate, bytes: A::BLOCK_BYTES as u64 }
}

/// The keys of messages.
#[derive(Clone, Copy)]
pub(crate) enum Keys<'a, A: Algorithm> {
    /// One key for all messages.
    One(&'a Key<A>),
    /// A key for each message, by its index.
    Each(&'a dyn Fn(usize) -> &'a Key<A>),
}

/// Writes the tags of messages and adds the steps to `usage`, if there is one. Panics if there are
/// not as many tags as messages.
pub(crate) fn tag_many_on<A: Algorithm>(
    mix: &Mix<CompressionOf<A>>,
    keys: Keys<'_, A>,
    messages: &dyn Messages,
    tags: &mut [A::Digest],
    usage: Option<&mut Usage>,
) {
    let bytes = A::BLOCK_BYTES as u64;
    match keys {
        Keys::One(key) => {
            let (inner, outer) = (key.inner_start(), key.outer_start());
            let passes = Passes { inner: Starts::Same(&inner), outer: Some(Starts::Same(&outer)) };
            <CompressionOf<A>>::hash_many(mix, &passes, messages, &mut Digests::of::<A>(tags), usage)
        }
        Keys::Each(key) => {
            let (inner, outer) = (&|i: usize| &key(i).midstates.inner, &|i: usize| &key(i).midstates.outer);
            let passes = Passes { inner: Starts::Each { state: inner, bytes }, outer: Some(Starts::Each { state: outer, bytes }) };
            <CompressionOf<A>>::hash_many(mix, &passes, messages, &mut Digests::of::<A>(tags), usage)
        }
    }
}
