//! `dups`: finds files with the same content, or with `--chunks` what de-duplication would save.
//! `DUPS.md` specifies the output.

mod chunks;
mod files;
mod group;
mod report;
mod scan;

use self::files::FileNumber;
use self::group::Hashes;
use self::report::{Report, Style, Summary};
use super::passed_over::PassedOver;
use super::prepare_backends;
use crate::exit::{Failure, Outcome};
use crate::flags::DupsArguments;
use crate::message::{reason, say, say_of};
use crate::output::Output;
use crate::progress::{Ahead, Progress, ProgressWhen};
use indicatif::DecimalBytes;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{Found, Options, Walk};
use manyhash_files::{CHANGED, Finished, Settings, Sink, Task, file_name, hash_files};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::RangeInclusive;

pub(crate) fn run(program: &OsStr, arguments: DupsArguments, verbosity: u8) -> Outcome {
    let verbose = verbosity > 0;
    let algorithm = arguments.algorithm;
    prepare_backends(program, algorithm.into(), verbose).map_err(Failure::usage)?;
    let options = arguments.walk.options().map_err(Failure::usage)?;
    if let Some(chunking) = arguments.chunks {
        return chunks::print(program, &arguments, &options, chunking, verbosity);
    }
    let stage = Stage {
        program,
        algorithm,
        sizes: arguments.min_size..=arguments.max_size,
        workers: arguments.work.workers,
        progress: arguments.work.progress,
        unreadable: 0,
        passed_over: PassedOver::new(verbosity),
    };
    let style = match (arguments.json, arguments.zero) {
        (true, _) => Style::Json,
        (_, true) => Style::Nul,
        _ => Style::Lines,
    };
    print_groups(stage, walk(arguments.paths, &options, verbose), style)
}

fn walk(paths: Vec<OsString>, options: &Options, verbose: bool) -> impl Iterator<Item = Found> + Send + use<> {
    Walk::new(paths, true).with(options.clone()).filter(move |found| verbose || matches!(found, Found::File(..)))
}

fn print_groups(mut stage: Stage, walk: impl Iterator<Item = Found> + Send + 'static, style: Style) -> Outcome {
    let (groups, files, links) = group::find(&mut stage, walk)?;
    let mut out = Output::stdout();
    let summary = Summary { scanned: files.len() as u64, unreadable: stage.unreadable, ..Summary::default() };
    let mut report = Report { out: &mut out, style, algorithm: stage.algorithm, summary };
    for group in &groups {
        report.group(group, &files, &links)?;
    }
    let summary = report.finish()?;
    stage.passed_over.say(stage.program);
    if style != Style::Json {
        say_summary(stage.program, summary);
    }
    Ok(summary.unreadable == 0)
}

fn say_summary(program: &OsStr, summary: Summary) {
    let Summary { groups, files, wasted_bytes, .. } = summary;
    let plural = if groups == 1 { "" } else { "s" };
    say(program, format!("{files} files in {groups} group{plural}, {} wasted", DecimalBytes(wasted_bytes)).as_bytes());
}

fn not_regular() -> io::Error {
    io::Error::other("not a regular file")
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Label {
    File {
        number: FileNumber,
        /// The number of bytes to hash, if the file is as large as when it was found.
        expected_bytes: u64,
    },
    /// Something skipped, and what it is.
    Skipped(&'static str),
    /// A file that could not be looked at.
    Other,
}

/// Hashes files in stages, which share the messages, the progress and the count of errors.
struct Stage<'a> {
    program: &'a OsStr,
    algorithm: AnyAlgorithm,
    sizes: RangeInclusive<u64>,
    workers: usize,
    progress: ProgressWhen,
    unreadable: u64,
    passed_over: PassedOver,
}

impl Stage<'_> {
    fn hash(
        &mut self,
        tasks: impl Iterator<Item = Task<Label>> + Send + 'static,
        ahead: impl FnOnce() -> Option<Ahead>,
    ) -> io::Result<Hashes> {
        let settings = Settings::new(self.workers);
        let progress = Progress::start(self.program, self.progress, &settings.totals, ahead);
        let hashes = Hashes::new(self.algorithm.digest_bytes());
        let mut results = Results { stage: self, progress, hashes };
        hash_files(tasks, &settings, &mut results)?;
        results.progress.finish();
        Ok(results.hashes)
    }
}

struct Results<'a, 'b> {
    stage: &'a mut Stage<'b>,
    progress: Progress,
    hashes: Hashes,
}

impl Sink<Label> for Results<'_, '_> {
    fn take(&mut self, finished: Finished<Label>) -> io::Result<()> {
        let Finished { label, path, outcome } = finished;
        let (program, progress) = (self.stage.program, &self.progress);
        let say = |message: &str| progress.above(|| say_of(program, &file_name::bytes_of(&path), message));
        match (label, outcome) {
            (Label::File { number, expected_bytes }, Some(Ok(hashed))) if hashed.bytes == expected_bytes => {
                self.hashes.push(number, hashed.digests.bytes());
            }
            (Label::Skipped(what), _) => {
                if self.stage.passed_over.meet(what) {
                    say(&format!("skipped: {what}"));
                }
            }
            (_, Some(Err(error))) => {
                self.stage.unreadable += 1;
                say(&reason(&error));
            }
            (Label::File { expected_bytes, .. }, Some(Ok(hashed))) => {
                self.stage.unreadable += 1;
                say(&format!("{CHANGED}: {} bytes, not {expected_bytes}", hashed.bytes));
            }
            (Label::File { .. } | Label::Other, _) => {}
        }
        Ok(())
    }
}
