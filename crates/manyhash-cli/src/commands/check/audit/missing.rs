//! Listed files that are missing, which may be found by their digests under other names.

use super::super::report::Absent;
use crate::spill::{Key, Spill};
use crate::text::manifest::line::Entry;
use manyhash::AnyAlgorithm;
use manyhash_files::{Algorithms, Digests};
use std::collections::HashSet;
use std::io;

/// The most sizes that are remembered. If there are more, files of any size are hashed.
const MOST_SIZES: usize = 1 << 16;

/// Collects missing files as they are met.
#[derive(Debug)]
pub(crate) struct Missing {
    entries: Spill,
    sizes: Sizes,
    algorithms: Vec<AnyAlgorithm>,
}

#[derive(Debug)]
pub(crate) enum Sizes {
    Of(HashSet<u64>),
    /// Any size, because a missing file's size is not known, or there are too many sizes.
    Any,
}

impl Default for Sizes {
    fn default() -> Self {
        Self::Of(HashSet::new())
    }
}

impl Sizes {
    fn insert(&mut self, size_bytes: Option<u64>) {
        match (&mut *self, size_bytes) {
            (Self::Of(sizes), Some(size_bytes)) if sizes.len() < MOST_SIZES || sizes.contains(&size_bytes) => {
                sizes.insert(size_bytes);
            }
            _ => *self = Self::Any,
        }
    }

    /// Whether a missing file may have this size.
    pub(crate) fn contain(&self, size_bytes: u64) -> bool {
        match self {
            Self::Of(sizes) => sizes.contains(&size_bytes),
            Self::Any => true,
        }
    }
}

impl Missing {
    pub(crate) fn new() -> io::Result<Self> {
        let entries = Spill::new(
            "CREATE TABLE entries (number INTEGER PRIMARY KEY, path BLOB, algorithm INTEGER, digest BLOB, name BLOB, manifest BLOB, line INTEGER, why TEXT)",
        )?;
        Ok(Self { entries, sizes: Sizes::default(), algorithms: Vec::new() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.algorithms.is_empty()
    }

    /// Adds a missing file by the key of its path.
    pub(crate) fn push(&mut self, path: &Key, absent: &Absent) -> io::Result<()> {
        let Absent { manifest, line, entry: Entry { algorithm, digest, name }, why, size_bytes } = absent;
        let values = (path, *algorithm as u8, digest, name, manifest, line.cast_signed(), why);
        self.entries.execute("INSERT INTO entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", values)?;
        self.sizes.insert(*size_bytes);
        if !self.algorithms.contains(algorithm) {
            self.algorithms.push(*algorithm);
        }
        Ok(())
    }

    /// Returns the missing files by digest, each as its first entry has it, and their sizes.
    pub(crate) fn by_digest(self) -> io::Result<(Lost, Sizes)> {
        // SQLite takes columns beside min() from the row that has the minimum.
        self.entries.batch(
            "CREATE TABLE files (algorithm INTEGER, digest BLOB, number INTEGER, PRIMARY KEY (algorithm, digest, number)) WITHOUT ROWID;
             INSERT INTO files SELECT algorithm, digest, min(number) FROM entries GROUP BY path ORDER BY 1, 2, 3",
        )?;
        Ok((Lost { files: self.entries, algorithms: Algorithms::of(&self.algorithms) }, self.sizes))
    }
}

#[derive(Debug)]
pub(crate) struct Lost {
    files: Spill,
    algorithms: Algorithms,
}

impl Lost {
    /// Returns the algorithms needed to recognise a missing file.
    pub(crate) fn algorithms(&self) -> Algorithms {
        self.algorithms
    }

    /// Returns the missing file that has one of these digests, and removes it. Another file with
    /// the digest is taken for the next missing one.
    pub(crate) fn find(&self, digests: &Digests) -> io::Result<Option<Entry>> {
        for algorithm in digests.algorithms().iter() {
            let digest = digests.of(algorithm);
            let found = self.files.first(
                "SELECT number, name FROM files JOIN entries USING (number) WHERE files.algorithm = ? AND files.digest = ? ORDER BY number",
                (algorithm as u8, digest),
                |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)),
            )?;
            let Some((number, name)) = found else { continue };
            self.files.execute("DELETE FROM files WHERE algorithm = ? AND digest = ? AND number = ?", (algorithm as u8, digest, number))?;
            return Ok(Some(Entry { algorithm, digest: digest.into(), name }));
        }
        Ok(None)
    }

    /// Gives the files that were not found to `take`, in the order of the manifests. Fails if they
    /// cannot be read; within is what `take` returned at last.
    pub(crate) fn each(&self, mut take: impl FnMut(Absent) -> io::Result<()>) -> io::Result<io::Result<()>> {
        let algorithm_of = |number: u8| self.algorithms.iter().find(|algorithm| *algorithm as u8 == number);
        let mut taken = Ok(());
        let read = self.files.each(
            "SELECT entries.algorithm, entries.digest, name, manifest, line, why FROM files JOIN entries USING (number) ORDER BY number",
            |row| {
                let Some(algorithm) = algorithm_of(row.get(0)?) else { return Ok(()) };
                let entry = Entry { algorithm, digest: row.get::<_, Vec<u8>>(1)?.into(), name: row.get(2)? };
                let line = row.get::<_, i64>(4)?.cast_unsigned();
                if taken.is_ok() {
                    taken = take(Absent { manifest: row.get(3)?, line, entry, why: row.get(5)?, size_bytes: None });
                }
                Ok(())
            },
        );
        read.map(|()| taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spill::Fingerprints;

    fn absent(name: &str, digest: u8, size_bytes: Option<u64>) -> Absent {
        let entry = Entry { algorithm: AnyAlgorithm::Sha256, digest: [digest; 32].into(), name: name.into() };
        Absent { manifest: b"m".to_vec(), line: u64::from(digest), entry, why: "gone".to_string(), size_bytes }
    }

    #[test]
    fn each_missing_file_is_found_once() {
        let fingerprints = Fingerprints::default();
        let mut missing = Missing::new().unwrap();
        for (name, digest) in [("a", 1), ("b", 1), ("a", 1), ("c", 2), ("a", 3)] {
            missing.push(&fingerprints.of(name.as_bytes()), &absent(name, digest, Some(u64::from(digest)))).unwrap();
        }
        let (lost, sizes) = missing.by_digest().unwrap();
        assert!(sizes.contain(1) && !sizes.contain(7));
        let find = |digest: u8| {
            let digests = Digests::new(lost.algorithms(), [digest; 32]).unwrap();
            lost.find(&digests).unwrap().map(|entry| String::from_utf8(entry.name).unwrap())
        };
        let left = || {
            let mut names = Vec::new();
            let take = |absent: Absent| {
                names.push((absent.entry.name, absent.line, absent.why));
                Ok(())
            };
            lost.each(take).unwrap().unwrap();
            names
        };
        let of = |name: &str, line| (name.as_bytes().to_vec(), line, "gone".to_string());
        assert_eq!(left(), [of("a", 1), of("b", 1), of("c", 2)]);
        let found = [1, 1, 1, 2, 2, 3, 4].map(find);
        assert_eq!(left(), []);
        assert_eq!(found, [Some("a"), Some("b"), None, Some("c"), None, None, None].map(|name| name.map(String::from)));
    }

    #[test]
    fn one_missing_file_of_unknown_size_may_have_any() {
        let mut missing = Missing::new().unwrap();
        missing.push(&[0; 16], &absent("a", 1, Some(1))).unwrap();
        missing.push(&[1; 16], &absent("b", 2, None)).unwrap();
        let (_, sizes) = missing.by_digest().unwrap();
        assert!(sizes.contain(7));
    }
}
