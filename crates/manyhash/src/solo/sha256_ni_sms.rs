//! A few SHA-256 messages: rounds by the SHA extensions, and message schedules in lanes, as the n-SMS of Gueron & Krasnov 2012 makes them.
//!
//! On Golden Cove `sha256rnds2`, `sha256msg1` and `sha256msg2` share one port, which is the limit of two messages and more: 64 cycles a
//! block for the rounds, and 48 for the schedule. Four schedules at a time in lanes, those of successive blocks of each message, go to
//! other ports and leave that one to the rounds: 1.94 GB/s instead of 1.72. They are made for one group of blocks between the rounds of
//! the group before. Eight lanes would cost half, but the SHA instructions have legacy encodings only, each of which waits about 70
//! cycles where upper halves of registers are in use (0.015 GB/s).

use super::Solo;
use super::sha_ni::Quad;
use super::sha256_ni::State;
use crate::algorithm::sha2::next_word;
use crate::algorithm::sha256::{ROUND_CONSTANTS, Sha256Compression};
use crate::isa::{Avx512Quarter, Includes, ShaNi, ShaNiAvx512};
use crate::lanes::avx512_quarter::U32x4;
use crate::lanes::{Blocks, ByteOrder, Words};
use crate::shape::SHORT_BLOCKS;

/// Blocks scheduled together: of N messages, LANES / N successive ones of each. Lane N * block + message has a block of a message.
const LANES: usize = 4;

/// Message words plus round constants of a group of blocks: for each four rounds, those of every lane.
type Schedule = [[[u32; 4]; LANES]; 16];

/// A schedule in the making.
struct Scheduling {
    isa: Avx512Quarter,
    /// The last sixteen words, without constants.
    words: [U32x4; 16],
}

impl Scheduling {
    /// Makes the words of rounds 4 * `quad` to 4 * `quad` + 3. `PLACE` is `quad` modulo 4: where they are among the last sixteen. In
    /// order, and for quad 0 the first sixteen are loaded.
    #[inline(always)]
    fn make_quad<const PLACE: usize>(&mut self, quad: usize, group: &Blocks, schedule: &mut Schedule) {
        if PLACE == 0 && quad == 0 {
            self.words = Words::load_block(self.isa, ByteOrder::Big, group, 0, 0);
        }
        let constants = &ROUND_CONSTANTS[quad / 4];
        macro_rules! word {
            ($i:literal) => {{
                if quad >= 4 {
                    next_word::<Sha256Compression, U32x4>(&mut self.words, 4 * PLACE + $i);
                }
                self.words[4 * PLACE + $i].add(Words::splat(self.isa, constants[4 * PLACE + $i]))
            }};
        }
        schedule[quad] = U32x4::by_lane([word!(0), word!(1), word!(2), word!(3)]);
    }
}

/// The next blocks of `N` messages: those from byte `at`.
#[inline(always)]
fn group<'a, const N: usize>(blocks: &Blocks<'a>, at: usize) -> Blocks<'a> {
    Blocks::new(LANES, 64, |lane| blocks.bytes(lane % N, at + 64 * (lane / N), 64))
}

impl Solo<Sha256Compression> for ShaNiAvx512 {
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
        const { assert!(N == 2 || N == 4) };
        let (sha_ni, isa): (ShaNi, Avx512Quarter) = (self.included(), self.included());
        let group_bytes = 64 * LANES / N;
        // The first group's schedule has no rounds beside it, and the last group's rounds no schedule: a short run gains nothing.
        let is_short = blocks.len_bytes() <= 64 * SHORT_BLOCKS as usize;
        let groups_bytes = if is_short { 0 } else { blocks.len_bytes() - blocks.len_bytes() % group_bytes };
        if groups_bytes > 0 {
            let mut schedules: [Schedule; 2] = [[[[0; 4]; LANES]; 16]; 2];
            let [mut current, mut following] = schedules.each_mut();
            let mut scheduling = Scheduling { isa, words: [Words::splat(isa, 0); 16] };
            let first = group::<N>(blocks, 0);
            for four in 0..4 {
                scheduling.make_quad::<0>(4 * four, &first, current);
                scheduling.make_quad::<1>(4 * four + 1, &first, current);
                scheduling.make_quad::<2>(4 * four + 2, &first, current);
                scheduling.make_quad::<3>(4 * four + 3, &first, current);
            }
            let mut at = 0;
            while at < groups_bytes {
                at += group_bytes;
                // After the last group its schedule is made once more, for nobody.
                let next = group::<N>(blocks, at.min(groups_bytes - group_bytes));
                for block in 0..LANES / N {
                    let before = *states;
                    // Four rounds of each message, and now and then the words of four rounds for all lanes.
                    macro_rules! rounds { ($($i:literal)*) => { $(
                        for message in 0..N {
                            states[message].four_rounds(Quad::new(sha_ni, current[$i][N * block + message]));
                        }
                        if $i % (LANES / N) == 0 {
                            let quad = (16 * block + $i) / (LANES / N);
                            match $i / (LANES / N) % 4 {
                                0 => scheduling.make_quad::<0>(quad, &next, following),
                                1 => scheduling.make_quad::<1>(quad, &next, following),
                                2 => scheduling.make_quad::<2>(quad, &next, following),
                                _ => scheduling.make_quad::<3>(quad, &next, following),
                            }
                        }
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
}
