//! `tree` over files of any size, order and number, beside the library's functions.

use crate::support::{BINARY, Place, outcome, pattern, skipped};
use manyhash::tree::{BitTorrentV2, DmVerity, Files, FsVerity, JLanes, JPointers, dm_verity, glacier};
use manyhash::{Algorithm, Md5, Sha256, Sha512, hash, tree};
use std::fs;

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a mode over files of these sizes, on several numbers of threads, and each alone as a stream
/// if the mode takes streams.
fn compare(mode: &str, sizes: &[usize], is_for_streams: bool, expected: impl Fn(&[u8]) -> String) {
    let place = Place::new();
    let names: Vec<String> = sizes.iter().map(|bytes| format!("f{bytes}")).collect();
    for (name, &bytes) in names.iter().zip(sizes) {
        place.file(name, pattern(bytes));
    }
    let lines: Vec<String> = sizes.iter().map(|&bytes| expected(&pattern(bytes))).collect();
    let all: String = lines.iter().zip(&names).map(|(line, name)| line.replace("PATH", name) + "\n").collect();
    for threads in [1, 2, 7] {
        let outcome = place.run(&format!("tree {mode} --threads {threads} {}", names.join(" ")));
        assert_eq!((outcome.stdout, outcome.stderr.as_str(), outcome.code), (all.clone(), "", Some(0)), "{mode}");
    }
    for (line, &bytes) in lines.iter().zip(sizes).filter(|_| is_for_streams) {
        for arguments in [format!("tree {mode}"), format!("tree {mode} -")] {
            let outcome = place.run_with(&arguments, &pattern(bytes));
            assert_eq!((outcome.stdout, outcome.stderr.as_str()), (line.replace("PATH", "-") + "\n", ""), "{mode} {bytes}");
        }
    }
}

/// Sizes around words, blocks, the batches of small files, and the pieces of large ones.
const SIZES: &[usize] = &[0, 1, 63, 64, 65, 4095, 4096, 4097, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (4 << 20) + 5, 9_000_001, 2];

#[test]
fn j_lanes_are_those_of_the_library() {
    for lanes in [1, 7, 16, 1024] {
        let line = |digest: &[u8]| format!("{}  PATH", hex(digest));
        compare(&format!("j-lanes -l {lanes}"), SIZES, true, |m| line(&JLanes::<Sha256>::new(lanes).unwrap().hash(m)));
        compare(&format!("j-lanes -l {lanes} -a sha512 --separated"), SIZES, lanes == 7, |m| {
            line(&JLanes::<Sha512>::new(lanes).unwrap().separated().hash(m))
        });
    }
}

#[test]
fn j_pointers_are_those_of_the_library() {
    for lanes in [1, 7, 16, 1024] {
        let line = |digest: &[u8]| format!("{}  PATH", hex(digest));
        compare(&format!("j-pointers -l {lanes}"), SIZES, false, |m| line(&JPointers::<Sha256>::new(lanes).unwrap().hash(m)));
        compare(&format!("j-pointers -l {lanes} -a sha512 --separated"), SIZES, false, |m| {
            line(&JPointers::<Sha512>::new(lanes).unwrap().separated().hash(m))
        });
    }
}

#[test]
fn fs_verity_is_that_of_the_library() {
    for block_bytes in [1024, 4096, 65536] {
        let mode = format!("fs-verity --block-size {block_bytes} --salt 00ff");
        let sizes = [SIZES, &[32 * block_bytes, 32 * block_bytes + 1]].concat();
        compare(&mode, &sizes, true, |m| {
            format!("sha256:{} PATH", hex(FsVerity::<Sha256>::new(block_bytes, &[0, 0xff]).unwrap().digest(m)))
        });
    }
    compare("fs-verity --hash-alg sha512 --compact", SIZES, true, |m| hex(FsVerity::<Sha512>::new(4096, &[]).unwrap().digest(m)));
}

#[test]
fn dm_verity_is_that_of_the_library() {
    let sizes = [512, 1024, 16 * 512, 17 * 512, 1 << 20, (1 << 20) + 512, 9_000_448];
    let tree = DmVerity::<Sha256>::new(dm_verity::Format::Normal, 512, 1024, &[1, 2]).unwrap();
    let root = |m: &[u8]| format!("{}  PATH", hex(tree.merkle().roots(&[m])[0].unwrap()));
    compare("dm-verity --data-block-size 512 --hash-block-size 1K --salt 0102", &sizes, false, root);
}

#[test]
fn bittorrent_v2_is_that_of_the_library() {
    let tree = BitTorrentV2::new(32 << 10).unwrap();
    let sizes = [SIZES, &[16 << 10, (32 << 10) - 1, 32 << 10, (32 << 10) + 1]].concat();
    let root = |m: &[u8]| tree.file_tree(m).pieces_root.map_or("-".to_string(), hex);
    compare("bittorrent-v2 --piece-length 32K", &sizes, true, |m| format!("{}  PATH", root(m)));
    compare("bittorrent-v2 --json --piece-length 32K", &sizes, true, |m| {
        let found = tree.file_tree(m);
        let root = found.pieces_root.map_or("null".to_string(), |root| format!("\"{}\"", hex(root)));
        let layers: Vec<String> = found.piece_layer.iter().map(|digest| format!("\"{}\"", hex(digest))).collect();
        let (bytes, layers) = (m.len(), layers.join(","));
        format!(r#"{{"path":"PATH","bytes":{bytes},"pieces_root":{root},"piece_length":32768,"piece_layers":[{layers}]}}"#)
    });
}

/// Returns the digests of parts. An empty message is one empty part.
fn parts<A: Algorithm>(message: &[u8], part_bytes: usize) -> Vec<A::Digest> {
    if message.is_empty() { vec![hash::<A>(&[])] } else { message.chunks(part_bytes).map(hash::<A>).collect() }
}

#[test]
fn s3_and_glacier_are_those_of_the_library() {
    let etag = |m: &[u8]| {
        let parts = parts::<Md5>(m, 1 << 20);
        format!("{}-{}  PATH", hex(tree::s3_composite::<Md5>(&parts)), parts.len())
    };
    compare("s3 --etag --part-size 1M", SIZES, true, etag);
    compare("s3 --etag --part-size 1048576", SIZES, false, etag);
    compare("glacier", SIZES, true, |m| format!("{}  PATH", hex(tree::glacier(m))));
    assert_eq!(glacier::LEAF_BYTES, 1 << 20);
    let place = Place::new();
    // This is BASE64(SHA-256(SHA-256("abc"))), computed with another tool.
    assert_eq!(place.run_with("tree s3", b"abc").stdout, "T4tCwi3TcptRm6b2jS2nzFstYG0F2u1a1RKMwD5sY1g=-1  -\n");
}

#[test]
fn one_digest_of_all_files_depends_on_their_order() {
    let place = Place::new();
    place.file("a", "one").file("b", "two");
    let expected =
        |texts: &[&str]| hex(tree::files::<Sha256>(&texts.iter().map(|text| hash::<Sha256>(text.as_bytes())).collect::<Vec<_>>())) + "\n";
    assert_eq!(place.run("tree files a b").stdout, expected(&["one", "two"]));
    assert_eq!(place.run("tree files b a --threads 1").stdout, expected(&["two", "one"]));
    assert_eq!(place.run_with("tree files a - b", b"three").stdout, expected(&["one", "three", "two"]));
    assert_eq!(place.run_with("tree files", b"three").stdout, expected(&["three"]));
    let outcome = place.run("tree files a missing b");
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("", Some(1)));
    assert_eq!(outcome.stderr, "manyhash: missing: No such file or directory\n");
}

#[test]
fn separated_digests_of_files_are_those_of_the_library() {
    let place = Place::new();
    place.file("t/a", "one").file("t/b/c", "two").file("u", "").file("names", "t/a\nu\n");
    let digests = |texts: &[&str]| Files::<Sha256>::separated(texts.len() as u64).hash_many(texts);
    let expected = |texts: &[&str]| {
        let mut wrap = Files::<Sha256>::separated(texts.len() as u64).wrap();
        digests(texts).iter().for_each(|digest| wrap.update(digest));
        hex(wrap.finalize()) + "\n"
    };
    let two = expected(&["one", "two"]);
    for arguments in ["t/a t/b/c", "-r t", "--threads 1 -r t", "-r --exclude u ."] {
        let outcome =
            place.run(&format!("tree files --separated {arguments} {}", if arguments.ends_with('.') { "--exclude names" } else { "" }));
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (two.as_str(), ""), "{arguments}");
    }
    assert_ne!(place.run("tree files -r t").stdout, two);
    // Names come from a stream, which can be read once only; so does a file.
    assert_eq!(place.run("tree files --separated --files-from names t/b/c").stdout, expected(&["two", "one", ""]));
    assert_eq!(place.run_with("tree files --separated --files-from -", b"t/a\nt/b/c\n").stdout, two);
    assert_eq!(place.run_with("tree files --separated t/a -", b"two").stdout, two);
    assert_eq!(place.run_with("tree files --separated", b"one").stdout, expected(&["one"]));
    assert_eq!(place.run("tree files --separated --files-from /dev/null").stdout, expected(&[]));
    assert_eq!(place.run("tree files --separated t/a missing").code, Some(1));
    let named = {
        let mode = Files::<Sha256>::separated(2);
        let mut wrap = mode.wrap();
        for (digest, name) in digests(&["one", "two"]).iter().zip(["t/a", "t/b/c"]) {
            let mut named = mode.named();
            named.update(digest);
            named.update(&(name.len() as u64).to_le_bytes());
            named.update(name.as_bytes());
            wrap.update(&named.finalize());
        }
        hex(wrap.finalize()) + "\n"
    };
    assert_eq!(place.run("tree files --separated -r --names t").stdout, named);
}

#[test]
fn digests_of_files_are_kept_and_used_again() {
    let place = Place::new();
    place.file("t/a", "one").file("t/b", "two");
    let plain = place.run("tree files -r t").stdout;
    // The list is what sum prints, and is not of the files.
    let outcome = place.run("tree files -r t --out-digests t/list");
    assert_eq!((outcome.stdout.as_str(), outcome.code), (plain.as_str(), Some(0)));
    assert_eq!(fs::read_to_string(place.join("t/list")).unwrap(), place.run("sum t/a t/b").stdout);
    assert_eq!(place.run("tree files -r t --out-digests t/list").stdout, plain);
    assert_eq!(place.run("check --strict t/list").code, Some(0));
    fs::remove_file(place.join("t/list")).unwrap();
    assert_eq!(place.run("tree files -r t missing --out-digests list").code, Some(1));
    assert!(!place.join("list").exists());
    for _ in 0..2 {
        assert_eq!(place.run("tree files -r t --cache cache").stdout, plain);
    }
    place.file("t/b", "three");
    assert_eq!(place.run("tree files -r t --cache cache").stdout, place.run("tree files -r t").stdout);
}

#[test]
fn results_come_in_the_order_given_and_errors_lose_nothing() {
    let place = Place::new();
    place.file("folder/x", "");
    let names: Vec<String> = (0..3000).map(|i| format!("n{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        place.file(name, pattern(i * 7919 % 5000 + if i % 1000 == 7 { 3 << 20 } else { 0 }));
    }
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    arguments.insert(1500, "missing");
    arguments.insert(700, "folder");
    let arguments = arguments.join(" ");
    for mode in ["j-lanes", "j-pointers -l 2", "fs-verity", "bittorrent-v2", "s3", "glacier"] {
        let outcome = place.run(&format!("tree {mode} --threads 3 {arguments}"));
        let printed: Vec<&str> = outcome.stdout.lines().map(|line| line.split_whitespace().last().unwrap()).collect();
        assert_eq!(printed, names, "{mode}");
        let errors = "manyhash: folder: Is a directory\nmanyhash: missing: No such file or directory\n";
        assert_eq!((outcome.stderr.as_str(), outcome.code), (errors, Some(1)), "{mode}");
    }
}

#[test]
fn a_name_may_have_any_characters() {
    let place = Place::new();
    place.file("a\n\\b", "abc");
    let run = |mode: &str| {
        let outcome = outcome(place.command(BINARY).args(["tree", mode, "a\n\\b"]), b"");
        assert_eq!(outcome.code, Some(0));
        outcome.stdout
    };
    let line = run("j-lanes");
    assert!(line.starts_with('\\') && line.ends_with("  a\\n\\\\b\n"), "{line}");
    // fsverity prints lines so.
    let line = run("fs-verity");
    assert!(line.starts_with("sha256:") && line.ends_with(" a\n\\b\n"), "{line}");
}

#[test]
fn wrong_parameters_are_named() {
    let place = Place::new();
    place.file("f", "abc");
    let long_salt = format!("fs-verity --salt {}", "00".repeat(33));
    let longer_salt = format!("dm-verity --salt {}", "00".repeat(257));
    for (arguments, named) in [
        ("j-lanes -l 0", "--lanes"),
        ("j-pointers -l 1025", "--lanes"),
        ("j-lanes -a sha257", "--algorithm"),
        ("fs-verity --block-size 512", "--block-size"),
        ("fs-verity --block-size 5000", "--block-size"),
        ("fs-verity --block-size 131072", "--block-size"),
        ("fs-verity --hash-alg sha1", "--hash-alg"),
        ("fs-verity --salt abc", "--salt"),
        ("fs-verity --salt xy", "--salt"),
        (&long_salt, "--salt"),
        ("dm-verity --data-block-size 256", "--data-block-size"),
        ("dm-verity --hash-block-size 3000", "--hash-block-size"),
        ("dm-verity --format 2", "--format"),
        (&longer_salt, "--salt"),
        ("bittorrent-v2 --piece-length 8K", "--piece-length"),
        ("bittorrent-v2 --piece-length 48K", "--piece-length"),
        ("s3 --part-size 0", "--part-size"),
        ("s3 --part-size 5X", "--part-size"),
        ("s3 --etag -a sha1", "--etag"),
        ("glacier --threads -1", "--threads"),
    ] {
        let outcome = place.run(&format!("tree {arguments} f"));
        assert!(outcome.stderr.contains(named) && outcome.stdout.is_empty(), "{arguments}: {outcome:?}");
        assert_eq!(outcome.code, Some(2), "{arguments}");
    }
    assert_eq!(place.run("tree").code, Some(2));
}

#[test]
fn what_must_be_a_file_cannot_be_a_stream() {
    let place = Place::new();
    for arguments in ["j-pointers", "j-pointers -", "dm-verity -"] {
        let outcome = place.run_with(&format!("tree {arguments}"), b"abc");
        assert!(outcome.stderr.starts_with("manyhash: -: it must be a file"), "{outcome:?}");
        assert_eq!((outcome.stdout.as_str(), outcome.code), ("", Some(1)));
    }
    place.file("odd", pattern(5000)).file("empty", "");
    let outcome = place.run("tree dm-verity odd empty");
    let expected = "manyhash: odd: 5000 bytes are no multiple of the data block size, 4096\nmanyhash: empty: there is no data\n";
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str(), outcome.code), ("", expected, Some(1)));
}

#[test]
fn one_digest_of_a_folder_depends_on_all_that_is_in_it() {
    let place = Place::new();
    place.file("t/b", "two").file("t/a/z", "one").file("t/a.x", "three").file("names", "t/b\nt/a.x\n").file("nuls", "t/b\0t/a.x\0");
    let digests = |texts: &[&str]| texts.iter().map(|text| hash::<Sha256>(text.as_bytes())).collect::<Vec<_>>();
    let plain = |texts: &[&str]| hex(tree::files::<Sha256>(&digests(texts))) + "\n";
    // The order is that of `sum -r`.
    let order = ["t/a.x", "t/a/z", "t/b"];
    assert_eq!(place.run("sum -r t").stdout.lines().map(|line| &line[66..]).collect::<Vec<_>>(), order);
    assert_eq!(place.run("tree files -r t").stdout, plain(&["three", "one", "two"]));
    assert_eq!(place.run("tree files t/a/z --files-from names").stdout, plain(&["one", "two", "three"]));
    assert_eq!(place.run("tree files --files-from nuls --null").stdout, plain(&["two", "three"]));
    assert_eq!(place.run("tree files -r --exclude *.x t").stdout, plain(&["one", "two"]));
    let named = |files: &[(&str, &str)]| {
        let leaf = |(name, text): &(&str, &str)| {
            let length = (name.len() as u64).to_le_bytes();
            hash::<Sha256>(&[&hash::<Sha256>(text.as_bytes())[..], &length, name.as_bytes()].concat())
        };
        hex(tree::files::<Sha256>(&files.iter().map(leaf).collect::<Vec<_>>())) + "\n"
    };
    let all = [("t/a.x", "three"), ("t/a/z", "one"), ("t/b", "two")];
    for threads in [1, 4] {
        assert_eq!(place.run(&format!("tree files -r --names t --threads {threads}")).stdout, named(&all));
    }
    assert_eq!(place.run_with("tree files --names - t/b", b"x").stdout, named(&[("-", "x"), ("t/b", "two")]));
    // Python computes the same.
    let script = "import hashlib, sys; h = lambda b: hashlib.sha512(b).digest()
def leaf(name): return h(h(open(name, 'rb').read()) + len(name).to_bytes(8, 'little') + name.encode())
print(h(b''.join(map(leaf, sys.argv[1:]))).hex())";
    let theirs = place.command("python3").args(["-c", script]).args(order).output().unwrap();
    assert_eq!(place.run("tree files -a sha512 -r --names t").stdout.as_bytes(), theirs.stdout);
    // Another name is another digest, but only with names.
    std::fs::rename(place.join("t/b"), place.join("t/c")).unwrap();
    assert_eq!(place.run("tree files -r t").stdout, plain(&["three", "one", "two"]));
    assert_eq!(place.run("tree files -r --names t").stdout, named(&[all[0], all[1], ("t/c", "two")]));
    // Without a file there is no digest of the others.
    for (arguments, message) in [
        ("tree files t", "manyhash: t: Is a directory\n"),
        ("tree files --files-from names", "manyhash: t/b: No such file or directory\n"),
        ("tree files -r t --files-from none", "manyhash: none: No such file or directory\n"),
    ] {
        let outcome = place.run(arguments);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str(), outcome.code), ("", message, Some(1)), "{arguments}");
    }
    for arguments in ["tree files -0 t/c", "tree files -L t/c", "tree files --files-from - -"] {
        assert_eq!(place.run(arguments).code, Some(2), "{arguments}");
    }
}

#[test]
fn files_that_the_system_makes_up_are_read_to_their_end() {
    let Ok(content) = fs::read("/proc/version") else { return skipped("there is no /proc/version") };
    let place = Place::new();
    for (mode, expected) in [
        ("j-lanes", hex(JLanes::<Sha256>::new(16).unwrap().hash(&content)) + "  /proc/version\n"),
        ("glacier", hex(tree::glacier(&content)) + "  /proc/version\n"),
        ("fs-verity --compact", hex(FsVerity::<Sha256>::new(4096, &[]).unwrap().digest(&content)) + "\n"),
    ] {
        assert_eq!(place.run(&format!("tree {mode} /proc/version")).stdout, expected, "{mode}");
    }
}

/// Returns the Merkle tree of a file: levels of nodes, the root's first.
fn merkle_tree(verity: &FsVerity<Sha256>, content: &[u8]) -> Vec<u8> {
    let mut digests = verity.merkle().hash_leaves(content);
    let mut levels = Vec::new();
    while digests.len() > 1 {
        let mut nodes = digests.as_flattened().to_vec();
        nodes.resize(nodes.len().next_multiple_of(verity.merkle().node_bytes()), 0);
        digests = verity.merkle().hash_nodes(&nodes);
        levels.push(nodes);
    }
    levels.into_iter().rev().flatten().collect()
}

#[test]
fn trees_and_descriptors_are_written_whole() {
    let place = Place::new();
    let verity = FsVerity::<Sha256>::new(1024, &[7]).unwrap();
    for bytes in [0, 1, 1024, 1025, 32 << 10, (32 << 10) + 1, 1 << 20, 5_000_000] {
        let content = pattern(bytes);
        place.file("f", &content);
        let outcome = place.run("tree fs-verity --block-size 1024 --salt 07 --out-merkle-tree t --out-descriptor d f");
        assert_eq!(outcome.stdout, format!("sha256:{} f\n", hex(verity.digest(&content))));
        assert!(fs::read(place.join("t")).unwrap() == merkle_tree(&verity, &content), "{bytes}");
        assert_eq!(fs::read(place.join("d")).unwrap(), verity.descriptor(bytes as u64, verity.merkle().roots(&[&content])[0]), "{bytes}");
    }
}

#[test]
fn nothing_partial_is_left_behind() {
    let place = Place::new();
    place.file("f", pattern(100_000)).file("g", "").file("old", "as it was");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    for (arguments, code) in [
        ("--out-merkle-tree t missing", 1),
        ("--out-merkle-tree t .", 1),
        ("--out-merkle-tree /dev/null f", 1),
        ("--out-merkle-tree t --out-descriptor nowhere/d f", 1),
        ("--out-merkle-tree t f g", 2),
        ("--out-descriptor d", 2),
        ("--out-descriptor d -", 2),
        ("--out-merkle-tree old --out-descriptor ./old f", 2),
        ("--out-merkle-tree new --out-descriptor ./new f", 2),
        ("--out-merkle-tree t --out-descriptor /dev/full f", 1),
        ("--out-merkle-tree f f", 2),
        ("--out-descriptor ./f f", 2),
    ] {
        let outcome = place.run(&format!("tree fs-verity {arguments}"));
        assert!(outcome.code == Some(code) && outcome.stdout.is_empty() && !outcome.stderr.is_empty(), "{arguments}: {outcome:?}");
        assert_eq!(names(), before, "{arguments}");
    }
    assert!(fs::read(place.join("f")).unwrap() == pattern(100_000));
    assert_eq!(fs::read(place.join("old")).unwrap(), b"as it was");
}

#[test]
fn every_mode_has_help_and_a_manual_page() {
    let place = Place::new();
    let help = place.run("tree --help").stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    // What a mode is may take several lines.
    let is_first = |line: &&str| line.len() > 2 && !line.starts_with("   ");
    let modes = list.lines().take_while(|line| !line.is_empty()).filter(is_first);
    let modes: Vec<&str> = modes.map(|line| line.split_whitespace().next().unwrap()).collect();
    let (files, trees) = modes.split_at(8);
    assert_eq!(files, ["j-lanes", "j-pointers", "files", "fs-verity", "dm-verity", "bittorrent-v2", "s3", "glacier"]);
    assert_eq!(trees, ["sha256tree", "rfc9162", "ssz", "bitcoin", "git", "nar", "cid"]);
    for mode in modes {
        let help = place.run(&format!("tree {mode} --help")).stdout;
        assert!(help.contains("\nExamples:\n") && help.contains(&format!("manyhash tree {mode}")), "{help}");
        let page = place.run(&format!("man tree {mode}")).stdout;
        assert!(page.contains(&format!(".TH MANYHASH-TREE-{} 1 ", mode.to_uppercase())), "{page}");
    }
    let outcome = place.run("man tree bogus");
    assert!(outcome.code == Some(2) && outcome.stderr.contains("bogus") && outcome.stderr.contains("glacier"), "{outcome:?}");
}

#[test]
fn more_parts_than_s3_takes_are_said_if_asked() {
    let place = Place::new();
    place.file("f", pattern(10_001));
    let line = place.run("tree s3 --part-size 1 f");
    assert!(line.stdout.ends_with("-10001  f\n") && line.stderr.is_empty() && line.code == Some(0), "{line:?}");
    let outcome = place.run("-v tree s3 --part-size 1 f");
    assert!(outcome.stdout == line.stdout && outcome.stderr.contains("10001 parts"), "{}", outcome.stderr);
}
