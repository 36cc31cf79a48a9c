//! Finds files: the arguments one after another, and what is in those that are folders.
//!
//! A folder's files come in the byte order of their paths: each folder is sorted with the names of sub-folders compared as if they
//! ended in `/`. Memory is bounded: one folder a level is held, and of a folder with more names than fit only the first ones, the
//! folder being read again for the next ones.
//!
//! In a folder only regular files count, as for `find -type f`; links in it are not followed. An argument may be anything: a link is
//! followed, and what is not a regular file is read as a stream.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use crate::algorithm::Algorithms;
use crate::file_name;
use crate::pipeline::{Part, STDIN, Work, patiently};
use crate::stamp::Stamp;

/// Bytes of names held at all levels together.
const NAMES_BUDGET_BYTES: usize = 8 << 20;

/// Bytes of names held of a folder even if the budget is spent.
const NAMES_LEAST_BYTES: usize = 16 << 10;

/// Something found.
#[derive(Debug)]
pub enum Found {
    /// Something to read, or why it cannot be.
    File(PathBuf, io::Result<Readable>),
    /// Something in a folder that is not a regular file, so not read, and what it is.
    Skipped(PathBuf, &'static str),
}

/// How to read something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// As a file: a regular one, or a block device, of that size.
    File {
        /// How large it is.
        size_bytes: u64,
        /// Which it is, and when it changed.
        stamp: Option<Stamp>,
    },
    /// As a stream; standard input too.
    Stream,
}

impl Readable {
    fn file(metadata: &Metadata) -> Self {
        Self::File { size_bytes: metadata.len(), stamp: Stamp::of(metadata) }
    }
}

/// What is at `path`, links followed. A folder is an error.
pub fn look_at(path: &Path) -> io::Result<Readable> {
    if path.as_os_str() == STDIN {
        return Ok(Readable::Stream);
    }
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        // Whoever may not even open it is told that.
        File::open(path)?;
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "Is a directory"));
    }
    Ok(if reads_like_a_file(&metadata) { Readable::file(&metadata) } else { Readable::Stream })
}

/// The work that reading something is.
pub fn hashing(what: io::Result<Readable>, algorithms: Algorithms) -> Work {
    match what {
        Ok(Readable::File { size_bytes, .. }) => Work::File { algorithms, size_bytes, part: Part::Whole },
        Ok(Readable::Stream) => Work::Stream { algorithms },
        Err(error) => Work::Failed(error),
    }
}

fn reads_like_a_file(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    let is_block_device = std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type());
    #[cfg(not(unix))]
    let is_block_device = false;
    metadata.is_file() || is_block_device
}

/// The walk.
#[derive(Debug)]
pub struct Walk {
    arguments: vec::IntoIter<OsString>,
    recursive: bool,
    left_out: Option<PathBuf>,
    folders: Vec<Folder>,
    budget_bytes: usize,
    least_bytes: usize,
}

impl Walk {
    /// All that `arguments` name, and with `recursive` what is in the folders among them.
    pub fn new(arguments: Vec<OsString>, recursive: bool) -> Self {
        let (budget_bytes, least_bytes) = (NAMES_BUDGET_BYTES, NAMES_LEAST_BYTES);
        Self { arguments: arguments.into_iter(), recursive, left_out: None, folders: Vec::new(), budget_bytes, least_bytes }
    }

    /// Leaves one file out of the folders: the one that the result goes to.
    pub fn leaving_out(mut self, file: Option<&Path>) -> Self {
        self.left_out = file.and_then(|file| fs::canonicalize(file).ok());
        self
    }

    fn argument(&mut self, argument: OsString) -> Option<Found> {
        let path = PathBuf::from(argument);
        if self.recursive && path.as_os_str() != STDIN && path.is_dir() {
            return self.enter(path);
        }
        let what = look_at(&path);
        Some(Found::File(path, what))
    }

    /// Goes into a folder; gives the error if that fails.
    fn enter(&mut self, path: PathBuf) -> Option<Found> {
        let used_bytes: usize = self.folders.iter().map(|folder| folder.names.bytes()).sum();
        let budget_bytes = (self.budget_bytes.saturating_sub(used_bytes) / 4 * 3).max(self.least_bytes);
        match Folder::read(path, budget_bytes) {
            Ok(folder) => {
                self.folders.push(folder);
                None
            }
            Err((path, error)) => Some(Found::File(path, Err(error))),
        }
    }

    /// What is at `path` in a folder, where the folder said it is `entry`.
    fn entry(&mut self, path: PathBuf, entry: Entry) -> Option<Found> {
        if self.is_left_out(&path) {
            return None;
        }
        Some(match entry {
            Entry::Folder => return self.enter(path),
            Entry::Link => Found::Skipped(path, "a symbolic link"),
            Entry::Special => Found::Skipped(path, "not a regular file"),
            Entry::File => match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_file() => Found::File(path, Ok(Readable::file(&metadata))),
                Ok(_) => Found::Skipped(path, "not a regular file any more"),
                Err(error) => Found::File(path, Err(error)),
            },
        })
    }

    fn is_left_out(&self, path: &Path) -> bool {
        let Some(left_out) = &self.left_out else { return false };
        path.file_name() == left_out.file_name() && fs::canonicalize(path).is_ok_and(|path| path == *left_out)
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let found = match self.folders.last_mut() {
                None => {
                    let argument = self.arguments.next()?;
                    self.argument(argument)
                }
                Some(folder) => match folder.next() {
                    Ok(Some((path, entry))) => self.entry(path, entry),
                    Ok(None) => {
                        self.folders.pop();
                        None
                    }
                    Err(error) => {
                        let path = self.folders.pop().map_or_else(PathBuf::new, |folder| folder.path);
                        Some(Found::File(path, Err(error)))
                    }
                },
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// What a folder says an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    File,
    Folder,
    Link,
    Special,
}

/// A folder on the way from an argument to the present file.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    budget_bytes: usize,
    names: Names,
    next: usize,
}

impl Folder {
    fn read(path: PathBuf, budget_bytes: usize) -> Result<Self, (PathBuf, io::Error)> {
        match Names::read(&path, None, budget_bytes) {
            Ok(names) => Ok(Self { path, budget_bytes, names, next: 0 }),
            Err(error) => Err((path, error)),
        }
    }

    /// The next entry in order.
    fn next(&mut self) -> io::Result<Option<(PathBuf, Entry)>> {
        if self.next == self.names.len() {
            if self.names.is_complete || self.names.len() == 0 {
                return Ok(None);
            }
            let last = self.names.key(self.names.len() - 1).to_vec();
            self.names = Names::read(&self.path, Some(&last), self.budget_bytes)?;
            self.next = 0;
            return self.next();
        }
        let (name, entry) = self.names.name(self.next);
        self.next += 1;
        Ok(Some((self.path.join(name), entry)))
    }
}

/// Names of a folder in order, folders ending in `/`; all of them or, if that is too many, the first ones.
#[derive(Debug, Default)]
struct Names {
    text: Vec<u8>,
    spans: Vec<Span>,
    is_complete: bool,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    length: u16,
    entry: Entry,
}

impl Names {
    /// The names in the folder `path` that come after `after`, as many as `budget_bytes` can hold.
    fn read(path: &Path, after: Option<&[u8]>, budget_bytes: usize) -> io::Result<Self> {
        let mut names = Self { is_complete: true, ..Self::default() };
        // Once some did not fit: the last one kept.
        let mut last_kept: Option<Vec<u8>> = None;
        let mut key = Vec::new();
        for item in patiently(|| fs::read_dir(path))? {
            let item = item?;
            let entry = match item.file_type() {
                Ok(kind) if kind.is_file() => Entry::File,
                Ok(kind) if kind.is_dir() => Entry::Folder,
                Ok(kind) if kind.is_symlink() => Entry::Link,
                Ok(_) => Entry::Special,
                // Gone already, or unreadable: finding it again will say so.
                Err(_) => Entry::File,
            };
            key.clear();
            key.extend(item.file_name().as_encoded_bytes());
            if entry == Entry::Folder {
                key.push(b'/');
            }
            if after.is_some_and(|after| key.as_slice() <= after) || last_kept.as_ref().is_some_and(|last| key > *last) {
                continue;
            }
            names.push(&key, entry);
            if names.bytes() > budget_bytes && names.len() > 1 {
                last_kept = Some(names.keep_first_ones());
            }
        }
        names.sort();
        Ok(names)
    }

    fn push(&mut self, key: &[u8], entry: Entry) {
        // Doubling a large vector would waste what the budget saves.
        grow_by_a_quarter(&mut self.text, key.len());
        grow_by_a_quarter(&mut self.spans, 1);
        let start = u32::try_from(self.text.len()).expect("the budget is below 4 GiB");
        let length = u16::try_from(key.len()).expect("a name is below 64 KiB");
        self.text.extend(key);
        self.spans.push(Span { start, length, entry });
    }

    fn sort(&mut self) {
        let text = &self.text;
        self.spans.sort_unstable_by(|a, b| a.of(text).cmp(b.of(text)));
    }

    /// Drops the last quarter, so that this need not be done again soon, and gives the last name kept. In place: two copies would be
    /// twice the memory.
    fn keep_first_ones(&mut self) -> Vec<u8> {
        self.sort();
        self.spans.truncate((self.len() * 3 / 4).max(1));
        let last = self.key(self.len() - 1).to_vec();
        self.is_complete = false;
        self.spans.sort_unstable_by_key(|span| span.start);
        let mut end = 0;
        for span in &mut self.spans {
            let start = span.start as usize;
            self.text.copy_within(start..start + usize::from(span.length), end);
            span.start = end as u32;
            end += usize::from(span.length);
        }
        self.text.truncate(end);
        last
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.len() * size_of::<Span>()
    }

    fn len(&self) -> usize {
        self.spans.len()
    }

    fn key(&self, index: usize) -> &[u8] {
        self.spans[index].of(&self.text)
    }

    fn name(&self, index: usize) -> (OsString, Entry) {
        let key = self.key(index);
        (file_name::from_bytes(key.strip_suffix(b"/").unwrap_or(key)), self.spans[index].entry)
    }
}

fn grow_by_a_quarter<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() - items.len() < count {
        items.reserve_exact((items.len() / 4).max(count).max(64));
    }
}

impl Span {
    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..usize::from(self.length)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn tree(files: &[&str]) -> TempDir {
        let tree = TempDir::new().unwrap();
        for file in files {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        tree
    }

    /// What a walk finds below `tree`; with a budget so small that each folder takes many readings.
    fn found(tree: &TempDir, budget_bytes: usize) -> Vec<String> {
        let walk = Walk { budget_bytes, least_bytes: budget_bytes, ..Walk::new(vec![tree.path().into()], true) };
        walk.map(|found| match found {
            Found::File(path, Ok(_)) => path.strip_prefix(tree.path()).unwrap().to_str().unwrap().to_string(),
            other => panic!("{other:?}"),
        })
        .collect()
    }

    #[test]
    fn files_come_in_byte_order_of_their_paths_in_however_many_readings() {
        let mut files: Vec<_> = (0..300).map(|i| format!("d{}/{:x}", i % 7, i * 2_654_435_761_u64 % 0xfff1)).collect();
        files.extend(["a", "a.b", "a-b", "ab", "a b", "d1.x", "d1-x", "d10", "é", "Z", "d3/e/f/g", "d3/e.f", "d3/e-f"].map(String::from));
        let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        files.sort();
        for budget_bytes in [NAMES_BUDGET_BYTES, 4096, 200, 1] {
            assert_eq!(found(&tree, budget_bytes), files, "{budget_bytes}");
        }
    }

    #[test]
    fn a_large_folder_is_held_in_parts() {
        let files: Vec<_> = (0..2000).map(|i| format!("{i:04}")).collect();
        let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let names = Names::read(tree.path(), None, 4096).unwrap();
        assert!(!names.is_complete && names.bytes() <= 4096 && names.len() > 50, "{} names", names.len());
        assert_eq!(names.key(names.len() - 1), files[names.len() - 1].as_bytes());
        let rest = Names::read(tree.path(), Some(b"1989"), 4096).unwrap();
        assert!(rest.is_complete && rest.len() == 10);
    }

    #[test]
    fn an_empty_folder_and_a_folder_of_empty_folders_have_no_files() {
        let tree = TempDir::new().unwrap();
        assert!(found(&tree, 1).is_empty());
        for folder in ["a/b/c", "a/d", "e"] {
            fs::create_dir_all(tree.path().join(folder)).unwrap();
        }
        assert!(found(&tree, 1).is_empty());
    }
}
