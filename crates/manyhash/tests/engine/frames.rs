//! Messages between a prefix and a suffix, against the reference over all of it in one piece, by every backend.

use crate::support::backends::{Door, doors_not_forced};
use crate::support::{Random, assert_digests, expected, paint, paint_all};
use manyhash::{Algorithm, Batch, Sha256, hash};

/// Prefixes and suffixes around the edges of blocks of both sizes; the last one is longer than the
/// engine's short messages may be.
const AROUND: [usize; 15] = [0, 1, 8, 17, 32, 47, 55, 56, 63, 64, 65, 111, 127, 128, 300];

fn check<A: Algorithm>(prefix: &[u8], suffix: &[u8], messages: &[Vec<u8>], context: &str) {
    let expected = check_digests::<A>(prefix, suffix, messages, context);
    for door in doors_not_forced::<A>() {
        let batch = batch_of::<A>(&door, prefix, suffix);
        let one_by_one: Vec<A::Digest> = messages.iter().map(|message| batch.hash_one(message)).collect();
        assert_digests::<A>(&one_by_one, &expected, messages, &format!("{context}, {}, one by one", door.name()));
    }
}

fn check_digests<A: Algorithm>(prefix: &[u8], suffix: &[u8], messages: &[Vec<u8>], context: &str) -> Vec<Vec<u8>> {
    let framed: Vec<Vec<u8>> = messages.iter().map(|message| [prefix, message, suffix].concat()).collect();
    let expected = expected::<A>(&framed);
    for door in doors_not_forced::<A>() {
        let context = format!("{context}, {}, prefix of {}, suffix of {} bytes", door.name(), prefix.len(), suffix.len());
        assert_digests::<A>(&batch_of::<A>(&door, prefix, suffix).hash(messages), &expected, messages, &context);
    }
    expected
}

fn batch_of<A: Algorithm>(door: &Door, prefix: &[u8], suffix: &[u8]) -> Batch<A> {
    let batch = match door {
        Door::Automatic => Batch::<A>::new(),
        Door::Forced(backend) => Batch::new().backend(*backend),
    };
    batch.prefix(prefix).suffix(suffix)
}

fn every_prefix_and_suffix<A: Algorithm>() {
    for prefix in AROUND {
        for suffix in AROUND {
            let lengths = [0, 1, 7, 55, 56, 63, 64, 65, 119, 128, 129, 500, 64, 64, 4096, 4096];
            let messages = paint_all(lengths);
            check::<A>(&paint(1, prefix), &paint(2, suffix), &messages, "lengths around edges");
            check::<A>(&paint(1, prefix), &paint(2, suffix), &messages[prefix % 16..][..1], "one message");
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_prefix_and_suffix]);

fn blocks_of_one_length<A: Algorithm>() {
    for prefix in [0, 32, A::BLOCK_BYTES, 256] {
        for (count, length) in [(70, 4096), (33, 512), (200, 64), (9, 20_000)] {
            let messages = paint_all(vec![length; count]);
            check::<A>(&paint(5, prefix), &[], &messages, &format!("{count} messages of {length} bytes"));
            check::<A>(&[], &paint(5, prefix), &messages, &format!("{count} messages of {length} bytes"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[blocks_of_one_length]);

fn random_batches<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0xf7a_3e5);
    for round in 0..60 {
        let count = random.below(80);
        let most = random.one_of(&[3, 70, 600, 9000]);
        let messages = paint_all((0..count).map(|_| random.below(most)).collect::<Vec<_>>());
        let (prefix, suffix) = (random.below(300), random.one_of(&[0, 0, 1, 40, 256]));
        let context = format!("MANYHASH_TEST_SEED={seed}, round {round}");
        check::<A>(&paint(3, prefix), &paint(4, suffix), &messages, &context);
    }
}
manyhash::for_each_algorithm!(per_algorithm[random_batches]);

/// More than go on together, long and short ones, one of them longer than all others; many short ones of every length; and some that are
/// copied only with a suffix.
fn many_messages<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0xf7a_3e6);
    let short = paint_all((0..1500).map(|_| random.below(2 * A::BLOCK_BYTES)).collect::<Vec<_>>());
    let mut lengths: Vec<usize> = (0..1400).map(|i| if i % 8 == 0 { random.below(200) } else { 1000 + random.below(200) }).collect();
    lengths[700] = 100_000;
    let mixed = paint_all(lengths);
    let longer = paint_all((0..300).map(|_| 1000 + random.below(900)).collect::<Vec<_>>());
    for prefix in [1, A::BLOCK_BYTES] {
        check_digests::<A>(&paint(6, prefix), &[], &mixed, &format!("MANYHASH_TEST_SEED={seed}, many messages"));
        check_digests::<A>(&paint(6, prefix), &[7; 9], &short, &format!("MANYHASH_TEST_SEED={seed}, many short messages"));
        check_digests::<A>(&paint(6, prefix), &[7; 9], &longer, &format!("MANYHASH_TEST_SEED={seed}, many longer messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[many_messages]);

#[test]
fn a_frame_of_nothing_is_the_algorithm_and_shows_no_secret() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    assert_eq!(Batch::<Sha256>::default().hash_one(b"abc"), hash::<Sha256>(b"abc"));
    assert!(Batch::<Sha256>::default().hash(&[] as &[&[u8]]).is_empty());
    let shown = format!("{:?}", Batch::<Sha256>::new().prefix(&[b's'; 70]).suffix(b"suffix"));
    assert_eq!(shown, r#"Batch { algorithm: "SHA-256", prefix_bytes: 70, suffix_bytes: 6, backend: None, threads: 1, .. }"#);
}

#[test]
fn too_little_room_is_refused() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    let refused = std::panic::catch_unwind(|| Batch::<Sha256>::new().prefix(b"salt").hash_into(&["one", "two"], &mut [[0; 32]]));
    let message = refused.expect_err("there is too little room").downcast::<String>().expect("a formatted message");
    assert!(message.contains("2 messages but room for 1 digests"), "{message}");
}
