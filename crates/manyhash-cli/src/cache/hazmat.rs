//! The cache's rows and its store, for the fuzz targets.

use super::group::{Group, GroupKey};
use super::store::{Store, StoreError};
use manyhash::AnyAlgorithm;
use manyhash_files::Digests;
use manyhash_files::read::{FileId, Stamp};
use std::path::Path;

/// A file as a cache knows it, with one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedFile {
    /// The lasting identity of the file system.
    pub file_system: u64,
    /// The file's number.
    pub inode: u64,
    /// The size of the file.
    pub size_bytes: u64,
    /// When the content last changed.
    pub modified_ns: i128,
    /// When anything of the file last changed.
    pub changed_ns: i128,
    /// The algorithm of the digest.
    pub algorithm: AnyAlgorithm,
    /// The digest.
    pub digest: Vec<u8>,
}

impl CachedFile {
    fn stamp(&self) -> Stamp {
        let Self { file_system, inode, size_bytes, modified_ns, changed_ns, .. } = *self;
        Stamp { file: FileId { device: file_system, inode }, size_bytes, modified_ns, changed_ns }
    }

    fn key(&self) -> GroupKey {
        GroupKey::of(self.stamp().file)
    }

    fn put(&self, group: &mut Group) {
        let digests = Digests::new(self.algorithm.into(), &self.digest[..]).expect("a digest of the algorithm's length");
        group.put(self.stamp(), &digests);
    }

    /// Returns the digest that a group has for the stamp and the algorithm of this file.
    fn digest_in(&self, group: &Group) -> Option<Vec<u8>> {
        let entry = group.find(self.stamp().file).filter(|entry| entry.stamp == self.stamp())?;
        Some(entry.digests(self.algorithm.into())?.bytes().to_vec())
    }
}

/// Returns the row of files that are neighbours of the first one; others are left out.
pub fn encoded_row(files: &[CachedFile]) -> Vec<u8> {
    let Some(first) = files.first() else { return Vec::new() };
    let mut group = Group::new(first.key());
    files.iter().filter(|file| file.key() == first.key()).for_each(|file| file.put(&mut group));
    group.encode()
}

/// Returns the checksum that belongs behind the `body` of a row in which `file` is.
pub fn row_checksum(file: &CachedFile, body: &[u8]) -> Vec<u8> {
    file.key().checksum(body).to_vec()
}

/// Decodes a row in which `file` should be: `None` if it is damaged, or else the file's digest, if
/// there is one, and the row encoded again.
pub fn decoded_row(file: &CachedFile, row: &[u8]) -> Option<(Option<Vec<u8>>, Vec<u8>)> {
    let group = Group::decode(file.key(), row)?;
    Some((file.digest_in(&group), group.encode()))
}

/// A cache that is open.
#[derive(Debug)]
pub struct OpenCache(Store);

impl OpenCache {
    /// Opens the cache at `path` on a `day` since 1970, or makes one.
    ///
    /// # Errors
    /// Returns why it cannot be used.
    pub fn open(path: &Path, day: i64) -> Result<Self, String> {
        let store = Store::open(path, day).map_err(text)?;
        store.state().map_err(text)?;
        Ok(Self(store))
    }

    /// Stores files.
    ///
    /// # Errors
    /// Returns why it could not.
    pub fn put(&self, files: &[CachedFile]) -> Result<(), String> {
        let put = || {
            for file in files {
                let (mut group, _) = self.0.group(file.key())?;
                file.put(&mut group);
                self.0.put(&group)?;
            }
            Ok(())
        };
        self.0.transaction(put).map_err(text)
    }

    /// Returns the digest that is stored of the file and its algorithm, if there is one.
    ///
    /// # Errors
    /// Returns why it could not be read.
    pub fn digest(&self, file: &CachedFile) -> Result<Option<Vec<u8>>, String> {
        Ok(file.digest_in(&self.0.group(file.key()).map_err(text)?.0))
    }

    /// Ends a run.
    ///
    /// # Errors
    /// Returns why it could not.
    pub fn end(&self) -> Result<(), String> {
        self.0.end(7).map_err(text)
    }
}

fn text(error: StoreError) -> String {
    error.to_string()
}
