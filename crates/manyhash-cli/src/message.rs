//! Messages on stderr, `PROGRAM: PATH: reason`, whose quoted paths cannot upset a terminal.

use crate::colour::{self, Colour};
use crate::text::quoting::quoted;
use manyhash_files::{STDIN, SameFolder, file_name};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Writes `PROGRAM: MESSAGE` to stderr. Errors are ignored, as they could not be reported.
pub(crate) fn say(program: &OsStr, message: &[u8]) {
    let line = [program.as_encoded_bytes(), b": ", message, b"\n"].concat();
    let _ = io::stderr().write_all(&line);
}

/// Writes `PROGRAM: MESSAGE` to stderr, with the message in a colour if stderr has any.
pub(crate) fn say_in(program: &OsStr, colour: Colour, message: &str) {
    if colour::is_on(&io::stderr()) {
        return say(program, &[colour.begin(), message.as_bytes(), Colour::END].concat());
    }
    say(program, message.as_bytes());
}

pub(crate) fn say_of(program: &OsStr, path: &[u8], reason: impl Display) {
    say(program, &[&quoted(path)[..], b": ", reason.to_string().as_bytes()].concat());
}

/// Says that standard input is read if it is among `files` and somebody has to type it.
pub(crate) fn say_if_typed(program: &OsStr, files: &[OsString]) {
    if files.iter().any(|file| file == STDIN) && io::stdin().is_terminal() {
        say(program, b"reading standard input");
    }
}

/// Returns why something failed, in the system's words.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(SameFolder(path)) => {
            format!("not entered: the same folder as {}", String::from_utf8_lossy(&quoted(&file_name::bytes_of(path))))
        }
        None => manyhash_files::reason(error),
    }
}
