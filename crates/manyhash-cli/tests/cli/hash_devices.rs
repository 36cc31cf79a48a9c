//! `manyhash verity` where it is not `veritysetup`: order of writes, leftovers, messages of faults.

use crate::support::{BINARY, Outcome, Place, outcome};
use std::fs;
use std::os::unix::fs::{FileExt, symlink};

const SMALL: &str = "--data-block-size 512 --hash-block-size 512";
const UUID: &str = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

/// Creates 600 blocks of 512 bytes. The tree has 38 blocks of hashes, 3 above them, one on top.
fn place() -> Place {
    let place = Place::new();
    place.file("data", data());
    place
}

fn data() -> Vec<u8> {
    (0..600 * 512_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect()
}

fn names(place: &Place) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn root_of(report: &Outcome) -> String {
    assert_eq!((report.code, report.stderr.as_str()), (Some(0), ""), "{}", report.stdout);
    report.stdout.lines().find_map(|line| line.strip_prefix("Root hash:")).unwrap().trim().to_string()
}

fn flip(place: &Place, name: &str, offset: u64) {
    let file = fs::File::options().read(true).write(true).open(place.join(name)).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[byte[0] ^ 4], offset).unwrap();
}

const SILENCE: (&str, &str, Option<i32>) = ("", "", Some(0));

fn parts(outcome: &Outcome) -> (&str, &str, Option<i32>) {
    (&outcome.stdout, &outcome.stderr, outcome.code)
}

#[test]
fn each_kind_of_fault_has_its_line_from_the_top_to_the_data() {
    let place = place();
    let root = root_of(&place.run(&format!("verity format data hash --salt aa {SMALL}")));
    let verify = || place.run(&format!("verity verify data hash {root}"));
    let pristine = fs::read(place.join("hash")).unwrap();
    assert_eq!(parts(&verify()), SILENCE);
    // The top is in block 1 of the file, the 3 blocks of level 1 follow, then level 0.
    flip(&place, "data", 137 * 512 + 9);
    flip(&place, "data", 599 * 512);
    let lines = verify().stderr;
    assert_eq!(lines, "manyhash: data: 2 corrupt blocks of 600, the first is block 137 (at byte 70144)\n");
    flip(&place, "data", 137 * 512 + 9);
    flip(&place, "data", 599 * 512);
    flip(&place, "hash", (5 + 3) * 512 + 5 * 32);
    assert_eq!(
        verify().stderr,
        "manyhash: hash: level 0: 1 corrupt block of 38, the first is block 3 (at byte 4096)\n\
         manyhash: data: 1 corrupt block of 600, the first is block 53 (at byte 27136)\n"
    );
    fs::write(place.join("hash"), &pristine).unwrap();
    // These bytes are behind the last digest of level 1, and in the top.
    flip(&place, "hash", 5 * 512 - 1);
    flip(&place, "hash", 512 + 3 * 32);
    let outcome = verify();
    let lines: Vec<_> = outcome.stderr.lines().collect();
    assert!(lines[0].starts_with("manyhash: hash: the root hash is ") && lines[0].ends_with(&format!(", not {root}")), "{lines:#?}");
    assert_eq!(
        lines[1..],
        [
            "manyhash: hash: level 2: not zero where no hash is: 1 corrupt block of 1, the first is block 0 (at byte 512)",
            "manyhash: hash: level 1: 1 corrupt block of 3, the first is block 2 (at byte 2048)",
            "manyhash: hash: level 1: not zero where no hash is: 1 corrupt block of 3, the first is block 2 (at byte 2048)",
        ]
    );
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("", Some(1)));
}

#[test]
fn a_single_block_is_verified_by_the_root_alone() {
    let place = Place::new();
    place.file("data", [7; 4096]);
    let root = root_of(&place.run("verity format data hash --salt aa"));
    assert_eq!(parts(&place.run(&format!("verity verify data hash {root}"))), SILENCE);
    flip(&place, "data", 77);
    let outcome = place.run(&format!("verity verify data hash {root}"));
    assert!(outcome.code == Some(1) && outcome.stderr.starts_with("manyhash: data: the root hash is "), "{outcome:?}");
}

#[test]
fn a_file_that_is_there_is_written_in_place_and_keeps_its_names_and_what_is_around() {
    let place = place();
    place.file("hash", [0xee; 100_000]);
    fs::hard_link(place.join("hash"), place.join("other-name")).unwrap();
    symlink("hash", place.join("link")).unwrap();
    let line = format!("verity format data link --salt aa --uuid {UUID} --hash-offset 1024 {SMALL}");
    let root = root_of(&place.run(&line));
    let content = fs::read(place.join("other-name")).unwrap();
    let tree_end = 1024 + 43 * 512;
    assert_eq!((content.len(), &content[1024..1030]), (100_000, &b"verity"[..]));
    assert!(content[..1024].iter().chain(&content[tree_end..]).all(|&byte| byte == 0xee));
    assert!(fs::symlink_metadata(place.join("link")).unwrap().is_symlink());
    let verify = place.run(&format!("verity verify data other-name {root} --hash-offset 1024"));
    assert_eq!(parts(&verify), SILENCE);
}

#[test]
fn what_would_grow_too_large_leaves_the_old_file_and_no_new_one() {
    let place = place();
    place.file("old", "old");
    for name in ["old", "new"] {
        let script = format!("ulimit -f 8; trap '' XFSZ; exec {BINARY} verity format data {name} {SMALL}");
        let failed = outcome(place.command("sh").args(["-c", &script]), b"");
        assert_eq!(parts(&failed), ("", format!("manyhash: {name}: File too large\n").as_str(), Some(1)));
        assert_eq!((names(&place), fs::read(place.join("old")).unwrap()), (vec!["data".to_string(), "old".to_string()], b"old".to_vec()));
    }
}

#[test]
fn the_hashes_do_not_overwrite_the_data_they_are_of() {
    let place = place();
    symlink("data", place.join("link")).unwrap();
    for offset in ["0", "512", "306688"] {
        let refused = place.run(&format!("verity format data link --hash-offset {offset} {SMALL}"));
        assert!(refused.code == Some(1) && refused.stderr.contains("--data-blocks") && refused.stdout.is_empty(), "{refused:?}");
        assert_eq!(fs::read(place.join("data")).unwrap(), data());
    }
    // Only a part of the device is data.
    let root = root_of(&place.run(&format!("verity format data link --hash-offset 512 --data-blocks 1 --salt - {SMALL}")));
    assert_eq!(parts(&place.run(&format!("verity verify data data --hash-offset 512 {root}"))), SILENCE);
}

#[test]
fn a_root_hash_file_replaces_neither_data_nor_hashes() {
    let place = place();
    for name in ["data", "hash", "./data", "./hash"] {
        let refused = place.run(&format!("verity format data hash --root-hash-file {name} {SMALL}"));
        assert!(refused.code == Some(2) && refused.stderr.contains("--root-hash-file"), "{refused:?}");
        assert_eq!((names(&place), fs::read(place.join("data")).unwrap()), (vec!["data".to_string()], data()));
    }
}

#[test]
fn options_that_contradict_the_superblock_are_told() {
    let place = place();
    let root = root_of(&place.run(&format!("verity format data hash --salt aa --hash sha1 --format 0 {SMALL}")));
    let agreeing = format!("--salt AA --hash SHA-1 --format 0 --data-blocks 600 {SMALL}");
    assert_eq!(parts(&place.run(&format!("verity verify data hash {root} {agreeing}"))), SILENCE);
    for (option, stored) in [
        ("--salt aabb", "aa"),
        ("--salt -", "aa"),
        ("--hash sha256", "sha1"),
        ("--format 1", "0"),
        ("--data-block-size 4096", "512"),
        ("--hash-block-size 1024", "512"),
        ("--data-blocks 599", "600"),
    ] {
        let refused = place.run(&format!("verity verify data hash {root} {option}"));
        assert_eq!(parts(&refused), ("", format!("manyhash: hash: the superblock says {stored}, not {option}\n").as_str(), Some(1)));
    }
}

#[test]
fn wrong_usage_is_told_before_anything_is_read() {
    let place = place();
    for (line, hint) in [
        ("verify data hash aa --root-hash-file root", "cannot be used with"),
        ("format data new --no-superblock --hash-offset 512", "--hash-offset 512"),
        ("format data new --threads x", "--threads"),
        ("nonsense", "nonsense"),
    ] {
        let refused = place.run(&format!("verity {line}"));
        assert!(refused.code == Some(2) && refused.stderr.contains(hint), "{line}: {refused:?}");
    }
    assert_eq!(names(&place), ["data"]);
}

#[test]
fn what_has_no_size_is_no_device() {
    let place = place();
    for (line, name) in [
        ("format /dev/null new", "/dev/null"),
        ("format data /dev/null --data-block-size 512", "/dev/null"),
        ("dump /dev/zero", "/dev/zero"),
    ] {
        let refused = place.run(&format!("verity {line}"));
        assert_eq!(parts(&refused), ("", format!("manyhash: {name}: neither a regular file nor a block device\n").as_str(), Some(1)));
    }
    assert_eq!(names(&place), ["data"]);
}

#[test]
fn any_number_of_threads_makes_the_same_device() {
    let place = Place::new();
    let data: Vec<u8> = (0..5_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as u8).collect();
    place.file("data", data);
    let format = |threads: &str| place.run(&format!("verity format data hash{threads} --salt aa --uuid {UUID} -j {threads}"));
    let root = root_of(&format("1"));
    for threads in ["2", "7"] {
        assert_eq!(root_of(&format(threads)), root);
        assert!(fs::read(place.join(format!("hash{threads}"))).unwrap() == fs::read(place.join("hash1")).unwrap(), "{threads}");
        assert_eq!(parts(&place.run(&format!("verity verify data hash1 {root} -j {threads}"))), SILENCE);
    }
}

#[test]
fn help_is_there_although_h_is_a_hash() {
    let place = Place::new();
    for command in ["format", "verify", "dump"] {
        let help = place.run(&format!("verity {command} --help"));
        assert!(help.code == Some(0) && help.stdout.contains("\nExamples:\n") && help.stdout.contains("--help"), "{help:?}");
        let page = place.run(&format!("man verity {command}"));
        assert!(page.stdout.contains(&format!(".TH MANYHASH-VERITY-{} 1 ", command.to_uppercase())), "{page:?}");
    }
}
