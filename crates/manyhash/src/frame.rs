//! The common part of a tree's messages: bytes before each of them, absorbed once, and bytes after
//! each.

use crate::algorithm::{ChainingOf, CompressionOf};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::hash::Hasher;
use crate::kernel::start::{Passes, Start, Starts};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::framed::{Around, absorbed_bytes};
use crate::schedule::messages::{Chunks, Messages, Slice};
use crate::schedule::mix::Mix;
use alloc::vec::Vec;

/// Bytes before and after each node of a tree, such as a salt or a domain tag.
///
/// Whole blocks of the prefix are compressed once, when the frame is made. Callers use
/// [`Batch`](crate::Batch) instead.
#[derive(Clone)]
pub(crate) struct Frame<A: Algorithm> {
    start: Start<CompressionOf<A>>,
    /// The bytes of the prefix that are not in the start: see [`absorbed_bytes`].
    head: Vec<u8>,
    suffix: Vec<u8>,
    /// The start of a second pass over digests, if there is one.
    outer: Option<Start<CompressionOf<A>>>,
}

impl<A: Algorithm> Frame<A> {
    /// Puts `prefix` before each message and `suffix` after it; either may be empty.
    pub(crate) fn new(prefix: &[u8], suffix: &[u8]) -> Self {
        let mut start = Start::of::<A>();
        let (blocks, head) = prefix.split_at(absorbed_bytes::<CompressionOf<A>>(prefix.len()));
        if !blocks.is_empty() {
            start = Hasher::<A>::absorbed(start, blocks);
        }
        Self { start, head: head.to_vec(), suffix: suffix.to_vec(), outer: None }
    }

    /// Puts nothing before and after messages, and hashes their digests once more.
    pub(crate) fn twice() -> Self {
        Self { outer: Some(Start::of::<A>()), ..Self::default() }
    }

    /// Puts nothing before and after messages, but starts them from another initial value.
    pub(crate) fn with_initial(state: ChainingOf<CompressionOf<A>>) -> Self {
        Self { start: Start { state, bytes: 0 }, head: Vec::new(), suffix: Vec::new(), outer: None }
    }

    /// Returns the digest of one message.
    pub(crate) fn hash(&self, message: &[u8]) -> A::Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.update(&self.suffix);
        let digest = hasher.finalize();
        let Some(outer) = self.outer else { return digest };
        let mut hasher = Hasher::<A>::starting(outer);
        hasher.update(digest.as_ref());
        hasher.finalize()
    }

    /// Returns the digest of each message, in the order of the messages.
    pub(crate) fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut digests = vec![A::ZERO; messages.len()];
        self.hash_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of `messages[i]` to `digests[i]`.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub(crate) fn hash_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
        self.hash_many_on(backend::mix::<A>(), &Slice(messages), digests);
    }

    /// Writes the digest of each chunk of `values` of `message_bytes` bytes; the last chunk may be
    /// shorter.
    pub(crate) fn hash_chunks(&self, values: &[u8], message_bytes: usize, digests: &mut [A::Digest]) {
        self.hash_many_on(backend::mix::<A>(), &Chunks { values, message_bytes }, digests);
    }

    /// Returns where messages start, if there is nothing else to know of them.
    pub(crate) fn only_start(&self) -> Option<&Start<CompressionOf<A>>> {
        (self.head.is_empty() && self.suffix.is_empty() && self.outer.is_none()).then_some(&self.start)
    }

    /// Returns a hasher that has absorbed the prefix.
    pub(crate) fn hasher(&self) -> Hasher<A> {
        let mut hasher = Hasher::starting(self.start);
        hasher.update(&self.head);
        hasher
    }

    /// Hashes messages in this frame on the kernels of `mix`.
    pub(crate) fn hash_many_on(&self, mix: &Mix<CompressionOf<A>>, messages: &dyn Messages, digests: &mut [A::Digest]) {
        let passes = Passes { inner: Starts::Same(&self.start), outer: self.outer.as_ref().map(Starts::Same) };
        let around = Around { passes, head: &self.head, suffix: &self.suffix };
        <CompressionOf<A>>::hash_framed(mix, around, messages, &mut Digests::of::<A>(digests));
    }
}

/// Puts nothing before messages and nothing after them.
impl<A: Algorithm> Default for Frame<A> {
    fn default() -> Self {
        Self::with_initial(A::INITIAL)
    }
}

/// Shows how much there is around messages, but not its bytes, which may be secret.
impl<A: Algorithm> std::fmt::Debug for Frame<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let prefix_bytes = self.start.bytes + self.head.len() as u64;
        let frame = &mut f.debug_struct("Frame");
        frame.field("algorithm", &A::NAME).field("prefix_bytes", &prefix_bytes).field("suffix_bytes", &self.suffix.len());
        frame.finish_non_exhaustive()
    }
}
