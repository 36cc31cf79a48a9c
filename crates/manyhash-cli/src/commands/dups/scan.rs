//! The tasks of the first stage: files, as soon as the walk has found a second of their size.
//!
//! The walk goes on while workers read. A file whose size no other has is never opened.

use super::files::{FileNumber, Files};
use super::{Label, not_regular};
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Found, Readable};
use manyhash_files::read::FileId;
use manyhash_files::{Part, Task, Work};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::mpsc::Sender;

/// The first bytes read of a file larger than [`SMALL_BYTES`]: a page, the least that is read.
pub(crate) const FIRST_BYTES: u64 = 4 << 10;

/// The size up to which files are read whole, because opening costs more than hashing.
pub(crate) const SMALL_BYTES: u64 = 16 << 10;

/// The result of a finished walk.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// All files of the sizes asked for, under each of their names.
    pub(crate) files: Files,
    /// Pairs of names of one file: the first found, and a later one.
    pub(crate) links: Vec<(FileNumber, FileNumber)>,
}

/// The files found of one size.
enum OfSize {
    /// The files so far are names of this one file.
    One(FileNumber),
    /// Several files, which have all been returned as tasks.
    Several,
}

/// A walk, as an iterator of tasks.
pub(crate) struct Scan<W> {
    walk: W,
    algorithm: AnyAlgorithm,
    sizes: RangeInclusive<u64>,
    scanned: Scanned,
    of_size: HashMap<u64, OfSize>,
    /// The files returned as tasks, by which further names of them are recognised.
    given_out: HashMap<FileId, FileNumber>,
    next: Option<FileNumber>,
    done: Sender<Scanned>,
}

impl<W: Iterator<Item = Found>> Scan<W> {
    /// Creates tasks for files of these sizes. At the end, all that was found is sent to `done`.
    pub(crate) fn new(walk: W, algorithm: AnyAlgorithm, sizes: RangeInclusive<u64>, done: Sender<Scanned>) -> Self {
        let (of_size, given_out) = (HashMap::new(), HashMap::new());
        Self { walk, algorithm, sizes, scanned: Scanned::default(), of_size, given_out, next: None, done }
    }

    /// Notes a file. Returns a file to be hashed now, if there is one. Fails if there are too many.
    fn file(&mut self, path: &Path, size_bytes: u64, id: Option<FileId>) -> io::Result<Option<FileNumber>> {
        if !self.sizes.contains(&size_bytes) {
            return Ok(None);
        }
        let number = self.scanned.files.push(path, size_bytes, id)?;
        match self.of_size.entry(size_bytes) {
            Entry::Vacant(vacant) => {
                vacant.insert(OfSize::One(number));
                return Ok(None);
            }
            Entry::Occupied(mut occupied) => {
                if let OfSize::One(first) = *occupied.get() {
                    let first_id = self.scanned.files.id(first);
                    if id.is_some() && id == first_id {
                        self.scanned.links.push((first, number));
                        return Ok(None);
                    }
                    occupied.insert(OfSize::Several);
                    self.given_out.extend(first_id.map(|id| (id, first)));
                    self.given_out.extend(id.map(|id| (id, number)));
                    self.next = Some(number);
                    return Ok(Some(first));
                }
            }
        }
        if let Some(id) = id {
            match self.given_out.entry(id) {
                Entry::Vacant(vacant) => {
                    vacant.insert(number);
                }
                Entry::Occupied(first) if self.scanned.files.size_bytes(*first.get()) == size_bytes => {
                    self.scanned.links.push((*first.get(), number));
                    return Ok(None);
                }
                // The file has grown since it was found; reading it will show that.
                Entry::Occupied(_) => {}
            }
        }
        Ok(Some(number))
    }

    fn task(&self, number: FileNumber) -> Task<Label> {
        let files = &self.scanned.files;
        let size_bytes = files.size_bytes(number);
        let (part, expected_bytes) =
            if size_bytes <= SMALL_BYTES { (Part::Whole, size_bytes) } else { (Part::Range { start: 0, end: FIRST_BYTES }, FIRST_BYTES) };
        let work = Work::File { algorithms: self.algorithm.into(), size_bytes: expected_bytes, part };
        Task { label: Label::File { number, expected_bytes }, path: files.path(number), work }
    }
}

impl<W: Iterator<Item = Found>> Iterator for Scan<W> {
    type Item = Task<Label>;

    fn next(&mut self) -> Option<Task<Label>> {
        if let Some(number) = self.next.take() {
            return Some(self.task(number));
        }
        loop {
            match self.walk.next() {
                Some(Found::File(path, Ok(Readable::File { size_bytes, stamp }))) => {
                    match self.file(&path, size_bytes, stamp.map(|stamp| stamp.file)) {
                        Ok(Some(number)) => return Some(self.task(number)),
                        Ok(None) => {}
                        Err(error) => return Some(Task { label: Label::Other, path, work: Work::Failed(error) }),
                    }
                }
                Some(Found::File(path, Ok(Readable::Stream))) => {
                    return Some(Task { label: Label::Other, path, work: Work::Failed(not_regular()) });
                }
                Some(Found::File(path, Err(error))) => {
                    return Some(Task { label: Label::Other, path, work: Work::Failed(error) });
                }
                Some(Found::Skipped(path, what)) => return Some(Task { label: Label::Skipped(what), path, work: Work::Nothing }),
                None => {
                    // If the run ended early, nothing waits for it.
                    let _ = self.done.send(std::mem::take(&mut self.scanned));
                    return None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash_files::read::Stamp;
    use std::sync::mpsc;

    /// Returns the paths of tasks, and the links, for files given as path, size and inode.
    fn scan(found: &[(&str, u64, u64)]) -> (Vec<String>, Vec<(FileNumber, FileNumber)>) {
        let readable = |&(path, size_bytes, inode): &(&str, u64, u64)| {
            let stamp = Stamp { file: FileId { device: 1, inode }, size_bytes, modified_ns: 0, changed_ns: 0 };
            Found::File(path.into(), Ok(Readable::File { size_bytes, stamp: Some(stamp) }))
        };
        let (done, scanned) = mpsc::channel();
        let scan = Scan::new(found.iter().map(readable), AnyAlgorithm::Sha256, 1..=u64::MAX, done);
        let given_out = scan.map(|task| task.path.to_str().unwrap().to_string()).collect();
        (given_out, scanned.recv().unwrap().links)
    }

    #[test]
    fn a_file_is_given_out_when_another_of_its_size_is_found() {
        let (given_out, links) =
            scan(&[("a", 1, 1), ("b", 2, 2), ("c", 3, 3), ("d", 2, 4), ("e", 1, 5), ("f", 2, 6), ("g", 0, 7), ("h", 0, 8)]);
        assert_eq!(given_out, ["b", "d", "a", "e", "f"]);
        assert_eq!(links, []);
    }

    #[test]
    fn further_names_of_a_file_are_links_and_not_given_out() {
        let (given_out, links) = scan(&[("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]);
        assert_eq!((given_out, links), (vec![], vec![(0, 1), (0, 2)]));
        let (given_out, links) = scan(&[("a", 1, 1), ("b", 1, 1), ("c", 1, 2), ("d", 1, 1), ("e", 1, 2), ("f", 1, 3)]);
        assert_eq!(given_out, ["a", "c", "f"]);
        assert_eq!(links, [(0, 1), (0, 3), (2, 4)]);
    }

    #[test]
    fn a_file_found_again_with_another_size_is_no_link() {
        let (given_out, links) = scan(&[("a", 1, 1), ("b", 1, 2), ("c", 2, 3), ("d", 2, 1), ("e", 2, 4)]);
        assert_eq!(given_out, ["a", "b", "c", "d", "e"]);
        assert_eq!(links, []);
    }
}
