//! A kernel for one SHA-2 message without SHA instructions: the n-SMS of Gueron & Krasnov
//! (simultaneous message scheduling).
//!
//! The schedules of several successive blocks do not depend on one another, so lane i of a vector
//! makes that of block i. The rounds do depend on one another: they are scalar and rotate with
//! `rorx`. While the rounds of one group of blocks wait for their latency, the schedule of the next
//! group fills the vector units: a few of its words after every sixteen rounds.

use super::PerMessage;
use crate::algorithm::sha2::{Sha2, round, sixteen_rounds};
use crate::algorithm::{ChainingOf, Compression, MAX_ROUNDS, WordOf};
use crate::isa::{Avx2, Avx512, Bmi2, Bmi2Avx512, Includes};
use crate::isa::{Blocks, Isa, Portable, Word, Words};

type Lanes<C, I> = <WordOf<C> as Word>::Vector<I>;
type Scalar<C> = <WordOf<C> as Word>::Vector<Portable>;

/// The message words plus round constants of a group of `LANES` blocks: row t has word t of each
/// block.
type Schedule<W, const LANES: usize> = [[W; LANES]; MAX_ROUNDS];

/// An instruction set with rotates for the rounds and lanes for the schedule.
pub(crate) trait ScalarRounds: Includes<Self::Lanes> {
    /// The instruction set of the lanes.
    type Lanes: Isa;
}

impl ScalarRounds for Bmi2 {
    type Lanes = Avx2;
}

impl ScalarRounds for Bmi2Avx512 {
    type Lanes = Avx512;
}

/// A schedule that is not finished yet.
struct Scheduling<C: Compression, I: Isa> {
    isa: I,
    /// Words without constants. The first `made` of them are made.
    words: [Lanes<C, I>; MAX_ROUNDS],
    made: usize,
}

impl<C: Sha2, I: Isa> Scheduling<C, I> {
    /// Begins with the blocks of `group`, which are the first sixteen words.
    #[inline(always)]
    fn begin<const LANES: usize>(&mut self, group: &[u8], schedule: &mut Schedule<WordOf<C>, LANES>) {
        let blocks = Blocks::successive(LANES, C::BLOCK_BYTES, group);
        let first: [Lanes<C, I>; 16] = Words::load(self.isa, C::BYTE_ORDER, &blocks, 0, 0);
        for (t, word) in first.iter().enumerate() {
            self.words[t] = *word;
            word.add(Words::splat(self.isa, C::ROUND_CONSTANTS[0][t])).write(&mut schedule[t]);
        }
        self.made = 16;
    }

    /// Makes the next word of every block.
    #[inline(always)]
    fn make_word<const LANES: usize>(&mut self, schedule: &mut Schedule<WordOf<C>, LANES>) {
        let (w, t, constants) = (&mut self.words, self.made, C::ROUND_CONSTANTS.as_flattened());
        assert!(16 <= t && t < constants.len() && constants.len() <= MAX_ROUNDS);
        let mixed = w[t - 16].add(C::small_sigma0(w[t - 15])).add(w[t - 7]);
        w[t] = mixed.add(C::small_sigma1(w[t - 2]));
        w[t].add(Words::splat(self.isa, constants[t])).write(&mut schedule[t]);
        self.made += 1;
    }
}

impl<C: Sha2, I: ScalarRounds> PerMessage<C> for I {
    type State = [Scalar<C>; 8];

    #[inline(always)]
    fn load(self, state: &ChainingOf<C>) -> Self::State {
        let mut words = [Words::splat(Portable, WordOf::<C>::default()); 8];
        for (scalar, word) in words.iter_mut().zip(state) {
            *scalar = Words::splat(Portable, *word);
        }
        words
    }

    #[inline(always)]
    fn store(self, state: &Self::State) -> ChainingOf<C> {
        let mut words = [WordOf::<C>::default(); 8];
        for (i, scalar) in state.iter().enumerate() {
            scalar.write(&mut words[i..]);
        }
        words
    }

    #[inline(always)]
    fn compress<const N: usize>(self, states: &mut [Self::State; N], blocks: &Blocks) {
        for (message, state) in states.iter_mut().enumerate() {
            let message = blocks.bytes(message, 0, blocks.len_bytes());
            match Lanes::<C, I::Lanes>::LANES {
                16 => compress_message::<C, I::Lanes, _, 16>(self.included(), state, message),
                8 => compress_message::<C, I::Lanes, _, 8>(self.included(), state, message),
                _ => compress_message::<C, I::Lanes, _, 4>(self.included(), state, message),
            }
        }
    }
}

/// Compresses all of `message`, which is whole blocks, with schedules of `LANES` blocks at once.
#[inline(always)]
fn compress_message<C: Sha2, I: Isa, S: Words<Word = C::Word, Isa = Portable>, const LANES: usize>(
    isa: I,
    state: &mut [S; 8],
    message: &[u8],
) {
    let mut groups = message.chunks_exact(LANES * C::BLOCK_BYTES);
    let last_blocks = groups.remainder();
    if let Some(first) = groups.next() {
        let rounds = 16 * C::ROUND_CONSTANTS.len();
        let mut schedules = [[[WordOf::<C>::default(); LANES]; MAX_ROUNDS]; 2];
        let [mut current, mut following] = schedules.each_mut();
        let mut scheduling = Scheduling::<C, I> { isa, words: [Words::splat(isa, WordOf::<C>::default()); MAX_ROUNDS], made: 0 };
        scheduling.begin(first, current);
        while scheduling.made < rounds {
            scheduling.make_word(current);
        }
        loop {
            let next = groups.next();
            // After the last group its schedule is made once more and not used: a test for it in
            // the rounds costs 5 %.
            scheduling.begin(next.unwrap_or(first), following);
            for block in 0..LANES {
                let before = *state;
                for chunk in 0..rounds / 16 {
                    // One pointer serves sixteen words: with a row and a column there are not
                    // enough registers.
                    let words = &current[16 * chunk..][..16].as_flattened()[block..];
                    assert!(words.len() > 15 * LANES);
                    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
                    // The words that `begin` has not made are spread over the rounds: 16 / LANES of
                    // them in sixteen rounds, but none in the first sixteen.
                    macro_rules! wk {
                        ($t:literal) => {{
                            if $t % LANES == 0 && chunk > 0 {
                                scheduling.make_word(following);
                            }
                            S::splat(Portable, words[$t * LANES])
                        }};
                    }
                    sixteen_rounds!(C S, a b c d e f g h, wk);
                    *state = [a, b, c, d, e, f, g, h];
                }
                for (word, before) in state.iter_mut().zip(before) {
                    *word = word.add(before);
                }
            }
            if next.is_none() {
                break;
            }
            std::mem::swap(&mut current, &mut following);
        }
    }
    for block in last_blocks.chunks_exact(C::BLOCK_BYTES) {
        C::compress(Portable, state, Words::load(Portable, C::BYTE_ORDER, &Blocks::successive(1, C::BLOCK_BYTES, block), 0, 0));
    }
}
