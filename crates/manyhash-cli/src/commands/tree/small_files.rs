//! Modes that hash many small files together, and each large file alone, with all threads.
//!
//! Small files are tasks of the pipeline: a worker reads as many as fit its buffer and hashes them
//! together. A large file or a stream is hashed when its turn comes.

use super::{Call, Report};
use crate::exit::Outcome;
use manyhash::Algorithm;
use manyhash::tree::Merkle;
use manyhash_files::find::{Readable, look_at};
use manyhash_files::leaves::{self, Source};
use manyhash_files::read::{filled, patiently, pieces, positioned};
use manyhash_files::{
    Algorithms, Finished, Hashed, Hashing, Limits, Part, Reading, STDIN, Settings, Sink, Task, Totals, Work, changed, hash_files,
};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The way that files are hashed. A file's result is one or more digests, one after the other.
pub(crate) trait Mode: Send + Sync + 'static {
    /// Returns the results of files that are in memory.
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>>;

    /// Returns the result of an input that may be too large for memory, and its length in bytes.
    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)>;

    /// Returns the line to print for a file of `bytes` bytes. Fails if the file has no digest.
    fn line(&self, path: &Path, bytes: u64, found: &[u8]) -> io::Result<Vec<u8>>;
}

/// A file of a run, or something else that is taken in its turn.
pub(crate) struct Item<T> {
    /// What the taker should know of it.
    pub(crate) label: T,
    pub(crate) path: PathBuf,
    pub(crate) what: io::Result<What>,
}

pub(crate) enum What {
    /// A file to hash.
    Read(Readable),
    /// There is nothing to hash.
    Nothing,
}

/// A function that takes items in their order, each with the result of its file and that file's
/// bytes.
pub(crate) type Take<'a, T> = dyn FnMut(&mut Report<'_>, T, &Path, io::Result<Option<(Vec<u8>, u64)>>) -> io::Result<()> + 'a;

/// An input that is hashed alone.
pub(crate) enum Input<'a> {
    File(&'a File),
    Stream(&'a mut (dyn Read + Send)),
}

impl Input<'_> {
    pub(crate) fn bytes(&self) -> io::Result<Option<u64>> {
        match self {
            Self::File(file) => positioned::len(file).map(Some),
            Self::Stream(_) => Ok(None),
        }
    }

    /// Gives all of the input to `take`, piece by piece. Returns the number of bytes. Fails if a
    /// file has changed its size meanwhile.
    pub(crate) fn read(self, work: &Alone, mut take: impl FnMut(&[u8])) -> io::Result<u64> {
        let expected_bytes = self.bytes()?;
        let mut bytes = 0;
        let mut buffer = vec![0; PIECE_BYTES];
        let mut read_all = |input: &mut dyn Read| {
            let mut pieces = pieces(input);
            while let Some(count) = pieces(&mut buffer) {
                let piece = filled(&buffer, count?)?;
                take(piece);
                bytes += piece.len() as u64;
                work.reading.read(piece.len());
                work.reading.check_stopped()?;
            }
            Ok::<_, io::Error>(())
        };
        match self {
            Self::File(mut file) => {
                file.rewind()?;
                read_all(&mut file)?;
            }
            Self::Stream(stream) => read_all(stream)?,
        }
        if expected_bytes.is_none_or(|expected_bytes| bytes == expected_bytes) { Ok(bytes) } else { Err(changed()) }
    }

    /// Hashes the leaves of `tree`, whose digests `add` gets in order. Returns the number of bytes.
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
            Self::Stream(stream) => leaves::hash_stream(stream, tree, work.workers, &work.reading, take),
        }
    }
}

/// The means to hash an input alone.
pub(crate) struct Alone {
    pub(crate) workers: usize,
    pub(crate) reading: Reading,
}

/// Bytes that are read at once of an input that is one message.
const PIECE_BYTES: usize = 256 << 10;
/// The most bytes of files hashed together, and so of one of them.
const BATCH_BYTES: usize = 1 << 20;
/// The most bytes of all batches in memory, beside the buffers for a large file.
const BATCHES_BYTES: usize = 16 << 20;
/// The most files hashed before it is their turn. The result of one can take some KB.
const MAX_TASKS: usize = 1024;

/// Prints the line of each file.
pub(crate) fn run(call: &Call<'_>, mode: Arc<dyn Mode>, files: Vec<OsString>) -> Outcome {
    let items = call.inputs(files).into_iter().map(|file| item((), file.into()));
    let lines = Arc::clone(&mode);
    let (report, result) = hash(call, mode, items, &mut |report, (), path, found| {
        let line = found.and_then(|found| found.map_or(Ok(Vec::new()), |(found, bytes)| lines.line(path, bytes, &found)));
        report.take(path, line)
    });
    report.finish(result)
}

/// Returns the item of the file at `path`.
pub(crate) fn item<T>(label: T, path: PathBuf) -> Item<T> {
    let what = look_at(&path).map(What::Read);
    Item { label, path, what }
}

/// Hashes the files among `items`, and gives all items to `take`.
pub(crate) fn hash<'a, T: Send + 'static>(
    call: &Call<'a>,
    mode: Arc<dyn Mode>,
    items: impl Iterator<Item = Item<T>> + Send + 'static,
    take: &mut Take<'_, T>,
) -> (Report<'a>, io::Result<()>) {
    let settings = Settings::new(call.workers());
    let workers = settings.workers;
    let batch_bytes = BATCH_BYTES.min(BATCHES_BYTES / workers);
    let of_contents = Arc::clone(&mode);
    let settings = Settings {
        limits: Limits { tasks: MAX_TASKS, ..settings.limits },
        // One more byte shows whether a file goes on.
        buffer_bytes: workers * (batch_bytes + 1),
        hashing: Hashing::Contents(Arc::new(move |contents| of_contents.of_contents(contents))),
        ..settings
    };
    let totals = Arc::clone(&settings.totals);
    let mut taker = Taker { mode, workers, report: call.report(&totals), totals: Arc::clone(&totals), take };
    let source = items.map(move |item| task(item, batch_bytes as u64, &totals));
    let result = hash_files(source, &settings, &mut taker);
    (taker.report, result)
}

/// How the file of an item is hashed.
enum How {
    Small(u64),
    /// An input that is hashed when its turn comes.
    Alone(Readable),
    Nothing,
}

fn task<T>(item: Item<T>, most_bytes: u64, totals: &Totals) -> Task<(T, How)> {
    let Item { label, path, what } = item;
    let (how, work) = match what {
        Ok(What::Read(Readable::File { size_bytes, .. })) if size_bytes <= most_bytes => {
            // The task reads one byte more, which should not be there.
            let part = Part::Range { start: 0, end: size_bytes + 1 };
            (How::Small(size_bytes), Work::File { algorithms: Algorithms::NONE, size_bytes, part })
        }
        Ok(What::Read(what)) => {
            totals.found_file(if let Readable::File { size_bytes, .. } = what { size_bytes } else { 0 });
            (How::Alone(what), Work::Nothing)
        }
        Ok(What::Nothing) => (How::Nothing, Work::Nothing),
        Err(error) => (How::Small(0), Work::Failed(error)),
    };
    Task { label: (label, how), path, work }
}

struct Taker<'a, 't, T> {
    mode: Arc<dyn Mode>,
    workers: usize,
    report: Report<'a>,
    totals: Arc<Totals>,
    take: &'t mut Take<'t, T>,
}

impl<T> Taker<'_, '_, T> {
    fn file(&self, path: &Path, size_bytes: u64) -> io::Result<(Vec<u8>, u64)> {
        let file = patiently(|| File::open(path))?;
        self.mode.of_input(Input::File(&file), &self.alone(path, size_bytes))
    }

    fn stream(&self, path: &Path) -> io::Result<(Vec<u8>, u64)> {
        let alone = self.alone(path, 0);
        if path.as_os_str() == STDIN {
            return self.mode.of_input(Input::Stream(&mut io::stdin()), &alone);
        }
        let mut file = patiently(|| File::open(path))?;
        // A block device has a size, but its metadata do not say so.
        match positioned::len(&file) {
            Ok(1..) => self.mode.of_input(Input::File(&file), &alone),
            _ => self.mode.of_input(Input::Stream(&mut file), &alone),
        }
    }

    fn alone(&self, path: &Path, size_bytes: u64) -> Alone {
        Alone { workers: self.workers, reading: Reading::begin(&self.totals, path, size_bytes) }
    }
}

impl<T> Sink<(T, How)> for Taker<'_, '_, T> {
    fn take(&mut self, finished: Finished<(T, How)>) -> io::Result<()> {
        let Finished { label: (label, how), path, outcome } = finished;
        let found = match how {
            How::Nothing => return (self.take)(&mut self.report, label, &path, Ok(None)),
            How::Alone(what) => {
                self.report.idle()?;
                let found = match what {
                    Readable::File { size_bytes, .. } => self.file(&path, size_bytes),
                    Readable::Stream => self.stream(&path),
                };
                self.totals.done();
                found
            }
            How::Small(size_bytes) => match Hashed::of(outcome) {
                Ok(hashed) if hashed.bytes == size_bytes => Ok((hashed.digests.bytes().to_vec(), size_bytes)),
                // Files that the system makes up when they are read have this size.
                Ok(_) if size_bytes == 0 => self.stream(&path),
                Ok(_) => Err(changed()),
                Err(error) => Err(error),
            },
        };
        (self.take)(&mut self.report, label, &path, found.map(Some))
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}
