//! A list and a folder: the listed files are hashed by their names, as `check` does, and then those
//! that a walk finds beside them.

use super::compare::{Comparison, Side};
use super::list::{Item, List, Listed, in_one_spelling};
use super::{Troubles, incomparable, is_stdin, troubled};
use crate::cache::Cache;
use crate::commands::passed_over::PassedOver;
use crate::commands::say_backend;
use crate::exit::Failure;
use crate::flags::WorkArguments;
use crate::message::{reason, say, say_of};
use crate::places::Places;
use crate::progress::{Ahead, Progress, ahead_of};
use crate::spill::{Fingerprints, Spill};
use crate::text::quoting::quoted;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Found, Walk, look_at};
use manyhash_files::{Algorithms, Digests, Finished, Settings, Sink, Task, Work, file_name, hash_files};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub(super) struct Call<'a> {
    pub(super) program: &'a OsStr,
    pub(super) work: &'a WorkArguments,
    pub(super) cache: Cache,
    pub(super) verbosity: u8,
}

/// Adds the files of `list` that are in `folder` as the old side, and those of the folder as the new
/// one. Names in the list are relative to `directory`, or as the list's form says.
pub(super) fn add(
    call: &Call<'_>,
    list: List,
    folder: &Path,
    directory: Option<PathBuf>,
    comparison: &mut Comparison,
    troubles: &mut Troubles,
) -> Result<(), Failure> {
    let of = |path: &Path| {
        let path = path.to_path_buf();
        move |error: io::Error| troubled(call.program, path.as_os_str(), &error)
    };
    let place = fs::canonicalize(folder).map_err(of(folder))?;
    if let Some(directory) = &directory {
        fs::read_dir(directory).map_err(of(directory))?;
    }
    let list_path = list.path.clone();
    let source = ListedFiles {
        program: call.program.to_owned(),
        verbose: call.verbosity > 0,
        cache: call.cache.clone(),
        folder: place.clone(),
        list,
        directory,
        places: Places::new().map_err(|error| incomparable(&error))?,
        base: None,
        algorithms: Vec::new(),
        is_stopped: false,
    };
    let settings = begin(call, troubles, || None);
    let mut files = Files::new(comparison, troubles, list_path.as_os_str()).map_err(|error| incomparable(&error))?;
    let result = hash_files(source, &settings, &mut files);
    let Files { listed, fingerprints, met, base, has_absolute, counts: Counts { inside, outside }, failure, .. } = files;
    troubles.end_progress();
    result.map_err(|error| incomparable(&error))?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if outside > 0 {
        let [list, folder] =
            [list_path.as_path(), folder].map(|path| String::from_utf8_lossy(&quoted(&file_name::bytes_of(path))).into_owned());
        if inside == 0 {
            let hint = "names are relative to the current folder, or to that of -C";
            return Err(Failure::usage(format!("no file that {list} names is in {folder}: {hint}")));
        }
        let plural = if outside == 1 { "" } else { "s" };
        say(call.program, format!("{list}: {outside} name{plural} outside of {folder} not compared").as_bytes());
    }
    let Some(algorithms) = together(&met) else {
        return Err(Failure::usage(format!("{}: digests of BLAKE2b of several lengths", list_path.display())));
    };
    let walk = Walk::new(vec![place.into_os_string()], true).leaving_out(Some(&list_path));
    let walk = call.cache.files().iter().fold(walk, |walk, file| walk.leaving_out(Some(file)));
    let settings = begin(call, troubles, || ahead_of(&walk));
    let source = Others { walk, listed, fingerprints, algorithms, cache: call.cache.clone(), has_failed: false };
    let base = if has_absolute { PathBuf::new() } else { base };
    let passed_over = PassedOver::new(call.verbosity);
    let mut others = AddOthers { base, comparison, troubles, passed_over };
    let result = hash_files(source, &settings, &mut others);
    let AddOthers { troubles, passed_over, .. } = others;
    troubles.end_progress();
    passed_over.say(call.program);
    result.map_err(|error| incomparable(&error))
}

/// Returns the settings of a run, whose progress is shown from now on.
fn begin(call: &Call<'_>, troubles: &mut Troubles, ahead: impl FnOnce() -> Option<Ahead>) -> Settings {
    let settings = call.cache.kept(Settings::new(call.work.workers));
    troubles.progress = Progress::start(call.program, call.work.progress, &settings.totals, ahead);
    settings
}

/// Returns these algorithms, with digests of so many bytes, as one set, if they can be one.
fn together(met: &[(AnyAlgorithm, usize)]) -> Option<Algorithms> {
    if let [(algorithm, digest_bytes)] = *met {
        return Algorithms::with_digest_bytes(algorithm, digest_bytes);
    }
    let are_usual = met.iter().all(|(algorithm, digest_bytes)| algorithm.digest_bytes() == *digest_bytes);
    are_usual.then(|| Algorithms::of(&met.iter().map(|(algorithm, _)| *algorithm).collect::<Vec<_>>()))
}

fn met_in(listed: &Listed) -> Vec<(AnyAlgorithm, usize)> {
    listed.entries.iter().map(|entry| (entry.algorithm, entry.digest.len())).collect()
}

/// The files that the list names.
struct ListedFiles {
    program: OsString,
    verbose: bool,
    cache: Cache,
    folder: PathBuf,
    list: List,
    directory: Option<PathBuf>,
    places: Places,
    /// The folder that names are relative to, as given and as it is, once the form of the list is known.
    base: Option<(PathBuf, PathBuf)>,
    /// The algorithms met so far, all of which have a backend.
    algorithms: Vec<AnyAlgorithm>,
    is_stopped: bool,
}

enum Step {
    /// A listed file in the folder.
    File {
        listed: Listed,
        /// The folder that its name is relative to.
        base: PathBuf,
        /// Whether it is there, if it is not to be hashed.
        is_there: bool,
    },
    Outside,
    Malformed(u64),
    Failed(Failure),
}

impl ListedFiles {
    fn base(&mut self) -> (PathBuf, PathBuf) {
        let base = self.base.get_or_insert_with(|| {
            let form = self.list.form();
            let of_form = || form.and_then(|form| form.folder(&self.list.path)).unwrap_or_default();
            let base = self.directory.clone().unwrap_or_else(of_form);
            let here = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
            let resolved = fs::canonicalize(here).unwrap_or_else(|_| here.to_path_buf());
            (base, resolved)
        });
        base.clone()
    }

    fn task(&mut self, listed: Listed) -> Task<Step> {
        let (base, resolved) = self.base();
        let path = self.places.resolve(&base.join(file_name::from_bytes(&listed.name)));
        if !path.starts_with(&self.folder) || is_stdin(&listed.name, self.list.form()) {
            return only(Step::Outside);
        }
        for entry in &listed.entries {
            if !self.algorithms.contains(&entry.algorithm) {
                if let Err(error) = entry.algorithm.backend() {
                    self.is_stopped = true;
                    return only(Step::Failed(Failure::usage(error.to_string())));
                }
                if self.verbose {
                    say_backend(&self.program, entry.algorithm);
                }
                self.algorithms.push(entry.algorithm);
            }
        }
        let what = look_at(&path);
        let is_there = what.is_ok();
        let work = match together(&met_in(&listed)) {
            _ if listed.entries.is_empty() => Work::Nothing,
            Some(algorithms) => self.cache.hashing(&path, what, algorithms),
            None => Work::Failed(io::Error::other("digests of BLAKE2b of several lengths")),
        };
        Task { label: Step::File { listed, base: resolved, is_there }, path, work }
    }
}

impl Iterator for ListedFiles {
    type Item = Task<Step>;

    fn next(&mut self) -> Option<Task<Step>> {
        if self.is_stopped {
            return None;
        }
        Some(match self.list.next()? {
            Item::File(listed) => self.task(listed),
            Item::Malformed(line) => only(Step::Malformed(line)),
            Item::Unreadable(error) => {
                self.is_stopped = true;
                only(Step::Failed(troubled(&self.program, self.list.path.as_os_str(), &error)))
            }
        })
    }
}

fn only(step: Step) -> Task<Step> {
    Task { label: step, path: PathBuf::new(), work: Work::Nothing }
}

#[derive(Default)]
struct Counts {
    inside: u64,
    outside: u64,
}

/// Takes what came of the listed files.
struct Files<'a, 'b> {
    comparison: &'a mut Comparison,
    troubles: &'a mut Troubles<'b>,
    list: &'a OsStr,
    /// The fingerprints of the listed paths.
    listed: Spill,
    fingerprints: Fingerprints,
    met: Vec<(AnyAlgorithm, usize)>,
    base: PathBuf,
    /// Whether the names in the list are absolute.
    has_absolute: bool,
    counts: Counts,
    failure: Option<Failure>,
}

impl<'a, 'b> Files<'a, 'b> {
    fn new(comparison: &'a mut Comparison, troubles: &'a mut Troubles<'b>, list: &'a OsStr) -> io::Result<Self> {
        let listed = Spill::new("CREATE TABLE listed (path BLOB PRIMARY KEY) WITHOUT ROWID")?;
        let fingerprints = Fingerprints::default();
        let (met, base, counts) = (Vec::new(), PathBuf::new(), Counts::default());
        Ok(Self { comparison, troubles, list, listed, fingerprints, met, base, has_absolute: false, counts, failure: None })
    }
}

impl Sink<Step> for Files<'_, '_> {
    fn take(&mut self, finished: Finished<Step>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let (listed, base, is_there) = match label {
            Step::File { listed, base, is_there } => (listed, base, is_there),
            Step::Outside => {
                self.counts.outside += 1;
                return Ok(());
            }
            Step::Malformed(line) => {
                self.troubles.malformed(self.list, line);
                return Ok(());
            }
            Step::Failed(failure) => {
                self.failure = Some(failure);
                return Ok(());
            }
        };
        self.counts.inside += 1;
        self.has_absolute |= listed.name.first() == Some(&b'/');
        self.base = base;
        for met in met_in(&listed) {
            if !self.met.contains(&met) {
                self.met.push(met);
            }
        }
        let key = &file_name::bytes_of(&path);
        self.listed.execute("INSERT OR IGNORE INTO listed VALUES (?)", [self.fingerprints.of(key)])?;
        let name = in_one_spelling(&listed.name);
        self.comparison.add(Side::Old, key, &name, &listed.digests(), listed.bytes)?;
        match outcome {
            None if is_there => self.comparison.add(Side::New, key, &name, &[], None),
            None => Ok(()),
            Some(Ok(hashed)) => self.comparison.add(Side::New, key, &name, &named(&hashed.digests), Some(hashed.bytes)),
            Some(Err(error)) if is_gone(&error) => Ok(()),
            Some(Err(error)) => {
                self.troubles.say(&name, reason(&error));
                self.comparison.add(Side::New, key, &name, &[], None)
            }
        }
    }
}

/// Whether there is no file of the name that the error is of, but nothing or a folder.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}

fn named(digests: &Digests) -> Vec<super::list::NamedDigest<'_>> {
    let algorithms = digests.algorithms();
    algorithms.iter().map(|algorithm| (algorithms.name(algorithm), digests.of(algorithm))).collect()
}

/// The files of the folder that are not listed.
struct Others {
    walk: Walk,
    listed: Spill,
    fingerprints: Fingerprints,
    algorithms: Algorithms,
    cache: Cache,
    has_failed: bool,
}

enum Other {
    File,
    Skipped(&'static str),
    /// The listed paths cannot be read any more, which ends the walk.
    Failure(io::Error),
}

impl Others {
    fn is_listed(&self, path: &Path) -> io::Result<bool> {
        let key = self.fingerprints.of(&file_name::bytes_of(path));
        self.listed.first("SELECT 1 FROM listed WHERE path = ?", [key], |_| Ok(())).map(|found| found.is_some())
    }
}

impl Iterator for Others {
    type Item = Task<Other>;

    fn next(&mut self) -> Option<Task<Other>> {
        while !self.has_failed {
            let (path, what) = match self.walk.next()? {
                Found::File(path, what) => (path, what),
                Found::Skipped(path, what) => return Some(Task { label: Other::Skipped(what), path, work: Work::Nothing }),
            };
            match self.is_listed(&path) {
                Ok(true) => {}
                Ok(false) => {
                    // If the list is empty, there is no algorithm to hash with.
                    let work = match what {
                        Ok(_) if self.algorithms == Algorithms::NONE => Work::Nothing,
                        what => self.cache.hashing(&path, what, self.algorithms),
                    };
                    return Some(Task { label: Other::File, path, work });
                }
                Err(error) => {
                    self.has_failed = true;
                    return Some(Task { label: Other::Failure(error), path, work: Work::Nothing });
                }
            }
        }
        None
    }
}

struct AddOthers<'a, 'b> {
    /// The folder that names are relative to, if they can be.
    base: PathBuf,
    comparison: &'a mut Comparison,
    troubles: &'a mut Troubles<'b>,
    passed_over: PassedOver,
}

impl Sink<Other> for AddOthers<'_, '_> {
    fn take(&mut self, finished: Finished<Other>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let key = &file_name::bytes_of(&path);
        let name = &file_name::bytes_of(path.strip_prefix(&self.base).unwrap_or(&path));
        match (label, outcome) {
            (Other::Failure(error), _) => Err(error),
            (Other::Skipped(what), _) => {
                if self.passed_over.meet(what) {
                    let troubles = &self.troubles;
                    troubles.progress.above(|| say_of(troubles.program, name, format_args!("skipped: {what}")));
                }
                Ok(())
            }
            (Other::File, None) => self.comparison.add(Side::New, key, name, &[], None),
            (Other::File, Some(Ok(hashed))) => self.comparison.add(Side::New, key, name, &named(&hashed.digests), Some(hashed.bytes)),
            // It has vanished meanwhile.
            (Other::File, Some(Err(error))) if error.kind() == ErrorKind::NotFound => Ok(()),
            (Other::File, Some(Err(error))) => {
                self.troubles.say(name, reason(&error));
                Ok(())
            }
        }
    }
}
