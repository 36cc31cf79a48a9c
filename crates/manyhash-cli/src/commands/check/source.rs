//! The tasks for the files that manifests name, manifest after manifest, line after line.

use super::Check;
use super::diversions::{self, Diversions};
use crate::cache::Cache;
use crate::commands::say_backend;
use crate::progress::{Ahead, ahead_by};
use crate::text::manifest::form::{Form, Parser};
use crate::text::manifest::hub;
use crate::text::manifest::line::{Dialect, Entry, Line};
use crate::text::manifest::reader::Reader;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Readable, look_at};
use manyhash_files::{STDIN, Task, Work, file_name};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

#[derive(Debug)]
pub(crate) enum Step {
    /// A file that should have a digest.
    Entry {
        /// The number of the line that lists it.
        line: u64,
        /// The line's content. A name relative to the manifest's folder begins with that folder.
        entry: Entry,
        /// The file's size, if the line says it.
        size_bytes: Option<u64>,
        names: Names,
        /// The file system that the file is on, if the file exists.
        device: Option<u64>,
    },
    /// A file that belongs there, whatever its content.
    Unhashed(Names),
    Malformed {
        line: u64,
        /// What its algorithm is called.
        tag: Option<&'static str>,
    },
    Unopened(io::Error),
    Unreadable(io::Error),
    End {
        /// An algorithm that nothing but the length of digests told.
        guessed: Option<AnyAlgorithm>,
        /// The folder that names were relative to, or `None` for the current folder.
        base: Option<Arc<Path>>,
    },
    /// Why dpkg's diversions cannot be read. Their manifest is checked without them.
    Diversions(PathBuf, io::Error),
    /// Something that is wrong with a manifest, but with no file's digest.
    Wrong(String),
    /// Something to be said of a manifest that is not wrong.
    Remark(String),
    /// Why there is no backend for the algorithm of a line.
    NoBackend(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) form: Form,
    /// The folder that names are relative to, or `None` for the current folder.
    pub(crate) base: Option<Arc<Path>>,
}

pub(crate) struct Source {
    program: OsString,
    check: Check,
    manifests: vec::IntoIter<OsString>,
    parser: Parser,
    current: Option<Current>,
    /// dpkg's diversions, and where they are from: packages mostly have theirs in common.
    diversions: (PathBuf, Diversions),
    /// Whether an entry was standard input. Nothing is left of it for a manifest then, whether or
    /// not it has been hashed yet.
    is_stdin_spent: bool,
    /// The algorithms met so far, all of which have a backend.
    algorithms: Vec<AnyAlgorithm>,
    /// Whether files are looked at. Otherwise their sizes are not known.
    is_looking: bool,
}

struct Current {
    manifest: OsString,
    lines: Reader,
    /// The meaning of names, which is known once the form is.
    names: Option<Names>,
    /// The package that it is of, if that has diversions.
    package: Option<Vec<u8>>,
}

impl Source {
    pub(crate) fn new(program: &OsStr, check: &Check, manifests: Vec<OsString>) -> Self {
        Self {
            program: program.to_owned(),
            parser: Parser::new(check.dialect, check.algorithm),
            check: check.clone(),
            manifests: manifests.into_iter(),
            current: None,
            diversions: Default::default(),
            is_stdin_spent: false,
            algorithms: Vec::new(),
            is_looking: true,
        }
    }

    /// Returns what counts the files that the manifests list, if these can be read twice.
    pub(crate) fn ahead(&self) -> Option<Ahead> {
        let manifests = self.manifests.as_slice();
        // Streams can be read only once, and the ids of small files on a hub are made as their lines are read.
        if !manifests.iter().all(|manifest| manifest != STDIN && Path::new(manifest).is_file()) {
            return None;
        }
        let check = Check { cache: Cache::none(), verbose: false, ..self.check.clone() };
        let sizes = |is_looking| {
            let tasks = Self { is_looking, ..Self::new(&self.program, &check, manifests.to_vec()) };
            tasks.filter_map(move |task| match task.work {
                Work::File { size_bytes, .. } => Some(is_looking.then_some(size_bytes)),
                Work::Nothing => None,
                Work::Stream { .. } | Work::Known(_) | Work::Failed(_) => Some(Some(0)),
            })
        };
        Some(ahead_by(sizes(false), sizes(true)))
    }

    fn open(&mut self, manifest: OsString) -> io::Result<Current> {
        if self.check.dialect == Dialect::Manyhash && manifest != STDIN && hub::is_one(Path::new(&manifest)) {
            let lines = Reader::of_hub(Path::new(&manifest), &mut self.parser)?;
            return Ok(Current { manifest, lines, names: None, package: None });
        }
        let is_spent = manifest == STDIN && self.is_stdin_spent;
        let lines = if is_spent { Reader::of(Box::new(io::empty())) } else { Reader::open(Path::new(&manifest))? };
        Ok(Current { manifest, lines, names: None, package: None })
    }

    /// Makes ready for the diversions at `path` in the list of `package`.
    fn divert(&mut self, path: PathBuf, package: Vec<u8>) -> Option<Step> {
        let mut failed = None;
        if self.diversions.0 != path {
            let read = Diversions::read(&path).unwrap_or_else(|error| {
                failed = Some(Step::Diversions(path.clone(), error));
                Diversions::default()
            });
            self.diversions = (path, read);
        }
        if let Some(current) = &mut self.current {
            current.package = Some(package);
        }
        failed
    }

    fn meet(&mut self, algorithm: AnyAlgorithm) -> Result<(), String> {
        if !self.algorithms.contains(&algorithm) {
            algorithm.backend().map_err(|error| error.to_string())?;
            if self.check.verbose {
                say_backend(&self.program, algorithm);
            }
            self.algorithms.push(algorithm);
        }
        Ok(())
    }

    fn task(&mut self) -> Option<Task<Step>> {
        loop {
            let Some(current) = &mut self.current else {
                let manifest = self.manifests.next()?;
                self.parser.begin(Path::new(&manifest));
                match self.open(manifest) {
                    Ok(current) => {
                        let place = diversions::place_of(Path::new(&current.manifest));
                        self.current = Some(current);
                        if let Some((path, package)) = place.filter(|_| self.check.dialect == Dialect::Manyhash)
                            && let Some(failed) = self.divert(path, package)
                        {
                            return Some(only(failed));
                        }
                    }
                    Err(error) => return Some(only(Step::Unopened(error))),
                }
                continue;
            };
            let (line, parsed) = match current.lines.next(&mut self.parser) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    let base = self.current.take().and_then(|current| current.names).and_then(|names| names.base);
                    return Some(only(Step::End { guessed: self.parser.guessed(), base }));
                }
                Err(error) => {
                    self.current = None;
                    return Some(only(Step::Unreadable(error)));
                }
            };
            return Some(match parsed {
                Line::Entry { entry, size_bytes } => self.entry(line, entry, size_bytes),
                Line::Unhashed(name) => {
                    let names = self.names();
                    let path = path_of(&name, &names);
                    Task { label: Step::Unhashed(names), path, work: Work::Nothing }
                }
                Line::Comment => continue,
                Line::Malformed => only(Step::Malformed { line, tag: self.parser.tag_of_malformed() }),
                Line::Wrong(what) => only(Step::Wrong(what)),
                Line::Remark(what) => only(Step::Remark(what)),
            });
        }
    }

    fn entry(&mut self, line: u64, mut entry: Entry, size_bytes: Option<u64>) -> Task<Step> {
        let names = self.names();
        let is_stdin = entry.name == STDIN.as_bytes() && names.form == Form::Text;
        // A manifest on standard input cannot also list the digest of standard input.
        if is_stdin && self.current.as_ref().is_some_and(|current| current.manifest == STDIN) {
            return only(Step::Malformed { line, tag: self.parser.tag_of_malformed() });
        }
        self.is_stdin_spent |= is_stdin;
        if let Err(message) = self.meet(entry.algorithm) {
            self.current = None;
            self.manifests = Vec::new().into_iter();
            return only(Step::NoBackend(message));
        }
        if let Some(package) = self.current.as_ref().and_then(|current| current.package.as_ref())
            && let Some(to) = self.diversions.1.of(&entry.name, package)
        {
            entry.name = to.to_vec();
        }
        let path = if is_stdin { PathBuf::from(STDIN) } else { path_of(&entry.name, &names) };
        if self.check.directory.is_none() && names.base.is_some() {
            entry.name = file_name::bytes_of(&path).to_vec();
        }
        let what = if self.is_looking { look_at(&path) } else { Ok(Readable::File { size_bytes: 0, stamp: None }) };
        let device = match &what {
            Ok(Readable::File { stamp: Some(stamp), .. }) => Some(stamp.file.device),
            _ => None,
        };
        let work = match names.form {
            Form::Hub if entry.algorithm == AnyAlgorithm::Sha1 => hub::git_id(&path),
            _ => self.check.cache.hashing(&path, what, entry.algorithms()),
        };
        Task { label: Step::Entry { line, entry, size_bytes, names, device }, path, work }
    }

    fn names(&mut self) -> Names {
        let form = self.parser.form().unwrap_or(Form::Text);
        let Some(current) = &mut self.current else { return Names { form, base: None } };
        let check = &self.check;
        let names = current.names.get_or_insert_with(|| Names { form, base: check.base(&current.manifest, form).map(Arc::from) });
        names.clone()
    }
}

impl Iterator for Source {
    type Item = Task<Step>;

    fn next(&mut self) -> Option<Task<Step>> {
        self.task()
    }
}

fn only(step: Step) -> Task<Step> {
    Task { label: step, path: PathBuf::new(), work: Work::Nothing }
}

fn path_of(name: &[u8], names: &Names) -> PathBuf {
    let name = PathBuf::from(file_name::from_bytes(name));
    match &names.base {
        Some(base) => base.join(name),
        // Standard input has no name in this form.
        None if name.as_os_str() == STDIN => Path::new(".").join(name),
        None => name,
    }
}
