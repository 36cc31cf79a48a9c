//! BLAKE2s without a key, digests of 32 bytes: RFC 7693. The section numbers in this file are those of the RFC.

use std::sync::LazyLock;

use crate::{Word, roots};

/// IV (2.6): the words that SHA-256 begins with.
static IV: LazyLock<[u32; 8]> = LazyLock::new(|| roots::of_eight_primes(0).map(|bits| (bits >> 32) as u32));

/// SIGMA (2.7).
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The mixing function G (3.1).
fn g<W: Word>(v: &mut [W; 16], [a, b, c, d]: [usize; 4], x: W, y: W) {
    v[a] = v[a].plus(v[b]).plus(x);
    v[d] = (v[d] ^ v[a]).rotr(16);
    v[c] = v[c].plus(v[d]);
    v[b] = (v[b] ^ v[c]).rotr(12);
    v[a] = v[a].plus(v[b]).plus(y);
    v[d] = (v[d] ^ v[a]).rotr(8);
    v[c] = v[c].plus(v[d]);
    v[b] = (v[b] ^ v[c]).rotr(7);
}

/// The compression function F (3.2): `t` bytes so far, with those of this block, the low word first;
/// `f`: it is the last.
pub fn compress<W: Word<Plain = u32>>(h: &mut [W; 8], m: &[W], t: [W; 2], f: bool) {
    let mut v: [W; 16] = std::array::from_fn(|i| if i < 8 { h[i] } else { W::constant(IV[i - 8]) });
    v[12] = v[12] ^ t[0];
    v[13] = v[13] ^ t[1];
    if f {
        v[14] = !v[14];
    }
    for s in &SIGMA {
        for i in 0..4 {
            g(&mut v, [i, 4 + i, 8 + i, 12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
        }
        for i in 0..4 {
            g(&mut v, [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4], m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
        }
    }
    for (i, word) in h.iter_mut().enumerate() {
        *word = *word ^ v[i] ^ v[i + 8];
    }
}

/// The BLAKE2s digest of a message (3.3).
pub fn blake2s(message: &[u8]) -> [u8; 32] {
    let mut h = *IV;
    h[0] ^= 0x0101_0000 ^ 32;
    let mut padded = message.to_vec();
    padded.resize(message.len().max(1).next_multiple_of(64), 0);
    let blocks = padded.len() / 64;
    for (i, block) in padded.chunks(64).enumerate() {
        let is_last = i + 1 == blocks;
        let t = if is_last { message.len() } else { 64 * (i + 1) };
        let m: Vec<u32> = block.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        compress(&mut h, &m, [t as u32, (t as u64 >> 32) as u32], is_last);
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_mut(4).zip(h) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// Appendix B.
    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(hex(&blake2s(b"abc")), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    }
}
