//! What BLAKE2b and BLAKE2s share: RFC 7693. The section numbers in this file are those of the RFC.

use crate::Word;

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

/// What BLAKE2b and BLAKE2s differ in, besides their words (2.1).
pub(crate) struct Parameters<W> {
    /// Rounds of F.
    pub(crate) rounds: usize,
    /// R1 to R4.
    pub(crate) rotations: [u32; 4],
    /// IV (2.6).
    pub(crate) iv: [W; 8],
}

/// The mixing function G (3.1).
pub(crate) fn g<W: Word>(v: &mut [W; 16], r: [u32; 4], [a, b, c, d]: [usize; 4], x: W, y: W) {
    v[a] = v[a].plus(v[b]).plus(x);
    v[d] = (v[d] ^ v[a]).rotr(r[0]);
    v[c] = v[c].plus(v[d]);
    v[b] = (v[b] ^ v[c]).rotr(r[1]);
    v[a] = v[a].plus(v[b]).plus(y);
    v[d] = (v[d] ^ v[a]).rotr(r[2]);
    v[c] = v[c].plus(v[d]);
    v[b] = (v[b] ^ v[c]).rotr(r[3]);
}

/// The compression function F (3.2): `t` bytes so far, with those of this block, the low word first; `f`: it is the last block, and
/// that of a level's last node, which the RFC leaves out ("BLAKE2: simpler, smaller, fast as MD5", section 2.4).
pub(crate) fn compress<W: Word>(parameters: &Parameters<W>, h: &mut [W; 8], m: &[W], t: [W; 2], f: [bool; 2]) {
    let mut v: [W; 16] = std::array::from_fn(|i| if i < 8 { h[i] } else { parameters.iv[i - 8] });
    v[12] = v[12] ^ t[0];
    v[13] = v[13] ^ t[1];
    if f[0] {
        v[14] = !v[14];
    }
    if f[1] {
        v[15] = !v[15];
    }
    for s in SIGMA.iter().cycle().take(parameters.rounds) {
        for i in 0..4 {
            g(&mut v, parameters.rotations, [i, 4 + i, 8 + i, 12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
        }
        for i in 0..4 {
            let words = [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4];
            g(&mut v, parameters.rotations, words, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
        }
    }
    for (i, word) in h.iter_mut().enumerate() {
        *word = *word ^ v[i] ^ v[i + 8];
    }
}

/// The blocks of a message (3.3): each with the bytes counted up to its end, and whether it is the last.
pub(crate) fn blocks(message: &[u8], block_bytes: usize) -> Vec<(Vec<u8>, u64, bool)> {
    let mut padded = message.to_vec();
    padded.resize(message.len().max(1).next_multiple_of(block_bytes), 0);
    let count = padded.len() / block_bytes;
    let counted = |i: usize| if i + 1 == count { message.len() } else { block_bytes * (i + 1) };
    padded.chunks(block_bytes).enumerate().map(|(i, block)| (block.to_vec(), counted(i) as u64, i + 1 == count)).collect()
}
