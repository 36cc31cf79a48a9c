//! Digests of a list of files.

use crate::error::reason;
use crate::find;
use crate::task::{Finished, Hashed, STDIN, Sink, Task, Work};
use crate::threads;
use crate::totals::Totals;
use crate::workers::{MAX_WORKERS, Settings, all_cores, hash_files};
use manyhash::AnyAlgorithm;
use std::io;
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

/// A file's digest, or the system's words for why it could not be read.
pub type FileResult = Result<FileDigest, String>;

/// Files being hashed on threads of their own. When this is dropped, they stop.
#[derive(Debug)]
pub struct Run {
    totals: Arc<Totals>,
    failed_files: Arc<AtomicU64>,
    results: Receiver<io::Result<Vec<FileResult>>>,
    finished: Option<io::Result<Vec<FileResult>>>,
}

impl Run {
    /// Starts to hash the files at `paths` on `threads` threads; 0 is one for each CPU. A fifo or a
    /// device is read to its end, and `-` is a file of that name. A folder has an error for its
    /// result, and so has whatever cannot be read: the others go on. If the system allows no thread
    /// at all, this returns when all is done.
    pub fn start(paths: Vec<PathBuf>, algorithm: AnyAlgorithm, threads: usize) -> Self {
        let settings = Settings::new(if threads == 0 { all_cores() } else { threads.min(MAX_WORKERS) });
        let totals = Arc::clone(&settings.totals);
        let failed_files = Arc::new(AtomicU64::new(0));
        let (sender, results) = mpsc::channel();
        let failed = Arc::clone(&failed_files);
        let hash = move || {
            let mut collected = Collected { totals: Arc::clone(&settings.totals), algorithm, results: Vec::with_capacity(paths.len()) };
            let source = paths.into_iter().map(move |path| task(path, algorithm, &failed));
            let result = hash_files(source, &settings, &mut collected).map(|()| collected.results);
            // There may be nobody who wants it any more.
            let _ = sender.send(result);
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
    pub fn finish(mut self) -> io::Result<Vec<FileResult>> {
        self.finished.take().unwrap_or_else(|| self.results.recv().unwrap_or_else(|_| Err(panicked())))
    }
}

fn panicked() -> io::Error {
    io::Error::other("a thread of the pipeline panicked")
}

/// Stops the threads with the next piece of each file.
impl Drop for Run {
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
