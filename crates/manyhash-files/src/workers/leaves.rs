//! Digests of the leaves of a Merkle tree, by several workers, in order.
//!
//! ```text
//! file or stream ──> workers: read a piece of whole leaves, hash it in lanes ──> turns ──> take: digests
//! ```
//!
//! Of a stream, one worker at a time reads. The worker that reads a piece hashes it, so that it is
//! still in that core's cache. A piece of a file that is in memory is hashed there. Memory is
//! bounded whatever the size of the data.

use super::in_turns;
use crate::error::changed;
use crate::read::lending::{self, Mapping};
use crate::read::{at_most, filled, pieces, positioned};
use crate::totals::Reading;
use manyhash::Algorithm;
use manyhash::tree::Merkle;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

/// Bytes that a worker reads at once. They fit a second-level cache.
const PIECE_BYTES: usize = 1 << 20;
/// The least number of leaves in a piece, if memory allows: they fill the lanes.
const PIECE_LEAVES: usize = 32;
/// Bytes of the buffers of all workers together.
const BUFFERS_BYTES: usize = 32 << 20;
/// Pieces whose digests may wait for those before them.
const MAX_WAITING: usize = 64;

/// The bytes that are divided into leaves: a file, or a part of it.
#[derive(Debug)]
pub struct Source<'a> {
    file: &'a File,
    bytes: Range<u64>,
    /// Whether the file should end where these bytes end.
    is_whole: bool,
    is_lending: bool,
}

impl<'a> Source<'a> {
    /// All of a file or a block device, as large as it is now.
    ///
    /// # Errors
    /// If its size cannot be found out.
    pub fn whole(file: &'a File) -> io::Result<Self> {
        Ok(Self { file, bytes: 0..positioned::len(file)?, is_whole: true, is_lending: lending::is_faster() })
    }

    /// A range of bytes of a file.
    pub fn part(file: &'a File, bytes: Range<u64>) -> Self {
        Self { file, bytes, is_whole: false, is_lending: lending::is_faster() }
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.end.saturating_sub(self.bytes.start)
    }

    /// Lends up to `wanted_bytes` bytes from `start` on, if they need not be read.
    fn lend(&self, start: u64, wanted_bytes: usize) -> Option<Mapping> {
        let bytes = start..self.bytes.end.min(start + wanted_bytes as u64);
        if self.is_lending { lending::lend(self.file, bytes) } else { None }
    }

    /// Fills `buffer` from `start` on, as far as the source goes.
    fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = at_most(buffer, usize::try_from(self.bytes.end - start).unwrap_or(usize::MAX));
        let count = positioned::read_at(self.file, wanted, start)?;
        if count == wanted.len() { Ok(count) } else { Err(changed()) }
    }
}

/// Hashes the leaves of a file. `take` gets their digests in order, any number at once; it is
/// called by one thread at a time.
///
/// # Errors
/// What `take` returned, or the error of the first read that failed; then `take` has got the
/// digests before it and no others. A file that ends early, or goes on where it should end, was
/// changed meanwhile.
pub fn hash<A: Algorithm, E: From<io::Error> + Send>(
    source: &Source<'_>,
    merkle: &Merkle<A>,
    workers: usize,
    reading: &Reading,
    mut take: impl FnMut(&[A::Digest]) -> Result<(), E> + Send,
) -> Result<(), E> {
    let size = piece_size(merkle.leaf_bytes(), workers, source.bytes());
    let mut pieces = source.bytes.clone().step_by(size.bytes);
    let next = &mut |_: &mut [u8]| pieces.next().map(|start| Piece::At(source, start));
    run(next, &size, merkle, reading, &mut take)?;
    let is_longer = source.is_whole && positioned::read_at(source.file, &mut [0], source.bytes.end)? > 0;
    if is_longer { Err(changed().into()) } else { Ok(()) }
}

/// Hashes the leaves of a stream, as [`hash`] does, and gives how many bytes there were.
pub fn hash_stream<A: Algorithm, E: From<io::Error> + Send>(
    stream: impl Read + Send,
    merkle: &Merkle<A>,
    workers: usize,
    reading: &Reading,
    mut take: impl FnMut(&[A::Digest]) -> Result<(), E> + Send,
) -> Result<u64, E> {
    let size = piece_size(merkle.leaf_bytes(), workers, u64::MAX);
    let (mut pieces, mut bytes) = (pieces(stream), 0);
    let next = &mut |buffer: &mut [u8]| {
        let read = pieces(buffer)?;
        bytes += *read.as_ref().unwrap_or(&0) as u64;
        Some(Piece::Read(read))
    };
    run(next, &size, merkle, reading, &mut take)?;
    Ok(bytes)
}

/// How data is divided into pieces of `bytes` bytes for `workers` workers.
struct PieceSize {
    bytes: usize,
    workers: usize,
}

/// Pieces of whole leaves, as many as the memory for all workers allows, and not more workers than
/// pieces.
fn piece_size(leaf_bytes: usize, workers: usize, data_bytes: u64) -> PieceSize {
    let workers = workers.clamp(1, (BUFFERS_BYTES / leaf_bytes).max(1));
    let wanted_bytes = PIECE_BYTES.max(PIECE_LEAVES * leaf_bytes).min(BUFFERS_BYTES / workers);
    let bytes = (wanted_bytes - wanted_bytes % leaf_bytes).max(leaf_bytes);
    let pieces = usize::try_from(data_bytes.div_ceil(bytes as u64)).unwrap_or(usize::MAX);
    PieceSize { bytes, workers: workers.min(pieces) }
}

/// A piece of data, for the worker that asks next.
enum Piece<'a> {
    /// A piece that the worker reads from this position on.
    At(&'a Source<'a>, u64),
    /// A piece that is in the worker's buffer: its number of bytes, or why it could not be read.
    Read(io::Result<usize>),
}

/// A function that gets digests.
type Take<'a, A, E> = dyn FnMut(&[<A as Algorithm>::Digest]) -> Result<(), E> + Send + 'a;

fn run<'a, A: Algorithm, E: From<io::Error> + Send>(
    next: &mut (dyn FnMut(&mut [u8]) -> Option<Piece<'a>> + Send),
    size: &PieceSize,
    merkle: &Merkle<A>,
    reading: &Reading,
    take: &mut Take<'_, A, E>,
) -> Result<(), E> {
    let buffer = || vec![0; size.bytes];
    let work = |buffer: &mut Vec<u8>, piece, give: &mut dyn FnMut(Vec<io::Result<Vec<A::Digest>>>)| {
        let of_lent = if let Piece::At(source, start) = piece {
            source.lend(start, buffer.len()).and_then(|lent| {
                let (digests, bytes) = (merkle.hash_leaves(lent.as_ref()), lent.as_ref().len());
                let is_whole = !lent.is_lost() && lending::reaches(source.file, start + bytes as u64);
                // If bytes were lost, reading says why.
                is_whole.then_some((digests, bytes))
            })
        } else {
            None
        };
        let hashed = of_lent.map_or_else(
            || {
                let count = match piece {
                    Piece::At(source, start) => source.read_at(start, buffer)?,
                    Piece::Read(read) => read?,
                };
                Ok((merkle.hash_leaves(filled(buffer, count)?), count))
            },
            Ok,
        );
        let hashed = hashed.map(|(digests, count)| {
            reading.read(count);
            digests
        });
        give(vec![hashed]);
    };
    let take = |digests: io::Result<Vec<A::Digest>>| take(&digests?);
    in_turns(size.workers, MAX_WAITING, buffer, |buffer| next(buffer), work, take)
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
                let mut of_file = (Vec::new(), 0);
                for is_lending in [false, true] {
                    let source = Source { is_lending, ..Source::whole(&file).unwrap() };
                    of_file = collected(|reading, all| hash(&source, &merkle, workers, reading, into(all)));
                    assert!(of_file == (whole.clone(), content.len() as u64), "{leaf_bytes}, {workers}, {is_lending}");
                }
                let of_part = collected(|reading, all| hash(&Source::part(&file, 1000..3_000_000), &merkle, workers, reading, into(all)));
                assert!(of_part == (part.clone(), 2_999_000), "{leaf_bytes}, {workers}");
                let of_stream = collected(|reading, all| hash_stream(&content[..], &merkle, workers, reading, into(all)).map(drop));
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
        let sizes = [(2_000_000, 2_000_000), (4_000_000, 3_000_000)].into_iter();
        for ((bytes, before_it_fails), is_lending) in sizes.flat_map(|sizes| [(sizes, false), (sizes, true)]) {
            let file = file_of(&content(3_000_000));
            let source = Source { is_lending, ..Source::whole(&file).unwrap() };
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
