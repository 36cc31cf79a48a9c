//! Nodes that are one call of a compression function each: no padding, and an initial value of
//! their own.

use crate::algorithm::{ChainingOf, CompressionOf, WordOf, write_digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::schedule::each_block::compress_each;
use std::fmt;

/// The compression function of `A`, called once for each block, always from the same chaining
/// value.
#[derive(Clone)]
pub(crate) struct Compressed<A: Algorithm> {
    initial: ChainingOf<CompressionOf<A>>,
    finish: fn(usize, &mut [WordOf<CompressionOf<A>>]),
}

impl<A: Algorithm> Compressed<A> {
    /// Takes the chaining value that each call begins with, and what makes words of a digest of those of a
    /// result: it is given the place of a word, and that word of many results.
    pub(crate) fn new(initial: ChainingOf<CompressionOf<A>>, finish: fn(usize, &mut [WordOf<CompressionOf<A>>])) -> Self {
        Self { initial, finish }
    }

    /// Writes what becomes of block i to `digests[i]`. Panics if there are fewer blocks than
    /// digests.
    pub(crate) fn hash_blocks(&self, blocks: &[u8], digests: &mut [A::Digest]) {
        let blocks = &blocks[..digests.len() * A::BLOCK_BYTES];
        let mut digests = digests.iter_mut();
        compress_each(backend::mix::<A>(), &self.initial, blocks, |states, count| {
            (0..self.initial.as_ref().len()).for_each(|i| (self.finish)(i, &mut states.row_mut(i)[..count]));
            for (lane, digest) in digests.by_ref().take(count).enumerate() {
                write_digest::<CompressionOf<A>>(&states.column(lane), digest.as_mut());
            }
        });
    }
}

/// Shows the algorithm.
impl<A: Algorithm> fmt::Debug for Compressed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressed").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}
