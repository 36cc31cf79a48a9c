//! SHA-384, SHA-512, SHA-512/224 and SHA-512/256: FIPS 180-4 sections 4.1.3, 4.2.3, 5.3.4 to 5.3.6
//! and 6.4 to 6.7.

use std::sync::LazyLock;

use crate::{Word, padding, roots};

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (4.2.3).
static K: LazyLock<Vec<u64>> = LazyLock::new(|| roots::primes().take(80).map(|prime| roots::cube_root(prime, 64) as u64).collect());

/// The fractional parts of the square roots of the first eight primes (5.3.5).
static SHA512_INITIAL: LazyLock<[u64; 8]> = LazyLock::new(|| roots::of_eight_primes(0));
/// Those of the ninth to the sixteenth prime (5.3.4).
static SHA384_INITIAL: LazyLock<[u64; 8]> = LazyLock::new(|| roots::of_eight_primes(8));
/// By the generation function (5.3.6.1).
static SHA512_224_INITIAL: LazyLock<[u64; 8]> = LazyLock::new(|| truncated_initial("SHA-512/224"));
/// By the generation function (5.3.6.2).
static SHA512_256_INITIAL: LazyLock<[u64; 8]> = LazyLock::new(|| truncated_initial("SHA-512/256"));

/// The SHA-512/t IV Generation Function (5.3.6): the function's own name, hashed by SHA-512 from
/// its initial value with every byte XORed with a5.
fn truncated_initial(name: &str) -> [u64; 8] {
    hash(&SHA512_INITIAL.map(|word| word ^ 0xa5a5_a5a5_a5a5_a5a5), name.as_bytes())
}

/// Ch (4.8).
fn choose<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (!x & z)
}

/// Maj (4.9).
fn majority<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (x & z) ^ (y & z)
}

/// Upper-case sigma 0 (4.10).
fn big_sigma0<W: Word>(x: W) -> W {
    x.rotr(28) ^ x.rotr(34) ^ x.rotr(39)
}

/// Upper-case sigma 1 (4.11).
fn big_sigma1<W: Word>(x: W) -> W {
    x.rotr(14) ^ x.rotr(18) ^ x.rotr(41)
}

/// Lower-case sigma 0 (4.12).
fn small_sigma0<W: Word>(x: W) -> W {
    x.rotr(1) ^ x.rotr(8) ^ x.shr(7)
}

/// Lower-case sigma 1 (4.13).
fn small_sigma1<W: Word>(x: W) -> W {
    x.rotr(19) ^ x.rotr(61) ^ x.shr(6)
}

/// One message block (6.4.2).
pub fn compress<W: Word<Plain = u64>>(hash: &mut [W; 8], block: &[W]) {
    // 1. The message schedule.
    let mut w = block.to_vec();
    for t in 16..80 {
        w.push(small_sigma1(w[t - 2]).plus(w[t - 7]).plus(small_sigma0(w[t - 15])).plus(w[t - 16]));
    }
    // 2. The working variables.
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    // 3. The rounds.
    for t in 0..80 {
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

/// The final hash value H(N) of a message from an initial value (6.4.2).
fn hash(initial: &[u64; 8], message: &[u8]) -> [u64; 8] {
    let mut hash = *initial;
    for block in padding::pad(message, 128).chunks(128) {
        compress(&mut hash, &padding::words_64(block));
    }
    hash
}

/// H(N) as bytes, cut to the digest's length.
fn digest<const DIGEST_BYTES: usize>(initial: &[u64; 8], message: &[u8]) -> [u8; DIGEST_BYTES] {
    let bytes = hash(initial, message).map(u64::to_be_bytes);
    std::array::from_fn(|i| bytes.as_flattened()[i])
}

/// The SHA-384 digest of a message (6.5).
pub fn sha384(message: &[u8]) -> [u8; 48] {
    digest(&SHA384_INITIAL, message)
}

/// The SHA-512 digest of a message (6.4).
pub fn sha512(message: &[u8]) -> [u8; 64] {
    digest(&SHA512_INITIAL, message)
}

/// The SHA-512/224 digest of a message (6.6).
pub fn sha512_224(message: &[u8]) -> [u8; 28] {
    digest(&SHA512_224_INITIAL, message)
}

/// The SHA-512/256 digest of a message (6.7).
pub fn sha512_256(message: &[u8]) -> [u8; 32] {
    digest(&SHA512_256_INITIAL, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// The ends of the tables in 4.2.3 and 5.3.4 to 5.3.6.
    #[test]
    fn constants() {
        assert_eq!((K.len(), K[0], K[79]), (80, 0x428a2f98d728ae22, 0x6c44198c4a475817));
        assert_eq!((SHA512_INITIAL[0], SHA512_INITIAL[7]), (0x6a09e667f3bcc908, 0x5be0cd19137e2179));
        assert_eq!((SHA384_INITIAL[0], SHA384_INITIAL[7]), (0xcbbb9d5dc1059ed8, 0x47b5481dbefa4fa4));
        assert_eq!((SHA512_224_INITIAL[0], SHA512_224_INITIAL[7]), (0x8c3d37c819544da2, 0x1112e6ad91d692a1));
        assert_eq!((SHA512_256_INITIAL[0], SHA512_256_INITIAL[7]), (0x22312194fc2bf72c, 0x0eb72ddc81c52ca2));
    }

    const TWO_BLOCKS: &[u8] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
        hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

    /// NIST's examples for FIPS 180: one block, two blocks, a million letters.
    #[test]
    fn sha512_examples() {
        assert_eq!(
            hex(&sha512(b"abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        assert_eq!(
            hex(&sha512(TWO_BLOCKS)),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
             501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        );
        assert_eq!(
            hex(&sha512(&[b'a'; 1_000_000])),
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
             de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        );
    }

    #[test]
    fn sha384_examples() {
        assert_eq!(
            hex(&sha384(b"abc")),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163\
             1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        );
        assert_eq!(
            hex(&sha384(TWO_BLOCKS)),
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d2\
             2fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"
        );
        assert_eq!(
            hex(&sha384(&[b'a'; 1_000_000])),
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f24852\
             7972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985"
        );
    }

    #[test]
    fn truncated_examples() {
        assert_eq!(hex(&sha512_224(b"abc")), "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa");
        assert_eq!(hex(&sha512_224(TWO_BLOCKS)), "23fec5bb94d60b23308192640b0c453335d664734fe40e7268674af9");
        assert_eq!(hex(&sha512_256(b"abc")), "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
        assert_eq!(hex(&sha512_256(TWO_BLOCKS)), "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a");
    }
}
