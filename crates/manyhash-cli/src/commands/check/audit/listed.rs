//! The listed files, and the result for each.

use crate::commands::check::summary::{Standing, Summary};
use crate::spill::{Key, Spill};
use std::io;

#[derive(Debug)]
pub(crate) struct Listed(Spill);

impl Listed {
    pub(crate) fn new() -> io::Result<Self> {
        Spill::new("CREATE TABLE entries (path BLOB, standing INTEGER)").map(Self)
    }

    pub(crate) fn push(&self, path: &Key, standing: Standing) -> io::Result<()> {
        self.0.execute("INSERT INTO entries VALUES (?, ?)", (path, standing as u8))
    }

    /// Sorts the files, so that each is there once, and counts them in `summary`.
    pub(crate) fn sort(&self, summary: &mut Summary) -> io::Result<()> {
        self.0.batch(
            "CREATE TABLE files (path BLOB PRIMARY KEY, standing INTEGER) WITHOUT ROWID;
             INSERT INTO files SELECT path, max(standing) FROM entries GROUP BY path",
        )?;
        let standings = [Standing::Right, Standing::Missing, Standing::Unreadable, Standing::Wrong];
        let counted = standings.map(|standing| format!("count(*) FILTER (WHERE standing = {})", standing as u8)).join(", ");
        let counts = self.0.first(&format!("SELECT {counted} FROM files"), (), |row| {
            let count = |column| row.get(column).map(i64::cast_unsigned);
            Ok([count(0)?, count(1)?, count(2)?, count(3)?])
        })?;
        [summary.ok, summary.missing, summary.unreadable, summary.failed] = counts.unwrap_or_default();
        Ok(())
    }

    pub(crate) fn contains(&self, path: &Key) -> io::Result<bool> {
        self.0.first("SELECT 1 FROM files WHERE path = ?", [path], |_| Ok(())).map(|found| found.is_some())
    }
}
