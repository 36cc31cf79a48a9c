//! Skein-512 with a digest of 512 bits, in lanes, as it was in the final round of the SHA-3 competition
//! (Ferguson and others, "The Skein Hash Function Family", version 1.3). The reference for its results is
//! the crate skein. Section numbers are those of the submission.

use manyhash::hazmat::{ByteOrder, ChainingOf, Compression, Count, Counted, End, Ending, Words};

/// The parity of the key schedule, C240 (3.3.2).
const PARITY: u64 = 0x1BD1_1BDA_A9FC_1A22;
/// The flags of a tweak's upper word: the first block, and the last (3.5.1).
const FIRST_BLOCK: u64 = 1 << 62;
const LAST_BLOCK: u64 = 1 << 63;
/// The types of blocks, in a tweak's upper word: of the message, and of the output (3.5.1).
const MESSAGE: u64 = 48 << 56;
const OUTPUT: u64 = 63 << 56;

/// The functions MIX of a round on four pairs of words (3.3.1). The permutation of words is in the indices.
macro_rules! round {
    ($v:ident $($even:literal $odd:literal $left:literal),+) => { $(
        $v[$even] = $v[$even].add($v[$odd]);
        $v[$odd] = $v[$odd].rotate_right::<{ 64 - $left }>().xor($v[$even]);
    )+ };
}

/// Adds the subkey of a number, and makes four rounds (3.3, 3.3.2).
macro_rules! four_rounds {
    ($isa:ident $v:ident $keys:ident $tweak:ident $($subkey:literal $rotations:ident)+) => { $(
        add_subkey!($isa $v $keys $tweak $subkey);
        $rotations!($v);
    )+ };
}

macro_rules! add_subkey {
    ($isa:ident $v:ident $keys:ident $tweak:ident $subkey:literal) => {
        $v[0] = $v[0].add($keys[$subkey % 9]);
        $v[1] = $v[1].add($keys[($subkey + 1) % 9]);
        $v[2] = $v[2].add($keys[($subkey + 2) % 9]);
        $v[3] = $v[3].add($keys[($subkey + 3) % 9]);
        $v[4] = $v[4].add($keys[($subkey + 4) % 9]);
        $v[5] = $v[5].add($keys[($subkey + 5) % 9]).add($tweak[$subkey % 3]);
        $v[6] = $v[6].add($keys[($subkey + 6) % 9]).add($tweak[($subkey + 1) % 3]);
        $v[7] = $v[7].add($keys[($subkey + 7) % 9]).add(V::splat($isa, $subkey));
    };
}

/// The first four of eight rounds, with their rotations (table 4).
macro_rules! first {
    ($v:ident) => {
        round!($v 0 1 46, 2 3 36, 4 5 19, 6 7 37);
        round!($v 2 1 33, 4 7 27, 6 5 14, 0 3 42);
        round!($v 4 1 17, 6 3 49, 0 5 36, 2 7 39);
        round!($v 6 1 44, 0 7 9, 2 5 54, 4 3 56);
    };
}

/// The other four.
macro_rules! second {
    ($v:ident) => {
        round!($v 0 1 39, 2 3 30, 4 5 34, 6 7 24);
        round!($v 2 1 13, 4 7 50, 6 5 10, 0 3 17);
        round!($v 4 1 25, 6 3 29, 0 5 39, 2 7 43);
        round!($v 6 1 8, 0 7 35, 2 5 56, 4 3 22);
    };
}

/// Threefish-512 (3.3).
#[inline(always)]
fn threefish<V: Words<Word = u64>>(isa: V::Isa, key: [V; 8], tweak: [V; 2], text: [V; 8]) -> [V; 8] {
    let parity = V::xor3(V::xor3(key[0], key[1], key[2]), V::xor3(key[3], key[4], key[5]), key[6].xor(key[7]));
    let keys = [key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], parity.xor(V::splat(isa, PARITY))];
    let tweak = [tweak[0], tweak[1], tweak[0].xor(tweak[1])];
    let mut v = text;
    four_rounds!(isa v keys tweak 0 first 1 second 2 first 3 second 4 first 5 second 6 first 7 second 8 first);
    four_rounds!(isa v keys tweak 9 second 10 first 11 second 12 first 13 second 14 first 15 second 16 first 17 second);
    add_subkey!(isa v keys tweak 18);
    v
}

/// The number of words of the chaining value. Behind them a state has the tweak: the bytes before the
/// next block, and type and flags.
const CHAINING: usize = 8;
const POSITION: usize = CHAINING;
const FLAGS: usize = POSITION + 1;
const STATE: usize = FLAGS + 1;

/// The blocks of a message through the chaining mode UBI (3.4). What it leaves is the message of
/// [`Skein512Output`].
#[derive(Clone, Copy, Debug)]
pub struct Skein512;

impl Skein512 {
    /// The state before the first block: the configuration's result (appendix B.10).
    pub const INITIAL: [u64; STATE] = [
        0x4903_ADFF_749C_51CE,
        0x0D95_DE39_9746_DF03,
        0x8FD1_9341_27C7_9BCE,
        0x9A25_5629_FF35_2CB1,
        0x5DB6_2599_DF6C_A7B0,
        0xEABE_394C_A9D5_C3F4,
        0x9911_12C7_1A75_B523,
        0xAE18_A40B_660F_CC33,
        0,
        FIRST_BLOCK | MESSAGE,
    ];
}

impl Compression for Skein512 {
    type Word = u64;
    type State = Count<STATE>;
    type Block = Count<8>;
    type Ending = SkeinEnding;
    const NAME: &'static str = "skein-512";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; STATE], block: [V; 8]) {
        let [a, b, c, d, e, f, g, h, position, flags] = *state;
        let position = position.add(V::splat(isa, Self::BLOCK_BYTES as u64));
        let text = threefish(isa, [a, b, c, d, e, f, g, h], [position, flags], block);
        for (i, word) in state[..CHAINING].iter_mut().enumerate() {
            *word = text[i].xor(block[i]);
        }
        state[POSITION] = position;
        state[FLAGS] = flags.and(V::splat(isa, !FIRST_BLOCK));
    }
}

/// The ending of Skein: zeros, and none of them if a message is whole blocks. The tweak of the last block
/// says so, and has the bytes of the message.
pub struct SkeinEnding;

impl Ending<Skein512> for SkeinEnding {
    const FIRST: u8 = 0;
    const FEWEST_BYTES: usize = 0;
    const MARKS_END: bool = true;

    fn finish(_: &mut [u8], _: u64) {}

    fn mark_end(state: &mut ChainingOf<Skein512>, end: End) {
        state[POSITION] = end.message_bytes.wrapping_sub(Skein512::BLOCK_BYTES as u64);
        state[FLAGS] |= LAST_BLOCK;
    }

    not_in_registers!(Skein512);
}

/// The output function (3.5.3): its message is what [`Skein512`] leaves, and its state begins with zeros.
#[derive(Clone, Copy, Debug)]
pub struct Skein512Output;

impl Compression for Skein512Output {
    type Word = u64;
    type State = Count<12>;
    type Block = Count<8>;
    type Ending = Counted;
    const NAME: &'static str = "skein-512-output";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 12], block: [V; 8]) {
        // The counter of output blocks is 0, and has eight bytes.
        let tweak = [V::splat(isa, 8), V::splat(isa, FIRST_BLOCK | LAST_BLOCK | OUTPUT)];
        let text = threefish(isa, block, tweak, [V::splat(isa, 0); 8]);
        state[..CHAINING].copy_from_slice(&text);
    }
}
