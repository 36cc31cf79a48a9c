//! Options that are repeated, shortened, ambiguous, contradicting or unknown.

use super::{compare, compare_line, is_here, ours, theirs};
use crate::support::{ABC_SHA256, Place, outcome};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

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
        "--bin f",
        "--tex f",
        "--zer f",
        "--i f",
        "--q f",
        "--w f",
        "--stat f",
        "--stri f",
        "--version=1",
        "--he=1",
        "--b= f",
        "--tag= f",
        "--s=1 f",
        "--t=x f",
        "--st=x f",
        "-cc m",
        "--check --check m",
        "--tag --tag f",
        "-zz f",
        "-btb f",
        "--check --status --warn m",
        "--check --warn --quiet --status m",
        "--check --status --quiet m",
        "-",
        "- -",
        "-c - -",
        "-c - m",
        "---",
        "--- f",
        "-- --",
        "-c --",
        "-c -- -- m",
        "--= f",
        "-b- f",
        "-1",
    ] {
        compare_line(&place, line);
    }
    compare(&place, "sha256sum", &[OsStr::from_bytes(b"-\xff")], b"");
    compare(&place, "sha256sum", &[OsStr::from_bytes(b"--\xff")], b"");
    for line in ["f -b", "-b f -z", "f -- -b", "-- f -b", "- -b f", "-b -- -b"] {
        let posix = |command: &mut Command| outcome(command.env("POSIXLY_CORRECT", "").args(line.split(' ')), b"abc");
        assert_eq!(posix(&mut ours(&place, "sha256sum")), posix(&mut theirs(&place, "sha256sum")), "{line}");
    }
}
