//! Digests of a list of files.

use crate::error::{changed, reason};
use crate::find::{self, Readable};
use crate::task::{Finished, Hashed, Part, STDIN, Sink, Task, Work};
use crate::threads;
use crate::totals::Totals;
use crate::workers::{Hashing, MAX_WORKERS, Settings, all_cores, hash_files};
use manyhash::AnyAlgorithm;
use std::io;
use std::iter;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The digest of a file, and how many bytes were read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Bytes that were read.
    pub bytes: u64,
    /// The digest of these bytes.
    pub digest: Vec<u8>,
}

/// The digests of a file's parts, which have the same size but for the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileParts {
    /// Bytes that were read.
    pub bytes: u64,
    /// The digest of each part, in their order. An empty file has none.
    pub digests: Vec<Box<[u8]>>,
}

/// A file's digest, or the system's words for why it could not be read.
pub type FileResult = Result<FileDigest, String>;

/// Files being hashed on threads of their own. When this is dropped, they stop.
#[derive(Debug)]
pub struct Run<T = FileDigest> {
    totals: Arc<Totals>,
    failed_files: Arc<AtomicU64>,
    results: Receiver<Results<T>>,
    finished: Option<Results<T>>,
}

/// What was found of each file, or why the whole could not be done.
type Results<T> = io::Result<Vec<Result<T, String>>>;

impl Run {
    /// Starts to hash the files at `paths` on `threads` threads; 0 is one for each CPU. A fifo or a
    /// device is read to its end, and `-` is a file of that name. A folder has an error for its
    /// result, and so has whatever cannot be read: the others go on. If the system allows no thread
    /// at all, this returns when all is done.
    pub fn start(paths: Vec<PathBuf>, algorithm: AnyAlgorithm, threads: usize) -> Self {
        Self::spawn(Settings::new(workers(threads)), move |settings, failed| {
            let mut collected = Collected { totals: Arc::clone(&settings.totals), algorithm, results: Vec::with_capacity(paths.len()) };
            let source = paths.into_iter().map(move |path| task(path, algorithm, &failed));
            hash_files(source, settings, &mut collected).map(|()| collected.results)
        })
    }
}

impl Run<FileParts> {
    /// Starts to hash the files at `paths` in parts of `part_bytes` bytes, as [`Run::start`] does for whole
    /// files. Parts of all files share the lanes of all threads, so that their size makes no difference. A
    /// fifo or a device has an error for its result.
    pub fn start_parts(paths: Vec<PathBuf>, part_bytes: NonZeroU64, algorithm: AnyAlgorithm, threads: usize) -> Self {
        let settings = Settings { hashing: Hashing::InLanes, ..Settings::new(workers(threads)) };
        Self::spawn(settings, move |settings, failed| {
            let mut collected =
                CollectedParts { totals: Arc::clone(&settings.totals), algorithm, results: Vec::with_capacity(paths.len()) };
            let source = paths.into_iter().flat_map(move |path| part_tasks(&path, part_bytes.get(), algorithm, &failed));
            hash_files(source, settings, &mut collected).map(|()| collected.results)
        })
    }
}

/// Returns the number of workers for a number of threads that somebody asks for.
fn workers(threads: usize) -> usize {
    if threads == 0 { all_cores() } else { threads.min(MAX_WORKERS) }
}

impl<T: Send + 'static> Run<T> {
    /// Starts a thread that does the work, or does it in this one.
    fn spawn(settings: Settings, work: impl FnOnce(&Settings, Arc<AtomicU64>) -> Results<T> + Send + 'static) -> Self {
        let totals = Arc::clone(&settings.totals);
        let failed_files = Arc::new(AtomicU64::new(0));
        let (sender, results) = mpsc::channel();
        let failed = Arc::clone(&failed_files);
        let hash = move || {
            // There may be nobody who wants it any more.
            let _ = sender.send(work(&settings, failed));
        };
        if let Err((hash, _)) = threads::start("files", hash, |hash| hash()) {
            hash();
        }
        Self { totals, failed_files, results, finished: None }
    }

    /// Waits until all is done, but no longer than `time`, and says whether all is done.
    pub fn wait(&mut self, time: Duration) -> bool {
        if self.finished.is_none() {
            self.finished = match self.results.recv_timeout(time) {
                Ok(result) => Some(result),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => Some(Err(panicked())),
            };
        }
        true
    }

    /// The number of files that are done so far, those included that could not be read, and of
    /// bytes that were read.
    pub fn counts(&self) -> (u64, u64) {
        let counts = self.totals.now();
        (counts.done_files + self.failed_files.load(Ordering::Relaxed), counts.done_bytes)
    }

    /// Waits until all is done, and gives the results in the order of the paths.
    ///
    /// # Errors
    /// If a thread panicked.
    pub fn finish(mut self) -> io::Result<Vec<Result<T, String>>> {
        self.finished.take().unwrap_or_else(|| self.results.recv().unwrap_or_else(|_| Err(panicked())))
    }
}

fn panicked() -> io::Error {
    io::Error::other("a thread of the pipeline panicked")
}

/// Stops the threads with the next piece of each file.
impl<T> Drop for Run<T> {
    fn drop(&mut self) {
        self.totals.stop();
    }
}

fn task(path: PathBuf, algorithm: AnyAlgorithm, failed_files: &AtomicU64) -> Task<()> {
    // Only the command takes it for standard input.
    let path = if path.as_os_str() == STDIN { Path::new(".").join(path) } else { path };
    let work = find::hashing(find::look_at(&path), algorithm.into());
    if matches!(work, Work::Failed(_)) {
        failed_files.fetch_add(1, Ordering::Relaxed);
    }
    Task { label: (), path, work }
}

/// The label of a part of a file.
struct PartLabel {
    /// The bytes that it must have.
    bytes: u64,
    is_first: bool,
}

/// Returns the tasks of a file's parts. A file that is empty, or whose error is known, has one task.
fn part_tasks(
    path: &Path,
    part_bytes: u64,
    algorithm: AnyAlgorithm,
    failed_files: &AtomicU64,
) -> Box<dyn Iterator<Item = Task<PartLabel>> + Send> {
    let path = if path.as_os_str() == STDIN { Path::new(".").join(path) } else { path.to_path_buf() };
    let file_bytes = match find::look_at(&path) {
        Ok(Readable::File { size_bytes, .. }) => Ok(size_bytes),
        Ok(Readable::Stream) => Err(io::Error::other("it must be a file: of a stream the length is not known before its end")),
        Err(error) => Err(error),
    };
    let file_bytes = match file_bytes {
        Ok(file_bytes) => file_bytes,
        Err(error) => {
            failed_files.fetch_add(1, Ordering::Relaxed);
            return Box::new(iter::once(Task { label: PartLabel { bytes: 0, is_first: true }, path, work: Work::Failed(error) }));
        }
    };
    Box::new((0..file_bytes.div_ceil(part_bytes).max(1)).map(move |index| {
        let start = index * part_bytes;
        let bytes = part_bytes.min(file_bytes - start);
        let is_last = start + bytes == file_bytes;
        // The last part ends where the file now ends.
        let part = Part::Range { start, end: if is_last { u64::MAX } else { start + bytes } };
        let work = Work::File { algorithms: algorithm.into(), size_bytes: bytes, part };
        Task { label: PartLabel { bytes, is_first: index == 0 }, path: path.clone(), work }
    }))
}

struct CollectedParts {
    totals: Arc<Totals>,
    algorithm: AnyAlgorithm,
    results: Vec<Result<FileParts, String>>,
}

impl Sink<PartLabel> for CollectedParts {
    fn take(&mut self, Finished { label, outcome, .. }: Finished<PartLabel>) -> io::Result<()> {
        self.totals.check_stopped()?;
        if label.is_first {
            self.results.push(Ok(FileParts::default()));
        }
        let Some(result) = self.results.last_mut() else { return Ok(()) };
        // The first error of a file is its result.
        let Ok(parts) = result else { return Ok(()) };
        match Hashed::of(outcome) {
            Ok(hashed) if hashed.bytes != label.bytes => *result = Err(reason(&changed())),
            Ok(hashed) if hashed.bytes == 0 => {}
            Ok(hashed) => {
                parts.bytes += hashed.bytes;
                parts.digests.push(hashed.digests.of(self.algorithm).into());
            }
            Err(error) => *result = Err(reason(&error)),
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.totals.check_stopped()
    }
}

struct Collected {
    totals: Arc<Totals>,
    algorithm: AnyAlgorithm,
    results: Vec<FileResult>,
}

impl Sink<()> for Collected {
    fn take(&mut self, finished: Finished<()>) -> io::Result<()> {
        self.totals.check_stopped()?;
        if let Some(outcome) = finished.outcome {
            let file_digest = |hashed: Hashed| FileDigest { bytes: hashed.bytes, digest: hashed.digests.of(self.algorithm).to_vec() };
            self.results.push(outcome.map(file_digest).map_err(|error| reason(&error)));
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.totals.check_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::thread;
    use std::time::Instant;

    #[test]
    fn results_come_in_the_order_of_the_paths_and_errors_among_them() {
        let folder = tempfile::TempDir::new().unwrap();
        let paths: Vec<PathBuf> = (0..500).map(|i| folder.path().join(i.to_string())).collect();
        for (i, path) in paths.iter().enumerate().filter(|(i, _)| i % 7 != 3) {
            fs::write(path, vec![i as u8; i * 97 % 5000]).unwrap();
        }
        for threads in [0, 1, 3] {
            let mut run = Run::start(paths.clone(), AnyAlgorithm::Sha1, threads);
            while !run.wait(Duration::from_millis(1)) {}
            assert_eq!(run.counts().0, 500);
            for (i, result) in run.finish().unwrap().into_iter().enumerate() {
                let expected = if i % 7 == 3 {
                    Err("No such file or directory".to_string())
                } else {
                    let content = vec![i as u8; i * 97 % 5000];
                    Ok(FileDigest { bytes: content.len() as u64, digest: manyhash::hash::<manyhash::Sha1>(&content).to_vec() })
                };
                assert_eq!(result, expected, "{i}");
            }
        }
    }

    #[test]
    fn parts_have_their_digests_whatever_their_size() {
        let folder = tempfile::TempDir::new().unwrap();
        let content: Vec<u8> = (0..1_000_003_u32).map(|i| ((i * 7) >> 3) as u8).collect();
        let paths: Vec<PathBuf> = ["a", "none", "empty", "b"].map(|name| folder.path().join(name)).into();
        fs::write(&paths[0], &content).unwrap();
        fs::write(&paths[2], "").unwrap();
        fs::write(&paths[3], &content[..4096]).unwrap();
        let parts = |content: &[u8], part_bytes: u64| {
            let digests = content.chunks(part_bytes as usize).map(|part| manyhash::hash::<manyhash::Sha256>(part).into()).collect();
            Ok(FileParts { bytes: content.len() as u64, digests })
        };
        for (part_bytes, threads) in [(1000, 0), (4096, 1), (100_000, 3), (1 << 40, 2)] {
            let run = Run::start_parts(paths.clone(), NonZeroU64::new(part_bytes).unwrap(), AnyAlgorithm::Sha256, threads);
            let none = Err("No such file or directory".to_string());
            let expected = [parts(&content, part_bytes), none, parts(&[], part_bytes), parts(&content[..4096], part_bytes)];
            assert_eq!(run.finish().unwrap(), expected);
        }
        let run = Run::start_parts(vec!["src".into()], NonZeroU64::MIN, AnyAlgorithm::Md5, 1);
        assert_eq!(run.finish().unwrap(), [Err("Is a directory".to_string())]);
    }

    #[test]
    fn a_folder_is_an_error_and_the_name_of_standard_input_a_file() {
        let results = Run::start(vec!["src".into(), "-".into()], AnyAlgorithm::Md5, 1).finish().unwrap();
        assert_eq!(results, [Err("Is a directory".to_string()), Err("No such file or directory".to_string())]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_run_that_nobody_waits_for_stops_reading() {
        for path in ["/dev/zero", "/proc/self/mem"] {
            let mut run = Run::start(vec![path.into()], AnyAlgorithm::Sha256, 1);
            run.wait(Duration::from_millis(20));
            let totals = Arc::clone(&run.totals);
            drop(run);
            let begin = Instant::now();
            // The thread lets go of the counts when it ends.
            while Arc::strong_count(&totals) > 1 {
                assert!(begin.elapsed() < Duration::from_secs(60), "{path} is still being read");
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}
