//! Many messages that have to be read: each lane has a reader and a buffer. Those that may be trees are
//! in `trees.rs`.

mod trees;

use crate::algorithm::ending::{End, Ending, EndingOf, Tail, block_count, whole_bytes};
use crate::algorithm::{ChainingOf, CompressionOf, SelfTested, digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::isa::Ahead;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::mix::{Mix, Usage};
use crate::schedule::{Advanced, Ended, Extent, Lanes, Memory, Pieces, Supply, Waiting, ended_of};
use std::convert::Infallible;
use std::fmt;
use std::io::{self, Read};

/// The bytes of a lane's buffer by default. The paper's folder DIVERSE from the page cache, 32
/// lanes: 8 KiB 3.09 GB/s, 16 to 64 KiB 3.15 to 3.22, 128 KiB 2.85, 256 KiB 2.96. Larger reads cost
/// less, but push each other out of the cache before they are hashed.
const LANE_BYTES: usize = 64 * 1024;
/// The beginnings of the lanes' buffers differ by up to this many bytes modulo 4096, so that they
/// don't share a set of the cache.
const MOST_STAGGER_BYTES: usize = 2048;
/// The fewest bytes that a lane's buffer may have.
const LEAST_LANE_BYTES: usize = 4096;
/// The most bytes that a lane's buffer may have.
const MOST_LANE_BYTES: usize = 16 << 20;

/// The error of a reader that says it gave more than it was asked for.
const READ_TOO_MUCH: &str = "the reader says it gave more than it was asked for";
/// The error of a reader that lent too little.
const LENT_TOO_LITTLE: &str = "the reader lent less than it was asked for";

/// A reader that can also show some of its bytes where they lie, so that nobody copies them: those
/// of a file that is mapped into memory, for example.
pub trait Lend: Read {
    /// Bytes of the message. What `as_ref` returns must have the same length every time.
    type Lent: AsRef<[u8]>;

    /// Shows the next bytes of the message, or returns `None` if they have to be read. Bytes that
    /// were shown count as given: `read` goes on behind them.
    ///
    /// What is shown begins with the last `again_bytes` bytes that were given before, because an
    /// algorithm takes whole blocks. At least 200 bytes must follow them, more than any block.
    ///
    /// # Errors
    /// Returns why the message cannot be hashed: that ends it, as an error of `read` does.
    fn lend(&mut self, again_bytes: usize) -> io::Result<Option<Self::Lent>>;

    /// Hands out the next bytes of the message, at least one, for several threads to read at once, or returns `None` if
    /// they have to be read in turn. Bytes that were handed out count as given. Only long messages whose chunks are shared
    /// among [threads](Readers::threads) are asked for this.
    ///
    /// # Errors
    /// Returns why the message cannot be hashed: that ends it, as an error of `read` does.
    fn share(&mut self) -> io::Result<Option<Box<dyn ReadAt + '_>>> {
        Ok(None)
    }
}

/// Bytes that several threads read at once, each where it wants.
pub trait ReadAt: Sync {
    /// Returns how many bytes there are: always the same.
    fn bytes(&self) -> u64;

    /// Fills `buffer` with the bytes from `position` on. No more than there are are asked for.
    ///
    /// # Errors
    /// Returns why they cannot be read: that ends the message.
    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// A reader that lends nothing.
struct Copied<R>(R);

impl<R: Read> Read for Copied<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read> Lend for Copied<R> {
    type Lent = Nothing;

    fn lend(&mut self, _: usize) -> io::Result<Option<Nothing>> {
        Ok(None)
    }
}

/// What is never lent.
struct Nothing(Infallible);

impl AsRef<[u8]> for Nothing {
    fn as_ref(&self) -> &[u8] {
        match self.0 {}
    }
}

/// Hashes many readers at once, in one thread and bounded memory.
///
/// ```
/// use manyhash::{Readers, Sha256, hash};
/// let texts = ["one", "two", "three"];
/// let mut digests = Vec::new();
/// let readers = texts.iter().map(|text| (text.as_bytes(), text.len() as u64));
/// Readers::<Sha256>::new().hash(readers, |_, digest| digests.push(digest.unwrap()));
/// assert!(digests.contains(&hash::<Sha256>(b"two")));
/// ```
#[derive(Clone)]
pub struct Readers<A: Algorithm> {
    /// The bytes of the buffers of all lanes together, if they were chosen.
    buffer_bytes: Option<usize>,
    /// How many threads share the chunks of a long message, if it has any.
    threads: usize,
    start: Start<CompressionOf<A>>,
}

impl<A: Algorithm> Readers<A> {
    /// Creates readers with buffers of 64 KiB a lane: 2 MiB for 32 lanes.
    pub fn new() -> Self {
        Self::starting(Start::of::<A>())
    }

    /// Creates readers whose messages start from another initial value.
    pub(crate) fn with_initial(initial: ChainingOf<CompressionOf<A>>) -> Self {
        Self::starting(Start { state: initial, bytes: 0 })
    }

    /// Creates readers whose messages start from `start`.
    pub(crate) fn starting(start: Start<CompressionOf<A>>) -> Self {
        Self { buffer_bytes: None, threads: 1, start }
    }

    /// Creates readers with `bytes` bytes for all lanes' buffers together, but no less than 4 KiB
    /// and no more than 16 MiB a lane. Beside the buffers, a lane takes about 2 KiB.
    pub fn with_buffer_bytes(bytes: usize) -> Self {
        Self::new().buffering(bytes)
    }

    /// Uses `bytes` bytes for all lanes' buffers together, as
    /// [`with_buffer_bytes`](Self::with_buffer_bytes) does.
    #[must_use]
    pub fn buffering(self, bytes: usize) -> Self {
        Self { buffer_bytes: Some(bytes), ..self }
    }

    /// Shares the chunks of a long message that is lent, or handed out by [`Lend::share`], among up to `threads` threads,
    /// of which the caller's is one; 0 is one for each CPU. Without chunks, as of all algorithms but BLAKE3, a message is hashed
    /// on one thread.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Hashes every reader to its end.
    ///
    /// `readers` is asked for the next one only when a lane is free, so that no more are open than
    /// there are lanes. It may return `None` and have one later: it is asked again whenever a
    /// reader has given what a run of the lanes needs, as long as a lane is free beside others that
    /// are being hashed, and once more after each reader that ended. With one lane, as on a CPU
    /// without vectors or with a backend of one lane, no lane is free beside another, so it is
    /// asked only after a reader that ended.
    ///
    /// An item is a reader and the bytes that it is expected to give (0 if unknown): only the order
    /// of work depends on them. `finished` gets each reader back, in the order in which they end,
    /// with the digest of all it gave or with the error that stopped it; the others go on.
    pub fn hash<R: Read>(&mut self, readers: impl IntoIterator<Item = (R, u64)>, finished: impl FnMut(R, io::Result<A::Digest>)) {
        self.hash_on(backend::mix::<A>(), readers, finished);
    }

    /// Hashes every reader to its end, as [`hash`](Self::hash) does. What a reader lends is hashed
    /// where it lies, and only the rest of it is copied into buffers.
    pub fn hash_lent<R: Lend>(&mut self, readers: impl IntoIterator<Item = (R, u64)>, finished: impl FnMut(R, io::Result<A::Digest>)) {
        self.hash_lent_on(backend::mix::<A>(), readers, finished);
    }

    /// Hashes every reader to its end, on the kernels of `mix`.
    pub(crate) fn hash_on<R: Read>(
        &self,
        mix: &Mix<CompressionOf<A>>,
        readers: impl IntoIterator<Item = (R, u64)>,
        mut finished: impl FnMut(R, io::Result<A::Digest>),
    ) {
        let readers = readers.into_iter().map(|(reader, expected_bytes)| (Copied(reader), expected_bytes));
        self.hash_lent_on(mix, readers, |Copied(reader), result| finished(reader, result));
    }

    fn hash_lent_on<R: Lend>(
        &self,
        mix: &Mix<CompressionOf<A>>,
        readers: impl IntoIterator<Item = (R, u64)>,
        finished: impl FnMut(R, io::Result<A::Digest>),
    ) {
        let lane_bytes =
            self.buffer_bytes.map_or(LANE_BYTES, |bytes| (bytes / mix.widest_kernel().lanes).clamp(LEAST_LANE_BYTES, MOST_LANE_BYTES));
        if <CompressionOf<A>>::HAS_CHUNKS {
            let most_open = mix.widest_kernel().lanes;
            let room = trees::Room { most_open, bytes: lane_bytes * most_open, threads: crate::threads::count(self.threads) };
            return trees::hash::<A, R>(mix, &self.start, room, readers.into_iter(), finished);
        }
        let supply = &mut Open::<A, R, _, _> {
            readers: readers.into_iter(),
            finished,
            none_now: false,
            slots: Vec::new(),
            lane_bytes: lane_bytes - lane_bytes % A::BLOCK_BYTES,
            start: self.start,
        };
        <CompressionOf<A>>::run(&mut Memory::default(), mix, Extent::All, supply, &mut Usage::default());
    }
}

/// Shows how much memory the readers take.
impl<A: Algorithm> fmt::Debug for Readers<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("algorithm", &A::NAME).field("buffer_bytes", &self.buffer_bytes).finish_non_exhaustive()
    }
}

impl<A: Algorithm> Default for Readers<A> {
    fn default() -> Self {
        Self::new()
    }
}

struct Open<A: Algorithm, R: Lend, I, F> {
    readers: I,
    finished: F,
    /// True if `readers` had none when it was last asked.
    none_now: bool,
    slots: Vec<Reading<A, R>>,
    lane_bytes: usize,
    start: Start<CompressionOf<A>>,
}

/// A reader and the bytes that have been read of it.
struct Reading<A: Algorithm, R: Lend> {
    reader: Option<R>,
    /// What the reader lent last, unless something was read since.
    lent: Option<R::Lent>,
    error: Option<io::Error>,
    expected_blocks: u64,
    memory: Vec<u8>,
    /// The index in `memory` where the buffer begins: 64-byte aligned, and at another cache set in
    /// each lane.
    start: usize,
    /// The whole blocks that are not compressed yet: in what is lent, or else in `memory`.
    ready: std::ops::Range<usize>,
    /// The bytes behind these blocks that wait for more: less than a block, or a block that may be
    /// the last.
    held_bytes: usize,
    message_bytes: u64,
    /// The end of the message, once the reader has ended. Its blocks come after those of the
    /// buffer.
    tail: Option<Tail<CompressionOf<A>>>,
    /// The byte that follows every message.
    first: u8,
    tail_done_bytes: usize,
}

impl<A: Algorithm, R: Lend> Reading<A, R> {
    #[inline]
    fn ready(&self) -> &[u8] {
        match (&self.tail, &self.lent) {
            (Some(tail), _) if self.ready.is_empty() => &tail.blocks()[self.tail_done_bytes..],
            (_, Some(lent)) => &lent.as_ref()[self.ready.clone()],
            (_, None) => &self.memory[self.ready.clone()],
        }
    }
}

/// The result of reading.
#[derive(PartialEq, Eq)]
enum Filled {
    /// There are blocks to compress.
    More,
    /// The reader failed.
    Ended,
}

impl<A: Algorithm, R: Lend> Reading<A, R> {
    /// Borrows blocks to compress, or reads until there are some, the buffer full of them if the
    /// reader has so much.
    fn fill(&mut self, lane_bytes: usize) -> Filled {
        let Some(reader) = &mut self.reader else { return Filled::Ended };
        match reader.lend(self.held_bytes) {
            Ok(None) => {}
            Ok(Some(lent)) => return self.take(lent),
            Err(error) => {
                self.error = Some(error);
                return Filled::Ended;
            }
        }
        let buffer = &mut self.memory[self.start..self.start + lane_bytes];
        let held = self.ready.end..self.ready.end + self.held_bytes;
        match self.lent.take() {
            Some(lent) => buffer[..self.held_bytes].copy_from_slice(&lent.as_ref()[held]),
            None => buffer.copy_within(held.start - self.start..held.end - self.start, 0),
        }
        let mut filled = self.held_bytes;
        let at_end = loop {
            match reader.read(&mut buffer[filled..]) {
                Ok(0) => break true,
                Ok(bytes) if bytes > lane_bytes - filled => {
                    self.error = Some(io::Error::other(READ_TOO_MUCH));
                    return Filled::Ended;
                }
                Ok(bytes) => filled += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return Filled::Ended;
                }
            }
            if filled == lane_bytes {
                break false;
            }
        };
        self.message_bytes += (filled - self.held_bytes) as u64;
        let whole = whole_bytes::<CompressionOf<A>>(filled);
        self.held_bytes = filled - whole;
        if at_end {
            self.tail.insert(Tail::empty()).set(&buffer[whole..filled], self.message_bytes, self.first);
        }
        self.ready = self.start..self.start + whole;
        Filled::More
    }

    /// Goes on with what the reader lent.
    fn take(&mut self, lent: R::Lent) -> Filled {
        let bytes = lent.as_ref().len();
        let whole = whole_bytes::<CompressionOf<A>>(bytes);
        if whole == 0 || bytes < self.held_bytes {
            self.error = Some(io::Error::other(LENT_TOO_LITTLE));
            return Filled::Ended;
        }
        self.message_bytes += (bytes - self.held_bytes) as u64;
        self.held_bytes = bytes - whole;
        self.ready = 0..whole;
        self.lent = Some(lent);
        Filled::More
    }
}

impl<A: Algorithm, R: Lend, I: Iterator<Item = (R, u64)>, F: FnMut(R, io::Result<A::Digest>)> Supply<CompressionOf<A>>
    for Open<A, R, I, F>
{
    fn add_slot(&mut self) -> usize {
        let memory = vec![0; self.lane_bytes + 64 + MOST_STAGGER_BYTES];
        let stagger = 64 * self.slots.len() % MOST_STAGGER_BYTES;
        self.slots.push(Reading {
            reader: None,
            lent: None,
            error: None,
            expected_blocks: 0,
            start: memory.as_ptr().align_offset(64).min(64) + stagger,
            memory,
            ready: 0..0,
            held_bytes: 0,
            message_bytes: 0,
            tail: None,
            first: EndingOf::<A>::first(&self.start.state),
            tail_done_bytes: 0,
        });
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        loop {
            let next = self.readers.next();
            self.none_now = next.is_none();
            let Some((reader, expected_bytes)) = next else { return false };
            let reading = &mut self.slots[slot];
            reading.reader = Some(reader);
            reading.expected_blocks = block_count::<CompressionOf<A>>(expected_bytes);
            (reading.message_bytes, reading.tail, reading.tail_done_bytes) = (self.start.bytes, None, 0);
            (reading.ready, reading.held_bytes, reading.lent) = (reading.start..reading.start, 0, None);
            if reading.fill(self.lane_bytes) == Filled::More {
                return true;
            }
            let state = self.start.state;
            self.finish(slot, &state);
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        self.none_now.then(Waiting::default)
    }

    fn waiting_blocks(&self, _: usize) -> Option<u64> {
        None
    }

    fn longest_blocks(&self) -> u64 {
        u64::MAX
    }

    fn initial(&self, _: usize) -> ChainingOf<CompressionOf<A>> {
        self.start.state
    }

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, CompressionOf<A>>, most_blocks: u64) -> Advanced {
        self.advance_by_piece(lanes, most_blocks)
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        let slot = &self.slots[slot];
        let done = (slot.message_bytes - self.start.bytes - slot.ready.len() as u64) / A::BLOCK_BYTES as u64;
        slot.expected_blocks.saturating_sub(done).max(1)
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<CompressionOf<A>>) {
        let slot = &mut self.slots[slot];
        let reader = slot.reader.take().expect("a message on its way has a reader");
        slot.lent = None;
        let result = slot.error.take().map_or_else(|| Ok(digest::<A>(state)), Err);
        (self.finished)(reader, result);
    }
}

impl<A: Algorithm, R: Lend, I: Iterator<Item = (R, u64)>, F: FnMut(R, io::Result<A::Digest>)> Pieces<CompressionOf<A>>
    for Open<A, R, I, F>
{
    fn add_ready<'a>(&'a self, slots: &[usize], ahead: &mut Ahead<'a>) {
        slots.iter().for_each(|slot| ahead.add_lane(self.slots[*slot].ready()));
    }

    fn at_end(&self, slot: usize) -> Option<End> {
        let slot = &self.slots[slot];
        slot.tail.as_ref().filter(|_| slot.ready.is_empty() && slot.tail_done_bytes == 0).map(Tail::end)
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        ended_of(slots, |slot| {
            let slot = &mut self.slots[slot];
            if !slot.ready.is_empty() {
                slot.ready.start += bytes;
                return slot.tail.is_none() && slot.ready.is_empty() && slot.fill(self.lane_bytes) == Filled::Ended;
            }
            slot.tail_done_bytes += bytes;
            slot.tail_done_bytes == slot.tail.as_ref().map_or(0, |tail| tail.blocks().len())
        })
    }
}
