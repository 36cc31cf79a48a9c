//! The drop-ins `sha256sum` and its like: what GNU coreutils' commands of these names do, on all cores. CHECK.md says which release is
//! matched and what differs.

mod options;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use manyhash::AnyAlgorithm;
use manyhash_files::find::Walk;
use manyhash_files::{Settings, all_cores};

use crate::algorithm::command_of;
use crate::arguments::ProgressWhen;
use crate::cache::Cache;
use crate::exit::Exit;
use crate::manifest::line::Dialect;
use crate::message::say;
use crate::output::{Format, Output};
use crate::progress::Progress;

use self::options::{Options, Parsed};
use super::check::Check;
use super::sum::{Sum, or_stdin};
use super::{FAILED, prepare_backends, print};

/// Runs the drop-in called `program`.
pub fn run(program: &OsStr, algorithm: AnyAlgorithm, arguments: impl IntoIterator<Item = OsString>, verbose: bool) -> Exit {
    let options = match options::parse(arguments) {
        Parsed::Run(options) => options,
        Parsed::Help => return print(program, help(program, algorithm).as_bytes()),
        Parsed::Version => {
            let version = env!("CARGO_PKG_VERSION");
            let text = format!("{} (manyhash) {version}\n", command_of(algorithm).unwrap_or_default());
            return print(program, text.as_bytes());
        }
        Parsed::Wrong(message) => {
            say(program, &message);
            let hint = format!("Try '{} --help' for more information.\n", program.display());
            let _ = io::stderr().write_all(hint.as_bytes());
            return Exit::from(FAILED);
        }
    };
    if let Err(message) = prepare_backends(program, algorithm.into(), verbose) {
        say(program, message.as_bytes());
        return Exit::from(FAILED);
    }
    let format = Format::new(&[algorithm], options.style(), options.zero);
    let Options { check, ignore_missing, quiet, status, strict, warn, operands, .. } = options;
    let operands = or_stdin(operands);
    let settings = Settings::new(all_cores());
    if check {
        let check = Check {
            dialect: Dialect::Gnu,
            algorithm: Some(algorithm),
            directory: None,
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
        };
        return check.run(program, operands, &settings);
    }
    let (output, output_path, progress) = (Output::raw_stdout(), None, Progress::none());
    let walk = Walk::new(operands, false);
    let (algorithms, cache) = (algorithm.into(), Cache::none());
    Sum { walk, cache, algorithms, format, output, output_path, progress, verbose: false }.print(program, &settings)
}

fn help(program: &OsStr, algorithm: AnyAlgorithm) -> String {
    format!(
        "\
Usage: {program} [OPTION]... [FILE]...
Print {name} digests of files, or check them against a list.

FILE - or no FILE is standard input.
  -b, --binary          mark names with '*' (reads no differently)
  -c, --check           the FILEs are lists of digests: check what they name
      --tag             print BSD-style lines
  -t, --text            mark names with a blank (the default)
  -z, --zero            end lines with NUL instead of newline, names not escaped

With --check only:
      --ignore-missing  pass over files that do not exist
      --quiet           no OK for each file that is right
      --status          no output, the exit code tells
      --strict          fail if a line is malformed
  -w, --warn            say which lines are malformed

      --help            print this help
      --version         print the version

Exit code: 0 fine, 1 otherwise. Part of manyhash; behaves as GNU coreutils' {command}.
",
        program = program.display(),
        name = algorithm.name(),
        command = command_of(algorithm).unwrap_or_default(),
    )
}
