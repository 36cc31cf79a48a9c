//! Duplicates in stages: files of one size, of these those that begin alike, then equal digests.

use super::files::{FileNumber, Files};
use super::scan::{SMALL_BYTES, Scan, Scanned};
use super::{Found, Label, Stage};
use crate::progress::Ahead;
use manyhash_files::{Part, Task, Work};
use std::cmp::Reverse;
use std::io;
use std::sync::{Arc, mpsc};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) size_bytes: u64,
    pub(crate) digest: Box<[u8]>,
    /// The files, each under the first of its names that was found.
    pub(crate) files: Vec<FileNumber>,
}

impl Group {
    /// Returns how many bytes all files but one take.
    pub(crate) fn wasted_bytes(&self) -> u64 {
        self.size_bytes.saturating_mul(self.files.len() as u64 - 1)
    }
}

/// Finds all groups. Those that waste most come first, and among equal ones the one found first.
pub(crate) fn find(stage: &mut Stage, walk: impl Iterator<Item = Found> + Send + 'static) -> io::Result<(Vec<Group>, Arc<Files>, Links)> {
    let (done, scanned) = mpsc::channel();
    let scan = Scan::new(walk, stage.algorithm, stage.sizes.clone(), done);
    let beginnings = stage.hash(scan, || None)?;
    let Scanned { files, links } = scanned.recv().map_err(io::Error::other)?;
    let files = Arc::new(files);

    let mut groups = beginnings.groups(&files);
    let large = groups.extract_if(.., |group| group.size_bytes > SMALL_BYTES);
    let mut numbers: Vec<FileNumber> = large.flat_map(|group| group.files).collect();
    drop(beginnings);
    // This order is often that on the disk.
    numbers.sort_unstable();
    let algorithms = stage.algorithm.into();
    let files_of_source = Arc::clone(&files);
    let count = numbers.len() as u64;
    let bytes = numbers.iter().map(|number| files.size_bytes(*number)).fold(0, u64::saturating_add);
    let tasks = numbers.into_iter().map(move |number| {
        let size_bytes = files_of_source.size_bytes(number);
        let work = Work::File { algorithms, size_bytes, part: Part::Whole };
        Task { label: Label::File { number, expected_bytes: size_bytes }, path: files_of_source.path(number), work }
    });
    let ahead: Ahead = Box::new(move |totals| totals.expect(count, bytes));
    let whole = stage.hash(tasks, || Some(ahead))?;

    groups.extend(whole.groups(&files));
    groups.sort_by_key(|group| (Reverse(group.wasted_bytes()), group.files.first().copied()));
    Ok((groups, files, Links::new(links)))
}

/// Hashed files, with their digests one after the other.
#[derive(Debug)]
pub(crate) struct Hashes {
    digest_bytes: usize,
    numbers: Vec<FileNumber>,
    digests: Vec<u8>,
}

impl Hashes {
    pub(crate) fn new(digest_bytes: usize) -> Self {
        Self { digest_bytes, numbers: Vec::new(), digests: Vec::new() }
    }

    pub(crate) fn push(&mut self, number: FileNumber, digest: &[u8]) {
        self.numbers.push(number);
        self.digests.extend_from_slice(digest);
    }

    /// Returns the file in a row, and its digest.
    #[expect(clippy::indexing_slicing, reason = "each row that `push` made has a number and a digest")]
    fn row(&self, row: u32) -> (FileNumber, &[u8]) {
        let row = row as usize;
        (self.numbers[row], &self.digests[row * self.digest_bytes..][..self.digest_bytes])
    }

    /// Returns the groups of two or more files with one size and one digest. Each lists its files
    /// in the order they were found.
    fn groups(&self, files: &Files) -> Vec<Group> {
        let content = |row: u32| {
            let (number, digest) = self.row(row);
            (files.size_bytes(number), digest)
        };
        let number = |&row: &u32| self.row(row).0;
        let mut rows: Vec<u32> = (0..self.numbers.len() as u32).collect();
        rows.sort_unstable_by(|a, b| content(*a).cmp(&content(*b)).then(number(a).cmp(&number(b))));
        let groups = rows.chunk_by(|&a, &b| content(a) == content(b)).filter_map(|rows| {
            let [first, _, ..] = rows else { return None };
            let (size_bytes, digest) = content(*first);
            Some(Group { size_bytes, digest: digest.into(), files: rows.iter().map(number).collect() })
        });
        groups.collect()
    }
}

#[derive(Debug)]
pub(crate) struct Links(Vec<(FileNumber, FileNumber)>);

impl Links {
    fn new(mut links: Vec<(FileNumber, FileNumber)>) -> Self {
        links.sort_unstable();
        Self(links)
    }

    /// Returns the further names of `file` in the order they were found.
    pub(crate) fn of(&self, file: FileNumber) -> impl Iterator<Item = FileNumber> {
        let start = self.0.partition_point(|&(first, _)| first < file);
        self.0.iter().skip(start).take_while(move |&&(first, _)| first == file).map(|&(_, link)| link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_one_size_and_one_digest() {
        let mut files = Files::default();
        for size_bytes in [5, 5, 5, 6, 6, 7] {
            files.push("f".as_ref(), size_bytes, None).unwrap();
        }
        let mut hashes = Hashes::new(2);
        // Results come in any order. Files of 5, 6 and 7 bytes have a digest in common.
        for (number, digest) in [(2, [1, 1]), (1, [9, 9]), (0, [1, 1]), (5, [1, 1]), (4, [1, 1]), (3, [1, 1])] {
            hashes.push(number, &digest);
        }
        let group = |size_bytes, files: &[u32]| Group { size_bytes, digest: [1, 1].into(), files: files.to_vec() };
        let groups = hashes.groups(&files);
        assert_eq!(groups, [group(5, &[0, 2]), group(6, &[3, 4])]);
        assert_eq!(groups.iter().map(Group::wasted_bytes).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(group(u64::MAX / 2, &[1, 2, 3, 4]).wasted_bytes(), u64::MAX);
    }

    #[test]
    fn links_are_those_of_their_file() {
        let links = Links::new(vec![(4, 7), (1, 5), (4, 6)]);
        let of = |file| links.of(file).collect::<Vec<_>>();
        assert_eq!((of(0), of(1), of(4), of(9)), (vec![], vec![5], vec![6, 7], vec![]));
    }
}
