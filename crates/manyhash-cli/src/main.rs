//! The binary `manyhash`. All code is in the library.

#![forbid(unsafe_code)]
// What input, the system or a lack of resources can cause is an error and no panic.
#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice, clippy::unreachable, clippy::unwrap_used)
)]

use std::process::ExitCode;

fn main() -> ExitCode {
    manyhash_cli::run(std::env::args_os().collect()).into()
}
