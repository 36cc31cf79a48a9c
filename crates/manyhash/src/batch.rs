//! A batch as a value: every option for hashing many messages at once, set once.

use crate::algorithm::CompressionOf;
#[cfg(feature = "hmac")]
use crate::algorithm::WordOf;
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend};
use crate::hash::Hasher;
#[cfg(feature = "hmac")]
#[cfg(feature = "std")]
use crate::hash::hash_on;
#[cfg(feature = "hmac")]
use crate::hmac::{Key, TagError};
#[cfg(feature = "hmac")]
use crate::isa::Word;
#[cfg(feature = "hmac")]
use crate::kernel::start::Starts;
use crate::kernel::start::{Passes, Start};
#[cfg(feature = "std")]
use crate::readers::Readers;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::framed::{Around, absorbed_bytes};
use crate::schedule::messages::{Contiguous, Messages, Offset, Part, Slice};
use crate::schedule::mix::Mix;
use crate::schedule::route::check_room;
use crate::threads;
use alloc::vec::Vec;
#[cfg(feature = "hmac")]
use std::borrow::Borrow;
use std::fmt;
use std::ops::Range;
#[cfg(feature = "std")]
use std::{
    cell::Cell,
    io::{self, Read},
    sync::{Mutex, PoisonError},
};

/// Options for hashing many messages: what each has before and after it, under which key, by which
/// backend, on how many threads.
///
/// The digest of message m is A(prefix || m || suffix), or, with a key, the HMAC of these bytes.
/// Whole blocks of the prefix are compressed once, when the batch is made. Messages start from that
/// midstate, where they are, and are not copied. A prefix of whole blocks costs a message nothing
/// more. Any other prefix, and a suffix, cost each message a block or two of its own.
///
/// ```
/// use manyhash::{Batch, Sha256, hash};
/// let salted = Batch::<Sha256>::new().prefix(b"salt").threads(2);
/// assert_eq!(salted.hash(&["one", "two"])[1], hash::<Sha256>(b"salttwo"));
/// ```
#[derive(Clone)]
pub struct Batch<A: Algorithm> {
    /// The start after the key's block and the whole blocks of the prefix.
    start: Start<CompressionOf<A>>,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    #[cfg(feature = "hmac")]
    keys: Keys<A>,
    backend: Option<Backend>,
    threads: usize,
}

/// The keys of a batch, which are secret.
#[cfg(feature = "hmac")]
#[derive(Clone)]
enum Keys<A: Algorithm> {
    None,
    One(Key<A>),
    Each(Vec<Key<A>>),
}

impl<A: Algorithm> Batch<A> {
    /// Creates a batch of plain digests of messages as they are, on one thread.
    pub fn new() -> Self {
        Self {
            start: Start::of::<A>(),
            prefix: Vec::new(),
            suffix: Vec::new(),
            #[cfg(feature = "hmac")]
            keys: Keys::None,
            backend: None,
            threads: 1,
        }
    }

    /// Puts these bytes before each message, such as a salt or a domain tag. They may be longer
    /// than the messages.
    #[must_use]
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.prefix = prefix.to_vec();
        self.prepare();
        self
    }

    /// Puts these bytes after each message.
    #[must_use]
    pub fn suffix(mut self, suffix: &[u8]) -> Self {
        self.suffix = suffix.to_vec();
        self
    }

    /// Makes HMAC tags under one secret key in place of digests.
    ///
    /// # Panics
    /// Panics if the batch has a key for each message already.
    #[cfg(feature = "hmac")]
    #[must_use]
    pub fn key(mut self, key: &Key<A>) -> Self {
        assert!(!matches!(self.keys, Keys::Each(_)), "key: the batch has a key for each message already");
        self.keys = Keys::One(key.clone());
        self.prepare();
        self
    }

    /// Makes HMAC tags in place of digests, that of message i under `keys[i]`.
    ///
    /// # Panics
    /// Panics if the batch has one key for all messages already.
    #[cfg(feature = "hmac")]
    #[must_use]
    pub fn keys(mut self, keys: &[impl Borrow<Key<A>>]) -> Self {
        assert!(!matches!(self.keys, Keys::One(_)), "keys: the batch has one key for all messages already");
        self.keys = Keys::Each(keys.iter().map(|key| key.borrow().clone()).collect());
        self.prepare();
        self
    }

    /// Computes every block on one backend; lanes without a message are idle.
    ///
    /// # Panics
    /// Panics if the backend has no kernel for `A`, or if this CPU lacks it: ask
    /// [`Backend::supports`] first.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        if let Err(error) = backend.mix::<A>() {
            panic!("backend: {error}");
        }
        self.backend = Some(backend);
        self
    }

    /// Uses up to `threads` threads, of which the caller's is one; 0 is one for each CPU. Each of
    /// them hashes messages of its own, so one message gains nothing. Small batches use fewer.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Returns the digest of each message, in the order of the messages.
    ///
    /// # Panics
    /// Panics if there is a key for each message, and not as many keys as messages.
    pub fn hash(&self, messages: &[impl AsRef<[u8]> + Sync]) -> Vec<A::Digest> {
        let mut digests = vec![A::ZERO; messages.len()];
        self.hash_into(messages, &mut digests);
        digests
    }

    /// Writes the digest of `messages[i]` to `digests[i]`.
    ///
    /// # Panics
    /// Panics if there are not as many digests as messages, and as [`hash`](Self::hash) does.
    pub fn hash_into(&self, messages: &[impl AsRef<[u8]> + Sync], digests: &mut [A::Digest]) {
        self.hash_messages(&Slice(messages), digests);
    }

    /// Returns the digest of each of `offsets.len() - 1` messages that lie in one buffer: message i
    /// is `values[offsets[i]..offsets[i + 1]]`.
    ///
    /// # Panics
    /// Panics if an offset is less than the one before or past the end of `values`, and as
    /// [`hash`](Self::hash) does.
    pub fn hash_contiguous(&self, values: &[u8], offsets: &[impl Offset]) -> Vec<A::Digest> {
        let mut digests = vec![A::ZERO; offsets.len().saturating_sub(1)];
        self.hash_contiguous_into(values, offsets, &mut digests);
        digests
    }

    /// Writes the digest of message i of those that lie in one buffer to `digests[i]`: see
    /// [`hash_contiguous`](Self::hash_contiguous).
    ///
    /// # Panics
    /// Panics if there are not as many digests as messages, and as
    /// [`hash_contiguous`](Self::hash_contiguous) does.
    pub fn hash_contiguous_into(&self, values: &[u8], offsets: &[impl Offset], digests: &mut [A::Digest]) {
        self.hash_messages(&Contiguous::new(values, offsets), digests);
    }

    /// Returns the digest of one message.
    ///
    /// # Panics
    /// Panics if the batch has a key for each message, and not exactly one.
    pub fn hash_one(&self, message: &[u8]) -> A::Digest {
        let mut digest = [A::ZERO];
        self.hash_messages(&Slice(&[message]), &mut digest);
        let [digest] = digest;
        digest
    }

    /// Checks for every message whether `tags[i]` is the tag of `messages[i]` under the batch's
    /// key, or under its key i. Tags must have as many bytes as
    /// [`Key::with_tag_bytes`](crate::hmac::Key::with_tag_bytes) says.
    ///
    /// # Panics
    /// Panics if there is a message and no key, if there are not as many tags as messages, or if
    /// each message has its own key and there are not as many keys as messages.
    ///
    /// ```
    /// use manyhash::{Batch, Sha256, hmac::Key};
    /// let key = Key::<Sha256>::new(b"secret");
    /// let found = Batch::new().key(&key).verify(&["one", "two"], &[key.tag(b"one"), [0; 32]]);
    /// assert!(found[0].is_ok() && found[1].is_err());
    /// ```
    #[cfg(feature = "hmac")]
    pub fn verify(&self, messages: &[impl AsRef<[u8]> + Sync], tags: &[impl AsRef<[u8]>]) -> Vec<Result<(), TagError>> {
        check_room(messages.len(), tags.len());
        let key = |i: usize| match &self.keys {
            Keys::None => panic!("verify: the batch has no key"),
            Keys::One(key) => key,
            Keys::Each(keys) => &keys[i],
        };
        let right = self.hash(messages);
        right.iter().zip(tags).enumerate().map(|(i, (right, tag))| key(i).compare(right, tag.as_ref())).collect()
    }

    /// Hashes every reader to its end, on each thread as [`Readers::hash`] does.
    ///
    /// An item of `readers` is a reader and the bytes that it is expected to give (0 if unknown):
    /// only the order of work depends on them. `finished` gets each reader back, in the order in
    /// which they end, with its digest or with the error that stopped it; the others go on.
    ///
    /// # Panics
    /// Panics if there is a key for each message, because readers have no index.
    #[cfg(feature = "std")]
    pub fn hash_readers<R: Read + Send, I: IntoIterator<Item = (R, u64), IntoIter: Send>>(
        &self,
        readers: I,
        finished: impl FnMut(R, io::Result<A::Digest>) + Send,
    ) {
        #[cfg(feature = "hmac")]
        assert!(!matches!(self.keys, Keys::Each(_)), "keys: readers have no index, and one key is wanted for all");
        let mix = self.mix();
        let head = self.head();
        let readers = readers.into_iter();
        let threads = threads::count(self.threads);
        // If there are few readers, each thread gets a share of them, and the first does not take
        // all.
        let most_open = match readers.size_hint().0 {
            0 => usize::MAX,
            readers => readers.div_ceil(threads),
        };
        let (readers, finished) = (Mutex::new(readers), Mutex::new(finished));
        let work = |()| {
            let open = Cell::new(0);
            let next = || readers.lock().unwrap_or_else(PoisonError::into_inner).next();
            let framed = std::iter::from_fn(|| {
                if open.get() == most_open {
                    return None;
                }
                let (reader, bytes) = next()?;
                open.set(open.get() + 1);
                let framed = FramedReader { before: head, reader, after: &self.suffix, is_read: false };
                Some((framed, bytes.saturating_add((head.len() + self.suffix.len()) as u64)))
            });
            Readers::<A>::starting(self.start).hash_on(mix, framed, |framed: FramedReader<'_, R>, result| {
                open.set(open.get() - 1);
                let result = result.map(|digest| self.outer_digest(mix, digest));
                (finished.lock().unwrap_or_else(PoisonError::into_inner))(framed.reader, result);
            });
        };
        threads::map(threads, vec![(); threads], work);
    }

    /// Computes the start again, after the key or the prefix has changed.
    fn prepare(&mut self) {
        self.start = Start::of::<A>();
        #[cfg(feature = "hmac")]
        if let Keys::One(key) = &self.keys {
            self.start = key.inner_start();
        }
        self.start = self.after_prefix(self.start);
    }

    /// Returns the start after the whole blocks of the prefix.
    fn after_prefix(&self, start: Start<CompressionOf<A>>) -> Start<CompressionOf<A>> {
        let blocks = &self.prefix[..self.prefix.len() - self.head().len()];
        if blocks.is_empty() { start } else { Hasher::<A>::absorbed(start, blocks) }
    }

    /// Returns the bytes of the prefix that are not in the start: see [`absorbed_bytes`].
    fn head(&self) -> &[u8] {
        &self.prefix[absorbed_bytes::<CompressionOf<A>>(self.prefix.len())..]
    }

    fn mix(&self) -> &'static Mix<CompressionOf<A>> {
        self.backend.map_or_else(backend::mix::<A>, |backend| backend.mix::<A>().expect("asked when it was set"))
    }

    fn hash_messages(&self, messages: &(dyn Messages + Sync), digests: &mut [A::Digest]) {
        check_room(messages.count(), digests.len());
        #[cfg(feature = "hmac")]
        if let Keys::Each(keys) = &self.keys {
            assert_eq!(keys.len(), messages.count(), "{} keys for {} messages", keys.len(), messages.count());
        }
        let mix = self.mix();
        let threads = threads::count(self.threads);
        let ranges = if threads > 1 { parts(messages, threads) } else { Vec::new() };
        if ranges.len() <= 1 {
            return self.hash_part(mix, messages, 0..digests.len(), digests);
        }
        let mut rest = digests;
        let parts = ranges.into_iter().map(|range| {
            let digests;
            (digests, rest) = std::mem::take(&mut rest).split_at_mut(range.len());
            (range, digests)
        });
        threads::map(threads, parts.collect(), |(range, digests): (Range<usize>, &mut [A::Digest])| {
            self.hash_part(mix, messages, range, digests);
        });
    }

    /// Hashes the messages of a range.
    fn hash_part(&self, mix: &Mix<CompressionOf<A>>, messages: &dyn Messages, range: Range<usize>, digests: &mut [A::Digest]) {
        let first = range.start;
        let all = range.len() == messages.count();
        let part = Part { messages, range };
        let messages: &dyn Messages = if all { messages } else { &part };
        let digests = &mut Digests::of::<A>(digests);
        let hash = |passes: Passes<'_, CompressionOf<A>>, digests: &mut Digests<'_>| {
            let around = Around { passes, head: self.head(), suffix: &self.suffix };
            <CompressionOf<A>>::hash_framed(mix, around, messages, digests);
        };
        #[cfg(not(feature = "hmac"))]
        let _ = first;
        #[cfg(feature = "hmac")]
        match &self.keys {
            Keys::None => {}
            Keys::One(key) => {
                let outer = key.outer_start();
                return hash(Passes { inner: Starts::Same(&self.start), outer: Some(Starts::Same(&outer)) }, digests);
            }
            Keys::Each(keys) => {
                let keys = &keys[first..];
                let bytes = self.after_prefix_bytes();
                let mut starts: Vec<_> = keys.iter().take(messages.count()).map(|key| self.after_prefix(key.inner_start()).state).collect();
                let (inner, outer) = (|i: usize| &starts[i], |i: usize| &keys[i].midstates().outer);
                let outer = Starts::Each { state: &outer, bytes: A::BLOCK_BYTES as u64 };
                hash(Passes { inner: Starts::Each { state: &inner, bytes }, outer: Some(outer) }, digests);
                return starts.iter_mut().for_each(|start| WordOf::<CompressionOf<A>>::erase(start.as_mut()));
            }
        }
        hash((&self.start).into(), digests);
    }

    /// Bytes of a key's block and of the whole blocks of the prefix.
    #[cfg(feature = "hmac")]
    fn after_prefix_bytes(&self) -> u64 {
        (A::BLOCK_BYTES + self.prefix.len() - self.head().len()) as u64
    }

    #[cfg(all(feature = "std", not(feature = "hmac")))]
    fn outer_digest(&self, _: &Mix<CompressionOf<A>>, digest: A::Digest) -> A::Digest {
        digest
    }

    /// Returns the tag that follows from an inner digest; without a key, the digest.
    #[cfg(all(feature = "std", feature = "hmac"))]
    fn outer_digest(&self, mix: &Mix<CompressionOf<A>>, digest: A::Digest) -> A::Digest {
        match &self.keys {
            Keys::One(key) => hash_on::<A>(mix, (&key.midstates().outer, A::BLOCK_BYTES as u64), None, digest.as_ref()),
            _ => digest,
        }
    }
}

/// The cost of a message besides its bytes, in bytes.
const MESSAGE_BYTES: usize = 64;
/// A thread takes longer to start than to hash fewer bytes than this.
const LEAST_PART_BYTES: usize = 64 << 10;
/// A part of this many bytes has messages for enough lanes to be hashed as fast as all of them.
const LARGE_PART_BYTES: usize = 4 << 20;

/// Cuts messages into parts that cost about the same: a few for each thread, so that none waits
/// long for the last, but no more than leave them large.
fn parts(messages: &dyn Messages, threads: usize) -> Vec<Range<usize>> {
    let cost = |i: usize| messages.message(i).len().saturating_add(MESSAGE_BYTES);
    let total = (0..messages.count()).fold(0, |sum: usize, i| sum.saturating_add(cost(i)));
    let share = (total / threads / 4).max(LARGE_PART_BYTES).min(total / threads).max(LEAST_PART_BYTES);
    let mut parts = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for i in 0..messages.count() {
        bytes += cost(i);
        if bytes > share || i + 1 == messages.count() {
            parts.push(first..i + 1);
            (first, bytes) = (i + 1, 0);
        }
    }
    parts
}

/// A reader with bytes before and after what it gives.
#[cfg(feature = "std")]
struct FramedReader<'a, R> {
    before: &'a [u8],
    reader: R,
    after: &'a [u8],
    /// True once the reader has ended.
    is_read: bool,
}

#[cfg(feature = "std")]
impl<R: Read> Read for FramedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.before.is_empty() {
            return self.before.read(buffer);
        }
        if !self.is_read {
            let bytes = self.reader.read(buffer)?;
            if bytes > 0 || buffer.is_empty() {
                return Ok(bytes);
            }
            self.is_read = true;
        }
        self.after.read(buffer)
    }
}

/// Erases the start, which follows from the key.
#[cfg(feature = "hmac")]
impl<A: Algorithm> Drop for Batch<A> {
    fn drop(&mut self) {
        WordOf::<CompressionOf<A>>::erase(self.start.state.as_mut());
    }
}

impl<A: Algorithm> Default for Batch<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows how much there is around messages, but not its bytes, which may be secret.
impl<A: Algorithm> fmt::Debug for Batch<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batch = &mut f.debug_struct("Batch");
        batch.field("algorithm", &A::NAME).field("prefix_bytes", &self.prefix.len()).field("suffix_bytes", &self.suffix.len());
        batch.field("backend", &self.backend).field("threads", &self.threads).finish_non_exhaustive()
    }
}
