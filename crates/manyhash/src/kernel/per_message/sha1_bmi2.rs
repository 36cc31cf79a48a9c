//! Kernels for one SHA-1 message without SHA instructions: its rounds are scalar, and beside them
//! vectors make its message schedule, four words at a time. They have the names of those of SHA-2
//! (`sha2_bmi2.rs`).

use super::PerMessage;
use super::sha2_bmi2::ScalarRounds;
use crate::algorithm::sha1::{ROUND_CONSTANTS, Sha1Compression, eighty_rounds};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Blocks, Isa, Portable, Successive, Words};
use std::hint::black_box;

/// The message words of a block, the last 32 of them at any time.
struct Schedule<'a, V: Successive<Word = u32>> {
    isa: V::Isa,
    /// Words 4g to 4g + 3 are in vector g % 8.
    words: [V; 8],
    /// The last sixteen words plus round constants.
    with_constants: &'a mut [u32; 16],
}

impl<V: Successive<Word = u32>> Schedule<'_, V> {
    /// Puts words 4g to 4g + 3 in their places.
    #[inline(always)]
    fn put(&mut self, g: usize, words: V) {
        self.words[g % 8] = words;
        let with_constants = words.add(V::constants(self.isa, &[ROUND_CONSTANTS[g / 5]; 4]));
        with_constants.write(&mut self.with_constants[g % 4 * 4..]);
    }

    /// Makes words 4g to 4g + 3 (FIPS 180-4, 6.1.2, step 1). What waits for the vector before comes last.
    #[inline(always)]
    fn make(&mut self, g: usize) {
        let before = |distance: usize| self.words[(g - distance / 4) % 8];
        let words = if g < 8 {
            let zeros = V::splat(self.isa, 0);
            let early = V::xor3(before(16), before(16).shift_in_two(before(12)), before(8)).pin();
            let mixed = early.xor(before(4).shift_in(zeros)).pin();
            // The last word follows from the first, too.
            mixed.rotate_right::<31>().xor(zeros.shift_in(mixed).rotate_right::<30>())
        } else {
            // The equation of 6.1.2, put into itself: none of four words follows from another.
            let early = V::xor3(before(32), before(28), before(16)).pin();
            early.xor(before(8).shift_in_two(before(4))).rotate_right::<30>()
        };
        self.put(g, words);
    }
}

/// Compresses all of `message`, which is whole blocks. Scalar words are of type `S`: words of the
/// machine, or the expressions of a proof.
#[inline(always)]
pub(crate) fn compress_message<S: Words<Word = u32>, V: Successive<Word = u32>>(
    scalars: S::Isa,
    isa: V::Isa,
    state: &mut [u32; 5],
    message: &[u8],
) {
    let mut with_constants = [0; 16];
    // It stays in memory, or the compiler would take its words out of vectors one by one.
    black_box(&mut with_constants);
    let mut schedule = Schedule { isa, words: [V::splat(isa, 0); 8], with_constants: &mut with_constants };
    for block in message.chunks_exact(Sha1Compression::BLOCK_BYTES) {
        for g in 0..4 {
            schedule.put(g, V::read_bytes(isa, Sha1Compression::BYTE_ORDER, &block[16 * g..]));
        }
        let before = state.each_ref().map(|word| S::read(scalars, std::slice::from_ref(word)));
        macro_rules! word_and_constant {
            ($t:expr) => {{
                let word = S::read(scalars, &schedule.with_constants[$t % 16..]);
                if $t % 4 == 3 && $t < 64 {
                    schedule.make(($t + 16) / 4);
                }
                word
            }};
        }
        let end = eighty_rounds!(S before word_and_constant);
        for (word, end) in state.iter_mut().zip(end) {
            // Pinned, or the compiler would gather the sums in vectors.
            S::read(scalars, &[*word]).add(end).pin().write(std::slice::from_mut(word));
        }
    }
}

impl<I: ScalarRounds<Vectors: Isa<U32: Successive>>> PerMessage<Sha1Compression> for I {
    type State = ChainingOf<Sha1Compression>;

    #[inline(always)]
    fn load(self, state: &[u32; 5]) -> [u32; 5] {
        *state
    }

    #[inline(always)]
    fn store(self, state: &[u32; 5]) -> [u32; 5] {
        *state
    }

    #[inline(always)]
    fn compress<const N: usize>(self, states: &mut [[u32; 5]; N], blocks: &Blocks) {
        for (message, state) in states.iter_mut().enumerate() {
            let message = blocks.bytes(message, 0, blocks.len_bytes());
            compress_message::<u32, <I::Vectors as Isa>::U32>(Portable, self.included(), state, message);
        }
    }
}
