//! One message alone, on the kernel that is fastest for one.

use super::mix::Mix;
use crate::algorithm::ending::{End, Ending, end_in, end_of_digest_in, whole_bytes};
use crate::algorithm::{ChainingOf, Compression, MAX_BLOCK_BYTES, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::Kernel;
use crate::kernel::states::States;

/// Compresses whole blocks into one state.
pub(super) fn compress<C: Compression>(mix: &Mix<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    match mix.single.compress_one() {
        Some(compress_one) => compress_one(state, blocks, &[], None),
        None => in_first_lane(&mix.single, state, blocks),
    }
}

/// Compresses whole blocks in the first lane of any kernel; the other lanes repeat its work.
fn in_first_lane<C: Compression>(kernel: &Kernel<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    match kernel.lanes {
        _ if blocks.is_empty() => {}
        0..=2 => in_first_of::<C, 2>(kernel, state, blocks),
        3..=4 => in_first_of::<C, 4>(kernel, state, blocks),
        _ => in_first_of::<C, MAX_LANES>(kernel, state, blocks),
    }
}

/// Does so with room for `N` lanes. Zeros for [`MAX_LANES`] would take 125 ns of the 500 that a short message of SHA3-256
/// took (Zen 4).
fn in_first_of<C: Compression, const N: usize>(kernel: &Kernel<C>, state: &mut ChainingOf<C>, blocks: &[u8]) {
    let mut rows = C::filled([WordOf::<C>::default(); N]);
    let mut states = States::<C>::of_rows(&mut rows);
    states.set_column(0, state);
    kernel.advance(&mut states, &Blocks::new(kernel.lanes, blocks.len(), |_| blocks));
    *state = states.column(0);
}

/// A midstate and the bytes that it stands for, which are whole blocks.
pub(crate) type Midstate<'a, C> = (&'a ChainingOf<C>, u64);

/// Writes the digest of one message that starts from the midstate `inner`. If there is an `outer`
/// one, writes the digest of that digest, from there (RFC 2104).
pub(super) fn hash<C: Compression>(
    mix: &Mix<C>,
    inner: Midstate<'_, C>,
    outer: Option<Midstate<'_, C>>,
    message: &[u8],
    digest: &mut [u8],
) {
    match C::BLOCK_BYTES {
        64 => hash_with_end_in::<C, 128>(mix, inner, outer, message, digest),
        128 => hash_with_end_in::<C, 256>(mix, inner, outer, message, digest),
        _ => hash_with_end_in::<C, { 2 * MAX_BLOCK_BYTES }>(mix, inner, outer, message, digest),
    }
}

/// Does what [`hash`] does, with room in `N` bytes for the end of a message.
#[inline(always)]
fn hash_with_end_in<C: Compression, const N: usize>(
    mix: &Mix<C>,
    (start, start_bytes): Midstate<'_, C>,
    outer: Option<Midstate<'_, C>>,
    message: &[u8],
    digest: &mut [u8],
) {
    let (body, rest) = message.split_at(whole_bytes::<C>(message.len()));
    let message_bytes = start_bytes + message.len() as u64;
    let mut end = [0; N];
    let end_bytes = end_in::<C>(&mut end, rest, message_bytes, C::Ending::first(start));
    let mut state = *start;
    compress_all(mix, &mut state, body, &end[..end_bytes], End { message_bytes, rest_bytes: rest.len() });
    if let Some((start, start_bytes)) = outer {
        let mut end = [0; N];
        let message_bytes = start_bytes + digest.len() as u64;
        let end_bytes = end_of_digest_in::<C>(&mut end, &state, digest.len(), message_bytes, C::Ending::first(start));
        state = *start;
        compress_all(mix, &mut state, &[], &end[..end_bytes], End { message_bytes, rest_bytes: digest.len() });
    }
    write_digest::<C>(&state, digest);
}

/// Compresses the whole blocks of one message and its end.
#[inline(always)]
fn compress_all<C: Compression>(mix: &Mix<C>, state: &mut ChainingOf<C>, body: &[u8], end: &[u8], at_end: End) {
    match mix.single.compress_one() {
        Some(compress_one) => compress_one(state, body, end, Some(&at_end)),
        None => {
            compress(mix, state, body);
            C::Ending::mark_end(state, at_end);
            compress(mix, state, end);
        }
    }
}
