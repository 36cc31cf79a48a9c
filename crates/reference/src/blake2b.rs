//! BLAKE2b without a key: RFC 7693. The section numbers in this file are those of the RFC.

use std::sync::LazyLock;

use crate::blake2::{self, Parameters};
use crate::{Word, roots};

/// IV (2.6): the words that SHA-512 begins with.
static IV: LazyLock<[u64; 8]> = LazyLock::new(|| roots::of_eight_primes(0));

/// The compression function F (3.2): `t` bytes so far, with those of this block, the low word first; `f`: it is
/// the last, and of a level's last node.
pub fn compress<W: Word<Plain = u64>>(h: &mut [W; 8], m: &[W], t: [W; 2], f: [bool; 2]) {
    let parameters = Parameters { rounds: 12, rotations: [32, 24, 16, 63], iv: IV.map(W::constant) };
    blake2::compress(&parameters, h, m, t, f);
}

/// The BLAKE2b digest of a message (3.3), of `N` bytes.
fn digest<const N: usize>(message: &[u8]) -> [u8; N] {
    let mut h = *IV;
    h[0] ^= 0x0101_0000 ^ N as u64;
    for (block, counted, is_last) in blake2::blocks(message, 128) {
        let m: Vec<u64> = block.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        compress(&mut h, &m, [counted, 0], [is_last, false]);
    }
    let bytes = h.map(u64::to_le_bytes);
    std::array::from_fn(|i| bytes.as_flattened()[i])
}

/// The BLAKE2b digest of a message, of 64 bytes.
pub fn blake2b(message: &[u8]) -> [u8; 64] {
    digest(message)
}

/// The BLAKE2b digest of a message, of 32 bytes.
pub fn blake2b_256(message: &[u8]) -> [u8; 32] {
    digest(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// Appendix A.
    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(
            hex(&blake2b(b"abc")),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        );
    }
}
