//! SM3 with the instructions of AArch64: three of them do a round. Nobody who builds manyhash has had a
//! CPU with them: it is tested in an emulator, and its latencies are those of Arm's optimisation guide
//! for the Neoverse V2.

use crate::algorithm::sm3::ROUND_CONSTANTS;
use crate::isa::Blocks;
use crate::isa::aarch64::instructions::Sm3;

/// The chaining value as the instructions expect it: d to a and h to e from the lowest word up.
#[derive(Clone, Copy)]
pub(crate) struct State<Q> {
    dcba: Q,
    hgfe: Q,
}

impl<Q: Sm3> State<Q> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: Q::Isa, state: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *state;
        Self { dcba: Q::new(isa, [d, c, b, a]), hgfe: Q::new(isa, [h, g, f, e]) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u32; 8] {
        let ([d, c, b, a], [h, g, f, e]) = (self.dcba.words(), self.hgfe.words());
        [a, b, c, d, e, f, g, h]
    }

    /// Does a round with word `WORD` of `words`, and the same of their sums with the words four later.
    #[inline(always)]
    fn round<const WORD: i32, const EARLY: bool>(&mut self, constant: Q, words: Q, sums: Q) {
        let ss1 = self.dcba.sm3_ss1(self.hgfe, constant);
        self.dcba = self.dcba.sm3_round_upper::<WORD, EARLY>(ss1, sums);
        self.hgfe = self.hgfe.sm3_round_lower::<WORD, EARLY>(ss1, words);
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: Sm3, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while blocks.has(at, 64) {
        let before = *states;
        let mut words = [[before[0].dcba; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at);
        }
        // Group i is rounds 4i to 4i + 3.
        macro_rules! groups { ($($i:literal)*) => { $(
            let k = &ROUND_CONSTANTS[$i / 4];
            macro_rules! constant { ($j:literal) => { Q::constants(isa, [0, 0, 0, k[4 * ($i % 4) + $j]]) } }
            let k = [constant!(0), constant!(1), constant!(2), constant!(3)];
            for message in 0..N {
                let (state, w) = (&mut states[message], &mut words[message]);
                let now = w[$i % 4];
                // Word 4i + 16 takes the place of word 4i. The last rounds want words up to 67.
                if $i < 13 {
                    let (w4, w8, w12) = (w[($i + 1) % 4], w[($i + 2) % 4], w[($i + 3) % 4]);
                    let first = now.sm3_schedule_first(w4.shift_in::<3>(w8), w12);
                    w[$i % 4] = first.sm3_schedule_last(w8.shift_in::<2>(w12), now.shift_in::<3>(w4));
                }
                let sums = now.xor(w[($i + 1) % 4]);
                state.round::<0, { $i < 4 }>(k[0], now, sums);
                state.round::<1, { $i < 4 }>(k[1], now, sums);
                state.round::<2, { $i < 4 }>(k[2], now, sums);
                state.round::<3, { $i < 4 }>(k[3], now, sums);
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for (state, before) in states.iter_mut().zip(&before) {
            *state = State { dcba: state.dcba.xor(before.dcba), hgfe: state.hgfe.xor(before.hgfe) };
        }
        at += 64;
    }
}
