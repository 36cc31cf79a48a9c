//! Units of work from the walk: some small files, one file, or a stretch of a file.

use crate::commands::dups::not_regular;
use manyhash_files::Totals;
use manyhash_files::find::{Found, Readable};
use manyhash_files::read::FileId;
use std::collections::{HashMap, HashSet};
use std::io;
use std::mem;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder's number, in the order the first file in each was found.
pub(crate) type FolderNumber = usize;

/// Something to cut, or why it cannot be cut.
#[derive(Debug)]
pub(crate) enum Item {
    Stretch(Stretch),
    /// Something that is not read, and what it is.
    Skipped(PathBuf, &'static str),
    Failed(PathBuf, io::Error),
}

#[derive(Debug)]
pub(crate) struct Stretch {
    pub(crate) path: PathBuf,
    /// The folder whose counts it belongs to.
    pub(crate) folder: FolderNumber,
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    /// Whether the stretch is the last of its file, so that the file should end with it.
    pub(crate) is_last: bool,
}

/// A folder that has a line in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// The folder's path, or a file's if the argument is a file.
    pub(crate) path: PathBuf,
    /// The folder that it is in, if that has a line too.
    pub(crate) parent: Option<FolderNumber>,
}

#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub(crate) sizes: RangeInclusive<u64>,
    /// The depth below an argument to which folders have lines of their own.
    pub(crate) depth: usize,
    /// The number of bytes up to which files are gathered.
    pub(crate) unit_bytes: u64,
    /// The length of a stretch. Files of more bytes come in several.
    pub(crate) stretch_bytes: u64,
}

/// The work that a worker takes at once.
pub(crate) type Unit = Vec<Item>;

/// A walk as an iterator of units, in its order.
pub(crate) struct Units<W> {
    walk: W,
    division: Division,
    totals: Arc<Totals>,
    folders: Folders,
    /// The files found, by which further names of them are recognised.
    found: HashSet<FileId>,
    gathered: Vec<Item>,
    gathered_bytes: u64,
    /// The rest of a large file.
    rest: Option<Stretch>,
}

impl<W: Iterator<Item = (usize, Found)>> Units<W> {
    /// Creates units of the files that `walk` finds. Each file comes with the number of components
    /// of the argument that led to it.
    pub(crate) fn new(walk: W, division: Division, totals: Arc<Totals>) -> Self {
        let (folders, found) = (Folders::default(), HashSet::new());
        Self { walk, division, totals, folders, found, gathered: Vec::new(), gathered_bytes: 0, rest: None }
    }

    pub(crate) fn into_folders(self) -> Vec<Folder> {
        self.folders.list
    }

    fn gathered(&mut self) -> Unit {
        self.gathered_bytes = 0;
        mem::take(&mut self.gathered)
    }

    /// Adds what was found. If that is too much for the unit, returns what was gathered before.
    fn add(&mut self, argument_components: usize, found: Found) -> Option<Unit> {
        let (path, size_bytes, id) = match found {
            Found::File(path, Ok(Readable::File { size_bytes, stamp })) => (path, size_bytes, stamp.map(|stamp| stamp.file)),
            Found::File(path, Ok(Readable::Stream)) => return self.add_other(Item::Failed(path, not_regular())),
            Found::File(path, Err(error)) => return self.add_other(Item::Failed(path, error)),
            Found::Skipped(path, what) => return self.add_other(Item::Skipped(path, what)),
        };
        if !self.division.sizes.contains(&size_bytes) || id.is_some_and(|id| !self.found.insert(id)) {
            return None;
        }
        self.totals.found_file(size_bytes);
        let folder = self.folders.of(&path, argument_components, self.division.depth);
        let stretch = Stretch { path, folder, start: 0, bytes: size_bytes, is_last: true };
        let is_large = size_bytes > self.division.unit_bytes;
        let is_full = is_large || self.gathered_bytes + size_bytes > self.division.unit_bytes;
        let full = (is_full && !self.gathered.is_empty()).then(|| self.gathered());
        if is_large {
            self.rest = Some(stretch);
        } else {
            self.gathered_bytes += size_bytes;
            self.gathered.push(Item::Stretch(stretch));
        }
        full
    }

    fn add_other(&mut self, item: Item) -> Option<Unit> {
        self.gathered.push(item);
        None
    }

    fn stretch(&mut self, mut stretch: Stretch) -> Option<Unit> {
        let bytes = self.division.stretch_bytes;
        if stretch.bytes > bytes {
            let (path, start) = (stretch.path.clone(), stretch.start + bytes);
            self.rest = Some(Stretch { path, start, bytes: stretch.bytes - bytes, ..stretch });
            stretch = Stretch { bytes, is_last: false, ..stretch };
        }
        Some(vec![Item::Stretch(stretch)])
    }
}

impl<W: Iterator<Item = (usize, Found)>> Iterator for Units<W> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        /// The most items of a unit, so that progress is seen among empty or unreadable files.
        const MAX_ITEMS: usize = 1024;
        if let Some(stretch) = self.rest.take() {
            return self.stretch(stretch);
        }
        while self.gathered.len() < MAX_ITEMS {
            let Some((argument_components, found)) = self.walk.next() else {
                self.totals.found_all();
                break;
            };
            if let Some(unit) = self.add(argument_components, found) {
                return Some(unit);
            }
            if let Some(stretch) = self.rest.take() {
                return self.stretch(stretch);
            }
        }
        (!self.gathered.is_empty()).then(|| self.gathered())
    }
}

#[derive(Debug, Default)]
struct Folders {
    list: Vec<Folder>,
    numbers: HashMap<PathBuf, FolderNumber>,
}

impl Folders {
    /// Returns the folder in the table that the file at `path` counts for. It is at most `depth`
    /// below the file's argument.
    fn of(&mut self, path: &Path, argument_components: usize, depth: usize) -> FolderNumber {
        let components = path.components().count();
        let below_argument = components.saturating_sub(argument_components + 1).min(depth);
        let wanted_components = argument_components + below_argument;
        let folder = path.ancestors().nth(components.saturating_sub(wanted_components)).unwrap_or(path);
        self.number(folder, below_argument)
    }

    fn number(&mut self, path: &Path, below_argument: usize) -> FolderNumber {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let parent = path.parent().filter(|_| below_argument > 0).map(|parent| self.number(parent, below_argument - 1));
        self.list.push(Folder { path: path.to_path_buf(), parent });
        self.numbers.insert(path.to_path_buf(), self.list.len() - 1);
        self.list.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash_files::read::Stamp;

    /// Path, start, bytes, and whether it is the last, of stretches.
    type Stretches = Vec<(String, u64, u64, bool)>;

    fn units(found: &[(&str, u64)], depth: usize) -> (Vec<Stretches>, Vec<(String, Option<FolderNumber>)>) {
        let walk = found.iter().zip(1..).map(|(&(path, size_bytes), inode)| {
            let stamp = Stamp { file: FileId { device: 1, inode }, size_bytes, modified_ns: 0, changed_ns: 0 };
            (1, Found::File(path.into(), Ok(Readable::File { size_bytes, stamp: Some(stamp) })))
        });
        let division = Division { sizes: 1..=u64::MAX, depth, unit_bytes: 10, stretch_bytes: 100 };
        let mut units = Units::new(walk, division, Arc::default());
        let stretch = |item: Item| match item {
            Item::Stretch(Stretch { path, start, bytes, is_last, .. }) => (path.to_str().unwrap().to_string(), start, bytes, is_last),
            other => panic!("{other:?}"),
        };
        let mut all = Vec::new();
        for unit in units.by_ref() {
            all.push(unit.into_iter().map(stretch).collect());
        }
        let folders = units.into_folders().into_iter().map(|folder| (folder.path.to_str().unwrap().to_string(), folder.parent)).collect();
        (all, folders)
    }

    #[test]
    fn small_files_are_gathered_and_large_ones_come_in_stretches() {
        let (units, _) = units(&[("t/a", 4), ("t/b", 6), ("t/c", 1), ("t/d", 250), ("t/e", 0), ("t/f", 11), ("t/g", 3)], 0);
        let of = |name: &str, start, bytes, is_last| (name.to_string(), start, bytes, is_last);
        let expected = [
            vec![of("t/a", 0, 4, true), of("t/b", 0, 6, true)],
            vec![of("t/c", 0, 1, true)],
            vec![of("t/d", 0, 100, false)],
            vec![of("t/d", 100, 100, false)],
            vec![of("t/d", 200, 50, true)],
            vec![of("t/f", 0, 11, true)],
            vec![of("t/g", 0, 3, true)],
        ];
        assert_eq!(units, expected);
    }

    #[test]
    fn folders_have_lines_as_deep_as_asked_for() {
        let found = [("t/a/b/c/f", 1), ("t/a/f", 1), ("t/f", 1), ("t/g/h/f", 1), ("u", 1)];
        let folder = |path: &str, parent| (path.to_string(), parent);
        assert_eq!(units(&found, 0).1, [folder("t", None), folder("u", None)]);
        let one = [folder("t", None), folder("t/a", Some(0)), folder("t/g", Some(0)), folder("u", None)];
        assert_eq!(units(&found, 1).1, one);
        let two = [
            folder("t", None),
            folder("t/a", Some(0)),
            folder("t/a/b", Some(1)),
            folder("t/g", Some(0)),
            folder("t/g/h", Some(3)),
            folder("u", None),
        ];
        assert_eq!(units(&found, 2).1, two);
    }
}
