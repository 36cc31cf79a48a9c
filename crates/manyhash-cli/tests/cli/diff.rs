//! `manyhash diff`: two lists, and a list and a folder. DIFF.md is the specification.

use crate::random::Random;
use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Outcome, Place, outcome};
use manyhash::{AnyAlgorithm, Sha256, hash};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

/// Creates a tree `t` and its list `old`.
fn listed() -> Place {
    let place = Place::new();
    place.file("t/a", "a").file("t/b", "b").file("t/u/c", "c").file("t/u/d", "d").file("beside", "x");
    assert_eq!(place.run("sum -r -o old t").code, Some(0));
    place
}

fn rename(place: &Place, from: &str, to: &str) {
    fs::create_dir_all(place.join(to).parent().unwrap()).unwrap();
    fs::rename(place.join(from), place.join(to)).unwrap();
}

/// Returns standard output, the last message and the exit code.
fn found(diff: &Outcome) -> (&str, &str, Option<i32>) {
    (&diff.stdout, diff.stderr.lines().last().unwrap_or_default(), diff.code)
}

#[test]
fn what_is_the_same_says_nothing() {
    let place = listed();
    for new in ["old", "t", "./t/", "t/../t"] {
        let diff = place.run(&format!("diff old {new}"));
        assert_eq!(found(&diff), ("", "manyhash: 4 files the same", Some(0)), "{new}");
    }
    assert_eq!(place.run("diff --status old t"), Outcome { stdout: String::new(), stderr: String::new(), code: Some(0) });
}

#[test]
fn a_list_and_a_folder_give_what_two_lists_give() {
    let place = listed();
    rename(&place, "t/a", "t/v/moved");
    fs::remove_file(place.join("t/u/c")).unwrap();
    place.file("t/u/d", "changed").file("t/0", "new");
    place.run("sum -r -o new t");
    let expected = "added    t/0\nmoved    t/a -> t/v/moved\nremoved  t/u/c\nchanged  t/u/d\n";
    for arguments in ["old new", "old t", "-j 1 old t", "old t --cache c", "old t --cache c"] {
        let diff = place.run(&format!("diff {arguments}"));
        let summary = "manyhash: 1 file the same, 1 added, 1 removed, 1 changed, 1 moved";
        assert_eq!(found(&diff), (expected, summary, Some(1)), "{arguments}");
        let status = place.run(&format!("diff --status {arguments}"));
        assert_eq!((status.stdout.as_str(), status.stderr.as_str(), status.code), ("", "", Some(1)));
    }
    assert_eq!(place.run("diff new old").stdout, "removed  t/0\nadded    t/u/c\nchanged  t/u/d\nmoved    t/v/moved -> t/a\n");
    let streamed = place.run_with("diff - new", fs::read(place.join("old")).unwrap().as_slice());
    assert_eq!((streamed.stdout.as_str(), streamed.code), (expected, Some(1)));

    let [by_list, by_folder] = ["old new", "old t"].map(|arguments| {
        let diff = place.run(&format!("diff --json {arguments}"));
        diff.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    });
    let digest = |content: &str| const_hex(content);
    let expected = serde_json::json!([
        {"status": "added", "path": "t/0", "algorithm": "SHA-256", "digest": digest("new"), "bytes": 3},
        {"status": "moved", "path": "t/v/moved", "from": "t/a", "algorithm": "SHA-256", "digest": digest("a"), "bytes": 1},
        {"status": "removed", "path": "t/u/c", "algorithm": "SHA-256", "expected": digest("c")},
        {"status": "changed", "path": "t/u/d", "algorithm": "SHA-256", "expected": digest("d"), "digest": digest("changed"), "bytes": 7},
        {"status": "summary", "same": 1, "added": 1, "removed": 1, "changed": 1, "moved": 1},
    ]);
    assert_eq!(Value::Array(by_folder), expected);
    // These lists do not say sizes.
    let mut without_sizes = expected;
    for object in without_sizes.as_array_mut().unwrap() {
        object.as_object_mut().unwrap().remove("bytes");
    }
    assert_eq!(Value::Array(by_list), without_sizes);
}

fn const_hex(content: &str) -> String {
    crate::support::hexadecimal(hash::<Sha256>(content.as_bytes()))
}

#[test]
fn lists_of_any_two_forms_are_compared_by_what_they_have_in_common() {
    let place = listed();
    place.run("sum -r -a sha512,sha256 -o tags t").code.unwrap();
    place.run("sum -r --json -o json ./t").code.unwrap();
    for (old, new) in [("old", "tags"), ("tags", "json"), ("json", "old"), ("tags", "t"), ("json", "t")] {
        let diff = place.run(&format!("diff {old} {new}"));
        assert_eq!(found(&diff), ("", "manyhash: 4 files the same", Some(0)), "{old} {new}");
    }
    place.run("sum -r -a sha1 -o sha1 t");
    let diff = place.run("diff tags sha1");
    assert_eq!(found(&diff), ("", "manyhash: tags has SHA-512, SHA-256, sha1 has SHA-1: no algorithm is in both", Some(2)));
    // Of single files, too.
    place.file("mixed", fs::read_to_string(place.join("sha1")).unwrap() + &format!("{ABC_SHA256}  x\n"));
    let diff = place.run("diff mixed old");
    assert!(diff.stderr.contains("manyhash: t/a: mixed has its SHA-1, old its SHA-256: these cannot be compared\n"), "{}", diff.stderr);
    assert_eq!((diff.stdout.as_str(), diff.code), ("removed  x\n", Some(2)));
    // A digest whose length would tell another algorithm.
    place.run("sum -r -a sha3-256 -o sums t");
    assert_eq!(place.run("diff -a sha3-256 sums t").code, Some(0));
    assert_eq!(place.run("diff sums t").stdout.lines().count(), 4);
    // BLAKE2b of an unusual length.
    let line = place.run("b2sum -l 128 --tag t/a").stdout;
    place.file("b2", line);
    assert_eq!(place.run("diff b2 t").stdout, "added    t/b\nadded    t/u/c\nadded    t/u/d\n");
}

#[test]
fn files_of_one_content_are_paired_by_the_ends_of_their_names() {
    let place = Place::new();
    let list = |names: &[&str]| names.iter().map(|name| format!("{ABC_SHA256}  {name}\n")).collect::<String>();
    place.file("old", list(&["2020/a/x", "2020/b/x", "2020/b/y", "z"]));
    place.file("new", list(&["2021/b/x", "2021/b/y", "other", "z", "zz"]));
    let diff = place.run("diff old new");
    assert_eq!(diff.stdout, "moved    2020/a/x -> other\nmoved    2020/b/x -> 2021/b/x\nmoved    2020/b/y -> 2021/b/y\nadded    zz\n");
    let diff = place.run("diff new old");
    assert_eq!(diff.stdout, "moved    2021/b/x -> 2020/b/x\nmoved    2021/b/y -> 2020/b/y\nmoved    other -> 2020/a/x\nremoved  zz\n");
}

#[test]
fn names_are_relative_to_what_check_takes_them_relative_to() {
    let place = listed();
    place.file("inside", outcome(place.command(BINARY).current_dir(place.join("t")).args(["sum", "-r", "."]), b"").stdout);
    let diff = place.run("diff inside t");
    let hint = "manyhash: no file that inside names is in t: names are relative to the current folder, or to that of -C";
    assert_eq!(found(&diff), ("", hint, Some(2)));
    place.file("t/new", "new");
    let diff = place.run("diff -C t inside t");
    assert_eq!(found(&diff), ("added    new\n", "manyhash: 4 files the same, 1 added", Some(1)));
    // A part of what is listed.
    let diff = place.run("diff old t/u");
    assert_eq!(diff.stderr, "manyhash: old: 2 names outside of t/u not compared\nmanyhash: 2 files the same\n");
    assert_eq!((diff.stdout.as_str(), diff.code), ("", Some(0)));
    // Absolute names.
    let folder = place.path().canonicalize().unwrap().join("t").display().to_string();
    place.run(&format!("sum -r -o absolute {folder}"));
    place.file("t/newer", "");
    assert_eq!(place.run("diff absolute t").stdout, format!("added    {folder}/newer\n"));
    // A bag, from anywhere; the folder that it is in has more than its payload.
    place.file("bag/data/a", "abc").file("bag/manifest-sha256.txt", format!("{ABC_SHA256}  data/a\n"));
    place.file("bag/data/b", "");
    assert_eq!(place.run("diff bag/manifest-sha256.txt bag/data").stdout, "added    data/b\n");
    // The list itself, a listed link, and links that are not listed.
    place.file("d/f", "abc").file("d/sums", format!("{ABC_SHA256}  d/f\n{ABC_SHA256}  d/link\n"));
    symlink("f", place.join("d/link")).unwrap();
    symlink("f", place.join("d/link2")).unwrap();
    assert_eq!(found(&place.run("diff d/sums d")), ("", "manyhash: 2 files the same", Some(0)));
}

#[test]
fn odd_names_are_escaped_in_text_and_whole_in_json() {
    let place = Place::new();
    place.file("t/x\ny", "abc").file("t/\\", "");
    place.file("old", format!("{ABC_SHA256}  t/a\n{EMPTY_SHA256}  t/b b\n"));
    let diff = place.run("diff old t");
    assert_eq!(diff.stdout, "\\moved    t/a -> t/x\\ny\n\\moved    t/b b -> t/\\\\\n");
    let diff = place.run("diff --json old t");
    let object: Value = serde_json::from_str(diff.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&object["from"], &object["path"]), (&"t/a".into(), &"t/x\ny".into()));
}

#[test]
fn trouble_is_told_and_the_rest_is_compared() {
    let place = listed();
    let old = fs::read_to_string(place.join("old")).unwrap();
    for (arguments, message) in [
        ("old none", "manyhash: none: No such file or directory\n"),
        ("none old", "manyhash: none: No such file or directory\n"),
        ("t old", "manyhash: t: Is a directory; OLD is a list, as `manyhash sum -r` makes one of a folder\n"),
        ("- -", "manyhash: standard input cannot be both lists\n"),
        ("-C t old old", "manyhash: -C is for a list and a folder: the names of two lists are compared as they are\n"),
        ("-C none old t", "manyhash: none: No such file or directory\n"),
    ] {
        let diff = place.run(&format!("diff {arguments}"));
        assert_eq!(diff, Outcome { stdout: String::new(), stderr: message.to_string(), code: Some(2) }, "{arguments}");
    }
    place.file("bad", format!("{old}nonsense\n{ABC_SHA256}  t/new\n"));
    for new in ["bad old", "bad t"] {
        let diff = place.run(&format!("diff {new}"));
        assert!(diff.stderr.starts_with("manyhash: bad: 5: improperly formatted checksum line\n"), "{}", diff.stderr);
        assert_eq!((diff.stdout.as_str(), diff.code), ("removed  t/new\n", Some(2)));
    }
    place.file("twice", format!("{old}{ABC_SHA256}  ./t/a\n"));
    let diff = place.run("diff twice old");
    assert_eq!((diff.stderr.lines().next(), diff.code), (Some("manyhash: t/a: twice has two SHA-256 digests of it"), Some(2)));
    // What cannot be read is neither the same nor different. A fifo without a writer would be waited for.
    fs::remove_file(place.join("t/b")).unwrap();
    symlink("b", place.join("t/b")).unwrap();
    let diff = place.run("diff old t");
    assert!(diff.stderr.starts_with("manyhash: t/b: Too many levels of symbolic links\n"), "{}", diff.stderr);
    assert_eq!((diff.stdout.as_str(), diff.code), ("", Some(2)));
    // An empty list is a list of no files.
    place.file("empty", "");
    assert_eq!(place.run("diff empty old").stdout.lines().count(), 4);
    assert_eq!(place.run("diff empty empty").code, Some(0));
    let diff = place.run("diff empty t");
    assert_eq!((diff.stdout.lines().count(), diff.code), (3, Some(1)), "{}", diff.stdout);
}

/// Against a few lines that do the same slowly: random lists, with duplicates.
#[test]
fn random_lists_are_compared_as_sets_of_names_and_contents() {
    for mut random in Random::of_cases(20) {
        let place = Place::new();
        let mut sides: [BTreeMap<String, u64>; 2] = Default::default();
        for (side, name) in sides.iter_mut().zip(["old", "new"]) {
            for _ in 0..random.below(40) {
                side.insert(format!("{}/{}", random.below(3), random.below(12)), random.below(8) as u64);
            }
            let line = |(name, content): (&String, &u64)| format!("{}  {name}\n", const_hex(&content.to_string()));
            place.file(name, side.iter().map(line).collect::<String>());
        }
        let [old, new] = &sides;
        let diff = place.run("diff --json old new");
        let objects: Vec<Value> = diff.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (summary, objects) = objects.split_last().unwrap();
        let same = old.iter().filter(|(name, content)| new.get(*name) == Some(content)).count();
        let changed = old.iter().filter(|(name, content)| new.get(*name).is_some_and(|other| other != *content)).count();
        assert_eq!((summary["same"].as_u64(), summary["changed"].as_u64()), (Some(same as u64), Some(changed as u64)));
        let alone = |one: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>| -> BTreeMap<u64, usize> {
            let mut counts = BTreeMap::new();
            for (_, content) in one.iter().filter(|(name, _)| !other.contains_key(*name)) {
                *counts.entry(*content).or_default() += 1;
            }
            counts
        };
        let (removed, added) = (alone(old, new), alone(new, old));
        let moved: usize = removed.iter().map(|(content, count)| count.min(added.get(content).unwrap_or(&0))).sum();
        assert_eq!(summary["moved"], moved, "{}", diff.stdout);
        assert_eq!(summary["removed"], removed.values().sum::<usize>() - moved);
        assert_eq!(summary["added"], added.values().sum::<usize>() - moved);
        for object in objects.iter().filter(|object| object["status"] == "moved") {
            let [from, to] = ["from", "path"].map(|key| object[key].as_str().unwrap());
            assert_eq!((old.get(from), new.contains_key(from), old.contains_key(to)), (new.get(to), false, false));
        }
    }
}

#[test]
fn every_algorithm_is_hashed_as_listed() {
    let place = Place::new();
    place.file("t/a", "a").file("t/b", "b");
    for algorithm in AnyAlgorithm::ALL {
        place.run(&format!("sum --tag -a {algorithm} -r -o old t"));
        let diff = place.run("diff old t");
        assert_eq!(found(&diff), ("", "manyhash: 2 files the same", Some(0)), "{algorithm}");
    }
}
