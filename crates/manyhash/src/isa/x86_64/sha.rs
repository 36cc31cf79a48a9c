//! The SHA extensions as operations on values.
//!
//! SAFETY, for every block of this file: a token or a value exists only if [`ShaNi::detect`] found
//! the instruction set.

use crate::isa::{Blocks, ShaNi};
use core::arch::x86_64::*;

/// A vector of four 32-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Quad(__m128i);

/// Eight bytes at any address.
#[repr(C, packed)]
struct Unaligned(i64);

/// A vector of four 32-bit words, from the lowest to the highest, with the operations of the SHA
/// extensions. [`Quad`] has the instructions; the vectors of the proofs have what Intel's manual says
/// of them (`manual.rs`), so that they prove the code of the kernels.
pub(crate) trait ShaVector: Copy {
    /// The instruction set of the vector.
    type Isa: Copy;
    /// Makes a vector of words in memory.
    fn new(isa: Self::Isa, words: [u32; 4]) -> Self;
    /// Makes a vector of words that are always the same.
    #[inline(always)]
    fn constants(isa: Self::Isa, words: [u32; 4]) -> Self {
        Self::new(isa, words)
    }
    /// Makes a vector of one word above and zeros below.
    #[inline(always)]
    fn highest(isa: Self::Isa, word: u32) -> Self {
        Self::new(isa, [0, 0, 0, word])
    }
    /// Makes a vector of two words below and zeros above.
    fn pair(isa: Self::Isa, words: &[u32; 2]) -> Self;
    /// Returns the words.
    fn words(self) -> [u32; 4];
    /// Loads words 0 to 15 of the block at byte `at` of a lane, each quad from its lowest word up,
    /// or down if `reversed`. If `in_halves`, eight bytes are read at a time, so that eight that were
    /// just written come from the store buffer.
    fn load_block(isa: Self::Isa, blocks: &Blocks, lane: usize, at: usize, reversed: bool, in_halves: bool) -> [Self; 4];

    /// Adds word by word.
    fn add(self, other: Self) -> Self;
    /// Computes the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Moves the upper two words below.
    fn upper_half(self) -> Self;
    /// Returns the words from the second on, and the first word of `next` behind them.
    fn shift_in(self, next: Self) -> Self;
    /// Returns two vectors as they are, neither before both have been computed. Without it, the compiler may put all rounds of one
    /// message before those of the next, more instructions than wait for one another in a CPU: linked with `lto`, four chains took SHA-256
    /// 20.4 ns a link and not 16.5 (Zen 5).
    #[inline(always)]
    fn side_by_side(self, other: Self) -> (Self, Self) {
        (self, other)
    }
    /// SHA-1: does four rounds with the function and constant of rounds `20 * F..20 * F + 20`.
    fn sha1_rounds<const F: i32>(self, e_and_words: Self) -> Self;
    /// SHA-1: returns e of the next four rounds, from a of four rounds ago, plus their message
    /// words.
    fn sha1_next_e(self, words: Self) -> Self;
    /// SHA-1: the first step of four message words, from the eight oldest of the sixteen before.
    fn sha1_schedule_first(self, w1: Self) -> Self;
    /// SHA-1: the last step of four message words, with the four before them.
    fn sha1_schedule_last(self, w3: Self) -> Self;
    /// SHA-256: does two rounds on c, d, g, h, with the lower two words.
    fn sha256_rounds(self, abef: Self, words_and_constants: Self) -> Self;
    /// SHA-256: the first step of four message words, from the eight oldest of the sixteen before.
    fn sha256_schedule_first(self, w1: Self) -> Self;
    /// SHA-256: the last step of four message words, with the four before them.
    fn sha256_schedule_last(self, w3: Self) -> Self;

    /// SHA-1: returns four message words from the sixteen before.
    #[inline(always)]
    fn sha1_schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        self.sha1_schedule_first(w1).xor(w2).sha1_schedule_last(w3)
    }
    /// SHA-256: returns four message words from the sixteen before.
    #[inline(always)]
    fn sha256_schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        self.sha256_schedule_first(w1).add(w2.shift_in(w3)).sha256_schedule_last(w3)
    }
}

macro_rules! operations {
    ($($name:ident($self:ident $(, $operand:ident)*) = $expression:expr;)*) => { $(
        #[inline]
        fn $name($self $(, $operand: Self)*) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $expression })
        }
    )* };
}

impl ShaVector for Quad {
    type Isa = ShaNi;

    #[inline(always)]
    fn new(_: ShaNi, words: [u32; 4]) -> Self {
        // SAFETY: the token proves the instruction set; both types have sixteen bytes.
        Self(unsafe { core::mem::transmute::<[u32; 4], __m128i>(words) })
    }

    #[inline(always)]
    fn pair(_: ShaNi, words: &[u32; 2]) -> Self {
        // SAFETY: the token proves the instruction set; eight bytes are there.
        Self(unsafe { _mm_loadl_epi64(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn side_by_side(mut self, mut other: Self) -> (Self, Self) {
        if cfg!(not(miri)) {
            // SAFETY: there is no instruction, only the names of two registers.
            unsafe {
                core::arch::asm!("/* {} {} */", inout(xmm_reg) self.0, inout(xmm_reg) other.0, options(pure, nomem, nostack, preserves_flags))
            }
        }
        (self, other)
    }

    #[inline(always)]
    fn words(self) -> [u32; 4] {
        // SAFETY: the value proves the instruction set; both types have sixteen bytes.
        unsafe { core::mem::transmute(self.0) }
    }

    #[inline(always)]
    fn load_block(_: ShaNi, blocks: &Blocks, lane: usize, at: usize, reversed: bool, in_halves: bool) -> [Self; 4] {
        let block = blocks.bytes(lane, at, 64);
        // SAFETY: the token proves the instruction set; `block` has 64 bytes.
        unsafe {
            let order = if reversed {
                _mm_set_epi64x(0x00010203_04050607, 0x08090A0B_0C0D0E0F)
            } else {
                _mm_set_epi64x(0x0C0D0E0F_08090A0B, 0x04050607_00010203)
            };
            macro_rules! quad {
                ($at:literal) => {{
                    let bytes = if in_halves {
                        // Volatile, because the compiler would read all sixteen at once.
                        let half = |at| block.as_ptr().add(at).cast::<Unaligned>().read_volatile().0;
                        _mm_set_epi64x(half($at + 8), half($at))
                    } else {
                        _mm_loadu_si128(block.as_ptr().add($at).cast())
                    };
                    Self(_mm_shuffle_epi8(bytes, order))
                }};
            }
            [quad!(0), quad!(16), quad!(32), quad!(48)]
        }
    }

    operations! {
        add(self, other) = _mm_add_epi32(self.0, other.0);
        xor(self, other) = _mm_xor_si128(self.0, other.0);
        upper_half(self) = _mm_shuffle_epi32::<0x0E>(self.0);
        shift_in(self, next) = _mm_alignr_epi8::<4>(next.0, self.0);
        sha1_next_e(self, words) = _mm_sha1nexte_epu32(self.0, words.0);
        sha1_schedule_first(self, w1) = _mm_sha1msg1_epu32(self.0, w1.0);
        sha1_schedule_last(self, w3) = _mm_sha1msg2_epu32(self.0, w3.0);
        sha256_rounds(self, abef, words_and_constants) = _mm_sha256rnds2_epu32(self.0, abef.0, words_and_constants.0);
        sha256_schedule_first(self, w1) = _mm_sha256msg1_epu32(self.0, w1.0);
        sha256_schedule_last(self, w3) = _mm_sha256msg2_epu32(self.0, w3.0);
    }

    #[inline]
    fn sha1_rounds<const F: i32>(self, e_and_words: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe { _mm_sha1rnds4_epu32::<F>(self.0, e_and_words.0) })
    }
}
