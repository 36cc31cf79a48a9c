//! Digests of the leaves of a Merkle tree, by several workers, in order.
//!
//! ```text
//! file ───> workers: read a piece of whole leaves into their buffer, hash its leaves in lanes ──> turns ──> take: digests in order
//! stream ─> the same, but one reads at a time
//! ```
//!
//! Who reads a piece hashes it, so that it is still in that core's cache. Memory is bounded whatever the size of the data.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use manyhash::Algorithm;
use manyhash::tree::Merkle;

use crate::error::changed;
use crate::order::{InOrder, Turns};
use crate::read::{positioned, retrying};
use crate::threads;
use crate::totals::Reading;

/// What a worker reads at once. It fits the second-level caches.
const PIECE_BYTES: usize = 1 << 20;
/// Leaves that fill the lanes, where they are larger than that.
const PIECE_LEAVES: usize = 32;
/// Buffers of all workers together.
const BUFFERS_BYTES: usize = 32 << 20;
/// Pieces whose digests may wait for those before them.
const MAX_WAITING: usize = 64;

/// Where leaves are: in a file, or a part of it.
#[derive(Debug)]
pub struct Source<'a> {
    file: &'a File,
    bytes: Range<u64>,
    /// Whether the file ends there, or should.
    is_whole: bool,
}

impl<'a> Source<'a> {
    /// All of a file or a block device, as large as it is now.
    pub fn whole(file: &'a File) -> io::Result<Self> {
        Ok(Self { file, bytes: 0..positioned::len(file)?, is_whole: true })
    }

    /// These bytes of it.
    pub fn part(file: &'a File, bytes: Range<u64>) -> Self {
        Self { file, bytes, is_whole: false }
    }

    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.end.saturating_sub(self.bytes.start)
    }
}

/// Hashes the leaves of a file. `take` gets their digests in order, any number at once; it is called by one thread at a time.
///
/// # Errors
/// What `take` returned, or the error of the first read that failed; then `take` has got the digests before it and no others. A file
/// that ends early, or goes on where it should end, was changed meanwhile.
pub fn hash<A: Algorithm, E: From<io::Error> + Send>(
    source: &Source<'_>,
    merkle: &Merkle<A>,
    workers: usize,
    reading: &Reading,
    take: impl FnMut(&[A::Digest]) -> Result<(), E> + Send,
) -> Result<(), E> {
    let size = piece_size(merkle.leaf_bytes(), workers, source.bytes());
    let pieces = FilePieces { source, piece_bytes: size.bytes as u64, next: AtomicU64::new(0) };
    run(&pieces, &size, merkle, reading, take)?;
    let is_longer = source.is_whole && positioned::read_at(source.file, &mut [0], source.bytes.end)? > 0;
    if is_longer { Err(changed().into()) } else { Ok(()) }
}

/// Hashes the leaves of a stream, as [`hash`]. How many bytes there were, [`Reading`] knows.
pub fn hash_stream<A: Algorithm, E: From<io::Error> + Send>(
    stream: impl Read + Send,
    merkle: &Merkle<A>,
    workers: usize,
    reading: &Reading,
    take: impl FnMut(&[A::Digest]) -> Result<(), E> + Send,
) -> Result<(), E> {
    let size = piece_size(merkle.leaf_bytes(), workers, u64::MAX);
    let pieces = StreamPieces(Mutex::new(Stream { stream, next: 0, has_ended: false }));
    run(&pieces, &size, merkle, reading, take)
}

/// How data is divided.
struct PieceSize {
    bytes: usize,
    workers: usize,
}

/// Whole leaves, as many as the memory for all workers allows; not more workers than pieces.
fn piece_size(leaf_bytes: usize, workers: usize, data_bytes: u64) -> PieceSize {
    let workers = workers.clamp(1, (BUFFERS_BYTES / leaf_bytes).max(1));
    let wanted_bytes = PIECE_BYTES.max(PIECE_LEAVES * leaf_bytes).min(BUFFERS_BYTES / workers);
    let bytes = (wanted_bytes - wanted_bytes % leaf_bytes).max(leaf_bytes);
    let pieces = usize::try_from(data_bytes.div_ceil(bytes as u64)).unwrap_or(usize::MAX);
    PieceSize { bytes, workers: workers.min(pieces) }
}

/// Pieces of data, given to whoever asks next.
trait Pieces: Sync {
    /// Reads the next piece into `buffer`, unless there is none any more.
    fn next(&self, buffer: &mut [u8]) -> Option<Piece>;
}

struct Piece {
    /// From 0 without gaps.
    number: u64,
    /// How much was read.
    read: io::Result<usize>,
}

struct FilePieces<'a> {
    source: &'a Source<'a>,
    piece_bytes: u64,
    next: AtomicU64,
}

impl Pieces for FilePieces<'_> {
    fn next(&self, buffer: &mut [u8]) -> Option<Piece> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let done_bytes = number.checked_mul(self.piece_bytes).filter(|done_bytes| *done_bytes < self.source.bytes())?;
        let left_bytes = self.source.bytes() - done_bytes;
        let wanted = &mut buffer[..usize::try_from(left_bytes.min(self.piece_bytes)).expect("it fits the buffer")];
        let wanted_bytes = wanted.len();
        let read = positioned::read_at(self.source.file, wanted, self.source.bytes.start + done_bytes);
        Some(Piece { number, read: read.and_then(|count| if count == wanted_bytes { Ok(count) } else { Err(changed()) }) })
    }
}

struct StreamPieces<R>(Mutex<Stream<R>>);

struct Stream<R> {
    stream: R,
    next: u64,
    has_ended: bool,
}

impl<R: Read + Send> Pieces for StreamPieces<R> {
    fn next(&self, buffer: &mut [u8]) -> Option<Piece> {
        let Stream { stream, next, has_ended } = &mut *self.0.lock().expect("no thread panicked");
        let mut filled = 0;
        let mut read = Ok(());
        while !*has_ended && filled < buffer.len() {
            match retrying(stream, &mut buffer[filled..]) {
                Ok(count) => {
                    filled += count;
                    *has_ended = count == 0;
                }
                Err(error) => {
                    read = Err(error);
                    *has_ended = true;
                }
            }
        }
        if filled == 0 && read.is_ok() {
            return None;
        }
        let number = *next;
        *next += 1;
        Some(Piece { number, read: read.map(|()| filled) })
    }
}

/// Takes digests, up to the first error.
struct Taker<'a, T, E> {
    take: T,
    error: Option<E>,
    is_over: &'a AtomicBool,
}

impl<D, E: From<io::Error>, T: FnMut(&[D]) -> Result<(), E>> InOrder<io::Result<Vec<D>>> for Taker<'_, T, E> {
    fn take(&mut self, results: Vec<io::Result<Vec<D>>>) {
        for digests in results {
            if self.error.is_none() {
                self.error = digests.map_err(E::from).and_then(|digests| (self.take)(&digests)).err();
            }
        }
        if self.error.is_some() {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }
}

fn run<A: Algorithm, E: From<io::Error> + Send>(
    pieces: &impl Pieces,
    size: &PieceSize,
    merkle: &Merkle<A>,
    reading: &Reading,
    take: impl FnMut(&[A::Digest]) -> Result<(), E> + Send,
) -> Result<(), E> {
    let is_over = AtomicBool::new(false);
    let turns = Turns::new(Taker { take, error: None, is_over: &is_over }, MAX_WAITING);
    let work = || {
        let _guard = turns.guard();
        let mut buffer = vec![0; size.bytes];
        while !is_over.load(Ordering::Relaxed) {
            let Some(Piece { number, read }) = pieces.next(&mut buffer) else { return };
            let digests = read.map(|count| {
                let digests = merkle.hash_leaves(&buffer[..count]);
                reading.read(count);
                digests
            });
            turns.give(number, vec![digests], true);
        }
    };
    threads::share_out(size.workers, work);
    turns.into_sink().error.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CHANGED;
    use crate::totals::Totals;
    use manyhash::Sha256;
    use manyhash::tree::DmVerity;
    use manyhash::tree::dm_verity::Format;
    use std::path::Path;
    use std::sync::Arc;

    type Digest = [u8; 32];

    fn merkle(leaf_bytes: usize) -> Merkle<Sha256> {
        DmVerity::new(Format::Normal, leaf_bytes, 4096, b"salt").unwrap().merkle().clone()
    }

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 131 + (i >> 8) * 17 + (i >> 16) * 5) as u8).collect()
    }

    fn file_of(content: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        positioned::write_at(&file, content, 0).unwrap();
        file
    }

    fn reading() -> (Arc<Totals>, Reading) {
        let totals = Arc::<Totals>::default();
        let reading = Reading::begin(&totals, Path::new("data"), 0);
        (totals, reading)
    }

    /// The digests that `hash` gives, and the bytes it reads.
    fn collected(hash: impl FnOnce(&Reading, &mut Vec<Digest>) -> io::Result<()>) -> (Vec<Digest>, u64) {
        let (totals, reading) = reading();
        let mut digests = Vec::new();
        hash(&reading, &mut digests).unwrap();
        (digests, totals.now().done_bytes)
    }

    fn into(all: &mut Vec<Digest>) -> impl FnMut(&[Digest]) -> io::Result<()> + Send {
        |digests| {
            all.extend(digests);
            Ok(())
        }
    }

    /// What failed, by its text.
    #[derive(Debug, PartialEq)]
    struct Failed(String);

    impl From<io::Error> for Failed {
        fn from(error: io::Error) -> Self {
            Self(error.to_string())
        }
    }

    #[test]
    fn digests_come_in_order_whatever_the_pieces_and_whoever_is_faster() {
        let content = content((5 << 20) + 700);
        let file = file_of(&content);
        for leaf_bytes in [512, 4096, 65536] {
            let merkle = merkle(leaf_bytes);
            let whole = merkle.hash_leaves(&content);
            let part = merkle.hash_leaves(&content[1000..3_000_000]);
            for workers in [1, 2, 5, 100] {
                let source = Source::whole(&file).unwrap();
                let of_file = collected(|reading, all| hash(&source, &merkle, workers, reading, into(all)));
                assert!(of_file == (whole.clone(), content.len() as u64), "{leaf_bytes}, {workers}");
                let of_part = collected(|reading, all| hash(&Source::part(&file, 1000..3_000_000), &merkle, workers, reading, into(all)));
                assert!(of_part == (part.clone(), 2_999_000), "{leaf_bytes}, {workers}");
                let of_stream = collected(|reading, all| hash_stream(&content[..], &merkle, workers, reading, into(all)));
                assert!(of_stream == of_file, "{leaf_bytes}, {workers}");
            }
        }
    }

    #[test]
    fn nothing_has_no_leaves() {
        let (_, reading) = reading();
        let never = |_: &[Digest]| -> Result<(), io::Error> { panic!("there are none") };
        hash(&Source::whole(&file_of(&[])).unwrap(), &merkle(512), 3, &reading, never).unwrap();
        hash_stream(io::empty(), &merkle(512), 3, &reading, never).unwrap();
    }

    #[test]
    fn a_file_of_another_size_than_when_it_was_opened_has_changed() {
        let (_, reading) = reading();
        for (bytes, before_it_fails) in [(2_000_000, 2_000_000), (4_000_000, 3_000_000)] {
            let file = file_of(&content(3_000_000));
            let source = Source::whole(&file).unwrap();
            file.set_len(bytes).unwrap();
            let mut leaves = 0;
            let take = |digests: &[Digest]| {
                leaves += digests.len();
                Ok(())
            };
            assert_eq!(hash(&source, &merkle(1024), 2, &reading, take), Err(Failed(CHANGED.to_string())));
            assert!(leaves <= usize::div_ceil(before_it_fails, 1024), "{leaves}");
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.min(buffer.len()).min(10_000);
                self.0 -= count;
                if count == 0 { Err(io::Error::other("broken")) } else { Ok(count) }
            }
        }
        let (_, reading) = reading();
        let mut leaves = 0;
        let take = |digests: &[Digest]| {
            leaves += digests.len();
            Ok(())
        };
        assert_eq!(hash_stream(Broken(2_500_000), &merkle(1024), 3, &reading, take), Err(Failed("broken".to_string())));
        assert_eq!(leaves, 2048);
        let mut calls = 0;
        let take = |_: &[Digest]| {
            calls += 1;
            Err(Failed("enough".to_string()))
        };
        assert_eq!(hash_stream(io::repeat(7), &merkle(1024), 3, &reading, take), Err(Failed("enough".to_string())));
        assert_eq!(calls, 1);
    }

    #[test]
    fn buffers_are_bounded_and_hold_whole_leaves() {
        for leaf_bytes in [512, 4096, 65536, 1 << 20] {
            for workers in [1, 2, 3, 100, 128] {
                let size = piece_size(leaf_bytes, workers, u64::MAX);
                assert!(size.bytes * size.workers <= BUFFERS_BYTES && size.workers >= workers.min(32), "{leaf_bytes}, {workers}");
                assert!(size.bytes >= leaf_bytes && size.bytes.is_multiple_of(leaf_bytes), "{leaf_bytes}, {workers}");
            }
        }
        assert_eq!(piece_size(4096, 8, PIECE_BYTES as u64).workers, 1);
        assert_eq!(piece_size(4096, 8, PIECE_BYTES as u64 + 1).workers, 2);
    }
}
