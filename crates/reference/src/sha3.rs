//! SHA-3: FIPS 202. The section numbers in this file are those of the standard. A lane is a `u64`, and A[x, y] is `state[x][y]`.

use crate::Word;
use std::sync::LazyLock;

/// A state of 1600 bits.
pub type State<W> = [[W; 5]; 5];

/// The bit rc(t) of 3.2.5, algorithm 5: a linear feedback shift register. Bit i of `r` is R\[i\].
fn rc(t: usize) -> bool {
    let mut r = 1_u16;
    for _ in 0..t % 255 {
        // A zero goes in front, and what falls out behind is added to bits 0, 4, 5 and 6.
        r <<= 1;
        if r >> 8 == 1 {
            r ^= 0b1_0111_0001;
        }
    }
    r & 1 == 1
}

/// Theta (3.2.1).
fn theta<W: Word>(a: &State<W>) -> State<W> {
    let column = a.map(|lanes| lanes.into_iter().reduce(|sum, lane| sum ^ lane).expect("five lanes"));
    let d = |x: usize| column[(x + 4) % 5] ^ column[(x + 1) % 5].rotl(1);
    std::array::from_fn(|x| std::array::from_fn(|y| a[x][y] ^ d(x)))
}

/// Rho (3.2.2, algorithm 2).
fn rho<W: Word>(a: &State<W>) -> State<W> {
    let mut moved = *a;
    let (mut x, mut y) = (1, 0);
    for t in 0..24 {
        moved[x][y] = a[x][y].rotl((t + 1) * (t + 2) / 2 % 64);
        (x, y) = (y, (2 * x + 3 * y) % 5);
    }
    moved
}

/// Pi (3.2.3).
fn pi<W: Word>(a: &State<W>) -> State<W> {
    std::array::from_fn(|x| std::array::from_fn(|y| a[(x + 3 * y) % 5][x]))
}

/// Chi (3.2.4).
fn chi<W: Word>(a: &State<W>) -> State<W> {
    std::array::from_fn(|x| std::array::from_fn(|y| a[x][y] ^ (!a[(x + 1) % 5][y] & a[(x + 2) % 5][y])))
}

/// The constants RC of all rounds (3.2.5, algorithm 6), which are found once: an oracle that finds them for each block is slow.
static RC: LazyLock<[u64; 24]> = LazyLock::new(|| std::array::from_fn(|round| (0..=6).map(|j| u64::from(rc(j + 7 * round)) << ((1 << j) - 1)).sum()));

/// Iota (3.2.5, algorithm 6).
fn iota<W: Word<Plain = u64>>(a: &State<W>, round: usize) -> State<W> {
    let mut changed = *a;
    changed[0][0] = changed[0][0] ^ W::constant(RC[round]);
    changed
}

/// Keccak-p\[1600, n\]: the last n rounds of Keccak-f\[1600\], which is Keccak-p\[1600, 24\] (3.3, 3.4).
fn keccak_p<W: Word<Plain = u64>>(state: &State<W>, rounds: usize) -> State<W> {
    (24 - rounds..24).fold(*state, |a, round| iota(&chi(&pi(&rho(&theta(&a)))), round))
}

/// One block of the sponge (4, algorithm 8): it is added to the state, which is permuted.
pub fn absorb<W: Word<Plain = u64>>(state: &mut State<W>, block: &[W]) {
    absorb_by(24, state, block);
}

/// One block of a sponge of 12 rounds (RFC 9861, 2.2).
pub fn absorb_in_12<W: Word<Plain = u64>>(state: &mut State<W>, block: &[W]) {
    absorb_by(12, state, block);
}

fn absorb_by<W: Word<Plain = u64>>(rounds: usize, state: &mut State<W>, block: &[W]) {
    for (i, lane) in block.iter().enumerate() {
        state[i % 5][i / 5] = state[i % 5][i / 5] ^ *lane;
    }
    *state = keccak_p(state, rounds);
}

/// The sponge (4): `output_bytes` bytes for a message after which comes `first`, a byte with the suffix of the function and the first bit
/// of pad10*1 (5.1). Its last bit is the highest of a block; bits of a byte are counted from the lowest (B.1).
pub(crate) fn sponge(rounds: usize, message: &[u8], first: u8, rate_bytes: usize, output_bytes: usize) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(first);
    padded.resize(padded.len().next_multiple_of(rate_bytes), 0);
    *padded.last_mut().expect("a byte of padding") |= 0x80;
    let mut state = State::<u64>::default();
    for block in padded.chunks(rate_bytes) {
        let words: Vec<u64> = block.as_chunks().0.iter().map(|lane| u64::from_le_bytes(*lane)).collect();
        absorb_by(rounds, &mut state, &words);
    }
    let mut output = Vec::new();
    while output.len() < output_bytes {
        if !output.is_empty() {
            state = keccak_p(&state, rounds);
        }
        let bytes: Vec<u8> = (0..25).flat_map(|i| state[i % 5][i / 5].to_le_bytes()).collect();
        output.extend_from_slice(&bytes[..rate_bytes.min(output_bytes - output.len())]);
    }
    output
}

/// A digest: the capacity is twice as long (6.1).
fn digest<const DIGEST_BYTES: usize>(message: &[u8], first: u8) -> [u8; DIGEST_BYTES] {
    sponge(24, message, first, 200 - 2 * DIGEST_BYTES, DIGEST_BYTES).try_into().expect("as long as asked for")
}

/// `output_bytes` bytes of SHAKE128 (6.2).
pub fn shake128(message: &[u8], output_bytes: usize) -> Vec<u8> {
    sponge(24, message, 0b11111, 200 - 2 * 16, output_bytes)
}

/// `output_bytes` bytes of SHAKE256 (6.2).
pub fn shake256(message: &[u8], output_bytes: usize) -> Vec<u8> {
    sponge(24, message, 0b11111, 200 - 2 * 32, output_bytes)
}

/// The SHA3-224 digest of a message (6.1).
pub fn sha3_224(message: &[u8]) -> [u8; 28] {
    digest(message, 0b110)
}

/// The SHA3-256 digest of a message (6.1).
pub fn sha3_256(message: &[u8]) -> [u8; 32] {
    digest(message, 0b110)
}

/// The SHA3-384 digest of a message (6.1).
pub fn sha3_384(message: &[u8]) -> [u8; 48] {
    digest(message, 0b110)
}

/// The SHA3-512 digest of a message (6.1).
pub fn sha3_512(message: &[u8]) -> [u8; 64] {
    digest(message, 0b110)
}

/// The Keccak-256 digest of a message, as Ethereum's Yellow Paper has it: the sponge without a suffix.
pub fn keccak256(message: &[u8]) -> [u8; 32] {
    digest(message, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// The examples of NIST's page "Cryptographic Standards and Guidelines: Example Values".
    #[test]
    fn known_digests() {
        assert_eq!(hex(&sha3_256(b"")), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
        assert_eq!(hex(&sha3_256(&[0xa3; 200])), "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787");
        assert_eq!(hex(&sha3_224(b"")), "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7");
        assert_eq!(hex(&sha3_384(b"")), "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004");
        assert_eq!(hex(&sha3_512(b"")), "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26");
    }

    #[test]
    fn known_outputs() {
        assert_eq!(hex(&shake128(b"", 32)), "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26");
        assert_eq!(hex(&shake256(b"", 32)), "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
    }

    /// KEC in the Yellow Paper's appendix on state: the digest of nothing, which empty accounts have for their code.
    #[test]
    fn the_digest_of_no_code() {
        assert_eq!(hex(&keccak256(b"")), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    }
}
