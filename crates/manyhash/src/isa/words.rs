//! The two traits of lanes: [`Isa`] names an instruction set's vectors, [`Words`] is one of them.
//!
//! A vector has one word for each lane and about a dozen operations. Every operation on values is
//! safe: a vector can only be made from a token, and the token proves that the CPU has the
//! instructions.

#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128"))),
    allow(unused_macros, unused_imports, reason = "what loads vectors")
)]

use super::dealt::Rows;
use super::{Blocks, FirstByte, Token, Whole};
use std::mem::MaybeUninit;

/// The most lanes that a kernel may have.
pub const MAX_LANES: usize = 64;

/// The lanes that read from addresses of one set of the first cache without pushing each other out.
pub(crate) const WAYS: usize = 8;

/// An instruction set that has lanes.
pub trait Isa: Token {
    /// A vector of 32-bit words.
    type U32: Words<Isa = Self, Word = u32>;
    /// A vector of 64-bit words.
    type U64: Words<Isa = Self, Word = u64>;
}

/// A machine word: `u32` or `u64`.
pub trait Word: Copy + Default + Eq + From<u32> + std::fmt::Debug + Send + Sync + 'static {
    /// The vector of these words on the instruction set `I`.
    type Vector<I: Isa>: Words<Isa = I, Word = Self>;
    /// All bits set.
    const ONES: Self;
    /// The highest bit alone.
    const TOP_BIT: Self;
    /// Returns the lower bits of a number, as many as the word has.
    fn low(value: u64) -> Self;
    /// Returns the bits of a number that [`low`](Self::low) leaves out.
    fn high(value: u64) -> Self;
    /// Returns the word with `byte` exclusive-ored to each of its bytes.
    fn xor_bytes(self, byte: u8) -> Self;
    /// Returns the bits of the word where `kept` has ones, and those of `others`, which has none there.
    fn masked(self, kept: Self, others: Self) -> Self;
    /// Writes the word to `bytes` from byte `at`, cut off where `bytes` ends.
    fn write_bytes(self, order: ByteOrder, at: usize, bytes: &mut [u8]);
    /// Reads the word at the beginning of `bytes`. Panics if there are too few.
    fn from_bytes(order: ByteOrder, bytes: &[u8]) -> Self;
    /// Overwrites secrets with zeros. The compiler may not leave this out.
    #[cfg(feature = "hmac")]
    fn erase(words: &mut [Self]);
}

/// The order in which an algorithm reads words from bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteOrder {
    /// Most significant byte first (FIPS 180-4, section 3.1).
    Big,
    /// Least significant byte first (RFC 1321, section 2).
    Little,
}

/// The bytes of a lane's first words.
pub type Row = [u8; 64];

/// One word of each lane.
pub trait Words: Copy + Send + Sync {
    /// The instruction set of the vector.
    type Isa: Token;
    /// The word of one lane.
    type Word: Word;
    /// The number of lanes.
    const LANES: usize;
    /// The number of waves that advance interleaved. With two or more there are more live values
    /// than registers.
    const WAVES: usize;
    /// True if rounds wait for latency rather than for ports. `sha2::round!` then spends one extra
    /// addition to shorten the critical path.
    const LATENCY_BOUND: bool = false;

    // An operation of one instruction is `#[inline]` where it is implemented, so that it is
    // simplified before it is inlined into a kernel. One made of several is `#[inline(always)]`, or
    // it remains a call. Forcing all of them took the compiler 182 s instead of 71.

    /// Puts the same word into every lane.
    fn splat(isa: Self::Isa, word: Self::Word) -> Self;
    /// Reads lane i from `words[i]`. Panics if there are fewer than `LANES`.
    fn read(isa: Self::Isa, words: &[Self::Word]) -> Self;
    /// Writes lane i to `words[i]`. Panics if there are fewer than `LANES`.
    fn write(self, words: &mut [Self::Word]);
    /// Reads the `N` words at byte `at` of each of the lanes `first_lane..first_lane + LANES` and
    /// transposes them: word i of every lane is `[i]` of the result. `N` is at least the words of a
    /// register, and at most `MAX_BLOCK_WORDS`. Panics if the words are not all in `blocks`.
    fn load<const N: usize>(isa: Self::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; N];
    /// Reads like [`load`](Self::load), but for the lanes of one wave only, into `words`. The others stay as they are.
    #[inline(always)]
    fn load_wave<const N: usize>(
        isa: Self::Isa,
        order: ByteOrder,
        blocks: &Blocks,
        first_lane: usize,
        at: usize,
        _wave: usize,
        words: &mut [Self; N],
    ) {
        *words = Self::load(isa, order, blocks, first_lane, at);
    }
    /// True if [`load_column`](Self::load_column) is implemented.
    const LOADS_COLUMNS: bool = false;
    /// Reads like [`load`](Self::load) a block of as many words as `words`, but only one column of it: sixteen bytes of each lane of wave
    /// `column % WAVES`. It sets all words that these are: what reads a block by columns relies on it. Panics if there are no such
    /// words, or their bytes are not in `blocks`.
    #[inline(always)]
    fn load_column(
        _: Self::Isa,
        _: ByteOrder,
        _blocks: &Blocks,
        _first_lane: usize,
        _at: usize,
        _column: usize,
        _words: &mut [MaybeUninit<Self>],
    ) {
        unreachable!("asked for only where LOADS_COLUMNS")
    }
    /// Reads lane i from word i of `bytes`. Panics if there are fewer than `LANES` words.
    fn read_bytes(isa: Self::Isa, order: ByteOrder, bytes: &[u8]) -> Self;

    /// True if [`load_padded`](Self::load_padded) is implemented.
    const PADS: bool = false;
    /// True if long code that several compression functions have in common is called and not
    /// compiled for each of them. State then goes through memory, which costs no time where
    /// nothing else is said (Zen 4, SHA3-256: 411 ns a permutation either way with SSE2).
    const SHARES_CODE: bool = true;
    /// Does what [`load_padded`](Self::load_padded) does, with less code but through memory, if there are several waves. Straight code of
    /// four waves is 12 KiB, and that of MD5's rounds as much: the CPU's memory for decoded instructions has no room for both and for what
    /// runs between. In two waves SHA-1 and SHA-256 take up to 2 % longer so (Zen 5).
    #[inline(always)]
    fn load_padded_in_loop<const N: usize>(
        isa: Self::Isa,
        order: ByteOrder,
        messages: &Whole,
        first: &FirstByte,
        first_lane: usize,
        at: usize,
    ) -> [Self; N] {
        Self::load_padded(isa, order, messages, first, first_lane, at)
    }
    /// Reads like [`load`](Self::load), but messages may end before or in the block: the rest of
    /// the message comes first, then the byte `first`, unless it was in a block before, then zeros.
    /// Implemented only where `PADS`, because it needs masked loads.
    #[inline(always)]
    fn load_padded<const N: usize>(_: Self::Isa, _: ByteOrder, _: &Whole, _first: &FirstByte, _first_lane: usize, _at: usize) -> [Self; N] {
        unreachable!("asked for only where PADS")
    }
    /// Writes word i of each lane from `words[i]`, at most 8 of them, to `rows[lane]` as bytes: the
    /// transposition back. Implemented only where `PADS`.
    #[inline(always)]
    fn write_rows(_words: &[Self], _: ByteOrder, _rows: &mut [Row]) {
        unreachable!("asked for only where PADS")
    }

    /// Adds modulo the word size.
    fn add(self, other: Self) -> Self;
    /// Computes the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Computes the bitwise and.
    fn and(self, other: Self) -> Self;
    /// Computes the bitwise complement.
    fn not(self) -> Self;
    /// Rotates by `R` bits (ROTR of FIPS 180-4, section 3.2).
    fn rotate_right<const R: u32>(self) -> Self;
    /// Shifts by `R` bits (SHR of FIPS 180-4, section 3.2).
    fn shift_right<const R: u32>(self) -> Self;
    /// Returns the same value, but the compiler can't reorder additions through it. It moves
    /// constants to the end of a chain of additions, which is the critical path; pinned orders took
    /// one wave of SHA-256 from 5.00 to 5.63 GB/s.
    fn pin(self) -> Self;
    /// Returns the same value, and the compiler keeps calls of this function in order, with what they wait for. CPUs start the
    /// oldest instruction that is ready, so the order decides where ports are the limit. Does nothing but for scalar words and NEON.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "for kernels of these"))]
    #[inline(always)]
    fn in_order(self) -> Self {
        self
    }

    /// Jumps to the next instruction, once in a KiB of straight code or so. A CPU that misses a line of it in its memory for decoded
    /// instructions decodes all that follows, at half the speed, and goes back only where a branch leads. A jump takes no time (Zen 5).
    #[inline(always)]
    fn jump() {}

    /// Parity (FIPS 180-4, 4.1.1): x ^ y ^ z.
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        x.xor(y).xor(z)
    }
    /// Ch (FIPS 180-4, 4.1.1), reduced to three operations (Aciicmez 2004, figure 4.1).
    #[inline(always)]
    fn choose(x: Self, y: Self, z: Self) -> Self {
        choose(x, y, z)
    }
    /// Maj (FIPS 180-4, 4.1.1). The form of Aciicmez 2004 (figure 4.1) has four operations. This
    /// one has two beside `x ^ y`, which is `y ^ z` of the next round: the compiler sees it and
    /// computes it once.
    #[inline(always)]
    fn majority(x: Self, y: Self, z: Self) -> Self {
        y.xor(x.xor(y).and(y.xor(z)))
    }
    /// A row of chi (FIPS 202, 3.2.4): x ^ (~y & z).
    #[inline(always)]
    fn xor_and_not(x: Self, y: Self, z: Self) -> Self {
        x.xor(y.not().and(z))
    }
    /// I (RFC 1321, 3.4): y ^ (x | ~z), where x is known last.
    #[inline(always)]
    fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
        y.not().xor(x.not().and(z))
    }
    /// Adds G (RFC 1321, 3.4), which is Ch with x in the place of the choice that is known last:
    /// `choice` where `x` has ones, `other` elsewhere. Bits that never meet may be added, one half
    /// after the other, so that only half of the sum waits for `choice`.
    #[inline(always)]
    fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
        self.add(x.not().and(other)).pin().add(x.and(choice))
    }
}

/// Ch of [`Words`], where no instruction does it.
#[inline(always)]
pub(crate) fn choose<V: Words>(x: V, y: V, z: V) -> V {
    z.xor(x.and(y.xor(z)))
}

/// Vectors of 32-bit words that store two of them as pairs, lane by lane, for the SHA extensions.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Pairs: Words<Word = u32> {
    /// Writes the two words of each lane to `pairs[place(lane)]`. Panics if there are fewer pairs
    /// than lanes.
    fn write_pairs(first: Self, second: Self, pairs: &mut [[u32; 2]]);
    /// Reads four lanes from the words of `first`, and, if the vector has eight, four from those of
    /// `second`. Panics if there are too few.
    fn read_fours(isa: Self::Isa, order: ByteOrder, first: &[u8], second: &[u8]) -> Self;
    /// Returns the index of a lane's pair. The shuffles work on four lanes at a time, and decide
    /// the order of their pairs.
    #[inline(always)]
    fn place(lane: usize) -> usize {
        lane % 4 / 2 * (Self::LANES / 2) + lane / 4 * 2 + lane % 2
    }
}

/// Vectors of four words that hold a row of one message's state, for BLAKE2 and BLAKE3.
#[cfg(target_arch = "x86_64")]
pub(crate) trait FourWords: Words {
    /// The sixteen words of a block in registers.
    type Sixteen: Copy;
    /// Reads words that are always the same.
    #[inline(always)]
    fn constants(isa: Self::Isa, words: &[Self::Word; 4]) -> Self {
        Self::read(isa, words)
    }
    /// Loads a block, little-endian. Panics if there are fewer than sixteen words.
    fn load_sixteen(isa: Self::Isa, block: &[u8]) -> Self::Sixteen;
    /// Returns the words of a block at these places, modulo 16: the first four and the second four.
    fn pick(isa: Self::Isa, block: Self::Sixteen, places: &[Self::Word; 8]) -> [Self; 2];
    /// Returns the words from word `BY` on, and those before it behind them.
    fn turn<const BY: i32>(self) -> Self;
}

/// Vectors that hold successive words of one message, for a message schedule beside scalar rounds.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Successive: Words {
    /// Reads words that are always the same, like [`read`](Words::read).
    #[inline(always)]
    fn constants(isa: Self::Isa, words: &[Self::Word]) -> Self {
        Self::read(isa, words)
    }
    /// Puts the same word of memory into every lane.
    #[inline(always)]
    fn splat_word(isa: Self::Isa, word: Self::Word) -> Self {
        Self::splat(isa, word)
    }
    /// Returns the words of `self` from the second on, and the first word of `next` behind them.
    fn shift_in(self, next: Self) -> Self;
    /// Returns the words of `self` from the third on, and the first two words of `next` behind them. Of vectors of two words, that is `next`.
    fn shift_in_two(self, next: Self) -> Self;
    /// Returns the last two words as the first two, and zeros behind them.
    fn last_two_first(self) -> Self;
    /// Returns the first two words as the last two, and zeros before them. Vectors of two words are
    /// returned as they are.
    fn first_two_last(self) -> Self;
    /// Returns the first word.
    fn first(self) -> Self::Word;
    /// Puts the same word into every lane, by way of memory. That takes longer than a move between
    /// registers, but no vector unit.
    #[inline(always)]
    fn splat_stored(isa: Self::Isa, word: Self::Word) -> Self {
        let mut place = MaybeUninit::<Self::Word>::uninit();
        // SAFETY: it is read after it was written. Volatile, or the compiler would leave both out.
        let stored = unsafe {
            place.as_mut_ptr().write_volatile(word);
            place.as_ptr().read_volatile()
        };
        Self::splat(isa, stored)
    }
}

/// The most words a block may have: those of SHAKE128 (FIPS 202, table 3).
pub const MAX_BLOCK_WORDS: usize = 21;

/// Calls `$m!` with the sixteen indices of a block's words, after `$first`. Arrays of vectors are
/// written out, because `array::map` and the like would lose the features of the kernel.
macro_rules! sixteen {
    ($m:ident $($first:tt)*) => {
        $m!($($first)* 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}
pub(crate) use sixteen;

/// Calls `$m!` with the index of every word that a state or a block may have, after `$first`. The
/// state of SHA-3 has 26. A caller with fewer words leaves the others out by `if const`.
macro_rules! most_words {
    ($m:ident $($first:tt)*) => {
        $m!($($first)* 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
    };
}
pub(crate) use most_words;

/// An array of `$N` vectors of the type `$V`, where `$word!(i)` gives vector i. It is written out,
/// with constant conditions, so that each vector has a register from the start.
macro_rules! array {
    ($V:ty, $N:ident, $word:ident) => {{
        let mut words = [const { MaybeUninit::<$V>::uninit() }; $N];
        most_words!(array words $N $word);
        // SAFETY: all of them were written.
        unsafe { std::mem::transmute_copy::<[MaybeUninit<$V>; $N], [$V; $N]>(&words) }
    }};
    ($words:ident $N:ident $word:ident $($i:literal)*) => {
        const { assert!($N <= 26) }
        $(if const { $i < $N } {
            $words[$i].write($word!($i));
        })*
    };
}
pub(super) use array;

/// An array of `$N` vectors, loaded square by square. A square is the words that a register has of
/// each lane, `$words` of them: `$square` is an array of those from word `$first` on, transposed.
/// If `$N` is not a multiple of `$words`, the last square begins early enough to end with the last
/// word, so that nothing behind a block is read.
macro_rules! squares {
    ($N:ident, $words:literal, |$first:ident| $square:expr) => {{
        const { assert!($words <= $N && $N <= MAX_BLOCK_WORDS) }
        let mut words = [const { MaybeUninit::<Self>::uninit() }; $N];
        most_words!(squares words $N $words $first $square;);
        if const { $N % $words > 0 } {
            let $first = $N - $words;
            let square = $square;
            sixteen!(put_square words square $first, $words, $words - $N % $words;);
        }
        // SAFETY: all of them were written.
        unsafe { std::mem::transmute_copy::<[MaybeUninit<Self>; $N], [Self; $N]>(&words) }
    }};
    ($out:ident $N:ident $words:literal $first:ident $square:expr; $($k:literal)*) => {
        $(if const { ($k + 1) * $words <= $N } {
            let $first = $k * $words;
            let square = $square;
            sixteen!(put_square $out square $first, $words, 0;);
        })*
    };
}
pub(super) use squares;

/// Writes word i of a square to `$out[$first + i]`, from word `$from` on.
macro_rules! put_square {
    ($out:ident $square:ident $first:ident, $words:literal, $from:expr; $($i:literal)*) => {
        $(if const { $i >= ($from) && $i < $words } {
            $out[$first + $i].write($square[$i % $words]);
        })*
    };
}
pub(super) use put_square;

/// A number of words as a type: those of a state or of a block.
pub trait WordCount: 'static {
    /// An array of `COUNT` values: words, vectors or rows of words.
    type Of<T: Copy + Send + Sync>: Copy + Send + Sync + AsRef<[T]> + AsMut<[T]>;
    /// The number of words.
    const COUNT: usize;
    /// Returns an array with `value` in every place.
    fn filled<T: Copy + Send + Sync>(value: T) -> Self::Of<T>;
    /// Returns vectors that have word i in every lane of vector i.
    fn splat<V: Words>(isa: V::Isa, words: &Self::Of<V::Word>) -> Self::Of<V>;
    /// Reads vector i from the beginning of row i of a table of words with `columns` columns. Panics
    /// if there are fewer columns than lanes.
    fn read<V: Words>(isa: V::Isa, words: &[V::Word], columns: usize) -> Self::Of<V>;
    /// Writes vector i to the beginning of row i of a table of words with `columns` columns. Panics
    /// if there are fewer columns than lanes.
    fn write<V: Words>(vectors: &Self::Of<V>, words: &mut [V::Word], columns: usize);
    /// Loads `COUNT` words of each lane: see [`Words::load`].
    fn load<V: Words>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> Self::Of<V>;
    /// Loads `COUNT` words of each lane of one wave: see [`Words::load_wave`].
    fn load_wave<V: Words>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, at: usize, wave: usize, words: &mut Self::Of<V>);
    /// Loads `COUNT` words of each lane, padded: see [`Words::load_padded`].
    fn load_padded<V: Words>(
        isa: V::Isa,
        order: ByteOrder,
        messages: &Whole,
        first: &FirstByte,
        first_lane: usize,
        at: usize,
    ) -> Self::Of<V>;
    /// Loads one vector of words from the beginning of each of the rows.
    fn load_rows<V: Words>(isa: V::Isa, order: ByteOrder, rows: &Rows<'_>) -> Self::Of<V>;
}

/// The number `N`.
#[derive(Debug)]
pub struct Count<const N: usize>;

impl<const N: usize> WordCount for Count<N> {
    type Of<T: Copy + Send + Sync> = [T; N];
    const COUNT: usize = N;
    #[inline(always)]
    fn filled<T: Copy + Send + Sync>(value: T) -> [T; N] {
        [value; N]
    }
    #[inline(always)]
    fn splat<V: Words>(isa: V::Isa, words: &[V::Word; N]) -> [V; N] {
        macro_rules! word {
            ($i:literal) => {
                V::splat(isa, words[$i])
            };
        }
        array!(V, N, word)
    }
    #[inline(always)]
    fn read<V: Words>(isa: V::Isa, words: &[V::Word], columns: usize) -> [V; N] {
        macro_rules! row {
            ($i:literal) => {
                V::read(isa, &words[$i * columns..][..columns])
            };
        }
        array!(V, N, row)
    }
    #[inline(always)]
    fn write<V: Words>(vectors: &[V; N], words: &mut [V::Word], columns: usize) {
        macro_rules! rows { ($($i:literal)*) => { $(
            if const { $i < N } {
                vectors[$i].write(&mut words[$i * columns..][..columns]);
            }
        )* } }
        most_words!(rows);
    }
    #[inline(always)]
    fn load<V: Words>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [V; N] {
        V::load(isa, order, blocks, first_lane, at)
    }
    #[inline(always)]
    fn load_wave<V: Words>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, at: usize, wave: usize, words: &mut [V; N]) {
        V::load_wave(isa, order, blocks, 0, at, wave, words);
    }
    #[inline(always)]
    fn load_padded<V: Words>(isa: V::Isa, order: ByteOrder, messages: &Whole, first: &FirstByte, first_lane: usize, at: usize) -> [V; N] {
        V::load_padded(isa, order, messages, first, first_lane, at)
    }
    #[inline(always)]
    fn load_rows<V: Words>(isa: V::Isa, order: ByteOrder, rows: &Rows<'_>) -> [V; N] {
        macro_rules! word {
            ($i:literal) => {
                V::read_bytes(isa, order, rows.vector($i))
            };
        }
        array!(V, N, word)
    }
}
