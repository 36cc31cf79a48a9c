//! `manyhash check --audit`: files that are there but not listed, and files that moved.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Outcome, Place, outcome, skipped};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Creates a tree `t` and its list `sums`.
fn listed() -> Place {
    let place = Place::new();
    place.file("t/a", "a").file("t/b", "b").file("t/u/c", "c").file("t/u/d", "d").file("beside", "x");
    assert_eq!(place.run("sum -r -o sums t").code, Some(0));
    place
}

fn rename(place: &Place, from: &str, to: &str) {
    fs::create_dir_all(place.join(to).parent().unwrap()).unwrap();
    fs::rename(place.join(from), place.join(to)).unwrap();
}

/// Returns the lines except those of files as listed, the summary, and the exit code.
fn findings(check: &Outcome) -> (Vec<&str>, &str, Option<i32>) {
    let lines = check.stdout.lines().filter(|line| !line.ends_with(": OK")).collect();
    (lines, check.stderr.lines().last().unwrap_or_default(), check.code)
}

#[test]
fn a_tree_as_listed_passes() {
    let place = listed();
    let check = place.run("check --audit sums");
    assert_eq!(findings(&check), (vec![], "manyhash: 4 files OK (4 B, 1 manifest)", Some(0)));
}

#[test]
fn what_is_new_missing_moved_or_changed_fails_alone_and_together() {
    let place = listed();
    place.file("t/new", "new");
    let check = place.run("check --audit sums");
    assert_eq!(findings(&check), (vec!["t/new: NOT LISTED"], "manyhash: 4 files OK, 1 not listed (4 B, 1 manifest)", Some(1)));
    assert_eq!(place.run("check sums").code, Some(0));

    let place = listed();
    rename(&place, "t/a", "t/v/moved");
    let check = place.run("check --audit sums");
    let expected = vec!["t/a: MOVED to t/v/moved"];
    assert_eq!(findings(&check), (expected, "manyhash: 3 files OK, 1 moved (4 B, 1 manifest)", Some(1)));

    fs::remove_file(place.join("t/u/c")).unwrap();
    place.file("t/u/d", "changed").file("t/0", "new");
    let check = place.run("check --audit sums");
    let expected = vec!["t/u/d: FAILED", "t/0: NOT LISTED", "t/a: MOVED to t/v/moved", "t/u/c: MISSING"];
    let summary = "manyhash: 1 file OK, 1 FAILED, 1 missing, 1 moved, 1 not listed (12 B, 1 manifest)";
    assert_eq!(findings(&check), (expected, summary, Some(1)));
    assert_eq!(place.run("check --audit --quiet sums").stdout, findings(&check).0.join("\n") + "\n");
    let status = place.run("check --audit --status sums");
    assert_eq!((status.stdout.as_str(), status.code, status.stderr.contains(" OK")), ("", Some(1), false));
}

#[test]
fn files_of_the_same_content_move_one_by_one() {
    let place = Place::new();
    for name in ["1", "2", "3"] {
        place.file(format!("t/{name}"), "same");
    }
    place.run("sum -r -o sums t");
    rename(&place, "t/1", "t/x");
    rename(&place, "t/3", "t/y");
    place.file("t/z", "same");
    let check = place.run("check --audit sums");
    let expected = vec!["t/1: MOVED to t/x", "t/3: MOVED to t/y", "t/z: NOT LISTED"];
    assert_eq!(findings(&check), (expected, "manyhash: 1 file OK, 2 moved, 1 not listed (16 B, 1 manifest)", Some(1)));
}

#[test]
fn names_are_one_however_they_are_written() {
    let place = Place::new();
    place.file("usr/lib/f", "abc").file("usr/e", "");
    symlink("usr/lib", place.join("lib")).unwrap();
    let absolute = place.path().canonicalize().unwrap().join("usr/lib/f").display().to_string();
    for name in ["usr/lib/f", "./usr//lib/f", "lib/f", "usr/../lib/./f", absolute.as_str()] {
        place.file("m", format!("{ABC_SHA256}  {name}\n{EMPTY_SHA256}  usr/e\n"));
        let check = place.run("check --audit -C . m");
        assert_eq!(findings(&check), (vec![], "manyhash: 2 files OK (3 B, 1 manifest)", Some(0)), "{name}");
    }
}

#[test]
fn a_name_listed_twice_is_checked_twice_and_counted_once() {
    let place = listed();
    place.run("sum -r -a sha512 -o more t");
    rename(&place, "t/a", "t/v");
    place.file("t/v2", "a");
    let check = place.run("check --audit sums more sums");
    assert_eq!(check.stdout.lines().filter(|line| line.ends_with(": OK")).count(), 9);
    let (lines, summary, _) = findings(&check);
    assert_eq!(lines, ["t/a: MOVED to t/v", "t/v2: NOT LISTED"]);
    assert!(summary.starts_with("manyhash: 3 files OK, 1 moved, 1 not listed ("), "{summary}");
    // A file listed with two digests counts as the worse of both.
    place.file("t/v", "abc").file("m", format!("{ABC_SHA256}  t/v\n{EMPTY_SHA256}  ./t/v\n"));
    let check = place.run("check m");
    assert_eq!(findings(&check), (vec!["./t/v: FAILED"], "manyhash: 1 file OK, 1 FAILED (6 B, 1 manifest)", Some(1)));
    let check = place.run("check --audit m");
    let summary = findings(&check).1;
    assert!(summary.starts_with("manyhash: 0 files OK, 1 FAILED, 4 not listed ("), "{summary}");
}

#[test]
fn names_say_where_new_files_are_looked_for() {
    let place = listed();
    // The new file is beside the listed folder, so it does not matter.
    assert_eq!(place.run("check --audit sums").code, Some(0));
    // With a base, all files below it matter, except for the manifest.
    let check = place.run("check --audit -C . sums");
    assert_eq!(findings(&check).0, ["beside: NOT LISTED"]);
    // A file in the folder itself makes the audit cover the folder.
    place.run("sum -r -o sums2 t sums");
    assert_eq!(findings(&place.run("check --audit sums2")).0, ["beside: NOT LISTED"]);
    // Absolute names cover the folder that they are all in.
    let folder = place.path().canonicalize().unwrap().join("t").display().to_string();
    place.run(&format!("sum -r -o absolute {folder}"));
    place.file("t/new", "");
    assert_eq!(findings(&place.run("check --audit absolute")).0, ["t/new: NOT LISTED"]);
    let beside = place.command(BINARY).current_dir(place.join("t/u")).args(["check", "--audit", "../../absolute"]).output().unwrap();
    assert!(String::from_utf8_lossy(&beside.stdout).contains(&format!("\n{folder}/new: NOT LISTED\n")));
}

#[test]
fn links_and_what_is_no_file_are_not_new_files() {
    let place = listed();
    symlink("a", place.join("t/link")).unwrap();
    symlink("../beside", place.join("t/link2")).unwrap();
    fs::create_dir_all(place.join("t/empty/folder")).unwrap();
    let fifo = Command::new("mkfifo").arg(place.join("t/fifo")).status();
    assert!(fifo.unwrap().success());
    assert_eq!(place.run("check --audit sums").code, Some(0));
}

#[test]
fn json_has_the_new_kinds_and_a_summary() {
    let place = listed();
    rename(&place, "t/a", "t/z");
    place.file("t/new", "abc");
    fs::remove_file(place.join("t/b")).unwrap();
    let check = place.run("check --audit --json sums");
    let objects: Vec<Value> = check.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<_> = objects.iter().map(|object| object["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["ok", "ok", "extra", "moved", "unreadable", "summary"]);
    assert_eq!((&objects[4]["missing"], &objects[0]["missing"]), (&true.into(), &Value::Null));
    assert_eq!((&objects[4]["path"], &objects[4]["line"], &objects[4]["manifest"]), (&"t/b".into(), &2.into(), &"sums".into()));
    assert_eq!(objects[2], serde_json::json!({"status": "extra", "path": "t/new", "bytes": 3}));
    let digest = place.run("sum t/z").stdout[..64].to_string();
    let moved = serde_json::json!({"status": "moved", "path": "t/z", "from": "t/a", "algorithm": "SHA-256", "digest": digest, "bytes": 1});
    assert_eq!(objects[3], moved);
    let summary = serde_json::json!({"status": "summary", "ok": 2, "failed": 0, "missing": 1, "unreadable": 0, "passed_over": 0,
        "extra": 1, "moved": 1, "malformed_lines": 0, "bytes": 6, "manifests": 1});
    assert_eq!(objects[5], summary);
    assert_eq!(check.code, Some(1));
}

#[test]
fn a_size_that_no_missing_file_had_is_not_read() {
    let place = listed();
    place.run("sum -r --json -o sums.json t");
    rename(&place, "t/a", "t/z");
    place.file("t/large", vec![0; 1 << 20]);
    for (manifest, read) in [("sums.json", "4 B"), ("sums", "1.05 MB")] {
        let check = place.run(&format!("check --audit {manifest}"));
        assert_eq!(findings(&check).1, format!("manyhash: 3 files OK, 1 moved, 1 not listed ({read}, 1 manifest)"));
    }
}

#[test]
fn names_with_line_ends_do_not_break_lines() {
    let place = listed();
    rename(&place, "t/a", "t/x\ny");
    place.file("t/\\\n", "");
    let check = place.run("check --audit sums");
    assert_eq!(findings(&check).0, ["'t/\\'$'\\n': NOT LISTED", "t/a: MOVED to 't/x'$'\\n''y'"]);
}

#[test]
fn ignored_missing_files_are_not_looked_for() {
    let place = listed();
    rename(&place, "t/a", "t/z");
    let check = place.run("check --audit --ignore-missing sums");
    let summary = "manyhash: 3 files OK, 1 passed over, 1 not listed (3 B, 1 manifest)";
    assert_eq!(findings(&check), (vec!["t/z: NOT LISTED"], summary, Some(1)));
}

#[test]
fn temporary_files_that_cannot_be_made_end_the_audit_but_not_the_check() {
    let place = listed();
    place.file("t/new", "");
    // There are enough names that they do not stay in memory.
    let line = |index: usize| format!("{EMPTY_SHA256}  t/{index}\n");
    place.file("many", (0..20_000).map(line).collect::<String>());
    let output = outcome(place.command(BINARY).env("TMPDIR", place.join("nowhere")).args(["check", "--audit", "many", "sums"]), b"");
    assert!(output.stderr.contains("manyhash: the audit could not be done: temporary file: No such file or directory\n"));
    assert_eq!((output.stdout.lines().filter(|line| line.ends_with(": OK")).count(), output.code), (4, Some(1)));
}

#[test]
fn verdicts_are_those_of_hashdeep() {
    if Command::new("hashdeep").arg("-V").output().is_err() {
        return skipped("hashdeep is not installed");
    }
    // Each content is there once, so that it is clear what moved.
    let place = Place::new();
    for index in 0..60 {
        place.file(format!("t/{}/{index}", index % 5), format!("content {index}"));
    }
    let deep = |arguments: &[&str]| outcome(place.command("hashdeep").args(arguments), b"");
    place.file("known", deep(&["-c", "sha256", "-l", "-r", "t"]).stdout);
    place.run("sum -r -o sums t");
    let both = |expected: [usize; 4]| {
        let check = place.run("check --audit --json sums");
        let mut counts = BTreeMap::new();
        for line in check.stdout.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            *counts.entry(object["status"].as_str().unwrap().to_string()).or_insert(0_usize) += 1;
        }
        let ours = ["ok", "moved", "extra"].map(|status| counts.get(status).copied().unwrap_or(0));
        let audit = deep(&["-c", "sha256", "-l", "-r", "-a", "-v", "-k", "known", "t"]);
        let count_of = |what: &str| -> usize {
            let line = audit.stdout.lines().find(|line| line.trim_start().starts_with(what));
            line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_else(|| panic!("{what}: {}", audit.stdout))
        };
        let theirs = ["Files matched", "Files moved", "New files found"].map(count_of);
        // To hashdeep a changed file is both a missing and a new one.
        let [ok, moved, new, changed] = expected;
        assert_eq!((ours, theirs), ([ok, moved, new], [ok, moved, new + changed]), "{}", audit.stdout);
        assert_eq!(check.code == Some(0), audit.code == Some(0));
    };
    both([60, 0, 0, 0]);
    rename(&place, "t/0/5", "t/1/there");
    rename(&place, "t/2/12", "t/9/12");
    both([58, 2, 0, 0]);
    place.file("t/new", "new");
    place.file("t/3/13", "changed");
    fs::remove_file(place.join("t/4/14")).unwrap();
    both([56, 2, 1, 1]);
}
