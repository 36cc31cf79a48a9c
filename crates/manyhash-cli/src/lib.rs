//! `manyhash`: checksums of many files at once, the command. What hashes files is `manyhash_files`.

#![forbid(unsafe_code)]

mod algorithm;
mod arguments;
mod cache;
mod commands;
mod examples;
mod exit;
mod hexadecimal;
mod manifest;
mod message;
mod output;
mod printable;
mod progress;
mod size;
mod sysfs;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Parser;

use arguments::{Arguments, Command};
use commands::{bench, check, completions, drop_in, dups, man, sum, tree, verity, wrong_arguments};
use exit::Exit;

/// Does what a command line asks for, of which the first is the name that the program was called by, and gives the exit code.
///
/// Called by the name of a drop-in (`sha256sum`, through a link or as the first argument) it is that; else `manyhash COMMAND`.
pub fn run(arguments: Vec<OsString>) -> u8 {
    dispatch(arguments).code()
}

fn dispatch(mut arguments: Vec<OsString>) -> Exit {
    let is_logging = env::var_os("MANYHASH_LOG").is_some_and(|value| !value.is_empty() && value != "0");
    if let Some(algorithm) = arguments.first().and_then(|name| command_of(name)) {
        let program = arguments.remove(0);
        return drop_in::run(&program, algorithm, arguments, is_logging);
    }
    if let Some(algorithm) = arguments.get(1).and_then(|name| algorithm::by_command(name.to_str()?)) {
        let program = arguments.remove(1);
        return drop_in::run(&program, algorithm, arguments.split_off(1), is_logging);
    }
    let Arguments { verbose, command } = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return wrong_arguments(&error),
    };
    let program = OsStr::new("manyhash");
    let verbose = verbose || is_logging;
    match command {
        Command::Sum(arguments) => sum::run(program, arguments, verbose),
        Command::Check(arguments) => check::run(program, arguments, verbose),
        Command::Dups(arguments) => dups::run(program, arguments, verbose),
        Command::Tree(arguments) => tree::run(program, arguments, verbose),
        Command::Verity(arguments) => verity::run(program, arguments, verbose),
        Command::Bench(arguments) => bench::run(program, arguments),
        Command::Man(arguments) => man::run(program, arguments),
        Command::Completions(arguments) => completions::run(program, &arguments),
    }
}

/// The algorithm of the drop-in that `program` is a path to.
fn command_of(program: &OsStr) -> Option<manyhash::AnyAlgorithm> {
    let name = Path::new(program).file_name()?.to_str()?;
    algorithm::by_command(name.strip_suffix(env::consts::EXE_SUFFIX).unwrap_or(name))
}
