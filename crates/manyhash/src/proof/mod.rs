//! Proofs: every compression function is the standard's, for all inputs.
//!
//! `compress` is one generic function for all instruction sets. Here it runs on [`Terms`], whose
//! vectors are expressions, and so does the reference, which is written from the standards alone
//! (`crates/reference`). Both begin with the same variables, any words; equal expressions at the end
//! are equal words for all states and blocks. Each form of the rounds is proved: the one for latency,
//! the one with the fewest operations (`One`), and two and four waves interleaved (`Two`). The code for
//! blocks that all lanes share takes words and not vectors: it is proved for four blocks and all states.
//!
//! What is left to others: that each operation of an instruction set does what its name says, and that
//! the compiler keeps what it means (`crates/prove`, for the kernels' machine code; `tests/`, against the
//! reference on bytes). Expressions and their normal form are the crate `terms`.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the proofs, and the faults that they must find |
//! | `instructions.rs` | the instruction set that computes them, with faults on demand |

mod instructions;

use crate::algorithm::blake2s::Blake2sCompression;
use crate::algorithm::keccak::Sha3_256Compression;
use crate::algorithm::{BlockOf, Compression, CompressionOf, StateOf, Variant, VectorOf};
use crate::isa::{ByteOrder, Isa, One, Two, Word, WordCount, Words};
use crate::kernel::short::DigestBlock;
use instructions::{Expression, Fault, Terms, with_fault};

/// The expressions in the place of a compression function's words.
type ExpressionOf<C> = Expression<<C as Compression>::Word>;

/// A compression function, and what the standard says of it.
trait Proved: Compression<Word: Into<u64>> {
    /// The words of the state behind those that may be anything.
    const FIXED: &'static [Self::Word] = &[];
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
}

impl Proved for Sha3_256Compression {
    /// Word i of the state is the lane A\[i mod 5, i / 5\] of FIPS 202, 3.1.2.
    fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
        let mut lanes = std::array::from_fn(|x| std::array::from_fn(|y| state[x + 5 * y]));
        reference::compression::sha3(&mut lanes, block);
        (0..25).map(|i| lanes[i % 5][i / 5]).collect()
    }
}

impl Proved for Blake2sCompression {
    /// The flag of the last block, not set.
    const FIXED: &'static [u32] = &[0];
    /// The state has the count of bytes and the flag of the last block behind the words of the
    /// standard. The count goes up by a block, unless the flag is set.
    fn standard(state: &[ExpressionOf<Self>], block: &[ExpressionOf<Self>]) -> Vec<ExpressionOf<Self>> {
        let [low, high, flag] = state[8..] else { panic!("three words more") };
        let plain = Expression::plain;
        let is_last = flag == plain(u32::MAX);
        assert!(is_last || flag == plain(0));
        let counted = if is_last { low } else { reference::Word::plus(low, plain(64)) };
        let carried = if is_last { high } else { reference::Word::plus(high, reference::Word::shr(low & !counted, 31)) };
        let mut words = state[..8].try_into().expect("eight words");
        reference::compression::blake2s(&mut words, block, [counted, carried], is_last);
        words.into_iter().chain([counted, carried, flag]).collect()
    }
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

/// Returns whether the block of a digest of `digest_bytes` bytes, which HMAC hashes after a block of its
/// key (RFC 2104, section 2), has the bytes of the digest and the padding of so long a message, whatever
/// the state that the digest comes from.
fn pads_digests<C: Proved>(digest_bytes: usize) -> bool {
    let mut padding = vec![0; C::BLOCK_BYTES];
    let last = padding.len() - 1;
    let bits = 8 * (C::BLOCK_BYTES + digest_bytes) as u16;
    if C::NAME == Sha3_256Compression::NAME {
        // FIPS 202, section 6.1 and B.2.
        padding[digest_bytes] = 0x06;
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
    let block = DigestBlock::<C>::new(digest_bytes, C::BLOCK_BYTES as u64).block(Terms, &in_lanes);
    let mut words = numbers::<C>(&variables::<C>(C::Block::COUNT, 1, 0));
    C::Block::write(&block, &mut words, 1);
    let word_at = |bytes: &[u8], i: usize| Expression::plain(C::Word::from_bytes(C::BYTE_ORDER, &bytes[i * size_of::<C::Word>()..]));
    words.into_iter().enumerate().all(|(i, number)| {
        let digest = state.get(i).copied().unwrap_or(Expression::plain(C::Word::default()));
        Expression::from_number(number) == digest.kept(word_at(&kept, i)).with(word_at(&padding, i))
    })
}

/// Proves a compression function in all forms of its rounds, and that each fault is found in the two
/// forms for one wave.
fn prove<C: Proved>() {
    let fixed = C::FIXED;
    let started = std::time::Instant::now();
    assert!(compresses::<C, Terms>(fixed), "{}: rounds for latency", C::NAME);
    assert!(compresses::<C, One<Terms>>(fixed), "{}: rounds with the fewest operations", C::NAME);
    assert!(compresses::<C, Two<Terms>>(fixed), "{}: two waves", C::NAME);
    assert!(compresses::<C, Two<Two<Terms>>>(fixed), "{}: four waves", C::NAME);
    if C::HAS_CONSTANT_BLOCKS {
        assert!(compresses_constant_blocks::<C, Terms>(), "{}: shared blocks, rounds for latency", C::NAME);
        assert!(compresses_constant_blocks::<C, One<Terms>>(), "{}: shared blocks, fewest operations", C::NAME);
    }
    let proved = started.elapsed();

    let mut found = 0;
    for fault in Fault::ALL {
        for before in (0..).step_by(EVERY) {
            let forms = [compresses::<C, Terms>, compresses::<C, One<Terms>>];
            let results = forms.map(|form| with_fault(fault, before, || form(fixed)));
            for is_standard in results.iter().flatten() {
                assert!(!is_standard, "{}: a fault of {fault:?} after {before} others is not found", C::NAME);
                found += 1;
            }
            if results == [None; 2] {
                break;
            }
        }
    }
    println!("{}: proved in {proved:?}; {found} of {found} faults found, {:?} in all", C::NAME, started.elapsed());
    assert!(found > 20, "{}: faults are made", C::NAME);
}

/// One of so many instructions of a kind is faulty once.
const EVERY: usize = 61;

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
            assert!(pads_digests::<CompressionOf<crate::$Algorithm>>(digest_bytes), "{}", stringify!($Algorithm));
        }
    )* } }
    for_each_algorithm!(all []);
}

/// Apart, because the carry is always zero there, so that a fault in it does no harm.
#[test]
fn the_last_block_of_blake2s_is_its_standards() {
    assert!(compresses::<Blake2sCompression, Terms>(&[u32::MAX]));
}
