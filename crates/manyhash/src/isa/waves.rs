//! Several waves of an instruction set, interleaved operation by operation, are an instruction set
//! too. One wave computes while the other waits for its latency.

use super::columns::COLUMN_BYTES;
use super::words::{array, most_words};
use super::{Blocks, ByteOrder, FirstByte, Isa, Row, Task, Token, Whole, Words};
use std::mem::MaybeUninit;

/// Declares an instruction set made of several waves of another: every operation does all of them.
macro_rules! waves {
    ($d:tt $($(#[$doc:meta])* $Waves:ident, $Vector:ident($($V:ident)+), $Shared:ident: $count:literal = [$($wave:tt)+];)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Waves<I>(I);

        /// One vector of each wave.
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
            const FEATURES: &'static [&'static str] = I::FEATURES;
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
            /// Whatever `V` is: interleaved waves do not wait for latency, and `One` is made for
            /// CPUs that do not.
            const LATENCY_BOUND: bool = false;
            const SHARES_CODE: bool = V::SHARES_CODE;
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
            fn load<const N: usize>(isa: Self::Isa, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; N] {
                let waves = ($(V::load::<N>(isa.0, order, blocks, first_lane + $wave * V::LANES, at),)+);
                macro_rules! word { ($d i:literal) => { of_wave!($Vector waves $d i $($wave)+) } }
                array!(Self, N, word)
            }
            #[inline(always)]
            fn load_wave<const N: usize>(
                isa: Self::Isa,
                order: ByteOrder,
                blocks: &Blocks,
                first_lane: usize,
                at: usize,
                wave: usize,
                words: &mut [Self; N],
            ) {
                $(if wave / V::WAVES == $wave {
                    let mut of_wave = [words[0].$wave; N];
                    V::load_wave(isa.0, order, blocks, first_lane + $wave * V::LANES, at, wave % V::WAVES, &mut of_wave);
                    for (word, of_wave) in words.iter_mut().zip(of_wave) {
                        word.$wave = of_wave;
                    }
                })+
            }
            /// Parts of waves of waves would be set one by one.
            const LOADS_COLUMNS: bool = V::LOADS_COLUMNS && V::WAVES == 1;
            #[inline(always)]
            fn load_column(
                isa: Self::Isa,
                order: ByteOrder,
                blocks: &Blocks,
                first_lane: usize,
                at: usize,
                column: usize,
                words: &mut [MaybeUninit<Self>],
            ) {
                let word_count = COLUMN_BYTES / size_of::<V::Word>();
                let (of_wave, wave) = (column / Self::WAVES, column % Self::WAVES);
                let words = &mut words[of_wave * word_count..][..word_count];
                $(if wave == $wave {
                    let mut loaded = [const { MaybeUninit::uninit() }; COLUMN_BYTES / 4];
                    let loaded = &mut loaded[..word_count];
                    V::load_column(isa.0, order, blocks, first_lane + $wave * V::LANES, at + of_wave * COLUMN_BYTES, 0, loaded);
                    for i in 0..word_count {
                        // SAFETY: the column's words are set. A part of a word may be written before the others.
                        unsafe { (&raw mut (*words[i].as_mut_ptr()).$wave).write(loaded[i].assume_init()) }
                    }
                })+
            }
            #[inline(always)]
            fn read_bytes(isa: Self::Isa, order: ByteOrder, bytes: &[u8]) -> Self {
                Self($(V::read_bytes(isa.0, order, &bytes[$wave * V::LANES * size_of::<V::Word>()..])),+)
            }
            const PADS: bool = V::PADS;
            #[inline(always)]
            fn load_padded<const N: usize>(isa: Self::Isa, order: ByteOrder, messages: &Whole, first: &FirstByte, first_lane: usize, at: usize) -> [Self; N] {
                let waves = ($(V::load_padded_in_loop::<N>(isa.0, order, messages, first, first_lane + $wave * V::LANES, at),)+);
                macro_rules! word { ($d i:literal) => { of_wave!($Vector waves $d i $($wave)+) } }
                array!(Self, N, word)
            }
            #[inline(always)]
            fn load_padded_in_loop<const N: usize>(
                isa: Self::Isa,
                order: ByteOrder,
                messages: &Whole,
                first: &FirstByte,
                first_lane: usize,
                at: usize,
            ) -> [Self; N] {
                let mut waves = [const { MaybeUninit::<[V; N]>::uninit() }; $count];
                for (wave, words) in waves.iter_mut().enumerate() {
                    words.write(V::load_padded(isa.0, order, messages, first, first_lane + wave * V::LANES, at));
                }
                // SAFETY: the loop wrote each.
                let waves = unsafe { ($(waves[$wave].assume_init_ref(),)+) };
                macro_rules! word { ($d i:literal) => { of_wave!($Vector waves $d i $($wave)+) } }
                array!(Self, N, word)
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
            fn jump() {
                V::jump();
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
            fn xor_and_not(x: Self, y: Self, z: Self) -> Self {
                Self($(V::xor_and_not(x.$wave, y.$wave, z.$wave)),+)
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

/// An item for each wave: `$every`, the same for all; or the vector of word `$i` of each.
macro_rules! of_wave {
    ($every:ident $wave:tt) => { $every };
    ($Vector:ident $waves:ident $i:literal $($wave:tt)+) => { $Vector($($waves.$wave[$i]),+) };
}

waves! { $
    /// One wave with the fewest operations instead of the shortest wait for each. It is for CPUs
    /// whose ports are the limit even for one wave.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other architectures have no lanes with rounds of the other form"))]
    One, Single(V), OneTask: 1 = [0];
    /// Two waves, interleaved operation by operation.
    Two, Pair(V V), TwoTask: 2 = [0 1];
    /// Five waves, interleaved operation by operation, for registers that are many and narrow.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code, reason = "other architectures have fewer registers, or wider ones"))]
    Five, Quintuple(V V V V V), FiveTask: 5 = [0 1 2 3 4];
}
