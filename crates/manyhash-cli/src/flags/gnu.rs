//! The command line of GNU's `sha256sum` and its like, read as GNU's `getopt_long` reads it: short
//! options may be combined, long ones shortened while that is unambiguous, and options stand
//! anywhere before `--` (before the first operand if `POSIXLY_CORRECT` is set).

use crate::text::lines::Style;
use crate::text::manifest::CKSUM;
use crate::text::printable::locale_is_utf8;
use manyhash::AnyAlgorithm;
use std::ffi::{OsStr, OsString};

/// A command of GNU coreutils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// `sha256sum` and its like.
    Sum(AnyAlgorithm),
    B2sum,
    Cksum,
}

impl Tool {
    /// The command's own name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum(algorithm) => algorithm.command().unwrap_or_default(),
            Self::B2sum => "b2sum",
            Self::Cksum => "cksum",
        }
    }

    /// Whether the command has an option.
    fn has(self, flag: Flag) -> bool {
        match flag {
            Flag::Binary | Flag::Text => self != Self::Cksum,
            Flag::Length => !matches!(self, Self::Sum(_)),
            Flag::Algorithm | Flag::Debug | Flag::Untagged => self == Self::Cksum,
            _ => true,
        }
    }
}

/// What `cksum` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checksum {
    Bsd,
    SystemV,
    Crc,
    Digest(AnyAlgorithm),
}

/// The checksums of `cksum` by their names, in the order in which GNU lists them.
fn checksums() -> impl Iterator<Item = (String, Checksum)> {
    let sums = [("bsd", Checksum::Bsd), ("sysv", Checksum::SystemV), ("crc", Checksum::Crc)];
    let sums = sums.into_iter().map(|(name, checksum)| (name.to_string(), checksum));
    sums.chain(CKSUM.into_iter().map(|algorithm| (algorithm.to_string(), Checksum::Digest(algorithm))))
}

/// The most bits of a digest of BLAKE2b.
const MOST_BITS: u64 = 512;

/// The options and operands of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) check: bool,
    /// `-b` or `-t`, whichever came last; `--tag` counts as `-b`.
    pub(crate) binary: Option<bool>,
    /// `--tag` or `--untagged`, whichever came last.
    pub(crate) tag: Option<bool>,
    pub(crate) zero: bool,
    pub(crate) ignore_missing: bool,
    /// `--quiet`, unless `--status` or `-w` came later.
    pub(crate) quiet: bool,
    /// `--status`, unless `--quiet` or `-w` came later.
    pub(crate) status: bool,
    pub(crate) strict: bool,
    /// `-w`, unless `--quiet` or `--status` came later.
    pub(crate) warn: bool,
    /// `-a` of `cksum`.
    pub(crate) checksum: Option<Checksum>,
    /// `-l`, the bits of a digest: whole bytes.
    pub(crate) length: Option<u64>,
    /// The arguments that are no options.
    pub(crate) operands: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Options),
    Help,
    Version,
    Wrong(Wrong),
}

/// Why a command line is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) messages: Vec<Vec<u8>>,
    /// Whether the command says how to get help.
    pub(crate) says_help: bool,
}

impl Wrong {
    /// A command line that its user must look up.
    fn usage(message: impl Into<Vec<u8>>) -> Self {
        Self { messages: vec![message.into()], says_help: true }
    }

    fn value(messages: &[&str]) -> Self {
        Self { messages: messages.iter().map(|message| message.as_bytes().to_vec()).collect(), says_help: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Algorithm,
    Binary,
    Check,
    Debug,
    Help,
    IgnoreMissing,
    Length,
    Quiet,
    Status,
    Strict,
    Tag,
    Text,
    Untagged,
    Version,
    Warn,
    Zero,
}

impl Flag {
    fn takes_value(self) -> bool {
        matches!(self, Self::Algorithm | Self::Length)
    }
}

/// The long options in GNU's order, which its list of possibilities shows.
const LONG: [(&str, Flag); 16] = [
    ("length", Flag::Length),
    ("check", Flag::Check),
    ("ignore-missing", Flag::IgnoreMissing),
    ("quiet", Flag::Quiet),
    ("status", Flag::Status),
    ("warn", Flag::Warn),
    ("strict", Flag::Strict),
    ("tag", Flag::Tag),
    ("zero", Flag::Zero),
    ("algorithm", Flag::Algorithm),
    ("debug", Flag::Debug),
    ("untagged", Flag::Untagged),
    ("binary", Flag::Binary),
    ("text", Flag::Text),
    ("help", Flag::Help),
    ("version", Flag::Version),
];

const SHORT: [(u8, Flag); 7] = [
    (b'a', Flag::Algorithm),
    (b'b', Flag::Binary),
    (b'c', Flag::Check),
    (b'l', Flag::Length),
    (b't', Flag::Text),
    (b'w', Flag::Warn),
    (b'z', Flag::Zero),
];

/// Parses a command line, which comes without the command's own name.
pub(crate) fn parse(tool: Tool, arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    parse_as(tool, arguments, std::env::var_os("POSIXLY_CORRECT").is_some())
}

/// Parses a command line. The first operand ends the options if that is asked for.
pub(crate) fn parse_as(tool: Tool, arguments: impl IntoIterator<Item = OsString>, operands_end_options: bool) -> Parsed {
    let mut options = Options::default();
    match options.read(tool, &mut arguments.into_iter(), operands_end_options) {
        Ok(None) => {}
        Ok(Some(parsed)) => return parsed,
        Err(wrong) => return Parsed::Wrong(wrong),
    }
    match options.contradiction(tool) {
        None => Parsed::Run(options),
        Some(wrong) => Parsed::Wrong(wrong),
    }
}

fn short_flag(tool: Tool, letter: u8) -> Result<Flag, Wrong> {
    let found = SHORT.iter().find(|(short, flag)| *short == letter && tool.has(*flag));
    found.map(|(_, flag)| *flag).ok_or_else(|| {
        // GNU's `cksum` knows that the others have these.
        if matches!(letter, b'b' | b't') {
            return Wrong { messages: Vec::new(), says_help: true };
        }
        Wrong::usage([b"invalid option -- '", &[letter][..], b"'"].concat())
    })
}

/// Returns the option `text`, which is `name` or `name=value`, and the value. The name may be cut
/// short.
fn long_flag(tool: Tool, text: &[u8]) -> Result<(&'static str, Flag, Option<&[u8]>), Wrong> {
    let mut parts = text.splitn(2, |&byte| byte == b'=');
    let (name, value) = (parts.next().unwrap_or_default(), parts.next());
    let known = LONG.iter().filter(|(_, flag)| tool.has(*flag));
    let candidates: Vec<_> = known.filter(|(long, _)| long.as_bytes().starts_with(name)).collect();
    let exact = candidates.iter().find(|(long, _)| long.as_bytes() == name);
    match (exact, &candidates[..]) {
        (Some((long, flag)), _) | (None, [(long, flag)]) => match value {
            Some(_) if !flag.takes_value() => Err(Wrong::usage(format!("option '--{long}' doesn't allow an argument"))),
            _ => Ok((long, *flag, value)),
        },
        (None, []) => Err(Wrong::usage([b"unrecognized option '--", text, b"'"].concat())),
        (None, _) => {
            let possible: String = candidates.iter().map(|(long, _)| format!(" '--{long}'")).collect();
            Err(Wrong::usage([b"option '--", text, b"' is ambiguous; possibilities:", possible.as_bytes()].concat()))
        }
    }
}

/// Returns the checksum of a name. GNU takes no other spelling.
fn checksum(name: &[u8]) -> Result<Checksum, Wrong> {
    if let Some((_, checksum)) = checksums().find(|(known, _)| known.as_bytes() == name) {
        return Ok(checksum);
    }
    let valid: String = checksums().map(|(known, _)| format!("\n  - {}", marked(&known))).collect();
    let name = marked(&printable(name));
    Err(Wrong::usage(format!("invalid argument {name} for {}\nValid arguments are:{valid}", marked("--algorithm"))))
}

/// Returns a number of bits, as GNU reads it.
fn bits(text: &[u8]) -> Result<u64, Wrong> {
    let invalid = format!("invalid length: {}", marked(&printable(text)));
    let digits = str::from_utf8(text).unwrap_or_default().trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(Wrong::value(&[&invalid]));
    }
    let Ok(bits) = digits.parse::<u64>() else {
        return Err(Wrong::value(&[&format!("{invalid}: Value too large for defined data type")]));
    };
    if bits.is_multiple_of(8) { Ok(bits) } else { Err(Wrong::value(&[&invalid, "length is not a multiple of 8"])) }
}

fn printable(text: &[u8]) -> String {
    String::from_utf8_lossy(text).escape_debug().to_string()
}

/// Returns a text in the quotation marks of the locale, as GNU puts them around what it was given.
fn marked(text: &str) -> String {
    if locale_is_utf8() { format!("\u{2018}{text}\u{2019}") } else { format!("'{text}'") }
}

impl Options {
    /// Reads a command line to its end, unless it asks for help or the version.
    fn read(
        &mut self,
        tool: Tool,
        arguments: &mut dyn Iterator<Item = OsString>,
        operands_end_options: bool,
    ) -> Result<Option<Parsed>, Wrong> {
        while let Some(argument) = arguments.next() {
            let bytes = argument.as_encoded_bytes();
            if bytes == b"--" {
                break;
            } else if let Some(text) = bytes.strip_prefix(b"--") {
                let (long, flag, value) = long_flag(tool, text)?;
                let missing = || Wrong::usage(format!("option '--{long}' requires an argument"));
                let value = value.map(<[u8]>::to_vec);
                if let Some(parsed) = self.apply_with(flag, value, arguments, missing)? {
                    return Ok(Some(parsed));
                }
            } else if let Some(mut letters @ [_, ..]) = bytes.strip_prefix(b"-") {
                while let Some((&letter, rest)) = letters.split_first() {
                    let flag = short_flag(tool, letter)?;
                    let missing = || Wrong::usage([b"option requires an argument -- '", &[letter][..], b"'"].concat());
                    let value = Some(rest.to_vec()).filter(|rest| flag.takes_value() && !rest.is_empty());
                    if let Some(parsed) = self.apply_with(flag, value, arguments, missing)? {
                        return Ok(Some(parsed));
                    }
                    letters = if flag.takes_value() { &[] } else { rest };
                }
            } else {
                self.operands.push(argument);
                if operands_end_options {
                    break;
                }
            }
        }
        self.operands.extend(arguments);
        Ok(None)
    }

    /// Applies an option. Its value, if it takes one and none is given, is the next argument.
    fn apply_with(
        &mut self,
        flag: Flag,
        value: Option<Vec<u8>>,
        arguments: &mut dyn Iterator<Item = OsString>,
        missing: impl FnOnce() -> Wrong,
    ) -> Result<Option<Parsed>, Wrong> {
        let next = || arguments.next().map(OsString::into_encoded_bytes).ok_or_else(missing);
        match flag {
            Flag::Help => return Ok(Some(Parsed::Help)),
            Flag::Version => return Ok(Some(Parsed::Version)),
            Flag::Algorithm => self.checksum = Some(checksum(&value.map_or_else(next, Ok)?)?),
            Flag::Length => self.length = Some(bits(&value.map_or_else(next, Ok)?)?),
            _ => self.apply(flag),
        }
        Ok(None)
    }

    fn apply(&mut self, flag: Flag) {
        match flag {
            Flag::Binary => self.binary = Some(true),
            Flag::Text => self.binary = Some(false),
            Flag::Tag => (self.tag, self.binary) = (Some(true), Some(true)),
            Flag::Untagged => self.tag = Some(false),
            Flag::Check => self.check = true,
            Flag::Zero => self.zero = true,
            Flag::IgnoreMissing => self.ignore_missing = true,
            Flag::Strict => self.strict = true,
            Flag::Quiet | Flag::Status | Flag::Warn => {
                self.quiet = flag == Flag::Quiet;
                self.status = flag == Flag::Status;
                self.warn = flag == Flag::Warn;
            }
            // It would say which instructions compute a CRC.
            Flag::Debug => {}
            Flag::Algorithm | Flag::Length | Flag::Help | Flag::Version => {}
        }
    }

    /// Returns what is wrong with the options together, the first in GNU's order.
    fn contradiction(&self, tool: Tool) -> Option<Wrong> {
        let is_blake2b = tool == Tool::B2sum || self.checksum == Some(Checksum::Digest(AnyAlgorithm::Blake2b));
        if let Some(bits @ 1..) = self.length {
            if !is_blake2b {
                return Some(Wrong::value(&["--length is only supported with --algorithm=blake2b"]));
            }
            if bits > MOST_BITS {
                let invalid = format!("invalid length: {}", marked(&bits.to_string()));
                return Some(Wrong::value(&[&invalid, &format!("maximum digest length for {} is {MOST_BITS} bits", marked("BLAKE2b"))]));
            }
        }
        if self.check && matches!(self.checksum, Some(Checksum::Bsd | Checksum::SystemV | Checksum::Crc)) {
            return Some(Wrong::value(&["--check is not supported with --algorithm={bsd,sysv,crc}"]));
        }
        self.meaningless(tool).map(Wrong::usage)
    }

    /// Returns the message for options that have no meaning together.
    fn meaningless(&self, tool: Tool) -> Option<String> {
        if self.tag == Some(true) && self.binary == Some(false) {
            return Some("--tag does not support --text mode".into());
        }
        let is_cksum = tool == Tool::Cksum;
        if self.check {
            return [
                (self.zero, "the --zero option is not supported"),
                (self.tag == Some(true) && !is_cksum, "the --tag option is meaningless"),
                (self.binary.is_some() && !is_cksum, "the --binary and --text options are meaningless"),
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

    pub(crate) fn style(&self, tool: Tool) -> Style {
        match (self.tag.unwrap_or(tool == Tool::Cksum), self.binary) {
            (true, _) => Style::Tag,
            (false, Some(true)) if tool != Tool::Cksum => Style::Binary,
            (false, _) => Style::Text,
        }
    }
}

pub(crate) fn help(program: &OsStr, tool: Tool) -> String {
    let of = match tool {
        Tool::Sum(algorithm) => format!("{} digests", algorithm.name()),
        Tool::B2sum => "BLAKE2b digests".to_string(),
        Tool::Cksum => "checksums or digests".to_string(),
    };
    let algorithm = "  -a, --algorithm=NAME  crc (the default) bsd sysv md5 sha1 sha224 sha256 sha384
                        sha512 blake2b sm3\n";
    let algorithm = if tool.has(Flag::Algorithm) { algorithm } else { "" };
    let length = "  -l, --length=BITS     bits of a BLAKE2b digest: a multiple of 8, up to 512\n";
    let length = if tool.has(Flag::Length) { length } else { "" };
    let (binary, text) = match tool {
        Tool::Cksum => ("", "      --untagged        print lines as sha256sum does\n"),
        _ => (
            "  -b, --binary          mark names with '*' (reads no differently)\n",
            "  -t, --text            mark names with a blank (the default)\n",
        ),
    };
    let tag_default = if tool == Tool::Cksum { " (the default, if not a crc or sum)" } else { "" };
    format!(
        "\
Usage: {program} [OPTION]... [FILE]...
Print {of} of files, or check them against a list.

FILE - or no FILE is standard input.
{algorithm}{binary}  -c, --check           the FILEs are lists of digests: check what they name
{length}      --tag             print BSD-style lines{tag_default}
{text}  -z, --zero            end lines with NUL instead of newline, names not escaped

With --check only:
      --ignore-missing  pass over files that do not exist
      --quiet           no OK for each file that is right
      --status          no output, the exit code tells
      --strict          fail if a line is malformed
  -w, --warn            say which lines are malformed

      --help            print this help
      --version         print the version

Exit code: 0 fine, 1 otherwise.
Part of manyhash; {behaves}.
",
        program = program.display(),
        behaves = match tool {
            Tool::Sum(AnyAlgorithm::Sm3) => "behaves as GNU coreutils' sha256sum".to_string(),
            _ => format!("behaves as GNU coreutils' {}", tool.name()),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256SUM: Tool = Tool::Sum(AnyAlgorithm::Sha256);

    fn parsed(line: &str) -> Parsed {
        parse_as(SHA256SUM, line.split_whitespace().map(OsString::from), false)
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
        let posix = parse_as(SHA256SUM, ["a", "-z"].map(OsString::from), true);
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
        assert_eq!(options("--ta").tag, Some(true));
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
            assert_eq!(parsed(line), Parsed::Wrong(Wrong::usage(message)), "{line}");
        }
    }
}
