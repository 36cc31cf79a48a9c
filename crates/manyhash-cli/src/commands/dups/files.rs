//! The files found. A million of them take some 80 MB, with names of twenty bytes.

use manyhash_files::file_name;
use manyhash_files::read::FileId;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A file's number in the order they were found, from 0.
pub(crate) type FileNumber = u32;

/// Files in the order they were found.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Paths up to the last separator. Files of one folder mostly come together.
    folders: Vec<Box<[u8]>>,
    /// The names behind these folders, one after the other.
    names: Vec<u8>,
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    size_bytes: u64,
    id: Option<FileId>,
    name_end: usize,
    folder: u32,
}

impl Files {
    /// Adds a file. Fails if there are so many that they have no more numbers.
    pub(crate) fn push(&mut self, path: &Path, size_bytes: u64, id: Option<FileId>) -> io::Result<FileNumber> {
        let number = FileNumber::try_from(self.files.len()).map_err(|_| io::Error::other("more files than can be compared at once"))?;
        let path = &file_name::bytes_of(path);
        let is_separator = |&byte: &u8| std::path::is_separator(char::from(byte));
        let (folder, name) = path.split_at(path.iter().rposition(is_separator).map_or(0, |at| at + 1));
        if self.folders.last().is_none_or(|last| **last != *folder) {
            self.folders.push(folder.into());
        }
        self.names.extend(name);
        self.files.push(File { size_bytes, id, name_end: self.names.len(), folder: (self.folders.len() - 1) as u32 });
        Ok(number)
    }

    #[expect(clippy::indexing_slicing, reason = "numbers are those that `push` gave")]
    fn file(&self, number: FileNumber) -> &File {
        &self.files[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the size that a file had when it was found.
    pub(crate) fn size_bytes(&self, number: FileNumber) -> u64 {
        self.file(number).size_bytes
    }

    /// Returns a file's identity, if the system tells it.
    pub(crate) fn id(&self, number: FileNumber) -> Option<FileId> {
        self.file(number).id
    }

    #[expect(clippy::indexing_slicing, reason = "`push` gives each file a folder, and a name that begins where the one before ends")]
    pub(crate) fn path_bytes(&self, number: FileNumber) -> Vec<u8> {
        let file = self.file(number);
        let name_start = number.checked_sub(1).map_or(0, |before| self.file(before).name_end);
        [&self.folders[file.folder as usize], &self.names[name_start..file.name_end]].concat()
    }

    pub(crate) fn path(&self, number: FileNumber) -> PathBuf {
        let name: OsString = file_name::from_bytes(&self.path_bytes(number));
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_comes_back_as_it_was() {
        let paths = ["a", "t/a", "t/b", "t/u/a", "t/c", "./t/c", "/c", "/", "t/é", ""];
        let mut files = Files::default();
        for (number, path) in paths.iter().enumerate() {
            let id = FileId { device: 1, inode: number as u64 };
            assert_eq!(files.push(path.as_ref(), number as u64 * 10, Some(id)).unwrap(), number as u32);
        }
        assert_eq!(files.len(), paths.len());
        for (number, path) in (0..).zip(paths) {
            assert_eq!((files.path(number), files.size_bytes(number)), (path.into(), u64::from(number) * 10));
            assert_eq!(files.id(number).unwrap().inode, u64::from(number));
        }
    }
}
