//! SHA3-256: FIPS 202. The section numbers in this file are those of the standard. A lane is a `u64`, and A[x, y] is `state[x][y]`.

use crate::Word;

/// A state of 1600 bits.
pub type State<W> = [[W; 5]; 5];

/// Bytes of a block: the rate, 1600 bits less a capacity of twice the digest (6.1).
const RATE_BYTES: usize = 200 - 2 * 32;

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

/// Iota (3.2.5, algorithm 6).
fn iota<W: Word<Plain = u64>>(a: &State<W>, round: usize) -> State<W> {
    let mut changed = *a;
    for j in 0..=6 {
        changed[0][0] = changed[0][0] ^ W::constant(u64::from(rc(j + 7 * round)) << ((1 << j) - 1));
    }
    changed
}

/// Keccak-f\[1600\]: Keccak-p\[1600, 24\] (3.3, 3.4).
fn keccak_f<W: Word<Plain = u64>>(state: &State<W>) -> State<W> {
    (0..24).fold(*state, |a, round| iota(&chi(&pi(&rho(&theta(&a)))), round))
}

/// One block of the sponge (4, algorithm 8): it is added to the state, which is permuted.
pub fn absorb<W: Word<Plain = u64>>(state: &mut State<W>, block: &[W]) {
    for (i, lane) in block.iter().enumerate() {
        state[i % 5][i / 5] = state[i % 5][i / 5] ^ *lane;
    }
    *state = keccak_f(state);
}

/// The SHA3-256 digest of a message: the sponge of section 4.
pub fn sha3_256(message: &[u8]) -> [u8; 32] {
    // The suffix 01 of a hash function (6.1), the first bit of pad10*1 (5.1) and its last; bits of a byte are counted from the lowest (B.1).
    let mut padded = message.to_vec();
    padded.push(0b110);
    padded.resize(padded.len().next_multiple_of(RATE_BYTES), 0);
    *padded.last_mut().expect("a byte of padding") |= 0x80;
    let mut state = State::<u64>::default();
    for block in padded.chunks(RATE_BYTES) {
        let words: Vec<u64> = block.as_chunks().0.iter().map(|lane| u64::from_le_bytes(*lane)).collect();
        absorb(&mut state, &words);
    }
    let mut digest = [0; 32];
    for (i, bytes) in digest.chunks_mut(8).enumerate() {
        bytes.copy_from_slice(&state[i % 5][i / 5].to_le_bytes());
    }
    digest
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
    }
}
