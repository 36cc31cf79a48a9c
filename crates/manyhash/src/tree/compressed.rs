//! Nodes that are one call of a compression function each: no padding, and an initial value of
//! their own.

use crate::algorithm::{ChainingOf, Compression, CompressionOf, WordOf, write_digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::states::States;
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
        let mix = backend::mix::<A>();
        let mut rows = <CompressionOf<A>>::filled([WordOf::<CompressionOf<A>>::default(); MAX_LANES]);
        let (mut blocks, mut digests) = (blocks, digests);
        while !digests.is_empty() {
            let kernel = &mix.kernels[mix.best_for(digests.len(), 1)];
            let busy_lanes = kernel.lanes.min(digests.len());
            let mut states = States::of_rows(&mut rows);
            for (i, word) in self.initial.as_ref().iter().enumerate() {
                states.row_mut(i)[..kernel.lanes].fill(*word);
            }
            // Lanes without a block of their own repeat the last one.
            let block = |lane: usize| &blocks[lane.min(busy_lanes - 1) * A::BLOCK_BYTES..][..A::BLOCK_BYTES];
            kernel.advance(&mut states, &Blocks::new(kernel.lanes, A::BLOCK_BYTES, block));
            (0..self.initial.as_ref().len()).for_each(|i| (self.finish)(i, &mut states.row_mut(i)[..busy_lanes]));
            for (lane, digest) in digests[..busy_lanes].iter_mut().enumerate() {
                write_digest::<CompressionOf<A>>(&states.column(lane), digest.as_mut());
            }
            blocks = &blocks[busy_lanes * A::BLOCK_BYTES..];
            digests = &mut digests[busy_lanes..];
        }
    }
}

/// Shows the algorithm.
impl<A: Algorithm> fmt::Debug for Compressed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressed").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}
