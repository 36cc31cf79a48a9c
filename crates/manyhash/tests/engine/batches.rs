//! A batch as a value: every combination of what can be said of it, against the reference.

use crate::support::{Random, assert_digests, expected, paint, paint_all, reference_hmac};
use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, Batch, Blake2s, Sha256, backend::Backend};
use std::collections::BTreeMap;
use std::io;

/// A message with what is around it.
fn framed(prefix: &[u8], message: &[u8], suffix: &[u8]) -> Vec<u8> {
    [prefix, message, suffix].concat()
}

/// The tags of messages by the reference, each under its key.
fn expected_tags<A: Algorithm>(keys: &[Vec<u8>], messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let hmac = reference_hmac::<A>();
    keys.iter().zip(messages).map(|(key, message)| hmac.tag(key, message)).collect()
}

fn every_combination<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0xba7c4);
    for round in 0..40 {
        let count = random.one_of(&[0, 1, 2, 5, 70, 3000]);
        let most = random.one_of(&[3, 70, 600]);
        let messages = paint_all((0..count).map(|_| random.below(most)).collect::<Vec<_>>());
        let (prefix, suffix) = (paint(3, random.one_of(&[0, 0, 5, A::BLOCK_BYTES, 300])), paint(4, random.one_of(&[0, 0, 9])));
        let inputs: Vec<Vec<u8>> = messages.iter().map(|message| framed(&prefix, message, &suffix)).collect();
        let keys: Vec<Vec<u8>> = (0..count).map(|i| paint(i, 1 + i % 150)).collect();
        let one_key = paint(5, 33);
        let threads = random.one_of(&[0, 1, 2, 3, 17]);
        let context = format!("MANYHASH_TEST_SEED={seed}, round {round}, {threads} threads");
        let batch = Batch::<A>::new().prefix(&prefix).threads(threads).suffix(&suffix);
        assert_digests::<A>(&batch.hash(&messages), &expected::<A>(&inputs), &messages, &context);

        if A::HAS_HMAC {
            let keyed = batch.clone().key(&Key::new(&one_key));
            let tags = expected_tags::<A>(&vec![one_key; count], &inputs);
            assert_digests::<A>(&keyed.hash(&messages), &tags, &messages, &format!("{context}, one key"));

            let each: Vec<Key<A>> = keys.iter().map(|key| Key::new(key)).collect();
            let tags = expected_tags::<A>(&keys, &inputs);
            assert_digests::<A>(&batch.clone().keys(&each).hash(&messages), &tags, &messages, &format!("{context}, a key each"));
            let mut given = tags;
            given.iter_mut().step_by(3).for_each(|tag| tag[0] ^= 1);
            given.iter_mut().skip(1).step_by(3).for_each(|tag| tag.truncate(tag.len() - 1));
            for (i, result) in batch.clone().keys(&each).verify(&messages, &given).into_iter().enumerate() {
                assert_eq!(result, each[i].verify(&inputs[i], &given[i]), "{context}, message {i}");
                assert_eq!(result.is_ok(), i % 3 == 2, "{context}, message {i}");
            }
        }

        let values = messages.concat();
        let mut offsets = vec![0];
        offsets.extend(messages.iter().scan(0, |end, message| {
            *end += message.len();
            Some(*end)
        }));
        assert_digests::<A>(
            &batch.hash_contiguous(&values, &offsets),
            &expected::<A>(&inputs),
            &messages,
            &format!("{context}, contiguous"),
        );

        for backend in Backend::supported().into_iter().filter(Backend::supports::<A>) {
            let forced = batch.clone().backend(backend).hash(&messages[..count.min(70)]);
            assert_digests::<A>(&forced, &expected::<A>(&inputs[..count.min(70)]), &messages, &format!("{context}, {backend}"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_combination]);

/// So many tiny messages that they are put in order a part at a time; behind them come others, of
/// which all are equally long, or one is a giant.
fn many_tiny_messages<A: Algorithm>() {
    let tiny: Vec<usize> = (0..97).map(|i| i * i % 241).collect();
    for behind in [vec![20 * A::BLOCK_BYTES; 4200], vec![200 * A::BLOCK_BYTES; 3], vec![3, 70_000, 5], vec![]] {
        let lengths: Vec<usize> = tiny.iter().copied().chain(behind.iter().copied()).collect();
        // Equal lengths have equal bytes here, so that each need be hashed once.
        let kinds: BTreeMap<usize, Vec<u8>> = lengths.iter().map(|length| (*length, paint(9, *length))).collect();
        let inputs: Vec<&Vec<u8>> = kinds.values().collect();
        let digests: BTreeMap<usize, Vec<u8>> = kinds.keys().copied().zip(expected::<A>(&inputs)).collect();
        let messages: Vec<&[u8]> =
            (0..9001).map(|i| tiny[i % tiny.len()]).chain(behind.clone()).map(|length| &kinds[&length][..]).collect();
        let of = |of_kinds: &BTreeMap<usize, Vec<u8>>| messages.iter().map(|message| of_kinds[&message.len()].clone()).collect::<Vec<_>>();
        let context = format!("9001 tiny ones and {}", behind.len());
        assert_digests::<A>(&Batch::<A>::new().hash(&messages), &of(&digests), &messages, &context);
        if A::HAS_HMAC {
            let key = Key::<A>::new(b"one key");
            let keyed = Batch::<A>::new().key(&key);
            let tags = inputs.iter().map(|input| reference_hmac::<A>().tag(b"one key", input));
            let tags: BTreeMap<usize, Vec<u8>> = kinds.keys().copied().zip(tags).collect();
            assert_digests::<A>(&keyed.hash(&messages), &of(&tags), &messages, &format!("{context}, one key"));
            let keys = vec![key.clone(); messages.len()];
            assert_digests::<A>(&Batch::<A>::new().keys(&keys).hash(&messages), &of(&tags), &messages, &format!("{context}, a key each"));
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[many_tiny_messages]);

/// Messages that begin at the same place of a page each, for which other kernels may be chosen: equally many short blocks, long ones, and
/// ragged ones of which the first may be shorter than a page.
fn places_of_pages<A: Algorithm>() {
    const PAGE_BYTES: usize = 4096;
    const COUNT: usize = 40;
    let buffer = paint(6, (COUNT + 8) * PAGE_BYTES);
    let ragged = |i: usize| PAGE_BYTES + i * i * 37 % (6 * PAGE_BYTES);
    let sets: [&dyn Fn(usize) -> usize; 4] =
        [&|_| PAGE_BYTES, &|_| 2 * PAGE_BYTES + 100, &ragged, &|i| if i == 2 { 100 } else { ragged(i) }];
    for (set, length) in sets.into_iter().enumerate() {
        for offset in [0, 1] {
            let messages: Vec<&[u8]> = (0..COUNT).map(|i| &buffer[i * PAGE_BYTES + offset..][..length(i)]).collect();
            let context = format!("set {set}, byte {offset} of pages");
            assert_digests::<A>(&Batch::<A>::new().hash(&messages), &expected::<A>(&messages), &messages, &context);
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[places_of_pages]);

fn readers_have_it_all_too<A: Algorithm>() {
    let messages = paint_all((0..300).map(|i| i * 37 % 5000).collect::<Vec<_>>());
    for (prefix, suffix) in [(0, 0), (20, 0), (0, 7), (300, 200)] {
        let (prefix, suffix) = (paint(1, prefix), paint(2, suffix));
        let inputs: Vec<Vec<u8>> = messages.iter().map(|message| framed(&prefix, message, &suffix)).collect();
        for threads in [0, 1, 4] {
            let batch = Batch::<A>::new().prefix(&prefix).suffix(&suffix).threads(threads);
            let key = paint(9, 70);
            let mut batches = vec![(batch.clone(), expected::<A>(&inputs))];
            if A::HAS_HMAC {
                batches.push((batch.key(&Key::new(&key)), expected_tags::<A>(&vec![key.clone(); inputs.len()], &inputs)));
            }
            for (batch, expected) in batches {
                let mut digests = BTreeMap::new();
                let readers = messages.iter().map(|message| (io::Cursor::new(message), message.len() as u64));
                batch.hash_readers(readers, |reader, digest| {
                    digests.insert(reader.get_ref().as_ptr() as usize, digest.unwrap());
                });
                let found: Vec<A::Digest> = messages.iter().map(|message| digests[&(message.as_ptr() as usize)]).collect();
                assert_digests::<A>(&found, &expected, &messages, &format!("readers, {threads} threads"));
            }
        }
    }
}
manyhash::for_each_algorithm!(per_algorithm[readers_have_it_all_too]);

/// What a refusal says.
fn refusal(refused: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(refused).expect_err("it is refused");
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).expect("a text")
}

#[test]
fn an_algorithm_that_takes_keys_by_itself_has_no_hmac() {
    let refused = refusal(|| drop(Key::<Blake2s>::new(b"secret")));
    assert_eq!(refused, "BLAKE2s has no HMAC: it takes a key by itself");
    assert_eq!(AnyAlgorithm::ALL.iter().filter(|algorithm| !algorithm.has_hmac()).count(), 4);
}

#[test]
fn refusals_name_the_argument() {
    let key = Key::<Sha256>::new(b"secret");
    let one = || Batch::<Sha256>::new();
    let each = |key: &Key<Sha256>| refusal(std::panic::AssertUnwindSafe(|| drop(one().keys(&[key]).key(key))));
    assert!(each(&key).starts_with("key: "), "{}", each(&key));
    let both = refusal(std::panic::AssertUnwindSafe(|| drop(one().key(&key).keys(&[&key]))));
    assert!(both.starts_with("keys: "), "{both}");
    let few = refusal(std::panic::AssertUnwindSafe(|| drop(one().keys(&[&key]).hash(&["one", "two"]))));
    assert!(few.contains("1 keys for 2 messages"), "{few}");
    let room = refusal(|| Batch::<Sha256>::new().threads(0).hash_into(&["one", "two"], &mut [[0; 32]]));
    assert!(room.contains("2 messages but room for 1 digests"), "{room}");
    let keyless = refusal(|| drop(Batch::<Sha256>::new().verify(&["one"], &[[0; 32]])));
    assert_eq!(keyless, "verify: the batch has no key");
    let tags = refusal(std::panic::AssertUnwindSafe(|| drop(one().key(&key).verify(&["one"], &[[0; 32]; 2]))));
    assert!(tags.contains("1 messages but room for 2"), "{tags}");
    let readers = refusal(std::panic::AssertUnwindSafe(|| one().keys(&[&key]).hash_readers([(&b""[..], 0)], |_, _| ())));
    assert!(readers.starts_with("keys: "), "{readers}");
    if let Some(lacking) = Backend::known().iter().find(|backend| backend.lanes_of::<Sha256>().is_none()) {
        let lacking = refusal(std::panic::AssertUnwindSafe(|| drop(one().backend(*lacking))));
        assert!(lacking.starts_with("backend: ") && lacking.contains("SHA-256"), "{lacking}");
    }
}

#[test]
fn a_panic_of_a_message_is_the_callers() {
    struct Liar(u32);
    impl AsRef<[u8]> for Liar {
        fn as_ref(&self) -> &[u8] {
            assert!(self.0 != 4000, "this message can't be read");
            &[0; 200]
        }
    }
    let messages: Vec<Liar> = (0..8000).map(Liar).collect();
    let said = refusal(|| drop(Batch::<Sha256>::new().threads(4).hash(&messages)));
    assert_eq!(said, "this message can't be read");
}
