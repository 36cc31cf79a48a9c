//! Names never reach a terminal raw, because one could hide what is said of it.

#![cfg(target_os = "linux")]

use crate::support::{BINARY, Outcome, Place, outcome, peer, text_of};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Names that would affect a terminal.
const NAMES: [&[u8]; 9] = [
    b"a\x1b[2K\x1b[1Ga: OK\x1b[8m",
    "b\u{202e}cod.exe".as_bytes(),
    "c\u{9b}2K".as_bytes(),
    b"d\x7f\x08",
    b"e\rf",
    b"f\t\x07",
    b"g\xff\x9b",
    "h\u{2028}\u{200f}\u{2066}".as_bytes(),
    b"i\nj",
];

/// Creates files of these names, manifests of them, and copies of them.
fn place() -> Place {
    let place = Place::new();
    for (index, name) in NAMES.iter().enumerate() {
        let name = OsStr::from_bytes(name);
        place.file(name, [index as u8; 2000]);
        place.file(std::path::Path::new("t").join(name).join("copy"), [index as u8; 2000]);
    }
    place
}

/// Returns what `command`, in which `$M` is the binary, prints on a terminal that knows colours.
fn on_a_terminal(place: &Place, command: &str) -> Option<String> {
    let script = peer("script")?;
    let Outcome { stdout, .. } =
        outcome(place.command(script).args(["-qec", command, "/dev/null"]).env("M", BINARY).env("TERM", "xterm"), b"");
    Some(stdout.replace("\r\n", "\n"))
}

#[test]
fn names_do_nothing_to_a_terminal() {
    let place = place();
    // The manifests are beside the folder, because in it they would be hashed too.
    let manifests = Place::new();
    for (name, command) in
        [("sums", "sum -r ."), ("json", "sum --json -r ."), ("tagged", "sum --tag -r ."), ("part", "sum -r t"), ("odd", "sha256sum -b")]
    {
        let mut run = place.command(BINARY);
        run.args(command.split(' '));
        if name == "odd" {
            run.args(NAMES.map(OsStr::from_bytes));
        }
        let sums = run.output().unwrap();
        assert!(sums.status.success(), "{name}");
        manifests.file(name, sums.stdout);
    }
    manifests.file("data", [0; 8192]);
    let commands = [
        "sum -r .",
        "sum --json -r .",
        "sum --tag -r .",
        "sum -z -r .",
        "sum -r . -o /dev/tty",
        "sum -r . -o /dev/stdout",
        "check P-sums",
        "check P-json",
        "check --json P-tagged",
        "check --audit -C . P-part",
        "check --audit --json -C . P-part",
        "sha256sum -c P-odd",
        "dups .",
        "dups -z .",
        "dups --json .",
        "dups --chunks fixed:512 --depth 3 .",
        "dups --chunks fixed:512 --depth 3 --json .",
        "tree j-lanes *",
        "tree j-pointers *",
        "tree s3 *",
        "tree glacier *",
        "tree fs-verity *",
        "tree bittorrent-v2 *",
        "tree bittorrent-v2 --json *",
        "sum --files-from P-odd",
        "verity format --salt - P-data P-hash",
        "sum x* missing*",
    ];
    for command in commands {
        // Messages go through a file, because progress would be shown on a terminal.
        let command = format!("$M {command} 2>P-messages; cat P-messages")
            .replace("$M check", "$M check --color never")
            .replace("P-", &format!("{}/", manifests.path().display()));
        let Some(shown) = on_a_terminal(&place, &command) else { return };
        assert!(shown.len() > 30, "{command}: {shown}");
        let harmful = |character: char| {
            (character.is_control() && !matches!(character, '\n' | '\t' | '\0'))
                || matches!(character, '\u{2028}' | '\u{202e}' | '\u{200f}' | '\u{2066}' | '\u{f700}'..='\u{f7ff}')
        };
        let found: Vec<_> = shown.lines().filter(|line| line.contains(harmful)).collect();
        assert!(found.is_empty(), "{command}: {found:?}");
        // Reports have tabs.
        assert!(!shown.contains("\\u0009"), "{command}: {shown:?}");
    }
}

#[test]
fn a_drop_in_has_its_sums_as_gnu_has_them_on_a_terminal_too() {
    let place = Place::new();
    place.file(OsStr::from_bytes(NAMES[0]), "");
    for command in ["$M sha256sum *", "sha256sum *"] {
        let Some(shown) = on_a_terminal(&place, command) else { return };
        assert!(shown.ends_with(&format!("  {}\n", text_of(NAMES[0].to_vec()))), "{command}: {shown:?}");
    }
}

#[test]
fn a_name_cannot_say_of_itself_that_it_is_right() {
    let place = Place::new();
    let name = OsStr::from_bytes(NAMES[0]);
    place.file(name, "abc");
    let sums = outcome(place.command(BINARY).arg("sum").arg(name), b"").stdout;
    place.file("sums", sums);
    std::fs::remove_file(place.join(name)).unwrap();
    let name = "'a'$'\\033''[2K'$'\\033''[1Ga: OK'$'\\033''[8m'";
    for (command, what) in [("check --color never", "MISSING"), ("sha256sum -c", "FAILED open or read")] {
        let expected = format!("{name}: {what}\n");
        // As in 9.11, names are quoted on a terminal and elsewhere.
        assert_eq!(place.run(&format!("{command} sums")).stdout, expected);
        let Some(shown) = on_a_terminal(&place, &format!("$M {command} sums 2>/dev/null")) else { return };
        assert_eq!(shown, expected, "{command}");
    }
}

#[test]
fn who_has_to_type_standard_input_is_told() {
    let place = Place::new();
    for command in ["sum", "sum -", "check -", "tree j-lanes"] {
        // Nobody types anything: a terminal at its end.
        let Some(shown) = on_a_terminal(&place, &format!("$M {command} 2>&1")) else { return };
        assert!(shown.contains("manyhash: reading standard input\n"), "{command}: {shown:?}");
    }
    for command in ["$M sha256sum", "echo | $M sum", "$M sum --files-from - </dev/null"] {
        let Some(shown) = on_a_terminal(&place, &format!("{command} 2>&1")) else { return };
        assert!(!shown.contains("reading"), "{command}: {shown:?}");
    }
}

#[test]
fn verdicts_have_colours_on_a_terminal_and_nowhere_else() {
    let place = Place::new();
    place.file("t/a", "a").file("t/b", "b").file("t/c", "c").file("t/d", "d");
    place.run("sum -r -o sums t");
    std::fs::rename(place.join("t/b"), place.join("t/moved")).unwrap();
    std::fs::remove_file(place.join("t/c")).unwrap();
    place.file("t/d", "changed").file("t/new", "");
    let coloured = "t/a: \x1b[32mOK\x1b[0m\nt/d: \x1b[31mFAILED\x1b[0m\nt/b: \x1b[33mMOVED\x1b[0m to t/moved\n\
         t/new: \x1b[33mNOT LISTED\x1b[0m\nt/c: \x1b[33mMISSING\x1b[0m\n";
    let summary = "manyhash: \x1b[1m1 file OK, 1 FAILED, 1 missing, 1 moved, 1 not listed (";
    let plain = |text: &str| {
        ["\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"].iter().fold(text.to_string(), |text, code| text.replace(code, ""))
    };
    let expected = plain(coloured);
    assert_eq!(place.run("check --audit sums").stdout, expected);
    let always = place.run("check --audit --color always sums");
    assert_eq!(always.stdout, coloured);
    assert!(always.stderr.contains(summary), "{:?}", always.stderr);
    assert!(!place.run("check --audit --color always --json sums").stdout.contains('\x1b'));
    assert_eq!(place.run("check --color maybe sums").code, Some(2));
    for (command, has_colours) in [
        ("$M check --audit sums", true),
        ("$M --color auto check --audit sums", true),
        ("NO_COLOR= $M check --audit sums", true),
        ("NO_COLOR=1 $M check --audit sums", false),
        ("NO_COLOR=1 $M check --audit --color=always sums", true),
        ("TERM=dumb $M check --audit sums", false),
        ("$M check --audit --color never sums", false),
    ] {
        let Some(shown) = on_a_terminal(&place, &format!("{command} --progress never 2>/dev/null")) else { return };
        assert_eq!(shown, if has_colours { coloured } else { &expected }, "{command}");
        let Some(shown) = on_a_terminal(&place, &format!("{command} --progress never 2>&1 >/dev/null")) else { return };
        assert_eq!(shown.contains(summary), has_colours, "{command}: {shown:?}");
        let Some(shown) = on_a_terminal(&place, &format!("{command} --bogus")) else { return };
        assert_eq!(shown.contains('\x1b'), has_colours, "{command}: {shown:?}");
    }
    let Some(shown) = on_a_terminal(&place, "$M sha256sum -c sums") else { return };
    assert!(!shown.contains('\x1b'), "{shown:?}");
}
