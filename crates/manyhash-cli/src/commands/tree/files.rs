//! `tree files`: the digest of the digests of a list of files, in the order given, and with
//! `--names` of their names.

use super::{Call, Report, changed};
use crate::commands::passed_over::PassedOver;
use crate::exit::{Failure, Outcome};
use crate::flags::FilesArguments;
use manyhash_files::find::{Found, NameEnd, NameList, Readable, Walk, hashing};
use manyhash_files::{Algorithms, Finished, Hashed, Hashers, STDIN, Settings, Sink, Task, Work, file_name, hash_files};
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(call: &Call<'_>, arguments: FilesArguments) -> Outcome {
    let FilesArguments { algorithm, recursive, walk, names, files_from, null, files } = arguments;
    if files_from.as_deref() == Some(Path::new(STDIN)) && files.iter().any(|path| path == STDIN) {
        return Err(Failure::usage("standard input cannot be both a list of names and a file"));
    }
    let end = if null { NameEnd::Nul } else { NameEnd::Newline };
    let list = files_from.as_deref().map(|path| NameList::open(path, end).map_err(Failure::of(path))).transpose()?;
    let files = if list.is_some() { files } else { call.inputs(files) };
    let options = walk.options().map_err(Failure::usage)?;
    let settings = Settings::new(call.work.workers);
    let algorithms = Algorithms::from(algorithm);
    let source = Walk::new(files, recursive).then(list).with(options).map(move |found| task(found, algorithms));
    let report = call.report(&settings.totals);
    let mut wrap =
        Wrap { algorithms, hashers: algorithms.hashers(), has_names: names, passed_over: PassedOver::new(call.verbosity), report };
    let result = hash_files(source, &settings, &mut wrap);
    let Wrap { hashers, mut report, passed_over, .. } = wrap;
    passed_over.say(call.program);
    let digest = const_hex::encode(hashers.finalize().bytes());
    // If a file is missing, the digest would be that of another list.
    let result = result.and_then(|()| if report.all_read { writeln!(report.output, "{digest}") } else { Ok(()) });
    report.finish(result)
}

enum Label {
    File {
        /// The size that the file must have, if it is known.
        expected_bytes: Option<u64>,
    },
    /// Something in a folder that is no regular file.
    Skipped(&'static str),
}

fn task(found: Found, algorithms: Algorithms) -> Task<Label> {
    match found {
        Found::File(path, what) => {
            // A file that the system makes up when it is read has no size before.
            let expected_bytes = match what {
                Ok(Readable::File { size_bytes, .. }) if size_bytes > 0 => Some(size_bytes),
                _ => None,
            };
            Task { label: Label::File { expected_bytes }, work: hashing(what, algorithms), path }
        }
        Found::Skipped(path, what) => Task { label: Label::Skipped(what), path, work: Work::Nothing },
    }
}

struct Wrap<'a> {
    algorithms: Algorithms,
    hashers: Hashers,
    has_names: bool,
    passed_over: PassedOver,
    report: Report<'a>,
}

impl Wrap<'_> {
    fn add(&mut self, path: &Path, digest: &[u8]) {
        if self.has_names {
            let leaf = leaf(self.algorithms, digest, file_name::bytes_of(path));
            self.hashers.update(&leaf);
        } else {
            self.hashers.update(digest);
        }
    }
}

/// Returns the digest of a file's digest and its name, as TREE.md defines it.
fn leaf(algorithms: Algorithms, digest: &[u8], name: &[u8]) -> Box<[u8]> {
    let mut hashers = algorithms.hashers();
    hashers.update(digest);
    hashers.update(&(name.len() as u64).to_le_bytes());
    hashers.update(name);
    hashers.finalize().bytes().into()
}

impl Sink<Label> for Wrap<'_> {
    fn take(&mut self, finished: Finished<Label>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let expected_bytes = match label {
            Label::File { expected_bytes } => expected_bytes,
            Label::Skipped(what) if self.passed_over.meet(what) => return self.report.say(&path, format_args!("skipped: {what}")),
            Label::Skipped(_) => return Ok(()),
        };
        match Hashed::of(outcome) {
            Ok(hashed) if expected_bytes.is_some_and(|expected_bytes| hashed.bytes != expected_bytes) => {
                self.report.take(&path, Err(changed()))?;
            }
            Ok(hashed) => self.add(&path, hashed.digests.bytes()),
            Err(error) => self.report.take(&path, Err(error))?,
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        self.report.idle()
    }
}
