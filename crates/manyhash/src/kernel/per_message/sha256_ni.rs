//! SHA-256 with the SHA extensions: 32 `sha256rnds2` a block. Each waits 4 cycles for the one
//! before, and the unit takes one every other cycle (every cycle on Zen 4), so two interleaved
//! messages fill it, and four leave it some slack.

use crate::algorithm::sha256::ROUND_CONSTANTS;
use crate::isa::Blocks;
use crate::isa::x86_64::sha::ShaVector;

/// The chaining value as the instructions expect it: f, e, b, a and h, g, d, c from the lowest word
/// up.
#[derive(Clone, Copy)]
pub(crate) struct State<Q> {
    abef: Q,
    cdgh: Q,
}

impl<Q: ShaVector> State<Q> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: Q::Isa, state: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *state;
        Self { abef: Q::new(isa, [f, e, b, a]), cdgh: Q::new(isa, [h, g, d, c]) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u32; 8] {
        let ([f, e, b, a], [h, g, d, c]) = (self.abef.words(), self.cdgh.words());
        [a, b, c, d, e, f, g, h]
    }

    /// Does four rounds with their message words plus constants.
    #[inline(always)]
    pub(super) fn four_rounds(&mut self, words_and_constants: Q) {
        self.two_and_two_rounds(words_and_constants, words_and_constants.upper_half());
    }

    /// Does four rounds with their message words plus constants in the lower halves of two vectors.
    #[inline(always)]
    pub(super) fn two_and_two_rounds(&mut self, first: Q, second: Q) {
        self.cdgh = self.cdgh.sha256_rounds(self.abef, first);
        self.abef = self.abef.sha256_rounds(self.cdgh, second);
    }

    /// Adds word by word, at the end of a block.
    #[inline(always)]
    pub(super) fn add(self, before: Self) -> Self {
        Self { abef: self.abef.add(before.abef), cdgh: self.cdgh.add(before.cdgh) }
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: ShaVector, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while at < blocks.len_bytes() {
        let before = *states;
        let mut words = [[before[0].abef; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at, false, N == 1);
        }
        // Group i is rounds 4i to 4i + 3.
        macro_rules! groups { ($($i:literal)*) => { $(
            let k = &ROUND_CONSTANTS[$i / 4];
            let k = Q::constants(isa, [k[4 * ($i % 4)], k[4 * ($i % 4) + 1], k[4 * ($i % 4) + 2], k[4 * ($i % 4) + 3]]);
            for message in 0..N {
                let (state, w) = (&mut states[message], &mut words[message]);
                if $i >= 4 {
                    w[$i % 4] = Q::sha256_schedule(w[$i % 4], w[($i + 1) % 4], w[($i + 2) % 4], w[($i + 3) % 4]);
                }
                state.four_rounds(w[$i % 4].add(k));
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for message in 0..N {
            states[message] = states[message].add(before[message]);
        }
        at += 64;
    }
}
