//! What the messages of a batch have in common: bytes before each of them, absorbed once, and bytes after each.

use crate::algorithm::{Algorithm, ChainingOf, CompressionOf, digest};
use crate::many::{self, Chunks, Messages, Queue, Slice};
use crate::padding::{block_count, padded};
use crate::scheduler::{self, Progress, Supply, Waiting};
use crate::shape::{Plan, Usage};
use crate::start::Start;
use crate::stream::Hasher;

/// Bytes that each message of a batch has before it and after it: a salt, a domain tag, a key block.
///
/// The digest of message m is A(prefix || m || suffix). Whole blocks of the prefix are compressed once, when the frame is made; messages
/// start from that midstate, where they are, and are not copied. A prefix of whole blocks costs a message nothing more; of any other
/// prefix, and of a suffix, each message has a block or two of its own.
///
/// ```
/// use manyhash::{Frame, Sha256, hash};
/// let salted = Frame::<Sha256>::new(b"salt", b"");
/// assert_eq!(salted.hash_many(&["one", "two"])[1], hash::<Sha256>(b"salttwo"));
/// ```
#[derive(Clone)]
pub struct Frame<A: Algorithm> {
    start: Start<CompressionOf<A>>,
    /// What the prefix has after its whole blocks: less than a block.
    head: Vec<u8>,
    suffix: Vec<u8>,
}

impl<A: Algorithm> Frame<A> {
    /// `prefix` before each message, `suffix` after it; either may be empty.
    ///
    /// # Panics
    /// If `MANYHASH_BACKEND` names a backend that can't be used: see [`backend`](crate::backend).
    pub fn new(prefix: &[u8], suffix: &[u8]) -> Self {
        let mut start = Start::of::<A>();
        let (blocks, head) = prefix.split_at(prefix.len() - prefix.len() % A::BLOCK_BYTES);
        if !blocks.is_empty() {
            start = Hasher::<A>::absorbed(start, blocks);
        }
        Self { start, head: head.to_vec(), suffix: suffix.to_vec() }
    }

    /// Nothing before messages and nothing after, but another initial value.
    pub(crate) fn with_initial(state: ChainingOf<CompressionOf<A>>) -> Self {
        Self { start: Start { state, bytes: 0 }, head: Vec::new(), suffix: Vec::new() }
    }

    /// The digest of one message.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn hash(&self, message: &[u8]) -> A::Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.update(&self.suffix);
        hasher.finalize()
    }

    /// The digest of each message, in the order of the messages.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut digests = vec![A::zero_digest(); messages.len()];
        self.hash_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of `messages[i]` to `digests[i]`.
    ///
    /// # Panics
    /// If the lengths differ, and as [`new`](Self::new).
    pub fn hash_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
        A::hash_framed(self, &Slice(messages), digests);
    }

    /// The digest of each chunk of `values` of `message_bytes` bytes; the last may be shorter.
    pub(crate) fn hash_chunks(&self, values: &[u8], message_bytes: usize, digests: &mut [A::Digest]) {
        A::hash_framed(self, &Chunks { values, message_bytes }, digests);
    }

    /// Where messages start, if that is all there is to the frame.
    pub(crate) fn only_start(&self) -> Option<&Start<CompressionOf<A>>> {
        (self.head.is_empty() && self.suffix.is_empty()).then_some(&self.start)
    }

    /// After the prefix.
    fn hasher(&self) -> Hasher<A> {
        let mut hasher = Hasher::starting(self.start);
        hasher.update(&self.head);
        hasher
    }

    pub(crate) fn hash_many_on(&self, plan: &Plan<CompressionOf<A>>, messages: &dyn Messages, digests: &mut [A::Digest]) {
        if let Some(start) = self.only_start() {
            many::hash_many_on::<A, _>(plan, start.into(), &messages, digests, None);
            return;
        }
        many::check_room(messages.count(), digests.len());
        if messages.count() > 0 {
            let blocks = |i: usize| block_count::<CompressionOf<A>>(self.framed_bytes(messages.message(i)));
            let queue = Queue::longest_first(messages.count(), blocks);
            let batch = &mut Batch { frame: self, messages, digests, queue };
            scheduler::run(plan, batch, &mut Usage::default());
        }
    }

    /// Bytes of a message with those around it, from the midstate on.
    fn framed_bytes(&self, message: &[u8]) -> u64 {
        (self.head.len() + message.len() + self.suffix.len()) as u64
    }
}

/// Nothing before messages and nothing after them.
impl<A: Algorithm> Default for Frame<A> {
    fn default() -> Self {
        Self::with_initial(A::INITIAL)
    }
}

/// Shows how much there is around messages, not what: it may be a secret.
impl<A: Algorithm> std::fmt::Debug for Frame<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let prefix_bytes = self.start.bytes + self.head.len() as u64;
        let frame = &mut f.debug_struct("Frame");
        frame.field("algorithm", &A::NAME).field("prefix_bytes", &prefix_bytes).field("suffix_bytes", &self.suffix.len());
        frame.finish_non_exhaustive()
    }
}

struct Batch<'a, A: Algorithm> {
    frame: &'a Frame<A>,
    messages: &'a dyn Messages,
    digests: &'a mut [A::Digest],
    queue: Queue,
}

/// A message in three segments: the block it shares with the prefix, its whole blocks where they are, and its end.
struct Segments<'a> {
    message: usize,
    head: Vec<u8>,
    body: &'a [u8],
    end: Vec<u8>,
    end_done_bytes: usize,
    blocks_left: u64,
}

impl<'a, A: Algorithm> Supply<CompressionOf<A>> for Batch<'a, A> {
    type Slot = Segments<'a>;

    fn slot(&mut self) -> Segments<'a> {
        Segments { message: 0, head: Vec::new(), body: &[], end: Vec::new(), end_done_bytes: 0, blocks_left: 0 }
    }

    fn refill(&mut self, slot: &mut Segments<'a>) -> bool {
        let Some(next) = self.queue.peek(0) else { return false };
        let Frame { start, head, suffix } = self.frame;
        let message = self.messages.message(next);
        let framed_bytes = self.frame.framed_bytes(message);
        (slot.message, slot.end_done_bytes, slot.blocks_left) = (next, 0, block_count::<CompressionOf<A>>(framed_bytes));
        slot.head.clear();
        slot.end.clear();
        let mut rest = message;
        if !head.is_empty() {
            match message.split_at_checked(A::BLOCK_BYTES - head.len()) {
                Some((completing, later)) => {
                    slot.head.extend_from_slice(head);
                    slot.head.extend_from_slice(completing);
                    rest = later;
                }
                // It ends in the first block.
                None => slot.end.extend_from_slice(head),
            }
        }
        (slot.body, rest) = rest.split_at(rest.len() - rest.len() % A::BLOCK_BYTES);
        slot.end.extend_from_slice(rest);
        slot.end.extend_from_slice(suffix);
        padded::<CompressionOf<A>>(&mut slot.end, start.bytes + framed_bytes);
        self.queue.take(slot.blocks_left);
        true
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(self.queue.waiting())
    }

    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        let next = self.queue.peek(skip)?;
        Some(block_count::<CompressionOf<A>>(self.frame.framed_bytes(self.messages.message(next))))
    }

    fn longest_blocks(&self) -> u64 {
        self.queue.longest_blocks()
    }

    fn initial(&self, _: &Segments<'a>) -> ChainingOf<CompressionOf<A>> {
        self.frame.start.state
    }

    fn ready<'b>(&'b self, slot: &'b Segments<'a>) -> &'b [u8] {
        if !slot.head.is_empty() {
            &slot.head
        } else if !slot.body.is_empty() {
            slot.body
        } else {
            &slot.end[slot.end_done_bytes..]
        }
    }

    fn blocks_left(&self, slot: &Segments<'a>) -> u64 {
        slot.blocks_left
    }

    fn consume(&mut self, slot: &mut Segments<'a>, bytes: usize) -> Progress {
        slot.blocks_left -= (bytes / A::BLOCK_BYTES) as u64;
        if !slot.head.is_empty() {
            slot.head.clear();
        } else if !slot.body.is_empty() {
            slot.body = &slot.body[bytes..];
        } else {
            slot.end_done_bytes += bytes;
        }
        if slot.blocks_left == 0 { Progress::Ended } else { Progress::More }
    }

    fn finish(&mut self, slot: &mut Segments<'a>, state: &ChainingOf<CompressionOf<A>>) {
        self.digests[slot.message] = digest::<A>(state);
    }
}
