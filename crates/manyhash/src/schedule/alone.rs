//! One message alone, on the kernel that is fastest for one.

use super::mix::Mix;
use crate::algorithm::ending::{Tail, block_count, body_bytes};
use crate::algorithm::{ChainingOf, Compression, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::states::States;

/// Compresses whole blocks into one state.
#[inline]
pub(super) fn compress<C: Compression>(mix: &Mix<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    /// `N` columns, of which only the first counts.
    fn in_first_lane<C: Compression, const N: usize>(mix: &Mix<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        let mut states = States::<C>::of_rows(&mut rows);
        states.set_column(0, state);
        mix.single().advance(&mut states, &Blocks::new(mix.single().lanes, blocks.len(), |_| blocks));
        *state = states.column(0);
    }
    match mix.single().lanes {
        1 => in_first_lane::<C, 1>(mix, state, blocks),
        2..=4 => in_first_lane::<C, 4>(mix, state, blocks),
        _ => in_first_lane::<C, MAX_LANES>(mix, state, blocks),
    }
}

/// Writes the digest of one message, from a state that stands for `start_bytes` bytes.
#[inline]
pub(super) fn hash<C: Compression>(mix: &Mix<C>, start: &ChainingOf<C>, start_bytes: u64, message: &[u8], digest: &mut [u8]) {
    let mut state = *start;
    let blocks = block_count::<C>(message.len() as u64);
    let (body, rest) = message.split_at(body_bytes::<C>(message.len(), blocks));
    if !body.is_empty() {
        compress(mix, &mut state, body);
    }
    let mut tail = Tail::EMPTY;
    tail.set::<C>(rest, start_bytes + message.len() as u64);
    compress(mix, &mut state, tail.blocks());
    write_digest::<C>(&state, digest);
}
