//! AVX-512: 16 lanes of 32 bits, or 8 of 64.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Avx512::detect`]
//! found the instruction set, and [`Blocks::starts`] and [`Whole`] checked every pointer that is
//! read.

use super::operations::three_operand_logic;
use crate::isa::blocks::WholeMessages;
use crate::isa::columns::COLUMN_BYTES;
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Avx512, Blocks, ByteOrder, FirstByte, Isa, Row, Whole, Word, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Avx512,
    /// Sixteen 32-bit words.
    U32x16(__m512i),
    /// Eight 64-bit words.
    U64x8(__m512i),
    in zmm_reg "/* {0} */" of "avx512f"
}

/// Reverses the bytes of each 32-bit word.
///
/// # Safety
/// The CPU has AVX-512BW.
#[inline(always)]
unsafe fn swap_bytes_32(x: __m512i) -> __m512i {
    // SAFETY: the caller guarantees AVX-512BW.
    unsafe { _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(_mm_set_epi64x(0x0C0D0E0F_08090A0B, 0x04050607_00010203))) }
}

/// Reverses the bytes of each 64-bit word.
///
/// # Safety
/// The CPU has AVX-512BW.
#[inline(always)]
unsafe fn swap_bytes_64(x: __m512i) -> __m512i {
    // SAFETY: the caller guarantees AVX-512BW.
    unsafe { _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090A0B_0C0D0E0F, 0x00010203_04050607))) }
}

/// Loads 64 bytes of a message from byte `at`. Behind the end of the message come `first`, unless
/// the message ended before `at`, and zeros.
///
/// # Safety
/// The CPU has AVX-512BW and BMI2; `start` is the first of `bytes` readable bytes, which are fewer
/// than 2^31.
#[inline(always)]
unsafe fn load_padded_row(start: *const u8, bytes: u32, first: &FirstByte, at: usize) -> __m512i {
    let left = (bytes as i32 - at as i32).clamp(-1, 64);
    // SAFETY: the caller guarantees AVX-512BW and BMI2. A masked load touches only the bytes of its mask,
    // all of which are the message's. From any of bytes 0 to 65 of `first`, 64 bytes are there. The
    // byte comes from memory because a second mask would cost a shuffle unit's time: 4 % of
    // messages of 32 bytes.
    unsafe {
        let message = _bzhi_u64(u64::MAX, left.max(0) as u32);
        let row = _mm512_maskz_loadu_epi8(message, start.wrapping_add(at).cast());
        _mm512_or_si512(row, first.0.as_ptr().add((64 - left) as usize).cast::<__m512i>().read_unaligned())
    }
}

impl U32x16 {
    /// Transposes: row i, 64 bytes of message i, becomes word i of every message.
    ///
    /// # Safety
    /// The CPU has AVX-512BW.
    #[inline(always)]
    unsafe fn from_rows(order: ByteOrder, rows: [__m512i; 16]) -> [Self; 16] {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe {
            let words = transpose_16x16(rows);
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(words[$i]) } else { words[$i] })),*]
            } }
            words!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
        }
    }

    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(_: Avx512, order: ByteOrder, starts: [*const u8; 16], at: usize) -> [Self; 16] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            // Its own function for it is a call where the compiler takes the code for unlikely.
            macro_rules! rows { ($($i:literal)*) => { [$(starts[$i].add(at).cast::<__m512i>().read_unaligned()),*] } }
            Self::from_rows(order, rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))
        }
    }

    /// Loads like [`square`](Self::square), but messages may end before or in the square: see
    /// [`load_padded_row`].
    ///
    /// # Safety
    /// Each message can be read as far as it ends.
    #[inline(always)]
    unsafe fn padded_square(_: Avx512, order: ByteOrder, messages: WholeMessages<16>, first: &FirstByte, at: usize) -> [Self; 16] {
        let WholeMessages { starts, ends, .. } = messages;
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes of each message.
        unsafe {
            macro_rules! rows { ($($i:literal)*) => { [$(load_padded_row(starts[$i], ends[$i], first, at)),*] } }
            Self::from_rows(order, rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))
        }
    }
}

impl Words for U32x16 {
    operations!(
        Avx512, u32 as i32, 16 lanes, _mm512_set1_epi32, _mm512_add_epi32, _mm512_xor_si512, _mm512_and_si512, swap_bytes_32
    );
    const LATENCY_BOUND: bool = true;
    three_operand_logic!(_mm512_rorv_epi32, _mm512_set1_epi32 as i32, _mm512_srlv_epi32, _mm512_ternarylogic_epi32);

    #[inline(always)]
    fn jump() {
        if cfg!(not(miri)) {
            // SAFETY: the label is the next instruction.
            unsafe { core::arch::asm!("jmp 2f", "2:", options(nomem, nostack, preserves_flags)) }
        }
    }

    const LOADS_COLUMNS: bool = true;
    #[inline(always)]
    fn load_column(
        _: Avx512,
        order: ByteOrder,
        blocks: &Blocks,
        first_lane: usize,
        at: usize,
        column: usize,
        words: &mut [MaybeUninit<Self>],
    ) {
        let starts = blocks.starts::<16>(first_lane, at + column * COLUMN_BYTES, COLUMN_BYTES);
        let words: &mut [MaybeUninit<Self>; 4] = words[4 * column..].first_chunk_mut().expect("four words");
        // SAFETY: the token proves the instruction set; `starts` checked the bytes.
        unsafe {
            // a0 a1 a2 a3 | e0 .. | i0 .. | m0 ..: see `transpose_16x16`.
            macro_rules! row {
                ($i:literal) => {
                    load_quarters([starts[$i], starts[$i + 4], starts[$i + 8], starts[$i + 12]])
                };
            }
            let [a, b, c, d] = [row!(0), row!(1), row!(2), row!(3)];
            let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            let four = [
                _mm512_unpacklo_epi64(ab_low, cd_low),
                _mm512_unpackhi_epi64(ab_low, cd_low),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
            ];
            macro_rules! put { ($($i:literal)*) => { $(words[$i].write(Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(four[$i]) } else { four[$i] }));)* } }
            put!(0 1 2 3);
        }
    }
    const PADS: bool = true;
    #[inline(always)]
    fn load_padded<const N: usize>(
        isa: Avx512,
        order: ByteOrder,
        messages: &Whole,
        first: &FirstByte,
        first_lane: usize,
        at: usize,
    ) -> [Self; N] {
        Self::jump();
        let messages = messages.messages::<16>(first_lane, at);
        // SAFETY: `messages` has checked them.
        squares!(N, 16, |word| unsafe { Self::padded_square(isa, order, messages, first, at + word * size_of::<u32>()) })
    }

    #[inline(always)]
    fn write_rows(words: &[Self], order: ByteOrder, rows: &mut [Row]) {
        let rows = &mut rows[..16];
        // SAFETY: the value proves the instruction set; each row has 64 bytes.
        unsafe {
            let mut vectors = [_mm512_setzero_si512(); 16];
            for (vector, word) in vectors.iter_mut().zip(words) {
                *vector = word.0;
            }
            // This is the transposition again, which is its own inverse: rows of words become words
            // of rows.
            let messages = Self::from_rows(order, vectors);
            macro_rules! store { ($($i:literal)*) => { $(_mm512_storeu_si512(rows[$i].as_mut_ptr().cast(), messages[$i].0);)* } }
            sixteen!(store);
        }
    }
}

impl U64x8 {
    /// Transposes: row i, 64 bytes of message i, becomes word i of every message.
    ///
    /// # Safety
    /// The CPU has AVX-512BW.
    #[inline(always)]
    unsafe fn from_rows(order: ByteOrder, rows: [__m512i; 8]) -> [Self; 8] {
        // SAFETY: the caller guarantees AVX-512BW.
        unsafe {
            let words = transpose_8x8(rows);
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_64(words[$i]) } else { words[$i] })),*]
            } }
            words!(0 1 2 3 4 5 6 7)
        }
    }

    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(_: Avx512, order: ByteOrder, starts: [*const u8; 8], at: usize) -> [Self; 8] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! rows { ($($i:literal)*) => { [$(starts[$i].add(at).cast::<__m512i>().read_unaligned()),*] } }
            Self::from_rows(order, rows!(0 1 2 3 4 5 6 7))
        }
    }

    /// Loads like [`square`](Self::square), but messages may end before or in the square: see
    /// [`load_padded_row`].
    ///
    /// # Safety
    /// Each message can be read as far as it ends.
    #[inline(always)]
    unsafe fn padded_square(isa: Avx512, order: ByteOrder, messages: WholeMessages<8>, first: &FirstByte, at: usize) -> [Self; 8] {
        let WholeMessages { starts, ends, nearest, farthest } = messages;
        if at > farthest || at == farthest && nearest == farthest {
            // Zeros, and the byte behind all messages if they end here: a transposition less, a twentieth of SHA3-256 of 64 bytes (Zen 5).
            let mut words = [Self::splat(isa, 0); 8];
            if at == farthest {
                words[0] = Self::splat(isa, u64::from_bytes(order, &[first.byte(), 0, 0, 0, 0, 0, 0, 0]));
            }
            return words;
        }
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes of each message.
        unsafe {
            if at + 64 <= nearest {
                return Self::square(isa, order, starts, at);
            }
            if nearest == farthest {
                // One mask for all.
                let message = _bzhi_u64(u64::MAX, (farthest - at).min(64) as u32);
                let behind = first.0.as_ptr().add(64 - (farthest - at).min(64)).cast::<__m512i>().read_unaligned();
                macro_rules! rows { ($($i:literal)*) => {
                    [$(_mm512_or_si512(behind, _mm512_maskz_loadu_epi8(message, starts[$i].wrapping_add(at).cast()))),*]
                } }
                return Self::from_rows(order, rows!(0 1 2 3 4 5 6 7));
            }
            macro_rules! rows { ($($i:literal)*) => { [$(load_padded_row(starts[$i], ends[$i], first, at)),*] } }
            Self::from_rows(order, rows!(0 1 2 3 4 5 6 7))
        }
    }
}

impl Words for U64x8 {
    operations!(
        Avx512, u64 as i64, 8 lanes, _mm512_set1_epi64, _mm512_add_epi64, _mm512_xor_si512, _mm512_and_si512, swap_bytes_64
    );
    const LATENCY_BOUND: bool = true;
    three_operand_logic!(_mm512_rorv_epi64, _mm512_set1_epi64 as i64, _mm512_srlv_epi64, _mm512_ternarylogic_epi32);

    const LOADS_COLUMNS: bool = true;
    #[inline(always)]
    fn load_column(
        _: Avx512,
        order: ByteOrder,
        blocks: &Blocks,
        first_lane: usize,
        at: usize,
        column: usize,
        words: &mut [MaybeUninit<Self>],
    ) {
        let starts = blocks.starts::<8>(first_lane, at + column * COLUMN_BYTES, COLUMN_BYTES);
        let words: &mut [MaybeUninit<Self>; 2] = words[2 * column..].first_chunk_mut().expect("two words");
        // SAFETY: the token proves the instruction set; `starts` checked the bytes.
        unsafe {
            // a0 a1 | c0 .. | e0 .. | g0 ..
            macro_rules! row {
                ($i:literal) => {
                    load_quarters([starts[$i], starts[$i + 2], starts[$i + 4], starts[$i + 6]])
                };
            }
            let [a, b] = [row!(0), row!(1)];
            let two = [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)];
            macro_rules! put { ($($i:literal)*) => { $(words[$i].write(Self(if matches!(order, ByteOrder::Big) { swap_bytes_64(two[$i]) } else { two[$i] }));)* } }
            put!(0 1);
        }
    }
    const PADS: bool = true;
    #[inline(always)]
    fn load_padded<const N: usize>(
        isa: Avx512,
        order: ByteOrder,
        messages: &Whole,
        first: &FirstByte,
        first_lane: usize,
        at: usize,
    ) -> [Self; N] {
        let messages = messages.messages::<8>(first_lane, at);
        // SAFETY: `messages` has checked them.
        squares!(N, 8, |word| unsafe { Self::padded_square(isa, order, messages, first, at + word * size_of::<u64>()) })
    }

    #[inline(always)]
    fn write_rows(words: &[Self], order: ByteOrder, rows: &mut [Row]) {
        let rows = &mut rows[..8];
        // SAFETY: the value proves the instruction set; each row has 64 bytes.
        unsafe {
            let mut vectors = [_mm512_setzero_si512(); 8];
            for (vector, word) in vectors.iter_mut().zip(words) {
                *vector = word.0;
            }
            let messages = Self::from_rows(order, vectors);
            macro_rules! store { ($($i:literal)*) => { $(_mm512_storeu_si512(rows[$i].as_mut_ptr().cast(), messages[$i].0);)* } }
            store!(0 1 2 3 4 5 6 7);
        }
    }
}

/// Loads the quarters of a row from four places.
///
/// # Safety
/// The CPU has AVX-512F, and the bytes can be read.
#[inline(always)]
unsafe fn load_quarters(places: [*const u8; 4]) -> __m512i {
    // SAFETY: the caller guarantees both.
    unsafe {
        macro_rules! quarter {
            ($i:literal) => {
                _mm_loadu_si128(places[$i].cast())
            };
        }
        let row = _mm512_castsi128_si512(quarter!(0));
        let row = _mm512_inserti32x4::<1>(row, quarter!(1));
        let row = _mm512_inserti32x4::<2>(row, quarter!(2));
        _mm512_inserti32x4::<3>(row, quarter!(3))
    }
}

/// Transposes: row i, message i's sixteen words, becomes row i, word i of sixteen messages. It
/// takes 64 shuffles.
///
/// Letters are messages, numbers are words; a 512-bit row is four 128-bit quarters.
///
/// ```text
/// pairs of rows:               a0 b0 a1 b1 | a4 b4 a5 b5 | ...
/// fours:                       a0 b0 c0 d0 | a4 b4 c4 d4 | a8 .. | a12 ..
/// then quarters change places: a0 b0 c0 d0 | e0 f0 g0 h0 | i0 .. | m0 ..
/// ```
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
unsafe fn transpose_16x16(rows: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: the caller guarantees AVX-512F.
    unsafe {
        let mut pairs = rows;
        macro_rules! pair { ($($i:literal)*) => { $(
            pairs[$i] = _mm512_unpacklo_epi32(rows[$i], rows[$i + 1]);
            pairs[$i + 1] = _mm512_unpackhi_epi32(rows[$i], rows[$i + 1]);
        )* } }
        pair!(0 2 4 6 8 10 12 14);
        let mut fours = rows;
        macro_rules! four { ($($i:literal)*) => { $(
            fours[$i] = _mm512_unpacklo_epi64(pairs[$i], pairs[$i + 2]);
            fours[$i + 1] = _mm512_unpackhi_epi64(pairs[$i], pairs[$i + 2]);
            fours[$i + 2] = _mm512_unpacklo_epi64(pairs[$i + 1], pairs[$i + 3]);
            fours[$i + 3] = _mm512_unpackhi_epi64(pairs[$i + 1], pairs[$i + 3]);
        )* } }
        four!(0 4 8 12);
        let mut words = rows;
        macro_rules! quarters { ($($c:literal)*) => { $(
            let even_low = _mm512_shuffle_i32x4::<0x88>(fours[$c], fours[$c + 4]);
            let odd_low = _mm512_shuffle_i32x4::<0xDD>(fours[$c], fours[$c + 4]);
            let even_high = _mm512_shuffle_i32x4::<0x88>(fours[$c + 8], fours[$c + 12]);
            let odd_high = _mm512_shuffle_i32x4::<0xDD>(fours[$c + 8], fours[$c + 12]);
            words[$c] = _mm512_shuffle_i32x4::<0x88>(even_low, even_high);
            words[$c + 4] = _mm512_shuffle_i32x4::<0x88>(odd_low, odd_high);
            words[$c + 8] = _mm512_shuffle_i32x4::<0xDD>(even_low, even_high);
            words[$c + 12] = _mm512_shuffle_i32x4::<0xDD>(odd_low, odd_high);
        )* } }
        quarters!(0 1 2 3);
        words
    }
}

/// Transposes 8 messages of eight 64-bit words: 24 shuffles.
///
/// # Safety
/// The CPU has AVX-512F.
#[inline(always)]
unsafe fn transpose_8x8(rows: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the caller guarantees AVX-512F.
    unsafe {
        let mut pairs = rows;
        macro_rules! pair { ($($i:literal)*) => { $(
            pairs[$i] = _mm512_unpacklo_epi64(rows[$i], rows[$i + 1]);
            pairs[$i + 1] = _mm512_unpackhi_epi64(rows[$i], rows[$i + 1]);
        )* } }
        pair!(0 2 4 6);
        let mut words = rows;
        macro_rules! quarters { ($($c:literal)*) => { $(
            let even_low = _mm512_shuffle_i32x4::<0x88>(pairs[$c], pairs[$c + 2]);
            let odd_low = _mm512_shuffle_i32x4::<0xDD>(pairs[$c], pairs[$c + 2]);
            let even_high = _mm512_shuffle_i32x4::<0x88>(pairs[$c + 4], pairs[$c + 6]);
            let odd_high = _mm512_shuffle_i32x4::<0xDD>(pairs[$c + 4], pairs[$c + 6]);
            words[$c] = _mm512_shuffle_i32x4::<0x88>(even_low, even_high);
            words[$c + 2] = _mm512_shuffle_i32x4::<0x88>(odd_low, odd_high);
            words[$c + 4] = _mm512_shuffle_i32x4::<0xDD>(even_low, even_high);
            words[$c + 6] = _mm512_shuffle_i32x4::<0xDD>(odd_low, odd_high);
        )* } }
        quarters!(0 1);
        words
    }
}
