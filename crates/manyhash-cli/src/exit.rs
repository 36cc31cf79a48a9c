//! What a command comes to: its exit code, and what is said if it ends early.

use crate::message::{reason, say, say_of};
use manyhash_files::file_name;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// A file could not be read, or a check failed.
const FAILED: u8 = 1;
/// `manyhash` was called wrongly.
const WRONG_USAGE: u8 = 2;
/// Nobody reads the output any more: what a shell says of a command that the signal SIGPIPE ended. Not all was done, so it is no success.
const READER_GONE: u8 = 141;

/// Whether all was as it should be, or why the command ended early.
pub(crate) type Outcome = Result<bool, Failure>;

/// Says what there is to say, and gives the exit code.
pub(crate) fn code(program: &OsStr, outcome: Outcome) -> u8 {
    match outcome {
        Ok(true) => 0,
        Ok(false) => FAILED,
        Err(failure) => failure.say(program),
    }
}

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What is said, and the exit code.
    Message(Vec<u8>, u8),
    /// All is said already. The exit code.
    Said(u8),
    /// A file cannot be read or written, or has not what it should have.
    File(PathBuf, io::Error),
    /// Standard output cannot be written.
    Output(io::Error),
    /// The parser has something to say: why the command line is wrong, or the help that it asks for.
    Arguments(clap::Error),
}

/// An error of no file is one of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

impl Failure {
    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<Vec<u8>>) -> Self {
        Self::Message(message.into(), WRONG_USAGE)
    }

    /// The command line is wrong, and why was said.
    pub(crate) fn said_usage() -> Self {
        Self::Said(WRONG_USAGE)
    }

    /// The command cannot do its work.
    pub(crate) fn failed(message: impl Into<Vec<u8>>) -> Self {
        Self::Message(message.into(), FAILED)
    }

    /// What an error of the file at `path` is.
    pub(crate) fn of(path: &Path) -> impl Fn(io::Error) -> Self {
        |error| Self::File(path.to_path_buf(), error)
    }

    /// The file at `path` has not what it should have.
    pub(crate) fn with(path: &Path, what: impl Display) -> Self {
        Self::File(path.to_path_buf(), io::Error::other(what.to_string()))
    }

    /// Says it, and gives the exit code.
    pub(crate) fn say(self, program: &OsStr) -> u8 {
        match self {
            Self::Message(message, code) => {
                say(program, &message);
                return code;
            }
            Self::Said(code) => return code,
            Self::File(_, error) | Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return READER_GONE,
            Self::File(path, error) => say_of(program, file_name::bytes_of(&path), reason(&error)),
            Self::Output(error) => say(program, format!("write error: {}", reason(&error)).as_bytes()),
            Self::Arguments(error) => {
                // As the parser itself does when it ends the process: a closed output is nobody's concern.
                let _ = error.print();
                return u8::try_from(error.exit_code()).unwrap_or(WRONG_USAGE);
            }
        }
        FAILED
    }
}
