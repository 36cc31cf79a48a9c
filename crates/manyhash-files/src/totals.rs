//! What has been found and done so far, for showing progress, and whether to go on.

use crate::task::Work;
use crate::threads::unpoisoned;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Files of at least this number of bytes are listed one by one while they are read.
const LARGE_BYTES: u64 = 16 << 20;

/// Counts of a run, and whether anybody still wants it.
#[derive(Debug, Default)]
pub struct Totals {
    found_files: AtomicU64,
    found_bytes: AtomicU64,
    done_files: AtomicU64,
    done_bytes: AtomicU64,
    found_all: AtomicBool,
    stopped: AtomicBool,
    large: Mutex<Vec<Arc<LargeFile>>>,
}

/// The counts at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The number of files found.
    pub found_files: u64,
    /// Sizes in bytes of the files found together, or the bytes read if these are more.
    pub found_bytes: u64,
    /// The number of files hashed.
    pub done_files: u64,
    /// The number of bytes hashed.
    pub done_bytes: u64,
}

#[derive(Debug)]
struct LargeFile {
    path: PathBuf,
    size_bytes: u64,
    read_bytes: AtomicU64,
}

impl Totals {
    /// The counts now.
    pub fn now(&self) -> Counts {
        let load = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let (found_bytes, done_bytes) = (load(&self.found_bytes), load(&self.done_bytes));
        Counts {
            found_files: load(&self.found_files),
            found_bytes: found_bytes.max(done_bytes),
            done_files: load(&self.done_files),
            done_bytes,
        }
    }

    /// The large file that has most left to read: its path, the bytes read of it, and its size in
    /// bytes.
    pub fn slowest(&self) -> Option<(PathBuf, u64, u64)> {
        let large = unpoisoned(self.large.lock());
        let files = large.iter().map(|file| (file, file.read_bytes.load(Ordering::Relaxed)));
        let slowest = files.max_by_key(|(file, read_bytes)| file.size_bytes.saturating_sub(*read_bytes));
        slowest.map(|(file, read_bytes)| (file.path.clone(), read_bytes, file.size_bytes))
    }

    /// Counts work that was found.
    pub fn found(&self, work: &Work) {
        match *work {
            Work::File { size_bytes, part, .. } if part.is_first() => return self.found_file(size_bytes),
            // This is another part of a file that has been counted.
            Work::File { size_bytes, .. } => {
                self.found_bytes.fetch_add(size_bytes, Ordering::Relaxed);
                return;
            }
            Work::Known(_) => _ = self.done_files.fetch_add(1, Ordering::Relaxed),
            Work::Stream { .. } | Work::Failed(_) => {}
            Work::Nothing => return,
        }
        self.found_files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a file of `size_bytes` bytes that was found.
    pub fn found_file(&self, size_bytes: u64) {
        self.found_bytes.fetch_add(size_bytes, Ordering::Relaxed);
        self.found_files.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that there is no more to find, so that what was found is the whole.
    pub fn found_all(&self) {
        self.found_all.store(true, Ordering::Relaxed);
    }

    /// Whether there is no more to find.
    pub fn has_found_all(&self) -> bool {
        self.found_all.load(Ordering::Relaxed)
    }

    /// Counts a file that was hashed.
    pub fn done(&self) {
        self.done_files.fetch_add(1, Ordering::Relaxed);
    }

    /// Stops the run, because nobody wants results any more: reading ends with the next piece of
    /// each file.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the run may go on.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn check_stopped(&self) -> io::Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }

    /// Counts bytes that were read, without saying of which file.
    pub fn read(&self, bytes: usize) {
        self.done_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// A file that is being read: it is listed among the large ones while this lives.
#[derive(Debug)]
pub struct Reading {
    totals: Arc<Totals>,
    large: Option<Arc<LargeFile>>,
}

impl Reading {
    /// Lists the file at `path`, which has `size_bytes` bytes.
    pub fn begin(totals: &Arc<Totals>, path: &Path, size_bytes: u64) -> Self {
        let large = (size_bytes >= LARGE_BYTES).then(|| {
            let file = Arc::new(LargeFile { path: path.to_path_buf(), size_bytes, read_bytes: AtomicU64::new(0) });
            unpoisoned(totals.large.lock()).push(Arc::clone(&file));
            file
        });
        Self { totals: Arc::clone(totals), large }
    }

    /// Whether the run may go on.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn check_stopped(&self) -> io::Result<()> {
        self.totals.check_stopped()
    }

    /// Counts bytes that were read of the file.
    pub fn read(&self, bytes: usize) {
        self.totals.read(bytes);
        if let Some(large) = &self.large {
            large.read_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Takes `bytes` bytes back that were counted, because they are read again.
    pub(crate) fn take_back(&self, bytes: u64) {
        self.totals.done_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(large) = &self.large {
            large.read_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(large) = &self.large {
            unpoisoned(self.totals.large.lock()).retain(|file| !Arc::ptr_eq(file, large));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_file_is_the_one_with_most_left() {
        let totals = Arc::new(Totals::default());
        let small = Reading::begin(&totals, Path::new("small"), LARGE_BYTES - 1);
        small.read(5);
        assert_eq!(totals.slowest(), None);
        let large = Reading::begin(&totals, Path::new("large"), LARGE_BYTES);
        let larger = Reading::begin(&totals, Path::new("larger"), LARGE_BYTES + 9);
        assert_eq!(totals.slowest(), Some(("larger".into(), 0, LARGE_BYTES + 9)));
        larger.read(10);
        assert_eq!(totals.slowest(), Some(("large".into(), 0, LARGE_BYTES)));
        drop(large);
        assert_eq!(totals.slowest(), Some(("larger".into(), 10, LARGE_BYTES + 9)));
        drop(larger);
        assert_eq!((totals.slowest(), totals.now().done_bytes), (None, 15));
    }
}
