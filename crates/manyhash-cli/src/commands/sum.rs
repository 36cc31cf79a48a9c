//! `sum`: prints the digests of files in the order given, as the drop-ins do without `-c`.

mod update;

use self::update::Update;
use super::passed_over::PassedOver;
use super::prepare_backends;
use crate::cache::Cache;
use crate::exit::{Failure, Outcome};
use crate::flags::SumArguments;
use crate::message::{reason, say_if_typed, say_of};
use crate::output::Output;
use crate::progress::{Progress, ahead_of};
use crate::text::lines::{Format, Style};
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Found, NameEnd, NameList, Walk};
use manyhash_files::{Algorithms, Finished, STDIN, Settings, Sink, Task, Work, file_name, hash_files};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) fn run(program: &OsStr, mut arguments: SumArguments, verbosity: u8) -> Outcome {
    let verbose = verbosity > 0;
    let update = arguments.begin_update(program)?;
    if arguments.algorithms.is_empty() {
        arguments.algorithms = vec![AnyAlgorithm::Sha256];
    }
    let algorithms = Algorithms::of(&arguments.algorithms);
    prepare_backends(program, algorithms, verbose).map_err(Failure::usage)?;
    let options = arguments.walk.options().map_err(Failure::usage)?;
    if arguments.files_from.as_deref() == Some(Path::new(STDIN)) && arguments.paths.iter().any(|path| path == STDIN) {
        return Err(Failure::usage("standard input cannot be both a list of names and a file"));
    }
    let list = arguments.list()?;
    let output = match &arguments.output {
        Some(path) => Output::file(path).map_err(Failure::of(path))?,
        None => Output::stdout(),
    };
    let cache = Cache::open(program, &arguments.cache)?;
    let settings = cache.kept(Settings::new(arguments.work.workers));
    let hint = (!arguments.recursive).then_some("-r hashes what is in it");
    let style = match &update {
        Some(update) if update.style != Style::Text => update.style,
        _ => arguments.style(),
    };
    let format = Format::new(&arguments.algorithms, style, arguments.zero);
    let paths = if list.is_some() { arguments.paths } else { or_stdin(arguments.paths) };
    say_if_typed(program, &paths);
    let walk = Walk::new(paths, arguments.recursive).then(list).with(options).leaving_out(arguments.output.as_deref());
    let walk = cache.files().iter().fold(walk, |walk, file| walk.leaving_out(Some(file)));
    let progress = Progress::start(program, arguments.work.progress, &settings.totals, || ahead_of(&walk));
    let sum = Sum {
        walk,
        cache,
        algorithms,
        format,
        output,
        output_path: arguments.output,
        update,
        progress,
        verbose,
        passed_over: PassedOver::new(verbosity),
        folder_hint: hint,
    };
    sum.print(program, &settings)
}

impl SumArguments {
    /// Reads the list to bring up to date, if there is one. Its place becomes that of the output,
    /// and its algorithms those asked for.
    fn begin_update(&mut self, program: &OsStr) -> Result<Option<Update>, Failure> {
        let Some(list) = &self.update else { return Ok(None) };
        if self.paths.is_empty() && self.files_from.is_none() {
            return Err(Failure::usage("--update needs the PATHs that the list is of"));
        }
        let update = Update::read(program, list, &self.algorithms)?;
        self.algorithms.clone_from(&update.algorithms);
        self.output = Some(list.clone());
        self.cache.cache.get_or_insert_with(|| update::cache_of(list));
        Ok(Some(update))
    }

    fn list(&self) -> Result<Option<NameList>, Failure> {
        let end = if self.null { NameEnd::Nul } else { NameEnd::Newline };
        self.files_from.as_deref().map(|path| NameList::open(path, end).map_err(Failure::of(path))).transpose()
    }

    /// Returns the style of the lines. Those of several algorithms must say which algorithm they
    /// are of, because lengths do not tell.
    fn style(&self) -> Style {
        match self {
            Self { json: true, .. } => Style::Json,
            Self { tag: true, .. } => Style::Tag,
            Self { algorithms, .. } if Algorithms::of(algorithms).only().is_none() => Style::Tag,
            _ => Style::Text,
        }
    }
}

pub(crate) fn or_stdin(paths: Vec<OsString>) -> Vec<OsString> {
    if paths.is_empty() { vec![STDIN.into()] } else { paths }
}

/// The digests to print: the files, and the form of the lines.
pub(crate) struct Sum {
    pub(crate) walk: Walk,
    pub(crate) cache: Cache,
    pub(crate) algorithms: Algorithms,
    pub(crate) format: Format,
    pub(crate) output: Output,
    pub(crate) output_path: Option<PathBuf>,
    /// The list that is brought up to date by this.
    pub(crate) update: Option<Update>,
    pub(crate) progress: Progress,
    /// Whether more is said than errors.
    pub(crate) verbose: bool,
    pub(crate) passed_over: PassedOver,
    /// What would help with a folder.
    pub(crate) folder_hint: Option<&'static str>,
}

impl Sum {
    pub(crate) fn print(self, program: &OsStr, settings: &Settings) -> Outcome {
        let Self { walk, cache, algorithms, format, output, output_path, update, progress, verbose, passed_over, folder_hint } = self;
        let known = cache.clone();
        let kept = update.as_ref().map(|update| Arc::clone(&update.kept));
        let source = walk.map(move |found| task(found, algorithms, &known, kept.as_deref()));
        let mut lines = Lines { program, format, output, update, progress, passed_over, folder_hint, all_read: true, failure: None };
        let result = hash_files(source, settings, &mut lines);
        let Lines { output, update, progress, passed_over, all_read, failure, .. } = lines;
        let is_verified = cache.finish(verbose);
        progress.finish();
        passed_over.say(program);
        if let Some(failure) = failure {
            return Err(failure);
        }
        if let (Some(update), Ok(())) = (&update, &result) {
            if !(all_read && is_verified) {
                update.say_kept(program);
                return Ok(false);
            }
            if verbose {
                update.say_counts(program).map_err(|error| update::failed(&error))?;
            }
        }
        result.and_then(|()| output.finish()).map_err(|error| match output_path {
            Some(path) => Failure::File(path, error),
            None => Failure::Output(error),
        })?;
        Ok(all_read && is_verified)
    }
}

/// The label of a task: for something skipped, what it is.
type Skipped = Option<&'static str>;

fn task(found: Found, algorithms: Algorithms, cache: &Cache, kept: Option<&AtomicU64>) -> Task<Skipped> {
    match found {
        Found::File(path, what) => {
            let work = cache.hashing(&path, what, algorithms);
            if let (Some(kept), Work::Known(_)) = (kept, &work) {
                kept.fetch_add(1, Ordering::Relaxed);
            }
            Task { label: None, path, work }
        }
        Found::Skipped(path, what) => Task { label: Some(what), path, work: Work::Nothing },
    }
}

struct Lines<'a> {
    program: &'a OsStr,
    format: Format,
    output: Output,
    update: Option<Update>,
    progress: Progress,
    passed_over: PassedOver,
    folder_hint: Option<&'static str>,
    all_read: bool,
    /// Why the old list could not be compared, which ends the run.
    failure: Option<Failure>,
}

impl Sink<Skipped> for Lines<'_> {
    fn take(&mut self, finished: Finished<Skipped>) -> io::Result<()> {
        let path = &file_name::bytes_of(&finished.path);
        match finished.outcome {
            Some(Ok(hashed)) => {
                if let Some(Err(error)) = self.update.as_mut().map(|update| update.note(path, &hashed)) {
                    self.failure = Some(update::failed(&error));
                    return Err(error);
                }
                self.output.write_all(&self.format.lines(path, &hashed)?)?;
            }
            Some(Err(error)) => {
                self.all_read = false;
                self.idle()?;
                // The system's own error is of a list of names that is a folder.
                let is_folder = error.kind() == io::ErrorKind::IsADirectory && error.raw_os_error().is_none();
                let hint = self.folder_hint.filter(|_| is_folder);
                let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
                self.progress.above(|| say_of(self.program, path, format_args!("{}{hint}", reason(&error))));
            }
            None => {
                if let Some(what) = finished.label.filter(|what| self.passed_over.meet(what)) {
                    self.idle()?;
                    self.progress.above(|| say_of(self.program, path, format_args!("skipped: {what}")));
                }
            }
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        if self.output.is_terminal() {
            return self.progress.above(|| self.output.flush());
        }
        self.output.flush()
    }
}
