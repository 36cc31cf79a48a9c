//! The drop-ins against GNU coreutils' commands on this machine: the same bytes on stdout and stderr, the same exit code.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome, skipped};

const COMMANDS: [&str; 5] = ["sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"];

/// The release whose messages are matched.
const RELEASE: &str = "(GNU coreutils) 9.1";

/// Whether the real command is here.
fn is_here() -> bool {
    let first_line = Command::new("sha256sum")
        .arg("--version")
        .output()
        .ok()
        .map(|output| String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_string());
    let is_here = first_line.is_some_and(|line| line.ends_with(RELEASE));
    if !is_here {
        skipped(&format!("no sha256sum {RELEASE} on this machine"));
    }
    is_here
}

/// Runs GNU's command and ours, by the same name, and compares.
fn compare(place: &Place, command: &str, arguments: &[impl AsRef<OsStr>], stdin: &[u8]) -> Outcome {
    let theirs = outcome(place.command(command).args(arguments), stdin);
    let ours = outcome(place.command(BINARY).arg0(command).args(arguments), stdin);
    let line: Vec<_> = arguments.iter().map(|argument| argument.as_ref().as_bytes().escape_ascii().to_string()).collect();
    assert_eq!(ours, theirs, "ours (left) differs from GNU's: {command} {}", line.join(" "));
    ours
}

/// Compares with arguments separated by blanks.
fn compare_line(place: &Place, line: &str) -> Outcome {
    compare(place, "sha256sum", &line.split_whitespace().collect::<Vec<_>>(), b"abc")
}

fn odd_names() -> Vec<OsString> {
    let names: [&[u8]; 22] = [
        b"plain",
        b" blank",
        b"blank ",
        b"two words",
        b"tab\there",
        b"new\nline",
        b"back\\slash",
        b"carriage\rreturn",
        b"all\\\n\r",
        b"*star",
        b"#hash",
        b"~tilde",
        b"-dash",
        b"--tag",
        "é".as_bytes(),
        b"\xff\xfe",
        b"quote'",
        b"\"double\"",
        b"(paren)",
        b"a = b",
        b"\\",
        b"a:b",
    ];
    names.iter().map(|name| OsString::from_vec(name.to_vec())).collect()
}

fn place_of_odd_names() -> Place {
    let place = Place::new();
    for name in odd_names() {
        place.file(&name, name.as_bytes());
    }
    fs::create_dir(place.join("folder")).unwrap();
    place
}

#[test]
fn sums_of_odd_names_are_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_odd_names();
    for command in COMMANDS {
        for options in [&[][..], &["-b"], &["-t"], &["--tag"], &["-z"], &["-bz"], &["--tag", "-z"], &["--zero", "--text"]] {
            let arguments: Vec<OsString> = options.iter().map(OsString::from).chain([OsString::from("--")]).chain(odd_names()).collect();
            let sums = compare(&place, command, &arguments, b"");
            assert_eq!(sums.code, Some(0));
        }
    }
}

#[test]
fn what_cannot_be_read_is_told_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_odd_names();
    place.file("f", "abc");
    std::os::unix::fs::symlink("loop", place.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.join("dangling")).unwrap();
    let too_long = "n".repeat(300);
    for line in ["folder", "missing", "f missing plain", "f/below", "loop", "dangling folder f", "/", &too_long, "- f -", "-", "", "f f f"]
    {
        compare_line(&place, line);
    }
    compare(&place, "sha256sum", &[""], b"");
    compare(&place, "sha256sum", &["/dev/null", "/proc/self/status/x", "/proc/sys/kernel/ostype"], b"");
}

#[test]
fn names_in_messages_are_quoted_the_same() {
    if !is_here() {
        return;
    }
    let place = Place::new();
    let mut random = Random(1);
    let pieces: [&[u8]; 40] = [
        b"a",
        b"B",
        b"7",
        b" ",
        b"'",
        b"\"",
        b"\\",
        b"\n",
        b"\r",
        b"\t",
        b"\x01",
        b"\x7f",
        "é".as_bytes(),
        b"\xff",
        b"\xc3",
        b"#",
        b"~",
        b"{",
        b"}",
        b"=",
        b":",
        b"!",
        b"*",
        b"?",
        b"[",
        b"]",
        b"$",
        b"`",
        b"|",
        b"&",
        b";",
        b"<",
        b">",
        b"(",
        b")",
        b"^",
        b"%",
        b"@",
        b",",
        b"+",
    ];
    for locale in ["C.UTF-8", "C"] {
        for length in 1..5 {
            let names: Vec<_> = (0..400)
                .map(|_| OsString::from_vec((0..length).flat_map(|_| random.one_of(&pieces).to_vec()).collect()))
                .filter(|name| !is_misquoted(name))
                .collect();
            let theirs = outcome(place.command("sha256sum").env("LC_ALL", locale).arg("--").args(&names), b"");
            let ours = outcome(place.command(BINARY).env("LC_ALL", locale).arg0("sha256sum").arg("--").args(&names), b"");
            for (ours, theirs) in ours.stderr.lines().zip(theirs.stderr.lines()) {
                assert_eq!(ours, theirs, "in {locale}");
            }
            assert_eq!(ours, theirs);
        }
    }
}

/// Whether GNU 9.1 quotes `name` wrongly: it scans a name with a single quote twice, and the second scan begins as if it were in the
/// escapes that the first one ended in.
fn is_misquoted(name: &OsStr) -> bool {
    let last = name.as_bytes().last();
    name.as_bytes().contains(&b'\'') && last.is_some_and(|byte| byte.is_ascii_control() || !byte.is_ascii())
}

#[test]
fn usage_errors_are_told_the_same() {
    if !is_here() {
        return;
    }
    let place = Place::new();
    place.file("f", "abc").file("m", format!("{ABC_SHA256}  f\n"));
    let options = ["-b", "-c", "-t", "-w", "-z", "--ignore-missing", "--quiet", "--status", "--strict", "--tag"];
    for first in options {
        compare_line(&place, &format!("{first} f"));
        for second in options {
            compare_line(&place, &format!("{first} {second} m"));
            for third in ["-c", "--tag", "-t"] {
                compare_line(&place, &format!("{first} {second} {third} m"));
            }
        }
    }
    for line in [
        "--bogus",
        "--bogus=1 f",
        "-x",
        "-bx",
        "-xb",
        "-b=",
        "--check=3 m",
        "--ta f",
        "--t f",
        "--s f",
        "--st f",
        "--sta f",
        "--c m",
        "--z f",
        "--=x",
        "-- -f",
        "-- f -b",
        "f -b",
        "f --tag",
        "f -- --tag",
        "-ctz m",
        "-cw m",
        "-wc m",
        "--che m --qui",
        "--help=1",
        "f --bogus --help",
        "-zb f - f",
    ] {
        compare_line(&place, line);
    }
    compare(&place, "sha256sum", &[OsStr::from_bytes(b"-\xff")], b"");
    compare(&place, "sha256sum", &[OsStr::from_bytes(b"--\xff")], b"");
    let posix = |program: &str| outcome(place.command(program).arg0("sha256sum").env("POSIXLY_CORRECT", "1").args(["f", "-b"]), b"");
    assert_eq!(posix(BINARY), posix("sha256sum"));
}

#[test]
fn sums_of_odd_names_check_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_odd_names();
    for command in COMMANDS {
        for options in [&["--"][..], &["-b", "--"], &["--tag", "--"]] {
            let sums = place.command(command).args(options).args(odd_names()).output().unwrap();
            place.file("m", sums.stdout);
            let right = compare(&place, command, &["-c", "m"], b"");
            assert_eq!(right.code, Some(0), "{}", right.stderr);
        }
        place.file("plain", "changed").file("new\nline", "changed");
        fs::remove_file(place.join("two words")).unwrap();
        fs::remove_file(place.join("all\\\n\r")).unwrap();
        for line in [
            "-c m",
            "-c --quiet m",
            "-c --status m",
            "-c --ignore-missing m",
            "-cw --strict m",
            "-c m m",
            "-c --quiet --ignore-missing m missing m",
        ] {
            compare(&place, command, &line.split_whitespace().collect::<Vec<_>>(), b"");
        }
        for name in ["plain", "new\nline", "two words", "all\\\n\r"] {
            place.file(name, name);
        }
    }
}

/// Manifests damaged in every way we could think of; `H` is the right digest of `f`, `W` a wrong one.
const MANIFESTS: &[&str] = &[
    "",
    "\n",
    "# nothing\n",
    " # no comment\n",
    "garbage\n",
    "H\n",
    "H ",
    "H  ",
    "H  \n",
    "H   \n",
    "H  f",
    "H  f\n",
    "H *f\n",
    "H f\n",
    "H   f\n",
    "H\tf\n",
    "H\t f\n",
    "H \tf\n",
    "  \tH  f\n",
    "H  f\r\n",
    "H  f\r\r\n",
    "\r\nH  f\r\n",
    "#c\n\nH  f\n",
    "garbage\nH  f\n",
    "W  f\n",
    "garbage\nmore\nH  f\nW  f\nW  f\nH  missing\nH  missing too\nH  folder\n",
    "garbage\nH  f\nW  f\nH  missing\n",
    "H  missing\n",
    "W  f\nH  missing\n",
    "SHA256 (f) = H\n",
    "SHA256(f)= H\n",
    "SHA256(f)=H\n",
    "SHA256 (f)=H\n",
    "SHA256 (f)  =  H\n",
    "SHA256 (f)=\tH\n",
    " SHA256 (f) = H\n",
    "SHA1 (f) = H\n",
    "sha256 (f) = H\n",
    "SHA256  (f) = H\n",
    "SHA256\t(f) = H\n",
    "SHA256 (f) = H x\n",
    "SHA256 (f) = H \n",
    "SHA256 (f) x = H\n",
    "SHA256 (f)\n",
    "SHA256 (\n",
    "SHA256\n",
    "SHA256 ()= H\n",
    "SHA256 (a)b) = H\n",
    "SHA256 (f) = 00\n",
    "SHA256 (f) = H00\n",
    "SHA256 (f) = W\n",
    "\\SHA256 (a\\nb) = H\n",
    "\\SHA256 (a\\qb) = H\n",
    "\\SHA256 (f) = H\n",
    "\\H  f\n",
    "\\H  a\\\\b\n",
    "\\H  a\\q\n",
    "\\H  a\\\n",
    "\\H  a\\nb\n",
    "  \\H  f\n",
    "\\ H  f\n",
    "\\\\H  f\n",
    "\\W  a\\nb\n",
    "H  a\\nb\n",
    "H00  f\n",
    "0H  f\n",
    "Hg  f\n",
    "H f\nH  f\n",
    "H  f\nH f\n",
    "H f\nH *f\n",
    "H *f\nH f\nH f\n",
    "H  -\n",
    "H  f\nH  -\nW  -\n",
    "H  f\0g\n",
    "SHA256 (f\0g) = H\n",
    "SHA256 (f) = H\0g\n",
    "\\H  f\0\n",
    "H\0  f\n",
    "H  \0\n",
    "H  ./f\nH  folder/../f\n",
    "H  f/below\n",
    "H  folder/\n",
    "H  /dev/null\n",
];

fn manifest(template: &str) -> Vec<u8> {
    let wrong = ABC_SHA256.replace('a', "c");
    template.replace('W', &wrong).replace("SHA", "\x01").replace('H', ABC_SHA256).replace('\x01', "SHA").into_bytes()
}

#[test]
fn damaged_manifests_are_read_the_same() {
    if !is_here() {
        return;
    }
    let place = Place::new();
    place.file("f", "abc").file("a\nb", "abc").file("a\\b", "abc").file("good", format!("{ABC_SHA256}  f\n"));
    fs::create_dir(place.join("folder")).unwrap();
    let options =
        ["-c", "-cw", "-c --strict", "-cw --quiet", "-c --status", "-c --ignore-missing", "-c --ignore-missing --status -w --strict"];
    for template in MANIFESTS {
        let text = manifest(template);
        place.file("m", &text).file("m 2\n", &text);
        for options in options {
            compare(&place, "sha256sum", &options.split_whitespace().chain(["m"]).collect::<Vec<_>>(), b"abc");
        }
        compare(&place, "sha256sum", &["-cw"], &text);
        compare(&place, "sha256sum", &["-cw", "-", "m"], &text);
        compare(&place, "sha256sum", &["-cw", "good", "m 2\n", "missing", "folder", "good"], b"abc");
    }
    let upper = format!("{}  f\n", ABC_SHA256.to_uppercase());
    assert_eq!(compare(&place, "sha256sum", &["-c"], upper.as_bytes()).stdout, "f: OK\n");
}

#[test]
fn random_manifests_are_read_the_same() {
    if !is_here() {
        return;
    }
    let place = Place::new();
    place.file("f", "abc").file("a\nb", "abc").file("g\\h", "abc").file(" f", "abc").file("*f", "abc").file("f)", "abc");
    let mut random = Random(2);
    for _ in 0..300 {
        let mut template = String::new();
        for _ in 0..1 + random.below(5) {
            let start = random.one_of(&["", "", "", "", "\\", " ", "\t", "#", "\\\\", " \\"]);
            let name = random.one_of(&["f", "f", "f", " f", "*f", "f)", "a\\nb", "g\\h", "g\\\\h", "missing", "", "a b", "-"]);
            let digest = random.one_of(&["H", "H", "H", "H", "H", "W", "Hg", "0H", "00"]);
            let line = match random.below(3) {
                0 => {
                    let [tag, close, equals] =
                        [["SHA256 (", "SHA256(", "SHA256  (", "SHA1 ("], [")", ")", ")", ""], [" = ", "= ", "=", " ="]];
                    format!("{}{name}{}{}{digest}", random.one_of(&tag), random.one_of(&close), random.one_of(&equals))
                }
                _ => format!("{digest}{}{name}", random.one_of(&["  ", "  ", " *", " ", "\t", "   ", ""])),
            };
            template +=
                &format!("{start}{line}{}", random.one_of(&["\n", "\n", "\n", "\n", "\r\n", "\r\r\n", " \n", "\0\n", "\0x\n", "\n\n"]));
        }
        let options = random.one_of(&["-c", "-cw", "-cw --strict", "-c --quiet", "-c --status", "-cw --ignore-missing"]);
        place.file("m", manifest(&template));
        compare(&place, "sha256sum", &options.split_whitespace().chain(["m"]).collect::<Vec<_>>(), b"abc");
    }
}

#[test]
fn openssl_names_the_algorithm_its_own_way() {
    // GNU 9.1 reads `SHA256(f)= `, which older releases of OpenSSL write; we read what newer ones write too.
    let place = Place::new();
    place.file("f", "abc").file("m", format!("SHA2-256(f)= {ABC_SHA256}\n"));
    assert_eq!(place.run("sha256sum -c m").stdout, "f: OK\n");
    assert_eq!(place.run("sha512sum -c m").code, Some(1));
}

#[test]
fn a_link_and_an_argument_call_the_same() {
    let place = Place::new();
    place.file("f", "abc");
    for command in COMMANDS {
        let link = place.join(command);
        std::os::unix::fs::symlink(BINARY, &link).unwrap();
        let by_link = outcome(place.command(&link).args(["f", "missing"]), b"");
        let by_argument = place.run(&format!("{command} f missing"));
        assert_eq!(by_link.stdout, by_argument.stdout);
        assert_eq!(by_argument.stderr, format!("{command}: missing: No such file or directory\n"));
        assert_eq!(by_link.stderr, by_argument.stderr.replace(command, link.to_str().unwrap()));
        assert_eq!(by_link.code, Some(1));
        for option in ["--help", "--version"] {
            let text = place.run(&format!("{command} {option}"));
            assert!(text.code == Some(0) && text.stdout.contains(command) && text.stderr.is_empty(), "{text:?}");
        }
    }
}

/// Marsaglia's xorshift: the same cases in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
