//! What tells whether a file is still the one that was hashed.

use crate::find::Place;
use std::fs::{self, Metadata};
use std::path::Path;

/// Which file, and when it last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The file's identity: its file system and number.
    pub file: FileId,
    /// The file's size in bytes.
    pub size_bytes: u64,
    /// Nanoseconds since 1970 when its content last changed, as a program may also have set it.
    pub modified_ns: i128,
    /// Nanoseconds since 1970 when anything of the file last changed, as the system says.
    pub changed_ns: i128,
}

/// A file's identity: two names with the same identity are hard links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// The number of the file system.
    pub device: u64,
    /// The file's number in its file system.
    pub inode: u64,
}

impl FileId {
    /// The identity of a file, if the system has identities of files.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        Stamp::of(metadata).map(|stamp| stamp.file)
    }
}

impl Stamp {
    /// The stamp of a file, if the system has identities of files.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
            Some(Self {
                file: FileId { device: metadata.dev(), inode: metadata.ino() },
                size_bytes: metadata.size(),
                modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
                changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            })
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }
}

/// Whether two paths lead to the same file or, if they are of block devices, the same device. Paths
/// where nothing is yet are compared too.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        #[cfg(unix)]
        (Ok(one), Ok(other)) => is_same_device(&one, &other) || FileId::of(&one).is_some_and(|id| FileId::of(&other) == Some(id)),
        // What is there has an identity only while it is open.
        #[cfg(not(unix))]
        (Ok(_), Ok(_)) => same_file::is_same_file(one, other).unwrap_or(one == other),
        (Err(_), Err(_)) => one == other || Place::path_of(one).is_some_and(|one| Place::path_of(other) == Some(one)),
        _ => false,
    }
}

/// Whether something has a size and can be read at any position, as files and block devices can.
pub fn has_positions(metadata: &Metadata) -> bool {
    metadata.is_file() || is_block_device(metadata)
}

fn is_block_device(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type());
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

#[cfg(unix)]
fn is_same_device(one: &Metadata, other: &Metadata) -> bool {
    let is_same_number = std::os::unix::fs::MetadataExt::rdev(one) == std::os::unix::fs::MetadataExt::rdev(other);
    is_same_number && is_block_device(one) && is_block_device(other)
}
