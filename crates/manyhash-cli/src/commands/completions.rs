//! `completions`: a script for a shell, from the definitions of the command line.

use std::ffi::OsStr;

use clap::CommandFactory;

use crate::exit::Exit;
use crate::flags::{Arguments, CompletionsArguments};

use super::print;

/// Runs `manyhash completions`.
pub fn run(program: &OsStr, arguments: &CompletionsArguments) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "manyhash", &mut script);
    print(program, &script)
}
