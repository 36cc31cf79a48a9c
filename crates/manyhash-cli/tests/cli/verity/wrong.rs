//! Wrong usage of `manyhash verity`, and unsuitable files. Nothing is left half written.

use super::root;
use crate::support::{BINARY, Place, outcome, pattern};
use std::fs;

const UUID: &str = super::UUID;

fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Creates data and its hashes, and returns the root hash.
fn device() -> (Place, String) {
    let place = Place::new();
    place.file("data", pattern(40 * 512));
    let report = place.run(&format!("verity format data hash --salt aa {UUID} --data-block-size 512 --hash-block-size 512"));
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let root = root(&report);
    (place, root)
}

#[test]
fn wrong_usage_names_the_parameter_and_writes_nothing() {
    let (place, root) = device();
    let long = "00".repeat(257);
    let cases = [
        ("", "format"),
        ("format", "<DATA>"),
        ("format data", "<HASH>"),
        ("format data new --salt abc", "--salt"),
        ("format data new --salt xy", "--salt"),
        (&format!("format data new --salt {long}"), "--salt"),
        (&format!("format data new --salt {long} --no-superblock"), "--salt"),
        ("format data new --hash md6", "md6"),
        ("format data new --format 2", "--format"),
        ("format data new --data-block-size 0", "--data-block-size"),
        ("format data new --data-block-size 256", "--data-block-size"),
        ("format data new --data-block-size 1000", "--data-block-size"),
        ("format data new --data-block-size 1048576", "--data-block-size"),
        ("format data new --hash-block-size 0", "--hash-block-size"),
        ("format data new --hash-block-size 513", "--hash-block-size"),
        ("format data new --hash-block-size 1048576", "--hash-block-size"),
        ("format data new --uuid xyz", "--uuid"),
        ("format data new --uuid 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f", "--uuid"),
        ("format data new --hash-offset 1", "--hash-offset"),
        ("format data new --hash-offset 1000", "--hash-offset"),
        ("format data new --hash-offset x", "--hash-offset"),
        ("format data new --data-blocks x", "--data-blocks"),
        ("verify data", "<HASH>"),
        ("verify data hash", "<ROOT>"),
        ("verify data hash zz", "ROOT zz"),
        ("verify data hash abcd", "ROOT abcd"),
        (&format!("verify data hash {root}00"), "ROOT "),
        (&format!("verify data hash {root} --hash-offset 100"), "--hash-offset"),
        (&format!("verify data hash {root} more"), "more"),
        ("dump", "<HASH>"),
        ("dump hash --hash-offset 100", "--hash-offset"),
    ];
    for (line, hint) in cases {
        let run = place.run(&format!("verity {line}"));
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(2)), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{line}: {}", run.stderr);
        assert_eq!(names(&place), ["data", "hash"], "{line}");
    }
}

#[test]
fn files_that_will_not_do_are_named_and_nothing_is_left() {
    let (place, root) = device();
    place.file("odd", pattern(5000)).file("empty", "").file("short", "abc");
    fs::create_dir(place.join("folder")).unwrap();
    let before = names(&place);
    let hash = fs::read(place.join("hash")).unwrap();
    let cases = [
        ("format missing new".to_string(), "missing"),
        ("format odd new".to_string(), "odd"),
        ("format empty new".to_string(), "empty"),
        ("format short new".to_string(), "short"),
        ("format folder new".to_string(), "folder"),
        ("format data folder --data-block-size 512".to_string(), "folder"),
        ("format data no/such/new --data-block-size 512".to_string(), "no/such/new"),
        ("format data new --data-blocks 6".to_string(), "data"),
        ("format data new --data-blocks 99999999999999 --data-block-size 512".to_string(), "data"),
        ("format data new --root-hash-file no/such/root".to_string(), "no/such/root"),
        // An old file of hashes stays unchanged until a better one can replace it.
        ("format missing hash".to_string(), "missing"),
        ("format odd hash".to_string(), "odd"),
        ("format data hash --data-blocks 6".to_string(), "data"),
        (format!("verify missing hash {root}"), "missing"),
        (format!("verify data missing {root}"), "missing"),
        (format!("verify folder hash {root}"), "folder"),
        (format!("verify data folder {root}"), "folder"),
        (format!("verify data data {root}"), "data"),
        (format!("verify data hash {root} --hash-offset 512"), "hash"),
        (format!("verify data hash {root} --hash-offset 1024000"), "hash"),
        ("dump missing".to_string(), "missing"),
        ("dump folder".to_string(), "folder"),
        ("dump data".to_string(), "data"),
        ("dump empty".to_string(), "empty"),
        ("dump hash --hash-offset 1024".to_string(), "hash"),
    ];
    for (line, name) in &cases {
        let run = place.run(&format!("verity {line}"));
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)), "{line}: {}", run.stderr);
        assert!(run.stderr.starts_with(&format!("manyhash: {name}: ")), "{line}: {}", run.stderr);
        assert_eq!(names(&place), before, "{line}");
        assert!(fs::read(place.join("hash")).unwrap() == hash, "{line}");
    }
}

#[test]
fn data_that_is_no_multiple_of_a_block_is_refused_with_its_length() {
    let place = Place::new();
    place.file("data", pattern(8192 + 100));
    let run = place.run("verity format data new");
    assert!(run.code == Some(1) && run.stderr.contains("8292") && run.stderr.contains("4096"), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn faults_of_the_disk_leave_no_new_file() {
    let Some(library) = crate::faults::library() else { return };
    let (place, root) = device();
    let options = format!("--salt aa {UUID} --data-block-size 512 --hash-block-size 512");
    let run = |fault: &str, line: &str| {
        let mut command = place.command(BINARY);
        command.arg("verity").args(line.split_whitespace()).env("LD_PRELOAD", library).env("FAULT", fault);
        outcome(&mut command, b"")
    };
    let small = 3000 * 512;
    // The file is cut once a worker has read of it. It is larger than what all workers may hold by
    // then, or they could have read the whole of it.
    let large = 40 << 20;
    for (fault, bytes) in [("eio:data:0", small), ("eio:data:100000", small), ("truncate:data:100000", large), ("vanish:data:0", small)] {
        place.file("data", pattern(bytes));
        let failed = run(fault, &format!("format data new {options}"));
        assert_eq!((failed.stdout.as_str(), failed.code), ("", Some(1)), "{fault}: {}", failed.stderr);
        assert!(failed.stderr.starts_with("manyhash: data: "), "{fault}: {}", failed.stderr);
        assert!(!place.join("new").exists(), "{fault}");
    }
    place.file("data", pattern(small));
    let fine = run("slow:data:1000", &format!("format data new {options}"));
    assert_eq!((fine.stderr.as_str(), fine.code), ("", Some(0)));
    let root_of_data = super::root(&fine);
    assert_ne!(root_of_data, root);
    for fault in ["slow:data:1000", "slow:new:100"] {
        let fine = run(fault, &format!("verify data new {root_of_data}"));
        assert_eq!((fine.stderr.as_str(), fine.code), ("", Some(0)), "{fault}");
    }
    for (fault, name) in [("eio:data:100000", "data"), ("eio:new:5000", "new"), ("vanish:data:0", "data")] {
        let failed = run(fault, &format!("verify data new {root_of_data}"));
        assert_eq!((failed.stdout.as_str(), failed.code), ("", Some(1)), "{fault}: {}", failed.stderr);
        assert!(failed.stderr.contains(&format!("manyhash: {name}: ")), "{fault}: {}", failed.stderr);
    }
}

#[test]
fn numbers_that_no_device_has_are_told() {
    let (place, root) = device();
    let largest = u64::MAX;
    for offset in [largest - 511, largest - 4095, 1 << 63, (1 << 63) - 512, 1 << 62] {
        for superblock in ["", " --no-superblock --hash-block-size 512 --salt aa"] {
            for line in [
                format!("format data new --data-block-size 512 --hash-offset {offset}{superblock}"),
                format!("verify data hash {root} --data-block-size 512 --hash-offset {offset}{superblock}"),
            ] {
                let run = place.run(&format!("verity {line}"));
                assert!(run.stdout.is_empty() && matches!(run.code, Some(1 | 2)), "{line}: {run:?}");
                assert!(run.stderr.starts_with("manyhash: ") || run.stderr.contains("--hash-offset"), "{line}: {}", run.stderr);
                assert_eq!(names(&place), ["data", "hash"], "{line}");
            }
        }
        let dump = place.run(&format!("verity dump hash --hash-offset {offset}"));
        assert!(dump.stdout.is_empty() && matches!(dump.code, Some(1 | 2)), "{dump:?}");
    }
    for blocks in [largest, 1 << 55, 1 << 52] {
        let run = place.run(&format!("verity format data new --data-block-size 512 --data-blocks {blocks}"));
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)), "{}", run.stderr);
        assert_eq!(names(&place), ["data", "hash"]);
    }
}

/// A loop device that exists until this is dropped.
struct Loop(String);

impl Loop {
    /// Attaches a loop device to `file`, if this machine and user can have one.
    fn over(place: &Place, file: &str) -> Option<Self> {
        let losetup = outcome(place.command("env").args(["PATH=/usr/sbin:/sbin:/usr/bin:/bin", "losetup", "--show", "-f", file]), b"");
        if losetup.code != Some(0) {
            // The machine may have a limit, as under CI. The logic has a test of its own.
            println!("SKIPPED: no loop device: {}", losetup.stderr);
            return None;
        }
        Some(Self(losetup.stdout.trim().to_string()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = std::process::Command::new("env").args(["PATH=/usr/sbin:/sbin:/usr/bin:/bin", "losetup", "-d", &self.0]).status();
    }
}

#[test]
fn hashes_do_not_go_over_data_by_way_of_a_loop_device() {
    let place = Place::new();
    let data = pattern(40 * 4096);
    place.file("data", &data).file("other", vec![0; 1 << 20]);
    let Some(over_data) = Loop::over(&place, "data") else { return };
    let Some(over_other) = Loop::over(&place, "other") else { return };
    let Some(again) = Loop::over(&place, "data") else { return };
    for (from, to) in [("data", &*over_data.0), (&over_data.0, "data"), (&over_data.0, &again.0)] {
        let format = place.run(&format!("verity format {from} {to} --salt aa {UUID}"));
        let expected =
            format!("manyhash: HASH {to} and DATA {from} are on the same storage, one over the other: hashes would overwrite data\n");
        assert_eq!((format.stdout.as_str(), format.stderr.as_str(), format.code), ("", expected.as_str(), Some(2)));
        assert!(fs::read(place.join("data")).unwrap() == data);
    }
    // Other devices may be used in any way.
    let report = place.run(&format!("verity format data {} --salt aa {UUID}", over_other.0));
    assert_eq!((report.stderr.as_str(), report.code), ("", Some(0)));
    let report = place.run(&format!("verity format {} other --salt aa {UUID}", over_data.0));
    assert_eq!((report.stderr.as_str(), report.code), ("", Some(0)));
    let report = place.run(&format!("verity format {} new --salt aa {UUID}", over_data.0));
    assert_eq!((report.stderr.as_str(), report.code), ("", Some(0)));
}
