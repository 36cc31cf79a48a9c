//! The commands, one a file.

pub mod bench;
pub mod check;
pub mod completions;
pub mod drop_in;
pub mod dups;
pub mod man;
pub mod sum;
pub mod tree;
pub mod verity;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use manyhash::AnyAlgorithm;
use manyhash_files::{Algorithms, file_name};

use crate::exit::Exit;
use crate::message::{reason, say, say_of};
use crate::output::Output;

/// A file could not be read, or a check failed.
pub const FAILED: u8 = 1;
/// `manyhash` was called wrongly.
pub const WRONG_USAGE: u8 = 2;
/// Nobody reads the output any more: what a shell says of a command that the signal SIGPIPE ended. Not all was done, so it is no success.
pub const READER_GONE: u8 = 141;

/// Fine or [`FAILED`].
pub fn exit_code(is_fine: bool) -> Exit {
    if is_fine { Exit::SUCCESS } else { Exit::from(FAILED) }
}

/// What to do when output to `path` (stdout if none) fails: no word if nobody reads it any more, else say so.
pub fn output_failed(program: &OsStr, path: Option<&Path>, error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Exit::from(READER_GONE);
    }
    match path {
        Some(path) => say_of(program, file_name::bytes_of(path), reason(error)),
        None => say(program, format!("write error: {}", reason(error)).as_bytes()),
    }
    Exit::from(FAILED)
}

/// Prints what was only asked to be shown, such as help.
pub fn print(program: &OsStr, text: &[u8]) -> Exit {
    let mut out = Output::stdout();
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Exit::SUCCESS,
        Err(error) => output_failed(program, None, &error),
    }
}

/// Says why the command line is wrong.
pub fn wrong_usage(program: &OsStr, message: &str) -> Exit {
    say(program, message.as_bytes());
    Exit::from(WRONG_USAGE)
}

/// Prints what the parser has to say: why the command line is wrong, or the help that it asks for.
pub fn wrong_arguments(error: &clap::Error) -> Exit {
    // As the parser itself does when it ends the process: a closed output is nobody's concern.
    let _ = error.print();
    Exit::from(u8::try_from(error.exit_code()).unwrap_or(WRONG_USAGE))
}

/// Whether there are backends for all of `algorithms`, and if not, why. Names them if that is wanted.
pub fn prepare_backends(program: &OsStr, algorithms: Algorithms, verbose: bool) -> Result<(), String> {
    for algorithm in algorithms.iter() {
        algorithm.backend().map_err(|error| error.to_string())?;
        if verbose {
            say_backend(program, algorithm);
        }
    }
    Ok(())
}

/// Says which backend hashes.
pub fn say_backend(program: &OsStr, algorithm: AnyAlgorithm) {
    if let Ok((backend, lanes)) = algorithm.backend() {
        let plural = if lanes == 1 { "" } else { "s" };
        say(program, format!("{}: backend {backend}, {lanes} lane{plural}", algorithm.name()).as_bytes());
    }
}
