//! The commands, each in its own file or folder.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod drop_in;
pub(crate) mod dups;
pub(crate) mod man;
pub(crate) mod passed_over;
pub(crate) mod sum;
pub(crate) mod tree;
pub(crate) mod verity;

use crate::exit::Outcome;
use crate::message::say;
use crate::output::Output;
use manyhash::{AnyAlgorithm, backend};
use manyhash_files::Algorithms;
use std::ffi::OsStr;
use std::io::Write;

/// Prints text that was asked for, such as help.
pub(crate) fn print(text: &[u8]) -> Outcome {
    let mut out = Output::stdout();
    out.write_all(text)?;
    out.flush()?;
    Ok(true)
}

/// Checks that there are backends for all of `algorithms`, and if `verbose` says which they are and
/// tests all that there are. Fails if there is none for one of them, with the reason.
pub(crate) fn prepare_backends(program: &OsStr, algorithms: Algorithms, verbose: bool) -> Result<(), String> {
    for algorithm in algorithms.iter() {
        algorithm.backend().map_err(|error| error.to_string())?;
        if verbose {
            say_backend(program, algorithm);
        }
    }
    if verbose {
        // Those that fail are named at the end.
        backend::health();
    }
    Ok(())
}

pub(crate) fn say_backend(program: &OsStr, algorithm: AnyAlgorithm) {
    if let Ok((backend, lanes)) = algorithm.backend() {
        let plural = if lanes == 1 { "" } else { "s" };
        say(program, format!("{}: backend {backend}, {lanes} lane{plural}", algorithm.name()).as_bytes());
    }
}
