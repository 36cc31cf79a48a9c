//! `manyhash tree fs-verity` beside `fsverity digest`, with the same lines, trees and descriptors.

use crate::support::{BINARY, Outcome, Place, outcome, pattern, peer};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const BLOCK_SIZES: [usize; 7] = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/// Runs `fsverity digest` and our command with the same arguments.
fn compare(place: &Place, fsverity: &Path, options: &[String], files: &[String]) -> Outcome {
    let theirs = outcome(place.command(fsverity).arg("digest").args(options).args(files), b"");
    let ours = outcome(place.command(BINARY).args(["tree", "fs-verity"]).args(options).args(files), b"");
    assert_eq!(ours, theirs, "ours (left) differs from fsverity's: {options:?} {files:?}");
    assert_eq!(ours.code, Some(0));
    ours
}

fn options(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

/// Creates files of these lengths, named by them.
fn files(place: &Place, lengths: &[usize]) -> Vec<String> {
    let name = |&bytes: &usize| {
        let name = format!("f{bytes}");
        if !place.join(&name).exists() {
            place.file(&name, pattern(bytes));
        }
        name
    };
    lengths.iter().map(name).collect()
}

/// Returns lengths around every edge of a tree of this shape, as far as they are quick.
fn lengths(block_bytes: usize, digest_bytes: usize) -> Vec<usize> {
    let tree_block = block_bytes / digest_bytes * block_bytes;
    let two_levels = block_bytes / digest_bytes * tree_block;
    let edges = [block_bytes, 2 * block_bytes, tree_block - block_bytes, tree_block, tree_block + block_bytes, two_levels];
    let around = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]);
    let mut lengths: Vec<_> = [0, 1].into_iter().chain(around).filter(|&length| length <= 9 << 20).collect();
    if two_levels <= 2 << 20 {
        lengths.push(2 * two_levels + 5);
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[test]
fn digests_are_those_of_fsverity_around_every_edge() {
    let Some(fsverity) = peer("fsverity") else { return };
    let place = Place::new();
    let salts = [0, 1, 31, 32].map(|bytes| "a7".repeat(bytes));
    for (hash, digest_bytes) in [("sha256", 32), ("sha512", 64)] {
        for (index, block_bytes) in BLOCK_SIZES.into_iter().enumerate() {
            let files = files(&place, &lengths(block_bytes, digest_bytes));
            // Every salt is used with the smallest and default blocks, one of them with the others.
            let salts = if matches!(block_bytes, 1024 | 4096) { &salts[..] } else { &salts[index % 4..][..1] };
            for salt in salts {
                let line = format!("--hash-alg={hash} --block-size={block_bytes} --salt={salt}");
                compare(&place, &fsverity, &options(&line), &files);
            }
        }
    }
}

#[test]
fn every_form_of_output_is_that_of_fsverity() {
    let Some(fsverity) = peer("fsverity") else { return };
    let place = Place::new();
    let mut files = files(&place, &[0, 1, 4096, 5000, 700_000]);
    for name in ["new\nline", "back\\slash", " blank ", "\u{e9}"] {
        place.file(name, name);
        files.push(name.to_string());
    }
    symlink("f5000", place.join("link")).unwrap();
    files.push("link".to_string());
    for line in [
        "",
        "--compact",
        "--for-builtin-sig",
        "--compact --for-builtin-sig",
        "--hash-alg sha512 --for-builtin-sig",
        "--hash-alg=sha512 --salt=AABBcc --block-size=1024 --for-builtin-sig",
        "--hash-alg sha256 --block-size 65536 --salt 00",
    ] {
        compare(&place, &fsverity, &options(line), &files);
    }
}

#[test]
fn trees_and_descriptors_are_those_of_fsverity() {
    let Some(fsverity) = peer("fsverity") else { return };
    let place = Place::new();
    let cases = [("sha256", 32, 1024), ("sha512", 64, 1024), ("sha256", 32, 4096), ("sha512", 64, 65_536)];
    for (hash, digest_bytes, block_bytes) in cases {
        for file in files(&place, &lengths(block_bytes, digest_bytes)) {
            let both = |whose: &str| {
                let salt = if file.ends_with('1') { "5a".repeat(32) } else { String::new() };
                let parameters = format!("--hash-alg={hash} --block-size={block_bytes} --salt={salt}");
                let mut command = place.command(if whose == "ours" { Path::new(BINARY) } else { &fsverity });
                command.args(if whose == "ours" { &["tree", "fs-verity"][..] } else { &["digest"] });
                command.args(options(&parameters)).arg(format!("--out-merkle-tree={whose}.tree"));
                let run = outcome(command.arg(format!("--out-descriptor={whose}.descriptor")).arg(&file), b"");
                assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)), "{whose}: {parameters} {file}");
                (
                    run.stdout,
                    fs::read(place.join(format!("{whose}.tree"))).unwrap(),
                    fs::read(place.join(format!("{whose}.descriptor"))).unwrap(),
                )
            };
            assert!(both("ours") == both("theirs"), "--hash-alg={hash} --block-size={block_bytes} {file}");
        }
    }
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let place = Place::new();
    place.file("f", pattern(100_000));
    fs::create_dir(place.join("folder")).unwrap();
    for (line, name) in [
        ("--out-merkle-tree no/such/tree f", "no/such/tree"),
        ("--out-descriptor no/such/descriptor f", "no/such/descriptor"),
        ("--out-descriptor d --out-merkle-tree no/such/tree f", "no/such/tree"),
        ("--out-merkle-tree t --out-descriptor no/such/descriptor f", "no/such/descriptor"),
        ("--out-merkle-tree folder f", "folder"),
        ("--out-merkle-tree t --out-descriptor d missing", "missing"),
    ] {
        let run = place.run(&format!("tree fs-verity {line}"));
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
        assert!(run.stderr.starts_with(&format!("manyhash: {name}: ")), "{line}: {}", run.stderr);
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["f", "folder"], "{line}");
    }
    // An old file stays if the new one fails.
    place.file("t", "old");
    assert_eq!(place.run("tree fs-verity --out-merkle-tree t missing").code, Some(1));
    assert_eq!(fs::read(place.join("t")).unwrap(), b"old");
}
