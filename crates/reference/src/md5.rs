//! MD5: RFC 1321 section 3. The section numbers in this file are those of the RFC.

use std::sync::LazyLock;

use crate::{Word, padding};

/// The table T of 3.4: the integer parts of 4294967296 times the sines' absolute values, of 1 to 64
/// radians. T\[1\] comes first.
static T: LazyLock<[u32; 64]> = LazyLock::new(|| std::array::from_fn(|i| (4_294_967_296.0 * (i as f64 + 1.0).sin().abs()) as u32));

/// The four shifts of each round, as the operations of 3.4 list them.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The words A, B, C, D before the first block, given with their low-order bytes first (3.3).
fn initial_value() -> [u32; 4] {
    [
        u32::from_le_bytes([0x01, 0x23, 0x45, 0x67]),
        u32::from_le_bytes([0x89, 0xab, 0xcd, 0xef]),
        u32::from_le_bytes([0xfe, 0xdc, 0xba, 0x98]),
        u32::from_le_bytes([0x76, 0x54, 0x32, 0x10]),
    ]
}

/// F, G, H, I by round (3.4).
fn function<W: Word>(round: usize, x: W, y: W, z: W) -> W {
    match round {
        0 => (x & y) | (!x & z),
        1 => (x & z) | (y & !z),
        2 => x ^ y ^ z,
        3 => y ^ (x | !z),
        _ => unreachable!("MD5 has 4 rounds"),
    }
}

/// The index of the message word that operation `i` of a round takes: the k of `[abcd k s i]` (3.4)
/// begins at 0, 1, 5, 0 and goes up by 1, 5, 3, 7.
fn word_index(round: usize, i: usize) -> usize {
    let (first, step) = [(0, 1), (1, 5), (5, 3), (0, 7)][round];
    (first + step * i) % 16
}

/// One 16-word block (3.4).
pub fn compress<W: Word<Plain = u32>>(hash: &mut [W; 4], block: &[W]) {
    let [mut a, mut b, mut c, mut d] = *hash;
    for (round, shifts) in SHIFTS.into_iter().enumerate() {
        for i in 0..16 {
            // a = b + ((a + F(b,c,d) + X[k] + T[i]) <<< s), after which the letters move on by one.
            let sum = a.plus(function(round, b, c, d)).plus(block[word_index(round, i)]).plus(W::constant(T[16 * round + i]));
            (a, b, c, d) = (d, b.plus(sum.rotl(shifts[i % 4])), b, c);
        }
    }
    for (word, letter) in hash.iter_mut().zip([a, b, c, d]) {
        *word = word.plus(letter);
    }
}

/// The MD5 digest of a message. Collisions are practical.
pub fn md5(message: &[u8]) -> [u8; 16] {
    // 3.1 and 3.2: padded as for SHA-1, but for the length's bytes, of which the low-order one
    // comes first.
    let mut padded = padding::pad(message, 64);
    let length_at = padded.len() - 8;
    padded[length_at..].reverse();
    let mut hash = initial_value();
    for block in padded.chunks(64) {
        let words: Vec<u32> = block.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        compress(&mut hash, &words);
    }
    // 3.5: from the low-order byte of A to the high-order byte of D.
    let mut digest = [0; 16];
    for (bytes, word) in digest.chunks_mut(4).zip(hash) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// First, last and smallest value of the table in the RFC's appendix, and the words of 3.3 as
    /// numbers.
    #[test]
    fn constants() {
        assert_eq!((T[0], T[53], T[63]), (0xd76aa478, 0x8f0ccc92, 0xeb86d391));
        assert_eq!(T.iter().min(), Some(&0x02441453));
        assert_eq!(initial_value(), [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
    }

    /// The test suite of A.5.
    #[test]
    fn suite() {
        for (message, digest) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            ("12345678901234567890123456789012345678901234567890123456789012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"),
        ] {
            assert_eq!(hex(&md5(message.as_bytes())), digest, "{message:?}");
        }
    }
}
