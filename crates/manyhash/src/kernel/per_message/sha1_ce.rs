//! SHA-1 with the instructions of AArch64: four rounds each, twenty a block. Each waits 4 cycles for
//! the one before on Arm's own cores, and their unit takes one every other cycle (Arm's optimisation
//! guide for the Neoverse V2), so two interleaved messages fill it.

use crate::algorithm::sha1::ROUND_CONSTANTS;
use crate::isa::Blocks;
use crate::isa::aarch64::instructions::Sha32;

/// The chaining value as the instructions expect it: a to d from the lowest word up, and e by itself.
#[derive(Clone, Copy)]
pub(crate) struct State<Q: Sha32> {
    abcd: Q,
    e: Q::Single,
}

impl<Q: Sha32> State<Q> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: Q::Isa, state: &[u32; 5]) -> Self {
        let [a, b, c, d, e] = *state;
        Self { abcd: Q::new(isa, [a, b, c, d]), e: Q::single(isa, e) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u32; 5] {
        let [a, b, c, d] = self.abcd.words();
        [a, b, c, d, Q::word(self.e)]
    }
}

/// Groups of four rounds in a block.
pub(super) const GROUPS: usize = 20;

/// A block of each of `N` messages at work, in registers between two groups.
pub(super) struct Block<Q: Sha32, const N: usize> {
    states: [State<Q>; N],
    words: [[Q; 4]; N],
}

impl<Q: Sha32, const N: usize> Block<Q, N> {
    /// Loads the block at byte `at` of `N` lanes from `first_lane`.
    #[inline(always)]
    pub(super) fn begin(isa: Q::Isa, states: &[State<Q>; N], blocks: &Blocks, first_lane: usize, at: usize) -> Self {
        let mut words = [[states[0].abcd; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, first_lane + message, at);
        }
        Self { states: *states, words }
    }

    /// Does rounds 4i to 4i + 3 of every message. The compiler knows `i`.
    #[inline(always)]
    pub(super) fn group(&mut self, isa: Q::Isa, i: usize) {
        let k = Q::constants(isa, [ROUND_CONSTANTS[i / 5]; 4]);
        for message in 0..N {
            let (State { abcd, e }, w) = (&mut self.states[message], &mut self.words[message]);
            if i >= 4 {
                let first = w[i % 4].sha1_schedule_first(w[(i + 1) % 4], w[(i + 2) % 4]);
                w[i % 4] = first.sha1_schedule_last(w[(i + 3) % 4]);
            }
            // In this order, or a to d would have to be copied for the first instruction: the second one overwrites them.
            let next_e = Q::single_in_order(Q::sha1_next_e(abcd.lowest()));
            let words_and_constants = w[i % 4].add(k).in_order();
            *abcd = match i / 5 {
                0 => abcd.sha1_rounds::<0>(*e, words_and_constants),
                1 => abcd.sha1_rounds::<1>(*e, words_and_constants),
                2 => abcd.sha1_rounds::<2>(*e, words_and_constants),
                _ => abcd.sha1_rounds::<3>(*e, words_and_constants),
            };
            *e = next_e;
        }
    }

    /// Keeps the groups so far in order with other work.
    #[inline(always)]
    pub(super) fn keep_in_order(&mut self) {
        for state in &mut self.states {
            state.abcd = state.abcd.in_order();
        }
    }

    /// Adds what the last group made to the chaining values that it began with.
    #[inline(always)]
    pub(super) fn add_to(&self, states: &mut [State<Q>; N]) {
        for (state, end) in states.iter_mut().zip(&self.states) {
            state.abcd = state.abcd.add(end.abcd);
            state.e = Q::add_singles(state.e, end.e);
        }
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: Sha32, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while blocks.has(at, 64) {
        let mut block = Block::begin(isa, states, blocks, 0, at);
        macro_rules! groups { ($($i:literal)*) => { $( block.group(isa, $i); )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        block.add_to(states);
        at += 64;
    }
}
