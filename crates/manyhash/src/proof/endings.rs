//! Proofs of the ends of messages: what is done in registers is what is done to bytes, for every message
//! and every length, in the lanes that end and in those that go on.
//!
//! What [`Tail`] and `mark_end` do with a block and a state is learnt from bytes of zeros and of ones: a bit
//! of the result is kept, or always the same, or one of the length. That this is all they do is tried with
//! random bytes, and with every bit of the length. `finish_in_lanes` then runs on variables: the message,
//! the state before, the length, and whether a lane ends.

use super::instructions::{Fault, Terms, with_fault};
use super::{ExpressionOf, Proved, numbers, variables};
use crate::algorithm::ending::{End, Ending, Tail, padded_bytes};
use crate::algorithm::{BlockOf, StateOf, VectorOf};
use crate::isa::{Two, Word, WordCount, Words};

/// The words of a state and of the blocks behind it.
type AllWords<C> = Vec<<C as crate::algorithm::Compression>::Word>;

/// The words of the state and of all last blocks after a message of `message_bytes` bytes, of which
/// `rest` are in these blocks. All words of the state before are `state`.
fn in_bytes<C: Proved>(state: C::Word, rest: &[u8], message_bytes: u64) -> AllWords<C> {
    let mut tail = Tail::<C>::empty();
    tail.set(rest, message_bytes, C::Ending::FIRST);
    let mut chaining = C::filled(state);
    C::Ending::mark_end(&mut chaining, End { message_bytes, rest_bytes: rest.len() });
    let words = tail.blocks().chunks_exact(size_of::<C::Word>()).map(|bytes| C::Word::from_bytes(C::BYTE_ORDER, bytes));
    chaining.as_ref().iter().copied().chain(words).collect()
}

/// What the end of a message does to a word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect<W> {
    /// It keeps some of the bits, and sets others.
    Sets { kept: W, set: W },
    /// It is the length of the message, as [`Ending::length`] returns it.
    IsLength,
}

/// The number of a word.
fn bits<W: Word + Into<u64>>(word: W) -> u64 {
    word.into()
}

/// Learns what the end of a message with `rest_bytes` bytes in its last blocks does to each word.
fn effects<C: Proved>(rest_bytes: usize) -> Vec<Effect<C::Word>> {
    let of = |state: u64, byte: u8, message_bytes: u64| in_bytes::<C>(C::Word::low(state), &vec![byte; rest_bytes], message_bytes);
    let (zeros, ones, longest) = (of(0, 0, 0), of(u64::MAX, 0xFF, 0), of(0, 0, LONGEST));
    let effects: Vec<Effect<C::Word>> = (0..zeros.len())
        .map(|i| match zeros[i] == longest[i] {
            true => Effect::Sets { kept: C::Word::low(bits(zeros[i]) ^ bits(ones[i])), set: zeros[i] },
            false => Effect::IsLength,
        })
        .collect();

    // Nothing else: any bits, and each bit of the length.
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for message_bytes in (0..29).map(|bit| 1 << bit).chain([0, LONGEST, 0x1234_5678]) {
        random = random.wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(17);
        let rest: Vec<u8> = (0..rest_bytes).map(|i| (random >> (i % 57)) as u8).collect();
        let before = in_words::<C>(C::Word::low(random), &rest, effects.len());
        for (i, found) in in_bytes::<C>(C::Word::low(random), &rest, message_bytes).into_iter().enumerate() {
            let right = match effects[i] {
                Effect::Sets { kept, set } => C::Word::low(bits(before[i]) & bits(kept) ^ bits(set)),
                Effect::IsLength => C::Ending::length(message_bytes as u32),
            };
            assert_eq!(found, right, "{}: word {i} at the end of {rest_bytes} bytes of {message_bytes}", C::NAME);
        }
    }
    effects
}

/// The longest message that ends in registers.
const LONGEST: u64 = (1 << 29) - 1;

/// The words of a state, all of them `state`, and those of `bytes` with zeros behind them, `count` in all.
fn in_words<C: Proved>(state: C::Word, bytes: &[u8], count: usize) -> AllWords<C> {
    let mut padded = bytes.to_vec();
    padded.resize((count - C::STATE_WORDS) * size_of::<C::Word>(), 0);
    let words = padded.chunks_exact(size_of::<C::Word>()).map(|bytes| C::Word::from_bytes(C::BYTE_ORDER, bytes));
    vec![state; C::STATE_WORDS].into_iter().chain(words).collect()
}

/// Returns whether a message with `rest_bytes` bytes in its last one or two blocks ends in registers as it
/// does in bytes. Whether it ends is a variable: all ones if so, zeros if not. Where it does not end, the
/// last block and the state stay as they are.
fn ends<C: Proved>(rest_bytes: usize) -> bool {
    let effects = effects::<C>(rest_bytes);
    let blocks = padded_bytes::<C>(rest_bytes) / C::BLOCK_BYTES;
    let (of_state, of_blocks) = effects.split_at(C::STATE_WORDS);
    let of_last = &of_blocks[(blocks - 1) * C::Block::COUNT..];

    // The block as it is loaded: the rest of the message, what follows it, zeros.
    let mut with_first = vec![0; blocks * C::BLOCK_BYTES];
    if rest_bytes < with_first.len() {
        with_first[rest_bytes] = C::Ending::FIRST;
    }
    let first = in_words::<C>(C::Word::default(), &with_first, effects.len());
    let kept = in_words::<C>(C::Word::default(), &vec![0xFF; rest_bytes], effects.len());
    let last_block = C::STATE_WORDS + (blocks - 1) * C::Block::COUNT;
    let plain = ExpressionOf::<C>::plain;
    let of_lane = |words: usize, from: usize, lane: usize| -> Vec<ExpressionOf<C>> {
        variables::<C>(words, 2, from).into_iter().skip(lane).step_by(2).collect()
    };
    let before = |lane: usize| -> [Vec<ExpressionOf<C>>; 2] {
        let mut state = of_lane(C::STATE_WORDS, 0, lane);
        // The flag of a last block is not set before it.
        state[C::STATE_WORDS - C::FIXED[0].len()..].fill(plain(C::Word::default()));
        let mut block = of_lane(C::Block::COUNT, 10_000, lane);
        for (i, word) in block.iter_mut().enumerate() {
            // Any word may be where the length comes.
            if of_last[i] != Effect::IsLength {
                *word = word.kept(plain(kept[last_block + i])).with(plain(first[last_block + i]));
            }
        }
        [state, block]
    };
    let lanes = [before(0), before(1)];
    let (are_ends, lengths) = (variables::<C>(1, 2, 20_000), variables::<C>(1, 2, 30_000));

    let isa = <Two<Terms> as crate::isa::Token>::detect().expect("always there");
    let in_columns =
        |which: usize| numbers::<C>(&(0..lanes[0][which].len()).flat_map(|i| [lanes[0][which][i], lanes[1][which][i]]).collect::<Vec<_>>());
    let (mut state_words, mut block_words) = (in_columns(0), in_columns(1));
    let mut state: StateOf<C, VectorOf<C, Two<Terms>>> = C::State::read(isa, &state_words, 2);
    let mut block: BlockOf<C, VectorOf<C, Two<Terms>>> = C::Block::read(isa, &block_words, 2);
    let read = |words: &[ExpressionOf<C>]| -> VectorOf<C, Two<Terms>> { Words::read(isa, &numbers::<C>(words)) };
    C::Ending::finish_in_lanes(isa, &mut state, &mut block, read(&are_ends), read(&lengths));
    C::State::write(&state, &mut state_words, 2);
    C::Block::write(&block, &mut block_words, 2);

    (0..2).all(|lane| {
        let [state, block] = &lanes[lane];
        let effects = of_state.iter().chain(of_last);
        let after = state_words.iter().chain(&block_words).skip(lane).step_by(2);
        effects.zip(state.iter().chain(block)).zip(after).all(|((effect, before), after)| {
            let ended = match effect {
                Effect::Sets { kept, set } => before.kept(plain(*kept)).with(plain(*set)),
                Effect::IsLength => lengths[lane],
            };
            // Where it ends, what was learnt; elsewhere, what was there.
            let changed = ended.with(*before).kept(are_ends[lane]);
            ExpressionOf::<C>::from_number(*after) == before.with(changed)
        })
    })
}

/// Proves the ending of a compression function, and that each fault is found.
fn prove<C: Proved>() {
    let started = std::time::Instant::now();
    let most_rest_bytes = if C::Ending::HOLDS_BACK { C::BLOCK_BYTES } else { C::BLOCK_BYTES - 1 };
    for rest_bytes in 0..=most_rest_bytes {
        assert!(ends::<C>(rest_bytes), "{}: {rest_bytes} bytes in the last blocks", C::NAME);
    }
    let proved = started.elapsed();
    let mut found = 0;
    for rest_bytes in [0, most_rest_bytes] {
        for fault in Fault::ALL {
            for before in 0.. {
                let Some(is_right) = with_fault(fault, before, || ends::<C>(rest_bytes)) else { break };
                assert!(!is_right, "{}: a fault of {fault:?} after {before} others is not found", C::NAME);
                found += 1;
            }
        }
    }
    println!("{}: {} ends proved in {proved:?}; {found} of {found} faults found", C::NAME, most_rest_bytes + 1);
    assert!(found >= 10, "{}: faults are made", C::NAME);
}

#[test]
fn messages_end_in_registers_as_they_do_in_bytes() {
    macro_rules! prove_all { ($($Compression:path)*) => { $(prove::<$Compression>();)* } }
    for_each_compression!(prove_all);
}
