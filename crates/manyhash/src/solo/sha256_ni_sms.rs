//! A few SHA-256 messages: rounds by the SHA extensions, and message schedules in lanes, as the n-SMS of Gueron & Krasnov 2012 makes them.
//!
//! Schedules of successive blocks of each message are made together, for one group of blocks between the rounds of the group before. Who
//! gains by that differs:
//! - **Golden Cove**: `sha256rnds2`, `sha256msg1` and `sha256msg2` share one port, which is the limit of two messages and more: 64 cycles a
//!   block for the rounds, and 48 for the schedule. Four lanes go to other ports: 1.94 GB/s instead of 1.72. Eight lanes would cost half,
//!   but the SHA instructions have legacy encodings only, each of which waits about 70 cycles where upper halves of registers are in use
//!   (0.015 GB/s).
//! - **Zen 4**: the units take a `sha256rnds2` every cycle and do not mind upper halves, but `sha256msg2` takes four of their sixteen places
//!   in four cycles. With eight lanes four messages take 49 to 53 cycles a block each, 65 without: 4.4 to 4.8 GB/s, more than sixteen lanes
//!   and no SHA instruction (3.75). Four lanes: 71 cycles. Sixteen lanes for schedules: 54, and words in quads instead of pairs 54: shuffles,
//!   shifts and rounds share two of the four units, 42 cycles of each.

use super::Solo;
use super::sha_ni::Quad;
use super::sha256_ni::State;
use crate::algorithm::sha2::next_word;
use crate::algorithm::sha256::{ROUND_CONSTANTS, Sha256Compression};
use crate::isa::{Avx512Half, Avx512Quarter, Includes, ShaNi, ShaNiAvx512Half, ShaNiAvx512Quarter};
use crate::lanes::{Blocks, ByteOrder, Isa, Pairs, Words, sixteen};
use crate::shape::SHORT_BLOCKS;

/// Message words plus round constants of a group of blocks: for each two rounds, those of every lane.
type Schedule<const LANES: usize> = [[[u32; 2]; LANES]; 32];

/// A schedule in the making.
struct Scheduling<V: Pairs> {
    isa: V::Isa,
    /// The last sixteen words, without constants.
    words: [V; 16],
    /// The last but one, with its constant.
    even: V,
}

impl<V: Pairs> Scheduling<V> {
    /// Makes word `t` of each lane. `PLACE` is `t` modulo 16: where it is among the last sixteen. In order, and for word 0 the first sixteen
    /// are loaded.
    #[inline(always)]
    fn make_word<const PLACE: usize, const LANES: usize>(&mut self, t: usize, group: &Blocks, schedule: &mut Schedule<LANES>) {
        if PLACE == 0 && t == 0 {
            self.words = V::load_block(self.isa, ByteOrder::Big, group, 0, 0);
        }
        if t >= 16 {
            next_word::<Sha256Compression, V>(&mut self.words, PLACE);
        }
        let with_constant = self.words[PLACE].add(V::splat(self.isa, ROUND_CONSTANTS[t / 16][PLACE]));
        if PLACE % 2 == 0 {
            self.even = with_constant;
        } else {
            V::write_pairs(self.even, with_constant, &mut schedule[t / 2]);
        }
    }
}

/// The next blocks of `N` messages, those from byte `at`: of each, LANES / N successive ones. Lane N * block + message has a block of a
/// message.
#[inline(always)]
fn group<'a, const N: usize, const LANES: usize>(blocks: &Blocks<'a>, at: usize) -> Blocks<'a> {
    Blocks::new(LANES, 64, |lane| blocks.bytes(lane % N, at + 64 * (lane / N), 64))
}

/// Compresses every block of lanes `0..N` into the states, with schedules of `LANES` blocks at a time.
#[inline(always)]
fn compress<I: Includes<ShaNi> + Includes<L>, L: Isa<U32: Pairs>, const N: usize, const LANES: usize>(
    isa: I,
    states: &mut [State; N],
    blocks: &Blocks,
) {
    const { assert!(LANES == L::U32::LANES && matches!(4 * N / LANES, 2 | 4)) };
    let (sha_ni, isa): (ShaNi, L) = (isa.included(), isa.included());
    let group_bytes = 64 * LANES / N;
    // The first group's schedule has no rounds beside it, and the last group's rounds no schedule: a short run gains nothing.
    let is_short = blocks.len_bytes() <= 64 * SHORT_BLOCKS as usize;
    let groups_bytes = if is_short { 0 } else { blocks.len_bytes() - blocks.len_bytes() % group_bytes };
    if groups_bytes > 0 {
        let mut schedules: [Schedule<LANES>; 2] = [[[[0; 2]; LANES]; 32]; 2];
        let [mut current, mut following] = schedules.each_mut();
        let mut scheduling = Scheduling { isa, words: [L::U32::splat(isa, 0); 16], even: L::U32::splat(isa, 0) };
        let first = group::<N, LANES>(blocks, 0);
        for pass in 0..4 {
            macro_rules! make { ($($t:literal)*) => { $(scheduling.make_word::<$t, LANES>(16 * pass + $t, &first, current);)* } }
            sixteen!(make);
        }
        let mut at = 0;
        while at < groups_bytes {
            at += group_bytes;
            // After the last group its schedule is made once more, for nobody.
            let next = group::<N, LANES>(blocks, at.min(groups_bytes - group_bytes));
            for block in 0..LANES / N {
                let before = *states;
                // Four rounds of each message, and its share of the words for all lanes: two or four.
                macro_rules! rounds { ($($i:literal)*) => { $(
                    for message in 0..N {
                        let pair = |i: usize| Quad::pair(sha_ni, &current[2 * $i + i][L::U32::place(N * block + message)]);
                        states[message].two_and_two_rounds(pair(0), pair(1));
                    }
                    let t = (16 * block + $i) * (4 * N / LANES);
                    macro_rules! word { ($times:literal: $k:literal) => {
                        if 4 * N / LANES == $times {
                            scheduling.make_word::<{ ($times * $i + $k) % 16 }, LANES>(t + $k, &next, following);
                        }
                    } }
                    word!(2: 0);
                    word!(2: 1);
                    word!(4: 0);
                    word!(4: 1);
                    word!(4: 2);
                    word!(4: 3);
                )* } }
                rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
                for message in 0..N {
                    states[message] = states[message].add(before[message]);
                }
            }
            std::mem::swap(&mut current, &mut following);
        }
    }
    let rest_bytes = blocks.len_bytes() - groups_bytes;
    if rest_bytes > 0 {
        let rest = Blocks::new(N, rest_bytes, |lane| blocks.bytes(lane, groups_bytes, rest_bytes));
        Solo::<Sha256Compression>::compress(sha_ni, states, &rest);
    }
}

macro_rules! solo { ($($Isa:ident: schedules on $Lanes:ident, $lanes:literal lanes;)*) => { $(
    impl Solo<Sha256Compression> for $Isa {
        type State = State;
        #[inline(always)]
        fn load(self, state: &[u32; 8]) -> State {
            Solo::<Sha256Compression>::load(Includes::<ShaNi>::included(self), state)
        }
        #[inline(always)]
        fn store(self, state: &State) -> [u32; 8] {
            Solo::<Sha256Compression>::store(Includes::<ShaNi>::included(self), state)
        }
        #[inline(always)]
        fn compress<const N: usize>(self, states: &mut [State; N], blocks: &Blocks) {
            compress::<Self, $Lanes, N, $lanes>(self, states, blocks);
        }
    }
)* } }
solo! {
    ShaNiAvx512Quarter: schedules on Avx512Quarter, 4 lanes;
    ShaNiAvx512Half: schedules on Avx512Half, 8 lanes;
}
