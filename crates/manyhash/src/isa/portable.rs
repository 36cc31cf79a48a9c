//! The instruction set that every CPU has: `u32` and `u64` are vectors of one lane.

use super::{Blocks, ByteOrder, Isa, Task, Token, Word, Words};

/// The instruction set that every CPU has, with one lane.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Token for Portable {
    const FEATURES: &'static [&'static str] = &[];
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
            const ONES: Self = $word::MAX;
            const TOP_BIT: Self = 1 << ($word::BITS - 1);
            fn low(value: u64) -> Self {
                value as Self
            }
            fn high(value: u64) -> Self {
                (u128::from(value) >> $word::BITS) as Self
            }
            fn xor_bytes(self, byte: u8) -> Self {
                self ^ $word::from_ne_bytes([byte; size_of::<$word>()])
            }
            #[inline(always)]
            fn masked(self, kept: Self, others: Self) -> Self {
                self & kept | others
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
            /// Through memory a permutation of SHA-3 takes 6 % longer (Zen 4).
            const SHARES_CODE: bool = false;
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
            fn load<const N: usize>(_: Portable, order: ByteOrder, blocks: &Blocks, lane: usize, at: usize) -> [Self; N] {
                let (bytes, _) = blocks.bytes(lane, at, N * size_of::<$word>()).as_chunks();
                let mut words = [0; N];
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
                #[cfg(all(target_arch = "x86_64", not(miri)))]
                {
                    let mut x = self;
                    // SAFETY: no instruction, only a register named.
                    unsafe { core::arch::asm!($register, inout(reg) x, options(pure, nomem, nostack, preserves_flags)) }
                    x
                }
                #[cfg(not(all(target_arch = "x86_64", not(miri))))]
                self
            }
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            #[inline]
            fn in_order(self) -> Self {
                let mut x = self;
                // SAFETY: no instruction, only a register named. Not `pure`, to stay in order.
                unsafe { core::arch::asm!($register, inout(reg) x, options(nomem, nostack, preserves_flags)) }
                x
            }
        }
    };
}
one_lane!(u32, U32, "/* {0:e} */");
one_lane!(u64, U64, "/* {0:r} */");
