//! HMAC against the reference: every length of message and key, every count, one key or a key for
//! each message; and what is refused.
//!
//! Random tests print their seed when they fail; MANYHASH_TEST_SEED=seed runs that case again.

use std::panic::{UnwindSafe, catch_unwind};

use crate::support::backends::{forced_backend_lacks, most_lanes, say};
use crate::support::{Random, assert_digests, edge_lengths, paint, paint_all, reference_hmac};
use manyhash::hmac::{self, Key, TagError, Tagger};
use manyhash::{Algorithm, Sha256};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A key that shares no long run of bytes with a message painted by a seed near its own.
fn key_bytes(seed: usize, length_bytes: usize) -> Vec<u8> {
    paint(31_415 + 251 * seed, length_bytes)
}

/// Keys of lengths that go round all from none to more than two blocks, all different but the empty
/// ones.
fn key_of_each(messages: usize) -> Vec<Vec<u8>> {
    (0..messages).map(|index| key_bytes(index, index * 37 % 293)).collect()
}

/// Under a key for each message, and then all of them under the last of these keys; all in one
/// batch, and one by one.
fn check<A: Algorithm>(secrets: &[Vec<u8>], messages: &[Vec<u8>], context: &str) {
    assert_eq!(secrets.len(), messages.len());
    let keys: Vec<Key<A>> = secrets.iter().map(|secret| Key::new(secret)).collect();
    let reference = reference_hmac::<A>();
    let expected: Vec<Vec<u8>> = secrets.iter().zip(messages).map(|(secret, message)| reference.tag(secret, message)).collect();
    let tags = hmac::tag_many(&keys, messages);
    assert_digests::<A>(&tags, &expected, messages, &format!("{context}, a key for each"));
    assert!(hmac::verify_many(&keys, messages, &expected).iter().all(Result::is_ok), "{}, {context}: verify_many", A::NAME);
    let one_by_one: Vec<A::Digest> = keys.iter().zip(messages).map(|(key, message)| key.tag(message)).collect();
    assert_digests::<A>(&one_by_one, &expected, messages, &format!("{context}, one by one"));

    let Some((key, secret)) = keys.last().zip(secrets.last()) else { return };
    let expected: Vec<Vec<u8>> = messages.iter().map(|message| reference.tag(secret, message)).collect();
    assert_digests::<A>(&key.tag_many(messages), &expected, messages, &format!("{context}, one key"));
    assert!(key.verify_many(messages, &expected).iter().all(Result::is_ok), "{}, {context}: verify_many, one key", A::NAME);
}

fn check_lengths<A: Algorithm>(lengths_bytes: impl IntoIterator<Item = usize>, context: &str) {
    let messages = paint_all(lengths_bytes);
    check::<A>(&key_of_each(messages.len()), &messages, context);
}

/// All lengths up to four blocks and two bytes, one by one and in one batch, and some long ones.
fn every_message_length<A: Algorithm>() {
    let every = 0..=4 * A::BLOCK_BYTES + 2;
    check_lengths::<A>(every.clone(), "all lengths in one batch");
    check_lengths::<A>(every.rev(), "all lengths, the longest first");
    check_lengths::<A>([4096, 8191, 16_385, 65_536, 100_001, 300_000], "long messages");
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[every_message_length]);

/// Every length of a key from none to more than two blocks, as each message's own and as the key of
/// all.
fn every_key_length<A: Algorithm>() {
    let secrets: Vec<Vec<u8>> = (0..=292).map(|length| key_bytes(length, length)).collect();
    let messages = paint_all((0..=292).rev());
    check::<A>(&secrets, &messages, "all lengths of keys in one batch");
    for secret in &secrets {
        let messages = paint_all([0, 5, A::BLOCK_BYTES, 300]);
        check::<A>(&vec![secret.clone(); messages.len()], &messages, &format!("a key of {} bytes", secret.len()));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[every_key_length]);

/// A key of zeros is as good as a shorter one; one longer than a block is as good as its digest
/// (RFC 2104, section 2).
fn keys_that_are_the_same<A: Algorithm>() {
    let tag = |secret: &[u8]| Key::<A>::new(secret).tag(b"message");
    assert_eq!(tag(b""), tag(&vec![0; A::BLOCK_BYTES]), "{}", A::NAME);
    assert_ne!(tag(b""), tag(&vec![0; A::BLOCK_BYTES + 1]), "{}", A::NAME);
    let long = key_bytes(1, A::BLOCK_BYTES + 1);
    assert_eq!(tag(&long), tag(manyhash::hash::<A>(&long).as_ref()), "{}", A::NAME);
    assert_ne!(tag(&long[1..]), tag(manyhash::hash::<A>(&long[1..]).as_ref()), "{}: a block is a key", A::NAME);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[keys_that_are_the_same]);

/// 0..=2N+1 messages, N the lanes of the widest backend: of lengths around the edges, and of one
/// length.
fn every_count<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(1);
    for count in 0..=2 * most_lanes::<A>() + 1 {
        let lengths: Vec<usize> = (0..count).map(|_| random.one_of(&edge_lengths())).collect();
        check_lengths::<A>(lengths, &format!("seed {seed}, {count} messages"));
        for length in [0, 20, A::BLOCK_BYTES, 3 * A::BLOCK_BYTES - 1] {
            check_lengths::<A>(vec![length; count], &format!("{count} messages of {length} bytes"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[every_count]);

/// Messages of one length, whose padding lanes may share: around every edge, and whole blocks.
fn equal_lengths<A: Algorithm>() {
    let whole_blocks = (5..=20).map(|blocks| blocks * A::BLOCK_BYTES);
    for length in edge_lengths().into_iter().chain(whole_blocks).filter(|length| *length <= 4097) {
        check_lengths::<A>(vec![length; most_lanes::<A>() + 1], "equal lengths");
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[equal_lengths]);

/// Batches of any count and any lengths: mostly short, some long, few past 64 KiB.
fn ragged_batches<A: Algorithm>() {
    for seed in 1..=20 {
        let (seed, mut random) = Random::replayable(seed);
        let count = 1 + random.below(4 * most_lanes::<A>());
        let limits = [2, 130, 130, 130, 600, 600, 5000, 5000, 70_000];
        let mut length = || {
            let limit = random.one_of(&limits);
            random.below(limit)
        };
        let lengths: Vec<usize> = (0..count).map(|_| length()).collect();
        check_lengths::<A>(lengths, &format!("seed {seed}"));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[ragged_batches]);

/// Messages of 1 to 18 blocks, so many that neighbours in the order of lengths share lanes.
fn neighbouring_lengths<A: Algorithm>() {
    for seed in 1..=6 {
        let (seed, mut random) = Random::replayable(seed);
        let count = 2 + random.below(5 * most_lanes::<A>());
        let most = random.one_of(&[3, 6, 18]) * A::BLOCK_BYTES;
        let lengths: Vec<usize> = (0..count).map(|_| random.below(most)).collect();
        check_lengths::<A>(lengths, &format!("seed {seed}, {count} messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[neighbouring_lengths]);

/// Many short messages and a few that are much longer, so that these go on in other lanes when the short ones have ended.
fn heavy_tails<A: Algorithm>() {
    for count in [5, 12, 16, 24, 33, 64, 100, 300] {
        let (seed, mut random) = Random::replayable(count as u64);
        let mut length = || {
            let limit = 60 << random.below(10);
            random.below(limit)
        };
        let lengths: Vec<usize> = (0..count).map(|_| length()).collect();
        check_lengths::<A>(lengths, &format!("seed {seed}, {count} messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[heavy_tails]);

/// A message of 300 KB among short ones, first, last and in between; and more tags than go through
/// the outer pass at once.
fn giants_and_crowds<A: Algorithm>() {
    let count = most_lanes::<A>() + 2;
    for giant in [0, 1, count / 2, count - 1] {
        let lengths = (0..count).map(|index| if index == giant { 300_000 + giant } else { index * 5 });
        check_lengths::<A>(lengths, &format!("the long message is number {giant}"));
    }
    for count in [255, 256, 257, 511, 513, 1000] {
        check_lengths::<A>((0..count).map(|index| index % 3 * 50), &format!("{count} messages"));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[giants_and_crowds]);

/// Any keys and messages: tags are the reference's, in the messages' order, whatever the way; and
/// only right ones are accepted.
fn any_batch<A: Algorithm>() {
    let length = prop_oneof![3 => proptest::sample::select(edge_lengths()), 3 => 0..300_usize, 1 => 0..5000_usize];
    let tampered = proptest::option::weighted(0.3, any::<proptest::sample::Index>());
    let batch = proptest::collection::vec((0..=292_usize, length, tampered), 0..=2 * most_lanes::<A>() + 1);
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&(batch, 4..=A::DIGEST_BYTES), |(batch, tag_bytes)| {
        let secrets: Vec<Vec<u8>> = batch.iter().enumerate().map(|(index, (length, ..))| key_bytes(index, *length)).collect();
        let messages = paint_all(batch.iter().map(|(_, length, _)| *length));
        let keys: Vec<Key<A>> = secrets.iter().map(|secret| Key::new(secret).with_tag_bytes(tag_bytes)).collect();
        let tags = hmac::tag_many(&keys, &messages);
        let one_by_one: Vec<A::Digest> = keys.iter().zip(&messages).map(|(key, message)| key.tag(message)).collect();
        prop_assert_eq!(&tags, &one_by_one);
        for ((secret, message), tag) in secrets.iter().zip(&messages).zip(&tags) {
            prop_assert_eq!(tag.as_ref(), reference_hmac::<A>().tag(secret, message));
        }
        let backwards = |vec: &[Vec<u8>]| -> Vec<Vec<u8>> { vec.iter().rev().cloned().collect() };
        let mut again = hmac::tag_many(&keys.iter().rev().collect::<Vec<_>>(), &backwards(&messages));
        again.reverse();
        prop_assert_eq!(&tags, &again, "backwards");

        let given = |((_, _, tampered), tag): (&(usize, usize, Option<proptest::sample::Index>), &A::Digest)| {
            let mut given = tag.as_ref()[..tag_bytes].to_vec();
            if let Some(bit) = tampered.map(|bit| bit.index(8 * tag_bytes)) {
                given[bit / 8] ^= 1 << (bit % 8);
            }
            given
        };
        let given: Vec<Vec<u8>> = batch.iter().zip(&tags).map(given).collect();
        let verdicts: Vec<Result<(), TagError>> =
            batch.iter().map(|(.., tampered)| tampered.map_or(Ok(()), |_| Err(TagError::Wrong))).collect();
        prop_assert_eq!(hmac::verify_many(&keys, &messages, &given), verdicts);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[any_batch]);

/// Every cut of a message in two, empty pieces before, between and behind; a tagger that is cloned
/// half-way; one that is left.
fn tagger_cuts<A: Algorithm>() {
    let key = Key::<A>::new(b"secret");
    for length in edge_lengths().into_iter().filter(|length| *length <= 300) {
        let message = paint(length, length);
        let right = reference_hmac::<A>().tag(b"secret", &message);
        for (front, back) in (0..=length).map(|cut| message.split_at(cut)) {
            let mut tagger = key.tagger();
            [&[], front, &[]].iter().for_each(|piece| tagger.update(piece));
            let mut fork = tagger.clone();
            tagger.update(b"something else");
            drop(tagger);
            [back, &[], &[]].iter().for_each(|piece| fork.update(piece));
            assert_eq!(fork.clone().finalize().as_ref(), right, "{}: {} + {} bytes", A::NAME, front.len(), back.len());
            assert_eq!(fork.verify(&right), Ok(()), "{}: {} + {} bytes", A::NAME, front.len(), back.len());
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[tagger_cuts]);

/// The vector with one bit changed, for every bit.
fn with_each_bit_flipped(bytes: &[u8]) -> Vec<Vec<u8>> {
    let flipped = |bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    (0..8 * bytes.len()).map(flipped).collect()
}

/// One bit of the tag, of the message or of the key is enough.
fn any_flipped_bit_is_refused<A: Algorithm>() {
    let (secret, message) = (key_bytes(3, A::BLOCK_BYTES), paint(3, A::BLOCK_BYTES + 7));
    let whole = Key::<A>::new(&secret);
    let right = whole.tag(&message);
    for tag_bytes in [4, A::DIGEST_BYTES / 2, A::DIGEST_BYTES] {
        let key = whole.clone().with_tag_bytes(tag_bytes);
        let tag = &right.as_ref()[..tag_bytes];
        assert_eq!(key.verify(&message, tag), Ok(()), "{}", A::NAME);

        let tags = with_each_bit_flipped(tag);
        assert!(tags.iter().all(|tag| key.verify(&message, tag) == Err(TagError::Wrong)), "{}: a bit of the tag", A::NAME);
        let verdicts = key.verify_many(&vec![message.clone(); tags.len()], &tags);
        assert_eq!(verdicts, vec![Err(TagError::Wrong); tags.len()], "{}: a bit of each tag", A::NAME);

        let messages = with_each_bit_flipped(&message);
        let verdicts = key.verify_many(&messages, &vec![tag.to_vec(); messages.len()]);
        assert_eq!(verdicts, vec![Err(TagError::Wrong); messages.len()], "{}: a bit of each message", A::NAME);

        let keys: Vec<Key<A>> = with_each_bit_flipped(&secret).iter().map(|secret| Key::new(secret).with_tag_bytes(tag_bytes)).collect();
        let verdicts = hmac::verify_many(&keys, &vec![message.clone(); keys.len()], &vec![tag.to_vec(); keys.len()]);
        assert_eq!(verdicts, vec![Err(TagError::Wrong); keys.len()], "{}: a bit of each key", A::NAME);
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[any_flipped_bit_is_refused]);

/// Each tag is for the message at its own place, under the key at its own place.
fn tags_of_others_are_refused<A: Algorithm>() {
    let count = most_lanes::<A>() + 3;
    let keys: Vec<Key<A>> = key_of_each(count).iter().map(|secret| Key::new(secret)).collect();
    let messages = paint_all(0..count);
    let mut tags = hmac::tag_many(&keys, &messages);
    tags.swap(1, count - 1);
    let tags: Vec<Vec<u8>> = tags.iter().map(|tag| tag.as_ref().to_vec()).collect();
    let accepted: Vec<bool> = hmac::verify_many(&keys, &messages, &tags).iter().map(Result::is_ok).collect();
    let expected: Vec<bool> = (0..count).map(|index| index != 1 && index != count - 1).collect();
    assert_eq!(accepted, expected, "{}", A::NAME);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[tags_of_others_are_refused]);

/// A tag that is right as far as it goes, but has another number of bytes than is expected.
fn tags_of_other_lengths_are_refused<A: Algorithm>() {
    let whole = Key::<A>::new(b"secret");
    let right = [whole.tag(b"message").as_ref(), &[0; 100]].concat();
    for expected in [4, 10, A::DIGEST_BYTES - 1, A::DIGEST_BYTES] {
        let key = whole.clone().with_tag_bytes(expected);
        assert_eq!((key.tag_bytes(), key.tag(b"message")), (expected, whole.tag(b"message")), "{}: tags are whole", A::NAME);
        let verdict = |given: usize| if given == expected { Ok(()) } else { Err(TagError::Bytes { given, expected }) };
        let given: Vec<Vec<u8>> = (0..=right.len()).map(|bytes| right[..bytes].to_vec()).collect();
        let verdicts: Vec<Result<(), TagError>> = (0..=right.len()).map(verdict).collect();
        assert_eq!(key.verify_many(&vec![b"message".to_vec(); given.len()], &given), verdicts, "{}", A::NAME);
        for (tag, verdict) in given.into_iter().zip(verdicts) {
            assert_eq!(key.verify(b"message", &tag), verdict, "{}", A::NAME);
            let mut tagger = key.tagger();
            tagger.update(b"message");
            assert_eq!(tagger.verify(&tag), verdict, "{}", A::NAME);
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[tags_of_other_lengths_are_refused]);

/// What a call that must panic says.
fn panic_message<T>(call: impl FnOnce() -> T + UnwindSafe) -> String {
    match catch_unwind(call) {
        Ok(_) => panic!("it does not panic"),
        Err(panic) => *panic.downcast().expect("a formatted message"),
    }
}

fn impossible_lengths_of_tags<A: Algorithm>() {
    for bytes in [0, 3, A::DIGEST_BYTES + 1, usize::MAX] {
        let message = panic_message(|| Key::<A>::new(b"secret").with_tag_bytes(bytes));
        assert_eq!(message, format!("tags of {bytes} bytes; 4 to {} can be had", A::DIGEST_BYTES));
    }
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[impossible_lengths_of_tags]);

#[test]
fn different_numbers_of_keys_messages_and_tags_are_refused() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let new = || Key::<Sha256>::new(b"secret");
    let messages = || paint_all([3, 4, 5]);
    let tags = |count: usize| vec![vec![0; 32]; count];
    for (refused, reason) in [
        (panic_message(|| new().tag_many_into(&messages(), &mut [[0; 32]; 2])), "3 messages but room for 2 digests"),
        (panic_message(|| new().verify_many(&messages(), &tags(4))), "3 messages but room for 4 digests"),
        (panic_message(|| hmac::tag_many(&[new(), new()], &messages())), "2 keys for 3 messages"),
        (panic_message(|| hmac::verify_many(&[new(), new()], &messages(), &tags(3))), "2 keys for 3 messages"),
        (panic_message(|| hmac::verify_many(&[new(), new(), new()], &messages(), &tags(2))), "3 messages but room for 2 digests"),
    ] {
        assert!(refused.contains(reason), "{refused:?} says {reason:?}");
    }
}

#[test]
fn errors_tell_the_numbers_and_never_the_tag() {
    assert_eq!(TagError::Wrong.to_string(), "the tag belongs to another message or another key");
    assert_eq!(TagError::Bytes { given: 20, expected: 32 }.to_string(), "the tag has 20 bytes and not 32");
}

/// The whole text is known, so that no byte of a key or midstate is in it, however it would be
/// written.
#[test]
fn nothing_shows_a_secret() {
    if forced_backend_lacks::<Sha256>() {
        return;
    }
    let key = Key::<Sha256>::new(b"a secret of some length").with_tag_bytes(16);
    assert_eq!(format!("{key:?}"), r#"Key { algorithm: "SHA-256", tag_bytes: 16, .. }"#);
    assert_eq!(format!("{key:#?}"), "Key {\n    algorithm: \"SHA-256\",\n    tag_bytes: 16,\n    ..\n}");
    let mut tagger = key.tagger();
    let shown = |bytes: u64| format!(r#"Tagger {{ hasher: Hasher {{ algorithm: "SHA-256", message_bytes: {bytes}, .. }}, .. }}"#);
    assert_eq!(format!("{tagger:?}"), shown(64));
    tagger.update(b"message");
    assert_eq!(format!("{tagger:?}"), shown(71), "the key's block and the message");
}

/// The bytes of a value before and after it is dropped where it is. It must be made of integers,
/// with no padding between them.
fn bytes_around_drop<T>(value: T, integers_bytes: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = size_of::<T>();
    assert_eq!(bytes, integers_bytes, "there is no padding");
    let mut place = Box::new(std::mem::MaybeUninit::new(value));
    // SAFETY: the place has `bytes` bytes, initialised ones, since a value without padding was
    // written to it.
    let before = unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), bytes) }.to_vec();
    // SAFETY: there is a value, and nobody uses it later.
    unsafe { place.assume_init_drop() };
    // SAFETY: as before; dropping integers does not undo that they are initialised.
    let after = unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), bytes) }.to_vec();
    (before, after)
}

fn bytes_left(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte != 0).count()
}

/// Bytes of a state: FIPS 180-4, figure 1; RFC 1321, 3.3; FIPS 202, 3, and a word that says how messages are padded.
fn state_bytes<A: Algorithm>() -> usize {
    match A::NAME {
        "MD5" => 16,
        "SHA-1" => 20,
        name if name.starts_with("SHA3") || name == "Keccak-256" => 208,
        "SM3" => 32,
        _ => A::BLOCK_BYTES / 2,
    }
}

/// Two midstates become zeros, and only the number of a tag's bytes is left.
fn a_key_is_erased_when_dropped<A: Algorithm>() {
    let midstates_bytes = 2 * state_bytes::<A>();
    let (before, after) = bytes_around_drop(Key::<A>::new(b"secret"), midstates_bytes + size_of::<usize>());
    assert!(bytes_left(&before) > midstates_bytes * 3 / 4, "{}: midstates look random", A::NAME);
    assert_eq!(bytes_left(&after), 1, "{}: {after:02x?}", A::NAME);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[a_key_is_erased_when_dropped]);

/// The key, the state and the bytes that wait for a whole block become zeros; how many these are stays, and so do the numbers
/// of the message's and of a tag's bytes. No algorithm with an HMAC has chunks, so that a pointer to those is none.
fn a_tagger_is_erased_when_dropped<A: Algorithm>() {
    if A::NAME == "SHA-1" {
        return say("not tested: a tagger of SHA-1 has padding, which nobody may look at");
    }
    let mut tagger = Key::<A>::new(b"secret").tagger();
    tagger.update(&[0xaa; 50]);
    let states_bytes = 3 * state_bytes::<A>();
    // Eight bytes for each word of a block.
    let room_bytes = if A::BLOCK_BYTES == 64 { 128 } else { A::BLOCK_BYTES };
    let (before, after) = bytes_around_drop(tagger, states_bytes + room_bytes + 8 + 3 * size_of::<usize>());
    assert!(bytes_left(&before) > states_bytes * 3 / 4 + 50, "{}: states look random", A::NAME);
    assert_eq!(bytes_left(&after), 3, "{}: {after:02x?}", A::NAME);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[a_tagger_is_erased_when_dropped]);

fn keys_go_to_other_threads<A: Algorithm>() {
    fn is_send_and_sync<T: Send + Sync + 'static>() {}
    is_send_and_sync::<Key<A>>();
    is_send_and_sync::<Tagger<A>>();
    is_send_and_sync::<TagError>();
    let key = Key::<A>::new(b"secret");
    let tags: Vec<A::Digest> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| key.tag_many(&vec![b"message".to_vec(); 20])[19])).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert_eq!(tags, [key.tag(b"message"); 4]);
}
manyhash::for_each_algorithm!(per_algorithm_with_hmac[keys_go_to_other_threads]);
