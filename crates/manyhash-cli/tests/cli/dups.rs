//! `manyhash dups`.

use crate::support::{ABC_SHA256, BINARY, EMPTY_SHA256, Place, outcome, skipped};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

type Group = BTreeSet<PathBuf>;

/// Returns the lines of `--json`: all but the last, and the last, which is the summary.
fn json(place: &Place, arguments: &str) -> (Vec<Value>, Value) {
    let outcome = place.run(arguments);
    assert_eq!((outcome.stderr.as_str(), outcome.code), ("", Some(0)), "{arguments}");
    let mut objects: Vec<Value> = outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = objects.pop().unwrap()["summary"].take();
    (objects, summary)
}

fn groups(text: &str) -> BTreeSet<Group> {
    text.split("\n\n").filter(|group| !group.is_empty()).map(|group| group.lines().map(PathBuf::from).collect()).collect()
}

/// Creates a tree with all cases that matter: sizes around those of the stages, contents that
/// differ early, late or not at all, links.
fn tree() -> Place {
    let place = Place::new();
    let sizes = [1, 2, 63, 4095, 4096, 4097, 16_383, 16_384, 16_385, 70_000, 300_000];
    for (number, size) in sizes.into_iter().enumerate() {
        let content = |differing: usize| {
            let mut content = vec![number as u8; size];
            content[differing.min(size - 1)] ^= 0xff;
            content
        };
        // Two files are the same, and three differ: in the first byte, past the first page, in the
        // last byte.
        for (name, differing) in [("a", size / 2), ("b/c", size / 2), ("d", 0), ("e", 5000), (".hidden/f", size)] {
            place.file(format!("{name}/{size}"), content(differing));
        }
        fs::create_dir_all(place.join("links")).unwrap();
        for name in ["a", "d"] {
            fs::hard_link(place.join(format!("{name}/{size}")), place.join(format!("links/{name}-{size}"))).unwrap();
        }
    }
    for number in 0..300_u32 {
        place.file(format!("many/{number}"), (number % 100).to_string().repeat(50));
    }
    place.file("empty/a", "").file("empty/b", "");
    symlink("a/63", place.join("link")).unwrap();
    symlink("a", place.join("folder-link")).unwrap();
    place
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files.extend(files_below(&entry.path()));
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files
}

/// Returns the groups that `dups .` should find, by whole contents, without digests.
fn expected(place: &Place) -> BTreeSet<Group> {
    let mut by_content: HashMap<Vec<u8>, Vec<PathBuf>> = HashMap::new();
    for path in files_below(place.path()) {
        by_content.entry(fs::read(&path).unwrap()).or_default().push(path);
    }
    by_content.remove(&Vec::new());
    let has_two_files = |paths: &Vec<PathBuf>| {
        let inodes: HashSet<u64> = paths.iter().map(|path| fs::metadata(path).unwrap().ino()).collect();
        inodes.len() > 1
    };
    let relative = |path: &PathBuf| Path::new(".").join(path.strip_prefix(place.path()).unwrap());
    by_content.values().filter(|paths| has_two_files(paths)).map(|paths| paths.iter().map(relative).collect()).collect()
}

#[test]
fn groups_are_the_files_with_equal_contents_whatever_the_algorithm_and_the_threads() {
    let place = tree();
    let expected = expected(&place);
    assert!(expected.len() > 100, "{expected:?}");
    let first = place.run("dups .");
    assert_eq!((groups(&first.stdout), first.code), (expected, Some(0)));
    for options in ["-j 1", "-j 2", "-j 7", "-a sha1", "-a sha512 -j 1", "-a sha512/256 --progress never"] {
        assert_eq!(place.run(&format!("dups {options} .")), first, "{options}");
    }
}

#[test]
fn rmlint_and_fclones_find_the_same() {
    let place = tree();
    let root = place.path().canonicalize().unwrap();
    let expected = expected(&place);
    let relative = |path: &Value| Path::new(".").join(Path::new(path.as_str().unwrap()).strip_prefix(&root).unwrap());
    let output = |program: &str, arguments: &str| {
        let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        found.then(|| outcome(place.command(program).args(arguments.split(' ')), b"").stdout)
    };

    match output("rmlint", "--hidden -T df -o json:stdout .") {
        None => skipped("rmlint is not installed"),
        Some(text) => {
            let objects: Vec<Value> = serde_json::from_str(&text).unwrap();
            let files: Vec<&Value> = objects.iter().filter(|object| object["type"] == "duplicate_file").collect();
            // A group begins with the file that fclones keeps. It also has groups of links alone.
            let has_two_files = |group: &&[&Value]| group.iter().map(|file| file["inode"].as_u64()).collect::<HashSet<_>>().len() > 1;
            let found = files.chunk_by(|_, next| next["is_original"] != true).filter(has_two_files);
            let found: BTreeSet<Group> = found.map(|group| group.iter().map(|file| relative(&file["path"])).collect()).collect();
            assert_eq!(found, expected);
        }
    }
    match output("fclones", "group --hidden --no-ignore -f json .") {
        // No distribution has fclones, so nobody is asked to install it.
        None => println!("without fclones, which is not installed"),
        Some(text) => {
            let report: Value = serde_json::from_str(&text).unwrap();
            let paths = |group: &Value| group["files"].as_array().unwrap().iter().map(relative).collect();
            let found: BTreeSet<Group> = report["groups"].as_array().unwrap().iter().map(paths).collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn groups_that_waste_most_come_first_and_names_in_byte_order() {
    let place = Place::new();
    place.file("z/small", "12").file("a/small", "12").file("B", "abc").file("a/b", "abc").file("a.b", "abc");
    place.file("large", [1; 20_000]).file("large-", [1; 20_000]);
    fs::hard_link(place.join("B"), place.join("a/a")).unwrap();
    let text = place.run("dups z a B a.b large large-");
    assert_eq!(text.stdout, "large\nlarge-\n\nB\na/a\na.b\na/b\n\na/small\nz/small\n");
    assert_eq!((text.stderr.as_str(), text.code), ("manyhash: 7 files in 3 groups, 20.01 kB wasted\n", Some(0)));
    let nul = place.run("dups -z z a B a.b large large-");
    assert_eq!(nul.stdout, text.stdout.replace('\n', "\0"));

    let (groups, summary) = json(&place, "dups --json z a B a.b large large-");
    assert_eq!(groups.len(), 3);
    let line = format!(
        "{{\"bytes\":3,\"algorithm\":\"SHA-256\",\"digest\":\"{ABC_SHA256}\",\"wasted_bytes\":6,\"files\":[\
         {{\"path\":\"B\",\"links\":[{{\"path\":\"a/a\"}}]}},{{\"path\":\"a.b\",\"links\":[]}},{{\"path\":\"a/b\",\"links\":[]}}]}}"
    );
    assert_eq!(place.run("dups --json z a B a.b large large-").stdout.lines().nth(1), Some(&*line));
    let expected = serde_json::json!({
        "groups": 3, "files": 7, "links": 1, "wasted_bytes": 20_008, "scanned": 8, "unreadable": 0
    });
    assert_eq!(summary, expected);
}

#[test]
fn links_alone_are_no_duplicates_nor_is_a_file_named_twice() {
    let place = Place::new();
    place.file("t/a", "abc").file("t/u", "abd");
    fs::hard_link(place.join("t/a"), place.join("t/b")).unwrap();
    let none = place.run("dups t ./t t/a");
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "manyhash: 0 files in 0 groups, 0 B wasted\n"));
    place.file("c", "abc");
    assert_eq!(place.run("dups t t c").stdout, "c\nt/a\nt/b\n");
}

#[test]
fn names_of_any_bytes_come_out_whole() {
    let place = Place::new();
    let names: [&[u8]; 3] = [b"back\\slash", b"new\nline", b"not-utf8-\xff"];
    for name in names {
        place.file(OsStr::from_bytes(name), "abc");
    }
    assert_eq!(place.run("dups .").stdout, "\\./back\\\\slash\n\\./new\\nline\n./not-utf8-\u{f7ff}\n");
    assert_eq!(place.run("dups -z .").stdout, "./back\\slash\0./new\nline\0./not-utf8-\u{f7ff}\0");
    let (groups, _) = json(&place, "dups --json .");
    assert_eq!(groups[0]["files"][2]["path_hex"], "2e2f6e6f742d757466382dff");
}

#[test]
fn sizes_say_which_files_count() {
    let place = Place::new();
    for name in ["a", "b"] {
        for size in [0, 1, 1024, 2048] {
            place.file(format!("{name}/{size}"), vec![7; size]);
        }
    }
    let sizes = |options: &str| {
        let (groups, _) = json(&place, &format!("dups --json {options} ."));
        groups.iter().map(|group| group["bytes"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(sizes(""), [2048, 1024, 1]);
    assert_eq!(sizes("--min-size 0"), [2048, 1024, 1, 0]);
    assert_eq!(sizes("--min-size 1K --max-size 2047"), [1024]);
    assert_eq!(sizes("--max-size 0 --min-size 0"), [0]);
    let (groups, _) = json(&place, "dups --json --min-size 0 --max-size 0 .");
    assert_eq!(groups[0]["digest"], EMPTY_SHA256);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_done() {
    let place = Place::new();
    place.file("a", "abc").file("b", "abc");
    assert!(Command::new("mkfifo").arg(place.join("fifo")).status().unwrap().success());
    let result = place.run("dups missing a fifo b");
    assert_eq!(result.stdout, "a\nb\n");
    let messages = "manyhash: missing: No such file or directory\nmanyhash: fifo: not a regular file\n";
    assert_eq!((result.stderr, result.code), (format!("{messages}manyhash: 2 files in 1 group, 3 B wasted\n"), Some(1)));
    let summary: Value = serde_json::from_str(place.run("dups --json missing a b").stdout.lines().last().unwrap()).unwrap();
    assert_eq!(summary["summary"]["unreadable"], 1);

    let chunks = place.run("dups --chunks fixed:512 missing a fifo b");
    assert_eq!((chunks.stderr.as_str(), chunks.code), (messages, Some(1)));
    assert!(chunks.stdout.ends_with("         2            2          6 B          3 B   50.0%  (total)\n"), "{}", chunks.stdout);
}

#[test]
fn a_file_that_is_not_as_large_as_it_was_is_left_out() {
    let place = Place::new();
    if fs::metadata("/proc/version").map_or(true, |metadata| metadata.len() > 0) {
        return skipped("there is no file in /proc whose size is not that of its content");
    }
    place.file("a", "").file("b", "");
    let result = place.run("dups --min-size 0 a /proc/version b");
    assert_eq!((result.stdout.as_str(), result.code), ("a\nb\n", Some(1)));
    assert!(result.stderr.starts_with("manyhash: /proc/version: changed while it was being read: "), "{}", result.stderr);
    let result = place.run("dups --chunks fixed:512 --min-size 0 a /proc/version b");
    assert_eq!((result.stderr.as_str(), result.code), ("manyhash: /proc/version: changed while it was being read\n", Some(1)));
}

#[test]
fn links_to_files_and_folders_are_not_followed_but_as_arguments() {
    let place = Place::new();
    place.file("t/a", "abc").file("b", "abc");
    symlink("../b", place.join("t/link")).unwrap();
    symlink("t", place.join("folder")).unwrap();
    let result = place.run("dups -vv t");
    assert_eq!(result.stdout, "");
    assert!(result.stderr.contains("manyhash: t/link: skipped: a symbolic link\n"), "{}", result.stderr);
    for command in ["dups -v t", "dups -v --chunks fixed:512 t"] {
        let counted = place.run(command).stderr;
        assert!(counted.contains("manyhash: skipped in folders: ") && !counted.contains("t/link: skipped"), "{command}: {counted}");
    }
    assert_eq!(place.run("dups folder b").stdout, "b\nfolder/a\n");
    assert_eq!(place.run("dups t/link t").stdout, "t/a\nt/link\n");
}

/// Returns the numbers of files, bytes, chunks, repeats and repeated bytes with fixed chunks, by
/// contents, in the order of the walk.
fn expected_chunks(place: &Place, chunk_bytes: usize) -> [u64; 5] {
    let mut paths = files_below(place.path());
    paths.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    let (mut inodes, mut chunks) = (HashSet::new(), HashSet::new());
    let mut counts = [0; 5];
    for path in paths.iter().filter(|path| inodes.insert(fs::metadata(path).unwrap().ino())) {
        let content = fs::read(path).unwrap();
        counts[0] += u64::from(!content.is_empty());
        counts[1] += content.len() as u64;
        for chunk in content.chunks(chunk_bytes) {
            counts[2] += 1;
            if !chunks.insert(chunk.to_vec()) {
                counts[3] += 1;
                counts[4] += chunk.len() as u64;
            }
        }
    }
    counts
}

fn counts(object: &Value) -> [u64; 5] {
    ["files", "bytes", "chunks", "repeated_chunks", "saved_bytes"].map(|key| object[key].as_u64().unwrap())
}

#[test]
fn fixed_chunks_are_counted_as_their_contents_say() {
    let place = tree();
    // The file is larger than a worker's buffer, and than the stretches that workers share.
    let large: Vec<u8> = (0..40_u32 << 20).map(|i| ((i / 1000).wrapping_mul(2_654_435_761) >> 15) as u8).collect();
    place.file("large", &large).file("large-", &large[..(33 << 20) + 5]);
    for chunk_bytes in [512, 4096, 1 << 20] {
        let (_, summary) = json(&place, &format!("dups --json --chunks fixed:{chunk_bytes} ."));
        assert_eq!(counts(&summary), expected_chunks(&place, chunk_bytes));
        assert_eq!((&summary["chunks_by"], &summary["sampled"]), (&Value::from(format!("fixed:{chunk_bytes}")), &Value::from(1)));
    }
}

#[test]
fn chunks_are_counted_the_same_however_many_threads() {
    let place = tree();
    for chunks in ["fixed:4K", "cdc:1K"] {
        let once = place.run(&format!("dups --json --depth 9 -j 1 --chunks {chunks} ."));
        assert_eq!(once.code, Some(0));
        for options in ["-j 2", "-j 7", "-a sha1"] {
            let other = place.run(&format!("dups --json --depth 9 {options} --chunks {chunks} ."));
            assert_eq!(other.stdout.replace("SHA-1\"", "SHA-256\""), once.stdout, "{options}");
        }
    }
}

#[test]
fn content_defined_chunks_find_what_moved() {
    let place = Place::new();
    let content: Vec<u8> = (0..2_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 19) as u8 ^ (i >> 11) as u8).collect();
    place.file("a", &content).file("b", [b"moved by this", &content[..]].concat());
    let saved = |chunks: &str| counts(&json(&place, &format!("dups --json --chunks {chunks} .")).1)[4];
    assert!(saved("cdc:4K") > 1_900_000, "{}", saved("cdc:4K"));
    assert_eq!(saved("fixed:4K"), 0);
}

#[test]
fn folders_count_what_repeats_earlier_files_wherever_these_are() {
    let place = Place::new();
    place.file("t/a/x", [1; 1024]).file("t/b/c/y", [1; 700]).file("t/b/z", [2; 100]).file("u", [1; 512]);
    fs::hard_link(place.join("t/a/x"), place.join("t/b/x")).unwrap();
    let text = place.run("dups --chunks fixed:512 t u").stdout;
    let expected = "     \
     FILES       CHUNKS        BYTES        SAVED   SAVED  fixed:512
         3            5      1.82 kB      1.02 kB   56.1%  t
         1            2      1.02 kB        512 B   50.0%  t/a
         2            3        800 B        512 B   64.0%  t/b
         1            1        512 B        512 B  100.0%  u
         4            6      2.34 kB      1.54 kB   65.8%  (total)
";
    assert_eq!(text, expected);
    let (folders, _) = json(&place, "dups --json --chunks fixed:512 --depth 2 t u");
    let paths: Vec<_> = folders.iter().map(|folder| folder["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["t", "t/a", "t/b", "t/b/c", "u"]);
    assert_eq!(counts(&folders[2]), [2, 800, 3, 1, 512]);
    let (folders, summary) = json(&place, "dups --json --chunks fixed:512 --depth 0 t");
    assert_eq!((counts(&folders[0]), folders.len()), (counts(&summary), 1));
}

#[test]
fn little_memory_makes_estimates() {
    let place = Place::new();
    let content: Vec<u8> = (0..60_000_u32).flat_map(|i| i.to_le_bytes().repeat(128)).collect();
    place.file("a", &content).file("b", &content);
    let (_, summary) = json(&place, "dups --json --chunks fixed:512 --memory 100K .");
    assert!(summary["sampled"].as_u64().unwrap() > 1, "{summary}");
    let [_, bytes, _, _, saved_bytes] = counts(&summary);
    assert!(saved_bytes.abs_diff(bytes / 2) < bytes / 10, "{summary}");
    let text = place.run("dups --chunks fixed:512 --memory 100K .").stdout;
    assert!(text.contains("SAVED is an estimate"), "{text}");
}

#[test]
fn wrong_usage_of_dups_says_what_would_do() {
    let place = Place::new();
    for (line, hint) in [
        ("dups", "PATH"),
        ("dups --json -z .", "--zero"),
        ("dups --min-size x .", "a size is a number of bytes"),
        ("dups --chunks 4096 .", "fixed:SIZE or cdc:SIZE"),
        ("dups --chunks cdc:5000 .", "power of two"),
        ("dups --depth 2 .", "--chunks"),
        ("dups -a md6 .", "sha256"),
        ("dups -j 1.5 .", "1.5"),
    ] {
        let outcome = place.run(line);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(outcome.stderr.contains(hint), "{line}: {}", outcome.stderr);
    }
    let help = place.run("dups --help");
    assert!(help.code == Some(0) && help.stdout.contains("--chunks cdc:16K"), "{help:?}");
    let unknown = outcome(place.command(BINARY).env("MANYHASH_BACKEND", "abacus").args(["dups", "."]), b"");
    assert_eq!(unknown.code, Some(2));
}
