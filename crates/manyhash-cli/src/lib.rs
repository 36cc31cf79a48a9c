//! The command `manyhash`: checksums of many files at once, hashed by `manyhash_files`.

#![forbid(unsafe_code)]
// What input, the system or a lack of resources can cause is an error and no panic.
#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice, clippy::unreachable, clippy::unwrap_used)
)]

mod cache;
mod colour;
mod commands;
mod exit;
mod flags;
#[cfg(feature = "hazmat")]
#[doc(hidden)]
#[expect(clippy::expect_used, reason = "fuzz targets give what fits, and want to hear otherwise")]
pub mod hazmat;
mod message;
mod output;
mod places;
mod progress;
mod spill;
mod sysfs;
mod text;

use clap::{CommandFactory, FromArgMatches};
use commands::{bench, check, completions, diff, drop_in, dups, man, sum, tree, verity};
use exit::{Failure, Outcome};
use flags::{Arguments, Command, DropIn};
use manyhash::backend;
use message::say;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The program in Rust of the repository's README.md, which is run as a test of documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the command line `arguments`, the program's name first, and returns the exit code.
///
/// If that name, or the next argument, is a drop-in's (`sha256sum`), the program is that drop-in;
/// otherwise it is `manyhash COMMAND`.
pub fn run(mut arguments: Vec<OsString>) -> u8 {
    let logging = env::var_os("MANYHASH_LOG").map_or(0, |value| match value.to_str() {
        Some("" | "0") => 0,
        Some("2") => 2,
        _ => 1,
    });
    let called_as = arguments.first().and_then(|name| Some((0, command_of(name)?)));
    let asked_for = || arguments.get(1).and_then(|name| Some((1, DropIn::by_name(name.to_str()?)?)));
    if let Some((index, drop_in)) = called_as.or_else(asked_for) {
        let program = arguments.remove(index);
        let outcome = drop_in::run(&program, drop_in, arguments.split_off(index).into_iter(), logging > 0);
        say_left_out(&program);
        return exit::code(&program, outcome);
    }
    let program = OsStr::new("manyhash");
    let outcome = dispatch(program, arguments, logging);
    say_left_out(program);
    exit::code(program, outcome)
}

/// Says which backends failed their test and were not used.
fn say_left_out(program: &OsStr) {
    for unhealthy in backend::left_out() {
        say(program, unhealthy.to_string().as_bytes());
    }
}

fn dispatch(program: &OsStr, arguments: Vec<OsString>, logging: u8) -> Outcome {
    let parser = Arguments::command().color(colour::of_help(&arguments));
    let Arguments { verbose, color, command } = Arguments::from_arg_matches(&parser.try_get_matches_from(arguments)?)?;
    colour::choose(color);
    let verbosity = verbose.max(logging);
    let verbose = verbosity > 0;
    if !matches!(command, Command::Man(_) | Command::Completions(_)) {
        backend::from_environment().map_err(|error| Failure::usage(error.to_string()))?;
    }
    match command {
        Command::Sum(arguments) => sum::run(program, arguments, verbosity),
        Command::Check(arguments) => check::run(program, arguments, verbosity),
        Command::Diff(arguments) => diff::run(program, arguments, verbosity),
        Command::Dups(arguments) => dups::run(program, arguments, verbosity),
        Command::Tree(arguments) => tree::run(program, arguments, verbosity),
        Command::Verity(arguments) => verity::run(program, arguments, verbose),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Man(arguments) => man::run(arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}

/// Returns the drop-in at the path `program`, or `None` if it is none.
fn command_of(program: &OsStr) -> Option<DropIn> {
    let name = Path::new(program).file_name()?.to_str()?;
    DropIn::by_name(name.strip_suffix(env::consts::EXE_SUFFIX).unwrap_or(name))
}
