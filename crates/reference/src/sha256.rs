//! SHA-224 and SHA-256: FIPS 180-4 sections 4.1.2, 4.2.2, 5.3.2, 5.3.3, 6.2 and 6.3.

use std::sync::LazyLock;

use crate::{Word, padding, roots};

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
static K: LazyLock<Vec<u32>> = LazyLock::new(|| roots::primes().take(64).map(|prime| roots::cube_root(prime, 32) as u32).collect());

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes (5.3.3).
static SHA256_INITIAL: LazyLock<[u32; 8]> = LazyLock::new(|| roots::of_eight_primes(0).map(|bits| (bits >> 32) as u32));

/// The second 32 bits of those of the ninth to the sixteenth prime. FIPS 180-4 (5.3.2) gives the
/// words alone; RFC 3874 tells where they come from.
static SHA224_INITIAL: LazyLock<[u32; 8]> = LazyLock::new(|| roots::of_eight_primes(8).map(|bits| bits as u32));

/// Ch (4.2).
fn choose<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (!x & z)
}

/// Maj (4.3).
fn majority<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (x & z) ^ (y & z)
}

/// Upper-case sigma 0 (4.4).
fn big_sigma0<W: Word>(x: W) -> W {
    x.rotr(2) ^ x.rotr(13) ^ x.rotr(22)
}

/// Upper-case sigma 1 (4.5).
fn big_sigma1<W: Word>(x: W) -> W {
    x.rotr(6) ^ x.rotr(11) ^ x.rotr(25)
}

/// Lower-case sigma 0 (4.6).
fn small_sigma0<W: Word>(x: W) -> W {
    x.rotr(7) ^ x.rotr(18) ^ x.shr(3)
}

/// Lower-case sigma 1 (4.7).
fn small_sigma1<W: Word>(x: W) -> W {
    x.rotr(17) ^ x.rotr(19) ^ x.shr(10)
}

/// One message block (6.2.2).
pub fn compress<W: Word<Plain = u32>>(hash: &mut [W; 8], block: &[W]) {
    // 1. The message schedule.
    let mut w = block.to_vec();
    for t in 16..64 {
        w.push(small_sigma1(w[t - 2]).plus(w[t - 7]).plus(small_sigma0(w[t - 15])).plus(w[t - 16]));
    }
    // 2. The working variables.
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    // 3. The rounds.
    for t in 0..64 {
        let t1 = h.plus(big_sigma1(e)).plus(choose(e, f, g)).plus(W::constant(K[t])).plus(w[t]);
        let t2 = big_sigma0(a).plus(majority(a, b, c));
        h = g;
        g = f;
        f = e;
        e = d.plus(t1);
        d = c;
        c = b;
        b = a;
        a = t1.plus(t2);
    }
    // 4. The intermediate hash value.
    for (word, variable) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.plus(variable);
    }
}

/// The hash of a message from an initial value, cut to the digest's length.
fn digest<const DIGEST_BYTES: usize>(initial: &[u32; 8], message: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hash = *initial;
    for block in padding::pad(message, 64).chunks(64) {
        compress(&mut hash, &padding::words_32(block));
    }
    let bytes = hash.map(u32::to_be_bytes);
    std::array::from_fn(|i| bytes.as_flattened()[i])
}

/// The SHA-224 digest of a message (6.3).
pub fn sha224(message: &[u8]) -> [u8; 28] {
    digest(&SHA224_INITIAL, message)
}

/// The SHA-256 digest of a message (6.2).
pub fn sha256(message: &[u8]) -> [u8; 32] {
    digest(&SHA256_INITIAL, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// The ends of the tables in 4.2.2, 5.3.2 and 5.3.3.
    #[test]
    fn constants() {
        assert_eq!((K.len(), K[0], K[63]), (64, 0x428a2f98, 0xc67178f2));
        assert_eq!((SHA256_INITIAL[0], SHA256_INITIAL[7]), (0x6a09e667, 0x5be0cd19));
        assert_eq!((SHA224_INITIAL[0], SHA224_INITIAL[7]), (0xc1059ed8, 0xbefa4fa4));
    }

    const TWO_BLOCKS: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    /// NIST's examples for FIPS 180: one block, two blocks, a million letters.
    #[test]
    fn sha256_examples() {
        assert_eq!(hex(&sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(&sha256(TWO_BLOCKS)), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(hex(&sha256(&[b'a'; 1_000_000])), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    /// The three examples for SHA-224 (RFC 3874 section 3).
    #[test]
    fn sha224_examples() {
        assert_eq!(hex(&sha224(b"abc")), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
        assert_eq!(hex(&sha224(TWO_BLOCKS)), "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525");
        assert_eq!(hex(&sha224(&[b'a'; 1_000_000])), "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67");
    }
}
