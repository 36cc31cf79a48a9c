//! SHA-1 with the SHA extensions: 20 `sha1rnds4` a block. Each waits 6 cycles for the one before,
//! and the unit takes one every other cycle, so three or four interleaved messages fill it.

use crate::isa::Blocks;
use crate::isa::x86_64::sha::ShaVector;

/// The chaining value as the instructions expect it: d, c, b, a from the lowest word up, and e in
/// the highest word of its own vector.
#[derive(Clone, Copy)]
pub(crate) struct State<Q> {
    abcd: Q,
    e: Q,
}

impl<Q: ShaVector> State<Q> {
    /// Loads a chaining value into registers.
    #[inline(always)]
    pub(crate) fn load(isa: Q::Isa, state: &[u32; 5]) -> Self {
        let [a, b, c, d, e] = *state;
        Self { abcd: Q::new(isa, [d, c, b, a]), e: Q::highest(isa, e) }
    }

    /// Stores registers to a chaining value.
    #[inline(always)]
    pub(crate) fn store(&self) -> [u32; 5] {
        let ([d, c, b, a], [.., e]) = (self.abcd.words(), self.e.words());
        [a, b, c, d, e]
    }
}

/// Compresses every block of lanes `0..N` into the states, interleaved.
#[inline(always)]
pub(crate) fn compress<Q: ShaVector, const N: usize>(isa: Q::Isa, states: &mut [State<Q>; N], blocks: &Blocks) {
    let mut at = 0;
    while at < blocks.len_bytes() {
        let before = *states;
        let mut a_before = [before[0].abcd; N];
        let mut words = [[before[0].abcd; 4]; N];
        for (message, words) in words.iter_mut().enumerate() {
            *words = Q::load_block(isa, blocks, message, at, true, N == 1);
        }
        // Group i is rounds 4i to 4i + 3.
        macro_rules! groups { ($($i:literal)*) => { $(
            for message in 0..N {
                let (state, w) = (&mut states[message], &mut words[message]);
                if $i >= 4 {
                    w[$i % 4] = Q::sha1_schedule(w[$i % 4], w[($i + 1) % 4], w[($i + 2) % 4], w[($i + 3) % 4]);
                }
                let e = if $i == 0 { state.e.add(w[0]) } else { a_before[message].sha1_next_e(w[$i % 4]) };
                a_before[message] = state.abcd;
                state.abcd = state.abcd.sha1_rounds::<{ $i / 5 }>(e);
            }
        )* } }
        groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        for message in 0..N {
            states[message].e = a_before[message].sha1_next_e(before[message].e);
            states[message].abcd = states[message].abcd.add(before[message].abcd);
        }
        at += 64;
    }
}
