//! Kernels for a few SHA-256 messages: the SHA extensions do the rounds, and lanes make the message
//! schedules, as in the n-SMS of Gueron & Krasnov 2012.
//!
//! The schedules of successive blocks of each message are made together, for one group of blocks
//! between the rounds of the group before. CPUs gain from this for different reasons:
//! - **Golden Cove**: `sha256rnds2`, `sha256msg1` and `sha256msg2` share one port, which is the
//!   limit from two messages on: 64 cycles a block for the rounds, and 48 for the schedule.
//!   Schedules in four lanes use other ports: 1.94 GB/s instead of 1.72. Eight lanes would cost
//!   half, but the SHA instructions have legacy encodings only, each of which waits about 70 cycles
//!   while upper halves of registers are in use (0.015 GB/s).
//! - **Zen 4**: the units take a `sha256rnds2` every cycle and a `sha256msg2` every other, and
//!   upper halves do not slow them. Rounds, shifts and shuffles share two of the four units and
//!   keep them busy for 42 cycles, which is the limit. The kernel reaches 4.4 to 4.8 GB/s, more
//!   than sixteen lanes without SHA instructions (3.75).
//!
//! | variant on Zen 4 | cycles a block | kept |
//! |---|---|---|
//! | four messages, eight lanes | 49 to 53 | yes |
//! | four messages, no lanes | 65 | as `sha-ni-x4` |
//! | four messages, four lanes | 69 | no |
//! | four messages, sixteen lanes | 54 | no |
//! | words handed over by four instead of two | 54 | no |
//! | eight messages | 58 | no |
//! | sixteen chains of digests, eight after eight | 62 | no: 59 in lanes |

use super::sha256_ni::State;
use super::{PerMessage, PerMessageDealt};
use crate::algorithm::sha2::next_word;
use crate::algorithm::sha256::{ROUND_CONSTANTS, Sha256Compression};
use crate::isa::x86_64::sha::{Quad, ShaVector};
use crate::isa::{Avx512Half, Avx512Quarter, Includes, ShaNi, ShaNiAvx512Half, ShaNiAvx512Quarter};
use crate::isa::{Blocks, ByteOrder, Dealt, Isa, Pairs, Words, sixteen};
use crate::kernel::SHORT_BLOCKS;

/// The message words plus round constants of a group of blocks: for each two rounds, those of every
/// lane.
type Schedule<const LANES: usize> = [[[u32; 2]; LANES]; 32];

/// A schedule that is not finished yet.
struct Scheduling<V: Pairs> {
    isa: V::Isa,
    /// The last sixteen words, without constants.
    words: [V; 16],
    /// The last word but one, with its constant.
    even: V,
}

impl<V: Pairs> Scheduling<V> {
    /// Makes word `t` of each lane. `PLACE` is `t` modulo 16, the place of the word among the last
    /// sixteen. Words are made in order; for word 0 the first sixteen are loaded.
    #[inline(always)]
    fn make_word<const PLACE: usize, const N: usize, const LANES: usize>(
        &mut self,
        t: usize,
        source: &impl Source<V, N>,
        group: usize,
        schedule: &mut Schedule<LANES>,
    ) {
        if PLACE == 0 && t == 0 {
            self.words = source.load(self.isa, group);
        }
        if t >= 16 {
            next_word::<Sha256Compression, V>(&mut self.words, PLACE);
        }
        let with_constant = self.words[PLACE].add(V::splat(self.isa, ROUND_CONSTANTS[t / 16][PLACE]));
        if PLACE.is_multiple_of(2) {
            self.even = with_constant;
        } else {
            V::write_pairs(self.even, with_constant, &mut schedule[t / 2]);
        }
    }
}

/// Where the blocks of `N` messages come from, group by group. Lane `N * block + message` of a
/// group has one block of one message. This is a trait and no closure: see
/// [`Task`](crate::isa::Task).
pub(crate) trait Source<V: Words, const N: usize> {
    /// Loads the first sixteen words of each block of a group.
    fn load(&self, isa: V::Isa, group: usize) -> [V; 16];
}

impl<V: Words, const N: usize> Source<V, N> for Blocks<'_> {
    #[inline(always)]
    fn load(&self, isa: V::Isa, group: usize) -> [V; 16] {
        let at = group * (64 * V::LANES / N);
        let blocks = Blocks::new(V::LANES, 64, |lane| self.bytes(lane % N, at + 64 * (lane / N), 64));
        V::load(isa, ByteOrder::Big, &blocks, 0, 0)
    }
}

/// Two successive blocks of each of four messages.
impl<V: Pairs> Source<V, 4> for Dealt<'_> {
    #[inline(always)]
    fn load(&self, isa: V::Isa, group: usize) -> [V; 16] {
        const { assert!(V::LANES == 8) };
        let (first, second) = (self.rows(2 * group, 16, 16), self.rows(2 * group + 1, 16, 16));
        macro_rules! words { ($($i:literal)*) => { [$(V::read_fours(isa, ByteOrder::Big, first.vector($i), second.vector($i))),*] } }
        sixteen!(words)
    }
}

/// Compresses `groups` groups of `LANES / N` successive blocks of each message into the states.
#[inline(always)]
pub(crate) fn compress_groups<Q: ShaVector, L: Isa<U32: Pairs>, const N: usize, const LANES: usize>(
    sha: Q::Isa,
    isa: L,
    states: &mut [State<Q>; N],
    source: &impl Source<L::U32, N>,
    groups: usize,
) {
    const { assert!(LANES == L::U32::LANES && matches!(4 * N / LANES, 2 | 4)) };
    let mut schedules: [Schedule<LANES>; 2] = [[[[0; 2]; LANES]; 32]; 2];
    let [mut current, mut following] = schedules.each_mut();
    let mut scheduling = Scheduling { isa, words: [L::U32::splat(isa, 0); 16], even: L::U32::splat(isa, 0) };
    for pass in 0..4 {
        macro_rules! make { ($($t:literal)*) => { $(scheduling.make_word::<$t, N, LANES>(16 * pass + $t, source, 0, current);)* } }
        sixteen!(make);
    }
    for at in 1..=groups {
        // After the last group its schedule is made once more and not used.
        let next = at.min(groups - 1);
        for block in 0..LANES / N {
            let before = *states;
            // Four rounds of each message, and their share of the words for all lanes: two or four.
            macro_rules! rounds { ($($i:literal)*) => { $(
                for message in 0..N {
                    let pair = |i: usize| Q::pair(sha, &current[2 * $i + i][L::U32::place(N * block + message)]);
                    states[message].two_and_two_rounds(pair(0), pair(1));
                }
                let t = (16 * block + $i) * (4 * N / LANES);
                macro_rules! word { ($times:literal: $k:literal) => {
                    if 4 * N / LANES == $times {
                        scheduling.make_word::<{ ($times * $i + $k) % 16 }, N, LANES>(t + $k, source, next, following);
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

/// Compresses every block of lanes `0..N` into the states.
#[inline(always)]
fn compress<I: Includes<ShaNi> + Includes<L>, L: Isa<U32: Pairs>, const N: usize, const LANES: usize>(
    isa: I,
    states: &mut [State<Quad>; N],
    blocks: &Blocks,
) {
    let group_bytes = 64 * LANES / N;
    // The first group's schedule has no rounds beside it, and the last group's rounds have no
    // schedule beside them, so a short run gains nothing.
    let is_short = blocks.len_bytes() <= 64 * SHORT_BLOCKS as usize;
    let groups = if is_short { 0 } else { blocks.len_bytes() / group_bytes };
    if groups > 0 {
        compress_groups::<Quad, L, N, LANES>(isa.included(), isa.included(), states, blocks, groups);
    }
    let rest_bytes = blocks.len_bytes() - groups * group_bytes;
    if rest_bytes > 0 {
        let rest = Blocks::new(N, rest_bytes, |lane| blocks.bytes(lane, groups * group_bytes, rest_bytes));
        PerMessage::<Sha256Compression>::compress(Includes::<ShaNi>::included(isa), states, &rest);
    }
}

impl PerMessageDealt<Sha256Compression, 4> for ShaNiAvx512Half {
    #[inline(always)]
    fn compress_dealt(self, states: &mut [State<Quad>; 4], dealt: &Dealt) {
        let groups = dealt.blocks / 2;
        if groups > 0 {
            compress_groups::<Quad, Avx512Half, 4, 8>(self.included(), self.included(), states, dealt, groups);
        }
        if !dealt.blocks.is_multiple_of(2) {
            let rows = dealt.rows(dealt.blocks - 1, 16, 16);
            let mut last = [[0; 64]; 4];
            for row in 0..16 {
                for (message, word) in rows.vector(row).as_chunks::<4>().0.iter().enumerate() {
                    last[message][4 * row..][..4].copy_from_slice(word);
                }
            }
            let last = Blocks::new(4, 64, |lane| &last[lane]);
            PerMessage::<Sha256Compression>::compress(Includes::<ShaNi>::included(self), states, &last);
        }
    }
}

macro_rules! solo { ($($Isa:ident: schedules on $Lanes:ident, $lanes:literal lanes;)*) => { $(
    impl PerMessage<Sha256Compression> for $Isa {
        type State = State<Quad>;
        #[inline(always)]
        fn load(self, state: &[u32; 8]) -> State<Quad> {
            PerMessage::<Sha256Compression>::load(Includes::<ShaNi>::included(self), state)
        }
        #[inline(always)]
        fn store(self, state: &State<Quad>) -> [u32; 8] {
            PerMessage::<Sha256Compression>::store(Includes::<ShaNi>::included(self), state)
        }
        #[inline(always)]
        fn compress<const N: usize>(self, states: &mut [State<Quad>; N], blocks: &Blocks) {
            compress::<Self, $Lanes, N, $lanes>(self, states, blocks);
        }
    }
)* } }
solo! {
    ShaNiAvx512Quarter: schedules on Avx512Quarter, 4 lanes;
    ShaNiAvx512Half: schedules on Avx512Half, 8 lanes;
}
