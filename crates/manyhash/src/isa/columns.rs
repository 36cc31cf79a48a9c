//! The words of a block that is loaded column by column, beside the rounds of the block before it.

use super::{Blocks, ByteOrder, WordCount, Words};
use std::mem::MaybeUninit;

/// Memory for the words of a block of each lane. It costs nothing before it is used: zeros for a block of two waves would take as long as
/// a thirtieth of its rounds (SHA-256, Zen 5).
pub(crate) struct BlockWords<B: WordCount, V: Words> {
    words: MaybeUninit<B::Of<V>>,
    /// The columns that are there, which are the first ones.
    columns: usize,
}

impl<B: WordCount, V: Words> BlockWords<B, V> {
    /// The columns of a block, of all waves.
    const COLUMNS: usize = V::WAVES * B::COUNT * size_of::<V::Word>() / COLUMN_BYTES;

    /// Returns memory in which there are no words.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { words: MaybeUninit::uninit(), columns: 0 }
    }

    /// Sets all words.
    #[inline(always)]
    pub(crate) fn set(&mut self, words: B::Of<V>) {
        self.words.write(words);
        self.columns = Self::COLUMNS;
    }

    /// Forgets all words.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.columns = 0;
    }

    /// Loads one of `PARTS` parts of the words, of as many columns each, from byte `at` of each lane. Panics unless the parts before it
    /// are there, and no others, or if such vectors do not load columns.
    #[inline(always)]
    pub(crate) fn load_part<const PARTS: usize>(&mut self, isa: V::Isa, order: ByteOrder, blocks: &Blocks, at: usize, part: usize) {
        assert!(const { Self::COLUMNS.is_multiple_of(PARTS) });
        let columns = const { Self::COLUMNS / PARTS };
        assert!(self.columns == columns * part, "columns are loaded one after the other");
        assert!(V::LOADS_COLUMNS, "such vectors do not");
        // SAFETY: an array of words has so many, and one that may not be set is made of words that may not be.
        let words = unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast::<MaybeUninit<V>>(), B::COUNT) };
        let mut column = 0;
        while column < columns {
            V::load_column(isa, order, blocks, 0, at, columns * part + column, words);
            column += 1;
        }
        self.columns += columns;
    }

    /// Returns the words. Panics if they are not all there.
    #[inline(always)]
    pub(crate) fn words(&mut self) -> &mut B::Of<V> {
        assert!(self.columns == Self::COLUMNS, "all columns are there");
        // SAFETY: `set` wrote them, or `load_part` each column, whose words `Words::load_column` sets where `LOADS_COLUMNS`.
        unsafe { self.words.assume_init_mut() }
    }
}

/// Bytes of a column, of each lane.
pub(super) const COLUMN_BYTES: usize = 16;

#[cfg(test)]
mod tests {
    use super::super::{Count, Portable};
    use super::*;

    type Words = BlockWords<Count<16>, u32>;

    #[test]
    fn words_are_there_when_they_are_set() {
        let mut words = Words::none();
        words.set(std::array::from_fn(|i| i as u32));
        assert_eq!(words.words()[15], 15);
    }

    #[test]
    #[should_panic(expected = "columns")]
    fn words_that_are_forgotten_are_not_read() {
        let mut words = Words::none();
        words.set([0; 16]);
        words.clear();
        words.words();
    }

    #[test]
    #[should_panic(expected = "columns")]
    fn a_part_comes_after_the_one_before() {
        let blocks = Blocks::new(1, 64, |_| &[0; 64]);
        Words::none().load_part::<4>(Portable, ByteOrder::Big, &blocks, 0, 1);
    }
}
