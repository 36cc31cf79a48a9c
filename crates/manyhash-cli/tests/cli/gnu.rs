//! The drop-ins against GNU coreutils' commands on this machine, which must have the same bytes on
//! stdout and stderr and the same exit code.

mod cksum;
mod options;
mod quotes;
mod random;
mod streams;

use self::quotes::quoted_since_9_11;
use crate::random::Random;
use crate::support::{ABC_SHA256, BINARY, Outcome, Place, outcome, skipped};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

const COMMANDS: [&str; 7] = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"];

/// Returns GNU's command of this name: in PATH, or in the folder that MANYHASH_TEST_COREUTILS names
/// (a release's `src`, once built).
fn theirs(place: &Place, command: &str) -> Command {
    let mut theirs = match std::env::var_os("MANYHASH_TEST_COREUTILS") {
        Some(folder) => place.command(std::path::Path::new(&folder).join(command)),
        None => place.command(command),
    };
    theirs.arg0(command);
    theirs
}

fn ours(place: &Place, command: &str) -> Command {
    let mut ours = place.command(BINARY);
    ours.arg0(command);
    ours
}

fn release() -> Option<u32> {
    static RELEASE: OnceLock<Option<u32>> = OnceLock::new();
    *RELEASE.get_or_init(|| {
        let version = theirs(&Place::new(), "sha256sum").arg("--version").output().ok()?.stdout;
        let version = String::from_utf8_lossy(&version).lines().next()?.to_string();
        version.split_once("(GNU coreutils) 9.")?.1.parse().ok()
    })
}

/// Whether the real commands are here, in a release that CHECK.md covers.
fn is_here() -> bool {
    let is_here = release().is_some_and(|release| (1..=11).contains(&release));
    if !is_here {
        skipped("no sha256sum of GNU coreutils 9.1 to 9.11 on this machine");
    }
    is_here
}

/// Whether GNU's commands read a NUL in a line as ours do. Since 9.2 it ends a digest elsewhere.
fn reads_nul_as_9_1() -> bool {
    release() < Some(2)
}

/// Runs GNU's command and ours by the same name, and compares them.
fn compare(place: &Place, command: &str, arguments: &[impl AsRef<OsStr>], stdin: &[u8]) -> Outcome {
    let mut theirs = outcome(theirs(place, command).args(arguments), stdin);
    let ours = outcome(ours(place, command).args(arguments), stdin);
    if let (true, Some(release @ ..11)) = (ours.stdout != theirs.stdout, release()) {
        theirs.stdout = quoted_since_9_11(&theirs.stdout, &ours.stdout, release);
    }
    // The newest release refuses these options in either order, the others only in one.
    if release() >= Some(10) && has_tag_and_text(arguments) {
        return ours;
    }
    let line: Vec<_> = arguments.iter().map(|argument| argument.as_ref().as_bytes().escape_ascii().to_string()).collect();
    assert_eq!(ours, theirs, "ours (left) differs from GNU's: {command} {}", line.join(" "));
    ours
}

fn has_tag_and_text(arguments: &[impl AsRef<OsStr>]) -> bool {
    let any = |is: fn(&str) -> bool| arguments.iter().filter_map(|argument| argument.as_ref().to_str()).any(is);
    let is_short = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('t');
    any(|text| text.starts_with("--ta")) && (any(|text| text.starts_with("--te")) || any(is_short))
}

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
    let mut random = Random::new(1);
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
            let theirs = outcome(theirs(&place, "sha256sum").env("LC_ALL", locale).arg("--").args(&names), b"");
            let ours = outcome(ours(&place, "sha256sum").env("LC_ALL", locale).arg("--").args(&names), b"");
            for (ours, theirs) in ours.stderr.lines().zip(theirs.stderr.lines()) {
                assert_eq!(ours, theirs, "in {locale}");
            }
            assert_eq!(ours, theirs);
            check_quotes_as_messages(&place, locale, &names, &theirs.stderr);
        }
    }
}

/// Compares what `-c` prints of missing files. Since 9.11 names are quoted as in messages, so the
/// messages of any release say how.
fn check_quotes_as_messages(place: &Place, locale: &str, names: &[OsString], messages: &str) {
    let escape = |&byte: &u8| match byte {
        b'\\' => b"\\\\".to_vec(),
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        _ => vec![byte],
    };
    let line = |name: &OsString| {
        [b"\\", ABC_SHA256.as_bytes(), b"  ", &name.as_bytes().iter().flat_map(escape).collect::<Vec<_>>(), b"\n"].concat()
    };
    let manifest: Vec<u8> = names.iter().flat_map(line).collect();
    let ours = outcome(ours(place, "sha256sum").env("LC_ALL", locale).args(["-c"]), &manifest);
    let expected: String = messages
        .lines()
        .map(|message| message.strip_prefix("sha256sum: ").unwrap().strip_suffix(": No such file or directory").unwrap())
        .map(|quoted| format!("{quoted}: FAILED open or read\n"))
        .collect();
    assert_eq!(ours.stdout, expected, "in {locale}");
}

/// Whether GNU 9.1 quotes `name` wrongly. It scans a name with a single quote twice, and the second
/// scan begins as if it were in the escapes that the first one ended in.
fn is_misquoted(name: &OsStr) -> bool {
    let last = name.as_bytes().last();
    name.as_bytes().contains(&b'\'') && last.is_some_and(|byte| byte.is_ascii_control() || !byte.is_ascii())
}

#[test]
fn sums_of_odd_names_check_the_same() {
    if !is_here() {
        return;
    }
    let place = place_of_odd_names();
    for command in COMMANDS {
        for options in [&["--"][..], &["-b", "--"], &["--tag", "--"]] {
            let sums = theirs(&place, command).args(options).args(odd_names()).output().unwrap();
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

/// Manifests damaged in every way we could think of. `H` is `f`'s digest, `W` a wrong one.
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
    for template in MANIFESTS.iter().filter(|template| reads_nul_as_9_1() || !template.contains('\0')) {
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
fn openssl_names_the_algorithm_its_own_way() {
    // GNU 9.1 reads `SHA256(f)= ` of older releases of OpenSSL. Ours reads newer ones' too.
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
