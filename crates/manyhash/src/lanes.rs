//! Lanes: message i in lane i of a vector register, one instruction for all of them.
//!
//! [`Words`] is a vector of one word per lane with about a dozen operations; [`Isa`] names an instruction set's two vector types.
//! Every operation on values is safe: a vector can only be made from a token, and the token proves the CPU has the instructions.
//! [`Two`] is two waves of any instruction set, and an instruction set itself: each operation does both halves, so that one wave
//! computes while the other waits for its latency. [`One`] is one wave with the fewest operations, for CPUs that hardly wait. `u32` and
//! `u64` are vectors of one lane: the portable instruction set.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_half;
#[cfg(target_arch = "x86_64")]
mod avx512_quarter;
mod blocks;
mod dealt;
#[cfg(target_arch = "x86_64")]
mod operations;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub use blocks::{Blocks, Whole};
pub(crate) use dealt::Dealt;

use crate::isa::{Task, Token};

/// The widest shape any backend may have, in lanes.
pub const MAX_LANES: usize = 64;

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
    /// The word that begins with a byte of 0x80 and has zeros after it.
    fn first_bit(order: ByteOrder) -> Self;
    /// With `byte` exclusive-ored to each of its bytes.
    fn xor_bytes(self, byte: u8) -> Self;
    /// Appends the word to `bytes` at `at`, cut off where `bytes` ends.
    fn write_bytes(self, order: ByteOrder, at: usize, bytes: &mut [u8]);
    /// The word that begins `bytes`. Panics if there are too few.
    fn from_bytes(order: ByteOrder, bytes: &[u8]) -> Self;
    /// Writes zeros over secrets, which the compiler may not leave out.
    #[cfg(feature = "hmac")]
    fn erase(words: &mut [Self]);
}

/// How an algorithm reads its words from bytes.
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
    /// The instruction set.
    type Isa: Copy;
    /// One lane's word.
    type Word: Word;
    /// Lanes.
    const LANES: usize;
    /// Waves that advance interleaved: with two or more there are more live values than registers.
    const WAVES: usize;
    /// Whether an operation's latency is the limit, and not the number of operations: then one more is welcome where it shortens the
    /// way from a round to the next.
    const LATENCY_BOUND: bool = false;

    // What is one instruction says `#[inline]` where it is implemented, so that it is simplified before it is put into a kernel; what is
    // made of several says `#[inline(always)]`, or it is left as a call. All of them by force took the compiler 182 s instead of 71.

    /// The same word in every lane.
    fn splat(isa: Self::Isa, word: Self::Word) -> Self;
    /// Lane i from `words[i]`. Panics if there are fewer than `LANES`.
    fn read(isa: Self::Isa, words: &[Self::Word]) -> Self;
    /// Lane i to `words[i]`. Panics if there are fewer than `LANES`.
    fn write(self, words: &mut [Self::Word]);
    /// Words 0 to 15 of the block at byte `at` of lanes `first_lane..first_lane + LANES`: a transposition. Panics outside `blocks`.
    fn load_block(isa: Self::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16];
    /// Lane i from word i of `bytes`. Panics if there are fewer than `LANES` words.
    fn read_bytes(isa: Self::Isa, order: ByteOrder, bytes: &[u8]) -> Self;

    /// Whether [`load_padded`](Self::load_padded) is there.
    const PADS: bool = false;
    /// As `load_block`, where messages may end before or in the block: the rest of it, then a one bit, unless that was in a block
    /// before, then zeros (FIPS 180-4, 5.1, without the length). Only where the instruction set has masked loads.
    #[inline(always)]
    fn load_padded(_: Self::Isa, _: ByteOrder, _: &Whole, _first_lane: usize, _at: usize) -> [Self; 16] {
        unreachable!("asked for only where PADS")
    }
    /// Word i of each lane from `words[i]`, at most 8 of them, to `rows[lane]` as bytes: the transposition back. Where PADS.
    #[inline(always)]
    fn write_rows(_words: &[Self], _: ByteOrder, _rows: &mut [Row]) {
        unreachable!("asked for only where PADS")
    }

    /// Sum modulo the word size.
    fn add(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Rotation by `R` bits (ROTR of FIPS 180-4, section 3.2).
    fn rotate_right<const R: u32>(self) -> Self;
    /// Shift by `R` bits (SHR of FIPS 180-4, section 3.2).
    fn shift_right<const R: u32>(self) -> Self;
    /// The same value, through which the compiler can't reorder additions. It moves constants to the end of a chain of additions,
    /// which is the critical path; pinned orders took one wave of SHA-256 from 5.00 to 5.63 GB/s.
    fn pin(self) -> Self;

    /// Parity (FIPS 180-4, 4.1.1): x ^ y ^ z.
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        x.xor(y).xor(z)
    }
    /// Ch (FIPS 180-4, 4.1.1), reduced to three operations (Aciicmez 2004, figure 4.1).
    #[inline(always)]
    fn choose(x: Self, y: Self, z: Self) -> Self {
        z.xor(x.and(y.xor(z)))
    }
    /// Maj (FIPS 180-4, 4.1.1). The form of Aciicmez 2004 (figure 4.1) has four operations; this one has two beside `x ^ y`, which
    /// is `y ^ z` of the next round: the compiler sees it and computes it once.
    #[inline(always)]
    fn majority(x: Self, y: Self, z: Self) -> Self {
        y.xor(x.xor(y).and(y.xor(z)))
    }
    /// I (RFC 1321, 3.4): y ^ (x | ~z), of which x is known last.
    #[inline(always)]
    fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
        y.not().xor(x.not().and(z))
    }
    /// Sum with G (RFC 1321, 3.4), which is Ch with x in the place of the choice that is known last: `choice` where `x` has ones, `other`
    /// elsewhere. Bits that never meet may be added, one half after the other, so that only half of it waits for `choice`.
    #[inline(always)]
    fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
        self.add(x.not().and(other)).pin().add(x.and(choice))
    }
}

/// Vectors of 32-bit words that give two of them lane by lane, for the SHA extensions.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Pairs: Words<Word = u32> {
    /// The two words of each lane to `pairs[place(lane)]`. Panics if there are fewer pairs than lanes.
    fn write_pairs(first: Self, second: Self, pairs: &mut [[u32; 2]]);
    /// Four lanes from the words of `first`, and, if there are so many, four from those of `second`. Panics if there are too few.
    fn read_fours(isa: Self::Isa, order: ByteOrder, first: &[u8], second: &[u8]) -> Self;
    /// Where a lane's words go: wherever the shuffles leave them, which take every four lanes for themselves, and of these two and two.
    #[inline(always)]
    fn place(lane: usize) -> usize {
        lane % 4 / 2 * (Self::LANES / 2) + lane / 4 * 2 + lane % 2
    }
}

/// Calls `$m!` with the sixteen indices of a block's words: arrays of vectors are written out, because `array::map` and friends
/// would leave the features of the kernel behind.
macro_rules! sixteen {
    ($m:ident) => {
        $m!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}
pub(crate) use sixteen;

/// The instruction set every CPU has: one lane.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Token for Portable {
    #[inline(always)]
    fn detect() -> Option<Self> {
        Some(Self)
    }
    #[inline(always)]
    fn run<T: Task<Self>>(self, task: T) -> T::Output {
        #[inline(never)]
        fn plain<T: Task<Portable>>(task: T) -> T::Output {
            task.run(Portable)
        }
        plain(task)
    }
}

impl Isa for Portable {
    type U32 = u32;
    type U64 = u64;
}

macro_rules! one_lane {
    ($word:ident, $vector:ident, $register:literal) => {
        impl Word for $word {
            type Vector<I: Isa> = I::$vector;
            fn first_bit(order: ByteOrder) -> Self {
                if order == ByteOrder::Big { 1 << ($word::BITS - 1) } else { 0x80 }
            }
            fn xor_bytes(self, byte: u8) -> Self {
                self ^ $word::from_ne_bytes([byte; size_of::<$word>()])
            }
            #[inline(always)]
            fn write_bytes(self, order: ByteOrder, at: usize, bytes: &mut [u8]) {
                let word = if order == ByteOrder::Big { self.to_be_bytes() } else { self.to_le_bytes() };
                let room = bytes.len().saturating_sub(at).min(word.len());
                bytes[at..at + room].copy_from_slice(&word[..room]);
            }
            fn from_bytes(order: ByteOrder, bytes: &[u8]) -> Self {
                let bytes = bytes[..size_of::<$word>()].try_into().expect("as many as the word has");
                if order == ByteOrder::Big { $word::from_be_bytes(bytes) } else { $word::from_le_bytes(bytes) }
            }
            #[cfg(feature = "hmac")]
            fn erase(words: &mut [Self]) {
                zeroize::Zeroize::zeroize(words);
            }
        }

        impl Words for $word {
            type Isa = Portable;
            type Word = $word;
            const LANES: usize = 1;
            const WAVES: usize = 1;
            #[inline]
            fn splat(_: Portable, word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn read(_: Portable, words: &[$word]) -> Self {
                words[0]
            }
            #[inline(always)]
            fn write(self, words: &mut [$word]) {
                words[0] = self;
            }
            #[inline(always)]
            fn load_block(_: Portable, order: ByteOrder, blocks: &Blocks, lane: usize, at: usize) -> [Self; 16] {
                let (bytes, _) = blocks.bytes(lane, at, 16 * size_of::<$word>()).as_chunks();
                let mut words = [0; 16];
                for (word, bytes) in words.iter_mut().zip(bytes) {
                    *word = if order == ByteOrder::Big { $word::from_be_bytes(*bytes) } else { $word::from_le_bytes(*bytes) };
                }
                words
            }
            #[inline(always)]
            fn read_bytes(_: Portable, order: ByteOrder, bytes: &[u8]) -> Self {
                let bytes = *bytes.first_chunk().expect("a word");
                if order == ByteOrder::Big { $word::from_be_bytes(bytes) } else { $word::from_le_bytes(bytes) }
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline]
            fn not(self) -> Self {
                !self
            }
            #[inline]
            fn rotate_right<const R: u32>(self) -> Self {
                self.rotate_right(R)
            }
            #[inline]
            fn shift_right<const R: u32>(self) -> Self {
                self >> R
            }
            #[inline]
            fn pin(self) -> Self {
                #[cfg(target_arch = "x86_64")]
                {
                    let mut x = self;
                    // SAFETY: no instruction, only a register named.
                    unsafe { core::arch::asm!($register, inout(reg) x, options(pure, nomem, nostack, preserves_flags)) }
                    x
                }
                #[cfg(not(target_arch = "x86_64"))]
                self
            }
        }
    };
}
one_lane!(u32, U32, "/* {0:e} */");
one_lane!(u64, U64, "/* {0:r} */");

/// Instruction sets made of several waves of another, interleaved operation by operation: every operation does all of them.
macro_rules! waves {
    ($d:tt $($(#[$doc:meta])* $Waves:ident, $Vector:ident($($V:ident)+), $Shared:ident: $count:literal = [$($wave:tt)+];)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Waves<I>(I);

        /// A vector of each wave.
        #[derive(Clone, Copy)]
        pub struct $Vector<V>($($V),+);

        struct $Shared<T>(T);

        impl<I: Token, T: Task<$Waves<I>>> Task<I> for $Shared<T> {
            type Output = T::Output;
            #[inline(always)]
            fn run(self, isa: I) -> T::Output {
                self.0.run($Waves(isa))
            }
        }

        impl<I: Token> Token for $Waves<I> {
            #[inline(always)]
            fn detect() -> Option<Self> {
                I::detect().map(Self)
            }
            #[inline(always)]
            fn run<T: Task<Self>>(self, task: T) -> T::Output {
                self.0.run($Shared(task))
            }
        }

        impl<I: Isa> Isa for $Waves<I> {
            type U32 = $Vector<I::U32>;
            type U64 = $Vector<I::U64>;
        }

        impl<V: Words> Words for $Vector<V> {
            type Isa = $Waves<V::Isa>;
            type Word = V::Word;
            const LANES: usize = $count * V::LANES;
            const WAVES: usize = $count * V::WAVES;
            /// Whatever `V` is: who interleaves waves has no time to wait, and `One` is made for this.
            const LATENCY_BOUND: bool = false;
            #[inline]
            fn splat(isa: Self::Isa, word: V::Word) -> Self {
                let every = V::splat(isa.0, word);
                Self($(of_wave!(every $wave)),+)
            }
            #[inline(always)]
            fn read(isa: Self::Isa, words: &[V::Word]) -> Self {
                Self($(V::read(isa.0, &words[$wave * V::LANES..])),+)
            }
            #[inline(always)]
            fn write(self, words: &mut [V::Word]) {
                $(self.$wave.write(&mut words[$wave * V::LANES..]);)+
            }
            #[inline(always)]
            fn load_block(isa: Self::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
                let waves = ($(V::load_block(isa.0, order, blocks, first_lane + $wave * V::LANES, at),)+);
                macro_rules! words { ($d($i:literal)*) => { [$d(of_wave!($Vector waves $i $($wave)+)),*] } }
                sixteen!(words)
            }
            #[inline(always)]
            fn read_bytes(isa: Self::Isa, order: ByteOrder, bytes: &[u8]) -> Self {
                Self($(V::read_bytes(isa.0, order, &bytes[$wave * V::LANES * size_of::<V::Word>()..])),+)
            }
            const PADS: bool = V::PADS;
            #[inline(always)]
            fn load_padded(isa: Self::Isa, order: ByteOrder, messages: &Whole, first_lane: usize, at: usize) -> [Self; 16] {
                let waves = ($(V::load_padded(isa.0, order, messages, first_lane + $wave * V::LANES, at),)+);
                macro_rules! words { ($d($i:literal)*) => { [$d(of_wave!($Vector waves $i $($wave)+)),*] } }
                sixteen!(words)
            }
            #[inline(always)]
            fn write_rows(words: &[Self], order: ByteOrder, rows: &mut [Row]) {
                $({
                    let mut of_wave = [words[0].$wave; 8];
                    for (i, word) in words.iter().enumerate() {
                        of_wave[i] = word.$wave;
                    }
                    V::write_rows(&of_wave[..words.len()], order, &mut rows[$wave * V::LANES..]);
                })+
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                Self($(self.$wave.add(other.$wave)),+)
            }
            #[inline]
            fn xor(self, other: Self) -> Self {
                Self($(self.$wave.xor(other.$wave)),+)
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                Self($(self.$wave.and(other.$wave)),+)
            }
            #[inline]
            fn not(self) -> Self {
                Self($(self.$wave.not()),+)
            }
            #[inline]
            fn rotate_right<const R: u32>(self) -> Self {
                Self($(self.$wave.rotate_right::<R>()),+)
            }
            #[inline]
            fn shift_right<const R: u32>(self) -> Self {
                Self($(self.$wave.shift_right::<R>()),+)
            }
            #[inline]
            fn pin(self) -> Self {
                Self($(self.$wave.pin()),+)
            }
            #[inline(always)]
            fn xor3(x: Self, y: Self, z: Self) -> Self {
                Self($(V::xor3(x.$wave, y.$wave, z.$wave)),+)
            }
            #[inline(always)]
            fn choose(x: Self, y: Self, z: Self) -> Self {
                Self($(V::choose(x.$wave, y.$wave, z.$wave)),+)
            }
            #[inline(always)]
            fn majority(x: Self, y: Self, z: Self) -> Self {
                Self($(V::majority(x.$wave, y.$wave, z.$wave)),+)
            }
            #[inline(always)]
            fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
                Self($(V::xor_or_not(x.$wave, y.$wave, z.$wave)),+)
            }
            #[inline(always)]
            fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
                Self($(self.$wave.add_choice(x.$wave, choice.$wave, other.$wave)),+)
            }
        }
    )* };
}

/// For a list of waves: `$every`, the same for each; or the vector of word `$i` of each.
macro_rules! of_wave {
    ($every:ident $wave:tt) => { $every };
    ($Vector:ident $waves:ident $i:literal $($wave:tt)+) => { $Vector($($waves.$wave[$i]),+) };
}

waves! { $
    /// One wave, with the fewest operations instead of the shortest wait for each: for CPUs whose ports are the limit even so.
    One, Single(V), OneTask: 1 = [0];
    /// Two waves.
    Two, Pair(V V), TwoTask: 2 = [0 1];
}
