//! One message alone, on the kernel that is fastest for one.

use super::mix::Mix;
use crate::algorithm::ending::{End, Ending, end_in, whole_bytes};
use crate::algorithm::{ChainingOf, Compression, MAX_BLOCK_BYTES, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::Kernel;
use crate::kernel::states::States;

/// Compresses whole blocks into one state.
pub(super) fn compress<C: Compression>(mix: &Mix<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    match mix.single.compress_one() {
        Some(compress_one) => compress_one(state, blocks, &[]),
        None => in_first_lane(&mix.single, state, blocks),
    }
}

/// Compresses whole blocks in the first lane of any kernel; the other lanes repeat its work.
#[cold]
fn in_first_lane<C: Compression>(kernel: &Kernel<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    if blocks.is_empty() {
        return;
    }
    let mut rows = C::filled([WordOf::<C>::default(); MAX_LANES]);
    let mut states = States::<C>::of_rows(&mut rows);
    states.set_column(0, state);
    let mut ahead = Blocks::without_lanes();
    ahead.add_lane(blocks);
    ahead.repeat_first(kernel.lanes);
    kernel.advance(&mut states, &ahead);
    *state = states.column(0);
}

/// Writes the digest of one message, from a state that stands for `start_bytes` bytes.
pub(super) fn hash<C: Compression>(mix: &Mix<C>, start: &ChainingOf<C>, start_bytes: u64, message: &[u8], digest: &mut [u8]) {
    match C::BLOCK_BYTES {
        64 => hash_with_end_in::<C, 128>(mix, start, start_bytes, message, digest),
        128 => hash_with_end_in::<C, 256>(mix, start, start_bytes, message, digest),
        _ => hash_with_end_in::<C, { 2 * MAX_BLOCK_BYTES }>(mix, start, start_bytes, message, digest),
    }
}

/// Writes the digest of one message whose end has room in `N` bytes.
#[inline(always)]
fn hash_with_end_in<C: Compression, const N: usize>(
    mix: &Mix<C>,
    start: &ChainingOf<C>,
    start_bytes: u64,
    message: &[u8],
    digest: &mut [u8],
) {
    let (body, rest) = message.split_at(whole_bytes::<C>(message.len()));
    let message_bytes = start_bytes + message.len() as u64;
    let mut end = [0; N];
    let end_bytes = end_in::<C>(&mut end, rest, message_bytes);
    let end = &end[..end_bytes];
    let mut state = *start;
    match mix.single.compress_one() {
        Some(compress_one) if !C::Ending::MARKS_END => compress_one(&mut state, body, end),
        _ => {
            compress(mix, &mut state, body);
            C::Ending::mark_end(&mut state, End { message_bytes, rest_bytes: rest.len() });
            compress(mix, &mut state, end);
        }
    }
    write_digest::<C>(&state, digest);
}
