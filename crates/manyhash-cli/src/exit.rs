//! The result of a command: its exit code, and the message if it ends early.

use crate::message::{reason, say, say_of};
use manyhash::tree::ParameterError;
use manyhash_files::file_name;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// The exit code if a file could not be read, or a check failed.
const FAILED: u8 = 1;
/// The exit code if `manyhash` was called wrongly.
const WRONG_USAGE: u8 = 2;
/// The exit code if nothing reads the output any more. A shell reports the same for a command that
/// the signal SIGPIPE ended. Work was left undone, so it is no success.
const READER_GONE: u8 = 141;

/// Whether all was as it should be, or why the command ended early.
pub(crate) type Outcome = Result<bool, Failure>;

/// Prints the message of a failure, if there is one, and returns the exit code.
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
    /// A message and the exit code.
    Message(Vec<u8>, u8),
    /// An exit code alone, because the message was printed before.
    Said(u8),
    /// A file cannot be read or written, or its content is wrong.
    File(PathBuf, io::Error),
    Output(io::Error),
    /// The parser's message: why the command line is wrong, or the help that it asks for.
    Arguments(clap::Error),
}

/// Takes an error without a file for an error of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Takes parameters of a tree for those of the command line.
impl From<ParameterError> for Failure {
    fn from(error: ParameterError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

impl Failure {
    pub(crate) fn usage(message: impl Into<Vec<u8>>) -> Self {
        Self::Message(message.into(), WRONG_USAGE)
    }

    /// Creates the failure of a wrong command line whose message was printed before.
    pub(crate) fn said_usage() -> Self {
        Self::Said(WRONG_USAGE)
    }

    /// Creates the failure of a command that cannot do its work.
    pub(crate) fn failed(message: impl Into<Vec<u8>>) -> Self {
        Self::Message(message.into(), FAILED)
    }

    /// Creates the failure whose message was printed before.
    pub(crate) fn said_failed() -> Self {
        Self::Said(FAILED)
    }

    /// Returns a function that makes an error of the file at `path` a failure.
    pub(crate) fn of(path: &Path) -> impl Fn(io::Error) -> Self {
        |error| Self::File(path.to_path_buf(), error)
    }

    /// Creates the failure of the file at `path` whose content is wrong, as `what` says.
    pub(crate) fn with(path: &Path, what: impl Display) -> Self {
        Self::File(path.to_path_buf(), io::Error::other(what.to_string()))
    }

    pub(crate) fn say(self, program: &OsStr) -> u8 {
        match self {
            Self::Message(message, code) => {
                say(program, &message);
                return code;
            }
            Self::Said(code) => return code,
            Self::File(_, error) | Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return READER_GONE,
            Self::File(path, error) => say_of(program, &file_name::bytes_of(&path), reason(&error)),
            Self::Output(error) => say(program, format!("write error: {}", reason(&error)).as_bytes()),
            Self::Arguments(error) => {
                // The parser itself ignores a closed output too when it ends the process.
                let _ = error.print();
                return u8::try_from(error.exit_code()).unwrap_or(WRONG_USAGE);
            }
        }
        FAILED
    }
}
