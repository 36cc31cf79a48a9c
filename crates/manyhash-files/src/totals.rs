//! What has been found and done so far, for showing progress, and whether to go on.

use crate::task::Work;
use crate::threads::unpoisoned;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Files of at least this number of bytes are listed one by one while they are read.
const LARGE_BYTES: u64 = 16 << 20;

/// Counts of a run, and whether anybody still wants it.
#[derive(Debug, Default)]
pub struct Totals {
    found_files: AtomicU64,
    found_bytes: AtomicU64,
    done_files: AtomicU64,
    done_bytes: AtomicU64,
    /// Sizes in bytes of the files found whose digests are known.
    known_bytes: AtomicU64,
    found_all: AtomicBool,
    stopped: AtomicBool,
    ahead: Mutex<Option<Ahead>>,
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

/// How much there is in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The number of files.
    pub files: u64,
    /// Sizes in bytes of the files to read together.
    pub bytes: u64,
    /// Whether the bytes were counted. Otherwise the files that were not are taken to be as large as
    /// the others.
    pub is_counted: bool,
}

/// What was counted ahead of the run.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    files: u64,
    /// How many of the files have their sizes counted.
    sized_files: u64,
    /// The sizes of these files together, in bytes.
    bytes: u64,
}

#[derive(Debug)]
struct LargeFile {
    path: PathBuf,
    size_bytes: u64,
    read_bytes: AtomicU64,
    /// Two moments of the last seconds, the later one last, and the bytes read by then.
    moments: Mutex<[(Instant, u64); 2]>,
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

    /// How much there is in all, once all is found or was counted ahead.
    pub fn whole(&self) -> Option<Whole> {
        let has_found_all = self.has_found_all();
        let Counts { found_files, found_bytes, .. } = self.now();
        if has_found_all {
            return Some(Whole { files: found_files, bytes: found_bytes, is_counted: true });
        }
        let ahead = (*unpoisoned(self.ahead.lock()))?;
        let files = ahead.files.max(found_files);
        // Those found whose digests are known are not in the bytes to read.
        let all_found = found_bytes.saturating_add(self.known_bytes.load(Ordering::Relaxed));
        let is_counted = ahead.sized_files == ahead.files;
        let all_bytes = match ahead.sized_files.max(found_files) {
            _ if is_counted => ahead.bytes as f64,
            0 => return None,
            sized if sized == found_files => all_found as f64 * share(files, found_files),
            sized => ahead.bytes as f64 * share(files, sized),
        };
        // Of the rest, as large a share will be known as of what was found.
        let missing = (all_bytes - all_found as f64).max(0.0) * share(found_bytes, all_found);
        Some(Whole { files, bytes: found_bytes.saturating_add(missing as u64), is_counted })
    }

    /// Counts the files that a run is going to find, so that the whole is known before the run has
    /// found it: folders are searched no further ahead of hashing than the window allows. `sizes` has
    /// the size in bytes of each file, or nothing if it is not known. To count files first and then
    /// files with their sizes tells their number early. This gives up when the run has found all, or
    /// was stopped.
    pub fn count_ahead(&self, sizes: impl IntoIterator<Item = Option<u64>>) {
        /// How many files are counted before the others may know.
        const TOLD_FILES: u64 = 256;
        let mut counted = Ahead { files: 0, sized_files: 0, bytes: 0 };
        for size in sizes {
            if self.has_found_all() || self.check_stopped().is_err() {
                return;
            }
            counted.files += 1;
            if let Some(size) = size {
                counted.sized_files += 1;
                counted.bytes = counted.bytes.saturating_add(size);
            }
            if counted.files.is_multiple_of(TOLD_FILES)
                && let Some(ahead) = &mut *unpoisoned(self.ahead.lock())
            {
                *ahead = Ahead { files: ahead.files.max(counted.files + 1), ..counted };
            }
        }
        *unpoisoned(self.ahead.lock()) = Some(counted);
    }

    /// Notes that there will be `files` files in all, with `bytes` bytes in them.
    pub fn expect(&self, files: u64, bytes: u64) {
        *unpoisoned(self.ahead.lock()) = Some(Ahead { files, sized_files: files, bytes });
    }

    /// The large file that has most left to read: its path, the bytes read of it, and its size in
    /// bytes.
    pub fn slowest(&self) -> Option<(PathBuf, u64, u64)> {
        let large = unpoisoned(self.large.lock());
        let files = large.iter().map(|file| (file, file.read_bytes.load(Ordering::Relaxed)));
        let slowest = files.max_by_key(|(file, read_bytes)| file.size_bytes.saturating_sub(*read_bytes));
        slowest.map(|(file, read_bytes)| (file.path.clone(), read_bytes, file.size_bytes))
    }

    /// How long it will be at least until the large files are read, as fast as each is read now: no
    /// other thread can help with a file. Nothing if there is none, or it is too soon to tell.
    pub fn longest_left(&self) -> Option<Duration> {
        let large = unpoisoned(self.large.lock());
        large.iter().filter_map(|file| file.left(Instant::now())).max()
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
            Work::Known(ref hashed) => {
                self.known_bytes.fetch_add(hashed.bytes, Ordering::Relaxed);
                self.done_files.fetch_add(1, Ordering::Relaxed);
            }
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

impl LargeFile {
    /// How long the rest of the file will take, as fast as it was read in the last seconds.
    fn left(&self, now: Instant) -> Option<Duration> {
        const EVERY: Duration = Duration::from_secs(4);
        let read_bytes = self.read_bytes.load(Ordering::Relaxed);
        let mut moments = unpoisoned(self.moments.lock());
        let [(then, bytes_then), last] = *moments;
        if now.saturating_duration_since(last.0) >= EVERY {
            *moments = [last, (now, read_bytes)];
        }
        let (time, bytes) = (now.saturating_duration_since(then), read_bytes.saturating_sub(bytes_then));
        let seconds = time.as_secs_f64() * self.size_bytes.saturating_sub(read_bytes) as f64 / bytes as f64;
        if bytes > 0 && time >= Duration::from_secs(1) { Duration::try_from_secs_f64(seconds).ok() } else { None }
    }
}

/// The part that `part` is of `whole`; all if that is nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
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
            let (path, read_bytes, moments) = (path.to_path_buf(), AtomicU64::new(0), Mutex::new([(Instant::now(), 0); 2]));
            let file = Arc::new(LargeFile { path, size_bytes, read_bytes, moments });
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
    use crate::algorithms::Digests;
    use crate::task::Hashed;

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

    #[test]
    fn a_file_takes_on_as_in_the_last_seconds() {
        let begun = Instant::now();
        let file =
            LargeFile { path: PathBuf::new(), size_bytes: 100_000, read_bytes: AtomicU64::new(0), moments: Mutex::new([(begun, 0); 2]) };
        let left = |second, read_bytes| {
            file.read_bytes.store(read_bytes, Ordering::Relaxed);
            file.left(begun + Duration::from_secs(second)).map(|left| left.as_secs())
        };
        assert_eq!([left(0, 10), left(9, 0)], [None, None]);
        assert_eq!(left(10, 10_000), Some(90));
        // From now on it is read ten times as fast.
        let lefts: Vec<_> = (11..20).map(|second| left(second, 10_000 * (second - 9)).unwrap()).collect();
        assert!(lefts.is_sorted_by(|a, b| a > b) && lefts.ends_with(&[1, 0]), "{lefts:?}");
        assert_eq!(left(20, 100_001), Some(0));
        let totals = Arc::new(Totals::default());
        let reading = Reading::begin(&totals, Path::new("large"), LARGE_BYTES);
        reading.read(5);
        assert_eq!(totals.longest_left(), None);
    }

    fn whole(files: u64, bytes: u64, is_counted: bool) -> Option<Whole> {
        Some(Whole { files, bytes, is_counted })
    }

    #[test]
    fn the_whole_is_what_was_counted_ahead_until_all_is_found() {
        let totals = Totals::default();
        totals.found_file(100);
        assert_eq!(totals.whole(), None);
        totals.count_ahead([None; 4]);
        assert_eq!(totals.whole(), whole(4, 400, false));
        totals.count_ahead([Some(100), Some(7), Some(0), Some(1)]);
        assert_eq!(totals.whole(), whole(4, 108, true));
        // There are more than were counted, as files came meanwhile.
        for _ in 0..4 {
            totals.found_file(50);
        }
        assert_eq!(totals.whole(), whole(5, 300, true));
        totals.found_all();
        totals.expect(9, 9);
        assert_eq!(totals.whole(), whole(5, 300, true));
    }

    #[test]
    fn what_is_counted_so_far_tells_of_the_rest() {
        let totals = Totals::default();
        totals.count_ahead([None; 1024]);
        assert_eq!(totals.whole(), None);
        let sizes = (0..1024).map(|file| {
            match file {
                511 => assert_eq!(totals.whole(), whole(1024, 10 * 1024, false)),
                1023 => assert_eq!(totals.whole(), whole(1024, (2560 + 512 * 20) * 4 / 3, false)),
                _ => {}
            }
            Some(if file < 256 { 10 } else { 20 })
        });
        totals.count_ahead(sizes);
        assert_eq!(totals.whole(), whole(1024, 2560 + 768 * 20, true));
    }

    #[test]
    fn of_the_rest_as_many_bytes_are_known_as_of_what_was_found() {
        let totals = Totals::default();
        totals.count_ahead([Some(1000); 10]);
        assert_eq!(totals.whole(), whole(10, 10_000, true));
        let digests = Digests::of_contents(Vec::new());
        for bytes in [1000, 1000, 1000] {
            totals.found(&Work::Known(Hashed { digests: digests.clone(), bytes, stamp: None }));
        }
        totals.found_file(1000);
        assert_eq!(totals.whole(), whole(10, 1000 + 6000 / 4, true));
        totals.found_all();
        assert_eq!(totals.whole(), whole(4, 1000, true));
    }

    #[test]
    fn counting_ends_with_the_run() {
        let totals = Totals::default();
        totals.found_file(1);
        totals.count_ahead([Some(1); 3].into_iter().inspect(|_| totals.stop()));
        assert_eq!(totals.whole(), None);
        totals.found_all();
        totals.count_ahead(std::iter::repeat(Some(1)));
        assert_eq!(totals.whole(), whole(1, 1, true));
    }
}
