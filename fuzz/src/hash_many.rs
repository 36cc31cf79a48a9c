//! Many messages in memory: all ways to hash them on every backend, against the reference.

use crate::choices::Choices;
use crate::{backends, paint, reference};
use manyhash::{Algorithm, Batch, Hasher, hash, hash_contiguous, hash_many, with_algorithm};

/// The most messages of a case: more than three times the lanes of any kernel.
const MOST_MESSAGES: usize = 140;
/// Where messages of one buffer end, for `hash_contiguous`.
const MOST_CONTIGUOUS_BYTES: usize = 60_000;

/// Hashes messages of many lengths, in any order, at any address, with anything before and after
/// them.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    with_algorithm!(choices.algorithm(), A => check::<A>(choices));
}

fn check<A: Algorithm>(choices: &mut Choices) {
    let lengths = choices.lengths(MOST_MESSAGES);
    let [prefix_bytes, suffix_bytes] = [choices.length(), choices.length()].map(|bytes| bytes.min(300));
    let (prefix, suffix) = (paint(1, prefix_bytes), paint(2, suffix_bytes));
    // Between messages lie bytes of nobody, so that their addresses differ.
    let gap_bytes = choices.one_of(&[0, 0, 1, 7, 64, 100, 4096 - 64]);
    let content = choices.any::<u16>();
    let (mut offsets, mut gaps) = (vec![choices.between(0, 64)], Vec::new());
    for bytes in &lengths {
        let start = offsets.last().expect("it has a first one") + gap_bytes.min(1 << 20);
        gaps.push(start);
        offsets.push(start + bytes);
    }
    let buffer = paint(content.into(), *offsets.last().expect("it has a first one"));
    let mut messages: Vec<&[u8]> = gaps.iter().zip(&lengths).map(|(start, bytes)| &buffer[*start..start + bytes]).collect();
    if choices.any() {
        messages.reverse();
    }
    let context = || format!("{}, lengths {lengths:?}, {gap_bytes} bytes between", A::NAME);

    let expected: Vec<Vec<u8>> = messages.iter().map(|message| reference::<A>(message)).collect();
    let same = |digests: &[A::Digest], expected: &[Vec<u8>], way: &str| {
        let right = digests.len() == expected.len() && digests.iter().zip(expected).all(|(digest, expected)| digest.as_ref() == expected);
        assert!(right, "{way}, {}", context());
    };
    same(&hash_many::<A>(&messages), &expected, "hash_many");
    let one_by_one: Vec<A::Digest> = messages.iter().map(|message| hash::<A>(message)).collect();
    same(&one_by_one, &expected, "hash");
    in_pieces::<A>(choices, &messages, &expected);
    for backend in backends::<A>() {
        same(&backend.hash_many::<A>(&messages).expect("it has a kernel"), &expected, backend.name());
    }

    // What lies between two offsets is a message too, gap included. The reference is slow: far apart, only some are compared.
    let few = offsets.partition_point(|offset| *offset <= MOST_CONTIGUOUS_BYTES);
    offsets.truncate(few);
    let ranges: Vec<&[u8]> = offsets.windows(2).map(|ends| &buffer[ends[0]..ends[1]]).collect();
    let expected: Vec<Vec<u8>> = ranges.iter().map(|range| reference::<A>(range)).collect();
    same(&hash_contiguous::<A>(&buffer, &offsets), &expected, "hash_contiguous");
    let small: Vec<i32> = offsets.iter().map(|offset| i32::try_from(*offset).expect("less than 2 GiB")).collect();
    same(&hash_contiguous::<A>(&buffer, &small), &expected, "hash_contiguous with small offsets");

    messages.truncate(40);
    let framed: Vec<Vec<u8>> = messages.iter().map(|message| reference::<A>(&[&prefix, *message, &suffix].concat())).collect();
    let batch = Batch::<A>::new().prefix(&prefix).suffix(&suffix).threads(choices.one_of(&[1, 1, 1, 2]));
    let around = format!("a prefix of {prefix_bytes} and a suffix of {suffix_bytes} bytes");
    same(&batch.hash(&messages), &framed, &around);
    for backend in backends::<A>() {
        same(&batch.clone().backend(backend).hash(&messages), &framed, &format!("{backend}, {around}"));
    }
}

/// Hashes each message in two pieces or three.
fn in_pieces<A: Algorithm>(choices: &mut Choices, messages: &[&[u8]], expected: &[Vec<u8>]) {
    for (message, expected) in messages.iter().zip(expected).take(8) {
        let cut = choices.between(0, message.len());
        let second = choices.between(cut, message.len());
        let mut hasher = Hasher::<A>::new();
        [&message[..cut], &message[cut..second], &message[second..]].iter().for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finalize().as_ref(), expected, "{}, {} bytes cut at {cut} and {second}", A::NAME, message.len());
    }
}
