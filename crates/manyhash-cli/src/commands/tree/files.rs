//! `tree files`: the digest of the digests of a list of files, in the order given, and with
//! `--names` of their names.

use super::{Call, Report, changed};
use crate::cache::Cache;
use crate::commands::passed_over::PassedOver;
use crate::exit::{Failure, Outcome};
use crate::flags::FilesArguments;
use crate::output::Output;
use crate::progress::ahead_of;
use crate::text::lines::{Format, Style};
use manyhash::tree::Files;
use manyhash::{Algorithm, AnyHasher, with_algorithm};
use manyhash_files::find::{Found, NameEnd, NameList, Readable, Walk};
use manyhash_files::read::open;
use manyhash_files::{Algorithms, Digests, Finished, Hashed, Hashing, STDIN, Settings, Sink, Task, Work, file_name, hash_files};
use std::any::Any;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, mut arguments: FilesArguments) -> Outcome {
    if arguments.files_from.as_deref() == Some(Path::new(STDIN)) && arguments.files.iter().any(|path| path == STDIN) {
        return Err(Failure::usage("standard input cannot be both a list of names and a file"));
    }
    if arguments.files_from.is_none() {
        arguments.files = call.inputs(arguments.files);
    }
    let algorithm = arguments.algorithm;
    let output = arguments.out_digests.as_deref().map(|path| Output::file(path).map_err(Failure::of(path))).transpose()?;
    let cache = Cache::open(call.program, &arguments.cache)?;
    let leave_out = cache.files().into_iter().chain(arguments.out_digests.clone()).collect();
    let places = Places { arguments, leave_out, copy: None };
    let places = if places.arguments.separated { places.listed_twice()? } else { places };
    let (walk, count) = places.walk_and_count()?;
    let roles = with_algorithm!(algorithm, A => Roles::of::<A>(count));
    let mut settings = cache.kept(Settings::new(call.work.workers));
    if count.is_some() {
        settings.hashing = Hashing::Readers(Arc::clone(&roles.readers));
    }
    let algorithms = Algorithms::from(algorithm);
    let (known, message) = (cache.clone(), count.map(|_| roles.message));
    let report = call.report_counting(&settings.totals, || ahead_of(&walk));
    let source = walk.map(move |found| task(found, algorithms, &known, message.as_ref()));
    let list = output.map(|output| (output, Format::new(&[algorithm], Style::Text, false)));
    let Roles { named, wrap, .. } = roles;
    let named = places.arguments.names.then_some(named);
    let mut wrapped = Wrap { wrap, named, list, files: 0, passed_over: PassedOver::new(call.verbosity), report };
    let mut result = hash_files(source, &settings, &mut wrapped);
    let Wrap { wrap, list, files, mut report, passed_over, .. } = wrapped;
    let is_verified = cache.finish(call.verbosity > 0);
    passed_over.say(call.program);
    if result.is_ok() && count.is_some_and(|count| count != files) {
        let error = format!("there are {files} files, and were {} when they were counted", count.unwrap_or_default());
        result = Err(io::Error::other(error));
    }
    report.all_read &= is_verified;
    // If a file is missing, the digest would be that of another list.
    if result.is_ok() && report.all_read {
        if let (Some((output, _)), Some(path)) = (list, &places.arguments.out_digests) {
            output.finish().map_err(|error| Failure::File(path.clone(), error))?;
        }
        result = writeln!(report.output, "{}", const_hex::encode(wrap.finalize()));
    }
    report.finish(result)
}

/// What a list of files is hashed with, for an algorithm that is known at run time.
struct Roles {
    readers: Arc<dyn Any + Send + Sync>,
    message: AnyHasher,
    named: AnyHasher,
    wrap: AnyHasher,
}

impl Roles {
    /// Returns what lists are hashed with, of so many files if initial values are derived.
    fn of<A: Algorithm>(separated: Option<u64>) -> Self {
        let mode = separated.map_or_else(Files::<A>::new, Files::<A>::separated);
        let (message, named, wrap) = (mode.message().into(), mode.named().into(), mode.wrap().into());
        Self { readers: Arc::new(mode.readers()), message, named, wrap }
    }
}

/// Where the files are.
struct Places {
    arguments: FilesArguments,
    leave_out: Vec<PathBuf>,
    /// A copy of the list of names, which may come from a stream.
    copy: Option<File>,
}

impl Places {
    /// Copies the list of names, if there is one, so that it can be read more than once.
    fn listed_twice(mut self) -> Result<Self, Failure> {
        if let Some(path) = &self.arguments.files_from {
            let copied = open(path).and_then(|mut list| {
                let mut copy = tempfile::tempfile()?;
                io::copy(&mut list, &mut copy)?;
                Ok(copy)
            });
            self.copy = Some(copied.map_err(Failure::of(path))?);
        }
        Ok(self)
    }

    fn walk(&self) -> Result<Walk, Failure> {
        let FilesArguments { recursive, walk, files_from, null, files, .. } = &self.arguments;
        let end = if *null { NameEnd::Nul } else { NameEnd::Newline };
        let open_list = |path: &PathBuf| match &self.copy {
            None => NameList::open(path, end),
            Some(copy) => {
                let mut copy = copy.try_clone()?;
                copy.rewind()?;
                Ok(NameList::of(path, Box::new(BufReader::new(copy)), end))
            }
        };
        let list = files_from.as_ref().map(|path| open_list(path).map_err(Failure::of(path))).transpose()?;
        let paths: Vec<OsString> = files.clone();
        let options = walk.options().map_err(Failure::usage)?;
        let walk = Walk::new(paths, *recursive).then(list).with(options);
        Ok(self.leave_out.iter().fold(walk, |walk, file| walk.leaving_out(Some(file))))
    }

    /// Returns the files, and how many they are if that has to be known before.
    fn walk_and_count(&self) -> Result<(Walk, Option<u64>), Failure> {
        let count = if self.arguments.separated {
            Some(self.walk()?.filter(|found| matches!(found, Found::File(..))).count() as u64)
        } else {
            None
        };
        Ok((self.walk()?, count))
    }
}

enum Label {
    File {
        /// The size that the file must have, if it is known.
        expected_bytes: Option<u64>,
    },
    /// Something in a folder that is no regular file.
    Skipped(&'static str),
}

/// Returns the task of what was found. A stream is hashed here and now if `message` is what messages begin
/// with: the pipeline knows no other beginning of a stream than the usual one.
fn task(found: Found, algorithms: Algorithms, cache: &Cache, message: Option<&AnyHasher>) -> Task<Label> {
    match found {
        Found::File(path, what) => {
            // A file that the system makes up when it is read has no size before.
            let expected_bytes = match what {
                Ok(Readable::File { size_bytes, .. }) if size_bytes > 0 => Some(size_bytes),
                _ => None,
            };
            let work = match (&what, message) {
                (Ok(Readable::Stream), Some(message)) => stream(&path, algorithms, message.clone()),
                _ => cache.hashing(&path, what, algorithms),
            };
            Task { label: Label::File { expected_bytes }, work, path }
        }
        Found::Skipped(path, what) => Task { label: Label::Skipped(what), path, work: Work::Nothing },
    }
}

fn stream(path: &Path, algorithms: Algorithms, mut hasher: AnyHasher) -> Work {
    let copied = open(path).and_then(|mut stream| io::copy(&mut stream, &mut hasher));
    match copied {
        Ok(bytes) => match Digests::new(algorithms, hasher.finalize()) {
            Some(digests) => Work::Known(Hashed { digests, bytes, stamp: None }),
            None => Work::Nothing,
        },
        Err(error) => Work::Failed(error),
    }
}

struct Wrap<'a> {
    /// The hasher of all digests.
    wrap: AnyHasher,
    /// What a digest with a name begins with, if names count.
    named: Option<AnyHasher>,
    /// Where digests of files are written, too.
    list: Option<(Output, Format)>,
    files: u64,
    passed_over: PassedOver,
    report: Report<'a>,
}

impl Wrap<'_> {
    fn add(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        let (name, digest) = (&file_name::bytes_of(path), hashed.digests.bytes());
        if let Some((output, format)) = &mut self.list {
            output.write_all(&format.lines(name, hashed)?)?;
        }
        match &self.named {
            Some(named) => self.wrap.update(&leaf(named.clone(), digest, name)),
            None => self.wrap.update(digest),
        }
        Ok(())
    }
}

/// Returns the digest of a file's digest and its name, as TREE.md defines it.
fn leaf(mut named: AnyHasher, digest: &[u8], name: &[u8]) -> Vec<u8> {
    named.update(digest);
    named.update(&(name.len() as u64).to_le_bytes());
    named.update(name);
    named.finalize()
}

impl Sink<Label> for Wrap<'_> {
    fn take(&mut self, finished: Finished<Label>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let expected_bytes = match label {
            Label::File { expected_bytes } => expected_bytes,
            Label::Skipped(what) if self.passed_over.meet(what) => return self.report.say(&path, format_args!("skipped: {what}")),
            Label::Skipped(_) => return Ok(()),
        };
        self.files += 1;
        match Hashed::of(outcome) {
            Ok(hashed) if expected_bytes.is_some_and(|expected_bytes| hashed.bytes != expected_bytes) => {
                self.report.take(&path, Err(changed()))?;
            }
            Ok(hashed) => self.add(&path, &hashed)?,
            Err(error) => self.report.take(&path, Err(error))?,
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}
