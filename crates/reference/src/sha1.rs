//! SHA-1: FIPS 180-4 sections 4.1.1, 4.2.1, 5.3.1 and 6.1.

use std::sync::LazyLock;

use crate::{Word, padding, roots};

/// The four words of 4.2.1. The standard gives the words alone; they are the square roots of 2, 3,
/// 5 and 10, times 2^30.
static K: LazyLock<[u32; 4]> = LazyLock::new(|| [2, 3, 5, 10].map(|number| roots::square_root(number, 30) as u32));

/// H(0) of 5.3.1. The standard gives the words alone; read with the least byte first they are the
/// hexadecimal digits counted up, counted down, and f0 e1 d2 c3.
fn initial_value() -> [u32; 5] {
    let up = 0x0123_4567_89ab_cdef_u64.to_be_bytes();
    let down = 0xfedc_ba98_7654_3210_u64.to_be_bytes();
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    [word(&up[..4]), word(&up[4..]), word(&down[..4]), word(&down[4..]), word(&[0xf0, 0xe1, 0xd2, 0xc3])]
}

/// Ch, Parity and Maj by round (4.1).
fn f<W: Word>(t: usize, x: W, y: W, z: W) -> W {
    match t {
        0..=19 => (x & y) ^ (!x & z),
        20..=39 | 60..=79 => x ^ y ^ z,
        40..=59 => (x & y) ^ (x & z) ^ (y & z),
        _ => unreachable!("SHA-1 has 80 rounds"),
    }
}

/// One message block (6.1.2).
pub fn compress<W: Word<Plain = u32>>(hash: &mut [W; 5], block: &[W]) {
    // 1. The message schedule.
    let mut w = block.to_vec();
    for t in 16..80 {
        w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotl(1));
    }
    // 2. The working variables.
    let [mut a, mut b, mut c, mut d, mut e] = *hash;
    // 3. The rounds.
    for t in 0..80 {
        let temporary = a.rotl(5).plus(f(t, b, c, d)).plus(e).plus(W::constant(K[t / 20])).plus(w[t]);
        e = d;
        d = c;
        c = b.rotl(30);
        b = a;
        a = temporary;
    }
    // 4. The intermediate hash value.
    for (word, variable) in hash.iter_mut().zip([a, b, c, d, e]) {
        *word = word.plus(variable);
    }
}

/// The SHA-1 digest of a message (6.1).
pub fn sha1(message: &[u8]) -> [u8; 20] {
    let mut hash = initial_value();
    for block in padding::pad(message, 64).chunks(64) {
        compress(&mut hash, &padding::words_32(block));
    }
    let mut digest = [0; 20];
    for (bytes, word) in digest.chunks_mut(4).zip(hash) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// The values of 4.2.1 and 5.3.1.
    #[test]
    fn constants() {
        assert_eq!(*K, [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6]);
        assert_eq!(initial_value(), [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
    }

    /// NIST's examples for FIPS 180: one block, two blocks, a million letters.
    #[test]
    fn examples() {
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(&sha1(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&sha1(&[b'a'; 1_000_000])), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
