//! `verity`: hash devices of dm-verity, as `veritysetup` makes and verifies them. What exactly is done: `VERITY.md`.

mod check;
mod device;
mod dump;
mod format;
mod layout;
mod overlap;
mod report;
mod verify;

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::flags::{VerityArguments, VerityCommand};

use super::{output_failed, wrong_usage};

pub use format::whole_blocks;

/// Runs `manyhash verity`.
pub fn run(program: &OsStr, arguments: VerityArguments, verbose: bool) -> Exit {
    let result = match arguments.command {
        VerityCommand::Format(arguments) => format::run(program, arguments, verbose),
        VerityCommand::Verify(arguments) => verify::run(program, arguments, verbose),
        VerityCommand::Dump(arguments) => dump::run(program, &arguments),
    };
    match result {
        Ok(exit_code) => exit_code,
        Err(Problem::Usage(message)) => wrong_usage(program, &message),
        Err(Problem::File(path, error)) => output_failed(program, Some(&path), &error),
    }
}

/// Why nothing came of it.
#[derive(Debug)]
enum Problem {
    /// The command line is wrong.
    Usage(String),
    /// A file cannot be read or written, or has not what it should have.
    File(PathBuf, io::Error),
}

impl Problem {
    /// What an error of the file at `path` is.
    fn of(path: &Path) -> impl Fn(io::Error) -> Self {
        |error| Self::File(path.to_path_buf(), error)
    }

    /// The file at `path` has not what it should have.
    fn with(path: &Path, what: impl Display) -> Self {
        Self::File(path.to_path_buf(), io::Error::other(what.to_string()))
    }
}

/// An error of one of the two devices, while both are used.
#[derive(Debug)]
enum DeviceError {
    Data(io::Error),
    Hash(io::Error),
}

/// Leaves are read from the data.
impl From<io::Error> for DeviceError {
    fn from(error: io::Error) -> Self {
        Self::Data(error)
    }
}

impl DeviceError {
    fn problem(self, data: &Path, hash: &Path) -> Problem {
        match self {
            Self::Data(error) => Problem::of(data)(error),
            Self::Hash(error) => Problem::of(hash)(error),
        }
    }
}
