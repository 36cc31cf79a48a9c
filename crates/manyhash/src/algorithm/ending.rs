//! The end of every message: FIPS 180-4, section 5.1. A one bit, zeros, and the length in bits fill one block or two.

use super::Compression;
use crate::isa::ByteOrder;

/// The last one or two blocks of a message: the bytes after its last whole block, padded.
#[derive(Clone, Copy)]
pub(crate) struct Tail {
    bytes: [u8; 256],
    len_bytes: usize,
}

impl Tail {
    /// No tail yet.
    pub(crate) const EMPTY: Self = Self { bytes: [0; 256], len_bytes: 0 };

    /// Pads a message of `message_bytes` bytes whose last ones are `rest`: less than a block, or as many more as still leave room for the
    /// padding in the second.
    #[inline]
    pub(crate) fn set<C: Compression>(&mut self, rest: &[u8], message_bytes: u64) {
        self.bytes[..rest.len()].copy_from_slice(rest);
        self.len_bytes = pad::<C>(&mut self.bytes, rest.len(), message_bytes);
    }

    /// The blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> &[u8] {
        &self.bytes[..self.len_bytes]
    }
}

/// Pads a message of `message_bytes` bytes, of which the last `rest_bytes` are in `buffer` already; returns the bytes of all these blocks.
#[inline]
pub(crate) fn pad<C: Compression>(buffer: &mut [u8], rest_bytes: usize, message_bytes: u64) -> usize {
    debug_assert_eq!(rest_bytes % C::BLOCK_BYTES, (message_bytes % C::BLOCK_BYTES as u64) as usize);
    let len = (rest_bytes + 1 + C::LENGTH_BYTES).next_multiple_of(C::BLOCK_BYTES);
    buffer[rest_bytes] = 0x80;
    buffer[rest_bytes + 1..len].fill(0);
    write_length::<C>(&mut buffer[..len], message_bytes);
    len
}

/// Pads the end of a message of `message_bytes` bytes to whole blocks, however many there are.
pub(crate) fn padded<C: Compression>(end: &mut Vec<u8>, message_bytes: u64) {
    let rest_bytes = end.len();
    end.resize((rest_bytes + 1 + C::LENGTH_BYTES).next_multiple_of(C::BLOCK_BYTES), 0);
    pad::<C>(end, rest_bytes, message_bytes);
}

/// Writes the length in bits to the last bytes of the padding.
#[inline(always)]
fn write_length<C: Compression>(padded: &mut [u8], message_bytes: u64) {
    // FIPS 180-4 allows 2^64 - 1 bits for 64-byte blocks: more than 2^61 bytes are never seen.
    let bits = u128::from(message_bytes) * 8;
    let start = padded.len() - C::LENGTH_BYTES;
    match C::BYTE_ORDER {
        ByteOrder::Big => padded[start..].copy_from_slice(&bits.to_be_bytes()[16 - C::LENGTH_BYTES..]),
        ByteOrder::Little => padded[start..].copy_from_slice(&bits.to_le_bytes()[..C::LENGTH_BYTES]),
    }
}

/// Bytes of whole blocks to be compressed where they lie, of messages that have `fewest_bytes` and more and take `blocks` blocks. Two
/// blocks fit into the tail: copying one costs less than a run of its own.
#[inline]
pub(crate) fn body_bytes<C: Compression>(fewest_bytes: usize, blocks: u64) -> usize {
    if blocks <= 2 { 0 } else { fewest_bytes - fewest_bytes % C::BLOCK_BYTES }
}

/// Blocks to compress for a message of `message_bytes` bytes (Gueron & Krasnov 2012, equation 1, for any block).
#[inline]
pub(crate) fn block_count<C: Compression>(message_bytes: u64) -> u64 {
    let block = C::BLOCK_BYTES as u64;
    message_bytes / block + if message_bytes % block + 1 + C::LENGTH_BYTES as u64 <= block { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Totals around those that other libraries got wrong, and around what the standard allows for blocks of 64 bytes.
    const TOTALS: [u64; 13] = [
        0,
        (1 << 29) - 1,
        1 << 29,
        (1 << 29) + 63,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 56,
        1 << 35,
        (1 << 61) - 1,
        1 << 61,
        (1 << 61) + 119,
        (1 << 63) + 1,
        u64::MAX,
    ];

    fn lengths_are_written<C: Compression>() {
        for total in TOTALS {
            let rest = vec![0xAB; (total % C::BLOCK_BYTES as u64) as usize];
            let mut tail = Tail::EMPTY;
            tail.set::<C>(&rest, total);
            let mut end = rest.clone();
            padded::<C>(&mut end, total);
            assert_eq!(tail.blocks(), end, "{} {total}", C::NAME);
            assert_eq!(block_count::<C>(total) - total / C::BLOCK_BYTES as u64, (end.len() / C::BLOCK_BYTES) as u64);
            // The length in bits: modulo 2^64 in eight bytes (RFC 1321, 3.2), all of it in sixteen.
            let (zeros, length) = end[rest.len() + 1..].split_at(end.len() - rest.len() - 1 - C::BLOCK_BYTES / 8);
            assert!(zeros.iter().all(|byte| *byte == 0));
            let mut length = length.to_vec();
            if C::BYTE_ORDER == ByteOrder::Little {
                length.reverse();
            }
            let written = length.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
            let bits = u128::from(total) * 8;
            assert_eq!(written, if C::BLOCK_BYTES == 64 { bits % (1 << 64) } else { bits }, "{} {total}", C::NAME);
        }
    }

    #[test]
    fn lengths_of_any_size_are_written() {
        macro_rules! all { ($($Compression:path)*) => { $(lengths_are_written::<$Compression>();)* } }
        for_each_compression!(all);
    }
}
