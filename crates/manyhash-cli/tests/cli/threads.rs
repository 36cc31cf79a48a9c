//! Few threads or none: the calling thread does the work, and nothing else differs.

#![cfg(target_os = "linux")]

use crate::faults;
use crate::support::{BINARY, Outcome, Place, outcome, pattern};
use std::fs;
use std::process::Command;
use std::time::Duration;

/// Creates files of many sizes, one of them too large for any buffer, and manifests of them.
fn place() -> Place {
    let place = Place::new();
    for index in 0..70 {
        place.file(format!("t/{}/{index}", index % 3), pattern(index * index * 40));
    }
    place.file("t/large", pattern(20 << 20)).file("t/1/copy", pattern(9 * 9 * 40));
    let sums = place.run("sum -r t").stdout;
    fs::write(place.join("t/1/new"), "new").unwrap();
    place.file("right", &sums).file("wrong", sums.replacen('0', "1", 2) + &sums.replace("t/", "u/") + "malformed\n");
    place
}

const COMMANDS: &[&str] = &[
    "sum -r t",
    "sum -j 1 -r t",
    "sum -j 7 -r t missing - t/large",
    "sum -a sha1,sha256 -r t",
    "sum --progress always t/large",
    "sha256sum t/large missing - t/0/0",
    "sha256sum -c right",
    "md5sum --tag -",
    "check right",
    "check wrong",
    "check -",
    "check --audit right wrong",
    "dups t",
    "dups --json -j 3 t",
    "dups --chunks cdc:4096 --json t",
    "dups --chunks fixed:4096 -j 3 t",
    "tree j-lanes t/large t/0/9 -",
    "tree j-pointers t/large t/0/9",
    "tree files t/large t/0/9 t/1/10",
    "tree fs-verity t/large t/0/9",
    "tree s3 t/large",
    "tree glacier t/large",
    "tree bittorrent-v2 t/large",
    "tree dm-verity --salt - t/large",
    "verity format --salt 00 --uuid 00000000-0000-4000-8000-000000000000 t/large hash --root-hash-file root",
    "verity verify t/large hash --root-hash-file root",
    "sum -r t -o out",
];

/// Returns the result of a command without the progress, which needs a thread of its own.
fn given(mut command: Command, arguments: &str, stdin: &[u8]) -> Outcome {
    let given = outcome(command.args(arguments.split_whitespace()), stdin);
    let stderr = given.stderr.split_inclusive('\n').filter(|line| !line.contains(" files, ")).collect();
    Outcome { stderr, ..given }
}

/// Removes the outputs, which another user may create but not overwrite.
fn remove_outputs(place: &Place) {
    for name in ["hash", "root", "out"] {
        let _ = fs::remove_file(place.join(name));
    }
}

/// Runs everything with and without the limit that `limited` puts on the command.
fn compare(place: &Place, what: &str, limited: impl Fn() -> Command) {
    let right = fs::read(place.join("right")).unwrap();
    for &arguments in COMMANDS {
        let stdin: &[u8] = if arguments == "check -" { &right } else { b"abc" };
        let expected = given(place.command(BINARY), arguments, stdin);
        if arguments.contains("format") || arguments.contains("-o") {
            remove_outputs(place);
        }
        assert_ne!(expected.code, Some(2), "{arguments}: {}", expected.stderr);
        assert_eq!(given(limited(), arguments, stdin), expected, "{arguments}: {what}");
    }
}

/// Compares runs that store digests, and runs that use them again.
fn compare_with_cache(place: &Place, what: &str, limited: impl Fn() -> Command) {
    let cache = place.join("cache");
    let expected = place.run("sum -r t").stdout;
    for stored in [true, false] {
        let mut command = limited();
        let found = outcome(command.args(["-v", "sum", "-r", "t", "--cache"]).arg(&cache), b"");
        assert_eq!((found.stdout, found.code), (expected.clone(), Some(0)), "{what}: {}", found.stderr);
        let counts = if stored { "digests: 0 reused, 72 stored" } else { "digests: 72 reused, 0 stored" };
        assert!(found.stderr.contains(counts), "{what}: {counts}: {}", found.stderr);
    }
    fs::remove_file(&cache).unwrap();
}

#[test]
fn whatever_number_of_threads_can_be_started_the_result_is_the_same() {
    let Some(library) = faults::library() else { return };
    let place = place();
    for threads in 0..5 {
        compare(&place, &format!("{threads} threads can be started"), || {
            let mut command = place.command(BINARY);
            command.env("LD_PRELOAD", library).env("FAULT", format!("threads:all:{threads}"));
            command
        });
    }
}

#[test]
fn whatever_number_of_threads_can_be_started_digests_are_cached() {
    let Some(library) = faults::library() else { return };
    let place = place();
    // A file that changed just before a run is not stored.
    std::thread::sleep(Duration::from_millis(2100));
    for threads in 0..5 {
        compare_with_cache(&place, &format!("{threads} threads can be started"), || {
            let mut command = place.command(BINARY);
            command.env("LD_PRELOAD", library).env("FAULT", format!("threads:all:{threads}"));
            command
        });
    }
}

#[test]
fn a_limit_of_processes_is_no_failure() {
    /// A user id that no other process has.
    const USER: u32 = 2_000_011_000;
    let place = place();
    let opened = Command::new("chmod").args(["-R", "a+rwX"]).arg(place.path()).status().unwrap();
    assert!(opened.success());
    let user = (USER + std::process::id() % 1000).to_string();
    let limited = |processes: u32| {
        let mut command = place.command("prlimit");
        command.arg(format!("--nproc={processes}:{processes}"));
        command.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", BINARY]);
        command
    };
    let tried = limited(1).arg("--version").output();
    if !tried.as_ref().is_ok_and(|tried| tried.status.success()) {
        // The test above needs no root.
        println!("SKIPPED: only root can be another user, of whom nothing else runs: {tried:?}");
        return;
    }
    for processes in 1..=4 {
        compare(&place, &format!("ulimit -u {processes}"), || limited(processes));
    }
}
