//! The files of both sides, and what is not the same.

use super::list::NamedDigest;
use super::moves;
use super::report::{Difference, Found, Status};
use super::{Troubles, incomparable};
use crate::exit::Failure;
use crate::spill::{RowError, Spill};
use rusqlite::Row;
use std::ffi::OsStr;
use std::io;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// Collects the files of both sides.
pub(super) struct Comparison {
    files: Spill,
    /// The algorithms of each side, in the order in which they were met.
    algorithms: [Vec<String>; 2],
}

/// A file on one side.
#[derive(Debug, Default)]
struct File {
    name: Vec<u8>,
    /// The digests by names of algorithms, of which there is one digest each.
    digests: Vec<(String, Vec<u8>)>,
    bytes: Option<u64>,
}

impl Comparison {
    pub(super) fn new() -> io::Result<Self> {
        let files = Spill::new("CREATE TABLE files (key BLOB, side INTEGER, name BLOB, algorithm TEXT, digest BLOB, bytes INTEGER)")?;
        Ok(Self { files, algorithms: [Vec::new(), Vec::new()] })
    }

    /// Adds a file. Files of both sides with one `key` are the same file; `name` is what it is
    /// called. Without digests its content is not known, or does not matter.
    pub(super) fn add(&mut self, side: Side, key: &[u8], name: &[u8], digests: &[NamedDigest<'_>], bytes: Option<u64>) -> io::Result<()> {
        let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
        let insert = "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)";
        if digests.is_empty() {
            self.files.execute(insert, (key, side as u8, name, None::<&str>, None::<&[u8]>, bytes))?;
        }
        let [old, new] = &mut self.algorithms;
        let met = if side == Side::Old { old } else { new };
        for (algorithm, digest) in digests {
            if !met.iter().any(|met| *met == **algorithm) {
                met.push(algorithm.to_string());
            }
            self.files.execute(insert, (key, side as u8, name, &**algorithm, digest, bytes))?;
        }
        Ok(())
    }

    /// Compares the sides, which messages call by the names `sides`.
    pub(super) fn compare(self, sides: [&OsStr; 2], troubles: &mut Troubles) -> Result<Results, Failure> {
        let Self { files, algorithms: [old, new] } = self;
        let mut common: Vec<String> = old.iter().filter(|algorithm| new.contains(algorithm)).cloned().collect();
        if common.is_empty() && !old.is_empty() && !new.is_empty() {
            let [old_name, new_name] = sides.map(|side| side.to_string_lossy());
            let message = format!("{old_name} has {}, {new_name} has {}: no algorithm is in both", old.join(", "), new.join(", "));
            return Err(Failure::usage(message));
        }
        common.sort_unstable();
        Matching { sides, troubles, common, results: Results::new()?, same: 0 }.run(&files)
    }
}

/// Goes through the files of both sides in the order of their keys.
struct Matching<'a, 'b> {
    sides: [&'a OsStr; 2],
    troubles: &'a mut Troubles<'b>,
    common: Vec<String>,
    results: Results,
    same: u64,
}

impl Matching<'_, '_> {
    fn run(mut self, files: &Spill) -> Result<Results, Failure> {
        let mut key: Option<Vec<u8>> = None;
        let mut pair: [Option<File>; 2] = [None, None];
        let rows = "SELECT key, side, name, algorithm, digest, bytes FROM files ORDER BY key, side, rowid";
        let result = files.each(rows, |row| {
            let next: Vec<u8> = row.get(0)?;
            if key.as_ref() != Some(&next) {
                self.pair(std::mem::take(&mut pair))?;
                key = Some(next);
            }
            let [old, new] = &mut pair;
            let (side, file) = if row.get::<_, u8>(1)? == Side::Old as u8 { (Side::Old, old) } else { (Side::New, new) };
            self.collect(side, file, row)
        });
        result.and_then(|()| self.pair(pair)).and_then(|()| self.results.find_moves()).map_err(|error| incomparable(&error))?;
        self.results.same = self.same;
        Ok(self.results)
    }

    /// Adds a row's digest to the file that it is of.
    fn collect(&mut self, side: Side, file: &mut Option<File>, row: &Row) -> Result<(), RowError> {
        let name: Vec<u8> = row.get(2)?;
        let file = file.get_or_insert_with(|| File { name, ..File::default() });
        file.bytes = file.bytes.or(row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned));
        let (Some(algorithm), Some(digest)) = (row.get::<_, Option<String>>(3)?, row.get::<_, Option<Vec<u8>>>(4)?) else {
            return Ok(());
        };
        match file.digests.iter().find(|(known, _)| *known == algorithm) {
            None => file.digests.push((algorithm, digest)),
            Some((_, known)) if *known == digest => {}
            Some(_) => {
                let [old, new] = self.sides;
                let list = if side == Side::Old { old } else { new };
                self.troubles.say(&file.name, format_args!("{} has two {algorithm} digests of it", list.to_string_lossy()));
            }
        }
        Ok(())
    }

    fn pair(&mut self, pair: [Option<File>; 2]) -> io::Result<()> {
        let (old, new) = match pair {
            [Some(old), Some(new)] => (old, new),
            [Some(old), None] => return self.results.alone(Side::Old, &old, &self.common),
            [None, Some(new)] => return self.results.alone(Side::New, &new, &self.common),
            [None, None] => return Ok(()),
        };
        let digest_of = |algorithm: &str| new.digests.iter().find(|(other, _)| other == algorithm).map(|(_, digest)| digest);
        let both: Vec<_> = old.digests.iter().filter_map(|(algorithm, digest)| Some((algorithm, digest, digest_of(algorithm)?))).collect();
        if both.is_empty() && !old.digests.is_empty() && !new.digests.is_empty() {
            let names = |file: &File| file.digests.iter().map(|(algorithm, _)| algorithm.as_str()).collect::<Vec<_>>().join(", ");
            let [old_name, new_name] = self.sides.map(|side| side.to_string_lossy());
            let what = format!("{old_name} has its {}, {new_name} its {}: these cannot be compared", names(&old), names(&new));
            self.troubles.say(&old.name, what);
            return Ok(());
        }
        match both.into_iter().find(|(_, old, new)| old != new) {
            None => {
                self.same += 1;
                Ok(())
            }
            Some((algorithm, old_digest, new_digest)) => self.results.push(&Difference {
                status: Status::Changed,
                name: old.name.clone(),
                to: None,
                algorithm: Some(algorithm.clone()),
                old_digest: Some(old_digest.clone()),
                new_digest: Some(new_digest.clone()),
                bytes: new.bytes,
            }),
        }
    }
}

/// What is not the same, to be told in the order of names.
pub(super) struct Results {
    spill: Spill,
    same: u64,
}

const TABLES: &str = "
    CREATE TABLE alone (content BLOB, side INTEGER, name BLOB, algorithm TEXT, digest BLOB, bytes INTEGER);
    CREATE TABLE results (name BLOB, status INTEGER, new_name BLOB, algorithm TEXT, old_digest BLOB, new_digest BLOB, bytes INTEGER)";

/// A file that is on one side only.
struct Alone {
    name: Vec<u8>,
    algorithm: Option<String>,
    digest: Option<Vec<u8>>,
    bytes: Option<u64>,
}

impl Results {
    fn new() -> Result<Self, Failure> {
        Ok(Self { spill: Spill::new(TABLES).map_err(|error| incomparable(&error))?, same: 0 })
    }

    fn push(&self, difference: &Difference) -> io::Result<()> {
        let Difference { status, name, to, algorithm, old_digest, new_digest, bytes } = difference;
        let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
        let values = (name, *status as u8, to, algorithm, old_digest, new_digest, bytes);
        self.spill.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    }

    /// Notes a file that is on one side only. Files with the same digests of the `common`
    /// algorithms have one content.
    fn alone(&self, side: Side, file: &File, common: &[String]) -> io::Result<()> {
        let mut content = Vec::new();
        for algorithm in common {
            if let Some((_, digest)) = file.digests.iter().find(|(known, _)| known == algorithm) {
                content.extend(algorithm.as_bytes());
                content.push(0);
                content.extend(digest);
            }
        }
        let shown = file.digests.iter().find(|(algorithm, _)| common.contains(algorithm)).or(file.digests.first());
        let bytes = file.bytes.and_then(|bytes| i64::try_from(bytes).ok());
        let values = (content, side as u8, &file.name, shown.map(|(algorithm, _)| algorithm), shown.map(|(_, digest)| digest), bytes);
        self.spill.execute("INSERT INTO alone VALUES (?, ?, ?, ?, ?, ?)", values)
    }

    /// Makes moved files of those that are on one side only and have the same content, and removed
    /// and added ones of the rest.
    fn find_moves(&self) -> io::Result<()> {
        let mut content: Option<Vec<u8>> = None;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        self.spill.each("SELECT content, side, name, algorithm, digest, bytes FROM alone ORDER BY content, side, name", |row| {
            let next: Vec<u8> = row.get(0)?;
            // Without digests, each file is a content of its own.
            if content.as_ref() != Some(&next) || next.is_empty() {
                self.of_one_content(std::mem::take(&mut old), std::mem::take(&mut new))?;
                content = Some(next);
            }
            let bytes = row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned);
            let file = Alone { name: row.get(2)?, algorithm: row.get(3)?, digest: row.get(4)?, bytes };
            if row.get::<_, u8>(1)? == Side::Old as u8 {
                old.push(file)
            } else {
                new.push(file)
            }
            Ok(())
        })?;
        self.of_one_content(old, new)
    }

    fn of_one_content(&self, old: Vec<Alone>, new: Vec<Alone>) -> io::Result<()> {
        let names = |files: &[Alone]| files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
        let pairs = if old.is_empty() || new.is_empty() { Vec::new() } else { moves::pairs(&names(&old), &names(&new)) };
        let mut to: Vec<Option<usize>> = vec![None; old.len()];
        let mut is_target = vec![false; new.len()];
        for (from, target) in pairs {
            if let (Some(to), Some(is_target)) = (to.get_mut(from), is_target.get_mut(target)) {
                (*to, *is_target) = (Some(target), true);
            }
        }
        for (file, target) in old.into_iter().zip(to) {
            let target = target.and_then(|target| new.get(target));
            let Alone { name, algorithm, digest, bytes } = file;
            self.push(&match target {
                None => Difference { status: Status::Removed, name, to: None, algorithm, old_digest: digest, new_digest: None, bytes },
                Some(new) => Difference {
                    status: Status::Moved,
                    name,
                    to: Some(new.name.clone()),
                    algorithm,
                    old_digest: None,
                    new_digest: digest,
                    bytes: new.bytes.or(bytes),
                },
            })?;
        }
        for (file, _) in new.into_iter().zip(is_target).filter(|(_, is_target)| !is_target) {
            let Alone { name, algorithm, digest, bytes } = file;
            self.push(&Difference { status: Status::Added, name, to: None, algorithm, old_digest: None, new_digest: digest, bytes })?;
        }
        Ok(())
    }

    /// Hands out all that is not the same, in the byte order of names, and at last how many files are.
    pub(super) fn each(self, mut take: impl FnMut(Found) -> io::Result<()>) -> Result<(), Failure> {
        let mut written = Ok(());
        let rows = "SELECT name, status, new_name, algorithm, old_digest, new_digest, bytes FROM results ORDER BY name, status, new_name";
        let result = self.spill.each(rows, |row| {
            let Some(&status) = Status::ALL.get(usize::from(row.get::<_, u8>(1)?)) else { return Ok(()) };
            let difference = Difference {
                status,
                name: row.get(0)?,
                to: row.get(2)?,
                algorithm: row.get(3)?,
                old_digest: row.get(4)?,
                new_digest: row.get(5)?,
                bytes: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
            };
            written = take(Found::Difference(difference));
            if written.is_err() { Err(io::Error::other("the output failed").into()) } else { Ok(()) }
        });
        // An error of the output is told as such.
        written?;
        result.map_err(|error| incomparable(&error))?;
        Ok(take(Found::Same(self.same))?)
    }
}
