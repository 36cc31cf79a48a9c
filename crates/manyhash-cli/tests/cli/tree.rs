//! `manyhash tree`: every vector, files and streams, wrong usage and faults. `fs_verity`, `verity`
//! and `pieces` compare it with real tools.

use crate::support::{BINARY, Place, hexadecimal, outcome, pattern};
use manyhash::{Algorithm, Sha1, Sha256, Sha512, hash};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;

const VECTORS: &str = include_str!("../../../../vectors/tree-modes.txt");

struct Vector {
    command: String,
    lengths: Vec<usize>,
    /// The number of ids in the file, if that is a list of ids.
    ids: usize,
    digest: &'static str,
}

fn vector(line: &'static str) -> Vector {
    let (mode, parameters) = line.split_once(' ').unwrap();
    let mut vector = Vector { command: mode.replace("s3-etag", "s3 --etag"), lengths: vec![], ids: 0, digest: "" };
    for parameter in parameters.split(' ') {
        let (name, value) = parameter.split_once('=').unwrap();
        let option = match name {
            "bytes" | "files" => {
                vector.lengths = value.split(',').map(|length| length.parse().unwrap()).collect();
                continue;
            }
            "digest" => {
                vector.digest = value;
                continue;
            }
            "tree" => continue,
            "ids" => {
                vector.ids = value.parse().unwrap();
                continue;
            }
            "salt" if value == "-" && mode == "fs-verity" => continue,
            "separated" => {
                vector.command += " --separated";
                continue;
            }
            "algorithm" => "-a",
            "lanes" => "-l",
            "hash" if mode == "fs-verity" => "--hash-alg",
            "hash" => "--hash",
            "block" => "--block-size",
            "salt" => "--salt",
            "format" if mode == "git" => "--object-format",
            "format" => "--format",
            "element" => "--element-bytes",
            "limit" => "--limit",
            "data_block" => "--data-block-size",
            "hash_block" => "--hash-block-size",
            "piece" => "--piece-length",
            "part" => "--part-size",
            _ => panic!("{name} in {line}"),
        };
        vector.command += &format!(" {option} {value}");
    }
    vector
}

fn message(place: &Place, bytes: usize) -> String {
    let name = format!("m{bytes}");
    if !place.join(&name).exists() {
        place.file(&name, pattern(bytes));
    }
    name
}

/// Returns a digest as Bitcoin's programs print it, from the last byte to the first.
fn displayed(digest: &str) -> String {
    digest.as_bytes().chunks(2).rev().flatten().map(|digit| char::from(*digit)).collect()
}

/// Creates a list of the parts of 32 bytes of a message, as ids.
fn list_of_ids(place: &Place, ids: usize) -> String {
    let list: String = pattern(32 * ids).chunks(32).map(|id| displayed(&hexadecimal(id)) + "\n").collect();
    let name = format!("ids{ids}");
    place.file(&name, list);
    name
}

#[test]
fn every_vector_comes_out_of_the_command() {
    let place = Place::new();
    let mut runs: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
    for vector in VECTORS.lines().filter(|line| !line.starts_with('#')).map(vector) {
        let mut names: Vec<_> = vector.lengths.iter().map(|&bytes| message(&place, bytes)).collect();
        let mut digest = vector.digest.to_string();
        if vector.ids > 0 {
            names.push(list_of_ids(&place, vector.ids));
            digest = displayed(&digest);
        }
        if vector.command.starts_with("files") || vector.command == "rfc9162" {
            let run = place.run(&format!("tree {} {}", vector.command, names.join(" ")));
            assert_eq!((run.stdout, run.code), (format!("{digest}\n"), Some(0)), "{}: {}", vector.command, run.stderr);
            continue;
        }
        let line = match vector.command.strip_prefix("fs-verity --hash-alg ") {
            Some(hash) => format!("{}:{digest} {}\n", &hash[..6], names[0]),
            None => format!("{digest}  {}\n", names[0]),
        };
        let (files, lines) = runs.entry(vector.command).or_default();
        files.extend(names);
        *lines += &line;
    }
    assert!(runs.len() > 200, "{}", runs.len());
    for (command, (files, lines)) in &runs {
        let run = place.run(&format!("tree {command} {}", files.join(" ")));
        assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), (lines.as_str(), "", Some(0)), "{command}");
    }
}

/// Computes j-lanes by its definition.
fn j_lanes<A: Algorithm>(message: &[u8], lanes: usize) -> String {
    let word_bytes = if A::BLOCK_BYTES == 64 { 4 } else { 8 };
    let mut slices = vec![Vec::new(); lanes];
    for (index, word) in message.chunks(word_bytes).enumerate() {
        slices[index % lanes].extend_from_slice(word);
    }
    wrapped::<A>(slices)
}

/// Computes j-pointers by its definition.
fn j_pointers<A: Algorithm>(message: &[u8], pointers: usize) -> String {
    let slice_bytes = message.len().div_ceil(pointers).next_multiple_of(A::BLOCK_BYTES);
    let slices = message.chunks(slice_bytes.max(1)).map(<[u8]>::to_vec).chain(std::iter::repeat(vec![]));
    wrapped::<A>(slices.take(pointers).collect())
}

fn wrapped<A: Algorithm>(slices: Vec<Vec<u8>>) -> String {
    let digests: Vec<_> = slices.iter().flat_map(|slice| hash::<A>(slice).as_ref().to_vec()).collect();
    hexadecimal(hash::<A>(&digests))
}

#[test]
fn long_messages_have_the_same_digest_on_any_number_of_threads() {
    let place = Place::new();
    for bytes in [1_000_000, (4 << 20) + 1, 20_000_003] {
        let content = pattern(bytes);
        let name = message(&place, bytes);
        for lanes in [1, 2, 5, 16, 64, 100, 1024] {
            let digests = [
                ("sha1", j_lanes::<Sha1>(&content, lanes), j_pointers::<Sha1>(&content, lanes)),
                ("sha256", j_lanes::<Sha256>(&content, lanes), j_pointers::<Sha256>(&content, lanes)),
                ("sha512", j_lanes::<Sha512>(&content, lanes), j_pointers::<Sha512>(&content, lanes)),
            ];
            for (threads, (algorithm, of_lanes, of_pointers)) in [1, 2, 7].into_iter().zip(digests) {
                for (mode, digest) in [("j-lanes", of_lanes), ("j-pointers", of_pointers)] {
                    let run = place.run(&format!("tree {mode} -a {algorithm} -l {lanes} -j {threads} {name}"));
                    assert_eq!((run.stdout, run.code), (format!("{digest}  {name}\n"), Some(0)), "{mode} {algorithm} -l {lanes}");
                }
            }
        }
    }
}

#[test]
fn a_stream_is_hashed_in_lanes_and_has_no_pointers() {
    let place = Place::new();
    for bytes in [0, 1, 1023, 300_000, 5_000_000] {
        let content = pattern(bytes);
        let expected = format!("{}  -\n", j_lanes::<Sha256>(&content, 16));
        for line in ["tree j-lanes", "tree j-lanes -", "tree j-lanes -l 16 -a sha256 --threads 2 -"] {
            let run = place.run_with(line, &content);
            assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), (expected.as_str(), "", Some(0)), "{line}, {bytes} bytes");
        }
    }
    for line in ["tree j-pointers", "tree j-pointers -"] {
        let run = place.run_with(line, b"abc");
        assert!(run.stdout.is_empty() && matches!(run.code, Some(1 | 2)), "{run:?}");
        assert!(run.stderr.contains("standard input") || run.stderr.contains(": -: "), "{}", run.stderr);
    }
}

#[test]
fn paths_are_escaped_as_sum_escapes_them() {
    let place = Place::new();
    for (mode, name, line) in [
        ("j-lanes", "new\nline", "\\D  new\\nline\n"),
        ("j-pointers", "back\\slash", "\\D  back\\\\slash\n"),
        ("glacier", " blank ", "D   blank \n"),
        ("bittorrent-v2", "new\nline", "\\D  new\\nline\n"),
        ("s3", "back\\slash", "\\D  back\\\\slash\n"),
    ] {
        place.file(name, "abc");
        let stdout = outcome(place.command(BINARY).args(["tree", mode, name]), b"").stdout;
        let digest = stdout.trim_start_matches('\\').split_once("  ").unwrap().0;
        assert_eq!(stdout, line.replacen('D', digest, 1), "{mode}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_the_others_are_done() {
    let place = Place::new();
    place.file("a", pattern(4096)).file("z", pattern(8192));
    fs::create_dir(place.join("folder")).unwrap();
    for mode in ["j-lanes", "j-pointers", "fs-verity", "dm-verity --salt -", "bittorrent-v2", "s3", "glacier", "sha256tree", "ssz", "cid"] {
        let fine = place.run(&format!("tree {mode} a z"));
        assert_eq!((fine.stdout.lines().count(), fine.stderr.as_str(), fine.code), (2, "", Some(0)), "{mode}");
        let run = place.run(&format!("tree {mode} a missing folder z"));
        assert_eq!((run.stdout, run.code), (fine.stdout, Some(1)), "{mode}");
        let expected = "manyhash: missing: No such file or directory\nmanyhash: folder: Is a directory\n";
        assert_eq!(run.stderr, expected, "{mode}");
    }
    // Without one of the files there is no digest of all.
    let run = place.run("tree files a missing z");
    assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)));
    assert_eq!(run.stderr, "manyhash: missing: No such file or directory\n");
}

#[test]
fn files_count_in_their_order_and_as_often_as_they_are_named() {
    let place = Place::new();
    place.file("a", "a").file("b", "b");
    let wrap = |slices: &[&str]| wrapped::<Sha256>(slices.iter().map(|slice| slice.as_bytes().to_vec()).collect()) + "\n";
    for (line, slices) in [("a b", &["a", "b"][..]), ("b a", &["b", "a"]), ("a a b", &["a", "a", "b"]), ("a - b", &["a", "in", "b"])] {
        assert_eq!(place.run_with(&format!("tree files {line}"), b"in").stdout, wrap(slices), "{line}");
        assert_eq!(place.run_with(&format!("tree files --threads 2 {line}"), b"in").stdout, wrap(slices), "{line}");
    }
}

#[test]
fn wrong_usage_of_tree_names_the_parameter() {
    let place = Place::new();
    place.file("f", pattern(4096));
    let long = "00".repeat(257);
    let lines = [
        ("", "j-lanes"),
        ("nonsense f", "nonsense"),
        ("j-lanes -l 0 f", "--lanes"),
        ("j-lanes -l 1025 f", "--lanes"),
        ("j-pointers --lanes 0 f", "--lanes"),
        ("j-pointers --lanes 1025 f", "--lanes"),
        ("j-lanes -l many f", "--lanes"),
        ("j-lanes -a md6 f", "md6"),
        ("j-lanes --threads all f", "--threads"),
        ("files -l 4 f", "-l"),
        ("files --separated --cache c f", "--cache"),
        ("fs-verity --hash-alg sha1 f", "sha1"),
        ("fs-verity --block-size 0 f", "--block-size"),
        ("fs-verity --block-size 1000 f", "--block-size"),
        ("fs-verity --block-size 512 f", "--block-size"),
        ("fs-verity --block-size 131072 f", "--block-size"),
        ("fs-verity --salt 0 f", "--salt"),
        ("fs-verity --salt zz f", "--salt"),
        (&format!("fs-verity --salt {} f", &long[..66]), "--salt"),
        ("fs-verity --out-merkle-tree t f f", "--out-merkle-tree"),
        ("fs-verity --out-descriptor d f f", "--out-descriptor"),
        ("dm-verity --data-block-size 0 f", "--data-block-size"),
        ("dm-verity --data-block-size 256 f", "--data-block-size"),
        ("dm-verity --data-block-size 1000 f", "--data-block-size"),
        ("dm-verity --data-block-size 1048576 f", "--data-block-size"),
        ("dm-verity --hash-block-size 511 f", "--hash-block-size"),
        ("dm-verity --hash-block-size 1048576 f", "--hash-block-size"),
        ("dm-verity --salt abc f", "--salt"),
        ("dm-verity --salt xy f", "--salt"),
        (&format!("dm-verity --salt {long} f"), "--salt"),
        ("dm-verity --hash md6 f", "md6"),
        ("dm-verity --format 2 f", "2"),
        ("bittorrent-v2 --piece-length 8192 f", "--piece-length"),
        ("bittorrent-v2 --piece-length 20000 f", "--piece-length"),
        ("bittorrent-v2 --piece-length 0 f", "--piece-length"),
        ("s3 --part-size 0 f", "--part-size"),
        ("s3 --part-size x f", "--part-size"),
        ("s3 -a md6 f", "md6"),
    ];
    for (line, hint) in lines {
        let run = place.run(&format!("tree {line}"));
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(2)), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{line}: {}", run.stderr);
    }
    let names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["f"]);
}

#[test]
fn data_of_dm_verity_is_whole_blocks() {
    let place = Place::new();
    place.file("odd", pattern(5000)).file("empty", "").file("short", "abc").file("fine", pattern(4096));
    let fine = place.run("tree dm-verity fine --salt -");
    assert_eq!((fine.stderr.as_str(), fine.code), ("", Some(0)));
    let run = place.run("tree dm-verity --salt - odd empty short fine");
    assert_eq!((run.stdout, run.code), (fine.stdout, Some(1)));
    for (line, name) in run.stderr.lines().zip(["odd", "empty", "short"]) {
        assert!(line.starts_with(&format!("manyhash: {name}: ")), "{line}");
    }
    assert_eq!(run.stderr.lines().count(), 3, "{}", run.stderr);
    assert!(run.stderr.contains("4096"), "{}", run.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn faults_of_the_disk_are_told_by_every_mode() {
    let Some(library) = crate::faults::library() else { return };
    let modes = ["j-lanes", "j-pointers", "fs-verity", "dm-verity --salt -", "bittorrent-v2", "s3", "glacier", "files"];
    for mode in modes.into_iter().chain(["sha256tree", "rfc9162", "ssz", "git", "cid", "nar"]) {
        let place = Place::new();
        place.file("a", pattern(1 << 20)).file("b", pattern(3 << 20)).file("c", pattern(4096));
        let run = |fault: &str, files: &[&str]| {
            let mut command = place.command(BINARY);
            command.arg("tree").args(mode.split(' ')).args(files).env("LD_PRELOAD", library).env("FAULT", fault);
            outcome(&mut command, b"")
        };
        let fine = run("none:none:0", &["a", "b", "c"]);
        assert_eq!((fine.stderr.as_str(), fine.code), ("", Some(0)), "{mode}");
        for bytes in [1000, 65_536] {
            assert_eq!(run(&format!("slow:b:{bytes}"), &["a", "b", "c"]), fine, "{mode}");
        }
        let others = match mode {
            "files" | "rfc9162" => String::new(),
            _ => run("none:none:0", &["a", "c"]).stdout,
        };
        for bytes in [0, 1, 100_000] {
            let broken = run(&format!("eio:b:{bytes}"), &["a", "b", "c"]);
            assert_eq!(broken.stderr, "manyhash: b: Input/output error\n", "{mode}, after {bytes} bytes");
            assert_eq!((broken.stdout, broken.code), (others.clone(), Some(1)), "{mode}");
        }
        for fault in ["truncate:b:100000", "grow:b:5000"] {
            let changed = run(fault, &["a", "b", "c"]);
            // The call that comes before the cut may read the whole file.
            let is_read = ["j-lanes", "cid"].contains(&mode) && fault.starts_with("truncate") && changed == fine;
            assert!(is_read || changed.stderr == "manyhash: b: changed while it was being read\n", "{mode} {fault}: {changed:?}");
            place.file("b", pattern(3 << 20));
        }
        let vanished = run("vanish:b:0", &["a", "b", "c"]);
        let told = (vanished.stdout, vanished.stderr.as_str(), vanished.code);
        assert_eq!(told, (others, "manyhash: b: No such file or directory\n", Some(1)), "{mode}");
    }
}

#[test]
fn names_that_are_no_text_are_hashed_like_others() {
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    place.file(name, pattern(4096));
    for mode in ["j-lanes", "j-pointers", "fs-verity", "dm-verity", "bittorrent-v2", "s3", "glacier", "files"] {
        let run = outcome(place.command(BINARY).args(["tree", mode]).arg(name), b"");
        assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)), "{mode}");
        assert!(mode == "files" || run.stdout.ends_with("\u{f7ff}\u{f7fe}\n"), "{mode}: {}", run.stdout);
    }
    let json = outcome(place.command(BINARY).args(["tree", "bittorrent-v2", "--json"]).arg(name), b"");
    assert!(json.stdout.contains(r#""path_hex":"fffe""#), "{json:?}");
}
