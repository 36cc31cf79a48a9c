//! The command `manyhash`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::catch_unwind;

use pyo3::prelude::*;

/// What a program of Rust that panics says to the shell.
const PANICKED: u8 = 101;

/// Does what a command line asks for, the name of the program first, and gives the exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = catch_unwind(|| manyhash_cli::run(arguments)).unwrap_or(PANICKED);
        // What the end of a program of Rust does. Who closed the output has been told of by then.
        let _ = io::stdout().flush();
        code
    })
}
