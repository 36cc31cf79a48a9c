//! Kernels for one SHA-2 message without SHA instructions: its rounds are scalar and rotate with
//! `rorx`, and beside them vectors make its message schedule, two or four words at a time. A short
//! message takes as long for each block as a long one. Those of SHA-1 are in `sha1_bmi2.rs`.
//!
//! - **`bmi2`**: the limit is the ALUs, with 22 operations a round. CPUs start the oldest operation
//!   that is ready, so those that the next e waits for come first (`Words::before`).
//! - **`bmi2-avx2`**: four words of a schedule of SHA-512 at a time in place of two. That is fewer operations, of which the last two wait for
//!   the first two: SHA-512 of 1 KiB takes 0.94 of the time of `bmi2` on Zen 3, and 1.06 on Zen 5, where each takes two cycles. A schedule of
//!   two blocks side by side takes 0.99 on long messages there, and 1.08 on 1 KiB.
//! - **`avx-scalar`**: the same without `rorx`, for CPUs between 2011 and 2013.
//! - **`bmi2-avx512`**: rotations and three-operand logic are so short that vectors also take the
//!   half of each round that makes the next a, in one lane. The next e needs an a of four rounds
//!   ago, so there is time to move it. ALUs are left with 14 operations, and the vector units have
//!   as many.
//!
//! | SHA-512 on Zen 4 | ns a block: 1 block | 64 blocks | kept |
//! |---|---|---|---|
//! | `bmi2-avx512` | 136 | 127 | yes |
//! | its first sum moved to the vectors by `vmovq`, not by memory | 140 | 133 | no |
//! | its schedule four words at a time, in 256 bits | 136 | 128 | no |
//! | its rounds all scalar | 160 | 149 | no |
//! | `bmi2` | 163 | 156 | yes |
//! | its operations in the compiler's order | 179 | 171 | no |
//! | schedules of eight blocks in 512-bit lanes beside scalar rounds (n-SMS, Gueron & Krasnov 2012) | 250 | 169 | no |

use super::PerMessage;
use crate::algorithm::sha2::{Sha2, sixteen_rounds};
use crate::algorithm::{ChainingOf, WordOf};
use crate::isa::{Avx, Avx2, Avx512Quarter, Bmi2, Bmi2Avx2, Bmi2Avx512, Includes, Sse2};
use crate::isa::{Blocks, Isa, Portable, Successive, Word, Words};
use std::hint::black_box;

type Vector<C, I> = <WordOf<C> as Word>::Vector<<I as ScalarRounds>::Vectors>;

/// An instruction set with rotates for the rounds and vectors for the schedule.
pub(crate) trait ScalarRounds: Includes<Self::Vectors> {
    /// The instruction set of the vectors.
    type Vectors: Isa;
    /// True if vectors compute half of the rounds too: the words a to d.
    const HALF_IN_VECTORS: bool;
}

impl ScalarRounds for Bmi2 {
    type Vectors = Sse2;
    const HALF_IN_VECTORS: bool = false;
}

impl ScalarRounds for Bmi2Avx2 {
    type Vectors = Avx2;
    const HALF_IN_VECTORS: bool = false;
}

/// CPUs before AVX2 have no `rorx`.
impl ScalarRounds for Avx {
    type Vectors = Self;
    const HALF_IN_VECTORS: bool = false;
}

impl ScalarRounds for Bmi2Avx512 {
    type Vectors = Avx512Quarter;
    const HALF_IN_VECTORS: bool = true;
}

/// The message words of a block, sixteen of them at any time.
struct Schedule<'a, V: Successive> {
    isa: V::Isa,
    /// Vector i has the words from place `i * LANES` on.
    words: [V; 8],
    /// The words plus round constants.
    with_constants: &'a mut [V::Word; 16],
}

impl<V: Successive> Schedule<'_, V> {
    /// Puts the words of a vector in their places.
    #[inline(always)]
    fn put(&mut self, i: usize, words: V, constants: &[V::Word; 16]) {
        self.words[i] = words;
        let with_constants = words.add(V::constants(self.isa, &constants[i * V::LANES..]));
        with_constants.write(&mut self.with_constants[i * V::LANES..]);
    }

    /// Replaces the words of vector `i`, which are sixteen rounds old, by the next ones (FIPS 180-4,
    /// 6.2.2 and 6.4.2, step 1).
    #[inline(always)]
    fn make<C: Sha2<Word = V::Word>>(&mut self, i: usize, constants: &[V::Word; 16]) {
        let (w, vectors) = (&self.words, 16 / V::LANES);
        let at = |distance: usize| w[(i + vectors - distance / V::LANES) % vectors];
        let (w15, w7) = (at(16).shift_in(at(16 - V::LANES)), at(8).shift_in(at(8 - V::LANES)));
        let mut next = at(16).add(w7).add(C::small_sigma0(w15));
        // Two words follow from the two before them.
        next = next.add(C::small_sigma1(at(V::LANES).last_two_first()));
        if V::LANES > 2 {
            next = next.add(C::small_sigma1(next.first_two_last()));
        }
        self.put(i, next, constants);
    }
}

/// A word of the state. Words a to c of rounds in vectors are in both kinds of registers, and the
/// others in scalar ones.
#[derive(Clone, Copy)]
struct Both<S, V> {
    scalar: S,
    vector: V,
}

/// Returns a scalar word as it is in memory.
#[inline(always)]
fn word_of<S: Words>(scalar: S) -> S::Word {
    let mut word = [S::Word::default()];
    scalar.write(&mut word);
    word[0]
}

/// Compresses all of `message`, which is whole blocks. Scalar words are of type `S`: words of the
/// machine, or the expressions of a proof.
#[inline(always)]
pub(crate) fn compress_message<C: Sha2, S: Words<Word = C::Word>, V: Successive<Word = C::Word>, const HALF_IN_VECTORS: bool>(
    scalars: S::Isa,
    isa: V::Isa,
    state: &mut [C::Word; 8],
    message: &[u8],
) {
    // One round (FIPS 180-4, 6.2.2 and 6.4.2, step 3) in place; the caller renames the variables. `$wk`
    // is message word plus constant.
    macro_rules! round {
        ($C:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $wk:expr) => {
            let early = $h.scalar.add($wk).pin();
            let sigma1 = $C::big_sigma1($e.scalar);
            // Pinned, or the compiler takes a form that waits for one more operation.
            let chosen = $g.scalar.xor($e.scalar.and($f.scalar.xor($g.scalar).pin()));
            let t1 = early.add(chosen).pin().add(sigma1).pin();
            if HALF_IN_VECTORS {
                // e gets a sum of its own: one more addition, but one less to wait for.
                $d.scalar = $d.scalar.add(early).pin().add(chosen).pin().add(sigma1).pin();
                let t1 = $V::splat_stored(isa, word_of(t1));
                $h.vector = t1.add($V::majority($c.vector, $a.vector, $b.vector)).pin().add($C::big_sigma0($a.vector));
                // It is added to e four rounds later.
                $h.scalar = S::read(scalars, &[$h.vector.first()]);
            } else {
                $d.scalar = $d.scalar.add(t1).pin().in_order();
                $a.scalar = $a.scalar.in_order();
                let majority = S::majority($a.scalar, $b.scalar, $c.scalar);
                $h.scalar = t1.add($C::big_sigma0($a.scalar)).pin().add(majority).pin();
            }
        };
    }

    let zeros = V::splat(isa, C::Word::default());
    let mut with_constants = [C::Word::default(); 16];
    // It stays in memory, or the compiler would take its words out of vectors one by one.
    black_box(&mut with_constants);
    let mut schedule = Schedule { isa, words: [zeros; 8], with_constants: &mut with_constants };
    for block in message.chunks_exact(C::BLOCK_BYTES) {
        for i in 0..16 / V::LANES {
            schedule.put(i, V::read_bytes(isa, C::BYTE_ORDER, &block[i * size_of::<V>()..]), &C::ROUND_CONSTANTS[0]);
        }
        let both = |i: usize| Both {
            scalar: S::read(scalars, &state[i..]),
            vector: if HALF_IN_VECTORS { V::splat_word(isa, state[i]) } else { zeros },
        };
        let (mut a, mut b, mut c, mut d) = (both(0), both(1), both(2), both(3));
        let (mut e, mut f, mut g, mut h) = (both(4), both(5), both(6), both(7));
        for constants in &C::ROUND_CONSTANTS[1..] {
            macro_rules! word {
                ($t:literal) => {{
                    let word = S::read(scalars, &schedule.with_constants[$t..]);
                    if ($t + 1) % V::LANES == 0 {
                        schedule.make::<C>($t / V::LANES, constants);
                    }
                    word
                }};
            }
            sixteen_rounds!(C V, a b c d e f g h, word);
        }
        macro_rules! last_word {
            ($t:literal) => {
                S::read(scalars, &schedule.with_constants[$t..])
            };
        }
        sixteen_rounds!(C V, a b c d e f g h, last_word);
        for (word, end) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            // Pinned, or the compiler would gather the sums in vectors.
            *word = word_of(S::read(scalars, &[*word]).add(end.scalar).pin());
        }
    }
}

impl<C: Sha2, I: ScalarRounds> PerMessage<C> for I
where
    Vector<C, I>: Successive,
    WordOf<C>: Words<Word = WordOf<C>, Isa = Portable>,
{
    type State = ChainingOf<C>;

    #[inline(always)]
    fn load(self, state: &ChainingOf<C>) -> ChainingOf<C> {
        *state
    }

    #[inline(always)]
    fn store(self, state: &ChainingOf<C>) -> ChainingOf<C> {
        *state
    }

    #[inline(always)]
    fn compress<const N: usize>(self, states: &mut [ChainingOf<C>; N], blocks: &Blocks) {
        for (message, state) in states.iter_mut().enumerate() {
            let message = blocks.bytes(message, 0, blocks.len_bytes());
            if I::HALF_IN_VECTORS {
                compress_message::<C, C::Word, Vector<C, I>, true>(Portable, self.included(), state, message);
            } else {
                compress_message::<C, C::Word, Vector<C, I>, false>(Portable, self.included(), state, message);
            }
        }
    }
}
