//! `man`: manual pages from the definitions of the command line. They have the version and no date,
//! so that they are the same whenever they are made.

use super::print;
use crate::exit::Outcome;
use crate::flags::{Arguments, ManArguments};
use clap::builder::{PossibleValue, StyledStr};
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io;

pub(crate) fn run(arguments: ManArguments) -> Outcome {
    let mut manyhash = Arguments::command();
    manyhash.build();
    let mut command = &manyhash;
    for name in &arguments.commands {
        let Some(below) = command.find_subcommand(name).filter(has_page) else {
            let names: Vec<_> = command.get_subcommands().filter(has_page).map(Command::get_name).collect();
            let message = format!("there is no command {name:?}; these have pages: {}", names.join(", "));
            return Err(manyhash.error(ErrorKind::InvalidValue, message).into());
        };
        command = below;
    }
    print(&page(command.clone())?)
}

/// Whether a command has a page: `help` has none, because pages are help.
fn has_page(command: &&Command) -> bool {
    command.get_name() != "help"
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut command = command.mut_subcommands(|below| if has_page(&&below) { below } else { below.hide(true) });
    let below = command.get_after_long_help().or(command.get_after_help()).map(StyledStr::to_string);
    let usage = command.render_usage().to_string();
    let has_commands = command.has_subcommands();
    let title = command.get_display_name().unwrap_or_else(|| command.get_name()).to_uppercase();
    let man = Man::new(command.mut_args(with_values_in_help));
    // The empty argument stands where a date would be. The library would leave it out.
    let mut page = format!(".TH {title} 1 \"\" \"manyhash {}\" manyhash\n", env!("CARGO_PKG_VERSION")).into_bytes();
    man.render_name_section(&mut page)?;
    sections(&usage.replacen("Usage: ", "Synopsis:\n", 1)).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    sections(&below.unwrap_or_default()).to_writer(&mut page)?;
    Ok(page)
}

/// Adds an option's values to its help text, because the library's list of them is not clean.
fn with_values_in_help(argument: Arg) -> Arg {
    let values = argument.get_possible_values();
    if values.is_empty() || argument.is_hide_possible_values_set() {
        return argument;
    }
    let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
    let help = argument.get_long_help().or(argument.get_help()).map(StyledStr::to_string).unwrap_or_default();
    argument.long_help(format!("{help} [possible values: {}]", names.join(", "))).hide_possible_values(true)
}

/// Formats sections as [`crate::flags`] has them.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for section in text.split("\n\n").filter(|section| !section.is_empty()) {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        roff.control("SH", [heading.trim_end_matches(':').to_uppercase().as_str()]);
        // This mode keeps lines as they are.
        roff.control("nf", []);
        for line in body.lines() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
    roff
}
