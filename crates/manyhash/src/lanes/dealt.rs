//! One message dealt out to lanes word by word, as cards are: its words are read as vectors where they lie, with no transposition.

/// Rows of words, one word for each lane: word r of lane i is word i of row r.
#[derive(Clone, Copy)]
pub(crate) struct Dealt<'a> {
    /// From the first lane's first word to the last lane's last, or farther.
    pub(crate) bytes: &'a [u8],
    /// From a row to the next.
    pub(crate) row_bytes: usize,
    /// Sixteen rows each.
    pub(crate) blocks: usize,
}

impl<'a> Dealt<'a> {
    /// Row `row` of a block, from the first lane's word on. Panics outside of `bytes`.
    #[inline(always)]
    pub(crate) fn row(&self, block: usize, row: usize) -> &'a [u8] {
        &self.bytes[(16 * block + row) * self.row_bytes..]
    }
}
