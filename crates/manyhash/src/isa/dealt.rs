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

/// The rows of a block, lengths checked once for all of them.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    bytes: &'a [u8],
    row_bytes: usize,
    vector_bytes: usize,
}

impl<'a> Dealt<'a> {
    /// The rows of a block, each with a vector of so many bytes at its beginning. Panics if they are not all there.
    #[inline(always)]
    pub(crate) fn rows(&self, block: usize, vector_bytes: usize) -> Rows<'a> {
        let bytes = &self.bytes[16 * block * self.row_bytes..];
        // None of the sums is more than a usize can be.
        assert!(self.row_bytes <= bytes.len() / 15 && vector_bytes <= bytes.len() - 15 * self.row_bytes);
        Rows { bytes, row_bytes: self.row_bytes, vector_bytes }
    }
}

impl<'a> Rows<'a> {
    /// The vector at the beginning of a row. Panics if there is no such row.
    #[inline(always)]
    pub(crate) fn vector(&self, row: usize) -> &'a [u8] {
        assert!(row < 16);
        // SAFETY: `rows` checked that `vector_bytes` bytes follow the beginning of row 15, and so of those before it.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(row * self.row_bytes), self.vector_bytes) }
    }
}
