//! Finds files: the arguments one after another, and what is in those that are folders.
//!
//! A folder's files come in the byte order of their paths: each folder is sorted with the names of
//! sub-folders compared as if they ended in `/`. Memory is bounded: one folder a level is held, and
//! of a folder with more names than fit only the first ones, the folder being read again for the
//! next ones.
//!
//! In a folder only regular files count, as for `find -type f`; links in it are not followed unless
//! asked for. An argument may be anything: a link is followed, and what is not a regular file is
//! read as a stream. [`Options`] are for what is in folders alone.

use super::name_list::NameList;
use super::names::{Entry, Names};
use super::patterns::{Patterns, Verdict};
use super::place::Place;
use crate::algorithms::Algorithms;
use crate::error::SameFolder;
use crate::read::{FileId, Stamp, has_positions, is_same};
use crate::task::{Part, STDIN, Work};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

/// Bytes of names held at all levels together.
const NAMES_BUDGET_BYTES: usize = 8 << 20;

/// Bytes of names held of a folder even if the budget is spent.
const NAMES_LEAST_BYTES: usize = 16 << 10;

/// Something found.
#[derive(Debug)]
pub enum Found {
    /// A file to read, and how, or why it cannot be read.
    File(PathBuf, io::Result<Readable>),
    /// An entry of a folder that is not read because it is no regular file, and what it is.
    Skipped(PathBuf, &'static str),
}

/// How to read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// At any position: a regular file or a block device.
    File {
        /// The size in bytes.
        size_bytes: u64,
        /// The identity of the file, and when it changed.
        stamp: Option<Stamp>,
    },
    /// From beginning to end, as standard input and fifos.
    Stream,
}

impl Readable {
    fn file(metadata: &Metadata) -> Self {
        Self::File { size_bytes: metadata.len(), stamp: Stamp::of(metadata) }
    }
}

/// How to read what is at `path`, links followed.
///
/// # Errors
/// If nothing is there, it cannot be looked at, or it is a folder.
pub fn look_at(path: &Path) -> io::Result<Readable> {
    if path.as_os_str() == STDIN {
        return Ok(Readable::Stream);
    }
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        // A user who may not even open it is told that.
        File::open(path)?;
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "Is a directory"));
    }
    Ok(if has_positions(&metadata) { Readable::file(&metadata) } else { Readable::Stream })
}

/// The work of hashing what was looked at, or of reporting why it cannot be.
pub fn hashing(what: io::Result<Readable>, algorithms: Algorithms) -> Work {
    match what {
        Ok(Readable::File { size_bytes, .. }) => Work::File { algorithms, size_bytes, part: Part::Whole },
        Ok(Readable::Stream) => Work::Stream { algorithms },
        Err(error) => Work::Failed(error),
    }
}

/// How to go through folders.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to do with links.
    pub links: Links,
    /// Where to stop.
    pub file_systems: FileSystems,
    /// What to leave out.
    pub patterns: Patterns,
}

/// What to do with symbolic links in folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// Skip them.
    #[default]
    Skipped,
    /// Take them for what they lead to.
    Followed,
}

/// Where to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSystems {
    /// Stop nowhere.
    #[default]
    All,
    /// Stop at folders of another file system than that of the folder asked for. Only folders are
    /// looked at, because overlays say of their files where these come from.
    One,
}

/// An iterator over the files that the arguments name and that are below folders among them.
#[derive(Debug)]
pub struct Walk {
    arguments: vec::IntoIter<OsString>,
    list: Option<NameList>,
    recursive: bool,
    options: Options,
    left_out: Vec<PathBuf>,
    /// Whether files in folders are looked at.
    is_looking: bool,
    folders: Vec<Folder>,
    budget_bytes: usize,
    least_bytes: usize,
}

impl Walk {
    /// A walk over all that `arguments` name, and with `recursive` over what is in the folders
    /// among them.
    pub fn new(arguments: Vec<OsString>, recursive: bool) -> Self {
        Self {
            arguments: arguments.into_iter(),
            list: None,
            recursive,
            options: Options::default(),
            left_out: Vec::new(),
            is_looking: true,
            folders: Vec::new(),
            budget_bytes: NAMES_BUDGET_BYTES,
            least_bytes: NAMES_LEAST_BYTES,
        }
    }

    /// Goes on with the names in `list`, after the arguments and in the same way.
    pub fn then(mut self, list: Option<NameList>) -> Self {
        self.list = list;
        self
    }

    /// Goes through folders as `options` say.
    pub fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Leaves one file out of the folders, that which the result goes to, and if links are followed
    /// those to it. It need not be there yet.
    pub fn leaving_out(mut self, file: Option<&Path>) -> Self {
        self.left_out.extend(file.and_then(Place::path_of));
        self
    }

    /// The sizes of the files that this walk is going to find, in bytes, for
    /// [`count_ahead`](crate::Totals::count_ahead): first none of them, which takes a tenth of the time,
    /// then all. Nothing if names come from a stream, which can be read only once. This is for a walk
    /// that has not begun.
    pub fn sizes_ahead(&self) -> Option<[impl Iterator<Item = Option<u64>> + Send + use<>; 2]> {
        Some([self.again(false)?.sizes(), self.again(true)?.sizes()])
    }

    fn again(&self, is_looking: bool) -> Option<Self> {
        let list = match &self.list {
            Some(list) => Some(list.again()?),
            None => None,
        };
        let (arguments, options, left_out) = (self.arguments.clone(), self.options.clone(), self.left_out.clone());
        Some(Self { arguments, list, options, left_out, is_looking, folders: Vec::new(), ..*self })
    }

    fn sizes(self) -> impl Iterator<Item = Option<u64>> + Send {
        let is_looking = self.is_looking;
        self.filter_map(move |found| match found {
            Found::File(_, Ok(Readable::File { size_bytes, .. })) => Some(is_looking.then_some(size_bytes)),
            Found::File(..) => Some(Some(0)),
            Found::Skipped(..) => None,
        })
    }

    /// What the next argument is, or the next name in the list; nothing if there is none.
    fn next_argument(&mut self) -> Option<Option<Found>> {
        let argument = match self.arguments.next() {
            Some(argument) => Ok(argument),
            None => self.list.as_mut()?.next()?,
        };
        Some(match argument {
            Ok(argument) => self.argument(argument),
            Err((list, error)) => Some(Found::File(list, Err(error))),
        })
    }

    fn argument(&mut self, argument: OsString) -> Option<Found> {
        let path = PathBuf::from(argument);
        if self.recursive && path.as_os_str() != STDIN && path.is_dir() {
            return self.enter(path, self.options.patterns.of_the_whole());
        }
        let what = look_at(&path);
        Some(Found::File(path, what))
    }

    /// Goes into a folder.
    ///
    /// # Errors
    /// If it is not entered: why.
    fn enter(&mut self, path: PathBuf, verdict: Verdict) -> Option<Found> {
        let mut id = None;
        if self.options.links == Links::Followed || self.options.file_systems == FileSystems::One {
            match fs::metadata(&path) {
                Ok(metadata) => id = FileId::of(&metadata),
                Err(error) => return Some(Found::File(path, Err(error))),
            }
        }
        let follows = self.options.links == Links::Followed;
        let is_this = |folder: &&Folder| match id {
            Some(_) => folder.id == id,
            None => cfg!(not(unix)) && follows && is_same(&folder.path, &path),
        };
        if let Some(same) = self.folders.iter().find(is_this) {
            let error = io::Error::other(SameFolder(same.path.clone()));
            return Some(Found::File(path, Err(error)));
        }
        let is_elsewhere = |id: FileId| self.folders.first().and_then(|first| first.id).is_some_and(|first| first.device != id.device);
        if self.options.file_systems == FileSystems::One && id.is_some_and(is_elsewhere) {
            return Some(Found::Skipped(path, "on another file system"));
        }
        let used_bytes: usize = self.folders.iter().map(|folder| folder.names.bytes()).sum();
        let budget_bytes = (self.budget_bytes.saturating_sub(used_bytes) / 4 * 3).max(self.least_bytes);
        match Names::read(&path, None, self.options.links, budget_bytes) {
            Ok(names) => {
                self.folders.push(Folder { path, id, verdict, budget_bytes, names, next: 0 });
                None
            }
            Err(error) => Some(Found::File(path, Err(error))),
        }
    }

    /// What is at `path` in a folder, where the folder said it is `entry`.
    fn entry(&mut self, path: PathBuf, entry: Entry) -> Option<Found> {
        if self.is_left_out(&path) {
            return None;
        }
        let verdict = self.verdict(&path, entry);
        let look = if self.options.links == Links::Followed { fs::metadata } else { fs::symlink_metadata };
        Some(match (verdict, entry) {
            (Verdict::Included | Verdict::NotIncluded, Entry::Folder) => return self.enter(path, verdict),
            (Verdict::Excluded | Verdict::NotIncluded, _) => return None,
            (Verdict::Included, Entry::Link) => Found::Skipped(path, "a symbolic link"),
            (Verdict::Included, Entry::Special) => Found::Skipped(path, "not a regular file"),
            (Verdict::Included, Entry::File) if !self.is_looking => Found::File(path, Ok(Readable::File { size_bytes: 0, stamp: None })),
            (Verdict::Included, Entry::File) => match look(&path) {
                Ok(metadata) if metadata.is_file() => Found::File(path, Ok(Readable::file(&metadata))),
                Ok(_) => Found::Skipped(path, "not a regular file any more"),
                Err(error) => Found::File(path, Err(error)),
            },
        })
    }

    /// What the patterns say of something at `path`.
    fn verdict(&self, path: &Path, entry: Entry) -> Verdict {
        let (Some(first), Some(last)) = (self.folders.first(), self.folders.last()) else { return Verdict::Included };
        let patterns = &self.options.patterns;
        if patterns.is_empty() {
            return Verdict::Included;
        }
        let relative = path.strip_prefix(&first.path).unwrap_or(path);
        patterns.verdict(relative, entry == Entry::Folder, last.verdict)
    }

    fn is_left_out(&self, path: &Path) -> bool {
        // Only a link may lead there under another name.
        let is_link = || self.options.links == Links::Followed && path.is_symlink();
        let may_be = |place: &PathBuf| path.file_name() == place.file_name() || is_link();
        self.left_out.iter().any(may_be) && Place::path_of(path).is_some_and(|path| self.left_out.contains(&path))
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let found = match self.folders.last_mut() {
                None => self.next_argument()?,
                Some(folder) => match folder.next(self.options.links) {
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

/// A folder on the way from an argument to the present file.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// The folder's identity, if the options need it.
    id: Option<FileId>,
    /// What the patterns say of the folder.
    verdict: Verdict,
    budget_bytes: usize,
    names: Names,
    next: usize,
}

impl Folder {
    /// The folder's next entry in their order.
    fn next(&mut self, links: Links) -> io::Result<Option<(PathBuf, Entry)>> {
        loop {
            if let Some((name, entry)) = self.names.name(self.next) {
                self.next += 1;
                return Ok(Some((self.path.join(name), entry)));
            }
            let Some(last) = self.names.last_key().filter(|_| !self.names.is_complete) else { return Ok(None) };
            self.names = Names::read(&self.path, Some(last), links, self.budget_bytes)?;
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::NameEnd;
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
        found_with(Options::default(), tree, budget_bytes)
    }

    fn found_with(options: Options, tree: &TempDir, budget_bytes: usize) -> Vec<String> {
        let walk = Walk::new(vec![tree.path().into()], true).with(options);
        let walk = Walk { budget_bytes, least_bytes: budget_bytes, ..walk };
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
    fn options_change_neither_the_order_nor_how_many_readings_do() {
        let files: Vec<_> = (0..60).flat_map(|i| [format!("d/{i:x}.a"), format!("d/{i:x}/{i}"), format!("d/{i:x}-b")]).collect();
        let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let exclude = ["0*".to_string(), "7*/".to_string()];
        let mut expected: Vec<_> = files.into_iter().filter(|file| !file.starts_with("d/0") && !file.starts_with("d/7/")).collect();
        let mut options = Options { patterns: Patterns::new(&[], &exclude).unwrap(), ..Options::default() };
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../d/5", tree.path().join("d/5+")).unwrap();
            std::os::unix::fs::symlink("5", tree.path().join("d/5.")).unwrap();
            std::os::unix::fs::symlink("1-b", tree.path().join("d/1-a")).unwrap();
            expected.extend(["d/5+/5", "d/5./5", "d/1-a"].map(String::from));
            options.links = Links::Followed;
        }
        expected.sort();
        for budget_bytes in [NAMES_BUDGET_BYTES, 200, 1] {
            assert_eq!(found_with(options.clone(), &tree, budget_bytes), expected, "{budget_bytes}");
        }
    }

    #[test]
    fn what_is_ahead_is_counted_without_sizes_and_with_them() {
        let tree = tree(&["a", "b/cc", "b/d/eee", "x/f"]);
        let missing = tree.path().join("missing").into_os_string();
        let folder = tree.path().as_os_str().to_owned();
        let options = Options { patterns: Patterns::new(&[], &["x/".to_string()]).unwrap(), ..Options::default() };
        let walk = Walk::new(vec![folder.clone(), missing, folder], true).with(options).leaving_out(Some(&tree.path().join("a")));
        let [names, sizes] = walk.sizes_ahead().unwrap();
        let [b_cc, b_d_eee] = [4, 7];
        assert_eq!(names.collect::<Vec<_>>(), [None, None, Some(0), None, None]);
        assert_eq!(sizes.collect::<Vec<_>>(), [b_cc, b_d_eee, 0, b_cc, b_d_eee].map(Some));
        assert_eq!(walk.filter(|found| matches!(found, Found::File(..))).count(), 5);
    }

    #[test]
    fn names_in_a_file_are_counted_ahead_and_those_of_a_stream_are_not() {
        let tree = tree(&["a", "list"]);
        let [a, list] = ["a", "list"].map(|name| tree.path().join(name));
        fs::write(&list, a.as_os_str().as_encoded_bytes()).unwrap();
        let walk = Walk::new(vec![], false).then(Some(NameList::open(&list, NameEnd::Newline).unwrap()));
        assert_eq!(walk.sizes_ahead().unwrap().map(Iterator::collect::<Vec<_>>), [[None], [Some(1)]]);
        assert_eq!(walk.count(), 1);
        let stream = NameList::of(Path::new(STDIN), Box::new(io::Cursor::new(b"a")), NameEnd::Newline);
        assert!(Walk::new(vec![], false).then(Some(stream)).sizes_ahead().is_none());
    }

    #[test]
    fn a_large_folder_is_held_in_parts() {
        let files: Vec<_> = (0..2000).map(|i| format!("{i:04}")).collect();
        let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let names = Names::read(tree.path(), None, Links::Skipped, 4096).unwrap();
        assert!(!names.is_complete && names.bytes() <= 4096 && names.len() > 50, "{} names", names.len());
        assert_eq!(names.last_key(), Some(files[names.len() - 1].as_bytes()));
        let rest = Names::read(tree.path(), Some(b"1989"), Links::Skipped, 4096).unwrap();
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
