//! Every way to hash many messages against the reference: every length, every count, every
//! alignment, and the cases on which other multi-buffer libraries went wrong.
//!
//! Random tests print their seed when they fail; MANYHASH_TEST_SEED=seed runs that case again.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::backends::{Door, doors, most_lanes};
use crate::support::{Random, assert_digests, edge_lengths, expected, paint, paint_all, reference};
use manyhash::{Algorithm, Hasher};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Through every door, against the reference.
fn check<A: Algorithm>(messages: &[impl AsRef<[u8]>], context: &str) {
    let expected = expected::<A>(messages);
    for door in doors::<A>() {
        check_door::<A>(door, messages, &expected, context);
    }
}

fn check_door<A: Algorithm>(door: Door, messages: &[impl AsRef<[u8]>], expected: &[Vec<u8>], context: &str) {
    let digests = door.hash_many::<A>(messages);
    assert_digests::<A>(&digests, expected, messages, &format!("{}, {context}", door.name()));
}

/// For each length n in 0..=4096 the digest of paint(n, n); all of them, concatenated, hashed by
/// the same algorithm. Made with Python's hashlib, so that the reference too answers to another.
const FOLDS: &str = include_str!("../../../../vectors/folds.txt");

fn every_length<A: Algorithm>() {
    let messages: Vec<Vec<u8>> = (0..=4096).map(|length| paint(length, length)).collect();
    let expected = expected::<A>(&messages);
    let fold = FOLDS.lines().find_map(|line| line.strip_prefix(A::NAME)?.strip_prefix(' ')).expect("a fold for each algorithm");
    assert_eq!(crate::support::hex(&reference::<A>()(&expected.concat())), fold, "{}: the reference's fold", A::NAME);

    let one_by_one: Vec<A::Digest> = messages.iter().map(|message| manyhash::hash::<A>(message)).collect();
    assert_digests::<A>(&one_by_one, &expected, &messages, "hash");
    for door in doors::<A>() {
        check_door::<A>(door, &messages, &expected, "all lengths in one batch");
        for batch in [1, door.lanes::<A>() + 1] {
            let digests: Vec<A::Digest> = messages.chunks(batch).flat_map(|messages| door.hash_many::<A>(messages)).collect();
            assert_digests::<A>(&digests, &expected, &messages, &format!("{}, batches of {batch}", door.name()));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_length]);

/// 0..=3N+1 messages, N the lanes, of lengths around the edges.
fn every_count<A: Algorithm>() {
    for seed in [1, 2, 3] {
        let (seed, mut random) = Random::replayable(seed);
        for count in 0..=3 * most_lanes::<A>() + 1 {
            let messages = paint_all((0..count).map(|_| random.one_of(&edge_lengths())).collect::<Vec<_>>());
            check::<A>(&messages, &format!("seed {seed}, {count} messages"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_count]);

/// Messages as far apart as whole pages, from addresses that are no multiple of a cache line: lanes
/// read copies of them, a piece at a time.
fn pages_apart<A: Algorithm>() {
    const PAGE: usize = 4096;
    let buffer = paint(1, 75 * 2 * PAGE);
    for (count, length, more) in [(9, 512, 0), (17, 4096, 0), (70, 1000, 0), (40, 600, 97), (70, 4000, 53), (70, 511, 2)] {
        let rows = (0..count).map(|i| &buffer[9 + i * 2 * PAGE..][..length + i * more]).collect::<Vec<_>>();
        check::<A>(&rows, &format!("{count} messages of {length} bytes and {more} more each, pages apart"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[pages_apart]);

/// Every edge length as a whole batch of its own, one message more than lanes.
fn equal_lengths<A: Algorithm>() {
    for length in edge_lengths() {
        let messages = paint_all(vec![length; most_lanes::<A>() + 1]);
        check::<A>(&messages, "equal lengths");
    }
}
manyhash::for_each_algorithm!(per_algorithm[equal_lengths]);

/// Few short messages, 0..=2N+1 of them, that take the same number of blocks: the shortest of them,
/// the longest, and both in turns.
fn few_short_messages<A: Algorithm>() {
    let padding_bytes = 1 + A::BLOCK_BYTES / 8;
    for blocks in 1..=4 {
        let longest = blocks * A::BLOCK_BYTES - padding_bytes;
        let shortest = (longest + 1).saturating_sub(A::BLOCK_BYTES);
        for lengths in [[shortest, shortest], [longest, longest], [shortest, longest], [longest, longest - 1]] {
            let messages = paint_all((0..2 * most_lanes::<A>() + 2).map(|i| lengths[i % 2]));
            let expected = expected::<A>(&messages);
            for door in doors::<A>() {
                for count in 0..=2 * door.lanes::<A>() + 1 {
                    check_door::<A>(door, &messages[..count], &expected[..count], &format!("{count} messages of {lengths:?} bytes"));
                }
            }
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[few_short_messages]);

/// One to five messages of 14 to 20 blocks, where kernels change from short runs to long ones.
fn few_middling_messages<A: Algorithm>() {
    for blocks in 14..=20 {
        for lengths in [[blocks, blocks], [blocks, 2 * blocks + 1]] {
            let messages = paint_all((0..5).map(|i| lengths[i % 2] * A::BLOCK_BYTES + i));
            for count in 1..=5 {
                check::<A>(&messages[..count], &format!("{count} messages of {lengths:?} blocks"));
            }
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[few_middling_messages]);

/// Few messages of about as many blocks, which are sorted and set without the schedule.
fn few_ragged_messages<A: Algorithm>() {
    for blocks in [1, 2, 3, 7, 15, 16, 17, 18, 24, 40, 127, 128, 129] {
        for count in [2, 3, 5, 9, 16, 17, 18, 31, 32] {
            let messages = paint_all((0..count).map(|i| blocks * A::BLOCK_BYTES - 20 + i * 13 % 40));
            check::<A>(&messages, &format!("{count} messages of about {blocks} blocks"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[few_ragged_messages]);

/// Batches of any count and any lengths: mostly short, some long, few past 64 KiB.
fn ragged_batches<A: Algorithm>() {
    for seed in 1..=40 {
        let (seed, mut random) = Random::replayable(seed);
        let count = 1 + random.below(4 * most_lanes::<A>());
        let lengths: Vec<usize> = (0..count)
            .map(|_| {
                let limit = random.one_of(&[2, 130, 130, 130, 600, 600, 5000, 5000, 70_000]);
                random.below(limit)
            })
            .collect();
        check::<A>(&paint_all(lengths), &format!("seed {seed}"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[ragged_batches]);

/// Messages of 1 to 18 blocks, so many that neighbours in the order of lengths share lanes.
fn neighbouring_lengths<A: Algorithm>() {
    for seed in 1..=12 {
        let (seed, mut random) = Random::replayable(seed);
        let count = 2 + random.below(5 * most_lanes::<A>());
        let most = random.one_of(&[3, 6, 18]) * A::BLOCK_BYTES;
        let lengths: Vec<usize> = (0..count).map(|_| random.below(most)).collect();
        check::<A>(&paint_all(lengths), &format!("seed {seed}, {count} messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[neighbouring_lengths]);

/// A few long messages and what is left of them at the end: every count, lengths far apart.
fn long_tails<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(7);
    for count in 1..=2 * most_lanes::<A>() + 1 {
        let lengths: Vec<usize> = (0..count).map(|_| random.below(20_000)).collect();
        check::<A>(&paint_all(lengths), &format!("seed {seed}, {count} messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[long_tails]);

/// Many short messages and a few that are much longer, so that these go on in other lanes when the short ones have ended.
fn heavy_tails<A: Algorithm>() {
    for count in [5, 12, 16, 17, 24, 32, 33, 40, 64, 65, 100, 200, 300] {
        let (seed, mut random) = Random::replayable(count as u64);
        for round in 0..4 {
            let mut length = || {
                let limit = 60 << random.below(10);
                random.below(limit)
            };
            let lengths: Vec<usize> = (0..count).map(|_| length()).collect();
            let messages = paint_all(lengths);
            check_door::<A>(
                Door::Automatic,
                &messages,
                &expected::<A>(&messages),
                &format!("seed {seed}, round {round}, {count} messages"),
            );
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[heavy_tails]);

/// One message much longer than all the rest, in every place of the batch.
fn one_giant<A: Algorithm>() {
    let count = most_lanes::<A>() + 2;
    for place in 0..count {
        let lengths = (0..count).map(|index| if index == place { 100_000 + place } else { index * 5 });
        check::<A>(&paint_all(lengths), &format!("the long message is number {place}"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[one_giant]);

/// A batch may have one slice many times over, and slices of slices.
fn shared_slices<A: Algorithm>() {
    let message = paint(5, 1000);
    for length in [0, 1, 55, 64, 119, 128, 1000] {
        check::<A>(&vec![&message[..length]; 2 * most_lanes::<A>() + 1], "the same slice");
    }
    let overlapping: Vec<&[u8]> = (0..1000).map(|start| &message[start..(start * 7 % 1000).max(start)]).collect();
    check::<A>(&overlapping, "overlapping slices");
}
manyhash::for_each_algorithm!(per_algorithm[shared_slices]);

/// Every start address modulo 64, every lane alike and every lane different.
fn every_alignment<A: Algorithm>() {
    let buffer = paint(9, 4096);
    let aligned = buffer.as_ptr().align_offset(64);
    for length in [1, 55, 64, 111, 128, 129, 300] {
        let starts: Vec<&[u8]> = (0..64).map(|start| &buffer[aligned + start..][..length]).collect();
        check::<A>(&starts, "all alignments in one batch");
        for (alignment, message) in starts.iter().enumerate() {
            let messages: Vec<&[u8]> =
                (0..most_lanes::<A>()).map(|lane| &buffer[aligned + 64 * (lane % 32) + alignment..][..length]).collect();
            assert_eq!(messages[0], *message);
            check::<A>(&messages, &format!("alignment {alignment}"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_alignment]);

/// The sizes of the 350 files of the paper's folder DIVERSE, in its order.
fn diverse_lengths() -> Vec<usize> {
    let path = crate::support::rsp::vectors_folder().join("paper-file-sizes.json");
    let json = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, list) = json.split_once("\"diverse_bytes\": [").expect("diverse_bytes");
    let (list, _) = list.split_once(']').expect("the list's end");
    let lengths: Vec<usize> = list.split(',').map(|size| size.trim().parse().expect("a size")).collect();
    assert_eq!((lengths.len(), lengths.iter().sum()), (350, 82_833_129_usize), "the totals the file tells");
    lengths
}

/// The paper's batch: all doors agree, and every seventh message is held against the reference.
fn diverse<A: Algorithm>() {
    let messages = paint_all(diverse_lengths());
    let doors = doors::<A>();
    let digests = doors[0].hash_many::<A>(&messages);
    let every_seventh: Vec<&Vec<u8>> = messages.iter().step_by(7).collect();
    let sample: Vec<A::Digest> = digests.iter().copied().step_by(7).collect();
    assert_digests::<A>(&sample, &expected::<A>(&every_seventh), &every_seventh, "DIVERSE, every seventh");

    let agreed: Vec<Vec<u8>> = digests.iter().map(|digest| digest.as_ref().to_vec()).collect();
    for &door in &doors[1..] {
        check_door::<A>(door, &messages, &agreed, "DIVERSE, against the first way");
    }
}
manyhash::for_each_algorithm!(per_algorithm[diverse]);

/// `hash_many_into` fills the slice it is given, and refuses one of another length.
fn into_slices<A: Algorithm>() {
    let messages = paint_all(0..37);
    let mut digests = vec![manyhash::hash::<A>(b"to be overwritten"); 37];
    manyhash::hash_many_into::<A>(&messages, &mut digests);
    assert_digests::<A>(&digests, &expected::<A>(&messages), &messages, "hash_many_into");

    for wrong in [0, 36, 41] {
        let mut digests = vec![digests[0]; wrong];
        let call = AssertUnwindSafe(|| manyhash::hash_many_into::<A>(&messages, &mut digests));
        let panic = catch_unwind(call).expect_err("lengths differ");
        let message = panic.downcast::<String>().expect("a formatted message");
        let numbers: Vec<&str> = message.split(|letter: char| !letter.is_ascii_digit()).collect();
        assert!(numbers.contains(&"37") && numbers.contains(&&*wrong.to_string()), "{message:?} names both lengths");
    }
}
manyhash::for_each_algorithm!(per_algorithm[into_slices]);

/// Any number of messages of any lengths and alignments: results in the messages' order.
fn any_batch<A: Algorithm>() {
    let length = prop_oneof![
        3 => proptest::sample::select(edge_lengths()),
        3 => 0..300_usize,
        1 => 0..5000_usize,
    ];
    let batch = proptest::collection::vec((length, 0..64_usize), 0..=3 * most_lanes::<A>() + 1);
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&batch, |batch| {
        let buffers: Vec<Vec<u8>> = batch.iter().enumerate().map(|(index, (length, start))| paint(index, start + length)).collect();
        let messages: Vec<&[u8]> = buffers.iter().zip(&batch).map(|(buffer, (_, start))| &buffer[*start..]).collect();
        let backwards: Vec<&[u8]> = messages.iter().rev().copied().collect();
        let expected = expected::<A>(&messages);
        for door in doors::<A>() {
            let digests = door.hash_many::<A>(&messages);
            prop_assert_eq!(digests.len(), messages.len());
            for (index, (digest, expected)) in digests.iter().zip(&expected).enumerate() {
                prop_assert_eq!(digest.as_ref(), &expected[..], "{}, message {}", door.name(), index);
            }
            let mut again = door.hash_many::<A>(&backwards);
            again.reverse();
            prop_assert_eq!(again, digests, "{}, backwards", door.name());
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
}
manyhash::for_each_algorithm!(per_algorithm[any_batch]);

/// A `Hasher` fed piece by piece.
fn hash_pieces<'a, A: Algorithm>(pieces: impl IntoIterator<Item = &'a [u8]>) -> A::Digest {
    let mut hasher = Hasher::<A>::new();
    pieces.into_iter().for_each(|piece| hasher.update(piece));
    hasher.finalize()
}

/// Every cut of every short edge length in two, empty pieces before, between and behind.
/// A block and then nothing is a case on which another library failed.
fn hasher_cuts<A: Algorithm>() {
    for length in edge_lengths().into_iter().filter(|&length| length <= 4097) {
        let message = paint(length, length);
        let expected = reference::<A>()(&message);
        let cuts = (0..=length).step_by(if length > 600 { 61 } else { 1 });
        for (front, back) in cuts.map(|cut| message.split_at(cut)) {
            let digest = hash_pieces::<A>([&[], front, &[], back, &[], &[]]);
            assert_eq!(digest.as_ref(), expected, "{}: {} + {} bytes", A::NAME, front.len(), back.len());
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[hasher_cuts]);

/// Any pieces, through `update` and `io::Write` in turn.
fn hasher_random_pieces<A: Algorithm>() {
    for seed in 1..=200 {
        let (seed, mut random) = Random::replayable(seed);
        let message = paint(seed as usize, random.below(20_000));
        let (mut hasher, mut rest, mut pieces) = (Hasher::<A>::new(), &message[..], Vec::new());
        while !rest.is_empty() {
            let limit = random.one_of(&[2, 66, 130, 300, 5000]);
            let (piece, after) = rest.split_at(random.below(limit).min(rest.len()));
            if pieces.len() % 2 == 0 {
                hasher.update(piece);
            } else {
                hasher.write_all(piece).expect("a Hasher takes every byte");
            }
            pieces.push(piece.len());
            rest = after;
        }
        let digest = hasher.finalize();
        assert_eq!(digest.as_ref(), reference::<A>()(&message), "{}, seed {seed}: pieces {pieces:?}", A::NAME);
    }
}
manyhash::for_each_algorithm!(per_algorithm[hasher_random_pieces]);

/// A clone goes its own way; a reset hasher is a new one, whatever it held.
fn hasher_clone_and_reset<A: Algorithm>() {
    let hash = reference::<A>();
    let (common, left, right) = (paint(1, 1000), paint(2, 300), paint(3, 77));
    for length in [0, 1, 55, 63, 64, 65, 111, 127, 128, 129, 1000] {
        let common = &common[..length];
        let mut hasher = Hasher::<A>::new();
        hasher.update(common);
        let mut clone = hasher.clone();
        hasher.update(&left);
        clone.update(&right);
        assert_eq!(hasher.clone().finalize().as_ref(), hash(&[common, &left].concat()), "{}: {length}, left", A::NAME);
        assert_eq!(clone.finalize().as_ref(), hash(&[common, &right].concat()), "{}: {length}, right", A::NAME);

        hasher.reset();
        assert_eq!(hasher.clone().finalize().as_ref(), hash(b""), "{}: {length}, reset", A::NAME);
        hasher.update(&right);
        assert_eq!(hasher.finalize().as_ref(), hash(&right), "{}: {length}, reset and used", A::NAME);
    }
}
manyhash::for_each_algorithm!(per_algorithm[hasher_clone_and_reset]);

/// More than 2^32 bytes: 4097 times the MiB paint(0, 2^20), then its first 77 bytes. The digests
/// are those of coreutils' sha256sum and sha512sum and of Python's hashlib over the same bytes.
#[cfg(target_pointer_width = "64")]
mod beyond_4_gib {
    use super::*;

    const MIB: usize = 1 << 20;
    const SHA256: &str = "566a16b1c991305a0d0b907eb4b45c395217ebc50916a6e09022bb4b5af23215";
    const SHA512: &str = "9a33d161b570707faaf8b0954267992da9a3542fc7b19581f8187a0b1f4115c7\
                          2281eb58edf427fcd1ec5a000dcd7526d950cb422d6065f13b6a8430f802048b";
    /// Its counter of bytes has two words, of which the second one begins to count here.
    #[cfg(target_os = "linux")]
    const BLAKE2S: &str = "e7ed375f45ac7acecd8cbd2a0bd3221578e87f88494b50bcf993ca5c103502f8";

    fn hasher<A: Algorithm>(expected: &str) {
        let chunk = paint(0, MIB);
        let pieces = std::iter::repeat_n(&chunk[..], 4097).chain([&chunk[..77]]);
        assert_eq!(crate::support::hex(hash_pieces::<A>(pieces).as_ref()), expected);
    }

    #[test]
    fn hasher_sha256() {
        hasher::<manyhash::Sha256>(SHA256);
    }

    #[test]
    fn hasher_sha512() {
        hasher::<manyhash::Sha512>(SHA512);
    }

    /// As one slice among short ones.
    #[cfg(target_os = "linux")]
    fn hash_many<A: Algorithm>(expected: &str) {
        let long = crate::support::mapped::Repeated::new(&paint(0, MIB), 4097 * MIB + 77);
        let short = paint(1, 200);
        let digests = manyhash::hash_many::<A>(&[&short, long.as_ref(), &short]);
        let short = reference::<A>()(&short);
        assert_eq!((digests[0].as_ref(), digests[2].as_ref()), (&short[..], &short[..]));
        assert_eq!(crate::support::hex(digests[1].as_ref()), expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn hash_many_sha256() {
        hash_many::<manyhash::Sha256>(SHA256);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn hash_many_sha512() {
        hash_many::<manyhash::Sha512>(SHA512);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn hash_many_blake2s() {
        hash_many::<manyhash::Blake2s>(BLAKE2S);
    }
}
