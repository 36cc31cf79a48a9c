//! Padding and parsing of a message: FIPS 180-4 sections 5.1 and 5.2.

/// The message, a one bit, the fewest zero bits that do, and the message's length in bits,
/// big-endian: a whole number of blocks. The length field takes an eighth of a block: 64 bits of
/// 512 (5.1.1), 128 bits of 1024 (5.1.2).
pub(crate) fn pad(message: &[u8], block_bytes: usize) -> Vec<u8> {
    let length_bytes = block_bytes / 8;
    let length_bits = (message.len() as u128 * 8).to_be_bytes();
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % block_bytes != block_bytes - length_bytes {
        padded.push(0);
    }
    padded.extend_from_slice(&length_bits[length_bits.len() - length_bytes..]);
    padded
}

/// A block as its sixteen 32-bit words M0..M15 (5.2.1).
pub(crate) fn words_32(block: &[u8]) -> Vec<u32> {
    block.as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

/// A block as its sixteen 64-bit words M0..M15 (5.2.2).
pub(crate) fn words_64(block: &[u8]) -> Vec<u64> {
    block.as_chunks().0.iter().map(|word| u64::from_be_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of 5.1.1 and 5.1.2: the 24 bits of "abc", a one, 423 (or 871) zeros, the 24.
    #[test]
    fn abc() {
        for block_bytes in [64, 128] {
            let mut expected = vec![0; block_bytes];
            expected[..4].copy_from_slice(b"abc\x80");
            expected[block_bytes - 1] = 24;
            assert_eq!(pad(b"abc", block_bytes), expected);
        }
    }

    /// A block holds 9 (17) bytes less than its size beside the one bit and the length.
    #[test]
    fn a_block_more_where_the_length_no_longer_fits() {
        for (block_bytes, fits) in [(64, 55), (128, 111)] {
            let message = vec![0xff; fits + 1];
            assert_eq!(pad(&message[..0], block_bytes).len(), block_bytes);
            assert_eq!(pad(&message[..fits], block_bytes).len(), block_bytes);
            assert_eq!(pad(&message, block_bytes).len(), 2 * block_bytes);
        }
    }
}
