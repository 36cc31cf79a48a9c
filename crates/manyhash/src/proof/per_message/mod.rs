//! Proofs of the kernels that give each message registers of its own: for all states and all blocks, they
//! are the standards'. Vectors are those of `vectors/`, where an instruction for a hash function is what its
//! maker's manual says; `meanings.rs` of the folders of `isa/` compares the instructions with the same text.

mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::instructions::{Expression, Fault, with_fault};
use super::{ExpressionOf, Proved, numbers};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Blocks, Word};

/// The bytes of the blocks of each message.
type Messages = [Vec<u8>];

/// Returns whether `compress` makes of `N` messages of some blocks what the standard says, whatever the
/// blocks, and the states before, of which the last words are `fixed`.
fn compresses<C: Proved, const N: usize>(fixed: &[C::Word], blocks: usize, compress: impl Fn(&mut [ChainingOf<C>; N], &Messages)) -> bool {
    let words = C::BLOCK_BYTES / size_of::<C::Word>();
    let variables = C::STATE_WORDS - fixed.len();
    let before: [Vec<ExpressionOf<C>>; N] = std::array::from_fn(|i| {
        let fixed = fixed.iter().map(|word| Expression::plain(*word));
        (0..variables).map(|word| Expression::variable(100 * i + word)).chain(fixed).collect()
    });
    let read: [Vec<ExpressionOf<C>>; N] =
        std::array::from_fn(|i| (0..blocks * words).map(|word| Expression::variable(10_000 * (i + 1) + word)).collect());

    let mut states = [C::filled(C::Word::default()); N];
    for (state, before) in states.iter_mut().zip(&before) {
        state.as_mut().copy_from_slice(&numbers::<C>(before));
    }
    let messages: Vec<Vec<u8>> = read.iter().map(|message| bytes::<C>(&numbers::<C>(message))).collect();
    compress(&mut states, &messages);
    states.iter().zip(before).zip(read).all(|((state, before), read)| {
        let after: Vec<ExpressionOf<C>> = state.as_ref().iter().copied().map(Expression::from_number).collect();
        after == read.chunks(words).fold(before, |state, block| C::standard(&state, block))
    })
}

/// The bytes of words in memory.
fn bytes<C: Compression>(words: &[C::Word]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_val(words)];
    for (i, word) in words.iter().enumerate() {
        word.write_bytes(C::BYTE_ORDER, i * size_of::<C::Word>(), &mut bytes);
    }
    bytes
}

/// Proves a kernel, and that faults are found: one in `every` instructions of a kind is faulty once.
fn prove(name: &str, every: usize, is_standard: impl Fn() -> bool) {
    prove_in_all_ways(name, every, &[&is_standard]);
}

/// Does what [`prove`] does for a kernel that is right only if it is in all of these ways.
fn prove_in_all_ways(name: &str, every: usize, ways: &[&dyn Fn() -> bool]) {
    let started = std::time::Instant::now();
    assert!(ways.iter().all(|is_standard| is_standard()), "{name}");
    let proved = started.elapsed();
    let mut found = 0;
    for fault in Fault::ALL {
        for before in (0..).step_by(every) {
            let all = ways.iter().map(|is_standard| with_fault(fault, before, is_standard));
            let Some(is_standard) = all.reduce(|one, other| Some(one? && other?)).flatten() else { break };
            assert!(!is_standard, "{name}: a fault of {fault:?} after {before} others is not found");
            found += 1;
        }
    }
    println!("{name}: proved in {proved:?}; {found} of {found} faults found, {:?} in all", started.elapsed());
    assert!(found > 10, "{name}: faults are made");
}

/// Returns whether a kernel for `N` interleaved messages makes of two blocks of each what the standard
/// says. A state is loaded, all blocks are compressed into it, and it is stored.
fn interleaved<C: Proved, S: Copy, const N: usize>(
    fixed: &[C::Word],
    load: impl Fn(&ChainingOf<C>) -> S,
    compress: impl Fn(&mut [S; N], &Blocks),
    store: impl Fn(&S) -> ChainingOf<C>,
) -> bool {
    compresses::<C, N>(fixed, 2, |states, messages| {
        let mut in_registers = std::array::from_fn(|message| load(&states[message]));
        compress(&mut in_registers, &Blocks::new(N, messages[0].len(), |lane| &messages[lane]));
        for (state, stored) in states.iter_mut().zip(&in_registers) {
            *state = store(stored);
        }
    })
}
