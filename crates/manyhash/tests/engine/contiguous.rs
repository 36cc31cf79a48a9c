//! Messages that lie one after the other in one buffer, as rows of a column do.

use crate::support::{Random, assert_digests, expected, paint};
use manyhash::{Algorithm, Sha256, hash_contiguous, hash_contiguous_into};

/// Rows of the given lengths behind `skipped` bytes that belong to none: the buffer and its
/// offsets.
fn column(lengths: &[usize], skipped: usize) -> (Vec<u8>, Vec<usize>) {
    let mut values = vec![0xEE; skipped];
    let mut offsets = vec![skipped];
    for (i, length) in lengths.iter().enumerate() {
        values.extend(paint(i, *length));
        offsets.push(values.len());
    }
    (values, offsets)
}

fn check<A: Algorithm>(lengths: &[usize], skipped: usize, context: &str) {
    let (mut values, offsets) = column(lengths, skipped);
    let rows: Vec<Vec<u8>> = offsets.windows(2).map(|ends| values[ends[0]..ends[1]].to_vec()).collect();
    let expected = expected::<A>(&rows);
    values.extend([0xEE; 3]); // behind the last row
    let narrow: Vec<i32> = offsets.iter().map(|offset| i32::try_from(*offset).unwrap()).collect();
    let wide: Vec<u64> = offsets.iter().map(|offset| *offset as u64).collect();
    assert_digests::<A>(&hash_contiguous::<A>(&values, &offsets), &expected, &rows, context);
    assert_digests::<A>(&hash_contiguous::<A>(&values, &narrow), &expected, &rows, context);
    assert_digests::<A>(&hash_contiguous::<A>(&values, &wide), &expected, &rows, context);
}

fn random_columns<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x00c0_1017);
    for round in 0..40 {
        // Rows of one length, of one number of blocks, and of any.
        let most = random.one_of(&[1, 17, 33, 56, 120, 300, 5000]);
        let count = random.below(300);
        let lengths: Vec<usize> = match round % 2 {
            0 => vec![random.below(most); count],
            _ => (0..count).map(|_| random.below(most)).collect(),
        };
        check::<A>(&lengths, random.below(70), &format!("MANYHASH_TEST_SEED={seed}, round {round}"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[random_columns]);

/// Whole waves of every length of one to three blocks: alike in all lanes, and different.
fn every_short_length<A: Algorithm>() {
    for length in 0..=3 * A::BLOCK_BYTES {
        check::<A>(&[length; 64], 0, &format!("64 rows of {length} bytes"));
        let around: Vec<usize> = (0..64).map(|i| length.saturating_sub(i % 9)).collect();
        check::<A>(&around, 1, &format!("64 rows of about {length} bytes"));
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_short_length]);

#[test]
fn no_rows() {
    assert!(hash_contiguous::<Sha256>(b"values", &[] as &[u32]).is_empty());
    assert!(hash_contiguous::<Sha256>(b"values", &[3]).is_empty());
}

#[test]
#[should_panic(expected = "offset 2 is not between the one before and 6 bytes")]
fn an_offset_that_goes_back() {
    hash_contiguous::<Sha256>(b"values", &[0, 4, 3]);
}

#[test]
#[should_panic(expected = "offset 1 is not")]
fn an_offset_past_the_end() {
    hash_contiguous::<Sha256>(b"values", &[0, 7]);
}

#[test]
#[should_panic(expected = "offset 0 is not")]
fn a_negative_offset() {
    hash_contiguous::<Sha256>(b"values", &[-1i64, 2]);
}

#[test]
#[should_panic(expected = "2 messages but room for 1 digests")]
fn too_few_digests() {
    hash_contiguous_into::<Sha256>(b"values", &[0, 1, 2], &mut [[0; 32]]);
}
