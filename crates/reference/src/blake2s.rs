//! BLAKE2s without a key, digests of 32 bytes: RFC 7693. The section numbers in this file are those of the RFC.

use std::sync::LazyLock;

use crate::blake2::{self, Parameters};
use crate::{Word, roots};

/// IV (2.6): the words that SHA-256 begins with.
static IV: LazyLock<[u32; 8]> = LazyLock::new(|| roots::of_eight_primes(0).map(|bits| (bits >> 32) as u32));

/// The compression function F (3.2): `t` bytes so far, with those of this block, the low word first; `f`: it is
/// the last, and of a level's last node.
pub fn compress<W: Word<Plain = u32>>(h: &mut [W; 8], m: &[W], t: [W; 2], f: [bool; 2]) {
    let parameters = Parameters { rounds: 10, rotations: [16, 12, 8, 7], iv: IV.map(W::constant) };
    blake2::compress(&parameters, h, m, t, f);
}

/// The BLAKE2s digest of a message (3.3).
pub fn blake2s(message: &[u8]) -> [u8; 32] {
    let mut h = *IV;
    h[0] ^= 0x0101_0000 ^ 32;
    for (block, counted, is_last) in blake2::blocks(message, 64) {
        let m: Vec<u32> = block.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        compress(&mut h, &m, [counted as u32, (counted >> 32) as u32], [is_last, false]);
    }
    let bytes = h.map(u32::to_le_bytes);
    std::array::from_fn(|i| bytes.as_flattened()[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// Appendix B.
    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(
            hex(&blake2s(b"abc")),
            "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"
        );
    }
}
