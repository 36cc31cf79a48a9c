//! Blocks that are compressed side by side, each from the same chaining value, and once.

use super::mix::Mix;
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::states::States;

/// Compresses every block from `initial`. Gives `take` the states after some successive blocks, in the first columns, and
/// how many blocks these are, until there was each of them.
pub(crate) fn compress_each<C: Compression>(
    mix: &Mix<C>,
    initial: &ChainingOf<C>,
    mut blocks: &[u8],
    mut take: impl FnMut(&mut States<'_, C>, usize),
) {
    let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
    while !blocks.is_empty() {
        let waiting = blocks.len() / C::BLOCK_BYTES;
        let kernel = &mix.kernels[mix.best_for(waiting, 1)];
        let busy_lanes = kernel.lanes.min(waiting);
        let mut states = States::of_rows(&mut rows);
        for (i, word) in initial.as_ref().iter().enumerate() {
            states.row_mut(i)[..kernel.lanes].fill(*word);
        }
        // Lanes without a block of their own repeat the last one.
        let block = |lane: usize| &blocks[lane.min(busy_lanes - 1) * C::BLOCK_BYTES..][..C::BLOCK_BYTES];
        kernel.advance(&mut states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, block));
        take(&mut states, busy_lanes);
        blocks = &blocks[busy_lanes * C::BLOCK_BYTES..];
    }
}
