//! Modes that hash small files whole, many of them at once, and a large one alone, with all threads.
//!
//! Small files are gathered into rounds, in which every thread takes batches of them; a large file or a stream comes between two rounds.
//! So results come in order, and memory is that of the batches.

use super::{Call, Report, changed};
use crate::commands::sum::or_stdin;
use crate::exit::Outcome;
use manyhash::Algorithm;
use manyhash::tree::Merkle;
use manyhash_files::find::{Readable, look_at};
use manyhash_files::leaves::{self, Source};
use manyhash_files::read::{patiently, positioned};
use manyhash_files::{Reading, STDIN, Totals, threads};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) trait Mode: Sync {
    /// What is known of a file in the end.
    type Found: Send;

    /// Of files that are in memory, all together.
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<io::Result<Self::Found>>;

    /// Of something that may be too large for that.
    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<Self::Found>;

    fn line(&self, path: &Path, found: Self::Found) -> Vec<u8>;
}

/// Something hashed alone.
pub(crate) enum Input<'a> {
    File(&'a File),
    /// What can only be read from beginning to end.
    Stream(&'a mut (dyn Read + Send)),
}

impl Input<'_> {
    /// How many bytes it has, if that can be known.
    pub(crate) fn bytes(&self) -> io::Result<Option<u64>> {
        match self {
            Self::File(file) => positioned::len(file).map(Some),
            Self::Stream(_) => Ok(None),
        }
    }

    /// Hashes it as leaves of a tree, whose digests `add` gets in order; how many bytes there were.
    pub(crate) fn hash_leaves<A: Algorithm>(
        self,
        tree: &Merkle<A>,
        work: &Alone,
        mut add: impl FnMut(&[A::Digest]) + Send,
    ) -> io::Result<u64> {
        let take = |digests: &[A::Digest]| {
            add(digests);
            Ok::<_, io::Error>(())
        };
        match self {
            Self::File(file) => {
                let source = Source::whole(file)?;
                leaves::hash(&source, tree, work.workers, &work.reading, take)?;
                Ok(source.bytes())
            }
            Self::Stream(stream) => {
                let mut counted = Counted { stream, bytes: 0 };
                leaves::hash_stream(&mut counted, tree, work.workers, &work.reading, take)?;
                Ok(counted.bytes)
            }
        }
    }
}

/// A stream, and how much has come.
struct Counted<'a> {
    stream: &'a mut (dyn Read + Send),
    bytes: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

/// How to hash something alone.
pub(crate) struct Alone {
    pub(crate) workers: usize,
    pub(crate) reading: Reading,
}

/// Bytes of a batch, and of a file that may be in one.
const BATCH_BYTES: usize = 1 << 20;
/// Bytes of all batches that are in memory at once.
const BATCHES_BYTES: usize = 32 << 20;
/// Batches of a round, for each thread: starting threads is little beside them, and they end at about the same time.
const ROUND_BATCHES: usize = 16;
/// Files of a round, for each thread.
const ROUND_FILES: usize = 4096;

/// Prints a line for each of `files`.
pub(crate) fn run(call: &Call<'_>, mode: &impl Mode, files: Vec<OsString>) -> Outcome {
    let workers = call.work.workers();
    let totals = Arc::<Totals>::default();
    let report = call.report(&totals);
    let batch_bytes = BATCH_BYTES.min(BATCHES_BYTES / workers);
    let mut rounds = Rounds { mode, workers, batch_bytes, totals, report, files: Vec::new(), files_bytes: 0 };
    let result = or_stdin(files).into_iter().try_for_each(|file| rounds.file(file.into())).and_then(|()| rounds.end());
    rounds.report.finish(result)
}

struct Rounds<'a, M> {
    mode: &'a M,
    workers: usize,
    batch_bytes: usize,
    totals: Arc<Totals>,
    report: Report<'a>,
    /// Of this round, with their sizes.
    files: Vec<(PathBuf, usize)>,
    files_bytes: usize,
}

/// What became of a small file.
enum Small<T> {
    Done(io::Result<T>),
    /// It is longer than it said, as files are that the system makes up when they are read.
    Endless,
}

impl<M: Mode> Rounds<'_, M> {
    fn file(&mut self, path: PathBuf) -> io::Result<()> {
        let what = look_at(&path);
        if let Ok(Readable::File { size_bytes, .. }) = what {
            self.totals.found_file(size_bytes);
            if size_bytes <= self.batch_bytes as u64 {
                self.files.push((path, size_bytes as usize));
                self.files_bytes += size_bytes as usize;
                let is_full =
                    self.files_bytes >= ROUND_BATCHES * self.workers * self.batch_bytes || self.files.len() >= ROUND_FILES * self.workers;
                return if is_full { self.end() } else { Ok(()) };
            }
        }
        self.end()?;
        let found = what.and_then(|what| match what {
            Readable::File { size_bytes, .. } => {
                let alone = self.alone(&path, size_bytes);
                patiently(|| File::open(&path)).and_then(|file| self.mode.of_input(Input::File(&file), &alone))
            }
            Readable::Stream => {
                self.totals.found_file(0);
                self.report.idle()?;
                self.stream(&path)
            }
        });
        self.take(&path, found)
    }

    fn alone(&self, path: &Path, size_bytes: u64) -> Alone {
        Alone { workers: self.workers, reading: Reading::begin(&self.totals, path, size_bytes) }
    }

    fn stream(&self, path: &Path) -> io::Result<M::Found> {
        let alone = self.alone(path, 0);
        if path.as_os_str() == STDIN {
            return self.mode.of_input(Input::Stream(&mut io::stdin()), &alone);
        }
        let mut file = patiently(|| File::open(path))?;
        // A block device has a size, but does not say so with the others.
        match positioned::len(&file) {
            Ok(1..) => self.mode.of_input(Input::File(&file), &alone),
            _ => self.mode.of_input(Input::Stream(&mut file), &alone),
        }
    }

    fn take(&mut self, path: &Path, found: io::Result<M::Found>) -> io::Result<()> {
        self.totals.done();
        self.report.take(path, found.map(|found| self.mode.line(path, found)))
    }

    /// Hashes the files of the round.
    fn end(&mut self) -> io::Result<()> {
        let files = std::mem::take(&mut self.files);
        let sizes: Vec<usize> = files.iter().map(|(_, size_bytes)| *size_bytes).collect();
        self.files_bytes = 0;
        let batches = batches(&sizes, self.batch_bytes, self.workers);
        let found: Vec<Mutex<Vec<Small<M::Found>>>> = batches.iter().map(|_| Mutex::default()).collect();
        let next = AtomicUsize::new(0);
        let (mode, totals) = (self.mode, &*self.totals);
        let work = || {
            let mut buffer = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(number) else { return };
                let small = hash_batch(mode, &files[batch.clone()], &mut buffer, totals);
                *found[number].lock().expect("no thread panicked") = small;
            }
        };
        threads::share_out(self.workers.min(batches.len()), &work);
        let found = found.into_iter().flat_map(|found| found.into_inner().expect("no thread panicked"));
        for ((path, _), small) in files.iter().zip(found) {
            let found = match small {
                Small::Done(found) => found,
                Small::Endless => self.stream(path),
            };
            self.take(path, found)?;
        }
        self.report.idle()
    }
}

/// Reads files one after the other into `buffer`, and hashes them together.
fn hash_batch<M: Mode>(mode: &M, files: &[(PathBuf, usize)], buffer: &mut Vec<u8>, totals: &Totals) -> Vec<Small<M::Found>> {
    let total_bytes: usize = files.iter().map(|(_, size_bytes)| size_bytes).sum();
    if buffer.len() <= total_bytes {
        // One more, to see whether a file goes on.
        buffer.resize(total_bytes + 1, 0);
    }
    let mut start = 0;
    let mut read = |(path, size_bytes): &(PathBuf, usize)| {
        let place = start..start + size_bytes;
        let file = patiently(|| File::open(path))?;
        let count = positioned::read_at(&file, &mut buffer[place.start..=place.end], 0)?;
        totals.read(count);
        match (count, *size_bytes) {
            (1.., 0) => Ok(None),
            (count, size_bytes) if count == size_bytes => {
                start = place.end;
                Ok(Some(place))
            }
            _ => Err(changed()),
        }
    };
    let places: Vec<io::Result<Option<Range<usize>>>> = files.iter().map(&mut read).collect();
    let contents: Vec<&[u8]> = places.iter().flatten().flatten().map(|place| &buffer[place.clone()]).collect();
    let mut found = mode.of_contents(&contents).into_iter();
    let mut small = |place| match place {
        Ok(Some(_)) => Small::Done(found.next().expect("one for each content")),
        Ok(None) => Small::Endless,
        Err(error) => Small::Done(Err(error)),
    };
    places.into_iter().map(&mut small).collect()
}

/// Successive files for each batch: no more bytes than `batch_bytes` together, and batches enough for all workers.
fn batches(sizes: &[usize], batch_bytes: usize, workers: usize) -> Vec<Range<usize>> {
    let least_batches = 4 * workers;
    let most_files = sizes.len().div_ceil(least_batches);
    let most_bytes = (sizes.iter().sum::<usize>() / least_batches).min(batch_bytes);
    let mut batches = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (index, size) in sizes.iter().enumerate() {
        if index > start && (index - start == most_files || bytes + size > most_bytes) {
            batches.push(start..index);
            (start, bytes) = (index, 0);
        }
        bytes += size;
    }
    if start < sizes.len() {
        batches.push(start..sizes.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_enough_for_all_workers() {
        assert!(batches(&[], 100, 2).is_empty());
        assert_eq!(batches(&[0], 100, 2).len(), 1);
        assert_eq!(batches(&[5; 3], 100, 2), [0..1, 1..2, 2..3]);
        assert_eq!(batches(&[0; 100], 100, 1), [0..25, 25..50, 50..75, 75..100]);
        for (sizes, workers) in [(vec![100; 1000], 1), ((0..=100).collect(), 3), ([vec![100], vec![1; 999]].concat(), 2)] {
            let batches = batches(&sizes, 100, workers);
            assert!(batches.len() >= 4 * workers);
            assert!(batches.iter().all(|batch| !batch.is_empty() && sizes[batch.clone()].iter().sum::<usize>() <= 100), "{batches:?}");
            assert!(batches.into_iter().flatten().eq(0..sizes.len()));
        }
    }
}
