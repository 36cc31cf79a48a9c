//! BLAKE3 of many messages: hashes, keyed hashes, derived keys, and output of any length (J. O'Connor,
//! J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2021-11-05).
//! Section numbers in this folder are those of the paper.
//!
//! BLAKE3 cuts a message into chunks of 1,024 bytes, the leaves of a binary tree. A library that takes
//! one message after the other has nothing for its lanes to do unless a message has many chunks. Here
//! chunks of all messages of a batch share the lanes, and so do the parents of a level. The algorithm
//! [`Blake3`](crate::Blake3) does the same wherever an [`Algorithm`](crate::Algorithm) is asked for.
//!
//! ```
//! use manyhash::blake3::{self, Mode};
//! let digests = blake3::hash_many(&["one", "two"]);
//! assert_eq!(digests[1], blake3::hash(b"two"));
//! let tags = Mode::keyed(&[7; 32]).hash_many(&["one", "two"]);
//! assert_ne!(tags, digests);
//! ```
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the modes, and what each does with messages |
//! | `root.rs` | the root of a tree, and its output |
//! | `hasher.rs` | one message in pieces, and its output as a stream |

mod hasher;
mod root;

use alloc::vec::Vec;
pub use hasher::{Hasher, Reader};

use crate::algorithm::blake2s::INITIAL;
use crate::algorithm::blake3::{Blake3Compression, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL, KEYED_HASH, start};
use crate::algorithm::ending::Node;
use crate::backend;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use std::fmt;

/// Bytes of a digest, unless more or fewer are asked for.
pub const DIGEST_BYTES: usize = 32;
/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

/// What BLAKE3 is used for (2.3). A key is erased when its mode is dropped, if the feature `hmac` is on.
#[derive(Clone)]
pub struct Mode {
    /// Where messages begin: a key or the initial value, and the flags of the mode.
    start: Start<Blake3Compression>,
}

impl Mode {
    const fn new(key: [u32; 8], flags: u32) -> Self {
        Self { start: Start { state: start(key, flags), bytes: 0 } }
    }

    /// Returns the mode that hashes messages.
    pub const fn plain() -> Self {
        Self::new(INITIAL, 0)
    }

    /// Returns the mode that hashes messages under a secret key: a digest tells whoever has the key who
    /// made it.
    pub fn keyed(key: &[u8; KEY_BYTES]) -> Self {
        Self::new(key_words(key), KEYED_HASH)
    }

    /// Returns the mode that derives keys: the messages are key material, and what comes of them is a key for
    /// the use that `context` names. A context is a text in a program, which is not chosen at run time, such as
    /// `"example.com 2026-11-23 session tokens v1"`.
    ///
    /// ```
    /// use manyhash::blake3::Mode;
    /// let key = Mode::derive_key("example.com 2026-11-23 session tokens v1").hash(b"key material");
    /// assert_ne!(key, Mode::plain().hash(b"key material"));
    /// ```
    pub fn derive_key(context: &str) -> Self {
        let key = Self::new(INITIAL, DERIVE_KEY_CONTEXT).hash(context.as_bytes());
        Self::new(key_words(&key), DERIVE_KEY_MATERIAL)
    }

    /// Returns the digest of one message.
    pub fn hash(&self, message: &[u8]) -> [u8; DIGEST_BYTES] {
        let mut digest = [0; DIGEST_BYTES];
        Blake3Compression::hash_alone(backend::mix_of(), (&self.start.state, 0), None, message, &mut digest);
        digest
    }

    /// Returns the digest of each message, in the order of the messages.
    ///
    /// A message's `as_ref` must return the same bytes every time. If it does not, the digests are of any
    /// bytes, or this panics.
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<[u8; DIGEST_BYTES]> {
        let mut digests = vec![[0; DIGEST_BYTES]; messages.len()];
        self.hash_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of `messages[i]` to `digests[i]`.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn hash_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [[u8; DIGEST_BYTES]]) {
        assert_eq!(messages.len(), digests.len(), "{} messages but room for {} digests", messages.len(), digests.len());
        let digests = &mut Digests::new(digests.as_flattened_mut(), DIGEST_BYTES);
        Blake3Compression::hash_many(backend::mix_of(), &(&self.start).into(), &Slice(messages), digests, None);
    }

    /// Returns `output_bytes` bytes for each message, in the order of the messages, one after the other. The
    /// first 32 of them are its digest (2.6).
    ///
    /// # Panics
    /// Panics if `output_bytes` is 0, or if there is no memory for all of the output.
    ///
    /// ```
    /// use manyhash::blake3::Mode;
    /// let output = Mode::plain().output_many(&["one", "two"], 100);
    /// assert_eq!(output[100..132], Mode::plain().hash(b"two"));
    /// ```
    pub fn output_many(&self, messages: &[impl AsRef<[u8]>], output_bytes: usize) -> Vec<u8> {
        let bytes = messages.len().checked_mul(output_bytes).expect("no memory has so much output");
        let mut output = vec![0; bytes];
        self.output_many_into(messages, output_bytes, &mut output);
        output
    }

    /// Writes `output_bytes` bytes for each message to `output`: those of message i begin at
    /// `i * output_bytes`.
    ///
    /// # Panics
    /// Panics if `output_bytes` is 0, or if `output` has not exactly as many bytes as all messages have
    /// output.
    pub fn output_many_into(&self, messages: &[impl AsRef<[u8]>], output_bytes: usize, output: &mut [u8]) {
        assert_ne!(output_bytes, 0, "output_bytes is 0: BLAKE3 has an output of at least one byte");
        let fits = messages.len().checked_mul(output_bytes) == Some(output.len());
        assert!(fits, "{} messages have outputs of {output_bytes} bytes, and there is room for {} bytes", messages.len(), output.len());
        root::output_many(self, &Slice(messages), output_bytes, output);
    }

    /// Returns a hasher for one message that arrives in pieces.
    pub fn hasher(&self) -> Hasher {
        Hasher::starting(self.clone())
    }
}

#[cfg(feature = "hmac")]
impl Drop for Mode {
    fn drop(&mut self) {
        crate::isa::Word::erase(&mut self.start.state);
    }
}

/// Shows the mode, and never a key.
impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.start.state[Node::FLAGS] & (KEYED_HASH | DERIVE_KEY_MATERIAL) {
            KEYED_HASH => "Mode::keyed",
            DERIVE_KEY_MATERIAL => "Mode::derive_key",
            _ => "Mode::plain",
        })
    }
}

/// Returns the words of a key.
fn key_words(key: &[u8; KEY_BYTES]) -> [u32; 8] {
    let (words, _) = key.as_chunks();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

/// Returns the digest of one message.
///
/// ```
/// let digest = manyhash::blake3::hash(b"abc");
/// assert_eq!(digest[..4], [0x64, 0x37, 0xb3, 0xac]);
/// ```
pub fn hash(message: &[u8]) -> [u8; DIGEST_BYTES] {
    crate::hash::<crate::Blake3>(message)
}

/// Returns the digest of each message, in the order of the messages: see [`Mode::hash_many`].
pub fn hash_many(messages: &[impl AsRef<[u8]>]) -> Vec<[u8; DIGEST_BYTES]> {
    crate::hash_many::<crate::Blake3>(messages)
}
