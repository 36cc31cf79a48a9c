//! `manyhash check`. The behaviour that it shares with the drop-ins is compared with GNU's in
//! `gnu.rs`.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Place, outcome, skipped};
use std::fs;

const ABC_SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";

fn wrong() -> String {
    ABC_SHA256.replace('a', "c")
}

fn place() -> Place {
    let place = Place::new();
    place.file("f", "abc").file("e", "").file("d/f", "abc");
    place
}

#[test]
fn each_line_tells_its_algorithm() {
    let place = place();
    let mut manifest =
        format!("{ABC_SHA1}  f\n{ABC_SHA256} *f\nSHA1 (f) = {ABC_SHA1}\nSHA2-256(f)= {ABC_SHA256}\nsha_256 (e) = {EMPTY_SHA256}\n");
    for algorithm in ["sha1", "sha224", "sha256", "sha384", "sha512"].into_iter().chain(UNUSUAL) {
        manifest += &place.run(&format!("sum --tag -a {algorithm} f e d/f")).stdout;
        // A digest without a name is the plain algorithm's.
        if !UNUSUAL.contains(&algorithm) {
            manifest += &place.run(&format!("sum -a {algorithm} f e d/f")).stdout;
        }
    }
    place.file("m", &manifest);
    let check = place.run("check --strict m");
    assert_eq!((check.stderr.as_str(), check.code), ("manyhash: 71 files OK (144 B, 1 manifest)\n", Some(0)));
    assert_eq!(check.stdout.lines().count(), manifest.lines().count());
    assert!(check.stdout.lines().all(|line| line.ends_with(": OK")));
    assert_eq!(place.run_with("check -", manifest.as_bytes()).stdout, check.stdout);
}

#[test]
fn an_algorithm_given_is_the_only_one() {
    let place = place();
    place.file("m", format!("{ABC_SHA1}  f\nSHA1 (f) = {ABC_SHA1}\n{ABC_SHA256}  f\nSHA256 (f) = {ABC_SHA256}\n"));
    let check = place.run("check -w -a SHA-1 m");
    assert_eq!(check.stdout, "f: OK\nf: OK\n");
    assert_eq!(
        check.stderr,
        "manyhash: m: 3: improperly formatted SHA1 checksum line\nmanyhash: m: 4: improperly formatted SHA1 checksum line\n\
         manyhash: m: WARNING: 2 lines are improperly formatted\nmanyhash: 2 files OK, 2 malformed lines (6 B, 1 manifest)\n"
    );
    assert_eq!(check.code, Some(0));
    // A digest of 64 digits is SHA-256's unless told otherwise.
    let other = place.run("sum -a sha512/256 f").stdout;
    assert_eq!(place.run_with("check -", other.as_bytes()).stdout, "f: FAILED\n");
    assert_eq!(place.run_with("check -a sha512-256 -", other.as_bytes()).stdout, "f: OK\n");
}

/// The algorithms whose digests have the length of another's that is usual.
const UNUSUAL: [&str; 12] = [
    "sha512/224",
    "sha3-224",
    "sha512/256",
    "sha3-256",
    "keccak256",
    "blake2s",
    "blake2b-256",
    "blake3",
    "sm3",
    "sha3-384",
    "sha3-512",
    "blake2b",
];

#[test]
fn the_name_of_a_manifest_tells_its_algorithm() {
    let place = place();
    for algorithm in UNUSUAL {
        let sums = place.run(&format!("sum -a {algorithm} f e d/f")).stdout;
        let plain = algorithm.replace('/', "-");
        for name in [format!("{}SUMS", plain.to_uppercase()), format!("x-1.0-{plain}sums.txt"), format!("x.{plain}")] {
            place.file(&name, &sums);
            let check = place.run(&format!("check {name}"));
            assert_eq!((check.stderr.as_str(), check.code), ("manyhash: 3 files OK (6 B, 1 manifest)\n", Some(0)), "{name}");
        }
        // A tag, an option and another length count for more.
        let usual = place.run("sum --tag -a md5 f").stdout + &place.run("sum -a sha1 f").stdout;
        let name = format!("x.{plain}");
        place.file(&name, &usual);
        assert_eq!(place.run(&format!("check {name}")).stdout, "f: OK\nf: OK\n");
        place.file(&name, &sums);
        assert_eq!(place.run(&format!("check -a md5 {name}")).code, Some(1));
    }
    let sums = place.run("sum -a blake2b f").stdout;
    place.file("B2SUMS", &sums);
    assert_eq!(place.run("check B2SUMS").stdout, "f: OK\n");
}

#[test]
fn if_nothing_is_right_the_algorithm_that_would_be_is_named() {
    let place = place();
    for algorithm in UNUSUAL {
        place.file("m", place.run(&format!("sum -a {algorithm} d/f f")).stdout);
        let check = place.run("check m");
        assert_eq!((check.stdout.as_str(), check.code), ("d/f: FAILED\nf: FAILED\n", Some(1)), "{algorithm}");
        let hint = format!(": check with -a {algorithm}\n");
        assert!(check.stderr.starts_with("manyhash: m: d/f has this digest as ") && check.stderr.contains(&hint), "{}", check.stderr);
        let hinted = place.run(&format!("check -a {algorithm} m"));
        assert_eq!((hinted.stderr.as_str(), hinted.code), ("manyhash: 2 files OK (6 B, 1 manifest)\n", Some(0)));
        assert_eq!(place.run("check --status m").stderr, "");
        assert!(!place.run("check -a sha256 m").stderr.contains("check with"));
        assert!(!place.run_with("sha256sum -c -", place.run("sum -a sm3 f").stdout.as_bytes()).stderr.contains("check with"));
    }
    // Not if a line is right, a tag told, or no algorithm is right.
    let sums = place.run("sum -a sm3 d/f").stdout;
    for lines in [format!("{ABC_SHA256}  f\n{sums}"), format!("SHA256 (f) = {}\n", wrong()), format!("{}  f\n", wrong())] {
        place.file("m", &lines);
        let check = place.run("check m");
        assert!(check.code == Some(1) && !check.stderr.contains("check with"), "{lines}{}", check.stderr);
    }
}

#[test]
fn what_is_wrong_is_told_in_order_and_fails() {
    let place = place();
    place.file("m", format!("{ABC_SHA256}  f\nnonsense\n{}  f\n{ABC_SHA256}  missing\n{ABC_SHA256}  d\n{ABC_SHA256}  f/below\n", wrong()));
    let check = place.run("check m");
    assert_eq!(check.stdout, "f: OK\nf: FAILED\nmissing: MISSING\nd: FAILED open or read\nf/below: FAILED open or read\n");
    assert_eq!(
        check.stderr,
        "manyhash: d: Is a directory\nmanyhash: f/below: Not a directory\n\
         manyhash: m: WARNING: 1 line is improperly formatted\n\
         manyhash: 1 file OK, 1 FAILED, 1 missing, 2 unreadable, 1 malformed line (6 B, 1 manifest)\n"
    );
    assert_eq!(check.code, Some(1));
    assert!(!place.run("check --quiet m").stdout.contains("OK"));
    let status = place.run("check --status m");
    assert_eq!((status.stdout.as_str(), status.code), ("", Some(1)));
    assert!(!status.stderr.contains("WARNING") && !status.stderr.contains(" OK"));
    assert!(place.run("check --quiet -w m").stderr.contains("m: 2: improperly formatted checksum line"));
}

#[test]
fn malformed_lines_fail_if_strict_or_if_there_are_no_others() {
    let place = place();
    place.file("some", format!("nonsense\n{ABC_SHA256}  f\n")).file("all", "nonsense\nmore\n").file("none", "").file("comments", "# a\n\n");
    assert_eq!(place.run("check some").code, Some(0));
    assert_eq!(place.run("check --strict some").code, Some(1));
    for manifest in ["all", "none", "comments"] {
        let check = place.run(&format!("check {manifest}"));
        let told = format!("manyhash: {manifest}: no properly formatted checksum lines found\nmanyhash: 0 files OK");
        assert!(check.stderr.starts_with(&told) && check.code == Some(1), "{}", check.stderr);
    }
    let both = place.run("check none some");
    assert_eq!((both.stdout.as_str(), both.code), ("f: OK\n", Some(1)));
}

#[test]
fn missing_files_may_be_passed_over_as_long_as_one_is_there() {
    let place = place();
    place.file("some", format!("{ABC_SHA256}  missing\n{ABC_SHA256}  f\n")).file("all", format!("{ABC_SHA256}  missing\n"));
    let some = place.run("check --ignore-missing some");
    assert_eq!(
        (some.stdout.as_str(), some.stderr.as_str(), some.code),
        ("f: OK\n", "manyhash: 1 file OK, 1 passed over (3 B, 1 manifest)\n", Some(0))
    );
    let all = place.run("check --ignore-missing all");
    let told = "manyhash: no file was verified\nmanyhash: 0 files OK, 1 passed over (0 B, 1 manifest)\n";
    assert_eq!((all.stdout.as_str(), all.stderr.as_str(), all.code), ("", told, Some(1)));
    // The option concerns all manifests together.
    assert_eq!(place.run("check --ignore-missing all some all").code, Some(0));
    // Only missing files are ignored, not unreadable ones.
    let folder = place.run_with("check --ignore-missing -", format!("{ABC_SHA256}  f\n{ABC_SHA256}  d\n").as_bytes());
    assert_eq!(folder.code, Some(1));
}

#[test]
fn names_may_be_relative_to_a_folder() {
    let place = place();
    place.file("d/m", format!("{ABC_SHA256}  f\n{ABC_SHA256}  g\n"));
    let check = place.run("check -C d d/m");
    assert_eq!(check.stdout, "f: OK\ng: MISSING\n");
    assert_eq!(check.stderr, "manyhash: 1 file OK, 1 missing (3 B, 1 manifest)\n");
    let absolute = format!("{ABC_SHA256}  {}\n", place.join("f").display());
    assert_eq!(place.run_with("check -C d -", absolute.as_bytes()).code, Some(0));
    for (folder, reason) in [("nowhere", "No such file or directory"), ("f", "Not a directory")] {
        let check = place.run(&format!("check -C {folder} d/m"));
        assert_eq!((check.stderr, check.code), (format!("manyhash: {folder}: {reason}\n"), Some(1)));
    }
}

#[test]
fn manifests_that_cannot_be_read_are_told() {
    let place = place();
    place.file("m", format!("{ABC_SHA256}  f\n"));
    let check = place.run("check nowhere m d f/below m");
    assert_eq!(check.stdout, "f: OK\nf: OK\n");
    assert_eq!(
        check.stderr,
        "manyhash: nowhere: No such file or directory\nmanyhash: d: Is a directory; there is no SHA256SUMS, bagit.txt or the like in it\n\
         manyhash: f/below: Not a directory\nmanyhash: 2 files OK (6 B, 2 manifests)\n"
    );
    assert_eq!(check.code, Some(1));
}

#[test]
fn json_lines_are_objects() {
    let place = place();
    place.file("m", format!("{ABC_SHA256}  f\n\n{}  f\n{ABC_SHA256}  missing\n", wrong()));
    let check = place.run("check --json m");
    let objects: Vec<serde_json::Value> = check.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entry = |line: u64, path: &str, status: &str, expected: &str| serde_json::json!({"manifest": "m", "line": line, "path": path, "algorithm": "SHA-256", "status": status, "expected": expected});
    let mut expected = [entry(1, "f", "ok", ABC_SHA256), entry(3, "f", "failed", &wrong()), entry(4, "missing", "unreadable", ABC_SHA256)];
    for object in &mut expected[..2] {
        object["digest"] = ABC_SHA256.into();
        object["bytes"] = 3.into();
    }
    expected[2]["error"] = "No such file or directory".into();
    expected[2]["missing"] = true.into();
    assert_eq!(objects[..3], expected);
    let summary = serde_json::json!({"status": "summary", "ok": 1, "failed": 1, "missing": 1, "unreadable": 0, "passed_over": 0,
        "extra": 0, "moved": 0, "malformed_lines": 0, "bytes": 6, "manifests": 1});
    assert_eq!(objects[3..], [summary]);
    assert_eq!(check.code, Some(1));
    assert_eq!(place.run("check --json --quiet m").stdout.lines().count(), 3);
    let passed_over = place.run("check --json --ignore-missing m").stdout;
    assert!(passed_over.contains(r#""path":"missing","algorithm":"SHA-256","status":"passed_over","#), "{passed_over}");
}

#[test]
fn names_with_line_ends_do_not_break_lines() {
    let place = place();
    place.file("a\nb", "abc").file("c\\d", "abc");
    let sums = outcome(place.command(BINARY).args(["sum", "a\nb", "c\\d"]), b"").stdout;
    assert_eq!(sums, format!("\\{ABC_SHA256}  a\\nb\n\\{ABC_SHA256}  c\\\\d\n"));
    assert_eq!(place.run_with("check -", sums.as_bytes()).stdout, "'a'$'\\n''b': OK\n'c\\d': OK\n");
}

#[test]
fn a_folder_summed_is_a_folder_checked() {
    let place = Place::new();
    for index in 0..500 {
        place.file(format!("t/{}/{index}", index % 7), vec![index as u8; index * 37]);
    }
    for algorithm in ["sha1", "sha256", "sha512"] {
        assert_eq!(place.run(&format!("sum -r -a {algorithm} -o sums t")).code, Some(0));
        let check = place.run("check sums");
        assert_eq!((check.stdout.lines().count(), check.code), (500, Some(0)));
        assert!(check.stderr.starts_with("manyhash: 500 files OK ("), "{}", check.stderr);
    }
    place.file("t/3/3", "changed");
    fs::remove_file(place.join("t/5/5")).unwrap();
    let check = place.run("check --quiet sums");
    assert_eq!((check.stdout.as_str(), check.code), ("t/3/3: FAILED\nt/5/5: MISSING\n", Some(1)));
}

#[test]
fn a_line_that_the_backend_cannot_hash_ends_it() {
    let place = place();
    let with = |backend: &str, line: &str| outcome(place.command(BINARY).env("MANYHASH_BACKEND", backend).args(line.split(' ')), b"");
    let listed = with("abacus", "sum f").stderr;
    let is_partial = |backend: &&str| with(backend, "sum -a sha256 f").code == Some(0) && with(backend, "sum -a sha512 f").code == Some(2);
    let Some(backend) = listed.split([' ', ',', '\n']).filter(|word| *word != "abacus").find(is_partial) else {
        return skipped("every backend of this machine that has SHA-256 has SHA-512");
    };
    let sha512 = place.run("sum -a sha512 f").stdout;
    place.file("m", format!("{ABC_SHA256}  f\n{sha512}{ABC_SHA256}  e\n"));
    let check = with(backend, "check m m");
    assert_eq!((check.stdout.as_str(), check.code), ("f: OK\n", Some(2)));
    assert!(check.stderr.contains(backend) && check.stderr.contains("portable"), "{}", check.stderr);
    assert_eq!(with(backend, "check -a sha512 m").code, Some(2));
}

#[test]
fn progress_is_shown_when_asked_for_with_any_number_of_threads() {
    let place = Place::new();
    place.file("a", "abc").file("m", format!("{ABC_SHA256}  a\n"));
    for threads in ["1", "3"] {
        let check = place.run(&format!("check -j {threads} --progress always m"));
        assert_eq!((check.stdout.as_str(), check.code), ("a: OK\n", Some(0)));
        assert!(check.stderr.contains("1/1 files, 3 B/3 B"), "{}", check.stderr);
    }
    assert_eq!(place.run("check --progress never m").stderr, "manyhash: 1 file OK (3 B, 1 manifest)\n");
}

#[test]
fn of_many_missing_files_ten_are_named_and_the_others_counted() {
    let place = place();
    let line = |index: usize| format!("{}  gone/{index}\n", wrong());
    place.file("m", format!("{ABC_SHA256}  f\n") + &(0..15).map(line).collect::<String>());
    let check = place.run("check m");
    let named: String = (0..10).map(|index| format!("gone/{index}: MISSING\n")).collect();
    assert_eq!(check.stdout, format!("f: OK\n{named}"));
    assert_eq!(check.stderr, "manyhash: 5 more files are missing; -vv names all\nmanyhash: 1 file OK, 15 missing (3 B, 1 manifest)\n");
    assert_eq!(place.run("check --audit --quiet m").stdout.lines().filter(|line| line.ends_with(": MISSING")).count(), 10);
    for all in ["check -vv m", "check --audit -vv m"] {
        let check = place.run(all);
        assert_eq!(check.stdout.lines().filter(|line| line.ends_with(": MISSING")).count(), 15, "{all}");
        assert!(!check.stderr.contains("more files"), "{}", check.stderr);
    }
    for all in ["check --json m", "check --audit --json m"] {
        let check = place.run(all);
        assert_eq!(check.stdout.matches(r#""missing":true,"error":"No such file or directory""#).count(), 15, "{all}: {}", check.stdout);
        assert_eq!(check.stderr, "");
    }
    assert_eq!(place.run("check --status m"), place.run("check --status --audit m"));
    assert_eq!(place.run("check --status m").stderr, "");
}

#[test]
fn if_nothing_is_there_the_folder_is_doubted() {
    let place = place();
    place.file("elsewhere/m", format!("{ABC_SHA256}  g\n{ABC_SHA256}  h\n"));
    let doubt = |folder: &str| {
        format!("manyhash: elsewhere/m: nothing that it lists is there; names are relative to {folder}, -C DIR takes another\n")
    };
    assert!(place.run("check elsewhere/m").stderr.starts_with(&doubt("the current folder")));
    assert!(place.run("check -C d elsewhere/m").stderr.starts_with(&doubt("d")));
    assert!(!place.run("check --status elsewhere/m").stderr.contains("-C"));
    place.file("g", "abc");
    assert!(!place.run("check elsewhere/m").stderr.contains("-C"));
}

#[test]
fn if_lengths_told_and_nothing_can_be_tried_the_other_algorithms_are_named() {
    let place = place();
    place.file("large", vec![1; (64 << 20) + 1]).file("m", format!("{ABC_SHA256}  large\n"));
    let check = place.run("check m");
    let doubt = "manyhash: m: no digest is right as SHA-256; SHA-512/256, SHA3-256, Keccak-256, BLAKE2s, BLAKE2b-256, BLAKE3, SM3 have as many digits: -a says which\n";
    assert!(check.stderr.starts_with(doubt), "{}", check.stderr);
    assert!(!place.run("check -a sha256 m").stderr.contains("-a says"));
}

#[test]
fn a_folder_stands_for_the_lists_in_it() {
    let place = Place::new();
    place.file("p/q/a", "abc").file("p/q/b/c", "").file("p/beside", "abc");
    place.file("p/q/SHA256SUMS", format!("{ABC_SHA256}  a\n{EMPTY_SHA256}  b/c\n")).file("p/q/sha1sums.txt", format!("{ABC_SHA1}  a\n"));
    place.file("p/q/SHA256SUMS.asc", "signature").file("p/q/other.txt", "text");
    let check = place.run("check p/q");
    let lines = "p/q/a: OK\np/q/b/c: OK\np/q/a: OK\n";
    assert_eq!((check.stdout.as_str(), check.stderr.as_str()), (lines, "manyhash: 3 files OK (6 B, 2 manifests)\n"));
    assert_eq!(place.run("check p/q/").stdout, lines);
    let inside = outcome(place.command(BINARY).current_dir(place.join("p/q")).args(["check", "."]), b"");
    assert_eq!(inside.stdout, lines.replace("p/q/", "./"));
    // An audit is of that folder, and not of the one that it is in.
    let audit = place.run("check --audit --quiet p/q");
    assert_eq!(audit.stdout, "p/q/SHA256SUMS.asc: NOT LISTED\np/q/other.txt: NOT LISTED\n");
    assert_eq!(place.run("check -C p p/q").stdout.matches("MISSING").count(), 3);
    // Without a list there is nothing to sum up.
    let none = place.run("check p");
    let told = "manyhash: p: Is a directory; there is no SHA256SUMS, bagit.txt or the like in it\n";
    assert_eq!((none.stdout.as_str(), none.stderr.as_str(), none.code), ("", told, Some(1)));
    let drop_in = place.run("sha256sum -c p/q");
    assert!(drop_in.code == Some(1) && drop_in.stdout.is_empty() && !drop_in.stderr.contains("SHA256SUMS"), "{drop_in:?}");

    place
        .file("bag/bagit.txt", "BagIt-Version: 1.0\n")
        .file("bag/data/a", "abc")
        .file("bag/manifest-sha256.txt", format!("{ABC_SHA256}  data/a\n"));
    place.file("bag/tagmanifest-sha1.txt", "").file("bag/manifest-crc.txt", "x").file("bag/MD5SUMS", "no list of a bag");
    assert_eq!(place.run("check bag").stdout, "bag/data/a: OK\n");
    place.file("s/x.py", "abc").file("s/x-1.dist-info/RECORD", "x.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n");
    assert_eq!(place.run("check s/x-1.dist-info").stdout, "s/x.py: OK\n");
}
