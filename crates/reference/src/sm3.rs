//! SM3: GM/T 0004-2012, which is also GB/T 32905-2016. The section numbers in this file are those of the former.

use crate::{Word, padding};

/// IV (4.1).
const IV: [u32; 8] = [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];

/// T (4.2).
fn t(j: usize) -> u32 {
    if j <= 15 { 0x79cc4519 } else { 0x7a879d8a }
}

/// FF (4.3).
fn ff<W: Word>(j: usize, x: W, y: W, z: W) -> W {
    if j <= 15 { x ^ y ^ z } else { (x & y) | (x & z) | (y & z) }
}

/// GG (4.3).
fn gg<W: Word>(j: usize, x: W, y: W, z: W) -> W {
    if j <= 15 { x ^ y ^ z } else { (x & y) | (!x & z) }
}

/// P0 (4.4).
fn p0<W: Word>(x: W) -> W {
    x ^ x.rotl(9) ^ x.rotl(17)
}

/// P1 (4.4).
fn p1<W: Word>(x: W) -> W {
    x ^ x.rotl(15) ^ x.rotl(23)
}

/// The compression function (5.3.3), with the expansion of the block (5.3.2).
pub fn compress<W: Word<Plain = u32>>(v: &mut [W; 8], block: &[W]) {
    let mut w = block.to_vec();
    for j in 16..=67 {
        w.push(p1(w[j - 16] ^ w[j - 9] ^ w[j - 3].rotl(15)) ^ w[j - 13].rotl(7) ^ w[j - 6]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *v;
    for j in 0..64 {
        let constant = W::constant(t(j).rotate_left(j as u32 % 32));
        let ss1 = a.rotl(12).plus(e).plus(constant).rotl(7);
        let ss2 = ss1 ^ a.rotl(12);
        let tt1 = ff(j, a, b, c).plus(d).plus(ss2).plus(w[j] ^ w[j + 4]);
        let tt2 = gg(j, e, f, g).plus(h).plus(ss1).plus(w[j]);
        d = c;
        c = b.rotl(9);
        b = a;
        a = tt1;
        h = g;
        g = f.rotl(19);
        f = e;
        e = p0(tt2);
    }
    for (word, variable) in v.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = *word ^ variable;
    }
}

/// The SM3 digest of a message (5).
pub fn sm3(message: &[u8]) -> [u8; 32] {
    let mut v = IV;
    for block in padding::pad(message, 64).chunks(64) {
        compress(&mut v, &padding::words_32(block));
    }
    let bytes = v.map(u32::to_be_bytes);
    std::array::from_fn(|i| bytes.as_flattened()[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// Appendix A: one block, and two.
    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(hex(&sm3(b"abc")), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
        assert_eq!(hex(&sm3(&b"abcd".repeat(16))), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732");
    }
}
