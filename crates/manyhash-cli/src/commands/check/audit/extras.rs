//! The walk for files that are not listed, and the report on them.

use super::super::report::{Absent, Report};
use super::listed::Listed;
use super::missing::{Lost, Sizes};
use crate::spill::Fingerprints;
use manyhash_files::find::{Found, Readable, Walk, hashing};
use manyhash_files::{Algorithms, Finished, Sink, Task, Work, file_name};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) enum Finding {
    Extra {
        size_bytes: u64,
    },
    /// A folder or file that cannot be looked at.
    Closed,
    /// The listed paths cannot be read any more, which ends the walk.
    Failure(io::Error),
}

/// Walks through the folders, and returns the files that are not listed.
pub(crate) struct Extras {
    walk: Walk,
    devices: BTreeSet<u64>,
    listed: Listed,
    fingerprints: Fingerprints,
    /// The algorithms for hashing files, and the sizes of the files to hash.
    wanted: Option<(Algorithms, Sizes)>,
    has_failed: bool,
}

impl Extras {
    /// Creates a walk for files in `folders` and on `devices` that are not `listed`. Files that may
    /// be missing ones are hashed.
    pub(crate) fn new(
        folders: Vec<PathBuf>,
        devices: BTreeSet<u64>,
        (listed, fingerprints): (Listed, Fingerprints),
        wanted: Option<(Algorithms, Sizes)>,
    ) -> Self {
        let folders = folders.into_iter().map(PathBuf::into_os_string).collect();
        Self { walk: Walk::new(folders, true), devices, listed, fingerprints, wanted, has_failed: false }
    }

    fn is_listed(&self, path: &Path) -> io::Result<bool> {
        let key = self.fingerprints.of(&file_name::bytes_of(path));
        self.listed.contains(&key)
    }

    fn work(&self, what: Readable, size_bytes: u64) -> Work {
        match &self.wanted {
            Some((algorithms, sizes)) if sizes.contain(size_bytes) => hashing(Ok(what), *algorithms),
            _ => Work::Nothing,
        }
    }
}

impl Iterator for Extras {
    type Item = Task<Finding>;

    fn next(&mut self) -> Option<Task<Finding>> {
        while !self.has_failed {
            let (path, what) = match self.walk.next()? {
                Found::File(path, Ok(what)) => (path, what),
                Found::File(path, Err(error)) => return Some(Task { label: Finding::Closed, path, work: Work::Failed(error) }),
                Found::Skipped(..) => continue,
            };
            let Readable::File { size_bytes, stamp } = what else { continue };
            if stamp.is_some_and(|stamp| !self.devices.contains(&stamp.file.device)) {
                continue;
            }
            let label = match self.is_listed(&path) {
                Ok(true) => continue,
                Ok(false) => Finding::Extra { size_bytes },
                Err(error) => Finding::Failure(error),
            };
            self.has_failed = matches!(label, Finding::Failure(_));
            let work = if self.has_failed { Work::Nothing } else { self.work(what, size_bytes) };
            return Some(Task { label, path, work });
        }
        None
    }
}

pub(crate) struct Findings<'a, 'b> {
    report: &'a mut Report<'b>,
    /// The folder that reported names are relative to, if they can be.
    base: PathBuf,
    lost: Option<Lost>,
    failure: Option<io::Error>,
}

impl<'a, 'b> Findings<'a, 'b> {
    /// Creates a sink that reports findings to `report`. Some of them may be the missing files
    /// `lost`.
    pub(crate) fn new(report: &'a mut Report<'b>, base: PathBuf, lost: Option<Lost>) -> Self {
        Self { report, base, lost, failure: None }
    }

    /// Reports the missing files that were not found. Returns why the audit is not whole, if it is
    /// not.
    pub(crate) fn finish(self) -> io::Result<Option<io::Error>> {
        let Self { report, lost, failure, .. } = self;
        let Some(lost) = lost else { return Ok(failure) };
        match lost.each(|Absent { manifest, line, entry, why, .. }| report.missing(&manifest, line, &entry, &why)) {
            Ok(reported) => reported.map(|()| failure),
            Err(error) => Ok(Some(failure.unwrap_or(error))),
        }
    }
}

impl Sink<Finding> for Findings<'_, '_> {
    fn take(&mut self, finished: Finished<Finding>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let size_bytes = match label {
            Finding::Extra { size_bytes } => size_bytes,
            Finding::Closed => return outcome.and_then(Result::err).map_or(Ok(()), |error| self.report.closed(&path, &error)),
            Finding::Failure(error) => {
                self.failure = Some(error);
                return Ok(());
            }
        };
        let name = &file_name::bytes_of(path.strip_prefix(&self.base).unwrap_or(&path));
        if let Some(Ok(hashed)) = &outcome {
            self.report.summary().bytes += hashed.bytes;
        }
        match (outcome, &mut self.lost) {
            (Some(Ok(hashed)), Some(lost)) => match lost.find(&hashed.digests) {
                Ok(Some(entry)) => self.report.moved(name, &entry, hashed.bytes),
                Ok(None) => self.report.extra(name, hashed.bytes),
                Err(error) => {
                    self.failure.get_or_insert(error);
                    self.report.extra(name, hashed.bytes)
                }
            },
            // The file has vanished meanwhile.
            (Some(Err(error)), _) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            (Some(Err(error)), _) => {
                self.report.closed(&path, &error)?;
                self.report.extra(name, size_bytes)
            }
            _ => self.report.extra(name, size_bytes),
        }
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.flush()
    }
}
