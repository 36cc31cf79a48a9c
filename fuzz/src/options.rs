//! Command lines: those of GNU's commands, and our own.

use crate::choices::Choices;
use manyhash_cli::hazmat::{GnuCommandLine, check_command_line, gnu_command_line};
use std::ffi::OsString;

/// The most arguments of a command line.
const MOST_ARGUMENTS: usize = 40;

/// Arguments that seldom come about by chance, one for each byte from 0x80 on.
const WORDS: [&str; 64] = [
    "sum",
    "check",
    "dups",
    "tree",
    "verity",
    "bench",
    "man",
    "completions",
    "fs-verity",
    "dm-verity",
    "bittorrent-v2",
    "s3",
    "glacier",
    "j-lanes",
    "j-pointers",
    "files",
    "format",
    "verify",
    "dump",
    "--",
    "-",
    "-r",
    "-a",
    "sha256",
    "sha512,md5",
    "--json",
    "--tag",
    "-z",
    "--cache",
    "c",
    "--verify-cache",
    "5%",
    "--exclude",
    "*.o",
    "--include",
    "!a/**/[b",
    "-x",
    "-L",
    "-o",
    "out",
    "--chunks",
    "cdc:16K",
    "fixed:0",
    "--salt",
    "00ff",
    "--block-size",
    "4096",
    "--hash-offset",
    "1M",
    "--data-blocks",
    "99999999999999999999",
    "--uuid",
    "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "-j",
    "0",
    "--audit",
    "-C",
    "/",
    "--strict",
    "--status",
    "--quiet",
    "--files-from",
    "--help",
    "--version",
];

/// Parses a command line in both ways. Arguments end with a line feed; a byte that is no ASCII
/// and stands alone is a word of its own.
pub fn target(data: &[u8]) {
    let mut choices = Choices::new(data);
    let operands_end_options = choices.any::<u8>() & 1 == 1;
    let argument = |text: &[u8]| match text {
        [word] if !word.is_ascii() => WORDS[usize::from(*word) % WORDS.len()].into(),
        _ => os_string(text),
    };
    let arguments: Vec<OsString> = choices.rest().split(|byte| *byte == b'\n').take(MOST_ARGUMENTS).map(argument).collect();
    gnu(&arguments, operands_end_options);
    // Its parser looks at all its own rules each time, which takes milliseconds.
    let own = [OsString::from("manyhash")].into_iter().chain(arguments).collect();
    if let Err(message) = check_command_line(own) {
        assert!(!message.is_empty(), "it says nothing");
    }
}

#[cfg(unix)]
fn os_string(text: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(text.to_vec())
}

#[cfg(not(unix))]
fn os_string(text: &[u8]) -> OsString {
    String::from_utf8_lossy(text).into_owned().into()
}

fn gnu(arguments: &[OsString], operands_end_options: bool) {
    let parsed = gnu_command_line(arguments.to_vec(), operands_end_options);
    match &parsed {
        GnuCommandLine::Help | GnuCommandLine::Version => {
            assert!(arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(b"--")), "nobody asked for it");
        }
        GnuCommandLine::Wrong(message) => assert!(!message.is_empty(), "it says nothing"),
        GnuCommandLine::Run { options, operands } => {
            // Operands are some of the arguments, in their order, and all of those behind `--`.
            let mut left = arguments.iter();
            assert!(operands.iter().all(|operand| left.any(|argument| argument == operand)), "operands out of thin air");
            if let Some(end) = arguments.iter().position(|argument| argument == "--") {
                assert!(operands.ends_with(&arguments[end + 1..]), "an argument behind -- is no operand");
            }
            let is_one = |argument: &&OsString| argument.as_encoded_bytes() == b"-" || !argument.as_encoded_bytes().starts_with(b"-");
            let first = arguments.iter().find(is_one);
            assert!(first.is_none_or(|first| operands.contains(first)), "an argument without a dash is no operand");

            let written: Vec<OsString> = options.iter().map(OsString::from).chain(["--".into()]).chain(operands.iter().cloned()).collect();
            for operands_end_options in [false, true] {
                assert_eq!(gnu_command_line(written.clone(), operands_end_options), parsed, "written out as {written:?}");
            }
        }
    }
}
