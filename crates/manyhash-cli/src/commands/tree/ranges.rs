//! Modes whose leaves are long ranges of files: j-pointers' slices, S3's parts, Glacier's MiBs.
//!
//! A range is a task of the pipeline like any file, so that ranges of all files share the lanes of
//! all threads. The digests come back in order, and each file's fold takes its own.

use super::{Call, Report, changed};
use crate::exit::Outcome;
use crate::text::lines::line;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Readable, look_at};
use manyhash_files::read::{self, open, patiently, pieces, positioned};
use manyhash_files::{Algorithms, Finished, Hashed, Hashing, Part, Settings, Sink, Task, Work, hash_each, hash_files};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A mode: how files become ranges, and the ranges' digests one result.
pub(crate) trait Mode: Send + Sync + 'static {
    fn algorithm(&self) -> AnyAlgorithm;

    fn hashing(&self) -> Hashing {
        Hashing::InLanes
    }

    /// Returns the ranges of a file: at least one, which is empty only if the file is.
    fn ranges(&self, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send>;

    /// Returns the length of each range but the last, or `None` if the file's size decides it.
    fn part_bytes(&self) -> Option<u64>;

    fn fold(&self) -> Box<dyn Fold + '_>;
}

/// Makes one result of many digests.
pub(crate) trait Fold {
    fn add(&mut self, digest: &[u8]);
    fn finish(self: Box<Self>) -> String;
    /// Returns a remark on the result, which is printed if the user wants to know more.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// Returns the ranges of a file of `file_bytes` bytes if each but the last has `part_bytes` bytes.
pub(crate) fn parts(part_bytes: u64, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send> {
    let part = move |index: u64| {
        let start = index * part_bytes;
        start..start.saturating_add(part_bytes).min(file_bytes)
    };
    Box::new((0..file_bytes.div_ceil(part_bytes).max(1)).map(part))
}

pub(crate) fn run(call: &Call<'_>, mode: Arc<dyn Mode>, files: Vec<OsString>) -> Outcome {
    let settings = Settings { hashing: mode.hashing(), ..Settings::new(call.work.workers) };
    let cutter = Arc::clone(&mode);
    let source = call.inputs(files).into_iter().flat_map(move |file| tasks(&*cutter, PathBuf::from(file)));
    let report = call.report(&settings.totals);
    let mut folds = Folds { mode: &*mode, current: None, report, verbose: call.verbosity > 0 };
    let result = hash_files(source, &settings, &mut folds);
    folds.report.finish(result)
}

#[derive(Clone, Copy, Debug)]
enum Label {
    Range {
        bytes: u64,
        is_last: bool,
    },
    /// Something to be read from its beginning to its end, in parts of this length.
    Stream {
        part_bytes: u64,
    },
}

fn tasks(mode: &dyn Mode, path: PathBuf) -> Box<dyn Iterator<Item = Task<Label>> + Send> {
    let file_bytes = match look_at(&path) {
        // This is a block device, or a file that the system makes up when it is read.
        Ok(Readable::File { size_bytes: 0, .. }) => patiently(|| File::open(&path)).map(|file| Some(positioned::len(&file).unwrap_or(0))),
        Ok(Readable::File { size_bytes, .. }) => Ok(Some(size_bytes)),
        Ok(Readable::Stream) => Ok(None),
        Err(error) => Err(error),
    };
    let alone =
        |label, work| -> Box<dyn Iterator<Item = Task<Label>> + Send> { Box::new(iter::once(Task { label, path: path.clone(), work })) };
    let failed = |error| alone(Label::Range { bytes: 0, is_last: true }, Work::Failed(error));
    let file_bytes = match (file_bytes, mode.part_bytes()) {
        (Err(error), _) => return failed(error),
        (Ok(None | Some(0)), Some(part_bytes)) => return alone(Label::Stream { part_bytes }, Work::Nothing),
        (Ok(None), None) => return failed(io::Error::other("it must be a file: of a stream the length is not known before its end")),
        (Ok(Some(file_bytes)), _) => file_bytes,
    };
    let algorithms = mode.algorithm().into();
    Box::new(mode.ranges(file_bytes).map(move |Range { start, end }| {
        let (bytes, is_last) = (end - start, end == file_bytes);
        // The last range ends where the file now ends.
        let part = Part::Range { start, end: if is_last { u64::MAX } else { end } };
        let work = Work::File { algorithms, size_bytes: bytes, part };
        Task { label: Label::Range { bytes, is_last }, path: path.clone(), work }
    }))
}

struct Folds<'a> {
    mode: &'a dyn Mode,
    /// The fold of the file whose ranges come now, or what is wrong with the file.
    current: Option<io::Result<Box<dyn Fold + 'a>>>,
    report: Report<'a>,
    verbose: bool,
}

impl Folds<'_> {
    fn end(&mut self, path: &Path, fold: io::Result<Box<dyn Fold + '_>>) -> io::Result<()> {
        if let (true, Some(remark)) = (self.verbose, fold.as_ref().ok().and_then(|fold| fold.remark())) {
            self.report.say(path, remark)?;
        }
        self.report.take(path, fold.map(|fold| line(&fold.finish(), path)))
    }
}

impl Sink<Label> for Folds<'_> {
    fn take(&mut self, finished: Finished<Label>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let (bytes, is_last) = match label {
            Label::Range { bytes, is_last } => (bytes, is_last),
            Label::Stream { part_bytes } => {
                self.report.idle()?;
                let fold = of_stream(self.mode, part_bytes, &path);
                return self.end(&path, fold);
            }
        };
        let current = self.current.get_or_insert_with(|| Ok(self.mode.fold()));
        if let Ok(fold) = current {
            match Hashed::of(outcome) {
                Ok(hashed) if hashed.bytes == bytes => fold.add(hashed.digests.bytes()),
                Ok(_) => *current = Err(changed()),
                Err(error) => *current = Err(error),
            }
        }
        match self.current.take_if(|_| is_last) {
            Some(fold) => self.end(&path, fold),
            None => Ok(()),
        }
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}

/// The bytes of a stream that are read before they are hashed, if they have several parts.
const BUFFER_BYTES: u64 = 16 << 20;
/// The bytes of a larger part that are read at once.
const PIECE_BYTES: usize = 256 << 10;

fn of_stream<'a>(mode: &'a dyn Mode, part_bytes: u64, path: &Path) -> io::Result<Box<dyn Fold + 'a>> {
    let input = open(path)?;
    let mut fold = mode.fold();
    if part_bytes <= BUFFER_BYTES / 2 {
        hash_together(mode.algorithm(), input, part_bytes as usize, &mut *fold)?;
    } else {
        hash_in_pieces(mode.algorithm(), input, part_bytes, &mut *fold)?;
    }
    Ok(fold)
}

/// Hashes parts of which several fit into a buffer.
fn hash_together(algorithm: AnyAlgorithm, input: impl Read, part_bytes: usize, fold: &mut dyn Fold) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES as usize / part_bytes * part_bytes];
    let mut pieces = pieces(input);
    // An empty stream is one empty part.
    let mut next = pieces(&mut buffer).or(Some(Ok(0)));
    while let Some(filled) = next {
        let filled = read::filled(&buffer, filled?)?;
        let parts: Vec<&[u8]> = if filled.is_empty() { vec![filled] } else { filled.chunks(part_bytes).collect() };
        hash_each(algorithm, &parts).chunks_exact(algorithm.digest_bytes()).for_each(|digest| fold.add(digest));
        next = pieces(&mut buffer);
    }
    Ok(())
}

/// Hashes parts of any size, one after the other.
fn hash_in_pieces(algorithm: AnyAlgorithm, mut input: impl Read, part_bytes: u64, fold: &mut dyn Fold) -> io::Result<()> {
    let mut buffer = vec![0; PIECE_BYTES];
    // An empty stream is one empty part.
    let mut is_first = true;
    loop {
        let mut hashers = Algorithms::from(algorithm).hashers();
        let mut hashed_bytes = 0;
        let mut pieces = pieces(input.by_ref().take(part_bytes));
        while let Some(filled) = pieces(&mut buffer) {
            let filled = filled?;
            hashers.update(read::filled(&buffer, filled)?);
            hashed_bytes += filled as u64;
        }
        if hashed_bytes > 0 || is_first {
            fold.add(hashers.finalize().bytes());
        }
        if hashed_bytes < part_bytes {
            return Ok(());
        }
        is_first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::{Sha256, hash};

    struct List(Vec<Vec<u8>>);

    impl Fold for List {
        fn add(&mut self, digest: &[u8]) {
            self.0.push(digest.to_vec());
        }
        fn finish(self: Box<Self>) -> String {
            unreachable!()
        }
    }

    #[test]
    fn parts_cover_a_file_and_an_empty_one_has_one() {
        let parts = |part_bytes, file_bytes| parts(part_bytes, file_bytes).map(|part| (part.start, part.end)).collect::<Vec<_>>();
        assert_eq!(parts(10, 0), [(0, 0)]);
        assert_eq!(parts(10, 10), [(0, 10)]);
        assert_eq!(parts(10, 25), [(0, 10), (10, 20), (20, 25)]);
        assert_eq!(parts(u64::MAX, u64::MAX), [(0, u64::MAX)]);
    }

    #[test]
    fn streams_have_the_parts_of_files() {
        let content: Vec<u8> = (0..3_000_000_u32).map(|i| ((i * 167) >> 7) as u8).collect();
        for part_bytes in [1 << 20, 1_000_000, 256 << 10, 3_000_000, 4_000_000] {
            for bytes in [0, 1, part_bytes - 1, part_bytes, part_bytes + 1, 2 * part_bytes, content.len()] {
                let content = &content[..bytes.min(content.len())];
                let expected: Vec<_> =
                    parts(part_bytes as u64, content.len() as u64).map(|part| &content[part.start as usize..part.end as usize]).collect();
                let expected: Vec<_> = expected.iter().map(|part| hash::<Sha256>(part).to_vec()).collect();
                let (mut together, mut pieces) = (List(Vec::new()), List(Vec::new()));
                hash_together(AnyAlgorithm::Sha256, content, part_bytes, &mut together).unwrap();
                hash_in_pieces(AnyAlgorithm::Sha256, content, part_bytes as u64, &mut pieces).unwrap();
                assert!(together.0 == expected && pieces.0 == expected, "{part_bytes} {bytes}");
            }
        }
    }
}
