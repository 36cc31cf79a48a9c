//! One message alone, on the kernel that is fastest for one.

use super::mix::Mix;
use crate::algorithm::ending::{Tail, block_count, body_bytes};
use crate::algorithm::{ChainingOf, Compression, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::Kernel;
use crate::kernel::states::States;

/// Compresses whole blocks into one state.
pub(super) fn compress<C: Compression>(mix: &Mix<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    /// Uses `N` columns, of which only the first counts.
    fn in_first_lane<C: Compression, const N: usize>(kernel: &Kernel<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        let mut states = States::<C>::of_rows(&mut rows);
        states.set_column(0, state);
        advance(kernel, &mut states, blocks);
        *state = states.column(0);
    }
    let kernel = mix.single();
    match kernel.lanes {
        1 => in_first_lane::<C, 1>(kernel, state, blocks),
        2..=4 => in_first_lane::<C, 4>(kernel, state, blocks),
        _ => in_first_lane::<C, MAX_LANES>(kernel, state, blocks),
    }
}

/// Compresses whole blocks into the first column; the other lanes repeat its work.
#[inline(always)]
fn advance<C: Compression>(kernel: &Kernel<C>, states: &mut States<'_, C>, blocks: &[u8]) {
    let mut ahead = Blocks::without_lanes();
    ahead.add_lane(blocks);
    ahead.repeat_first(kernel.lanes);
    kernel.advance(states, &ahead);
}

/// Writes the digest of one message, from a state that stands for `start_bytes` bytes.
pub(super) fn hash<C: Compression>(mix: &Mix<C>, start: &ChainingOf<C>, start_bytes: u64, message: &[u8], digest: &mut [u8]) {
    /// Uses `N` columns, of which only the first counts. The digest is made of the words where the
    /// kernel left them, because a copy of the state would have to wait for it.
    fn in_first_lane<C: Compression, const N: usize>(
        kernel: &Kernel<C>,
        start: &ChainingOf<C>,
        start_bytes: u64,
        message: &[u8],
        digest: &mut [u8],
    ) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        let mut states = States::<C>::of_rows(&mut rows);
        states.set_column(0, start);
        let blocks = block_count::<C>(message.len() as u64);
        let (body, rest) = message.split_at(body_bytes::<C>(message.len(), blocks));
        if !body.is_empty() {
            advance(kernel, &mut states, body);
        }
        let mut tail = Tail::<C>::empty();
        tail.set(rest, start_bytes + message.len() as u64);
        states.mark_end(0, tail.end());
        advance(kernel, &mut states, tail.blocks());
        let mut state = C::filled(WordOf::<C>::default());
        for (word, row) in state.as_mut().iter_mut().zip(rows.as_ref()) {
            *word = row[0];
        }
        write_digest::<C>(&state, digest);
    }
    let kernel = mix.single();
    match kernel.lanes {
        1 => in_first_lane::<C, 1>(kernel, start, start_bytes, message, digest),
        2..=4 => in_first_lane::<C, 4>(kernel, start, start_bytes, message, digest),
        _ => in_first_lane::<C, MAX_LANES>(kernel, start, start_bytes, message, digest),
    }
}
