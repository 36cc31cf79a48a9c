//! The files that manifests name, manifest after manifest, line after line.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::vec;

use crate::algorithm::AnyAlgorithm;
use crate::commands::say_backend;
use crate::file_name;
use crate::manifest::Lines;
use crate::manifest::line::{Entry, LineParser};
use crate::pipeline::{STDIN, Task, Work, patiently};
use crate::walk::{hashing, look_at};

use super::Check;

/// A step through the manifests.
#[derive(Debug)]
pub enum Step {
    /// A file that should have a digest.
    Entry {
        /// The line that says so.
        line: u64,
        /// What it says.
        entry: Entry,
    },
    /// A line that says nothing.
    Malformed {
        /// Its number.
        line: u64,
    },
    /// A manifest could not be opened.
    Unopened(io::Error),
    /// A manifest could not be read to its end.
    Unreadable(io::Error),
    /// The end of a manifest.
    End,
    /// No backend for the algorithm of a line, and why.
    NoBackend(String),
}

/// Goes through the manifests.
pub struct Source {
    program: OsString,
    check: Check,
    manifests: vec::IntoIter<OsString>,
    parser: LineParser,
    current: Option<Current>,
    /// An entry was standard input: nothing is left of it for a manifest, whether or not it has been hashed yet.
    is_stdin_spent: bool,
    /// Algorithms met so far, which the backend can do.
    algorithms: Vec<AnyAlgorithm>,
}

struct Current {
    lines: Lines<Box<dyn BufRead + Send>>,
    is_stdin: bool,
}

impl Source {
    /// All files that `manifests` name.
    pub fn new(program: &OsStr, check: &Check, manifests: Vec<OsString>) -> Self {
        Self {
            program: program.to_owned(),
            parser: LineParser::new(check.dialect, check.algorithm),
            check: check.clone(),
            manifests: manifests.into_iter(),
            current: None,
            is_stdin_spent: false,
            algorithms: Vec::new(),
        }
    }

    fn open(&self, manifest: &OsStr) -> io::Result<Current> {
        let is_stdin = manifest == STDIN;
        let input: Box<dyn BufRead + Send> = if is_stdin && self.is_stdin_spent {
            Box::new(io::empty())
        } else if is_stdin {
            Box::new(BufReader::with_capacity(64 << 10, io::stdin()))
        } else {
            Box::new(BufReader::with_capacity(64 << 10, patiently(|| File::open(manifest))?))
        };
        Ok(Current { lines: Lines::new(input), is_stdin })
    }

    /// What to do for an entry.
    fn work(&self, entry: &Entry) -> (PathBuf, Work) {
        let name = PathBuf::from(file_name::from_bytes(&entry.name));
        let path = match &self.check.directory {
            Some(directory) if name.as_os_str() != STDIN => directory.join(name),
            _ => name,
        };
        let work = hashing(look_at(&path), entry.algorithm.into());
        (path, work)
    }

    /// Whether there is a backend for `algorithm`.
    fn meet(&mut self, algorithm: AnyAlgorithm) -> Result<(), String> {
        if !self.algorithms.contains(&algorithm) {
            algorithm.backend()?;
            if self.check.verbose {
                say_backend(&self.program, algorithm);
            }
            self.algorithms.push(algorithm);
        }
        Ok(())
    }

    /// The next step; nothing at the end of all.
    fn step(&mut self) -> Option<Step> {
        let Some(current) = &mut self.current else {
            let manifest = self.manifests.next()?;
            return match self.open(&manifest) {
                Ok(current) => {
                    self.current = Some(current);
                    self.step()
                }
                Err(error) => Some(Step::Unopened(error)),
            };
        };
        match current.lines.next_line() {
            Ok(Some((line, text))) => {
                let is_stdin = current.is_stdin;
                // A list that comes from standard input cannot also tell the digest of it.
                let entry = self.parser.parse(text).filter(|entry| !(is_stdin && entry.name == STDIN.as_bytes()));
                self.is_stdin_spent |= entry.as_ref().is_some_and(|entry| entry.name == STDIN.as_bytes());
                Some(entry.map_or(Step::Malformed { line }, |entry| Step::Entry { line, entry }))
            }
            Ok(None) => {
                self.current = None;
                Some(Step::End)
            }
            Err(error) => {
                self.current = None;
                Some(Step::Unreadable(error))
            }
        }
    }
}

impl Iterator for Source {
    type Item = Task<Step>;

    fn next(&mut self) -> Option<Task<Step>> {
        let mut step = self.step()?;
        let (mut path, mut work) = (PathBuf::new(), Work::Nothing);
        if let Step::Entry { entry, .. } = &step {
            match self.meet(entry.algorithm) {
                Ok(()) => (path, work) = self.work(entry),
                Err(message) => {
                    step = Step::NoBackend(message);
                    self.current = None;
                    self.manifests = Vec::new().into_iter();
                }
            }
        }
        Some(Task { label: step, path, work })
    }
}
