//! One message dealt out to lanes word by word, like cards. Its words are read as vectors where
//! they lie, with no transposition.

/// Rows of words, one word for each lane: word r of lane i is word i of row r.
#[derive(Clone, Copy)]
pub(crate) struct Dealt<'a> {
    /// The bytes from the first lane's first word to the last lane's last word, or farther.
    pub(crate) bytes: &'a [u8],
    /// Bytes from the beginning of a row to that of the next.
    pub(crate) row_bytes: usize,
    /// The number of blocks. Each has a row for each of its words.
    pub(crate) blocks: usize,
}

/// The rows of a block, whose lengths are checked once for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    bytes: &'a [u8],
    rows: usize,
    row_bytes: usize,
    vector_bytes: usize,
}

impl<'a> Dealt<'a> {
    /// Returns the `rows` rows of a block, each with a vector of `vector_bytes` bytes at its
    /// beginning. Panics if they are not all there, or if there is no row.
    #[inline(always)]
    pub(crate) fn rows(&self, block: usize, rows: usize, vector_bytes: usize) -> Rows<'a> {
        let bytes = &self.bytes[rows * block * self.row_bytes..];
        // None of these sums exceeds what a usize can hold.
        assert!(rows > 1 && self.row_bytes <= bytes.len() / (rows - 1) && vector_bytes <= bytes.len() - (rows - 1) * self.row_bytes);
        Rows { bytes, rows, row_bytes: self.row_bytes, vector_bytes }
    }
}

impl<'a> Rows<'a> {
    /// Returns the vector at the beginning of a row. Panics if there is no such row.
    #[inline(always)]
    pub(crate) fn vector(&self, row: usize) -> &'a [u8] {
        assert!(row < self.rows);
        // SAFETY: `Dealt::rows` checked that `vector_bytes` bytes follow the beginning of the last
        // row, and so of those before it.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(row * self.row_bytes), self.vector_bytes) }
    }
}
