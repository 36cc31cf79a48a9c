//! The command line of GNU's `sha256sum` and its like, read as GNU's `getopt_long` reads it: short
//! options may be combined, long ones shortened while that is unambiguous, and options stand
//! anywhere before `--` (before the first operand if `POSIXLY_CORRECT` is set).

use crate::text::lines::Style;
use manyhash::AnyAlgorithm;
use std::ffi::{OsStr, OsString};

/// The options and operands of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) check: bool,
    /// `-b` or `-t`, whichever came last; `--tag` counts as `-b`.
    pub(crate) binary: Option<bool>,
    pub(crate) tag: bool,
    pub(crate) zero: bool,
    pub(crate) ignore_missing: bool,
    /// `--quiet`, unless `--status` or `-w` came later.
    pub(crate) quiet: bool,
    /// `--status`, unless `--quiet` or `-w` came later.
    pub(crate) status: bool,
    pub(crate) strict: bool,
    /// `-w`, unless `--quiet` or `--status` came later.
    pub(crate) warn: bool,
    /// The arguments that are no options.
    pub(crate) operands: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Options),
    Help,
    Version,
    /// The command line is wrong, and this message says why.
    Wrong(Vec<u8>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Binary,
    Check,
    Help,
    IgnoreMissing,
    Quiet,
    Status,
    Strict,
    Tag,
    Text,
    Version,
    Warn,
    Zero,
}

/// The long options in GNU's order, which its list of possibilities shows.
const LONG: [(&str, Flag); 12] = [
    ("check", Flag::Check),
    ("ignore-missing", Flag::IgnoreMissing),
    ("quiet", Flag::Quiet),
    ("status", Flag::Status),
    ("warn", Flag::Warn),
    ("strict", Flag::Strict),
    ("tag", Flag::Tag),
    ("zero", Flag::Zero),
    ("binary", Flag::Binary),
    ("text", Flag::Text),
    ("help", Flag::Help),
    ("version", Flag::Version),
];

const SHORT: [(u8, Flag); 5] = [(b'b', Flag::Binary), (b'c', Flag::Check), (b't', Flag::Text), (b'w', Flag::Warn), (b'z', Flag::Zero)];

/// Parses a command line, which comes without the command's own name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    parse_as(arguments, std::env::var_os("POSIXLY_CORRECT").is_some())
}

/// Parses a command line. The first operand ends the options if that is asked for.
pub(crate) fn parse_as(arguments: impl IntoIterator<Item = OsString>, operands_end_options: bool) -> Parsed {
    let mut options = Options::default();
    let mut arguments = arguments.into_iter();
    for argument in arguments.by_ref() {
        let bytes = argument.as_encoded_bytes();
        let mut flags = Vec::new();
        if bytes == b"--" {
            break;
        } else if let Some(text) = bytes.strip_prefix(b"--") {
            flags.push(long_flag(text));
        } else if let Some(letters @ [_, ..]) = bytes.strip_prefix(b"-") {
            flags.extend(letters.iter().map(|&letter| short_flag(letter)));
        } else {
            options.operands.push(argument);
            if operands_end_options {
                break;
            }
        }
        for flag in flags {
            match flag {
                Ok(Flag::Help) => return Parsed::Help,
                Ok(Flag::Version) => return Parsed::Version,
                Ok(flag) => options.apply(flag),
                Err(message) => return Parsed::Wrong(message),
            }
        }
    }
    options.operands.extend(arguments);
    match options.contradiction() {
        None => Parsed::Run(options),
        Some(message) => Parsed::Wrong(message.into_bytes()),
    }
}

fn short_flag(letter: u8) -> Result<Flag, Vec<u8>> {
    let found = SHORT.iter().find(|(short, _)| *short == letter);
    found.map(|(_, flag)| *flag).ok_or_else(|| [b"invalid option -- '", &[letter][..], b"'"].concat())
}

/// Returns the option `text`, which is `name` or `name=value`. The name may be cut short.
fn long_flag(text: &[u8]) -> Result<Flag, Vec<u8>> {
    let mut parts = text.splitn(2, |&byte| byte == b'=');
    let (name, value) = (parts.next().unwrap_or_default(), parts.next());
    let candidates: Vec<_> = LONG.iter().filter(|(long, _)| long.as_bytes().starts_with(name)).collect();
    let exact = candidates.iter().find(|(long, _)| long.as_bytes() == name);
    match (exact, &candidates[..]) {
        (Some((long, flag)), _) | (None, [(long, flag)]) => match value {
            None => Ok(*flag),
            Some(_) => Err(format!("option '--{long}' doesn't allow an argument").into_bytes()),
        },
        (None, []) => Err([b"unrecognized option '--", text, b"'"].concat()),
        (None, _) => {
            let possible: String = candidates.iter().map(|(long, _)| format!(" '--{long}'")).collect();
            Err([b"option '--", text, b"' is ambiguous; possibilities:", possible.as_bytes()].concat())
        }
    }
}

impl Options {
    fn apply(&mut self, flag: Flag) {
        match flag {
            Flag::Binary => self.binary = Some(true),
            Flag::Text => self.binary = Some(false),
            Flag::Tag => (self.tag, self.binary) = (true, Some(true)),
            Flag::Check => self.check = true,
            Flag::Zero => self.zero = true,
            Flag::IgnoreMissing => self.ignore_missing = true,
            Flag::Strict => self.strict = true,
            Flag::Quiet | Flag::Status | Flag::Warn => {
                self.quiet = flag == Flag::Quiet;
                self.status = flag == Flag::Status;
                self.warn = flag == Flag::Warn;
            }
            Flag::Help | Flag::Version => {}
        }
    }

    /// Returns the message for a contradiction between options, the first in GNU's order.
    fn contradiction(&self) -> Option<String> {
        if self.tag && self.binary == Some(false) {
            return Some("--tag does not support --text mode".into());
        }
        if self.check {
            return [
                (self.zero, "the --zero option is not supported"),
                (self.tag, "the --tag option is meaningless"),
                (self.binary.is_some(), "the --binary and --text options are meaningless"),
            ]
            .iter()
            .find_map(|(is_given, what)| is_given.then(|| format!("{what} when verifying checksums")));
        }
        [
            (self.ignore_missing, "ignore-missing"),
            (self.status, "status"),
            (self.warn, "warn"),
            (self.quiet, "quiet"),
            (self.strict, "strict"),
        ]
        .iter()
        .find_map(|(is_given, name)| is_given.then(|| format!("the --{name} option is meaningful only when verifying checksums")))
    }

    pub(crate) fn style(&self) -> Style {
        match (self.tag, self.binary) {
            (true, _) => Style::Tag,
            (false, Some(true)) => Style::Binary,
            (false, _) => Style::Text,
        }
    }
}

pub(crate) fn help(program: &OsStr, algorithm: AnyAlgorithm) -> String {
    format!(
        "\
Usage: {program} [OPTION]... [FILE]...
Print {name} digests of files, or check them against a list.

FILE - or no FILE is standard input.
  -b, --binary          mark names with '*' (reads no differently)
  -c, --check           the FILEs are lists of digests: check what they name
      --tag             print BSD-style lines
  -t, --text            mark names with a blank (the default)
  -z, --zero            end lines with NUL instead of newline, names not escaped

With --check only:
      --ignore-missing  pass over files that do not exist
      --quiet           no OK for each file that is right
      --status          no output, the exit code tells
      --strict          fail if a line is malformed
  -w, --warn            say which lines are malformed

      --help            print this help
      --version         print the version

Exit code: 0 fine, 1 otherwise. Part of manyhash; behaves as GNU coreutils' {command}.
",
        program = program.display(),
        name = algorithm.name(),
        command = algorithm.command().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Parsed {
        parse_as(line.split_whitespace().map(OsString::from), false)
    }

    fn options(line: &str) -> Options {
        match parsed(line) {
            Parsed::Run(options) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_and_operands_mix_until_two_dashes() {
        let expected = ["a", "-", "-b", "--tag"].map(OsString::from).to_vec();
        assert_eq!(options("a -z - -- -b --tag"), Options { zero: true, operands: expected, ..Options::default() });
        let posix = parse_as(["a", "-z"].map(OsString::from), true);
        let operands = ["a", "-z"].map(OsString::from).to_vec();
        assert_eq!(posix, Parsed::Run(Options { operands, ..Options::default() }));
    }

    #[test]
    fn short_options_combine_and_the_last_of_a_kind_counts() {
        assert_eq!(options("-bt").binary, Some(false));
        assert_eq!(options("-tzb"), Options { binary: Some(true), zero: true, ..Options::default() });
        let last_is_warn = options("-c --quiet --status -w");
        assert_eq!((last_is_warn.quiet, last_is_warn.status, last_is_warn.warn), (false, false, true));
    }

    #[test]
    fn long_options_may_be_cut_short() {
        assert!(options("--ta").tag);
        assert!(options("--c --ig").ignore_missing);
        assert_eq!(parsed("--he"), Parsed::Help);
        assert_eq!(parsed("-z --vers --bogus"), Parsed::Version);
        for (line, message) in [
            ("--t", "option '--t' is ambiguous; possibilities: '--tag' '--text'"),
            ("--tagx", "unrecognized option '--tagx'"),
            ("--check=1", "option '--check' doesn't allow an argument"),
            ("-zx", "invalid option -- 'x'"),
            ("--tag -t", "--tag does not support --text mode"),
        ] {
            assert_eq!(parsed(line), Parsed::Wrong(message.into()), "{line}");
        }
    }
}
