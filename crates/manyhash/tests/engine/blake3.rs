//! BLAKE3: the authors' known answers, and trees of every shape beside the reference, in all modes.

use crate::support::backends::{do_as_the_environment_says, forced_backend_lacks};
use crate::support::{Random, hex, paint, rsp};
use manyhash::Blake3;
use manyhash::blake3::{self, Mode, Reader};
use std::io::{Read, Write};

/// The context and the key of the authors' vectors.
const CONTEXT: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";
const KEY: &[u8; 32] = b"whats the Elvish word for friend";

/// The reference in one mode: a message, and how many bytes.
type Reference = fn(&[u8], usize) -> Vec<u8>;

fn modes() -> [(Mode, Reference); 3] {
    [
        (Mode::plain(), reference::blake3_output),
        (Mode::keyed(KEY), |message, bytes| reference::blake3_keyed(KEY, message, bytes)),
        (Mode::derive_key(CONTEXT), |message, bytes| reference::blake3_derived(CONTEXT, message, bytes)),
    ]
}

/// The reference's digest of each message.
fn expected(reference: Reference, messages: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    messages.iter().map(|message| reference(message.as_ref(), 32)).collect()
}

/// Checks a batch.
fn check(mode: &Mode, messages: &[impl AsRef<[u8]>], expected: &[Vec<u8>], context: &str) {
    let digests = mode.hash_many(messages);
    for (i, (message, (digest, expected))) in messages.iter().zip(digests.iter().zip(expected)).enumerate() {
        assert_eq!(digest[..], expected[..], "{mode:?}: message {i}, of {} bytes, {context}", message.as_ref().len());
    }
}

#[test]
fn known_answers() {
    do_as_the_environment_says();
    let path = rsp::vectors_folder().join("blake3/known-answers.txt");
    let text = std::fs::read_to_string(&path).expect("the authors' vectors");
    let cases: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(cases.len(), 35);
    let messages: Vec<Vec<u8>> = cases.iter().map(|case| paint(0, case[0].parse().expect("a length"))).collect();
    for (column, (mode, reference)) in (1..).zip(modes()) {
        let output_bytes = cases[0][column].len() / 2;
        let output = mode.output_many(&messages, output_bytes);
        let digests = mode.hash_many(&messages);
        for (i, message) in messages.iter().enumerate() {
            let expected = cases[i][column];
            assert_eq!(hex(&output[i * output_bytes..][..output_bytes]), expected, "{mode:?}: {} bytes", message.len());
            assert_eq!(hex(&digests[i]), expected[..64]);
            assert_eq!(hex(&mode.hash(message)), expected[..64]);
            assert_eq!(hex(&reference(message, output_bytes)), expected, "the reference");
            let mut hasher = mode.hasher();
            message.chunks(777).for_each(|piece| hasher.update(piece));
            assert_eq!(hex(&hasher.clone().finalize()), expected[..64]);
            let mut output = vec![0; output_bytes];
            hasher.finalize_reader().fill(&mut output);
            assert_eq!(hex(&output), expected);
        }
    }
}

/// Every length around the edges of blocks, chunks and subtrees, alone and together.
#[test]
fn every_shape_of_a_tree() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    const CHUNK: usize = 1024;
    let mut lengths: Vec<usize> = (0..200).collect();
    lengths.extend(
        (1..=20).chain([31, 32, 33, 63, 64, 65, 127, 129]).flat_map(|chunks| [chunks * CHUNK - 1, chunks * CHUNK, chunks * CHUNK + 1]),
    );
    lengths.extend((1..17).map(|i| 64 * i + i));
    let text = paint(3, 129 * CHUNK + 1);
    let messages: Vec<&[u8]> = lengths.iter().map(|length| &text[..*length]).collect();
    for (mode, reference) in modes() {
        check(&mode, &messages, &expected(reference, &messages), "all together");
    }
    let expected = expected(reference::blake3_output, &messages);
    for (message, expected) in messages.iter().zip(&expected) {
        assert_eq!(blake3::hash(message)[..], expected[..], "{} bytes", message.len());
    }
    for (i, (messages, expected)) in messages.windows(3).zip(expected.windows(3)).enumerate() {
        check(&Mode::plain(), messages, expected, &format!("three from {i} on"));
    }
}

/// Messages of one length, as many as there are lanes and some more.
#[test]
fn equal_lengths() {
    do_as_the_environment_says();
    for length in [0, 1, 64, 65, 540, 1023, 1024, 1025, 2048, 3000, 4096, 9000] {
        let messages: Vec<Vec<u8>> = (0..37).map(|i| paint(i, length)).collect();
        let expected = expected(reference::blake3_output, &messages);
        for count in [1, 2, 3, 4, 8, 15, 16, 17, 32, 37] {
            check(&Mode::plain(), &messages[..count], &expected, &format!("{count} of {length} bytes"));
        }
    }
}

/// Messages of more chunks than are reduced at once, beside small ones.
#[test]
fn large_messages() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    const GROUP: usize = 512 * 1024;
    let text = paint(5, 5 * GROUP + 3100);
    let lengths = [GROUP - 1, GROUP, GROUP + 1, 10, 2 * GROUP, 2 * GROUP + 1025, 1025, 3 * GROUP - 7, 4 * GROUP + 1, 5 * GROUP + 2999];
    let messages: Vec<&[u8]> = lengths.iter().enumerate().map(|(i, length)| &text[i..][..*length]).collect();
    check(&Mode::keyed(KEY), &messages, &expected(modes()[1].1, &messages), "large and small ones");
    for message in &messages {
        let expected = reference::blake3(message);
        for piece in [1000, 1024, 5000, 70_000, GROUP + 1, message.len()] {
            let mut hasher = Mode::plain().hasher();
            message.chunks(piece).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.finalize()[..], expected[..], "{} bytes by {piece}", message.len());
        }
    }
}

/// More messages than are reduced together, several times over: small ones, some that nearly fill a group, and some that are reduced by
/// themselves while chunks of others wait.
#[test]
fn many_groups() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    const CHUNK: usize = 1024;
    let text = paint(6, 310 * CHUNK);
    let length = |i: usize| match i % 100 {
        7 => 200 * CHUNK + i,
        50 => 300 * CHUNK + i,
        _ => 500 + 37 * i % 3000,
    };
    let messages: Vec<&[u8]> = (0..900).map(|i| &text[i..][..length(i)]).collect();
    check(&Mode::plain(), &messages, &expected(reference::blake3_output, &messages), "small and large ones");
    let trees: Vec<&[u8]> = messages.iter().copied().filter(|message| message.len() > CHUNK).collect();
    let output = Mode::plain().output_many(&trees, 70);
    for (message, output) in trees.iter().zip(output.chunks(70)) {
        assert!(output == reference::blake3_output(message, 70), "70 bytes for {}", message.len());
    }
}

#[test]
fn random_batches() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    let (seed, mut random) = Random::replayable(0xB3);
    let text = paint(9, 300_000);
    for round in 0..60 {
        let count = random.one_of(&[1, 2, 5, 16, 40, 200]);
        let most = random.one_of(&[64, 1024, 1100, 4096, 20_000]);
        let messages: Vec<&[u8]> = (0..count).map(|_| &text[random.below(1000)..][..random.below(most + 1)]).collect();
        let (mode, reference) = &modes()[random.below(3)];
        check(mode, &messages, &expected(*reference, &messages), &format!("round {round}, seed {seed}"));
        let output_bytes = 1 + random.below(200);
        let output = mode.output_many(&messages, output_bytes);
        for (message, output) in messages.iter().zip(output.chunks(output_bytes)) {
            assert!(output == reference(message, output_bytes), "{output_bytes} bytes for {}, seed {seed}", message.len());
        }
        let message = &text[..random.below(200_000)];
        let mut hasher = mode.hasher();
        let mut rest = message;
        while !rest.is_empty() {
            let most = random.one_of(&[1, 64, 1024, 3000, 100_000]);
            let (piece, later) = rest.split_at(random.below(most + 1).min(rest.len()));
            hasher.write_all(piece).unwrap();
            rest = later;
        }
        assert_eq!(hasher.finalize().to_vec(), reference(message, 32), "pieces of {} bytes, seed {seed}", message.len());
    }
}

/// Output from anywhere, in pieces of any length.
#[test]
fn output_is_a_stream() {
    if forced_backend_lacks::<Blake3>() {
        return;
    }
    for length in [0, 63, 64, 65, 1024, 1025, 5000] {
        let message = paint(1, length);
        let (mode, reference) = &modes()[length % 3];
        let expected = reference(&message, 40_000);
        let mut hasher = mode.hasher();
        hasher.update(b"something else");
        hasher.reset();
        hasher.update(&message);
        let whole = hasher.finalize_reader();
        for piece in [1, 31, 32, 33, 63, 64, 65, 1000, 20_000] {
            let mut reader = whole.clone();
            let mut output = vec![0; 40_000];
            output.chunks_mut(piece).for_each(|piece| reader.fill(piece));
            assert!(output == expected, "{length} bytes, in pieces of {piece}");
        }
        let mut reader: Reader = whole;
        for position in [39_000, 0, 1, 64, 33, 12_345] {
            reader.set_position(position);
            let mut output = [0; 100];
            reader.read_exact(&mut output).unwrap();
            assert_eq!(output, expected[position as usize..][..100], "from {position}");
            assert_eq!(reader.position(), position + 100);
        }
        // The counter has two words, and the output an end.
        reader.set_position((1 << 38) - 32);
        let mut across = [0; 64];
        reader.fill(&mut across);
        reader.set_position(1 << 38);
        let mut after = [0; 32];
        reader.fill(&mut after);
        assert_eq!(across[32..], after);
        assert_ne!(after, expected[..32]);
        reader.set_position(u64::MAX - 5);
        assert_eq!(reader.read(&mut after).unwrap(), 5);
        assert_eq!(reader.read(&mut after).unwrap(), 0);
    }
}

#[test]
fn wrong_room_is_an_error_and_keys_are_not_shown() {
    do_as_the_environment_says();
    assert!(blake3::hash_many(&[""; 0]).is_empty());
    assert!(Mode::plain().output_many(&[""; 0], 32).is_empty());
    let refusal = |call: fn()| *std::panic::catch_unwind(call).expect_err("refused").downcast::<String>().expect("a text");
    let text = refusal(|| drop(Mode::plain().output_many(&["a"], 0)));
    assert!(text.contains("output_bytes is 0"), "{text}");
    let text = refusal(|| Mode::plain().output_many_into(&["a", "b"], 32, &mut [0; 63]));
    assert!(text.contains("2 messages have outputs of 32 bytes, and there is room for 63 bytes"), "{text}");
    let text = refusal(|| Mode::plain().hash_many_into(&["a", "b"], &mut [[0; 32]]));
    assert!(text.contains("2 messages but room for 1 digests"), "{text}");
    assert_eq!(format!("{:?}", Mode::keyed(&[0x61; 32])), "Mode::keyed");
    assert_eq!(format!("{:?}", Mode::derive_key("c").hasher()), "Hasher { mode: Mode::derive_key, message_bytes: 0, .. }");
}
