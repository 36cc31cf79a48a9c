//! The compression function of BLAKE3 (J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn,
//! "BLAKE3: one function, fast everywhere", 2021-11-05). Section numbers are those of the paper.
//!
//! Its messages are chunks and parents, the nodes of BLAKE3's tree; `crate::blake3` makes trees of
//! messages. Operations per block and lane, with rotations of one operation: 8 quarter rounds of 14
//! for each of 7 rounds, and about 30 around them.

use super::blake2::{quarter_rounds, rounds};
use super::blake2s::INITIAL;
use super::ending::Node;
use super::{Compression, SelfTested, TreeNode, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// BLAKE3, with a digest of 256 bits. [`blake3`](crate::blake3) has its keys and its output of any
    /// length.
    ///
    /// A message of more than 1,024 bytes is a tree of chunks of so many bytes, which share the lanes.
    // Initial value: 2.2.
    Blake3, names("BLAKE3", "BLAKE3", "blake3", "blake3", Some("b3sum"), false), 32, Blake3Compression, start(INITIAL, 0)
}

/// The compression function of BLAKE3. [`Node`] describes the words behind the chaining value.
#[derive(Clone, Copy, Debug)]
pub struct Blake3Compression;

/// Bytes of a chunk, the leaf of a tree (2.1).
pub(crate) const CHUNK_BYTES: usize = 1024;

/// The words of the block after one round, by their places before it (table 2).
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// The word of the block that each quarter round takes, one row a round (2.2).
pub(crate) const ROUNDS: [[usize; 16]; 7] = {
    let mut rounds = [[0; 16]; 7];
    let mut i = 0;
    while i < 7 * 16 {
        rounds[i / 16][i % 16] = if i < 16 { i } else { rounds[i / 16 - 1][PERMUTATION[i % 16]] };
        i += 1;
    }
    rounds
};

/// The flag of the first block of a chunk (table 3).
pub(crate) const CHUNK_START: u32 = 1 << 0;
/// The flag of the last block of a chunk.
pub(crate) const CHUNK_END: u32 = 1 << 1;
/// The flag of a parent.
pub(crate) const PARENT: u32 = 1 << 2;
/// The flag of the last block of the root.
pub(crate) const ROOT: u32 = 1 << 3;
/// The flag of all blocks of a message under a key.
pub(crate) const KEYED_HASH: u32 = 1 << 4;
/// The flag of all blocks of a context, from which a key is derived.
pub(crate) const DERIVE_KEY_CONTEXT: u32 = 1 << 5;
/// The flag of all blocks of what a key is derived from.
pub(crate) const DERIVE_KEY_MATERIAL: u32 = 1 << 6;

impl SelfTested for Blake3Compression {
    const KNOWN: [u64; 2] = [0xCBDD_C722_D326_95B9, 0x4993_FD41_C59D_1342];
    const CHUNK_BYTES: usize = CHUNK_BYTES;

    fn node(start: &[u32; 15], node: TreeNode) -> [u32; 15] {
        let mut state = *start;
        match node {
            TreeNode::Chunk(number) => {
                (state[Node::COUNTER], state[Node::COUNTER + 1]) = (number as u32, (number >> 32) as u32);
                state[Node::LAST_FLAGS] = CHUNK_END;
            }
            TreeNode::Parent | TreeNode::Root => {
                state[Node::FLAGS] = state[Node::FLAGS] & !CHUNK_START | PARENT;
                state[Node::LAST_FLAGS] = if matches!(node, TreeNode::Root) { ROOT } else { 0 };
            }
        }
        state
    }
}

/// Returns the state that a message begins with, under a key or the initial value, and with the flags
/// of a mode (2.3). The message is one chunk, as far as the state knows.
pub(crate) const fn start(key: [u32; 8], flags: u32) -> [u32; 15] {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = key;
    [h0, h1, h2, h3, h4, h5, h6, h7, 0, 0, flags | CHUNK_START, CHUNK_END | ROOT, 0, 0, 0]
}

impl Compression for Blake3Compression {
    type Word = u32;
    type State = Count<15>;
    type Block = Count<16>;
    type Ending = Node;
    const NAME: &'static str = "blake3";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 15], block: [V; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, flags, last_flags, added_bytes, is_last, is_upper] = *state;
        let initial = |i: usize| V::splat(isa, INITIAL[i]);
        let block_bytes = V::splat(isa, Self::BLOCK_BYTES as u32).add(added_bytes);
        let all_flags = flags.xor(last_flags.and(is_last));
        let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, initial(0), initial(1), initial(2), initial(3), low, high, block_bytes, all_flags];
        rounds!(v block [16 12 8 7] ROUNDS 0 1 2 3 4 5 6);
        for (i, word) in state[..8].iter_mut().enumerate() {
            *word = V::xor_and_not(v[i + 8], is_upper, v[i]);
        }
        state[Node::FLAGS] = flags.and(V::splat(isa, !CHUNK_START));
    }
}
