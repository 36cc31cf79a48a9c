//! The command `manyhash`.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::catch_unwind;

/// The exit code of a Rust program that panics.
const PANICKED: u8 = 101;

/// Does what a command line asks for, the name of the program first, and gives the exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = catch_unwind(|| manyhash_cli::run(arguments)).unwrap_or(PANICKED);
        // A Rust program does so at its end. That the output is closed has been reported by then.
        let _ = io::stdout().flush();
        code
    })
}
