//! BLAKE3: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2021-11-05. The section and
//! table numbers in this file are those of the paper.

use crate::blake2::g;
use crate::{Word, roots};
use std::array::from_fn;
use std::sync::LazyLock;

/// The flags (table 3).
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;
const KEYED_HASH: u32 = 16;
const DERIVE_KEY_CONTEXT: u32 = 32;
const DERIVE_KEY_MATERIAL: u32 = 64;

/// Bytes of a chunk (2.1).
const CHUNK_BYTES: usize = 1024;

/// The key of a message without one (2.2): the words that SHA-256 begins with.
static IV: LazyLock<[u32; 8]> = LazyLock::new(|| roots::of_eight_primes(0).map(|bits| (bits >> 32) as u32));

/// The compression function with all of its output (2.2): `t` is the counter, its low word first, `b` the bytes of the block, `d` the flags.
pub fn compress<W: Word<Plain = u32>>(h: &[W; 8], m: &[W], t: [W; 2], b: W, d: W) -> [W; 16] {
    let iv = IV.map(W::constant);
    let mut v: [W; 16] = from_fn(|i| if i < 8 { h[i] } else { [iv[0], iv[1], iv[2], iv[3], t[0], t[1], b, d][i - 8] });
    let mut m: [W; 16] = from_fn(|i| m[i]);
    for _ in 0..7 {
        for i in 0..4 {
            g(&mut v, [16, 12, 8, 7], [i, 4 + i, 8 + i, 12 + i], m[2 * i], m[2 * i + 1]);
        }
        for i in 0..4 {
            let words = [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4];
            g(&mut v, [16, 12, 8, 7], words, m[8 + 2 * i], m[9 + 2 * i]);
        }
        // Table 2.
        m = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8].map(|i| m[i]);
    }
    from_fn(|i| if i < 8 { v[i] ^ v[i + 8] } else { v[i] ^ h[i - 8] })
}

/// A node before its last compression (2.4, 2.5).
struct Node {
    h: [u32; 8],
    m: [u32; 16],
    t: u64,
    b: u32,
    d: u32,
}

impl Node {
    fn compress(&self, t: u64, d: u32) -> [u32; 16] {
        compress(&self.h, &self.m, [t as u32, (t >> 32) as u32], self.b, self.d | d)
    }

    fn chaining_value(&self) -> [u32; 8] {
        let output = self.compress(self.t, 0);
        from_fn(|i| output[i])
    }
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    from_fn(|i| u32::from_le_bytes(from_fn(|j| bytes.get(4 * i + j).copied().unwrap_or(0))))
}

/// The chunk that is number `t` of its message (2.4).
fn chunk(key: [u32; 8], bytes: &[u8], t: u64, mode: u32) -> Node {
    let mut h = key;
    let blocks: Vec<&[u8]> = if bytes.is_empty() { vec![&[]] } else { bytes.chunks(64).collect() };
    for (i, block) in blocks.iter().enumerate() {
        let d = mode | if i == 0 { CHUNK_START } else { 0 };
        let mut node = Node { h, m: words(block), t, b: block.len() as u32, d };
        if i + 1 == blocks.len() {
            node.d |= CHUNK_END;
            return node;
        }
        h = node.chaining_value();
    }
    unreachable!("there is a block")
}

/// The tree over bytes whose first chunk is number `t` of the message (2.1).
fn tree(key: [u32; 8], bytes: &[u8], t: u64, mode: u32) -> Node {
    if bytes.len() <= CHUNK_BYTES {
        return chunk(key, bytes, t, mode);
    }
    // The left subtree has as many chunks as it can: a power of two, and at least a byte is left.
    let mut left = CHUNK_BYTES;
    while 2 * left < bytes.len() {
        left *= 2;
    }
    let [left, right] = [tree(key, &bytes[..left], t, mode), tree(key, &bytes[left..], t + (left / CHUNK_BYTES) as u64, mode)];
    let [left, right] = [left.chaining_value(), right.chaining_value()];
    Node { h: key, m: from_fn(|i| if i < 8 { left[i] } else { right[i - 8] }), t: 0, b: 64, d: mode | PARENT }
}

/// The output of a tree (2.6).
fn output(key: [u32; 8], message: &[u8], mode: u32, output_bytes: usize) -> Vec<u8> {
    let root = tree(key, message, 0, mode);
    let mut output: Vec<u8> =
        (0..output_bytes.div_ceil(64) as u64).flat_map(|t| root.compress(t, ROOT)).flat_map(u32::to_le_bytes).collect();
    output.truncate(output_bytes);
    output
}

/// The digest of a message (2.3).
pub fn blake3(message: &[u8]) -> Vec<u8> {
    blake3_output(message, 32)
}

/// The first bytes of the output for a message (2.3).
pub fn blake3_output(message: &[u8], output_bytes: usize) -> Vec<u8> {
    output(*IV, message, 0, output_bytes)
}

/// The first bytes of the output for a message under a key (2.3).
pub fn blake3_keyed(key: &[u8; 32], message: &[u8], output_bytes: usize) -> Vec<u8> {
    output(words(key), message, KEYED_HASH, output_bytes)
}

/// The first bytes of what is derived from key material in a context (2.3).
pub fn blake3_derived(context: &str, material: &[u8], output_bytes: usize) -> Vec<u8> {
    let key = output(*IV, context.as_bytes(), DERIVE_KEY_CONTEXT, 32);
    output(words(&key), material, DERIVE_KEY_MATERIAL, output_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// The digest of no bytes that the authors' README has.
    #[test]
    fn the_empty_message() {
        assert_eq!(hex(&blake3_output(b"", 32)), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }
}
