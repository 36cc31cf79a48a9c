//! `sum`: digests of files, in the order given; also what the drop-ins do without `-c`.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::algorithm::AnyAlgorithm;
use crate::arguments::SumArguments;
use crate::file_name;
use crate::message::{reason, say, say_of};
use crate::output::{Format, Output, Style};
use crate::pipeline::{self, Finished, STDIN, Settings, Sink, Task, Work};
use crate::progress::Progress;
use crate::walk::{Found, Walk, hashing};

use super::{WRONG_USAGE, exit_code, output_failed, say_backend};

/// Runs `manyhash sum`.
pub fn run(program: &OsStr, arguments: SumArguments, verbose: bool) -> ExitCode {
    let algorithm = arguments.algorithm;
    if let Err(message) = algorithm.backend() {
        say(program, message.as_bytes());
        return ExitCode::from(WRONG_USAGE);
    }
    if verbose {
        say_backend(program, algorithm);
    }
    let output = match arguments.output.as_deref().map_or_else(|| Ok(Output::stdout()), Output::file) {
        Ok(output) => output,
        Err(error) => return output_failed(program, arguments.output.as_deref(), &error),
    };
    let style = match (arguments.tag, arguments.json) {
        (true, _) => Style::Tag,
        (_, true) => Style::Json,
        _ => Style::Text,
    };
    let settings = Settings::new(arguments.workers());
    let sum = Sum {
        walk: Walk::new(or_stdin(arguments.paths), arguments.recursive).leaving_out(arguments.output.as_deref()),
        algorithm,
        format: Format::new(algorithm, style, arguments.zero),
        output,
        output_path: arguments.output,
        progress: Progress::start(program, arguments.progress, &settings.totals),
        verbose,
    };
    sum.print(program, &settings)
}

/// What is named, or stdin if nothing is.
pub fn or_stdin(paths: Vec<OsString>) -> Vec<OsString> {
    if paths.is_empty() { vec![STDIN.into()] } else { paths }
}

/// Digests to be printed.
pub struct Sum {
    /// Of these files.
    pub walk: Walk,
    /// With this algorithm.
    pub algorithm: AnyAlgorithm,
    /// In these lines.
    pub format: Format,
    /// To here.
    pub output: Output,
    /// Which is called so, if it is not stdout.
    pub output_path: Option<PathBuf>,
    /// Shown meanwhile.
    pub progress: Progress,
    /// Whether to say what is skipped.
    pub verbose: bool,
}

impl Sum {
    /// Prints them.
    pub fn print(self, program: &OsStr, settings: &Settings) -> ExitCode {
        let Self { walk, algorithm, format, output, output_path, progress, verbose } = self;
        let source = walk.map(move |found| task(found, algorithm));
        let mut lines = Lines { program, format, output, progress, verbose, all_read: true };
        let result = pipeline::run(source, settings, &mut lines);
        let Lines { output, progress, all_read, .. } = lines;
        progress.finish();
        match result.and_then(|()| output.finish()) {
            Ok(()) => exit_code(all_read),
            Err(error) => output_failed(program, output_path.as_deref(), &error),
        }
    }
}

/// The label of something skipped says what it is.
type Skipped = Option<&'static str>;

fn task(found: Found, algorithm: AnyAlgorithm) -> Task<Skipped> {
    match found {
        Found::File(path, what) => Task { label: None, path, work: hashing(what, algorithm.into()) },
        Found::Skipped(path, what) => Task { label: Some(what), path, work: Work::Nothing },
    }
}

struct Lines<'a> {
    program: &'a OsStr,
    format: Format,
    output: Output,
    progress: Progress,
    verbose: bool,
    all_read: bool,
}

impl Sink<Skipped> for Lines<'_> {
    fn take(&mut self, finished: Finished<Skipped>) -> io::Result<()> {
        let path = file_name::bytes_of(&finished.path);
        match finished.outcome {
            Some(Ok(hashed)) => self.output.write_all(&self.format.line(path, &hashed))?,
            Some(Err(error)) => {
                self.all_read = false;
                self.idle()?;
                self.progress.above(|| say_of(self.program, path, reason(&error)));
            }
            None => {
                if let (true, Some(what)) = (self.verbose, finished.label) {
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
