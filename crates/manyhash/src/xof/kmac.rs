//! KMAC128 and KMAC256 (NIST SP 800-185, section 4): tags of any length under a secret key, of one message or many.
//!
//! ```
//! use manyhash::xof::{Shake128, kmac::Key};
//! let key = Key::<Shake128>::new(b"a key of at least 16 bytes", b"example", 32);
//! let tags = key.tag_many(&["one", "two"]);
//! assert!(key.verify(b"two", &tags[32..]).is_ok());
//! assert!(key.verify(b"three", &tags[32..]).is_err());
//! ```

use super::customized::{padded, right_encoded, string};
use super::{CShake, Function, Hasher, Reader, room};
use crate::hmac::TagError;
use crate::isa::Word;
use crate::schedule::messages::Slice;
use crate::schedule::route::check_room;
use alloc::vec::Vec;
use ctutils::CtEq;
use std::fmt;
use zeroize::Zeroizing;

/// A secret key of KMAC128 ([`Shake128`](super::Shake128)) or KMAC256 ([`Shake256`](super::Shake256)), ready for
/// use: the state that has absorbed it.
///
/// The state is as secret as the key: it is erased when it is dropped, and never shown. Copies that moving a key or
/// computing with it leaves on the stack are not erased.
#[derive(Clone)]
pub struct Key<X: CShake> {
    function: Function<X>,
    tag_bytes: usize,
    /// What follows each message: the length of a tag, or 0.
    suffix: Vec<u8>,
}

impl<X: CShake> Key<X> {
    /// Takes a key for tags of `tag_bytes` bytes, and a customization string, which may be empty and tells one use
    /// of the key from others. Tags of different lengths are different: none is the beginning of another (SP
    /// 800-185, 4.2).
    ///
    /// # Panics
    /// Panics if `tag_bytes` is 0.
    pub fn new(key: &[u8], customization: &[u8], tag_bytes: usize) -> Self {
        assert_ne!(tag_bytes, 0, "tag_bytes is 0: a tag has at least one byte");
        Self::absorbed(key, customization, tag_bytes, 8 * tag_bytes)
    }

    /// Takes a key for output of any length: KMACXOF128 and KMACXOF256 (SP 800-185, 4.3.1). Tags of `tag_bytes`
    /// bytes are the beginning of longer ones.
    ///
    /// # Panics
    /// Panics if `tag_bytes` is 0.
    pub fn extendable(key: &[u8], customization: &[u8], tag_bytes: usize) -> Self {
        assert_ne!(tag_bytes, 0, "tag_bytes is 0: a tag has at least one byte");
        Self::absorbed(key, customization, tag_bytes, 0)
    }

    fn absorbed(key: &[u8], customization: &[u8], tag_bytes: usize, encoded_bits: usize) -> Self {
        let key = Zeroizing::new(string(key));
        let blocks = Zeroizing::new(padded::<X>(&key));
        let function = Function::customized(b"KMAC", customization).absorbing(&blocks);
        Self { function, tag_bytes, suffix: right_encoded(encoded_bits, 1) }
    }

    /// Returns the tag of a message.
    pub fn tag(&self, message: &[u8]) -> Vec<u8> {
        self.tag_many(&[message])
    }

    /// Returns the tag of each message, in the order of the messages, one after the other.
    pub fn tag_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut tags = room::<X>(messages.len(), self.tag_bytes);
        self.function.framed_into(&Slice(messages), &self.suffix, self.tag_bytes, &mut tags);
        tags
    }

    /// Returns a tagger for one message that arrives in pieces.
    pub fn tagger(&self) -> Tagger<X> {
        Tagger { hasher: self.function.hasher(), suffix: self.suffix.clone(), tag_bytes: self.tag_bytes }
    }

    /// Checks whether `tag` is the tag of `message`. The time that comparing takes depends on the length of the tag
    /// only.
    ///
    /// # Errors
    /// Fails if the tag is not the right one, or if it does not have the expected number of bytes.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), TagError> {
        self.compare(&self.tag(message), tag)
    }

    /// Checks for every message whether `tags[i]` is the tag of `messages[i]`.
    ///
    /// # Panics
    /// Panics if there are not as many tags as messages.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Vec<Result<(), TagError>> {
        check_room(messages.len(), tags.len());
        let right = self.tag_many(messages);
        right.chunks(self.tag_bytes).zip(tags).map(|(right, tag)| self.compare(right, tag.as_ref())).collect()
    }

    fn compare(&self, right: &[u8], tag: &[u8]) -> Result<(), TagError> {
        if tag.len() != self.tag_bytes {
            return Err(TagError::Bytes { given: tag.len(), expected: self.tag_bytes });
        }
        if right.ct_eq(tag).into() { Ok(()) } else { Err(TagError::Wrong) }
    }
}

impl<X: CShake> Drop for Key<X> {
    fn drop(&mut self) {
        Word::erase(self.function.start.state.as_mut());
    }
}

/// Shows the family and the length of tags, and never a secret.
impl<X: CShake> fmt::Debug for Key<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("family", &X::NAME).field("tag_bytes", &self.tag_bytes).finish_non_exhaustive()
    }
}

/// Makes the tag of one message that arrives in pieces.
#[derive(Clone)]
pub struct Tagger<X: CShake> {
    hasher: Hasher<X>,
    suffix: Vec<u8>,
    tag_bytes: usize,
}

impl<X: CShake> Tagger<X> {
    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
    }

    /// Returns the tag of the message.
    pub fn finalize(self) -> Vec<u8> {
        let mut tag = vec![0; self.tag_bytes];
        self.finalize_reader().fill(&mut tag);
        tag
    }

    /// Ends the message, and returns its output. Of a key that is not [extendable](Key::extendable), the tag is the
    /// beginning of it.
    pub fn finalize_reader(mut self) -> Reader<X> {
        self.hasher.update(&self.suffix);
        std::mem::take(&mut self.hasher).finalize()
    }
}

impl<X: CShake> Drop for Tagger<X> {
    fn drop(&mut self) {
        self.hasher.erase();
    }
}

/// Shows the family, and never a state.
impl<X: CShake> fmt::Debug for Tagger<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tagger").field("family", &X::NAME).finish_non_exhaustive()
    }
}
