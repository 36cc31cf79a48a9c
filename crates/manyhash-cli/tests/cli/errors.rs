//! Errors of single system calls, at random: no panic, no wrong digest, and no success that is none.
//!
//! MANYHASH_TEST_CASES=n tries n, and MANYHASH_TEST_SEED=seed repeats one.

#![cfg(target_os = "linux")]

use crate::cache::tree;
use crate::kills::{calls, traced, tracer};
use crate::random::Random;
use crate::support::{ABC_SHA256, Outcome, Place, outcome, pattern};
use std::collections::BTreeMap;
use std::fs;

/// The calls that a file, a disk or a limit may make fail.
const CALLS: &[&str] = &[
    "clone3",
    "copy_file_range",
    "fallocate",
    "fchmod",
    "fcntl",
    "fdatasync",
    "fstat",
    "fsync",
    "ftruncate",
    "getdents64",
    "ioctl",
    "linkat",
    "lseek",
    "mincore",
    "newfstatat",
    "openat",
    "pread64",
    "pwrite64",
    "read",
    "readlink",
    "rename",
    "statfs",
    "statx",
    "unlink",
    "write",
];

const ERRORS: &[&str] = &["EACCES", "EDQUOT", "EIO", "EINTR", "EINVAL", "EMFILE", "ENOENT", "ENOMEM", "ENOSPC", "EPERM", "EROFS", "ESTALE"];

const FORMAT: &str = "verity format --salt aa --uuid 00000000-0000-4000-8000-000000000000 --data-block-size 512 --hash-block-size 512";

/// What must hold of a run, whichever call failed.
enum Right {
    /// Its lines are some of these, and all of them if it succeeds.
    Lines(String),
    /// It does not succeed.
    Refused,
    /// It makes this file, or leaves what was there before, and says when it does not make it.
    Makes(&'static str, Vec<u8>),
}

struct Attacked {
    arguments: String,
    right: Right,
    calls: Vec<(String, usize)>,
}

/// Returns what is attacked, in a place with all that it needs.
fn attacked(place: &Place) -> Vec<Attacked> {
    let plain = place.run("sum -r t").stdout;
    place.file("sums", &plain).file("wrong", format!("{plain}{ABC_SHA256}  t/00001\n"));
    place.file("data", pattern(300 * 512)).file("large", pattern(1 << 20));
    let mut changed = pattern(300 * 512);
    changed[77_777] ^= 1;
    place.file("changed", changed);
    let report = place.run(&format!("{FORMAT} data h"));
    let root = report.stdout.lines().find_map(|line| line.strip_prefix("Root hash:")).unwrap().trim().to_string();
    let whole = fs::read(place.join("h")).unwrap();
    let ok = plain.lines().map(|line| line.split_once("  ").unwrap().1.to_string() + ": OK\n").collect();
    let mut all = vec![
        ("sum -j 2 -r t".into(), Right::Lines(plain.clone())),
        ("sum -j 1 -r t".into(), Right::Lines(plain.clone())),
        ("sum large".into(), Right::Lines(place.run("sum large").stdout)),
        ("sum -j 2 --cache c -r t".into(), Right::Lines(plain.clone())),
        ("sum -j 2 --cache known -r t".into(), Right::Lines(plain.clone())),
        ("sum -j 2 -r -o out t".into(), Right::Makes("out", plain.into_bytes())),
        ("check sums".into(), Right::Lines(ok)),
        ("check --status wrong".into(), Right::Refused),
        ("sha256sum -c --status wrong".into(), Right::Refused),
        (format!("{FORMAT} data hash"), Right::Makes("hash", whole)),
        (format!("verity verify data h {root}"), Right::Lines(String::new())),
        (format!("verity verify changed h {root}"), Right::Refused),
    ];
    for mode in ["j-lanes", "fs-verity", "dm-verity --salt -", "s3"] {
        let line = format!("tree {mode} large");
        all.push((line.clone(), Right::Lines(place.run(&line).stdout)));
    }
    let Some(strace) = tracer() else { return Vec::new() };
    let with_calls = |(arguments, right): (String, Right)| {
        prepare(place);
        outcome(&mut traced(&strace, place, &[], &arguments), b"");
        let calls: BTreeMap<String, usize> = calls(place);
        let calls = calls.into_iter().filter(|(name, _)| CALLS.contains(&name.as_str())).collect();
        Attacked { arguments, right, calls }
    };
    all.into_iter().map(with_calls).collect()
}

fn prepare(place: &Place) {
    for name in ["c", "c-wal", "known", "known-wal", "hash"] {
        let _ = fs::remove_file(place.join(name));
    }
    let _ = fs::copy(place.join("kept"), place.join("known"));
    place.file("out", "old");
}

/// Returns whether the program was not started at all: its libraries could not be read, or the
/// system gave what Rust needs before `main`.
fn is_not_started(run: &Outcome) -> bool {
    run.stdout.is_empty() && run.code == Some(127)
}

#[test]
fn an_error_of_any_call_is_told_or_makes_no_difference() {
    let Some(place) = tree(30) else { return };
    place.run("sum --cache kept -r t");
    let attacked = attacked(&place);
    let Some(strace) = tracer() else { return };
    let (mut cases, mut told) = (0, 0);
    for mut random in Random::of_cases(100) {
        let Attacked { arguments, right, calls } = &attacked[random.below(attacked.len())];
        let (name, times) = &calls[random.below(calls.len())];
        let error = random.one_of(ERRORS);
        let time = 1 + random.below(*times);
        // The C library takes that for a folder that was removed, and is empty.
        if (name.as_str(), error) == ("getdents64", "ENOENT") {
            continue;
        }
        // A call that is interrupted is made again.
        let and_later = if error != "EINTR" && random.below(4) == 0 { "+" } else { "" };
        let inject = format!("inject={name}:error={error}:when={time}{and_later}");
        prepare(&place);
        let mut command = traced(&strace, &place, &["-e", &format!("trace={name}"), "-e", &inject], arguments);
        let run = outcome(&mut command, b"");
        if is_not_started(&run) {
            continue;
        }
        let what = format!("{arguments}, {inject}: {:?}\n{}\n{}", run.code, run.stderr, run.stdout);
        assert!(matches!(run.code, Some(0..=2)) && !run.stderr.contains("panicked"), "{what}");
        match right {
            Right::Lines(lines) => {
                let mut left = lines.split_inclusive('\n');
                let mut is_right = |line: &str| {
                    [": FAILED open or read\n", ": MISSING\n"].iter().any(|end| line.ends_with(end)) || left.any(|right| right == line)
                };
                let is_part = run.stdout.split_inclusive('\n').all(&mut is_right);
                assert!(is_part, "{what}");
                assert!(run.code != Some(0) || run.stdout == *lines, "{what}");
            }
            Right::Refused => assert_ne!(run.code, Some(0), "{what}"),
            Right::Makes(name, content) => {
                let found = fs::read(place.join(name)).ok();
                let is_made = found.as_ref() == Some(content);
                let was_there = (*name == "out").then_some(&b"old"[..]);
                // Files that could not be read are missing in an output.
                let mut left = content.split_inclusive(|byte| *byte == b'\n');
                let found_lines = found.as_deref().unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
                let is_part = *name == "out" && found_lines.into_iter().all(|line| left.any(|right| right == line));
                assert!(is_made || run.code != Some(0) && (found.as_deref() == was_there || is_part), "{what}");
            }
        }
        // What cannot be written is not said.
        let is_mute = name == "write" || arguments.contains("--status");
        assert!(run.code == Some(0) || !run.stderr.is_empty() || is_mute, "{what}");
        if arguments.contains("--cache") {
            let next = place.run(arguments);
            assert_eq!((next.stdout, next.stderr.as_str(), next.code), (place.run("sum -r t").stdout, "", Some(0)), "after {what}");
        }
        cases += 1;
        told += usize::from(run.code != Some(0));
    }
    println!("{cases} errors, {told} of them told");
}
