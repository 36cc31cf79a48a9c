//! `--audit`: finds files that are not listed, and among them missing ones under another name.
//!
//! The listed files are kept as fingerprints of paths in a temporary database, and each file that a
//! walk finds is looked up there. So memory does not depend on the number of files on either side,
//! and results come in the order of the walk.

mod extras;
mod listed;
mod missing;
mod scope;

use self::extras::{Extras, Findings};
use self::listed::Listed;
use self::missing::Missing;
use self::scope::Scope;
use super::Check;
use super::report::{Absent, Report};
use super::source::Names;
use super::summary::Standing;
use crate::places::Places;
use crate::spill::{Fingerprints, Key};
use manyhash_files::{STDIN, Settings, file_name, hash_files};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// The state of an audit: the listed files, and where to look for others.
pub(crate) struct Audit {
    check: Check,
    places: Places,
    fingerprints: Fingerprints,
    scope: Scope,
    listed: Listed,
    missing: Missing,
    /// Why the audit ended early, if its files could not be written or read.
    failure: Option<io::Error>,
}

/// The place of a listed file, and the rules for its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whereabouts<'a> {
    pub(crate) path: &'a Path,
    pub(crate) names: &'a Names,
    /// The file system that the file is on, if the file exists.
    pub(crate) device: Option<u64>,
}

impl Audit {
    /// Creates an audit of `manifests`, which are themselves no extra files.
    pub(crate) fn new(check: &Check, manifests: &[OsString]) -> io::Result<Self> {
        let mut audit = Self {
            check: check.clone(),
            places: Places::new()?,
            fingerprints: Fingerprints::default(),
            scope: Scope::default(),
            listed: Listed::new()?,
            missing: Missing::new()?,
            failure: None,
        };
        for manifest in manifests.iter().filter(|&manifest| manifest != STDIN) {
            audit.stand(Path::new(manifest), Standing::Belongs)?;
        }
        Ok(audit)
    }

    /// Whether missing files are looked for, and reported if they are not found.
    pub(crate) fn seeks(&self) -> bool {
        self.failure.is_none()
    }

    /// Notes a listed file and its result. `missing` is what is known of it if it is missing.
    pub(crate) fn listed(&mut self, file: Whereabouts, standing: Standing, missing: Option<Absent>) {
        if self.failure.is_none() && file.path.as_os_str() != STDIN {
            self.failure = self.try_listed(file, standing, missing).err();
        }
    }

    fn try_listed(&mut self, file: Whereabouts, standing: Standing, missing: Option<Absent>) -> io::Result<()> {
        let Whereabouts { path, names, device } = file;
        self.scope.cover(names.base.as_deref(), names.form, path);
        if let Some(device) = device {
            self.scope.reach(device);
        }
        let key = self.stand(path, standing)?;
        match missing {
            Some(absent) => self.missing.push(&key, &absent),
            None => Ok(()),
        }
    }

    fn stand(&mut self, path: &Path, standing: Standing) -> io::Result<Key> {
        let key = self.fingerprints.of(&file_name::bytes_of(&self.places.resolve(path)));
        self.listed.push(&key, standing)?;
        Ok(key)
    }

    /// Reports files that are not listed to `report`. Returns why the audit failed, if it did.
    pub(crate) fn finish(mut self, settings: &Settings, report: &mut Report) -> io::Result<Option<io::Error>> {
        if let Some(failure) = self.failure.take() {
            return Ok(Some(failure));
        }
        let (extras, mut findings) = match self.prepare(report) {
            Ok(prepared) => prepared,
            Err(failure) => return Ok(Some(failure)),
        };
        hash_files(extras, settings, &mut findings)?;
        findings.finish()
    }

    fn prepare<'a, 'b>(self, report: &'a mut Report<'b>) -> io::Result<(Extras, Findings<'a, 'b>)> {
        self.listed.sort(report.summary())?;
        let (folders, devices) = self.scope.folders();
        let base = fs::canonicalize(self.check.directory.as_deref().unwrap_or(Path::new(".")))?;
        let (lost, sizes) = if self.missing.is_empty() {
            (None, None)
        } else {
            let (lost, sizes) = self.missing.by_digest()?;
            (Some(lost), Some(sizes))
        };
        let wanted = lost.as_ref().map(missing::Lost::algorithms).zip(sizes);
        let extras = Extras::new(folders, devices, (self.listed, self.fingerprints), wanted);
        Ok((extras, Findings::new(report, base, lost)))
    }
}
