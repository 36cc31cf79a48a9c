//! Messages of more than 2^32 blocks end as their standards say. They begin at a state that stands for so
//! many bytes: nobody hashes 256 GiB. What is right is computed as the proofs do it, on words that are
//! always the same.

use super::instructions::Expression;
use super::{ExpressionOf, Proved};
use crate::algorithm::ending::{Counted, Ending, EndingOf};
use crate::algorithm::{ChainingOf, Compression, CompressionOf, SelfTested, write_digest};
use crate::algorithms::Algorithm;
use crate::backend::Backend;
use crate::hash::Hasher;
use crate::isa::{ByteOrder, Word};
use crate::kernel::start::{Passes, Start};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use ::terms;

/// Blocks before the messages: one less than 2^32, more by an odd number, and as many as there may be before a message
/// of blocks of 64 bytes has 2^64 bits.
const BLOCKS: [u64; 3] = [(1 << 32) - 1, (1 << 32) + 12_345, (1 << 55) - 16];

/// A message of `total` bytes that ends in `rest`, as its standard pads it: FIPS 180-4, section 5.1, RFC
/// 1321, section 3.2, FIPS 202, section 5.1, RFC 7693, section 3.3.
fn padded<C: Compression>(rest: &[u8], total: u64, first: u8) -> Vec<u8> {
    let mut padded = rest.to_vec();
    let bits = u128::from(total) * 8;
    match first {
        0x80 => {
            let length_bytes = C::BLOCK_BYTES / 8;
            padded.push(0x80);
            padded.resize((padded.len() + length_bytes).next_multiple_of(C::BLOCK_BYTES) - length_bytes, 0);
            match C::BYTE_ORDER {
                ByteOrder::Big => padded.extend_from_slice(&bits.to_be_bytes()[16 - length_bytes..]),
                ByteOrder::Little => padded.extend_from_slice(&bits.to_le_bytes()[..length_bytes]),
            }
        }
        0 => padded.resize(padded.len().max(1).next_multiple_of(C::BLOCK_BYTES), 0),
        // A sponge: the first byte has a suffix, and the first bit of the padding.
        _ => {
            padded.push(first);
            padded.resize(padded.len().next_multiple_of(C::BLOCK_BYTES), 0);
            *padded.last_mut().expect("a block") |= 0x80;
        }
    }
    padded
}

/// A state after `bytes` bytes: any words, and behind them, where they are counted, the count and flags
/// that are not set.
fn state_after<C: Compression>(bytes: u64) -> ChainingOf<C> {
    let mut state = C::filled(C::Word::default());
    for (i, word) in state.as_mut().iter_mut().enumerate() {
        *word = C::Word::low((i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    if C::Ending::MARKS_END {
        state.as_mut()[Counted::COUNT..].copy_from_slice(&[
            C::Word::low(bytes),
            C::Word::high(bytes),
            C::Word::default(),
            C::Word::default(),
        ]);
    }
    state
}

/// The digest of a message that goes on from `start` with `rest`, as its standard says.
fn standard<A: Algorithm>(start: Start<CompressionOf<A>>, rest: &[u8]) -> A::Bytes
where
    CompressionOf<A>: Proved,
{
    let plain = |word: &<CompressionOf<A> as Compression>::Word| Expression::plain(*word);
    let total = start.bytes + rest.len() as u64;
    let padded = padded::<CompressionOf<A>>(rest, total, EndingOf::<A>::first(&start.state));
    let blocks = padded.chunks(CompressionOf::<A>::BLOCK_BYTES);
    let last = blocks.len() - 1;
    let mut state: Vec<ExpressionOf<CompressionOf<A>>> = start.state.as_ref().iter().map(plain).collect();
    for (i, block) in blocks.enumerate() {
        if i == last && EndingOf::<A>::MARKS_END {
            let ended = [Word::low(total), Word::high(total), Word::ONES, Default::default()].map(|word| plain(&word));
            state[Counted::COUNT..].copy_from_slice(&ended);
        }
        let words = block.chunks(size_of::<<CompressionOf<A> as Compression>::Word>());
        let words: Vec<_> = words.map(|bytes| plain(&Word::from_bytes(CompressionOf::<A>::BYTE_ORDER, bytes))).collect();
        state = CompressionOf::<A>::standard(&state, &words);
    }
    let mut words = start.state;
    for (word, expression) in words.as_mut().iter_mut().zip(state) {
        *word = expression.value().expect("all words are plain");
    }
    terms::forget();
    let mut digest = A::ZERO;
    write_digest::<CompressionOf<A>>(&words, digest.as_mut());
    digest
}

/// Through a hasher, and in batches of one message and of many on every backend.
fn goes_far<A: Algorithm>()
where
    CompressionOf<A>: Proved,
{
    if <CompressionOf<A>>::HAS_CHUNKS {
        // No chain of blocks is longer than a chunk.
        return;
    }
    let lengths = [0, 1, 55, 56, 64, 65, 111, 112, 128, 129, 135, 136, 300];
    let messages: Vec<Vec<u8>> = lengths.iter().map(|bytes| (0..*bytes).map(|i| (i * 7 + bytes) as u8).collect()).collect();
    for blocks in BLOCKS {
        let bytes = blocks * CompressionOf::<A>::BLOCK_BYTES as u64;
        let start = Start { state: state_after::<CompressionOf<A>>(bytes), bytes };
        let expected: Vec<_> = messages.iter().map(|message| standard::<A>(start, message)).collect();
        for (message, expected) in messages.iter().zip(&expected) {
            let mut hasher = Hasher::<A>::starting(start);
            message.chunks(50).for_each(|piece| hasher.update(piece));
            assert_eq!(
                hasher.finalize().as_ref(),
                expected.as_ref(),
                "{}: {} bytes after {blocks} blocks, in pieces",
                A::NAME,
                message.len()
            );
        }
        for backend in Backend::supported() {
            let Ok(mix) = backend.mix::<A>() else { continue };
            for together in [1, 2, messages.len()] {
                let mut digests = vec![A::ZERO; messages.len()];
                for (messages, digests) in messages.chunks(together).zip(digests.chunks_mut(together)) {
                    <CompressionOf<A>>::hash_many(mix, &Passes::from(&start), &Slice(messages), &mut Digests::of::<A>(digests), None);
                }
                assert!(digests == expected, "{}: {together} messages after {blocks} blocks on {}", A::NAME, backend.name());
            }
        }
    }
}

#[test]
fn more_than_2_to_the_32_blocks() {
    macro_rules! all { ([] $($Algorithm:ident)*) => { $(goes_far::<crate::$Algorithm>();)* } }
    for_each_algorithm!(all []);
}
