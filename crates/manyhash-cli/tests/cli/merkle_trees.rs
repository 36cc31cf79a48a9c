//! `manyhash tree` with the trees of other worlds: beside Git, Nix and another implementation of IPFS'
//! addresses, with proofs that the library verifies, and with input that is wrong. `tree` has their
//! vectors. All of it takes some seconds.

use crate::support::{BINARY, Outcome, Place, hexadecimal, outcome, pattern, peer, skipped};
use manyhash::tree::rfc9162;
use manyhash::{Sha256, hash};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// Creates a folder with all that archives and trees know: names that sort in different ways, empty and
/// large files, files that may be executed, links, folders, and one without files.
fn folder(place: &Place, name: &str) {
    let files = ["a", "a.b", "a-b", "b c", "deep/er/est", "deep/er.txt", "deep-er", "run", "empty", "lines\nin a name", "z/\u{e9}"];
    for (index, file) in files.into_iter().enumerate() {
        place.file(Path::new(name).join(file), pattern(index * 1000 + index));
    }
    place.file(Path::new(name).join("empty"), "").file(Path::new(name).join("large"), pattern(3_000_001));
    place.file(Path::new(name).join(OsStr::from_bytes(b"\xff\xfe")), "no text");
    let at = |file: &str| place.join(name).join(file);
    for file in ["run", "deep/er.txt"] {
        fs::set_permissions(at(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink("a", at("link")).unwrap();
    symlink("nowhere/at all", at("deep/broken")).unwrap();
    symlink("deep", at("to-folder")).unwrap();
    fs::create_dir_all(at("nothing/in here")).unwrap();
}

fn succeeds(command: &mut Command) -> String {
    let run = outcome(command, b"");
    assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
    run.stdout
}

/// Returns the command `git` here, without any configuration of the user's.
fn git(place: &Place, git: &Path, folder: &str) -> Command {
    let mut command = place.command(git);
    command.args(["-C", folder, "-c", "core.autocrlf=false", "-c", "core.fileMode=true", "-c", "core.excludesFile="]);
    command.env("HOME", place.path()).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
    command
}

#[test]
fn blobs_and_trees_have_the_ids_of_git() {
    let Some(program) = peer("git") else { return };
    for format in ["sha1", "sha256"] {
        let place = Place::new();
        folder(&place, "f");
        if outcome(git(&place, &program, "f").args(["init", "-q", "--object-format", format]), b"").code != Some(0) {
            skipped(&format!("this git has no {format}"));
            continue;
        }
        // Files that git would ignore if it were not forced count.
        place.file("f/.gitignore", "a\n");
        succeeds(git(&place, &program, "f").args(["add", "--all", "--force", "."]));
        let tree = succeeds(git(&place, &program, "f").arg("write-tree"));
        for threads in ["1", "3"] {
            let run = place.run(&format!("tree git --object-format {format} --threads {threads} f"));
            let expected = Outcome { stdout: format!("{}  f\n", tree.trim_end()), stderr: String::new(), code: Some(0) };
            assert_eq!(run, expected, "{format}");
        }
        let files = ["a", "empty", "large", "run", "a.b"];
        let ids = succeeds(git(&place, &program, "f").args(["hash-object", "--no-filters"]).args(files));
        let mut command = place.command(BINARY);
        command.args(["tree", "git", "--object-format", format]).args(files.map(|file| format!("f/{file}")));
        let lines: String = ids.lines().zip(files).map(|(id, file)| format!("{id}  f/{file}\n")).collect();
        assert_eq!(succeeds(&mut command), lines, "{format}");
        for content in [pattern(0), pattern(3), pattern(2_000_000)] {
            let id = outcome(git(&place, &program, "f").args(["hash-object", "--stdin"]), &content).stdout;
            let run = place.run_with(&format!("tree git --object-format {format}"), &content);
            assert_eq!(run.stdout, format!("{}  -\n", id.trim_end()), "{format}, {} bytes", content.len());
        }
    }
}

#[test]
fn a_folder_that_cannot_be_read_whole_has_no_id() {
    let place = Place::new();
    folder(&place, "f");
    folder(&place, "g");
    place.file("f/deep/.git", "gitdir: elsewhere");
    let run = place.run("tree git f g/a missing g");
    assert_eq!(run.stderr, "manyhash: f/deep: it is a repository of its own\nmanyhash: missing: No such file or directory\n");
    assert_eq!((run.stdout.lines().count(), run.code), (2, Some(1)), "{}", run.stdout);
    assert!(run.stdout.ends_with("  g\n"), "{}", run.stdout);
    // What is no file, folder or link is left out, and that is told to who asks.
    let before = place.run("tree git g");
    succeeds(place.command("mkfifo").arg("g/fifo"));
    assert_eq!(place.run("tree git g"), before);
    assert!(place.run("-vv tree git g").stderr.contains("g/fifo: skipped: "));
    assert_eq!(place.run("tree nar g").stderr, "manyhash: g/fifo: it is no file, folder or link, and archives have nothing else\n");
}

/// The archive of a path, by its definition.
fn archive(path: &Path) -> Vec<u8> {
    fn string(bytes: &[u8]) -> Vec<u8> {
        let padding = vec![0; bytes.len().next_multiple_of(8) - bytes.len()];
        [&(bytes.len() as u64).to_le_bytes()[..], bytes, &padding].concat()
    }
    fn node(path: &Path) -> Vec<u8> {
        let metadata = fs::symlink_metadata(path).unwrap();
        let inside = if metadata.is_symlink() {
            let target = fs::read_link(path).unwrap();
            [string(b"symlink"), string(b"target"), string(target.as_os_str().as_bytes())].concat()
        } else if metadata.is_dir() {
            let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            let entry = |name: std::ffi::OsString| {
                let named = [string(b"name"), string(name.as_bytes()), string(b"node"), node(&path.join(name))].concat();
                [string(b"entry"), string(b"("), named, string(b")")].concat()
            };
            [string(b"directory"), names.into_iter().flat_map(entry).collect()].concat()
        } else {
            let executable = metadata.permissions().mode() & 0o100 != 0;
            let executable = if executable { [string(b"executable"), string(b"")].concat() } else { vec![] };
            [string(b"regular"), executable, string(b"contents"), string(&fs::read(path).unwrap())].concat()
        };
        [string(b"("), string(b"type"), inside, string(b")")].concat()
    }
    [string(b"nix-archive-1"), node(path)].concat()
}

const ARCHIVED: [&str; 10] = ["f", "f/a", "f/run", "f/empty", "f/large", "f/link", "f/deep", "f/deep/broken", "f/nothing", "f/to-folder"];

#[test]
fn archives_are_their_definition() {
    let place = Place::new();
    folder(&place, "f");
    let expected: String =
        ARCHIVED.iter().map(|path| format!("{}  {path}\n", hexadecimal(hash::<Sha256>(&archive(&place.join(path)))))).collect();
    for threads in ["1", "2", "7"] {
        let run = place.run(&format!("tree nar --threads {threads} {}", ARCHIVED.join(" ")));
        assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), (expected.as_str(), "", Some(0)));
    }
    let run = place.run("tree nar f/missing f/a");
    assert_eq!((run.stderr.as_str(), run.code), ("manyhash: f/missing: No such file or directory\n", Some(1)));
    assert!(expected.contains(&run.stdout), "{}", run.stdout);
}

#[test]
fn archives_have_the_hashes_of_nix() {
    let Some(nix) = peer("nix-hash") else { return };
    let place = Place::new();
    folder(&place, "f");
    for option in ["", "--base32"] {
        for algorithm in ["sha256", "sha512", "sha1", "md5"] {
            let mut command = place.command(&nix);
            command.args(["--type", algorithm]).args(option.split_whitespace()).args(ARCHIVED).env("HOME", place.path());
            let hashes = succeeds(&mut command);
            let lines: String = hashes.lines().zip(ARCHIVED).map(|(hash, path)| format!("{hash}  {path}\n")).collect();
            let run = place.run(&format!("tree nar -a {algorithm} {option} {}", ARCHIVED.join(" ")));
            assert_eq!((run.stdout, run.code), (lines, Some(0)), "{algorithm} {option}");
        }
    }
    let Some(nix) = peer("nix") else { return };
    let mut command = place.command(nix);
    command.args(["--extra-experimental-features", "nix-command", "hash", "path", "f"]).env("HOME", place.path());
    let expected = succeeds(&mut command);
    assert_eq!(place.run("tree nar --sri f").stdout, format!("{}  f\n", expected.trim_end()));
}

#[test]
fn addresses_are_those_of_another_implementation() {
    let place = Place::new();
    if !place.command("python3").args(["-c", "import aleph_cid"]).output().is_ok_and(|run| run.status.success()) {
        return skipped("Python has no aleph_cid");
    }
    let chunk = 256 << 10;
    let lengths = [0, 1, 1000, chunk - 1, chunk, chunk + 1, 3 * chunk, 5 * chunk + 7, 40 * chunk + 1, 175 * chunk + 3];
    let files = lengths.map(|bytes| {
        place.file(format!("m{bytes}"), pattern(bytes));
        format!("m{bytes}")
    });
    let script = "import sys, aleph_cid\nfor path in sys.argv[1:]:\n    hasher = aleph_cid.CidHasher.for_ipfs_v1_raw_leaves()\n    \
                  hasher.update(open(path, 'rb').read())\n    print(hasher.finalize(), path, sep='  ')";
    let expected = succeeds(place.command("python3").args(["-c", script]).args(&files));
    assert_eq!(place.run(&format!("tree cid {}", files.join(" "))).stdout, expected);
}

/// Vectors of bytes, and lists of bytes, of numbers of 8 bytes and of digests.
#[test]
fn roots_of_ethereum_are_those_of_remerkleable() {
    let place = Place::new();
    if !place.command("python3").args(["-c", "import remerkleable"]).output().is_ok_and(|run| run.status.success()) {
        return skipped("Python has no remerkleable");
    }
    let script = "import sys\nfrom remerkleable.basic import uint64\nfrom remerkleable.byte_arrays import ByteList, Bytes32, ByteVector\n\
                  from remerkleable.complex import List\n\
                  for path, kind in [argument.split('=') for argument in sys.argv[1:]]:\n    \
                  print(eval(kind).decode_bytes(open(path, 'rb').read()).hash_tree_root().hex(), path, sep='  ')";
    for (options, kind, lengths) in [
        ("", "ByteVector[n]", [1, 31, 32, 33, 64, 1000, 100_001]),
        ("--limit 1073741824", "ByteList[1073741824]", [0, 1, 31, 32, 33, 5000, 100_001]),
        ("--limit 100001", "ByteList[100001]", [0, 1, 31, 32, 33, 5000, 100_001]),
        ("--element-bytes 8 --limit 1099511627776", "List[uint64, 1099511627776]", [0, 8, 24, 32, 40, 5000, 100_000]),
        ("--element-bytes 32 --limit 8192", "List[Bytes32, 8192]", [0, 32, 64, 96, 4096, 32_032, 262_144]),
    ] {
        let files = lengths.map(|bytes| {
            place.file(format!("m{bytes}"), pattern(bytes));
            (format!("m{bytes}"), format!("m{bytes}={}", kind.replace("[n]", &format!("[{bytes}]"))))
        });
        let asked = files.iter().map(|(_, asked)| asked);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let expected = succeeds(place.command("python3").args(["-c", script]).args(asked));
        assert_eq!(place.run(&format!("tree ssz {options} {}", names.join(" "))).stdout, expected, "{options}");
    }
}

/// A file and a stream have the same digest, on any number of threads.
#[test]
fn streams_have_the_digests_of_files() {
    let place = Place::new();
    for bytes in [0, 1, 1024, (1 << 20) + 1, 20_000_003] {
        let content = pattern(bytes);
        place.file("m", &content);
        for mode in ["sha256tree", "ssz", "ssz --limit 99999999", "git", "cid", "rfc9162", "rfc9162 --lines"] {
            let file = place.run(&format!("tree {mode} m"));
            assert_eq!((file.stderr.as_str(), file.code), ("", Some(0)), "{mode}");
            for threads in [1, 3] {
                let stream = place.run_with(&format!("tree {mode} --threads {threads} -"), &content);
                assert_eq!(stream.stdout, file.stdout.replace("  m\n", "  -\n"), "{mode}, {bytes} bytes, {threads} threads");
            }
        }
    }
}

fn digests(lines: &str) -> Vec<[u8; 32]> {
    let digest = |line: &str| {
        assert_eq!(line.len(), 64, "{line}");
        std::array::from_fn(|i| u8::from_str_radix(&line[2 * i..2 * i + 2], 16).unwrap())
    };
    lines.lines().map(digest).collect()
}

#[test]
fn logs_have_roots_and_proofs_that_are_verified() {
    let place = Place::new();
    let entries: Vec<String> = (0..37).map(|i| "x".repeat(i * 7 % 100)).chain(["y".repeat(2_000_000)]).collect();
    // The last line has no end.
    place.file("lines", entries.join("\n"));
    let names: Vec<String> = entries
        .iter()
        .enumerate()
        .map(|(i, entry)| (format!("e{i}"), entry))
        .map(|(name, entry)| {
            place.file(&name, entry);
            name
        })
        .collect();
    let expected = hexadecimal(rfc9162::root(&entries)) + "\n";
    assert_eq!(place.run("tree rfc9162 --lines lines").stdout, expected);
    assert_eq!(place.run(&format!("tree rfc9162 {}", names.join(" "))).stdout, expected);
    let root = digests(&expected)[0];
    for index in [0, 1, 20, 36, 37] {
        let proof = digests(&place.run(&format!("tree rfc9162 --lines --inclusion {index} lines")).stdout);
        let leaf = rfc9162::merkle().hash_each_leaf(&entries)[index];
        assert_eq!(rfc9162::verify_inclusion(&leaf, index as u64, 38, &proof, &root), Ok(()), "{index}");
        let of_files = place.run(&format!("tree rfc9162 --inclusion {index} {}", names.join(" ")));
        assert_eq!(digests(&of_files.stdout), proof, "{index}");
    }
    for size in [0, 1, 16, 17, 37, 38] {
        let proof = digests(&place.run(&format!("tree rfc9162 --lines --consistency {size} lines")).stdout);
        let older = rfc9162::root(&entries[..size]);
        assert_eq!(rfc9162::verify_consistency((size as u64, &older), (38, &root), &proof), Ok(()), "{size}");
    }
    let empty = hexadecimal(rfc9162::empty_root()) + "\n";
    assert_eq!(place.run_with("tree rfc9162 --lines", b"").stdout, empty);
    let run = place.run("tree rfc9162 --lines --inclusion 38 lines");
    assert_eq!((run.stderr.as_str(), run.code), ("manyhash: --inclusion: there is no entry 38: the log has 38\n", Some(1)));
    let run = place.run("tree rfc9162 --lines --consistency 39 lines");
    assert_eq!((run.stderr.as_str(), run.code), ("manyhash: --consistency: there are no 39 entries: the log has 38\n", Some(1)));
    for arguments in ["e0 missing e1", "--lines lines missing", "--inclusion 0 e0 missing"] {
        let run = place.run(&format!("tree rfc9162 {arguments}"));
        let told = (run.stdout.as_str(), run.stderr.as_str(), run.code);
        assert_eq!(told, ("", "manyhash: missing: No such file or directory\n", Some(1)), "{arguments}");
    }
}

const BLOCK_100_000: &str = "\
8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87
fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4
6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4
e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d";

#[test]
fn a_block_has_its_root_and_a_wrong_list_says_which_line_is_wrong() {
    let place = Place::new();
    let root = "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766";
    let id = &BLOCK_100_000[..64];
    place.file("block", BLOCK_100_000).file("crlf", BLOCK_100_000.to_uppercase().replace('\n', "\r\n") + "\r\n");
    assert_eq!(place.run("tree bitcoin block crlf").stdout, format!("{root}  block\n{root}  crlf\n"));
    assert_eq!(place.run_with("tree bitcoin", BLOCK_100_000.as_bytes()).stdout, format!("{root}  -\n"));
    let last = BLOCK_100_000.lines().last().unwrap();
    let an_id = "an id is 64 hexadecimal digits";
    for (list, reason) in [
        (String::new(), "there are no ids, and a block has at least one".to_string()),
        (format!("{BLOCK_100_000}\n\n"), format!("line 5: {an_id}")),
        (format!("{id}\n{id}x\n{id}\n"), format!("line 2: {an_id}")),
        (format!("{id}\n{}\n", &id[1..]), format!("line 2: {an_id}")),
        (format!("0x{id}\n"), format!("line 1: {an_id}")),
        (format!("{id}\n{}g\n", &id[1..]), format!("line 2: {an_id}")),
        (format!("{id}\n{id}"), "it repeats ids at its end, as a list with the root of a shorter one does (CVE-2012-2459)".to_string()),
        (
            format!("{BLOCK_100_000}\n{id}\n{last}\n{id}\n{last}\n"),
            "it repeats ids at its end, as a list with the root of a shorter one does (CVE-2012-2459)".to_string(),
        ),
    ] {
        place.file("wrong", &list);
        let run = place.run("tree bitcoin wrong block");
        assert_eq!((run.stdout, run.stderr, run.code), (format!("{root}  block\n"), format!("manyhash: wrong: {reason}\n"), Some(1)));
    }
}

#[test]
fn wrong_elements_and_options_are_named() {
    let place = Place::new();
    place.file("f", pattern(100)).file("g", pattern(96));
    let fine = place.run("tree ssz --element-bytes 32 --limit 3 g");
    assert_eq!((fine.stdout.len(), fine.code), (64 + 4, Some(0)));
    for (arguments, reason) in [
        ("--element-bytes 32 --limit 3", "f: its 100 bytes are not whole elements of 32"),
        ("--element-bytes 4 --limit 24", "f: 25 elements: the limit is 24"),
        ("--limit 99", "f: 100 elements: the limit is 99"),
        ("--limit 32", "f: 100 elements: the limit is 32"),
    ] {
        let run = place.run(&format!("tree ssz {arguments} f"));
        assert_eq!((run.stdout.as_str(), run.stderr, run.code), ("", format!("manyhash: {reason}\n"), Some(1)));
    }
    for (line, hint) in [
        ("ssz --element-bytes 8 f", "--limit"),
        ("ssz --element-bytes 3 --limit 9 f", "--element-bytes"),
        ("ssz --element-bytes 32 --limit 18446744073709551615 f", "--limit"),
        ("ssz --limit x f", "--limit"),
        ("rfc9162 --inclusion x f", "--inclusion"),
        ("rfc9162 --inclusion 0 --consistency 1 f", "--consistency"),
        ("git --object-format md5 f", "--object-format"),
        ("nar", "PATH"),
        ("nar --base32 --sri f", "--sri"),
        ("nar -a md6 f", "md6"),
    ] {
        let run = place.run(&format!("tree {line}"));
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(2)), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{line}: {}", run.stderr);
    }
}
