//! Faults of disks and of other processes, by a library preloaded into the program or full disks.

#![cfg(target_os = "linux")]

use crate::kills::tracer;
use crate::support::{BINARY, Outcome, Place, outcome, skipped};
use manyhash::{Sha256, hash};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Returns the library, which is built once, if there is a C compiler.
pub fn library() -> Option<&'static PathBuf> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/faults.c");
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}.so", std::process::id()));
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-w", source, "-o"]).arg(&library).arg("-ldl").status();
        built.is_ok_and(|status| status.success()).then_some(library)
    };
    let library = LIBRARY.get_or_init(build).as_ref();
    if library.is_none() {
        skipped("no C compiler to build the faults with");
    }
    library
}

fn digest(content: &[u8]) -> String {
    hash::<Sha256>(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn content(index: usize) -> Vec<u8> {
    (0..200_000 + index).map(|at| (at * 7 + index) as u8).collect()
}

/// Creates five files, of which `fault` hits the middle one, and runs `manyhash` with `arguments`.
fn with_fault(fault: &str, arguments: &str) -> Option<(Place, Outcome)> {
    let library = library()?;
    let place = Place::new();
    for index in 0..5 {
        place.file(format!("t/{index}"), content(index));
    }
    let mut command = place.command(BINARY);
    command.args(arguments.split_whitespace()).env("LD_PRELOAD", library).env("FAULT", fault);
    let outcome = outcome(&mut command, b"");
    Some((place, outcome))
}

/// Returns the lines of `sum` for all files. `middle` is what was read of the middle one.
fn lines(middle: Option<&[u8]>) -> String {
    let line = |index| match (index, middle) {
        (2, None) => String::new(),
        (2, Some(content)) => format!("{}  t/2\n", digest(content)),
        _ => format!("{}  t/{index}\n", digest(&content(index))),
    };
    (0..5).map(line).collect()
}

const WAYS: [&str; 3] = ["sum -r -j 1 t", "sum -r -j 2 t", "sum t/0 t/1 t/2 t/3 t/4"];

#[test]
fn a_disk_error_is_told_and_the_other_files_are_hashed() {
    for bytes in [0, 1, 65_536, 150_000] {
        for way in WAYS {
            let Some((_, sum)) = with_fault(&format!("eio:t/2:{bytes}"), way) else { return };
            assert_eq!(sum.stdout, lines(None), "{way}");
            assert_eq!(sum.stderr, "manyhash: t/2: Input/output error\n", "{way}");
            assert_eq!(sum.code, Some(1), "{way}");
        }
    }
}

#[test]
fn a_file_that_vanishes_is_told_and_the_others_are_hashed() {
    for way in WAYS {
        let Some((_, sum)) = with_fault("vanish:t/2", way) else { return };
        assert_eq!(sum.stdout, lines(None), "{way}");
        assert_eq!((sum.stderr.as_str(), sum.code), ("manyhash: t/2: No such file or directory\n", Some(1)), "{way}");
    }
}

#[test]
fn a_file_is_hashed_as_it_was_read_while_it_grows_shrinks_or_is_replaced() {
    let original = content(2);
    let grown = [&original[..], &[b'+'; 70_000]].concat();
    for way in WAYS {
        let Some((_, sum)) = with_fault("grow:t/2:70000", way) else { return };
        // The read may end where the file ended at first. A read of the whole file that found the
        // expected end looks no further.
        assert!(sum.stdout == lines(Some(&grown)) || sum.stdout == lines(Some(&original)), "{way}");
        assert_eq!((sum.stderr.as_str(), sum.code), ("", Some(0)), "{way}");
        let Some((_, sum)) = with_fault("truncate:t/2:100000", way) else { return };
        assert!(sum.stdout == lines(Some(&original)) || sum.stdout == lines(Some(&original[..100_000])), "{way}");
        assert_eq!((sum.stderr.as_str(), sum.code), ("", Some(0)), "{way}");
        for bytes in [0, 65_000, 100_000, 199_999] {
            let Some((_, sum)) = with_fault(&format!("shrink:t/2:{bytes}"), way) else { return };
            assert!(sum.stdout == lines(Some(&original)) || sum.stdout == lines(Some(&original[..bytes])), "{way}, {bytes}");
            assert_eq!((sum.stderr.as_str(), sum.code), ("", Some(0)), "{way}");
        }
        for bytes in [0, 10, 1_000_000] {
            let Some((_, sum)) = with_fault(&format!("replace:t/2:{bytes}"), way) else { return };
            assert_eq!((sum.stdout, sum.code), (lines(Some(&vec![0; bytes])), Some(0)), "{way}");
        }
    }
}

#[test]
fn a_file_that_is_cut_after_its_size_was_asked_for_has_no_tree_digest() {
    let Some(library) = library() else { return };
    let place = Place::new();
    for mode in ["dm-verity --salt -", "fs-verity", "j-lanes", "bittorrent-v2", "s3", "glacier", "j-pointers"] {
        for bytes in [0, 1, 4096, 1 << 20] {
            place.file("large", vec![7; 3 << 20]);
            let mut command = place.command(BINARY);
            command.arg("tree").args(mode.split(' ')).arg("large").env("LD_PRELOAD", library).env("FAULT", format!("ask:large:{bytes}"));
            let tree = outcome(&mut command, b"");
            // Those that need not ask hash it as it was.
            let is_cut = fs::metadata(place.join("large")).unwrap().len() == bytes;
            let expected = if is_cut { ("", "manyhash: large: changed while it was being read\n", Some(1)) } else { ("", "", Some(0)) };
            let stdout = if is_cut { tree.stdout.as_str() } else { "" };
            assert_eq!((stdout, tree.stderr.as_str(), tree.code), expected, "{mode}, {bytes}");
        }
    }
}

#[test]
fn short_and_interrupted_reads_change_nothing() {
    for bytes in [1, 1000, 65_536] {
        for way in WAYS {
            let Some((_, sum)) = with_fault(&format!("slow:t/2:{bytes}"), way) else { return };
            let all: String = (0..5).map(|index| format!("{}  t/{index}\n", digest(&content(index)))).collect();
            assert_eq!((sum.stdout, sum.stderr.as_str(), sum.code), (all, "", Some(0)), "{way}, {bytes} bytes");
        }
    }
}

#[test]
fn check_says_which_file_could_not_be_read() {
    let Some(library) = library() else { return };
    let place = Place::new();
    for index in 0..5 {
        place.file(format!("t/{index}"), content(index));
    }
    place.file("sums", lines(Some(&content(2))));
    for (fault, verdict, told) in [
        ("eio:t/2:9", "FAILED open or read", "manyhash: t/2: Input/output error\n"),
        ("vanish:t/2", "MISSING", "manyhash: 4 files OK, 1 missing ("),
    ] {
        let check = outcome(place.command(BINARY).args(["check", "sums"]).env("LD_PRELOAD", library).env("FAULT", fault), b"");
        assert_eq!(check.stdout, format!("t/0: OK\nt/1: OK\nt/2: {verdict}\nt/3: OK\nt/4: OK\n"));
        assert!(check.stderr.starts_with(told), "{}", check.stderr);
        assert_eq!(check.code, Some(1));
    }
}

#[test]
fn a_manifest_on_a_broken_disk_is_told() {
    let Some((_, check)) = with_fault("eio:t/1:70", "check t/1") else { return };
    assert!(check.stderr.contains("t/1: Input/output error"), "{}", check.stderr);
    assert_eq!((check.stdout.as_str(), check.code), ("", Some(1)));
}

/// Folders cannot be removed at a defined moment by a library, because `opendir` calls no other one.
#[test]
fn a_folder_that_vanishes_or_cannot_be_read_is_told_and_the_others_are_hashed() {
    let Some(strace) = tracer() else { return };
    let place = Place::new();
    for index in 0..12 {
        place.file(format!("t/{}/{index:02}", ["a", "b", "c"][index / 4]), content(index));
    }
    let all = place.run("sum -r t").stdout;
    let others: String = all.split_inclusive('\n').filter(|line| !line.contains("t/b/")).collect();
    place.file("sums", &others);
    let run_with = |fault: &str, command: &str| {
        let mut traced = place.command(&strace);
        traced.args(["-f", "-qq", "-o", "/dev/null", "-P", "t/b", "-e", &format!("inject={fault}"), BINARY]);
        outcome(traced.args(command.split(' ')), b"")
    };
    for (fault, reason) in [
        ("openat:error=ENOENT", "No such file or directory"),
        ("openat:error=EACCES", "Permission denied"),
        ("openat:error=ESTALE", "Stale file handle"),
        ("getdents64:error=EIO", "Input/output error"),
        ("getdents64:error=ESTALE:when=2", "Stale file handle"),
    ] {
        for command in ["sum -r t", "sum -j 1 -r t", "check --audit sums", "dups t"] {
            let run = run_with(fault, command);
            let context = format!("{command}, {fault}: {}{}", run.stdout, run.stderr);
            // An audit walks whole paths.
            assert!(run.stderr.contains(&format!("t/b: {reason}\n")), "{context}");
            assert_eq!(run.code, Some(1), "{context}");
            if command.starts_with("sum") {
                assert_eq!(run.stdout, others, "{context}");
            }
        }
    }
    // To a process that has opened it, a folder that was removed is empty: so POSIX and the C library.
    for (fault, expected) in [("getdents64:error=ENOENT", &others), ("getdents64:error=ENOENT:when=2", &all)] {
        let run = run_with(fault, "sum -r t");
        assert_eq!((&run.stdout, run.code), (expected, Some(0)), "{fault}: {}", run.stderr);
    }
}

/// Runs a shell script with a private disk of 64 KiB at `disk`.
fn on_a_small_disk(place: &Place, script: &str) -> Option<Outcome> {
    fs::create_dir_all(place.join("disk")).unwrap();
    let script = format!("mount -t tmpfs -o size=64k none disk || exit 99\n{script}");
    let mounted = outcome(place.command("unshare").args(["-rm", "sh", "-c", &script]).env("MANYHASH", BINARY), b"");
    if mounted.code == Some(99) || mounted.stderr.contains("unshare") {
        skipped(&format!("no disk of its own for a test: {}", mounted.stderr));
        return None;
    }
    Some(mounted)
}

#[test]
fn a_full_disk_under_the_output_is_told_and_leaves_the_old_output() {
    let place = Place::new();
    for index in 0..1500 {
        place.file(format!("t/{index:04}"), index.to_string());
    }
    for output in ["disk/sums", "disk/new"] {
        let script = format!("echo old > disk/sums; $MANYHASH sum -r -o {output} t; echo $?; cat disk/sums; ls -A disk");
        let Some(run) = on_a_small_disk(&place, &script) else { return };
        assert_eq!(run.stdout, "1\nold\nsums\n");
        assert_eq!(run.stderr, format!("manyhash: {output}: No space left on device\n"));
    }
}

#[test]
fn interrupted_it_leaves_nothing_behind() {
    for signal in [2, 15, 9, 1] {
        let place = Place::new();
        place.file("t/a", "abc").file("t/sums", "old\n");
        assert!(Command::new("mkfifo").arg(place.join("t/fifo")).status().unwrap().success());
        let mut sum = place.mortal().args(["sum", "-o", "t/sums", "t/a", "t/fifo"]).spawn().unwrap();
        // The fifo opens when it is read. Then the first digest is written, wherever that is.
        let fifo = fs::File::options().write(true).open(place.join("t/fifo")).unwrap();
        assert!(Command::new("kill").arg(format!("-{signal}")).arg(sum.id().to_string()).status().unwrap().success());
        assert_eq!(sum.wait().unwrap().signal(), Some(signal));
        drop(fifo);
        assert_eq!(fs::read_to_string(place.join("t/sums")).unwrap(), "old\n");
        let mut names: Vec<_> = fs::read_dir(place.join("t")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a", "fifo", "sums"], "signal {signal}");
    }
}
