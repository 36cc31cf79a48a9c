//! SHA-512 with the instructions of AArch64: two of them do two rounds. Each waits 2 cycles for the one
//! before on Arm's own cores, and their unit takes one a cycle (Arm's optimisation guide for the
//! Neoverse V2), but additions and moves stand between them, so two interleaved messages gain.

use crate::algorithm::sha512::ROUND_CONSTANTS;
use crate::isa::Blocks;
use crate::isa::aarch64::instructions::Sha64;

/// The chaining value as the instructions expect it: two words in each vector, the first of them below.
#[derive(Clone, Copy)]
pub(crate) struct State<P> {
    ab: P,
    cd: P,
    ef: P,
    gh: P,
}

impl<P: Sha64> State<P> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: P::Isa, state: &[u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *state;
        Self { ab: P::new(isa, [a, b]), cd: P::new(isa, [c, d]), ef: P::new(isa, [e, f]), gh: P::new(isa, [g, h]) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u64; 8] {
        let ([a, b], [c, d], [e, f], [g, h]) = (self.ab.words(), self.cd.words(), self.ef.words(), self.gh.words());
        [a, b, c, d, e, f, g, h]
    }

    /// Does two rounds with their message words plus constants.
    #[inline(always)]
    fn two_rounds(self, words_and_constants: P) -> Self {
        let Self { ab, cd, ef, gh } = self;
        // The word of the first round goes to h, that of the second to g.
        let sum = gh.add(words_and_constants.shift_in(words_and_constants));
        let sum = sum.sha512_rounds(ef.shift_in(gh), cd.shift_in(ef));
        Self { ab: sum.sha512_rounds_upper(cd, ab), cd: ab, ef: cd.add(sum), gh: ef }
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<P: Sha64, const N: usize>(isa: P::Isa, states: &mut [State<P>; N], blocks: &Blocks) {
    let mut at = 0;
    while blocks.has(at, 128) {
        let before = *states;
        let mut words = [[before[0].ab; 8]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = P::load_block(isa, blocks, message, at);
        }
        // Group i is rounds 2i and 2i + 1.
        macro_rules! groups { ($($i:literal)*) => { $(
            let k = &ROUND_CONSTANTS[$i / 8];
            let k = P::constants(isa, [k[2 * ($i % 8)], k[2 * ($i % 8) + 1]]);
            for message in 0..N {
                let w = &mut words[message];
                if $i >= 8 {
                    let w9_and_10 = w[($i + 4) % 8].shift_in(w[($i + 5) % 8]);
                    let first = w[$i % 8].sha512_schedule_first(w[($i + 1) % 8]);
                    w[$i % 8] = first.sha512_schedule_last(w[($i + 7) % 8], w9_and_10);
                }
                states[message] = states[message].two_rounds(w[$i % 8].add(k));
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
        for (state, before) in states.iter_mut().zip(&before) {
            let State { ab, cd, ef, gh } = *state;
            *state = State { ab: ab.add(before.ab), cd: cd.add(before.cd), ef: ef.add(before.ef), gh: gh.add(before.gh) };
        }
        at += 128;
    }
}
