//! Tables of any size in little memory: a temporary SQLite database. Its files have no name, so
//! that nothing is left of them however the process ends. A small database has no file at all.

use crate::message::reason;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row};
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::io;

/// The memory in which SQLite may keep pages. It may take as much again while it sorts.
const MEMORY_KIB: i64 = 4 << 10;

/// The most pages of a database if no file can be made: a megabyte.
const MOST_PAGES_WITHOUT_FILE: u32 = 256;

/// The fingerprint of a name.
pub(crate) type Key = [u8; 16];

/// Makes keys. They differ in every run, so that nobody can prepare two names with the same key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fingerprints([RandomState; 2]);

impl Fingerprints {
    pub(crate) fn of(&self, bytes: &[u8]) -> Key {
        let [high, low] = self.0.each_ref().map(|state| u128::from(state.hash_one(bytes)));
        (high << 64 | low).to_be_bytes()
    }
}

#[derive(Debug)]
pub(crate) struct Spill {
    connection: Connection,
    /// The message of the error when there is no room for more.
    full: String,
}

impl Spill {
    pub(crate) fn new(tables: &str) -> io::Result<Self> {
        let connection = Connection::open("").map_err(io::Error::other)?;
        // SQLite makes a file when it needs one, and would try other folders if this were unusable.
        let (place, full) = match tempfile::tempfile() {
            Ok(_) => {
                if let Some(folder) = env::temp_dir().to_str() {
                    connection.pragma_update(None, "temp_store_directory", folder).map_err(io::Error::other)?;
                }
                ("PRAGMA temp_store = FILE".to_string(), "No space left on device".to_string())
            }
            Err(error) => (format!("PRAGMA temp_store = MEMORY; PRAGMA max_page_count = {MOST_PAGES_WITHOUT_FILE}"), reason(&error)),
        };
        let spill = Self { connection, full };
        // Data that is lost with the process needs no journal. All is one transaction without end.
        spill.batch(&format!("PRAGMA journal_mode = OFF; PRAGMA cache_size = -{MEMORY_KIB}; {place}"))?;
        spill.batch(&format!("BEGIN; {tables}"))?;
        Ok(spill)
    }

    pub(crate) fn batch(&self, statements: &str) -> io::Result<()> {
        self.connection.execute_batch(statements).map_err(|error| self.failure(error))
    }

    /// Runs a statement that returns no rows.
    pub(crate) fn execute(&self, statement: &str, values: impl Params) -> io::Result<()> {
        let result = self.connection.prepare_cached(statement).and_then(|mut statement| statement.execute(values));
        result.map(|_| ()).map_err(|error| self.failure(error))
    }

    /// Returns the first row of `query`, as `read` reads it.
    pub(crate) fn first<T>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> io::Result<Option<T>> {
        let result = self.connection.prepare_cached(query).and_then(|mut query| query.query_row(values, read).optional());
        result.map_err(|error| self.failure(error))
    }

    /// Hands each row of `query` to `take`, in order. What `take` returns as an error ends it.
    pub(crate) fn each(&self, query: &str, mut take: impl FnMut(&Row) -> Result<(), RowError>) -> io::Result<()> {
        let mut query = self.connection.prepare_cached(query).map_err(|error| self.failure(error))?;
        let mut rows = query.query(()).map_err(|error| self.failure(error))?;
        while let Some(row) = rows.next().map_err(|error| self.failure(error))? {
            take(row).map_err(|error| match error {
                RowError::Database(error) => self.failure(error),
                RowError::Other(error) => error,
            })?;
        }
        Ok(())
    }

    fn failure(&self, error: rusqlite::Error) -> io::Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => io::Error::other(self.full.clone()),
            _ => io::Error::other(error),
        }
    }
}

/// Why a row could not be taken.
#[derive(Debug)]
pub(crate) enum RowError {
    Database(rusqlite::Error),
    Other(io::Error),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for RowError {
    fn from(error: io::Error) -> Self {
        Self::Other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_in_order_from_memory_and_from_a_file() {
        for rows in [0_i64, 1, 100, 200_000] {
            let spill = Spill::new("CREATE TABLE found (key BLOB, number INTEGER)").unwrap();
            let fingerprints = Fingerprints::default();
            for number in 0..rows {
                spill.execute("INSERT INTO found VALUES (?, ?)", (fingerprints.of(&number.to_be_bytes()), number)).unwrap();
            }
            spill
                .batch(
                    "CREATE TABLE sorted (key BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID;
                     INSERT INTO sorted SELECT * FROM found ORDER BY key",
                )
                .unwrap();
            let number_of = |number: i64| {
                let key = fingerprints.of(&number.to_be_bytes());
                spill.first("SELECT number FROM sorted WHERE key = ?", [key], |row| row.get::<_, i64>(0)).unwrap()
            };
            for number in (0..rows).step_by(997) {
                assert_eq!(number_of(number), Some(number));
            }
            assert_eq!(number_of(rows), None);
        }
    }

    #[test]
    fn without_a_file_a_database_stays_small() {
        let mut spill = Spill::new("CREATE TABLE found (key BLOB)").unwrap();
        spill.full = "no folder".to_string();
        spill.batch(&format!("PRAGMA max_page_count = {MOST_PAGES_WITHOUT_FILE}")).unwrap();
        let failure = (0..).find_map(|_| spill.execute("INSERT INTO found VALUES (?)", [[0; 1000]]).err()).unwrap();
        assert_eq!(failure.to_string(), "no folder");
    }
}
