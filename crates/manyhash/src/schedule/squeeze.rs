//! The output of sponges beyond their first block (FIPS 202, section 4): each further block of output
//! is one more permutation. All messages have equally many, so lanes never wait.

use super::mix::Mix;
use crate::algorithm::{Compression, MAX_BLOCK_BYTES, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES, Word};
use crate::kernel::states::States;

/// Writes `output_bytes` bytes for each of some final states, which lie one after the other as bytes,
/// each of its words in the order of `C`.
pub(crate) fn squeeze<C: Compression>(mix: &Mix<C>, states: &[u8], output: &mut [u8], output_bytes: usize) {
    let word_bytes = size_of::<WordOf<C>>();
    let state_bytes = C::STATE_WORDS * word_bytes;
    let further_blocks = (output_bytes.div_ceil(C::BLOCK_BYTES) - 1) as u64;
    let (mut states, mut output) = (states, output);
    while !states.is_empty() {
        let waiting = states.len() / state_bytes;
        let kernel = &mix.kernels[mix.best_for(waiting, further_blocks.max(1))];
        let lanes = kernel.lanes.min(waiting);
        let (these, later) = states.split_at(lanes * state_bytes);
        let (room, later_room) = output.split_at_mut(lanes * output_bytes);
        (states, output) = (later, later_room);

        let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
        let mut table = States::<C>::of_rows(&mut rows);
        for (lane, bytes) in these.chunks_exact(state_bytes).enumerate() {
            for (i, word) in bytes.chunks_exact(word_bytes).enumerate() {
                table.row_mut(i)[lane] = WordOf::<C>::from_bytes(C::BYTE_ORDER, word);
            }
        }
        for first in (0..output_bytes).step_by(C::BLOCK_BYTES) {
            if first > 0 {
                let zeros = &[0; MAX_BLOCK_BYTES][..C::BLOCK_BYTES];
                kernel.advance(&mut table, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, |_| zeros));
            }
            let block = first..output_bytes.min(first + C::BLOCK_BYTES);
            for (lane, output) in room.chunks_exact_mut(output_bytes).enumerate() {
                write_digest::<C>(&table.column(lane), &mut output[block.clone()]);
            }
        }
    }
}
