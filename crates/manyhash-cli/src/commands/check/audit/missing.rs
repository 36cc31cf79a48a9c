//! Listed files that are missing, to be found again by their digests under other names.

use std::collections::HashSet;
use std::io;

use manyhash::AnyAlgorithm;
use manyhash_files::{Algorithms, Digests};

use crate::manifest::line::Entry;

use super::spill::{Fingerprints, Key, Log, Sorter, Table, key_of};

/// Sizes that are remembered; if there are more, any size may be right.
const MOST_SIZES: usize = 1 << 16;

/// A key and where the entry is in the log.
type Place = [u8; 24];
/// The same by digest, and for the first of several: how many of them are found.
type ByDigest = [u8; 32];

/// Missing files as they are met.
#[derive(Debug, Default)]
pub struct Missing {
    log: Log,
    by_path: Sorter<24>,
    sizes: Sizes,
    algorithms: Vec<AnyAlgorithm>,
}

/// Sizes that missing files had.
#[derive(Debug)]
pub enum Sizes {
    /// One of these.
    Of(HashSet<u64>),
    /// Who knows.
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

    /// Whether a missing file may have had that size.
    pub fn contain(&self, size_bytes: u64) -> bool {
        match self {
            Self::Of(sizes) => sizes.contains(&size_bytes),
            Self::Any => true,
        }
    }
}

impl Missing {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// A missing file, by the key of its path.
    pub fn push(&mut self, path: &Key, entry: &Entry, size_bytes: Option<u64>) -> io::Result<()> {
        let text = [&[entry.algorithm as u8], &*entry.digest, &entry.name].concat();
        let offset = self.log.append(&text)?;
        self.by_path.push(place(path, offset))?;
        self.sizes.insert(size_bytes);
        if !self.algorithms.contains(&entry.algorithm) {
            self.algorithms.push(entry.algorithm);
        }
        Ok(())
    }

    /// All of them by digest, each file once, by its first entry; and the sizes they had.
    pub fn by_digest(mut self, fingerprints: &Fingerprints) -> io::Result<(Lost, Sizes)> {
        let mut by_digest = Sorter::<24>::default();
        let mut by_path = self.by_path.sorted()?;
        let mut last = None;
        while let Some(record) = by_path.next()? {
            if last.replace(*key_of(&record)) == Some(*key_of(&record)) {
                continue;
            }
            let offset = offset_of(&record);
            let entry = read(&mut self.log, offset)?;
            by_digest.push(place(&digest_key(fingerprints, entry.algorithm, &entry.digest), offset))?;
        }
        drop(by_path);
        let mut table = Table::new(by_digest.len());
        let mut by_digest = by_digest.sorted()?;
        while let Some(record) = by_digest.next()? {
            let mut longer: ByDigest = [0; 32];
            longer[..24].copy_from_slice(&record);
            table.push(longer)?;
        }
        let algorithms = Algorithms::of(&self.algorithms);
        Ok((Lost { log: self.log, table, algorithms, fingerprints: fingerprints.clone() }, self.sizes))
    }
}

/// Missing files by their digests.
#[derive(Debug)]
pub struct Lost {
    log: Log,
    table: Table<32>,
    algorithms: Algorithms,
    fingerprints: Fingerprints,
}

impl Lost {
    /// What a file has to be hashed with to be one of them.
    pub fn algorithms(&self) -> Algorithms {
        self.algorithms
    }

    /// The missing file that has these digests. It is not missing any more: the next file with them is the next missing one.
    pub fn find(&mut self, digests: &Digests) -> io::Result<Option<Entry>> {
        for algorithm in digests.algorithms().iter() {
            let key = digest_key(&self.fingerprints, algorithm, digests.of(algorithm));
            let Some((first, mut record)) = self.table.first(&key)? else { continue };
            let found = u64::from_be_bytes(*record.last_chunk().expect("a record is longer"));
            let Some(next) = self.table.at(first + found)?.filter(|next| *key_of(next) == key) else { continue };
            let offset = offset_of(&next);
            record[24..].copy_from_slice(&(found + 1).to_be_bytes());
            self.table.set(first, record)?;
            return read(&mut self.log, offset).map(Some);
        }
        Ok(None)
    }
}

fn place(key: &Key, offset: u64) -> Place {
    let mut record = [0; 24];
    record[..16].copy_from_slice(key);
    record[16..].copy_from_slice(&offset.to_be_bytes());
    record
}

fn offset_of<const N: usize>(record: &[u8; N]) -> u64 {
    u64::from_be_bytes(*record[16..].first_chunk().expect("a record is longer"))
}

fn digest_key(fingerprints: &Fingerprints, algorithm: AnyAlgorithm, digest: &[u8]) -> Key {
    fingerprints.of(&[&[algorithm as u8], digest].concat())
}

fn read(log: &mut Log, offset: u64) -> io::Result<Entry> {
    let text = log.read(offset)?;
    let (&algorithm, rest) = text.split_first().ok_or(io::ErrorKind::InvalidData)?;
    let algorithm = *AnyAlgorithm::ALL.get(usize::from(algorithm)).ok_or(io::ErrorKind::InvalidData)?;
    let (digest, name) = rest.split_at_checked(algorithm.digest_bytes()).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Entry { algorithm, digest: digest.into(), name: name.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, digest: u8) -> Entry {
        Entry { algorithm: AnyAlgorithm::Sha256, digest: [digest; 32].into(), name: name.into() }
    }

    #[test]
    fn each_missing_file_is_found_once() {
        let fingerprints = Fingerprints::default();
        let mut missing = Missing::default();
        for (name, digest) in [("a", 1), ("b", 1), ("a", 1), ("c", 2), ("a", 3)] {
            missing.push(&fingerprints.of(name.as_bytes()), &entry(name, digest), Some(u64::from(digest))).unwrap();
        }
        let (mut lost, sizes) = missing.by_digest(&fingerprints).unwrap();
        assert!(sizes.contain(1) && !sizes.contain(7));
        let mut find = |digest: u8| {
            let digests = Digests::new(lost.algorithms(), [digest; 32]).unwrap();
            lost.find(&digests).unwrap().map(|entry| String::from_utf8(entry.name).unwrap())
        };
        let found = [1, 1, 1, 2, 2, 3, 4].map(&mut find);
        assert_eq!(found, [Some("a"), Some("b"), None, Some("c"), None, None, None].map(|name| name.map(String::from)));
    }

    #[test]
    fn one_missing_file_of_unknown_size_may_have_any() {
        let mut missing = Missing::default();
        missing.push(&[0; 16], &entry("a", 1), Some(1)).unwrap();
        missing.push(&[1; 16], &entry("b", 2), None).unwrap();
        let (_, sizes) = missing.by_digest(&Fingerprints::default()).unwrap();
        assert!(sizes.contain(7));
    }
}
