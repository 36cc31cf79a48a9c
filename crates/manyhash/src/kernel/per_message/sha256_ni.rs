//! SHA-256 with the SHA extensions: 32 `sha256rnds2` a block. Each waits 4 cycles for the one
//! before, and the unit takes one every other cycle (every cycle on Zen 4), so two interleaved
//! messages fill it, and four leave it some slack.

use super::ChainBlocks;
use crate::algorithm::sha256::{ROUND_CONSTANTS, Sha256Compression};
use crate::algorithm::write_digest;
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
        let mut words = [[states[0].abef; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at, false, N == 1);
        }
        compress_words(isa, states, words, false);
        at += 64;
    }
}

/// Compresses a block of each message, whose words are in four vectors. If `side_by_side`, the compiler is told to keep it so: where words
/// come from memory it does, and would only spill twice as much.
#[inline(always)]
fn compress_words<Q: ShaVector, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], mut words: [[Q; 4]; N], side_by_side: bool) {
    let before = *states;
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
        if side_by_side && $i % 4 == 3 {
            for message in 1..N {
                (states[message - 1].abef, states[message].abef) = states[message - 1].abef.side_by_side(states[message].abef);
            }
        }
    )* } }
    groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for message in 0..N {
        states[message] = states[message].add(before[message]);
    }
}

/// Goes on with `N` plain chains by `links` links: see [`PerMessage::go_on`](super::PerMessage::go_on). Digests stay in registers, where
/// one chain waited for what it had just written (Zen 4: 42.7 ns a link in memory, 35.5 in registers; four chains 19.7 and 16.5).
#[inline(always)]
pub(crate) fn go_on<Q: ShaVector, const N: usize>(isa: Q::Isa, links: u64, start: State<Q>, blocks: &mut ChainBlocks) {
    let from = Blocks::new(N, 64, |lane| &blocks[lane]);
    let padding = Q::load_block(isa, &from, 0, 0, false, false);
    let mut digests = [[start.abef; 2]; N];
    for (message, digest) in digests.iter_mut().enumerate() {
        let [first, second, ..] = Q::load_block(isa, &from, message, 0, false, false);
        *digest = [first, second];
    }
    for _ in 0..links {
        let mut states = [start; N];
        compress_words(isa, &mut states, digests.map(|[first, second]| [first, second, padding[2], padding[3]]), true);
        for (digest, state) in digests.iter_mut().zip(&states) {
            let [a, b, c, d, e, f, g, h] = state.store();
            *digest = [Q::new(isa, [a, b, c, d]), Q::new(isa, [e, f, g, h])];
        }
    }
    for (block, digest) in blocks.iter_mut().zip(&digests) {
        let words = [digest[0].words(), digest[1].words()];
        write_digest::<Sha256Compression>(words.as_flattened().try_into().expect("eight words"), &mut block[..32]);
    }
}
