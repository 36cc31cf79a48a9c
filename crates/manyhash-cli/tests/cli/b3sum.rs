//! `b3sum`. What the command of BLAKE3's authors printed (release 1.8.7) is what is expected here.

use crate::support::{BINARY, Outcome, Place, outcome};
use manyhash::blake3::Mode;
use std::os::unix::process::CommandExt;

const ABC: &str = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
const EMPTY: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

fn place() -> Place {
    let place = Place::new();
    place.file("f", "abc").file("e", "").file("new\nline", "abc");
    place
}

fn b3sum(place: &Place, line: &str, stdin: &[u8]) -> Outcome {
    outcome(place.command(BINARY).arg0("b3sum").args(line.split_whitespace()), stdin)
}

#[test]
fn hashes_are_printed_in_each_form() {
    let place = place();
    for (line, expected) in [
        ("f e", format!("{ABC}  f\n{EMPTY}  e\n")),
        ("--tag f", format!("BLAKE3 (f) = {ABC}\n")),
        ("--no-names f e", format!("{ABC}\n{EMPTY}\n")),
        ("-l 4 f", format!("{}  f\n", &ABC[..8])),
        ("--seek 2 --length=2 --tag f", format!("BLAKE3 (f) = {}\n", &ABC[4..8])),
        ("-l 0 f", "  f\n".to_string()),
        ("", format!("{ABC}  -\n")),
        ("f -", format!("{ABC}  f\n{ABC}  -\n")),
        ("--num-threads 1 --no-mmap f", format!("{ABC}  f\n")),
    ] {
        let b3sum = b3sum(&place, line, b"abc");
        assert_eq!((b3sum.stdout.as_str(), b3sum.stderr.as_str(), b3sum.code), (expected.as_str(), "", Some(0)), "{line}");
    }
    let names = |options: &[&str]| outcome(place.command(BINARY).arg("b3sum").args(options).arg("new\nline"), b"").stdout;
    assert_eq!(names(&[]), format!("\\{ABC}  new\\nline\n"));
    assert_eq!(names(&["--tag"]), format!("\\BLAKE3 (new\\nline) = {ABC}\n"));
    assert_eq!(names(&["-l", "1"]), format!("\\{}  new\\nline\n", &ABC[..2]));
    let raw = place.command(BINARY).args(["b3sum", "--raw", "-l", "70000", "f"]).output().unwrap();
    assert_eq!(raw.stdout, Mode::plain().output_many(&["abc"], 70_000));
}

#[test]
fn keys_and_contexts() {
    let place = place();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let keyed = b3sum(&place, "--keyed f e", &[7; 32]);
    let expected = Mode::keyed(&[7; 32]).hash_many(&["abc", ""]);
    assert_eq!(keyed.stdout, format!("{}  f\n{}  e\n", hex(&expected[0]), hex(&expected[1])));
    let derived = b3sum(&place, "--derive-key a-context -l 40 f", b"");
    assert_eq!(derived.stdout, format!("{}  f\n", hex(&Mode::derive_key("a-context").output_many(&["abc"], 40))));
    for (length, has) in [(0, "0"), (31, "31"), (33, "33 or more"), (100, "33 or more")] {
        let wrong = b3sum(&place, "--keyed f", &vec![7; length]);
        let expected = format!("b3sum: --keyed: a key has 32 bytes, and standard input has {has}\n");
        assert_eq!((wrong.stdout.as_str(), wrong.stderr, wrong.code), ("", expected, Some(1)));
    }
    let spent = b3sum(&place, "--keyed - f", &[7; 32]);
    assert_eq!((spent.stdout.lines().count(), spent.stderr.as_str()), (1, "b3sum: -: standard input was the key\n"));
    assert_eq!(spent.code, Some(1));
}

#[test]
fn lists_are_checked() {
    let place = place();
    let list = b3sum(&place, "f e", b"").stdout + &b3sum(&place, "--tag f", b"").stdout;
    place.file("list", &list);
    let check = b3sum(&place, "-c list", b"");
    assert_eq!((check.stdout.as_str(), check.stderr.as_str(), check.code), ("f: OK\ne: OK\nf: OK\n", "", Some(0)));
    assert_eq!(b3sum(&place, "--check --quiet", list.as_bytes()).stdout, "");
    place.file("wrong", format!("{EMPTY}  f\n{list}"));
    let check = b3sum(&place, "-c wrong --quiet", b"");
    assert_eq!((check.stdout.as_str(), check.code), ("f: FAILED\n", Some(1)));
    assert_eq!(check.stderr, "b3sum: WARNING: 1 computed checksum did NOT match\n");
    place.file("malformed", format!("{list}00  f\n"));
    let check = b3sum(&place, "-c malformed", b"");
    assert_eq!((check.stdout.as_str(), check.code), ("f: OK\ne: OK\nf: OK\n", Some(1)));
    assert!(check.stderr.starts_with("b3sum: malformed: 4: improperly formatted BLAKE3 checksum line\n"), "{}", check.stderr);
    assert_eq!(b3sum(&place, "-c missing", b"").code, Some(1));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = place();
    for (line, message) in [
        ("--raw f e", "b3sum: --raw: the bytes of one file only, because nothing would say where those of the next begin\n"),
        ("--seek 18446744073709551615 f", "b3sum: --seek and --length: the output of BLAKE3 has less than 2^64 bytes\n"),
    ] {
        let refused = b3sum(&place, line, b"");
        assert_eq!((refused.stdout.as_str(), refused.stderr.as_str(), refused.code), ("", message, Some(2)), "{line}");
    }
    for line in
        ["--keyed --derive-key x f", "-c --tag f", "-c -l 8 f", "-c --keyed f", "--quiet f", "-l x f", "--num-threads x f", "--bogus"]
    {
        let refused = b3sum(&place, line, b"");
        assert!(refused.code == Some(2) && refused.stderr.contains("--help"), "{line}: {refused:?}");
    }
    let missing = b3sum(&place, "missing f", b"");
    assert_eq!((missing.stdout, missing.stderr.as_str()), (format!("{ABC}  f\n"), "b3sum: missing: No such file or directory\n"));
    assert_eq!(missing.code, Some(1));
}

#[test]
fn sm3sum_is_used_as_sha256sum_is() {
    let place = place();
    let sums = outcome(place.command(BINARY).arg0("sm3sum").args(["f", "--tag"]), b"").stdout;
    assert_eq!(sums, "SM3 (f) = 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0\n");
    place.file("list", &sums);
    assert_eq!(outcome(place.command(BINARY).args(["sm3sum", "-c", "list"]), b"").stdout, "f: OK\n");
}
