//! The drop-ins: commands that do on all cores what other commands of their names do. CHECK.md says
//! which releases are matched and what differs.

mod b3sum;
mod legacy;

use super::check::Check;
use super::passed_over::PassedOver;
use super::sum::{Sum, or_stdin};
use super::{prepare_backends, print};
use crate::cache::Cache;
use crate::exit::{Failure, Outcome};
use crate::flags::DropIn;
use crate::flags::gnu::{self, Checksum, Options, Parsed, Tool};
use crate::message::{reason, say, say_of};
use crate::output::Output;
use crate::progress::{Progress, ProgressWhen};
use crate::text::lines::Format;
use crate::text::manifest::line::Dialect;
use manyhash::{AnyAlgorithm, backend};
use manyhash_files::find::Walk;
use manyhash_files::read::open;
use manyhash_files::{Algorithms, STDIN, Settings, all_cores, file_name};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;

/// Runs a drop-in, which was called as `program`.
pub(crate) fn run(program: &OsStr, drop_in: DropIn, arguments: impl Iterator<Item = OsString>, verbose: bool) -> Outcome {
    match drop_in {
        DropIn::Gnu(tool) => run_gnu(program, tool, arguments, verbose),
        DropIn::B3sum => b3sum::run(program, arguments, verbose),
    }
}

fn run_gnu(program: &OsStr, tool: Tool, arguments: impl Iterator<Item = OsString>, verbose: bool) -> Outcome {
    let options = match gnu::parse(tool, arguments) {
        Parsed::Run(options) => options,
        Parsed::Help => return print(gnu::help(program, tool).as_bytes()),
        Parsed::Version => return print(version(tool.name()).as_bytes()),
        Parsed::Wrong(wrong) => {
            wrong.messages.iter().for_each(|message| say(program, message));
            if wrong.says_help {
                eprintln!("Try '{} --help' for more information.", program.display());
            }
            return Err(Failure::said_failed());
        }
    };
    backend::from_environment().map_err(|error| Failure::failed(error.to_string()))?;
    let digest_bytes = options.length.filter(|bits| *bits > 0).map(|bits| bits as usize / 8);
    let algorithm = match (tool, options.checksum) {
        (Tool::Sum(algorithm), _) | (Tool::Cksum, Some(Checksum::Digest(algorithm))) => Some(algorithm),
        (Tool::B2sum, _) => Some(AnyAlgorithm::Blake2b),
        (Tool::Cksum, None) if options.check => None,
        (Tool::Cksum, checksum) => {
            let Options { zero, operands, .. } = options;
            return legacy::print(program, checksum.unwrap_or(Checksum::Crc), operands, zero);
        }
    };
    if let Some(algorithm) = algorithm {
        prepare_backends(program, algorithm.into(), verbose).map_err(Failure::failed)?;
    }
    let style = options.style(tool);
    let Options { check, zero, ignore_missing, quiet, status, strict, warn, operands, .. } = options;
    let operands = or_stdin(operands);
    match algorithm {
        Some(algorithm) if !check => {
            let (algorithm, algorithms) = with_length(algorithm, digest_bytes);
            print_sums(program, algorithms, Format::new(&[algorithm], style, zero), operands, all_cores())
        }
        _ => Checking { algorithm, ignore_missing, quiet, status, strict, warn }.run(program, operands, all_cores()),
    }
}

fn version(name: &str) -> String {
    format!("{name} (manyhash) {}\n", env!("CARGO_PKG_VERSION"))
}

/// Returns an algorithm with digests of so many bytes, if a number is given that it can have.
fn with_length(algorithm: AnyAlgorithm, digest_bytes: Option<usize>) -> (AnyAlgorithm, Algorithms) {
    let Some(digest_bytes) = digest_bytes else { return (algorithm, algorithm.into()) };
    if algorithm == AnyAlgorithm::Blake2b && digest_bytes == AnyAlgorithm::Blake2b256.digest_bytes() {
        return (AnyAlgorithm::Blake2b256, AnyAlgorithm::Blake2b256.into());
    }
    (algorithm, Algorithms::with_digest_bytes(algorithm, digest_bytes).unwrap_or(algorithm.into()))
}

fn print_sums(program: &OsStr, algorithms: Algorithms, format: Format, operands: Vec<OsString>, threads: usize) -> Outcome {
    let (output, output_path, progress) = (Output::raw_stdout(), None, Progress::none());
    let (walk, cache) = (Walk::new(operands, false), Cache::none());
    Sum {
        walk,
        cache,
        algorithms,
        format,
        output,
        output_path,
        update: None,
        progress,
        verbose: false,
        passed_over: PassedOver::default(),
        folder_hint: None,
    }
    .print(program, &Settings::new(threads))
}

/// Prints what comes of each file, one after the other: `print` gets the file's name and what `read` made of it. A file that cannot be
/// read is told on stderr.
fn print_each<T>(
    program: &OsStr,
    files: Vec<OsString>,
    read: impl Fn(&OsStr) -> io::Result<T>,
    print: impl Fn(&mut Output, &[u8], T) -> io::Result<()>,
) -> Outcome {
    let mut output = Output::raw_stdout();
    let mut all_read = true;
    for file in files {
        let name = &file_name::bytes_of(Path::new(&file));
        match read(&file) {
            Ok(made) => print(&mut output, name, made)?,
            Err(error) => {
                all_read = false;
                output.flush()?;
                say_of(program, name, reason(&error));
            }
        }
    }
    output.finish()?;
    Ok(all_read)
}

/// Gives the bytes of a file, or of standard input, to `take`, in long pieces.
fn each_piece(file: &OsStr, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut input: Box<dyn Read> = if file == STDIN { Box::new(io::stdin().lock()) } else { Box::new(open(Path::new(file))?) };
    let mut buffer = vec![0; 512 << 10];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(bytes) => take(buffer.get(..bytes).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The options of a check.
struct Checking {
    algorithm: Option<AnyAlgorithm>,
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    warn: bool,
}

impl Checking {
    fn run(self, program: &OsStr, manifests: Vec<OsString>, threads: usize) -> Outcome {
        let Self { algorithm, ignore_missing, quiet, status, strict, warn } = self;
        let check = Check {
            dialect: Dialect::Gnu,
            algorithm,
            directory: None,
            own_folders: BTreeSet::new(),
            strict,
            ignore_missing,
            audit: false,
            quiet,
            status,
            warn,
            json: false,
            cache: Cache::none(),
            progress: ProgressWhen::Never,
            verbose: false,
            names_all_missing: false,
        };
        check.run(program, manifests, &Settings::new(threads))
    }
}
