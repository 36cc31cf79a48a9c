//! The chaining values of many messages: one column a message and one row a word, so that a kernel
//! reads and writes whole vectors.

use crate::algorithm::ending::{End, Ending};
use crate::algorithm::{ChainingOf, Compression, StateOf, VectorOf, WordOf};
use crate::isa::{Isa, WordCount, Words};

/// A table of `STATE_WORDS` rows over borrowed words.
pub(crate) struct States<'a, C: Compression> {
    words: &'a mut [WordOf<C>],
    columns: usize,
}

impl<'a, C: Compression> States<'a, C> {
    /// Makes a table of rows of `N` columns.
    #[inline(always)]
    pub(crate) fn of_rows<const N: usize>(rows: &'a mut StateOf<C, [WordOf<C>; N]>) -> Self {
        Self { words: rows.as_mut().as_flattened_mut(), columns: N }
    }

    /// Makes a table of `columns` columns. Panics unless `words` has exactly as many as it needs.
    #[inline(always)]
    pub(crate) fn of_columns(words: &'a mut [WordOf<C>], columns: usize) -> Self {
        assert_eq!(words.len(), columns * C::STATE_WORDS);
        Self { words, columns }
    }

    /// Returns word `i` of every message.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> &[WordOf<C>] {
        &self.words[i * self.columns..][..self.columns]
    }

    /// Returns word `i` of every message, to be changed.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [WordOf<C>] {
        &mut self.words[i * self.columns..][..self.columns]
    }

    /// Reads the chaining values of the first messages, one vector for each word. Panics if there
    /// are fewer columns than lanes.
    #[inline(always)]
    pub(crate) fn read<I: Isa>(&self, isa: I) -> StateOf<C, VectorOf<C, I>> {
        C::State::read(isa, self.words, self.columns)
    }

    /// Replaces the chaining values of the first messages. Panics if there are fewer columns than
    /// lanes.
    #[inline(always)]
    pub(crate) fn write<V: Words<Word = WordOf<C>>>(&mut self, state: &StateOf<C, V>) {
        C::State::write(state, self.words, self.columns);
    }

    /// Returns the chaining value of one message.
    #[inline(always)]
    pub(crate) fn column(&self, column: usize) -> ChainingOf<C> {
        let mut state = C::filled(WordOf::<C>::default());
        for (i, word) in state.as_mut().iter_mut().enumerate() {
            *word = self.row(i)[column];
        }
        state
    }

    /// Replaces the chaining value of one message.
    #[inline(always)]
    pub(crate) fn set_column(&mut self, column: usize, state: &ChainingOf<C>) {
        for (i, word) in state.as_ref().iter().enumerate() {
            self.row_mut(i)[column] = *word;
        }
    }

    /// Tells the state of one message that its end comes next.
    #[inline(always)]
    pub(crate) fn mark_end(&mut self, column: usize, end: End) {
        if C::Ending::MARKS_END {
            let mut state = self.column(column);
            C::Ending::mark_end(&mut state, end);
            self.set_column(column, &state);
        }
    }

    /// Exchanges the states of two messages.
    #[inline]
    pub(crate) fn swap_columns(&mut self, one: usize, other: usize) {
        for i in 0..C::STATE_WORDS {
            self.row_mut(i).swap(one, other);
        }
    }
}
