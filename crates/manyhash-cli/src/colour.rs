//! Colours of verdicts and of summaries. Drop-ins have none.

use clap::{ColorChoice, ValueEnum};
use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourWhen {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`.
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Bold,
}

static CHOSEN: OnceLock<ColourWhen> = OnceLock::new();

/// Decides for the whole run. Before, there are no colours.
pub(crate) fn choose(when: ColourWhen) {
    let _ = CHOSEN.set(when);
}

/// Whether what goes to `stream` has colours.
pub(crate) fn is_on(stream: &impl IsTerminal) -> bool {
    match CHOSEN.get() {
        None | Some(ColourWhen::Never) => false,
        Some(ColourWhen::Always) => true,
        Some(ColourWhen::Auto) => is_wanted() && stream.is_terminal(),
    }
}

fn is_wanted() -> bool {
    // The console of Windows shows them only to programs that ask for it.
    cfg!(unix) && !is_refused() && env::var_os("TERM").is_some()
}

fn is_refused() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

impl Colour {
    /// Returns what begins this colour on a terminal.
    pub(crate) fn begin(self) -> &'static [u8] {
        match self {
            Self::Red => b"\x1b[31m",
            Self::Green => b"\x1b[32m",
            Self::Yellow => b"\x1b[33m",
            Self::Bold => b"\x1b[1m",
        }
    }

    /// What ends any colour on a terminal.
    pub(crate) const END: &'static [u8] = b"\x1b[0m";
}

/// Returns when help and the messages of a wrong command line, which come before it is understood,
/// have colours.
pub(crate) fn of_help(arguments: &[OsString]) -> ColorChoice {
    let mut options = arguments.iter().take_while(|argument| *argument != "--");
    let when = options.find_map(|argument| match argument.to_str()?.strip_prefix("--color")? {
        "" => Some(None),
        value => value.strip_prefix('=').map(|value| Some(value.to_string())),
    });
    let when = when.and_then(|value| value.or_else(|| options.next().and_then(|value| value.to_str()).map(String::from)));
    match when.and_then(|value| ColourWhen::from_str(&value, false).ok()) {
        Some(ColourWhen::Always) => ColorChoice::Always,
        Some(ColourWhen::Never) => ColorChoice::Never,
        // On a machine of a build service, the library that prints these would have colours on any terminal.
        _ if is_refused() => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}
