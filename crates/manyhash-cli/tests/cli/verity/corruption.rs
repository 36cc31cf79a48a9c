//! Changes of single bits and missing bytes, which both `verify` and `veritysetup` must report.

use super::{Ours, Pair, Theirs, UUID};
use crate::random::Random;
use crate::support::{Outcome, pattern};
use std::fs;

const BLOCKS: usize = 600;
const BLOCK_BYTES: usize = 512;
/// The blocks of the tree with 16 digests a block: 38 blocks of digests of data, 3 above them, and
/// one on top, which comes first.
const TREE_BLOCKS: usize = 42;
const SALT_BYTES: usize = 2;

struct Device {
    pair: Pair,
    data: Vec<u8>,
    hash: Vec<u8>,
    root: String,
}

impl Device {
    fn new(options: &str) -> Option<Self> {
        let pair = Pair::new()?;
        let data = pattern(BLOCKS * BLOCK_BYTES);
        let line = format!("--salt=aabb {UUID} --data-block-size=512 --hash-block-size=512 {options}");
        let root = pair.format(&pair.data(data.len()), &line);
        let hash = pair.hash(Ours);
        assert_eq!(hash.len(), (1 + TREE_BLOCKS) * BLOCK_BYTES);
        Some(Self { pair, data, hash, root })
    }

    fn verify(&self, data: &[u8], hash: &[u8]) -> [Outcome; 2] {
        self.pair.place.file("data", data).file("tree", hash);
        [Ours, Theirs].map(|whose| self.pair.run(whose, &format!("verify ../data ../tree {}", self.root)))
    }

    /// Checks that both commands refuse, and returns our message.
    fn refused(&self, data: &[u8], hash: &[u8], what: &str) -> String {
        let [ours, theirs] = self.verify(data, hash);
        assert_ne!(theirs.code, Some(0), "{what}");
        assert_eq!((ours.stdout.as_str(), ours.code), ("", Some(1)), "{what}: {}", ours.stderr);
        ours.stderr
    }
}

fn with_bit(bytes: &[u8], byte: usize, bit: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[byte] ^= 1 << bit;
    changed
}

#[test]
fn a_bit_of_any_data_block_is_found_and_the_block_named() {
    let Some(device) = Device::new("") else { return };
    for (turn, block) in [0, 1, 15, 16, 17, 137, 255, 256, 257, 598, 599].into_iter().enumerate() {
        let changed = with_bit(&device.data, block * BLOCK_BYTES + 511 * (turn % 2), turn % 8);
        let told = device.refused(&changed, &device.hash, &format!("data block {block}"));
        assert!(told.contains("../data") && told.contains(&format!("block {block}")), "block {block}: {told}");
    }
}

#[test]
fn the_first_and_the_number_of_corrupt_blocks_are_told() {
    let Some(device) = Device::new("") else { return };
    let mut changed = device.data.clone();
    for block in (137..).step_by(17).take(23) {
        changed[block * BLOCK_BYTES + 100] ^= 4;
    }
    let told = device.refused(&changed, &device.hash, "23 data blocks");
    assert!(told.contains("block 137") && told.contains("23"), "{told}");
}

#[test]
fn a_bit_of_any_block_of_the_tree_is_found() {
    for options in ["", "--format=0", "--hash=sha1", "--hash=sha1 --format=0"] {
        let Some(device) = Device::new(options) else { return };
        for block in [1, 2, 3, 4, 5, 6, 20, 41, TREE_BLOCKS] {
            // These are a digest, another one or the bytes behind the last, and the last byte.
            for (byte, bit) in [(0, 0), (block * 37 % 512, 3), (511, 7)] {
                let changed = with_bit(&device.hash, block * BLOCK_BYTES + byte, bit);
                let told = device.refused(&device.data, &changed, &format!("{options}: byte {byte} of hash block {block}"));
                assert!(told.contains("../tree") || told.contains("root"), "hash block {block}: {told}");
            }
        }
    }
}

#[test]
fn a_bit_of_the_superblock_is_found_wherever_veritysetup_finds_it() {
    let Some(device) = Device::new("") else { return };
    for byte in (0..96).chain((96..BLOCK_BYTES).step_by(13)) {
        let changed = with_bit(&device.hash, byte, byte % 8);
        let [ours, theirs] = device.verify(&device.data, &changed);
        // Nothing depends on the UUID, and on bytes that are zeros.
        let is_free = (16..32).contains(&byte) || (39..64).contains(&byte) || (82..88).contains(&byte) || byte >= 88 + SALT_BYTES;
        match theirs.code {
            Some(0) => assert!(is_free && matches!(ours.code, Some(0 | 1)), "byte {byte}: {ours:?}"),
            _ => assert!(ours.code == Some(1) && !ours.stderr.is_empty(), "byte {byte}: {ours:?}"),
        }
        let dumps = [Ours, Theirs].map(|whose| device.pair.run(whose, "dump ../tree"));
        // Numbers of blocks that no device has are shown by veritysetup.
        let is_impossible = (77..80).contains(&byte) && dumps[0].code == Some(1);
        if (ours.code == Some(0) || !is_free) && !is_impossible {
            assert_eq!((&dumps[0].stdout, dumps[0].code), (&dumps[1].stdout, dumps[1].code), "byte {byte}: {}", dumps[0].stderr);
        }
    }
}

#[test]
fn impossible_superblocks_are_named_and_cost_nothing() {
    let Some(device) = Device::new("") else { return };
    let fields: [(usize, &[u8], &str); 16] = [
        (0, b"VERITY", "superblock"),
        (8, &[2], "version"),
        (12, &[2], "type"),
        (32, b"md6\0\0\0", "md6"),
        (32, &[b'a'; 32], "aaa"),
        (32, &[0xff; 32], "algorithm"),
        (64, &[0, 0, 0, 0], "data block size"),
        (64, &[0xe8, 3, 0, 0], "data block size"),
        (64, &[0, 0, 0, 0x80], "data block size"),
        (68, &[0, 0, 0, 0], "hash block size"),
        (68, &[3, 0, 0, 0], "hash block size"),
        (72, &[0; 8], "data blocks"),
        (72, &[0xff; 8], "data blocks"),
        (72, &[0, 0, 0, 0, 0, 1], ""),
        (80, &[1, 1], "salt"),
        (80, &[0xff, 0xff], "salt"),
    ];
    for (at, bytes, name) in fields {
        let mut changed = device.hash.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        let [ours, _] = device.verify(&device.data, &changed);
        assert_eq!((ours.stdout.as_str(), ours.code), ("", Some(1)), "{at} {bytes:?}: {}", ours.stderr);
        assert!(ours.stderr.starts_with("manyhash: ") && ours.stderr.contains(name), "{at} {bytes:?}: {}", ours.stderr);
    }
}

#[test]
fn hashes_that_end_early_are_told() {
    let Some(device) = Device::new("") else { return };
    for bytes in [0, 1, 8, 100, 511, 512, 513, 1023, 1024, 5 * 512, 20 * 512 + 3, 42 * 512, 43 * 512 - 1] {
        let told = device.refused(&device.data, &device.hash[..bytes], &format!("{bytes} bytes of hashes"));
        assert!(told.contains("../tree"), "{bytes}: {told}");
        if bytes < 512 {
            let dump = device.pair.run(Ours, "dump ../tree");
            assert_eq!((dump.stdout.as_str(), dump.code), ("", Some(1)), "{bytes}: {}", dump.stderr);
            assert!(dump.stderr.contains("../tree"), "{bytes}: {}", dump.stderr);
        }
    }
    // Bytes behind the tree do not matter.
    let longer = [&device.hash[..], &[0xee; 1000]].concat();
    let codes = device.verify(&device.data, &longer).map(|outcome| outcome.code);
    assert_eq!(codes, [Some(0), Some(0)]);
}

#[test]
fn data_that_ends_early_is_told_and_may_be_longer() {
    let Some(device) = Device::new("") else { return };
    for bytes in [0, 1, 511, 512, 599 * 512, 599 * 512 + 1, 600 * 512 - 1] {
        let told = device.refused(&device.data[..bytes], &device.hash, &format!("{bytes} bytes of data"));
        assert!(told.contains("../data"), "{bytes}: {told}");
    }
    for more in [1, 512, 5000] {
        let longer = [&device.data[..], &vec![0xee; more]].concat();
        let codes = device.verify(&longer, &device.hash).map(|outcome| outcome.code);
        assert_eq!(codes, [Some(0), Some(0)], "{more} bytes more");
    }
}

#[test]
fn other_parameters_than_those_it_was_made_with_are_refused() {
    let Some(pair) = Pair::new() else { return };
    let data = pair.data(BLOCKS * BLOCK_BYTES);
    let blocks = "--data-block-size=512 --hash-block-size=512";
    let root = pair.format(&data, &format!("--no-superblock --salt=aabb {blocks}"));
    for options in [
        format!("--salt=aabb {blocks}"),
        format!("--no-superblock {blocks}"),
        format!("--no-superblock --salt=aabc {blocks}"),
        format!("--no-superblock --salt=aabb {blocks} --format=0"),
        format!("--no-superblock --salt=aabb {blocks} --hash-offset=512"),
        format!("--no-superblock --salt=aabb {blocks} --data-blocks=599"),
        format!("--no-superblock --salt=aabb {blocks} --data-blocks=17"),
        format!("--no-superblock --salt=aabb {blocks} --data-blocks=601"),
        "--no-superblock --salt=aabb".to_string(),
        "--no-superblock --salt=aabb --data-block-size=512".to_string(),
    ] {
        let line = format!("verify {data} hash {root} {options}");
        let [ours, theirs] = [Ours, Theirs].map(|whose| pair.run(whose, &line));
        assert_ne!(theirs.code, Some(0), "{options}");
        assert_eq!((ours.stdout.as_str(), ours.code), ("", Some(1)), "{options}: {}", ours.stderr);
    }
}

#[test]
fn a_wrong_root_is_told_even_for_one_block() {
    let Some(pair) = Pair::new() else { return };
    for blocks in [1, 2, 300] {
        let data = pair.data(blocks * 512);
        let root = pair.format(&data, &format!("--salt=aa {UUID} --data-block-size=512 --hash-block-size=512"));
        for digit in [0, 31, 63] {
            let mut wrong = root.clone().into_bytes();
            wrong[digit] = if wrong[digit] == b'0' { b'1' } else { b'0' };
            let wrong = String::from_utf8(wrong).unwrap();
            let [ours, theirs] = [Ours, Theirs].map(|whose| pair.run(whose, &format!("verify {data} hash {wrong}")));
            assert_eq!((ours.code, theirs.code), (Some(1), Some(1)), "{ours:?}");
            assert!(ours.stdout.is_empty() && ours.stderr.contains("root"), "{ours:?}");
        }
        // The digest of a single block is the root.
        let mut content = fs::read(pair.place.join(&data[3..])).unwrap();
        content[77] ^= 1;
        pair.place.file("changed", content);
        let ours = pair.run(Ours, &format!("verify ../changed hash {root}"));
        assert_eq!((ours.stdout.as_str(), ours.code), ("", Some(1)), "{ours:?}");
    }
}

/// Changes some bytes: bits, bytes, a block of zeros, a block in the place of another, the end.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        let block = |random: &mut Random| random.below(bytes.len() / BLOCK_BYTES) * BLOCK_BYTES;
        let (from, to) = (block(random), block(random));
        match random.below(6) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.below(256) as u8,
            3 => bytes[to..to + BLOCK_BYTES].fill(0),
            4 => bytes.copy_within(from..from + BLOCK_BYTES, to),
            _ if bytes.len() > 4 * BLOCK_BYTES && random.below(4) == 0 => bytes.truncate(at.max(BLOCK_BYTES)),
            _ => {}
        }
    }
}

#[test]
fn random_damage_is_found_wherever_veritysetup_finds_it() {
    const OPTIONS: [&str; 4] = ["", "--format=0", "--hash=sha1", "--hash=sha512 --hash-block-size=1024"];
    let blocks =
        |options: &str| if options.contains("1024") { "--data-block-size=512" } else { "--data-block-size=512 --hash-block-size=512" };
    let mut devices = Vec::new();
    for options in OPTIONS {
        let Some(pair) = Pair::new() else { return };
        let data = pattern(BLOCKS * BLOCK_BYTES);
        let root = pair.format(&pair.data(data.len()), &format!("--salt=aabb {UUID} {} {options}", blocks(options)));
        let hash = pair.hash(Ours);
        devices.push(Device { pair, data, hash, root });
    }
    let mut found = 0;
    for mut random in Random::of_cases(60) {
        let device = &devices[random.below(devices.len())];
        let (mut data, mut hash) = (device.data.clone(), device.hash.clone());
        let which = random.below(3);
        if which != 1 {
            damage(&mut random, &mut data);
        }
        if which != 0 {
            damage(&mut random, &mut hash);
        }
        let [ours, theirs] = device.verify(&data, &hash);
        assert!(matches!(ours.code, Some(0 | 1)) && ours.stdout.is_empty(), "{ours:?}");
        assert_eq!(ours.code == Some(0), ours.stderr.is_empty(), "{ours:?}");
        if ours.code == Some(0) {
            // What is trusted has the data that it was made of, but for what comes behind it.
            assert_eq!(theirs.code, Some(0), "veritysetup refuses: {}", theirs.stderr);
            assert!(data.starts_with(&device.data), "changed data is trusted");
        }
        found += usize::from(ours.code != Some(0));
    }
    println!("{found} damages were found");
}
