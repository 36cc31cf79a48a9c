//! `verity`: hash devices of dm-verity, made and verified as by `veritysetup`. See `VERITY.md`.

mod check;
mod device;
mod dump;
mod format;
#[cfg(feature = "hazmat")]
pub(crate) mod hazmat;
mod layout;
mod overlap;
mod report;
mod verify;

use crate::exit::{Failure, Outcome};
use crate::flags::{VerityArguments, VerityCommand};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

pub(crate) use format::whole_blocks;

pub(crate) fn run(program: &OsStr, arguments: VerityArguments, verbose: bool) -> Outcome {
    match arguments.command {
        VerityCommand::Format(arguments) => format::run(program, arguments, verbose),
        VerityCommand::Verify(arguments) => verify::run(program, arguments, verbose),
        VerityCommand::Dump(arguments) => dump::run(&arguments),
    }
}

/// An error of one of two devices, while both are used.
#[derive(Debug)]
enum DeviceError {
    Data(io::Error),
    Hash(io::Error),
}

/// Takes an error of reading leaves for an error of the data device.
impl From<io::Error> for DeviceError {
    fn from(error: io::Error) -> Self {
        Self::Data(error)
    }
}

impl DeviceError {
    fn of(self, data: &Path, hash: &Path) -> Failure {
        match self {
            Self::Data(error) => Failure::of(data)(error),
            Self::Hash(error) => Failure::of(hash)(error),
        }
    }
}
