//! Digests kept from run to run: `--cache FILE`. CACHE.md says what users may rely on.
//!
//! ```text
//! source thread:  a file is found ── its stamp is known ──────────> reported without reading
//!                        │
//! workers:             hashed ──> queue ──> store thread: a transaction each half second, or each 2048 files
//! ```
//!
//! Digests are stored when workers have them, not when it is their turn in the output. So little is
//! lost if the run is killed while the first file of a window is still being read.

mod block_devices;
mod file_systems;
mod group;
#[cfg(feature = "hazmat")]
#[expect(clippy::expect_used, reason = "fuzz targets give what fits, and want to hear otherwise")]
pub(crate) mod hazmat;
mod store;

use crate::exit::Failure;
use crate::flags::CacheArguments;
use crate::message::{reason, say_of};
use crate::text::quoting::quoted;
use file_systems::FileSystems;
use group::{Difference, Group, GroupKey};
use manyhash_files::find::{Readable, hashing};
use manyhash_files::read::{FileId, Stamp};
use manyhash_files::threads::{self, unpoisoned};
use manyhash_files::{Algorithms, Hashed, Keeper, Settings, Work, file_name};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{Store, StoreError};

/// The age in nanoseconds that a file's last change must have when the run begins for its digests
/// to be stored. A younger file may change again and get the same times, because they are as coarse
/// as two seconds on some file systems, and a tick of the clock (up to 10 ms) on the others. Taking
/// the beginning of the run for that of the reading errs on the safe side. It also makes one look
/// at the ctime, after the reading, enough: a change meanwhile would be newer.
const SETTLED_NS: i128 = 2_000_000_000;

/// The longest time that digests wait to be stored.
const STORE_EVERY: Duration = Duration::from_millis(500);
/// The number of waiting files that are stored without waiting longer.
const BATCH_FILES: usize = 2048;
/// The number of waiting files at which workers wait for the store.
const MAX_WAITING_FILES: usize = 8 * BATCH_FILES;

#[derive(Clone, Debug)]
pub(crate) struct Cache(Option<Arc<Shared>>);

/// State that the source, the workers and the store thread share.
#[derive(Debug)]
struct Shared {
    program: OsString,
    /// The cache's path as the user gave it, for messages.
    name: PathBuf,
    /// The cache's path with links resolved.
    path: PathBuf,
    begun_ns: i128,
    /// The percentage of known files that are read anyway, to verify the cache.
    sample_percent: Option<u8>,
    store: Mutex<Access>,
    file_systems: Mutex<FileSystems>,
    queue: Mutex<Queue>,
    /// Signalled when a batch is full, or when nothing more comes.
    full: Condvar,
    emptied: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Whether the system allowed no store thread. The thread that fills a batch then stores it.
    has_no_thread: AtomicBool,
    differs: AtomicBool,
    counts: Counts,
}

/// The store, while it can be used.
#[derive(Debug)]
struct Access {
    store: Option<Store>,
    file: Option<FileId>,
    /// The group read last, because the next file is likely to be in it too.
    last: Option<(Group, bool)>,
    sample_start: u8,
    /// Whether a store was damaged in this run. A second one would mean a bad disk.
    was_damaged: bool,
}

#[derive(Debug, Default)]
struct Queue {
    files: Vec<(PathBuf, Stamp, Hashed)>,
    ended: bool,
}

#[derive(Debug, Default)]
struct Counts {
    reused: AtomicU64,
    stored: AtomicU64,
    verified: AtomicU64,
    unsettled: AtomicU64,
}

impl Cache {
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Opens the cache that was asked for, if one was. A cache that another process uses, or that
    /// fails for want of space, is reported and does not stop the run. Fails if the cache must not
    /// or cannot be used.
    pub(crate) fn open(program: &OsStr, arguments: &CacheArguments) -> Result<Self, Failure> {
        let Some(name) = &arguments.cache else { return Ok(Self::none()) };
        // Links are resolved, so that a damaged store is moved itself, and not a link to it.
        let path = std::fs::canonicalize(name).unwrap_or_else(|_| name.clone());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut shared = Shared {
            program: program.to_owned(),
            name: name.clone(),
            path,
            begun_ns: i128::try_from(now.as_nanos()).unwrap_or(i128::MAX),
            sample_percent: arguments.verify_cache,
            store: Mutex::new(Access { store: None, file: None, last: None, sample_start: 0, was_damaged: false }),
            file_systems: Mutex::default(),
            queue: Mutex::default(),
            full: Condvar::new(),
            emptied: Condvar::new(),
            thread: Mutex::default(),
            has_no_thread: AtomicBool::new(false),
            differs: AtomicBool::new(false),
            counts: Counts::default(),
        };
        let access = unpoisoned(shared.store.get_mut());
        if let Err(error) = access.open(&shared.path, day_of(shared.begun_ns)) {
            match error {
                StoreError::Damaged(_) | StoreError::Busy | StoreError::Disk(_) => {}
                StoreError::Foreign | StoreError::Newer(_) => {
                    shared.say(error);
                    return Err(Failure::said_usage());
                }
                StoreError::Unusable(_) => return Err(Failure::with(name, error)),
            }
            shared.failed(&mut shared.access(), error);
        }
        if let Some(version) = shared.access().store.as_ref().and_then(Store::emptied) {
            shared.say(format_args!("is of an older manyhash (version {version}), whose digests are not trusted any more; begun anew"));
        }
        let shared = Arc::new(shared);
        match threads::start("store", Arc::clone(&shared), |shared| {
            // If this thread panics, nobody waits for it any more.
            let _guard = threads::if_panicking(|| {
                shared.queue().ended = true;
                shared.emptied.notify_all();
            });
            shared.store_until_the_end();
        }) {
            Ok(thread) => *unpoisoned(shared.thread.lock()) = Some(thread),
            Err(_) => shared.has_no_thread.store(true, Ordering::Relaxed),
        }
        Ok(Self(Some(shared)))
    }

    /// Returns the files of the cache, which are not to be hashed with the rest.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.0.iter().flat_map(|shared| [shared.path.clone(), store::log_of(&shared.path)]).collect()
    }

    /// Returns `settings` with a keeper that stores the digests.
    pub(crate) fn kept(&self, settings: Settings) -> Settings {
        match &self.0 {
            Some(shared) => Settings { keeper: Some(Arc::clone(shared) as Arc<dyn Keeper>), ..settings },
            None => settings,
        }
    }

    /// Returns the work for the file at `path`, which is none if its digests are known.
    pub(crate) fn hashing(&self, path: &Path, what: io::Result<Readable>, algorithms: Algorithms) -> Work {
        if let (Some(shared), Ok(Readable::File { stamp: Some(stamp), .. })) = (&self.0, &what)
            && let Some(work) = shared.known(path, stamp, algorithms)
        {
            return work;
        }
        hashing(what, algorithms)
    }

    /// Stores the waiting digests. Returns whether all files read again have the stored digests.
    pub(crate) fn finish(&self, verbose: bool) -> bool {
        let Some(shared) = &self.0 else { return true };
        shared.queue().ended = true;
        shared.full.notify_one();
        if let Some(thread) = unpoisoned(shared.thread.lock()).take() {
            if let Err(panic) = thread.join() {
                panic::resume_unwind(panic);
            }
        } else if shared.has_no_thread.load(Ordering::Relaxed) {
            shared.store_until_the_end();
        }
        shared.end();
        if verbose {
            shared.say_counts();
        }
        !shared.differs.load(Ordering::Relaxed)
    }
}

impl Keeper for Shared {
    fn keep(&self, path: &Path, hashed: &Hashed) {
        let Some(stamp) = hashed.stamp else { return };
        // A file of another length than it says, or of none, may be made up as it is read.
        if hashed.bytes != stamp.size_bytes || hashed.bytes == 0 {
            return;
        }
        let Some(identity) = self.file_systems().identity_to_store(path, stamp.file.device, stamp.changed_ns) else { return };
        if stamp.changed_ns + SETTLED_NS > self.begun_ns {
            self.counts.unsettled.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.enqueue((path.to_path_buf(), lasting(stamp, identity), hashed.clone()));
    }
}

impl Shared {
    fn access(&self) -> MutexGuard<'_, Access> {
        unpoisoned(self.store.lock())
    }

    fn file_systems(&self) -> MutexGuard<'_, FileSystems> {
        unpoisoned(self.file_systems.lock())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        unpoisoned(self.queue.lock())
    }

    /// Passes a file to the store thread, as soon as the queue has room.
    fn enqueue(&self, file: (PathBuf, Stamp, Hashed)) {
        let mut queue = self.queue();
        while queue.files.len() >= MAX_WAITING_FILES && !queue.ended {
            queue = unpoisoned(self.emptied.wait(queue));
        }
        queue.files.push(file);
        if queue.files.len() >= BATCH_FILES && self.has_no_thread.load(Ordering::Relaxed) {
            let files = mem::take(&mut queue.files);
            drop(queue);
            self.store(&files);
        } else if queue.files.len() == BATCH_FILES {
            self.full.notify_one();
        }
    }

    /// Returns the work for a file that the store knows, or `None` if it has to be hashed.
    fn known(&self, path: &Path, stamp: &Stamp, algorithms: Algorithms) -> Option<Work> {
        let mut access = self.access();
        if access.file == Some(stamp.file) {
            // Opening and closing the database would take away SQLite's lock on it.
            return Some(Work::Failed(io::Error::other("is the cache of this run")));
        }
        // A file that is not trusted is counted when it has been hashed.
        let lasting = lasting(*stamp, self.file_systems().identity(path, stamp.file.device).ok()?);
        let (group, is_stale) = match access.group(GroupKey::of(lasting.file)) {
            Ok(group) => group?,
            Err(error) => {
                self.failed(&mut access, error);
                return None;
            }
        };
        let is_stale = *is_stale;
        let entry = group.find(lasting.file).filter(|entry| entry.stamp == lasting)?;
        let digests = entry.digests(algorithms)?;
        let is_sampled = self.sample_percent.is_some_and(|percent| is_sampled(lasting.file, access.sample_start, percent));
        drop(access);
        if is_sampled {
            self.counts.verified.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        self.counts.reused.fetch_add(1, Ordering::Relaxed);
        let hashed = Hashed { digests, bytes: stamp.size_bytes, stamp: Some(*stamp) };
        if is_stale {
            // Storing a group again notes that it is used.
            self.enqueue((PathBuf::new(), lasting, hashed.clone()));
        }
        Some(Work::Known(hashed))
    }

    fn store_until_the_end(&self) {
        loop {
            let is_waiting = |queue: &mut Queue| queue.files.len() < BATCH_FILES && !queue.ended;
            let (mut queue, _) = unpoisoned(self.full.wait_timeout_while(self.queue(), STORE_EVERY, is_waiting));
            let files = mem::take(&mut queue.files);
            let ended = queue.ended;
            drop(queue);
            self.emptied.notify_all();
            for batch in files.chunks(BATCH_FILES) {
                self.store(batch);
            }
            if ended {
                return;
            }
        }
    }

    fn store(&self, batch: &[(PathBuf, Stamp, Hashed)]) {
        let mut files: Vec<_> = batch.iter().collect();
        // The sort is stable: of a file hashed twice, the later result comes later.
        files.sort_by_key(|(_, stamp, _)| stamp.file);
        let mut access = self.access();
        let mut result = access.put(&files);
        if let Err(error @ StoreError::Damaged(_)) = result {
            self.failed(&mut access, error);
            result = access.put(&files);
        }
        match result {
            Ok(differences) => {
                drop(access);
                for (path, difference) in differences {
                    self.say_difference(path, &difference);
                }
                self.counts
                    .stored
                    .fetch_add(files.iter().filter(|(path, ..)| !path.as_os_str().is_empty()).count() as u64, Ordering::Relaxed);
            }
            Err(error) => self.failed(&mut access, error),
        }
    }

    /// Goes on after an error: with a new store if the old one is damaged, otherwise without one.
    fn failed(&self, access: &mut Access, error: StoreError) {
        access.last = None;
        // The store is closed before its file is moved.
        access.store = None;
        if let StoreError::Damaged(_) = error
            && !mem::replace(&mut access.was_damaged, true)
        {
            match store::set_aside(&self.path) {
                Ok(aside) => {
                    let aside =
                        quoted(&file_name::bytes_of(&aside)).utf8_chunks().map(|chunk| chunk.valid().to_string()).collect::<String>();
                    self.say(format_args!("the cache is {error}; kept as {aside}, and a new one begun"));
                    match access.open(&self.path, day_of(self.begun_ns)) {
                        Ok(()) => return,
                        Err(error) => return self.say(format_args!("{error}; going on without a cache")),
                    }
                }
                Err(failure) => self.say(format_args!("the cache is damaged and cannot be moved: {}", reason(&failure))),
            }
        }
        self.say(format_args!("{error}; going on without the cache"));
    }

    /// Notes the state for the next run, and closes the store.
    fn end(&self) {
        let mut access = self.access();
        let Some(store) = &access.store else { return };
        let next_start = (u16::from(access.sample_start) + u16::from(self.sample_percent.unwrap_or(0))) % 100;
        if let Err(error) = store.end(next_start.into()) {
            self.failed(&mut access, error);
        }
        access.store = None;
    }

    fn say(&self, what: impl std::fmt::Display) {
        say_of(&self.program, &file_name::bytes_of(&self.name), what);
    }

    fn say_difference(&self, path: &Path, Difference { algorithm, stored }: &Difference) {
        self.differs.store(true, Ordering::Relaxed);
        let stored = const_hex::encode(stored);
        let text = format!(
            "its {algorithm} is not the one in the cache, though the file seems unchanged; the cache had {stored} and is corrected"
        );
        say_of(&self.program, &file_name::bytes_of(path), text);
    }

    fn say_counts(&self) {
        let Counts { reused, stored, verified, unsettled } = &self.counts;
        let [reused, stored, verified, unsettled] = [reused, stored, verified, unsettled].map(|count| count.load(Ordering::Relaxed));
        let mut text = format!("digests: {reused} reused, {stored} stored");
        if self.sample_percent.is_some() {
            text += &format!(", {verified} verified");
        }
        if unsettled > 0 {
            text += &format!(", {unsettled} not stored because the files changed just before");
        }
        self.say(text);
        for (distrust, files) in self.file_systems().distrusted() {
            self.say(format_args!("not cached: {files} {} {distrust}", if files == 1 { "file" } else { "files" }));
        }
    }
}

impl Access {
    fn open(&mut self, path: &Path, day: i64) -> Result<(), StoreError> {
        let store = Store::open(path, day)?;
        self.sample_start = store.state()?.verified_percent.rem_euclid(100) as u8;
        self.file = std::fs::metadata(path).ok().and_then(|metadata| Stamp::of(&metadata)).map(|stamp| stamp.file);
        self.store = Some(store);
        Ok(())
    }

    /// Returns the group of `key` and whether its use should be noted, or `None` without a store.
    fn group(&mut self, key: GroupKey) -> Result<Option<&(Group, bool)>, StoreError> {
        let Some(store) = &self.store else { return Ok(None) };
        if self.last.as_ref().is_none_or(|(group, _)| group.key() != key) {
            self.last = Some(store.group(key)?);
        }
        Ok(self.last.as_ref())
    }

    /// Stores `files`, sorted by their stamps' files. Returns those whose stored digests differ.
    fn put<'a>(&mut self, files: &[&'a (PathBuf, Stamp, Hashed)]) -> Result<Vec<(&'a Path, Difference)>, StoreError> {
        self.last = None;
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        store.transaction(|| {
            let mut differences = Vec::new();
            for files in files.chunk_by(|(_, a, _), (_, b, _)| GroupKey::of(a.file) == GroupKey::of(b.file)) {
                let [(_, first, _), ..] = files else { continue };
                let (mut group, _) = store.group(GroupKey::of(first.file))?;
                for (path, stamp, hashed) in files {
                    differences.extend(group.put(*stamp, &hashed.digests).map(|difference| (path.as_path(), difference)));
                }
                store.put(&group)?;
            }
            Ok(differences)
        })
    }
}

/// Returns `stamp` with the identity of its file system in place of the device's number.
fn lasting(stamp: Stamp, identity: u64) -> Stamp {
    Stamp { file: FileId { device: identity, ..stamp.file }, ..stamp }
}

fn day_of(time_ns: i128) -> i64 {
    i64::try_from(time_ns / (24 * 3600 * 1_000_000_000)).unwrap_or(0)
}

/// Whether a file is in the sample of `percent` percent that begins at `start` percent. Consecutive
/// runs take consecutive samples, so that in 20 runs of 5 % each file is read once.
fn is_sampled(file: FileId, start: u8, percent: u8) -> bool {
    // The golden ratio spreads neighbouring numbers evenly, as in Fibonacci hashing.
    let spread = (file.inode ^ file.device.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = ((u128::from(spread) * 100) >> 64) as u16;
    (place + 100 - u16::from(start)) % 100 < u16::from(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_consecutive_runs_are_all_files_once() {
        for percent in [1, 5, 7, 50, 100] {
            let runs = 100_u16.div_ceil(percent);
            let mut times = 0;
            for inode in 0..10_000 {
                let file = FileId { device: 66_304, inode };
                let starts = (0..runs).map(|run| (37 + run * percent) % 100);
                let sampled = starts.filter(|&start| is_sampled(file, start as u8, percent as u8)).count();
                assert!(sampled == 1 || (sampled == 2 && 100 % percent != 0), "{sampled} times, {percent} %");
                times += sampled;
            }
            assert!(times >= 10_000);
            let sampled = (0..10_000).filter(|&inode| is_sampled(FileId { device: 66_304, inode }, 95, percent as u8)).count();
            assert!(sampled.abs_diff(100 * usize::from(percent)) < 100, "{sampled} of 10000 are {percent} %");
        }
    }
}
