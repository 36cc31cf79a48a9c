//! The binary `manyhash`. All code is in the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    manyhash_cli::run(std::env::args_os().collect()).into()
}
