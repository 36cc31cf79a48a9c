//! `manyhash sum --files-from`.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Place};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn place() -> Place {
    let place = Place::new();
    place.file("a", "abc").file("b c", "").file("t/d", "abc").file("t/e", "abc").file("new\nline", "abc");
    place
}

#[test]
fn names_in_a_list_are_like_arguments() {
    let place = place();
    place.file("list", "b c\nt\nmissing\n./a\nb c").file("empty", "");
    let sum = place.run("sum --files-from list a");
    assert_eq!(sum.stdout, format!("{ABC_SHA256}  a\n{EMPTY_SHA256}  b c\n{ABC_SHA256}  ./a\n{EMPTY_SHA256}  b c\n"));
    assert_eq!(sum.stderr, "manyhash: t: Is a directory; -r hashes what is in it\nmanyhash: missing: No such file or directory\n");
    assert_eq!(sum.code, Some(1));
    let folders = place.run("sum -r --exclude e --files-from list");
    assert_eq!(folders.stdout, format!("{EMPTY_SHA256}  b c\n{ABC_SHA256}  t/d\n{ABC_SHA256}  ./a\n{EMPTY_SHA256}  b c\n"));
    // An empty list means no files, so standard input is not read.
    let empty = place.run_with("sum --files-from empty", b"abc");
    assert_eq!((empty.stdout.as_str(), empty.stderr.as_str(), empty.code), ("", "", Some(0)));
}

#[test]
fn a_list_may_be_standard_input_and_end_names_with_nul() {
    let place = place();
    assert_eq!(place.run_with("sum --files-from -", b"a\n").stdout, format!("{ABC_SHA256}  a\n"));
    for option in ["-0", "--null"] {
        let sum = place.run_with(&format!("sum {option} -z --files-from -"), b"new\nline\0b c\0");
        assert_eq!((sum.stdout, sum.code), (format!("{ABC_SHA256}  new\nline\0{EMPTY_SHA256}  b c\0"), Some(0)));
    }
    // In a list that is a file, `-` is standard input.
    place.file("list", "-\na\n");
    assert_eq!(place.run_with("sum --files-from list", b"").stdout, format!("{EMPTY_SHA256}  -\n{ABC_SHA256}  a\n"));
}

#[test]
fn what_is_no_name_is_told_with_its_position_and_the_rest_is_hashed() {
    let place = place();
    let long = "x".repeat(100_000);
    place.file("list", format!("a\n\n{long}\na\0b\nt/d\n"));
    let sum = place.run("sum --files-from list");
    assert_eq!(sum.stdout, format!("{ABC_SHA256}  a\n{ABC_SHA256}  t/d\n"));
    assert_eq!(
        sum.stderr,
        "manyhash: list: 2: empty name\nmanyhash: list: 3: name too long\n\
         manyhash: list: 4: name with a NUL; --null is for names that end with one\n"
    );
    assert_eq!(sum.code, Some(1));
    let dash = place.run_with("sum --files-from -", b"a\n-\n");
    assert_eq!((dash.stdout, dash.code), (format!("{ABC_SHA256}  a\n"), Some(1)));
    assert!(dash.stderr.starts_with("manyhash: -: 2: "), "{}", dash.stderr);
}

#[test]
fn a_list_that_cannot_be_read_is_told() {
    let place = place();
    for (list, reason) in [("missing", "No such file or directory"), ("t", "Is a directory")] {
        let sum = place.run(&format!("sum --files-from {list}"));
        assert_eq!((sum.stdout.as_str(), sum.stderr, sum.code), ("", format!("manyhash: {list}: {reason}\n"), Some(1)));
    }
    assert_eq!(place.run("sum -0 a").code, Some(2));
    let both = place.run("sum --files-from - -");
    assert_eq!((both.code, both.stdout.as_str()), (Some(2), ""));
    assert!(both.stderr.contains("standard input"), "{}", both.stderr);
    fs::write(place.join("list"), "a\n").unwrap();
    assert_eq!(place.run("sum -o no/out --files-from list").stderr, "manyhash: no/out: No such file or directory\n");
}

#[test]
fn a_file_is_hashed_before_the_list_goes_on() {
    let place = place();
    let mut command = place.command(BINARY);
    let mut child = command.args(["sum", "--files-from", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    for name in ["a", "t/d", "t/e"] {
        list.write_all(format!("{name}\n").as_bytes()).unwrap();
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{ABC_SHA256}  {name}\n"));
    }
    drop(list);
    assert!(child.wait().unwrap().success());
}
