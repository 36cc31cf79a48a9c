//! BLAKE2 and BLAKE3 with the state of one message in four vectors, its rows: one quarter round of each
//! vector is four of the standard's, for all columns or all diagonals (RFC 7693, section 3.2; "BLAKE3",
//! section 2.2).
//!
//! A row of the diagonals is a turn of a row of the columns. The second row stays where it is, because it
//! is the last one that a quarter round makes; the others are turned while it is made.

use crate::algorithm::blake2::SIGMA;
use crate::algorithm::blake2b::{self, Blake2bCompression};
use crate::algorithm::blake2s::{self, Blake2sCompression};
use crate::algorithm::blake3::{self, Blake3Compression, CHUNK_START};
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::isa::{Blocks, FourWords};
use std::marker::PhantomData;

/// The places in the block of the words that one round adds: for the columns and for the diagonals the
/// first four, and the second four.
type Places<W> = [[W; 8]; 2];

/// A state in vectors: the chaining value in two, and what is beside it in the words of the state that
/// only the ending needs.
#[derive(Clone, Copy)]
pub(crate) struct State<C, V> {
    chaining: [V; 2],
    beside: [V; 3],
    compression: PhantomData<C>,
}

/// A compression function whose state has four rows.
pub(crate) trait InRows: Compression {
    /// The words of the third row, and, unless the state says otherwise, those of the fourth.
    const INITIAL: [Self::Word; 8];
    /// Where each round finds its words.
    const PLACES: &'static [Places<Self::Word>];
    /// Loads what is beside the chaining value.
    fn load_beside<V: FourWords<Word = Self::Word>>(isa: V::Isa, state: &ChainingOf<Self>) -> [V; 3];
    /// Stores what is beside the chaining value.
    fn store_beside<V: FourWords<Word = Self::Word>>(beside: &[V; 3], state: &mut ChainingOf<Self>);
    /// Returns the fourth row of the next block, and makes of what is beside the chaining value that of the
    /// block after it.
    fn fourth_row<V: FourWords<Word = Self::Word>>(isa: V::Isa, beside: &mut [V; 3]) -> V;
    /// A quarter round of four columns or diagonals, with two words of the block for each.
    fn quarter_rounds<V: FourWords<Word = Self::Word>>(rows: &mut [V; 4], first: V, second: V);
    /// Returns the next chaining value from the one before and the last rows.
    fn chain<V: FourWords<Word = Self::Word>>(before: [V; 2], rows: [V; 4], beside: &[V; 3]) -> [V; 2];
}

impl<C: InRows, V: FourWords<Word = C::Word>> State<C, V> {
    /// Loads a state into registers.
    #[inline(always)]
    pub(crate) fn load(isa: V::Isa, state: &ChainingOf<C>) -> Self {
        let words = state.as_ref();
        let chaining = [V::read(isa, &words[..4]), V::read(isa, &words[4..8])];
        Self { chaining, beside: C::load_beside(isa, state), compression: PhantomData }
    }

    /// Stores registers to a state.
    #[inline(always)]
    pub(crate) fn store(&self) -> ChainingOf<C> {
        let mut state = C::filled(WordOf::<C>::default());
        for (row, words) in self.chaining.iter().zip(state.as_mut().as_chunks_mut::<4>().0) {
            row.write(words);
        }
        C::store_beside(&self.beside, &mut state);
        state
    }
}

/// Compresses every block of lanes `0..N` into the states, one message after the other.
#[inline(always)]
pub(crate) fn compress<C: InRows, V: FourWords<Word = C::Word>, const N: usize>(
    isa: V::Isa,
    states: &mut [State<C, V>; N],
    blocks: &Blocks,
) {
    for (message, state) in states.iter_mut().enumerate() {
        for at in (0..blocks.len_bytes()).step_by(C::BLOCK_BYTES) {
            let block = V::load_sixteen(isa, blocks.bytes(message, at, C::BLOCK_BYTES));
            let [a, b] = state.chaining;
            let mut rows = [a, b, V::constants(isa, C::INITIAL.first_chunk().expect("eight words")), C::fourth_row(isa, &mut state.beside)];
            for [columns, diagonals] in C::PLACES {
                let [first, second] = V::pick(isa, block, columns);
                C::quarter_rounds(&mut rows, first, second);
                let [a, b, c, d] = rows;
                rows = [a.turn::<3>(), b, c.turn::<1>(), d.turn::<2>()];
                let [first, second] = V::pick(isa, block, diagonals);
                C::quarter_rounds(&mut rows, first, second);
                let [a, b, c, d] = rows;
                rows = [a.turn::<1>(), b, c.turn::<3>(), d.turn::<2>()];
            }
            state.chaining = C::chain(state.chaining, rows, &state.beside);
        }
    }
}

/// Four quarter rounds (RFC 7693, section 3.1), with the rotations of a compression function.
macro_rules! quarter_rounds {
    ([$r1:literal $r2:literal $r3:literal $r4:literal]) => {
        #[inline(always)]
        fn quarter_rounds<V: FourWords<Word = Self::Word>>(rows: &mut [V; 4], first: V, second: V) {
            let [mut a, mut b, mut c, mut d] = *rows;
            a = a.add(first).add(b);
            d = d.xor(a).rotate_right::<$r1>();
            c = c.add(d);
            b = b.xor(c).rotate_right::<$r2>();
            a = a.add(second).add(b);
            d = d.xor(a).rotate_right::<$r3>();
            c = c.add(d);
            b = b.xor(c).rotate_right::<$r4>();
            *rows = [a, b, c, d];
        }
    };
}

/// Returns the places of the words of one round, from those in the order of the quarter rounds. The
/// diagonals begin one lane later, with the second row where it is.
macro_rules! places {
    ($word:ident, $order:expr) => {{
        let order: &[usize; 16] = $order;
        let mut places = [[0; 8]; 2];
        let mut i = 0;
        while i < 16 {
            let lane = if i < 8 { i / 2 } else { i / 2 - 3 } % 4;
            places[i / 8][i % 2 * 4 + lane] = order[i] as $word;
            i += 1;
        }
        places
    }};
}

/// Implements [`InRows`] for a function of BLAKE2. Beside its chaining value a state has a count of two
/// words, the flag of the last block, and that of a level's last node.
macro_rules! blake2 {
    ($Compression:ident, $module:ident, $word:ident, $top_bit:literal, $rounds:literal, $rotations:tt) => {
        impl InRows for $Compression {
            const INITIAL: [$word; 8] = $module::INITIAL;
            const PLACES: &'static [Places<$word>] = &{
                let mut all = [[[0; 8]; 2]; $rounds];
                let mut round = 0;
                while round < $rounds {
                    all[round] = places!($word, &SIGMA[round % 10]);
                    round += 1;
                }
                all
            };
            quarter_rounds!($rotations);

            #[inline(always)]
            fn load_beside<V: FourWords<Word = $word>>(isa: V::Isa, state: &[$word; 12]) -> [V; 3] {
                let [.., low, high, flag, is_last_node] = *state;
                [V::read(isa, &[low, high, flag, is_last_node]); 3]
            }

            #[inline(always)]
            fn store_beside<V: FourWords<Word = $word>>(beside: &[V; 3], state: &mut [$word; 12]) {
                beside[0].write(&mut state[8..]);
            }

            #[inline(always)]
            fn fourth_row<V: FourWords<Word = $word>>(isa: V::Isa, beside: &mut [V; 3]) -> V {
                // See `algorithm/blake2.rs`. The flag of the last block is turned to the count's lower word, and
                // what is carried to the upper one.
                let [before, ..] = *beside;
                let first = V::constants(isa, &[$word::MAX, 0, 0, 0]);
                let counted = before.add(before.turn::<2>().not().and(V::constants(isa, &[Self::BLOCK_BYTES as $word, 0, 0, 0])));
                let carried = before.and(counted.not()).and(first).shift_right::<$top_bit>();
                beside[0] = counted.add(carried.turn::<3>());
                // The flag of the last node counts only beside that of the last block.
                let flags =
                    V::choose(V::constants(isa, &[$word::MAX, $word::MAX, $word::MAX, 0]), beside[0], before.and(before.turn::<3>()));
                V::constants(isa, Self::INITIAL.last_chunk().expect("eight words")).xor(flags)
            }

            #[inline(always)]
            fn chain<V: FourWords<Word = $word>>(before: [V; 2], rows: [V; 4], _: &[V; 3]) -> [V; 2] {
                [V::xor3(before[0], rows[0], rows[2]), V::xor3(before[1], rows[1], rows[3])]
            }
        }
    };
}
blake2!(Blake2sCompression, blake2s, u32, 31, 10, [16 12 8 7]);
blake2!(Blake2bCompression, blake2b, u64, 63, 12, [32 24 16 63]);

/// Beside its chaining value a state has, in this order in three vectors: a counter of two words, the flags
/// of the next block, and those that the last block has besides; whether the result is for the upper half of
/// the output, a zero, what is added to the bytes of a full block, and whether the next block is the last
/// one; and in each word whether the result is for the upper half.
impl InRows for Blake3Compression {
    const INITIAL: [u32; 8] = blake2s::INITIAL;
    const PLACES: &'static [Places<u32>] = &{
        let mut all = [[[0; 8]; 2]; 7];
        let mut round = 0;
        while round < 7 {
            all[round] = places!(u32, &blake3::ROUNDS[round]);
            round += 1;
        }
        all
    };
    quarter_rounds!([16 12 8 7]);

    #[inline(always)]
    fn load_beside<V: FourWords<Word = u32>>(isa: V::Isa, state: &[u32; 15]) -> [V; 3] {
        let [.., low, high, flags, last_flags, added_bytes, is_last, is_upper] = *state;
        let first = V::read(isa, &[low, high, flags, last_flags]);
        [first, V::read(isa, &[is_upper, 0, added_bytes, is_last]), V::read(isa, &[is_upper; 4])]
    }

    #[inline(always)]
    fn store_beside<V: FourWords<Word = u32>>(beside: &[V; 3], state: &mut [u32; 15]) {
        beside[0].write(&mut state[8..12]);
        let mut others = [0; 4];
        beside[1].write(&mut others);
        [state[14], _, state[12], state[13]] = others;
    }

    #[inline(always)]
    fn fourth_row<V: FourWords<Word = u32>>(isa: V::Isa, beside: &mut [V; 3]) -> V {
        let [before, end, _] = *beside;
        let mask = |words: [bool; 4]| V::constants(isa, &words.map(|is_chosen| if is_chosen { u32::MAX } else { 0 }));
        let block_bytes = end.add(V::splat(isa, Self::BLOCK_BYTES as u32));
        let flags = before.turn::<3>().xor(before.and(end));
        beside[0] = before.and(V::constants(isa, &[u32::MAX, u32::MAX, !CHUNK_START, u32::MAX]));
        V::choose(mask([true, true, false, false]), before, V::choose(mask([false, false, true, false]), block_bytes, flags))
    }

    #[inline(always)]
    fn chain<V: FourWords<Word = u32>>(_: [V; 2], rows: [V; 4], beside: &[V; 3]) -> [V; 2] {
        let [a, b, c, d] = rows;
        [V::xor_and_not(c, beside[2], a), V::xor_and_not(d, beside[2], b)]
    }
}
