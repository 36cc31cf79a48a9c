//! The store: an SQLite database of [`Group`]s.
//!
//! It is SQLite and not redb, although redb is written in Rust. Of 1,200 copies of a database with
//! damage in one place each (a bit, eight bytes, a page of zeros), SQLite 3 reported or survived
//! all. redb 4.1, the newest for our Rust, panicked on 341.
//!
//! One process at a time uses a store: it holds SQLite's exclusive lock from opening to closing. So
//! the write-ahead log needs no shared memory, and works on network file systems. A commit is a
//! write to the log, which survives a killed process. A power failure can take only the latest
//! commits, because the log is synchronised before it is moved into the database.

use super::group::{Group, GroupKey};
use crate::message::reason;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, ffi};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of the program that an SQLite database belongs to: "mhca".
const APPLICATION_ID: i32 = 0x6d68_6361;
const APPLICATION_ID_OFFSET: usize = 68;

/// The version of the tables below and of their content.
const VERSION: i32 = 2;

/// The beginning of the tables' names. It is in the first page even if the number above is damaged.
const TABLE_PREFIX: &[u8] = b"manyhash_cache_";

const FILES: &str = "CREATE TABLE manyhash_cache_files (file_system INTEGER NOT NULL, block INTEGER NOT NULL, day INTEGER NOT NULL, \
                     row BLOB NOT NULL, PRIMARY KEY (file_system, block)) STRICT, WITHOUT ROWID";
/// The table in version 1, which told files apart by `st_dev`, a number that is given out again.
const FILES_OF_VERSION_1: &str = "CREATE TABLE manyhash_cache_files (device INTEGER NOT NULL, block INTEGER NOT NULL, \
                                  day INTEGER NOT NULL, row BLOB NOT NULL, PRIMARY KEY (device, block)) STRICT, WITHOUT ROWID";
const STATE: &str = "CREATE TABLE manyhash_cache_state (dropped_day INTEGER NOT NULL, verified_percent INTEGER NOT NULL) STRICT";

/// The page size. A page holds a group of the usual size without a chain of further pages.
const PAGE_BYTES: u32 = 16 << 10;
/// The memory in which SQLite may keep pages of the database.
const MEMORY_KIB: i64 = 16 << 10;

/// The time that opening waits for another process that has the store open.
const PATIENCE: Duration = Duration::from_millis(200);

/// For how many days a group is kept after a run last used it. A file read every quarter stays.
const KEPT_DAYS: i64 = 100;
/// After how many days a group's use is noted again, and old groups are dropped. Doing that in
/// every run would cost writes.
pub(crate) const NOTED_DAYS: i64 = 10;

#[derive(Debug)]
pub(crate) enum StoreError {
    /// The file is something else than a store.
    Foreign,
    Newer(i32),
    Damaged(String),
    Busy,
    /// The disk is full, or fails.
    Disk(String),
    Unusable(String),
}

type Result<T> = std::result::Result<T, StoreError>;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error;
        let text = match &error {
            Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => other.to_string(),
        };
        let Some(code) = error.sqlite_error() else { return Self::Damaged(text) };
        match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly => Self::Unusable(text),
            ErrorCode::SystemIoFailure if code.extended_code == ffi::SQLITE_IOERR_SHORT_READ => Self::Damaged(text),
            ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory => Self::Disk(text),
            _ => Self::Damaged(text),
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Disk(reason(&error)),
            // A temporary file's error has its name behind the reason.
            _ => Self::Unusable(reason(&error).split(" (os error ").next().unwrap_or_default().into()),
        }
    }
}

/// The state that a store keeps from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The day on which old groups were last dropped.
    pub(crate) dropped_day: i64,
    /// The percentage at which the next sample begins.
    pub(crate) verified_percent: i64,
}

#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    /// Today, in days since 1970.
    day: i64,
    /// The older version that this store had before it was emptied.
    emptied: Option<i32>,
}

impl Store {
    /// Opens the store at `path`. Creates it if the file is missing or empty, and empties it if its
    /// digests are an older version's.
    pub(crate) fn open(path: &Path, day: i64) -> Result<Self> {
        if !exists(path)? {
            make(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let text = |row: &rusqlite::Row| row.get::<_, String>(0);
        // If anything were read before, the log would be opened with memory shared through a file.
        connection.query_row("PRAGMA locking_mode = EXCLUSIVE", (), text)?;
        for pragma in ["cell_size_check = ON", "trusted_schema = OFF", "temp_store = MEMORY", "synchronous = NORMAL"] {
            connection.execute_batch(&format!("PRAGMA {pragma}"))?;
        }
        connection.pragma_update(None, "cache_size", -MEMORY_KIB)?;
        let version: i32 = connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
        if version > VERSION {
            return Err(StoreError::Newer(version));
        }
        let tables: Vec<String> =
            connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name")?.query_map((), text)?.collect::<rusqlite::Result<_>>()?;
        let is_old = version == 1 && tables == [FILES_OF_VERSION_1, STATE];
        if !is_old && (version != VERSION || tables != [FILES, STATE]) {
            return Err(StoreError::Damaged("its tables are not those of a cache".into()));
        }
        if connection.query_row("PRAGMA journal_mode = WAL", (), text)? != "wal" {
            return Err(StoreError::Unusable("no write-ahead log can be made beside it".into()));
        }
        if is_old {
            connection.execute_batch(&format!(
                "BEGIN EXCLUSIVE; DROP TABLE manyhash_cache_files; {FILES}; UPDATE manyhash_cache_state SET dropped_day = 0;
                 PRAGMA user_version = {VERSION}; COMMIT"
            ))?;
        }
        // This takes the lock, and shows whether the file can be written.
        connection.execute_batch("BEGIN EXCLUSIVE; UPDATE manyhash_cache_state SET dropped_day = dropped_day; COMMIT")?;
        Ok(Self { connection, day, emptied: is_old.then_some(version) })
    }

    pub(crate) fn emptied(&self) -> Option<i32> {
        self.emptied
    }

    /// Returns the group of `key`, and whether its use should be noted.
    pub(crate) fn group(&self, key: GroupKey) -> Result<(Group, bool)> {
        let mut statement =
            self.connection.prepare_cached("SELECT day, row FROM manyhash_cache_files WHERE file_system = ? AND block = ?")?;
        let mut rows = statement.query((key.file_system.cast_signed(), key.block.cast_signed()))?;
        let Some(row) = rows.next()? else { return Ok((Group::new(key), false)) };
        let day: i64 = row.get(0)?;
        let group = Group::decode(key, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        let group = group.ok_or_else(|| StoreError::Damaged("a checksum is wrong".into()))?;
        Ok((group, self.is_long_ago(day)))
    }

    /// Whether `day` is so far from today that use is to be noted again. It may be any number,
    /// because no checksum is over it.
    fn is_long_ago(&self, day: i64) -> bool {
        self.day.abs_diff(day) >= NOTED_DAYS.unsigned_abs()
    }

    /// Stores a group, and notes that it was used today.
    pub(crate) fn put(&self, group: &Group) -> Result<()> {
        let key = group.key();
        let mut statement = self.connection.prepare_cached("REPLACE INTO manyhash_cache_files VALUES (?, ?, ?, ?)")?;
        statement.execute((key.file_system.cast_signed(), key.block.cast_signed(), self.day, group.encode()))?;
        Ok(())
    }

    /// Runs `write` as one transaction: all of it happens, or nothing.
    pub(crate) fn transaction<T>(&self, write: impl FnOnce() -> Result<T>) -> Result<T> {
        let transaction = self.connection.unchecked_transaction()?;
        let result = write()?;
        transaction.commit()?;
        Ok(result)
    }

    pub(crate) fn state(&self) -> Result<State> {
        let state = |row: &rusqlite::Row| Ok(State { dropped_day: row.get(0)?, verified_percent: row.get(1)? });
        let state = self.connection.query_row("SELECT dropped_day, verified_percent FROM manyhash_cache_state", (), state).optional()?;
        state.ok_or_else(|| StoreError::Damaged("it has no state".into()))
    }

    /// Notes where the next sample begins, and drops groups that no run used for a long time.
    pub(crate) fn end(&self, verified_percent: i64) -> Result<()> {
        let mut state = self.state()?;
        let before = state;
        state.verified_percent = verified_percent;
        self.transaction(|| {
            if self.is_long_ago(state.dropped_day) {
                state.dropped_day = self.day;
                self.connection.execute("DELETE FROM manyhash_cache_files WHERE day < ?", (self.day - KEPT_DAYS,))?;
            }
            if state != before {
                self.connection.execute(
                    "UPDATE manyhash_cache_state SET dropped_day = ?, verified_percent = ?",
                    (state.dropped_day, state.verified_percent),
                )?;
            }
            Ok(())
        })
    }
}

/// Whether a store is at `path`. Fails if a file that is neither empty nor a store is there,
/// because it may be somebody's.
fn exists(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
        Ok(metadata) if !metadata.is_file() => return Err(StoreError::Foreign),
        Ok(metadata) if metadata.len() == 0 => return Ok(false),
        Ok(_) => {}
    }
    let mut page = Vec::new();
    File::open(path)?.take(u64::from(PAGE_BYTES)).read_to_end(&mut page)?;
    let id = page.get(APPLICATION_ID_OFFSET..).and_then(|rest| rest.first_chunk());
    let is_ours = id == Some(&APPLICATION_ID.to_be_bytes()) || page.windows(TABLE_PREFIX.len()).any(|window| window == TABLE_PREFIX);
    if is_ours { Ok(true) } else { Err(StoreError::Foreign) }
}

/// Creates an empty store. It appears whole, so that a run killed meanwhile leaves nothing that the
/// next one would take for a foreign file.
fn make(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = tempfile::Builder::new().prefix(".manyhash-").tempfile_in(folder)?;
    let connection = Connection::open_with_flags(new.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = MEMORY; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};
         BEGIN; {FILES}; {STATE}; INSERT INTO manyhash_cache_state VALUES (0, 0); COMMIT"
    ))?;
    drop(connection);
    // A log without its database is of no use, and must not be taken for the new store's.
    match fs::remove_file(log_of(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    // An empty file is replaced. A store that another process made meanwhile is not.
    let result = if path.exists() { new.persist(path) } else { new.persist_noclobber(path) };
    match result {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(()),
    }
}

/// Returns the path of SQLite's write-ahead log beside a database.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    with_ending(path, "-wal")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Moves a damaged store out of the way, and returns its new path.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut names = (1..).map(|number| with_ending(path, &if number == 1 { ".corrupt".into() } else { format!(".corrupt.{number}") }));
    let aside = names.find(|name| fs::symlink_metadata(name).is_err()).expect("some name is free");
    // The log goes first. Without it the rest is old but whole; the log alone would be useless.
    match fs::rename(log_of(path), log_of(&aside)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(path, &aside)?;
    Ok(aside)
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Foreign => f.write_str("is not a cache of manyhash; not touched"),
            Self::Newer(version) => write!(f, "is a cache of a newer manyhash (version {version}, this one knows {VERSION}); not touched"),
            Self::Damaged(text) => write!(f, "damaged ({text})"),
            Self::Busy => f.write_str("in use by another process"),
            Self::Disk(text) | Self::Unusable(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::AnyAlgorithm;
    use manyhash_files::Digests;
    use manyhash_files::read::FileId;
    use manyhash_files::read::Stamp;

    fn group(inode: u64) -> Group {
        let file = FileId { device: u64::MAX, inode };
        let mut group = Group::new(GroupKey::of(file));
        let stamp = Stamp { file, size_bytes: 1, modified_ns: 2, changed_ns: 3 };
        group.put(stamp, &Digests::new(AnyAlgorithm::Sha256.into(), [4; 32]).unwrap());
        group
    }

    #[test]
    fn what_no_run_uses_is_dropped_after_a_while() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("c");
        let (used, unused) = (group(u64::MAX), group(5));
        let store = Store::open(&path, 1000).unwrap();
        store.put(&used).unwrap();
        store.put(&unused).unwrap();
        store.end(7).unwrap();
        drop(store);
        for (day, is_stale) in [(1000 + NOTED_DAYS - 1, false), (1000 + NOTED_DAYS, true), (1000 + KEPT_DAYS, true)] {
            let store = Store::open(&path, day).unwrap();
            assert_eq!(store.group(used.key()).unwrap(), (used.clone(), is_stale), "day {day}");
            assert_eq!(store.group(unused.key()).unwrap().0, unused);
            if is_stale {
                store.put(&used).unwrap();
            }
            store.end(7).unwrap();
        }
        let store = Store::open(&path, 1000 + KEPT_DAYS + NOTED_DAYS).unwrap();
        store.end(8).unwrap();
        assert_eq!(store.group(used.key()).unwrap().0, used);
        assert_eq!(store.group(unused.key()).unwrap().0, Group::new(unused.key()));
        assert_eq!(store.state().unwrap().verified_percent, 8);
    }

    /// Days are no part of what the checksum is over.
    #[test]
    fn a_damaged_day_is_only_a_day_long_ago() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("c");
        for day in [i64::MIN, i64::MAX] {
            let store = Store::open(&path, 20_000).unwrap();
            store.put(&group(5)).unwrap();
            store.connection.execute("UPDATE manyhash_cache_files SET day = ?", (day,)).unwrap();
            store.connection.execute("UPDATE manyhash_cache_state SET dropped_day = ?", (day,)).unwrap();
            assert_eq!(store.group(group(5).key()).unwrap(), (group(5), true));
            store.end(1).unwrap();
            assert_eq!(store.state().unwrap().dropped_day, 20_000);
        }
    }

    #[test]
    fn a_log_without_its_store_is_not_taken_for_another_ones() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("c");
        fs::write(log_of(&path), "left behind").unwrap();
        drop(Store::open(&path, 1).unwrap());
        assert!(!log_of(&path).exists());
    }

    #[test]
    fn a_damaged_store_is_set_aside_under_a_free_name() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("c");
        for expected in ["c.corrupt", "c.corrupt.2", "c.corrupt.3"] {
            fs::write(&path, expected).unwrap();
            assert_eq!(set_aside(&path).unwrap(), folder.path().join(expected));
            assert_eq!(fs::read_to_string(folder.path().join(expected)).unwrap(), expected);
        }
    }
}
