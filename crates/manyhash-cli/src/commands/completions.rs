//! `completions`: a script for a shell, made from the definitions of the command line.

use super::print;
use crate::exit::Outcome;
use crate::flags::{Arguments, CompletionsArguments};
use clap::CommandFactory;

pub(crate) fn run(arguments: &CompletionsArguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "manyhash", &mut script);
    print(&script)
}
