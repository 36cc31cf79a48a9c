//! What a target does, read from the bytes that it is given.

use crate::algorithms;
use arbitrary::{Arbitrary, Unstructured};
use manyhash::AnyAlgorithm;

/// The bytes of a case, read as choices. When they end, every choice is the first one.
pub(crate) struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// Whether all bytes were used.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A value of a simple type.
    pub(crate) fn any<T: Arbitrary<'a> + Default>(&mut self) -> T {
        self.0.arbitrary().unwrap_or_default()
    }

    /// A number of at least `least` and at most `most`.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        self.0.int_in_range(least..=most).unwrap_or(least)
    }

    /// One of `values`, which has at least one.
    pub(crate) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.between(0, values.len() - 1)]
    }

    /// The next bytes, up to `most` of them.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let bytes = self.between(0, most).min(self.0.len());
        self.0.bytes(bytes).unwrap_or_default()
    }

    /// All bytes that are left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.0.bytes(self.0.len()).unwrap_or_default()
    }

    /// An algorithm that can be used.
    pub(crate) fn algorithm(&mut self) -> AnyAlgorithm {
        let algorithms = algorithms();
        self.one_of(&algorithms)
    }

    /// A number of bytes: often one around the ends of blocks, seldom more than a thousand.
    pub(crate) fn length(&mut self) -> usize {
        const EDGES: [usize; 24] =
            [0, 1, 8, 16, 32, 47, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 135, 136, 137, 192, 256, 272];
        match self.any::<u8>() {
            kind @ 0..=127 => EDGES[usize::from(kind) % EDGES.len()],
            128..=207 => self.any::<u8>().into(),
            208..=247 => self.between(0, 1500),
            248..=254 => self.between(0, 9000),
            255 => self.between(0, 70_000),
        }
    }

    /// Lengths of up to `most` messages, which together stay below what takes long.
    pub(crate) fn lengths(&mut self, most: usize) -> Vec<usize> {
        const MOST_BYTES: usize = 100_000;
        let count = self.between(0, most);
        // Batches that are alike, or nearly, go other ways than ragged ones.
        let (alike, spread) = (self.length(), self.one_of(&[0, 0, 1, 8, 64]));
        let is_ragged: bool = self.any();
        let mut left = MOST_BYTES;
        let length = |_| {
            let bytes = if is_ragged { self.length() } else { alike + self.between(0, spread) };
            let bytes = bytes.min(left);
            left -= bytes;
            bytes
        };
        (0..count).map(length).collect()
    }
}
