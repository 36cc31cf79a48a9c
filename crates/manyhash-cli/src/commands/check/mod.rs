//! `check`: whether files have the digests that manifests say. The drop-ins do the same with `-c`.
//! CHECK.md is the specification.

mod audit;
mod diversions;
mod folder;
mod guess;
mod report;
mod source;
mod summary;

use self::audit::{Audit, Whereabouts};
use self::report::{Absent, Report};
use self::source::{Source, Step};
use self::summary::Standing;
use crate::cache::Cache;
use crate::exit::{Failure, Outcome};
use crate::flags::CheckArguments;
use crate::message::{reason, say_if_typed};
use crate::progress::{Progress, ProgressWhen};
use crate::text::manifest::form::Form;
use crate::text::manifest::line::Dialect;
use manyhash::AnyAlgorithm;
use manyhash_files::{Finished, Hashed, STDIN, Settings, Sink, hash_files};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) fn run(program: &OsStr, arguments: CheckArguments, verbosity: u8) -> Outcome {
    let verbose = verbosity > 0;
    let CheckArguments { algorithm, directory, strict, ignore_missing, audit, quiet, status, warn, json, cache, work, manifests } =
        arguments;
    // Without an algorithm given, one backend suffices. Lines that it cannot hash are reported.
    let candidates = algorithm.map_or(AnyAlgorithm::ALL.to_vec(), |algorithm| vec![algorithm]);
    let errors: Option<Vec<_>> = candidates.iter().map(|algorithm| algorithm.backend().err()).collect();
    if let Some(error) = errors.and_then(|errors| errors.into_iter().next()) {
        return Err(Failure::usage(error.to_string()));
    }
    if let Some(directory) = &directory {
        std::fs::read_dir(directory).map_err(Failure::of(directory))?;
    }
    let cache = Cache::open(program, &cache)?;
    let settings = cache.kept(Settings::new(work.workers));
    let dialect = Dialect::Manyhash;
    say_if_typed(program, &manifests);
    let (manifests, own_folders) = folder::expanded(manifests);
    let check = Check {
        dialect,
        algorithm,
        directory,
        own_folders,
        strict,
        ignore_missing,
        audit,
        quiet,
        status,
        warn,
        json,
        cache,
        progress: work.progress,
        verbose,
        names_all_missing: verbosity > 1 || json,
    };
    check.run(program, manifests, &settings)
}

/// The settings of a check, from the options of `manyhash check` or of a drop-in.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// The rules that count where GNU coreutils and manyhash differ.
    pub(crate) dialect: Dialect,
    /// The algorithm of all lines. Without it, each line tells its own.
    pub(crate) algorithm: Option<AnyAlgorithm>,
    /// The folder that names are relative to, unless it is the current one.
    pub(crate) directory: Option<PathBuf>,
    /// The manifests of folders that were given in their place. Their names are relative to these.
    pub(crate) own_folders: BTreeSet<OsString>,
    pub(crate) strict: bool,
    pub(crate) ignore_missing: bool,
    pub(crate) audit: bool,
    pub(crate) quiet: bool,
    pub(crate) status: bool,
    pub(crate) warn: bool,
    pub(crate) json: bool,
    pub(crate) cache: Cache,
    pub(crate) progress: ProgressWhen,
    pub(crate) verbose: bool,
    /// Whether all missing files are named, and not only some.
    pub(crate) names_all_missing: bool,
}

impl Check {
    pub(crate) fn run(self, program: &OsStr, manifests: Vec<OsString>, settings: &Settings) -> Outcome {
        let audit = self.audit.then(|| Audit::new(&self, &manifests)).transpose();
        let audit = audit.map_err(|error| Failure::failed(audit_failed(&error)))?;
        let source = Source::new(program, &self, manifests.clone());
        let progress = Progress::start(program, self.progress, &settings.totals, || source.ahead());
        let mut results = Results { report: Report::new(program, &self, manifests, progress), audit };
        let result = hash_files(source, settings, &mut results).and_then(|()| results.finish(settings));
        let is_verified = self.cache.finish(self.verbose);
        result?;
        if results.report.is_stopped() {
            return Err(Failure::said_usage());
        }
        Ok(results.report.is_fine() && is_verified)
    }

    /// Returns the folder that names in `manifest` are relative to, unless it is the current one.
    fn base(&self, manifest: &OsStr, form: Form) -> Option<PathBuf> {
        match &self.directory {
            Some(directory) => Some(directory.clone()),
            None if manifest == STDIN => None,
            None if self.own_folders.contains(manifest) => {
                form.folder(Path::new(manifest)).or_else(|| Path::new(manifest).parent().map(Path::to_path_buf))
            }
            None => form.folder(Path::new(manifest)),
        }
    }
}

/// The receivers of results: the report prints them, and the audit remembers them.
struct Results<'a> {
    report: Report<'a>,
    audit: Option<Audit>,
}

impl Results<'_> {
    fn listed(&mut self, file: Whereabouts, standing: Standing, missing: Option<Absent>) {
        if let Some(audit) = &mut self.audit {
            audit.listed(file, standing, missing);
        }
    }

    /// Finishes the audit, and prints the summary.
    fn finish(&mut self, settings: &Settings) -> io::Result<()> {
        if let (Some(audit), false) = (self.audit.take(), self.report.is_stopped())
            && let Some(failure) = audit.finish(settings, &mut self.report)?
        {
            self.report.fail(&audit_failed(&failure))?;
        }
        self.report.finish()
    }
}

impl Sink<Step> for Results<'_> {
    fn take(&mut self, Finished { label, path, outcome }: Finished<Step>) -> io::Result<()> {
        match label {
            Step::Entry { line, entry, size_bytes, names, device } => {
                let outcome = Hashed::of(outcome);
                let why = outcome.as_ref().err().map(reason);
                let is_sought = self.audit.as_ref().is_some_and(Audit::seeks);
                let checked = size_bytes.filter(|_| names.form.has_checked_sizes());
                let standing = self.report.entry(&path, (line, &entry, checked), outcome, is_sought)?;
                let manifest = self.report.manifest().to_vec();
                let missing =
                    (standing == Standing::Missing).then(|| Absent { manifest, line, entry, why: why.unwrap_or_default(), size_bytes });
                self.listed(Whereabouts { path: &path, names: &names, device }, standing, missing);
                Ok(())
            }
            Step::Unhashed(names) => {
                self.listed(Whereabouts { path: &path, names: &names, device: None }, Standing::Belongs, None);
                Ok(())
            }
            Step::Malformed { line, tag } => self.report.malformed(line, tag),
            Step::End { guessed, base } => self.report.end(guessed, base.as_deref()),
            Step::Unopened(error) => self.report.unopened(&error),
            Step::Unreadable(error) => self.report.unreadable(&error),
            Step::Diversions(path, error) => self.report.closed(&path, &error),
            Step::Wrong(what) => self.report.wrong(&what),
            Step::Remark(what) => self.report.remark(&what),
            Step::NoBackend(message) => self.report.stop(&message),
        }
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.flush()
    }
}

fn audit_failed(error: &io::Error) -> String {
    format!("the audit could not be done: temporary file: {}", reason(error))
}
