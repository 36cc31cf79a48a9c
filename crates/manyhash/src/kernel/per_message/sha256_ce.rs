//! SHA-256 with the instructions of AArch64: two of them do four rounds, one for each half of the
//! state. Each waits 4 cycles for the one before on Arm's own cores, and their unit takes one every
//! other cycle (Arm's optimisation guide for the Neoverse V2): one message nearly fills it, and two do.

use crate::algorithm::sha256::ROUND_CONSTANTS;
use crate::isa::Blocks;
use crate::isa::aarch64::instructions::Sha32;

/// The chaining value as the instructions expect it: a to d and e to h from the lowest word up.
#[derive(Clone, Copy)]
pub(crate) struct State<Q> {
    abcd: Q,
    efgh: Q,
}

impl<Q: Sha32> State<Q> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: Q::Isa, state: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *state;
        Self { abcd: Q::new(isa, [a, b, c, d]), efgh: Q::new(isa, [e, f, g, h]) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u32; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.abcd.words(), self.efgh.words());
        [a, b, c, d, e, f, g, h]
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: Sha32, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while blocks.has(at, 64) {
        let before = *states;
        let mut words = [[before[0].abcd; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at);
        }
        // Group i is rounds 4i to 4i + 3.
        macro_rules! groups { ($($i:literal)*) => { $(
            let k = &ROUND_CONSTANTS[$i / 4];
            let k = Q::constants(isa, [k[4 * ($i % 4)], k[4 * ($i % 4) + 1], k[4 * ($i % 4) + 2], k[4 * ($i % 4) + 3]]);
            for message in 0..N {
                let (State { abcd, efgh }, w) = (&mut states[message], &mut words[message]);
                if $i >= 4 {
                    let first = w[$i % 4].sha256_schedule_first(w[($i + 1) % 4]);
                    w[$i % 4] = first.sha256_schedule_last(w[($i + 2) % 4], w[($i + 3) % 4]);
                }
                let words_and_constants = w[$i % 4].add(k);
                let abcd_before = *abcd;
                *abcd = abcd.sha256_rounds(*efgh, words_and_constants);
                *efgh = efgh.sha256_rounds_lower(abcd_before, words_and_constants);
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for (state, before) in states.iter_mut().zip(&before) {
            *state = State { abcd: state.abcd.add(before.abcd), efgh: state.efgh.add(before.efgh) };
        }
        at += 64;
    }
}
