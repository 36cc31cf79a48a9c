//! `manyhash verity` and `manyhash tree dm-verity` beside `veritysetup`: both print the same
//! reports, make the same hash devices byte for byte, and verify what the other made.

mod corruption;
mod wrong;

use crate::support::{BINARY, Outcome, Place, outcome, pattern, peer};
use std::fs;
use std::path::PathBuf;

const UUID: &str = "--uuid=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

/// The command that runs, which has a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}
use Whose::{Ours, Theirs};

/// A folder for each of the two commands, below one with the data.
struct Pair {
    place: Place,
    veritysetup: PathBuf,
}

impl Pair {
    fn new() -> Option<Self> {
        let veritysetup = peer("veritysetup")?;
        let pair = Self { place: Place::new(), veritysetup };
        for whose in [Ours, Theirs] {
            fs::create_dir(pair.folder(whose)).unwrap();
        }
        Some(pair)
    }

    fn folder(&self, whose: Whose) -> PathBuf {
        self.place.join(if whose == Ours { "ours" } else { "theirs" })
    }

    /// Creates data of `bytes` bytes, as both see it.
    fn data(&self, bytes: usize) -> String {
        let name = format!("d{bytes}");
        if !self.place.join(&name).exists() {
            self.place.file(&name, pattern(bytes));
        }
        format!("../{name}")
    }

    fn run(&self, whose: Whose, line: &str) -> Outcome {
        let mut command = match whose {
            Ours => self.place.command(BINARY),
            Theirs => self.place.command(&self.veritysetup),
        };
        command.args((whose == Ours).then_some("verity")).args(line.split_whitespace());
        outcome(command.current_dir(self.folder(whose)), b"")
    }

    fn hash(&self, whose: Whose) -> Vec<u8> {
        fs::read(self.folder(whose).join("hash")).unwrap()
    }

    /// Runs both commands, which must print the same and end with the same code.
    fn both(&self, line: &str) -> Outcome {
        let [ours, theirs] = [Ours, Theirs].map(|whose| self.run(whose, line));
        assert_eq!((&ours.stdout, ours.code), (&theirs.stdout, theirs.code), "ours (left), veritysetup (right): {line}\n{}", ours.stderr);
        ours
    }

    /// Both format `data` with the same report and `hash`. Returns the root hash.
    fn format(&self, data: &str, options: &str) -> String {
        for whose in [Ours, Theirs] {
            let _ = fs::remove_file(self.folder(whose).join("hash"));
        }
        let report = self.both(&format!("format {data} hash {options}"));
        assert_eq!(report.code, Some(0), "{options}: {}", report.stderr);
        let mut hashes = [Ours, Theirs].map(|whose| self.hash(whose));
        if report.stdout.contains("Hash blocks:     \t0\n") {
            // Without a tree the file's length is arbitrary: theirs is padded to a block of 512 to
            // 4096 bytes.
            hashes.iter_mut().for_each(|hash| hash.resize(65_536, 0));
        }
        assert!(hashes[0] == hashes[1], "hash devices differ: {data} {options}");
        root(&report)
    }

    /// Each command verifies what the other made, and prints nothing.
    fn verify(&self, data: &str, root: &str, options: &str) {
        for (whose, other) in [(Ours, "../theirs/hash"), (Theirs, "../ours/hash")] {
            let verify = self.run(whose, &format!("verify {data} {other} {root} {options}"));
            let silence = Outcome { stdout: String::new(), stderr: String::new(), code: Some(0) };
            assert_eq!(verify, silence, "{whose:?}: {data} {root} {options}");
        }
    }
}

fn root(report: &Outcome) -> String {
    let line = report.stdout.lines().find(|line| line.starts_with("Root hash:")).unwrap();
    line.rsplit('\t').next().unwrap().to_string()
}

/// Returns numbers of data blocks around every edge of a tree with `digests` digests a block, as
/// far as they are quick.
fn block_counts(data_block: usize, digests: usize) -> Vec<usize> {
    let edges = [1, 2, digests, digests * digests, digests * digests * digests];
    let around = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).filter(|&count| count > 0);
    let mut counts: Vec<_> = around.filter(|&count| count * data_block <= 3 << 20).collect();
    counts.dedup();
    counts
}

/// Returns salts of many lengths in turn.
fn salt(turn: usize) -> String {
    let bytes = [0, 1, 31, 32, 33, 63, 64, 65, 119, 128, 255, 256][turn % 12];
    match bytes {
        0 => "-".to_string(),
        _ => (0..bytes).map(|index| format!("{:02x}", (index * 37 + turn) % 256)).collect(),
    }
}

#[test]
fn hash_devices_are_those_of_veritysetup_around_every_edge() {
    let Some(pair) = Pair::new() else { return };
    let shapes = [(512, 512), (1024, 1024), (4096, 4096), (512, 4096), (4096, 512), (2048, 8192), (8192, 2048), (16_384, 512)];
    let large = [(512, 16_384), (32_768, 1024), (1024, 32_768), (65_536, 512), (512, 65_536), (65_536, 65_536)];
    let mut turn = 0;
    for (hash, digest_bytes) in [("sha1", 32), ("sha256", 32), ("sha512", 64)] {
        for format in [1, 0] {
            for (data_block, hash_block) in shapes.into_iter().chain(large) {
                for count in block_counts(data_block, hash_block / digest_bytes) {
                    let data = pair.data(count * data_block);
                    let blocks = format!("--data-block-size={data_block} --hash-block-size={hash_block}");
                    let parameters = format!("--hash={hash} --format={format} --salt={} {blocks}", salt(turn));
                    turn += 1;
                    if turn % 2 == 0 {
                        let root = pair.format(&data, &format!("{parameters} --no-superblock"));
                        pair.verify(&data, &root, &format!("{parameters} --no-superblock"));
                    } else {
                        let root = pair.format(&data, &format!("{parameters} {UUID}"));
                        pair.verify(&data, &root, "");
                        pair.both("dump hash");
                    }
                }
            }
        }
    }
}

#[test]
fn every_salt_and_hash_is_as_veritysetup_has_it() {
    let Some(pair) = Pair::new() else { return };
    let blocks = "--data-block-size=512 --hash-block-size=512";
    for format in [0, 1] {
        for hash in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256", "SHA256"] {
            for count in [1, 17, 300] {
                let data = pair.data(count * 512);
                let root = pair.format(&data, &format!("--hash={hash} --format={format} --salt=5a77 {blocks} {UUID}"));
                pair.verify(&data, &root, "");
                pair.both("dump hash");
            }
        }
        for turn in 0..12 {
            let salt = salt(turn);
            for hash in ["sha1", "sha256", "sha512"] {
                let data = pair.data(33 * 512);
                let root = pair.format(&data, &format!("-h {hash} --format={format} -s {salt} {blocks} {UUID}"));
                pair.verify(&data, &root, "");
                let line = format!("tree dm-verity --hash {hash} --format {format} --salt {salt} {blocks} d{}", 33 * 512);
                assert_eq!(pair.place.run(&line).stdout, format!("{root}  d{}\n", 33 * 512));
            }
        }
        pair.format(&pair.data(33 * 512), &format!("--salt=AaBB --format={format} {blocks} {UUID}"));
        pair.format(&pair.data(33 * 512), &format!("--salt= --format={format} {blocks} {UUID}"));
    }
}

#[test]
fn places_of_superblock_and_tree_are_those_of_veritysetup() {
    let Some(pair) = Pair::new() else { return };
    let data = pair.data(20 * 4096);
    for (hash_block, offsets) in
        [(512, &[512, 1024, 4096, 12_800][..]), (4096, &[512, 4096, 5632, 8192, 40_960]), (65_536, &[4096, 65_536])]
    {
        let parameters = format!("--salt=aa --hash-block-size={hash_block}");
        for offset in offsets {
            let options = format!("--hash-offset={offset}");
            let root = pair.format(&data, &format!("{parameters} {options} {UUID}"));
            pair.verify(&data, &root, &options);
            pair.both(&format!("dump hash {options}"));
            if offset % hash_block == 0 {
                let options = format!("{parameters} {options} --no-superblock");
                let root = pair.format(&data, &options);
                pair.verify(&data, &root, &options);
            }
        }
    }
    for blocks in [1, 2, 3, 19, 20] {
        let root = pair.format(&data, &format!("--salt=aa --data-blocks={blocks} {UUID}"));
        pair.verify(&data, &root, "");
        let options = format!("--salt=aa --data-blocks={blocks} --no-superblock");
        assert_eq!(pair.format(&data, &options), root);
        pair.verify(&data, &root, &options);
    }
    // With a number of blocks, anything may come after them.
    let odd = pair.data(20 * 4096 + 77);
    pair.format(&odd, &format!("--salt=aa --data-blocks=20 {UUID}"));
}

#[test]
fn what_was_around_the_tree_stays() {
    let Some(pair) = Pair::new() else { return };
    let data = pair.data(40 * 512);
    for options in ["--hash-offset=1024", "--hash-offset=4096 --hash-block-size=4096", "--hash-offset=2048 --no-superblock", ""] {
        for whose in [Ours, Theirs] {
            fs::write(pair.folder(whose).join("hash"), [0xee; 30_000]).unwrap();
        }
        let line = format!("format {data} hash --salt=aa --data-block-size=512 --hash-block-size=512 {UUID} {options}");
        assert_eq!(pair.both(&line).code, Some(0));
        assert!(pair.hash(Ours) == pair.hash(Theirs), "{options}");
    }
}

#[test]
fn data_and_hashes_may_share_a_file() {
    let Some(pair) = Pair::new() else { return };
    for (blocks, options) in [(600, "--data-block-size=512 --hash-block-size=512"), (20, ""), (1, "")] {
        let bytes = if options.is_empty() { blocks * 4096 } else { blocks * 512 };
        let at = format!("--hash-offset={bytes}");
        let line = format!("format hash hash --salt=aa {UUID} {at} {options}");
        for whose in [Ours, Theirs] {
            fs::write(pair.folder(whose).join("hash"), pattern(bytes)).unwrap();
        }
        let root = root(&pair.both(&line));
        assert!(pair.hash(Ours) == pair.hash(Theirs), "{line}");
        for whose in [Ours, Theirs] {
            assert_eq!(pair.run(whose, &format!("verify hash hash {root} {at}")).code, Some(0), "{whose:?}");
        }
        pair.both(&format!("dump hash {at}"));
        // The file has grown, so now the end of the data must be given.
        pair.both(&format!("{line} --data-blocks={blocks}"));
        let before = pair.hash(Ours);
        for line in [line.clone(), format!("{line} --data-blocks={}", blocks + 1)] {
            let refused = pair.run(Ours, &line);
            assert!(refused.code == Some(1) || refused.code == Some(2), "{line}: {refused:?}");
            assert!(refused.stderr.contains("hash") && refused.stdout.is_empty() && pair.hash(Ours) == before, "{line}: {refused:?}");
        }
    }
}

#[test]
fn without_salt_and_uuid_both_are_random() {
    let Some(pair) = Pair::new() else { return };
    let data = pair.data(300 * 4096);
    let reports = [0, 1].map(|_| {
        let report = pair.run(Ours, &format!("format {data} hash"));
        assert_eq!((report.stderr.as_str(), report.code), ("", Some(0)));
        assert_eq!(pair.run(Theirs, &format!("verify {data} ../ours/hash {}", root(&report))).code, Some(0));
        let value = |name: &str| report.stdout.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_string();
        let (uuid, salt) = (value("UUID:"), value("Salt:"));
        assert_eq!((salt.len(), uuid.len()), (64, 36));
        assert!(uuid.as_bytes()[14] == b'4' && b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
        (uuid, salt, root(&report))
    });
    assert!(reports[0].0 != reports[1].0 && reports[0].1 != reports[1].1 && reports[0].2 != reports[1].2);
}

#[test]
fn a_root_hash_file_is_written_and_read_as_theirs() {
    let Some(pair) = Pair::new() else { return };
    let data = pair.data(300 * 512);
    let root = pair.format(&data, &format!("--salt=aa {UUID} --data-block-size=512 --hash-block-size=512 --root-hash-file=root"));
    for whose in [Ours, Theirs] {
        assert_eq!(fs::read_to_string(pair.folder(whose).join("root")).unwrap(), root);
    }
    for content in [root.clone(), format!("{root}\n"), root.to_uppercase()] {
        pair.place.file("root", &content);
        pair.verify(&data, "", "--root-hash-file=../root");
    }
    pair.verify(&data, &root.to_uppercase(), "");
    let wrong = root.replacen(&root[..1], if root.starts_with('0') { "1" } else { "0" }, 1);
    for content in [wrong.as_str(), "", "abcd", "nothing of the kind"] {
        pair.place.file("root", content);
        let refused = pair.run(Ours, &format!("verify {data} hash --root-hash-file=../root"));
        assert!(refused.code == Some(1) && !refused.stderr.is_empty(), "{content}: {refused:?}");
        assert_ne!(pair.run(Theirs, &format!("verify {data} hash --root-hash-file=../root")).code, Some(0), "{content}");
    }
    let missing = pair.run(Ours, &format!("verify {data} hash --root-hash-file=missing"));
    assert!(missing.code == Some(1) && missing.stderr.contains("missing: No such file"), "{missing:?}");
}

#[test]
fn a_large_device_of_holes_is_the_same() {
    let Some(pair) = Pair::new() else { return };
    let name = |blocks: u64| {
        fs::File::create(pair.place.join("holes")).unwrap().set_len(blocks * 4096).unwrap();
        "../holes"
    };
    for blocks in [128 * 128, 128 * 128 + 1] {
        let root = pair.format(name(blocks), &format!("--salt=- {UUID}"));
        pair.verify("../holes", &root, "");
    }
}
