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

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: Sha32, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while at < blocks.len_bytes() {
        let before = *states;
        let mut words = [[before[0].abcd; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at);
        }
        // Group i is rounds 4i to 4i + 3.
        macro_rules! groups { ($($i:literal)*) => { $(
            let k = Q::constants(isa, [ROUND_CONSTANTS[$i / 5]; 4]);
            for message in 0..N {
                let (state, w) = (&mut states[message], &mut words[message]);
                if $i >= 4 {
                    let first = w[$i % 4].sha1_schedule_first(w[($i + 1) % 4], w[($i + 2) % 4]);
                    w[$i % 4] = first.sha1_schedule_last(w[($i + 3) % 4]);
                }
                let next_e = Q::sha1_next_e(state.abcd.lowest());
                state.abcd = state.abcd.sha1_rounds::<{ $i / 5 }>(state.e, w[$i % 4].add(k));
                state.e = next_e;
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        for (state, before) in states.iter_mut().zip(&before) {
            state.abcd = state.abcd.add(before.abcd);
            state.e = Q::add_singles(state.e, before.e);
        }
        at += 64;
    }
}
