//! Proofs: every compression function is the standard's, for all inputs.
//!
//! `compress` is one generic function for all instruction sets. Here it runs on [`Terms`], whose
//! vectors are expressions, and so does the reference, which is written from the standards alone
//! (`crates/reference`). Both begin with the same variables, any words; equal expressions at the end
//! are equal words for all states and blocks. Each form of the rounds that kernels have is proved: the one for latency,
//! the one with the fewest operations (`One`), and two, four and five waves interleaved (`Two`, `Five`). The code for
//! blocks that all lanes share takes words and not vectors: it is proved for four blocks and all states.
//!
//! What is left to others: that each operation of an instruction set does what its name says, and that
//! the compiler keeps what it means (`crates/prove`, for the kernels' machine code; `tests/`, against the
//! reference on bytes). Expressions and their normal form are the crate `terms`.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the proofs of the compression functions in lanes, and the faults that they must find |
//! | `per_message/` | those of the kernels that give each message registers of its own |
//! | `endings.rs` | those of the ends of messages, made in registers |
//! | `totals.rs` | test: messages of more than 2^32 blocks |
//! | `instructions.rs` | the instruction set that computes them, with faults on demand |
//! | `vectors/` | vectors of several of them, and the instructions for hash functions |

mod endings;
mod instructions;
mod per_message;
mod totals;
mod vectors;

use crate::algorithm::blake2b::Blake2bCompression;
use crate::algorithm::blake2s::Blake2sCompression;
use crate::algorithm::blake3::{Blake3Compression, CHUNK_START};
use crate::algorithm::ending::Ending;
use crate::algorithm::keccak::Keccak;
use crate::algorithm::{BlockOf, ChainingOf, Compression, CompressionOf, StateOf, Variant, VectorOf};
use crate::isa::{ByteOrder, Five, Isa, One, Two, Word, WordCount, Words};
use crate::kernel::short::DigestBlock;
use instructions::{Expression, Fault, Terms, with_fault};

/// The expressions in the place of a compression function's words.
type ExpressionOf<C> = Expression<<C as Compression>::Word>;

/// A compression function, and what the standard says of it.
trait Proved: Compression<Word: Into<u64>> {
    /// What the words of the state behind those that may be anything may be: flags in all ways, which are
    /// equally many. A fault need not be found in more than one of them.
    const FIXED: &'static [&'static [Self::Word]] = &[&[]];
    /// Returns the state after a block as the standard says.
    fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>>;
}

/// What the reference computes from the same words: `Compression = function`.
macro_rules! proved {
    ($($module:ident: $Compression:ident = $function:ident;)*) => { $(
        impl Proved for crate::algorithm::$module::$Compression {
            fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
                let mut state = state.try_into().expect("as many words");
                reference::compression::$function(&mut state, block);
                state.to_vec()
            }
        }
    )* };
}
proved! {
    md5: Md5Compression = md5;
    sha1: Sha1Compression = sha1;
    sha256: Sha256Compression = sha256;
    sha512: Sha512Compression = sha512;
    sm3: Sm3Compression = sm3;
}

/// Word i of the state is the lane A\[i mod 5, i / 5\] of FIPS 202, 3.1.2. The word behind them stays as it is.
fn absorbed<const ROUNDS: usize>(state: &[Expression<u64>], block: &[Expression<u64>]) -> Vec<Expression<u64>> {
    let mut lanes = std::array::from_fn(|x| std::array::from_fn(|y| state[x + 5 * y]));
    match ROUNDS {
        12 => reference::compression::turbo_shake(&mut lanes, block),
        _ => reference::compression::sha3(&mut lanes, block),
    }
    (0..25).map(|i| lanes[i % 5][i / 5]).chain([state[25]]).collect()
}

impl<const RATE: usize, const FIRST: u8, const ROUNDS: usize> Proved for Keccak<RATE, FIRST, ROUNDS>
where
    Self: Compression<Word = u64>,
{
    fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
        absorbed::<ROUNDS>(state, block)
    }
}

/// The state of BLAKE2 has the count of bytes and the flags of the last block and node behind the words of the
/// standard. The count goes up by a block, unless the flag is set.
macro_rules! proved_blake2 {
    ($($Compression:ident = $function:ident, $word:ident;)*) => { $(
        impl Proved for $Compression {
            /// The flags of the last block and of the last node.
            const FIXED: &'static [&'static [$word]] = &[&[0, 0], &[$word::MAX, 0], &[$word::MAX, $word::MAX], &[0, $word::MAX]];
            fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
                let [low, high, flag, node] = state[8..] else { panic!("four words more") };
                let plain = Expression::plain;
                let is_last = flag == plain($word::MAX);
                let is_last_node = node == plain($word::MAX);
                assert!((is_last || flag == plain(0)) && (is_last_node || node == plain(0)));
                let counted = if is_last { low } else { reference::Word::plus(low, plain(Self::BLOCK_BYTES as $word)) };
                let carried = if is_last { high } else { reference::Word::plus(high, carry(low, counted, $word::BITS)) };
                let mut words = state[..8].try_into().expect("eight words");
                reference::compression::$function(&mut words, block, [counted, carried], [is_last, is_last && is_last_node]);
                words.into_iter().chain([counted, carried, flag, node]).collect()
            }
        }
    )* };
}
proved_blake2! {
    Blake2bCompression = blake2b, u64;
    Blake2sCompression = blake2s, u32;
}

/// The state of BLAKE3 has the words that [`Node`](crate::algorithm::ending::Node) describes behind the chaining value.
impl Proved for Blake3Compression {
    /// The flags of the last block and of the upper half.
    const FIXED: &'static [&'static [u32]] = &[&[0, 0], &[u32::MAX, 0], &[u32::MAX, u32::MAX], &[0, u32::MAX]];
    fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
        let plain = Expression::plain;
        let [low, high, flags, last_flags, added_bytes, is_last, is_upper] = state[8..] else { panic!("seven words more") };
        let block_bytes = reference::Word::plus(plain(64), added_bytes);
        let all_flags = if is_last == plain(u32::MAX) { flags ^ last_flags } else { flags };
        let chaining: [ExpressionOf<Self>; 8] = state[..8].try_into().expect("eight words");
        let output = reference::compression::blake3(&chaining, block, [low, high], block_bytes, all_flags);
        let mut after = output[..8].to_vec();
        if is_upper == plain(u32::MAX) {
            after = output[8..].iter().zip(&chaining).map(|(word, before)| *word ^ *before).collect();
        }
        after.extend([low, high, flags & plain(!CHUNK_START), last_flags, added_bytes, is_last, is_upper]);
        after
    }
}

/// The carry of a count of bytes that went up by a block of BLAKE2, from its lower word of `bits` bits:
/// see [`the_count_of_blake2_carries`].
fn carry<W: reference::Word>(low: W, counted: W, bits: u32) -> W {
    reference::Word::shr(low & !counted, bits - 1)
}

/// One row of expressions for each word, with one for each lane: variables from `first` on.
fn variables<C: Proved>(rows: usize, lanes: usize, first: usize) -> Vec<ExpressionOf<C>> {
    (0..rows * lanes).map(|i| Expression::variable(first + i)).collect()
}

/// The expressions of one lane.
fn lane<C: Proved>(rows: &[ExpressionOf<C>], lanes: usize, lane: usize) -> Vec<ExpressionOf<C>> {
    rows.iter().skip(lane).step_by(lanes).copied().collect()
}

/// The numbers of expressions, as words of memory.
fn numbers<C: Proved>(expressions: &[ExpressionOf<C>]) -> Vec<C::Word> {
    expressions.iter().map(|expression| expression.number()).collect()
}

/// Returns whether `compress` does in every lane of `I` what the standard says, whatever the states
/// before, of which the words behind the variables are `fixed`, and the blocks.
fn compresses<C: Proved, I: Isa>(fixed: &[C::Word]) -> bool {
    is_standard::<C, I>(
        fixed,
        |lanes| variables::<C>(C::Block::COUNT, lanes, 10_000),
        |isa, state, block, lanes| {
            let block: BlockOf<C, VectorOf<C, I>> = C::Block::read(isa, &numbers::<C>(block), lanes);
            C::compress::<VectorOf<C, I>>(isa, state, block);
        },
    )
}

/// Returns whether `compress_constant` does in every lane of `I` what the standard says, whatever the
/// states before, for these blocks: zeros, ones, and what follows a message of a whole block.
fn compresses_constant_blocks<C: Proved, I: Isa>() -> bool {
    let patterns: [fn(usize) -> u64; 4] = [
        |_| 0,
        |_| u64::MAX,
        |i| if i == 0 { 1 << 31 } else { i as u64 / 15 * 512 },
        |i| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    ];
    patterns.into_iter().all(|pattern| {
        let mut words = C::Block::filled(C::Word::default());
        for (i, word) in words.as_mut().iter_mut().enumerate() {
            *word = Word::low(pattern(i));
        }
        let block: Vec<_> = words.as_ref().iter().map(|word| Expression::plain(*word)).collect();
        is_standard::<C, I>(
            &[],
            |lanes| block.iter().flat_map(|word| vec![*word; lanes]).collect(),
            |isa, state, _, _| C::compress_constant::<VectorOf<C, I>>(isa, state, &C::expand(words)),
        )
    })
}

/// Returns whether every lane of `I` is the standard's after `compress`. The state before is
/// variables, and the words `fixed` behind them; `block` returns the block for a number of lanes.
fn is_standard<C: Proved, I: Isa>(
    fixed: &[C::Word],
    block: impl Fn(usize) -> Vec<ExpressionOf<C>>,
    compress: impl Fn(I, &mut StateOf<C, VectorOf<C, I>>, &[ExpressionOf<C>], usize),
) -> bool {
    let (isa, lanes) = (I::detect().expect("always there"), VectorOf::<C, I>::LANES);
    let mut before = variables::<C>(C::STATE_WORDS - fixed.len(), lanes, 0);
    before.extend(fixed.iter().flat_map(|word| vec![Expression::plain(*word); lanes]));
    let block = block(lanes);

    let mut state = C::State::read(isa, &numbers::<C>(&before), lanes);
    compress(isa, &mut state, &block, lanes);
    let mut after = numbers::<C>(&before);
    C::State::write(&state, &mut after, lanes);
    let after: Vec<ExpressionOf<C>> = after.into_iter().map(Expression::from_number).collect();
    (0..lanes).all(|i| lane::<C>(&after, lanes, i) == C::standard(&lane::<C>(&before, lanes, i), &lane::<C>(&block, lanes, i)))
}

/// Returns whether messages end as those of sponges do.
fn is_sponge<C: Compression>() -> bool {
    C::STATE_WORDS == 26
}

/// Returns the byte that follows a message which starts from `state`.
fn first_after<C: Compression>(state: &ChainingOf<C>) -> u8 {
    C::Ending::first(state)
}

/// Returns whether the block of a digest of `digest_bytes` bytes, which HMAC hashes after a block of its
/// key (RFC 2104, section 2), has the bytes of the digest and the padding of so long a message, whatever
/// the state that the digest comes from. `first` is the first byte of a sponge's padding.
fn pads_digests<C: Proved>(digest_bytes: usize, first: u8) -> bool {
    let mut padding = vec![0; C::BLOCK_BYTES];
    let last = padding.len() - 1;
    let bits = 8 * (C::BLOCK_BYTES + digest_bytes) as u16;
    if is_sponge::<C>() {
        // FIPS 202, section 6.1 and B.2.
        padding[digest_bytes] = first;
        padding[last] |= 0x80;
    } else {
        // FIPS 180-4, section 5.1; RFC 1321, section 3.2, for the order of bytes.
        padding[digest_bytes] = 0x80;
        match C::BYTE_ORDER {
            ByteOrder::Big => padding[last - 1..].copy_from_slice(&bits.to_be_bytes()),
            ByteOrder::Little => padding[last - 7..last - 5].copy_from_slice(&bits.to_le_bytes()),
        }
    }
    let mut kept = vec![0; C::BLOCK_BYTES];
    kept[..digest_bytes].fill(0xFF);

    let state = variables::<C>(C::STATE_WORDS, 1, 0);
    let in_lanes = C::State::read(Terms, &numbers::<C>(&state), 1);
    let block = DigestBlock::<C>::new(digest_bytes, C::BLOCK_BYTES as u64, if is_sponge::<C>() { first } else { C::Ending::FIRST })
        .block(Terms, &in_lanes);
    let mut words = numbers::<C>(&variables::<C>(C::Block::COUNT, 1, 0));
    C::Block::write(&block, &mut words, 1);
    let word_at = |bytes: &[u8], i: usize| Expression::plain(C::Word::from_bytes(C::BYTE_ORDER, &bytes[i * size_of::<C::Word>()..]));
    words.into_iter().enumerate().all(|(i, number)| {
        let digest = state.get(i).copied().unwrap_or(Expression::plain(C::Word::default()));
        Expression::from_number(number) == digest.kept(word_at(&kept, i)).with(word_at(&padding, i))
    })
}

/// A form of the rounds of `C`: returns whether it is the standard's, with these words behind those that may be anything.
type Form<C> = fn(&[<C as Compression>::Word]) -> bool;

/// Proves a compression function in all forms of its rounds that kernels have, and that each fault is found in those
/// for one wave.
fn prove<C: Proved>() {
    let started = std::time::Instant::now();
    for fixed in C::FIXED {
        assert!(compresses::<C, Terms>(fixed), "{}: rounds for latency", C::NAME);
        if const { C::HAS_LEAN_ROUNDS } {
            assert!(compresses::<C, One<Terms>>(fixed), "{}: rounds with the fewest operations", C::NAME);
        }
        if const { C::WANTS_WAVES || C::WANTS_MORE_WAVES } {
            assert!(compresses::<C, Two<Terms>>(fixed), "{}: two waves", C::NAME);
        }
        if const { C::WANTS_MORE_WAVES } {
            assert!(compresses::<C, Two<Two<Terms>>>(fixed), "{}: four waves", C::NAME);
            assert!(compresses::<C, Five<Terms>>(fixed), "{}: five waves", C::NAME);
        }
    }
    if const { C::HAS_CONSTANT_BLOCKS } {
        assert!(compresses_constant_blocks::<C, Terms>(), "{}: shared blocks, rounds for latency", C::NAME);
        assert!(compresses_constant_blocks::<C, One<Terms>>(), "{}: shared blocks, fewest operations", C::NAME);
    }
    let proved = started.elapsed();

    let mut forms: Vec<Form<C>> = vec![compresses::<C, Terms>];
    if const { C::HAS_LEAN_ROUNDS } {
        forms.push(compresses::<C, One<Terms>>);
    }
    let mut found = 0;
    for fault in Fault::ALL {
        for before in (0..).step_by(EVERY) {
            // Right only if it is with all flags; `None` if there are not so many instructions.
            let of_form = |form: &Form<C>| {
                C::FIXED.iter().map(|fixed| with_fault(fault, before, || form(fixed))).reduce(|one, other| Some(one? && other?)).flatten()
            };
            let results: Vec<Option<bool>> = forms.iter().map(of_form).collect();
            for is_standard in results.iter().flatten() {
                assert!(!is_standard, "{}: a fault of {fault:?} after {before} others is not found", C::NAME);
                found += 1;
            }
            if results.iter().all(Option::is_none) {
                break;
            }
        }
    }
    println!("{}: proved in {proved:?}; {found} of {found} faults found, {:?} in all", C::NAME, started.elapsed());
    assert!(found > 20, "{}: faults are made", C::NAME);
}

/// One of so many instructions of a kind is faulty once.
const EVERY: usize = 31;

/// Proves all of them: one that has no standard here does not compile.
#[test]
fn every_compression_function_is_its_standards() {
    macro_rules! prove_all { ($($Compression:path)*) => { $(prove::<$Compression>();)* } }
    for_each_compression!(prove_all);
}

#[test]
fn hmac_pads_digests_as_its_standard_says() {
    macro_rules! all { ([] $($Algorithm:ident)*) => { $(
        if <crate::$Algorithm as crate::Algorithm>::HAS_HMAC {
            let digest_bytes = <crate::$Algorithm as Variant>::ZERO.len();
            // What Ethereum has is without the two bits of a suffix.
            let first = if stringify!($Algorithm) == "Keccak256" { 0x01 } else { 0x06 };
            assert!(!is_sponge::<CompressionOf<crate::$Algorithm>>() || first_after::<CompressionOf<crate::$Algorithm>>(&crate::$Algorithm::INITIAL) == first);
            assert!(pads_digests::<CompressionOf<crate::$Algorithm>>(digest_bytes, first), "{}", stringify!($Algorithm));
        }
    )* } }
    for_each_algorithm!(all []);
}

/// The count of BLAKE2 is a sum of two words (RFC 7693, section 3.2). It is added bit by bit here, each bit
/// of its lower word a variable: the carry out of that word is what [`carry`] takes from its highest bits,
/// whatever the count.
#[test]
fn the_count_of_blake2_carries() {
    type Bit = Expression<u32>;
    /// Returns the highest bit of a count and of the sum with `added`, and the carry out of the sum.
    fn sum(added: u64, bits: u32) -> [Bit; 3] {
        let mut carried = Bit::plain(0);
        let mut highest = [carried; 2];
        for i in 0..bits {
            let (bit, other) = (Bit::variable(i as usize), Bit::plain(if added >> i & 1 == 1 { u32::MAX } else { 0 }));
            highest = [bit, bit ^ other ^ carried];
            carried = (bit & other) ^ (carried & (bit ^ other));
        }
        [highest[0], highest[1], carried]
    }
    // `carry` moves the highest bit to the lowest place; here a bit is in all places of a word.
    let carries = |[low, counted, carried]: [Bit; 3]| carry(low, counted, 32) == reference::Word::shr(carried, 31);
    assert!(carries(sum(Blake2sCompression::BLOCK_BYTES as u64, 32)));
    assert!(carries(sum(Blake2bCompression::BLOCK_BYTES as u64, 64)));
    // It would not do for blocks so long that they have the highest bit themselves, and another.
    assert!(!carries(sum(u32::MAX.into(), 32)));
    assert!(!carries(sum(1 << 31 | 64, 32)));
}
