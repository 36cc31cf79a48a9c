//! BLAKE-256 and BLAKE-512 in lanes, as they were in the final round of the SHA-3 competition
//! (Aumasson, Henzen, Meier & Phan, "SHA-3 proposal BLAKE", version 1.3). The reference for their
//! results is the crate blake-hash.

use manyhash::hazmat::{ByteOrder, ChainingOf, Compression, Count, End, Ending, Word, Words};

/// The permutations of the message's words, round by round.
const PERMUTATIONS: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The constants of BLAKE-512, which are the digits of pi after the point.
const PI: [u64; 16] = [
    0x243F6A8885A308D3,
    0x13198A2E03707344,
    0xA4093822299F31D0,
    0x082EFA98EC4E6C89,
    0x452821E638D01377,
    0xBE5466CF34E90C6C,
    0xC0AC29B7C97C50DD,
    0x3F84D5B5B5470917,
    0x9216D5D98979FB1B,
    0xD1310BA698DFB5AC,
    0x2FFD72DBD01ADFB7,
    0xB8E1AFED6A267E96,
    0xBA7C9045F12C7F99,
    0x24A19947B3916CF7,
    0x0801F2E2858EFC16,
    0x636920D871574E69,
];

/// The constants of BLAKE-256, which are the first half of the same digits.
const HALF_PI: [u32; 16] = {
    let mut halves = [0; 16];
    let mut i = 0;
    while i < 16 {
        halves[i] = (PI[i / 2] >> (32 * (1 - i % 2))) as u32;
        i += 1;
    }
    halves
};

/// G of a column or diagonal, `$i` of round `$round`.
macro_rules! quarter {
    ($isa:ident $v:ident $words:ident $constants:ident [$first:literal $second:literal $third:literal $fourth:literal]
     $round:literal $i:literal: $a:literal $b:literal $c:literal $d:literal) => {
        let (even, odd) = (PERMUTATIONS[$round % 10][2 * $i], PERMUTATIONS[$round % 10][2 * $i + 1]);
        $v[$a] = $v[$a].add($words[even].xor(V::splat($isa, $constants[odd]))).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_right::<$first>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_right::<$second>();
        $v[$a] = $v[$a].add($words[odd].xor(V::splat($isa, $constants[even]))).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_right::<$third>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_right::<$fourth>();
    };
}

macro_rules! rounds {
    ($isa:ident $v:ident $words:ident $constants:ident $rotations:tt $($round:literal)+) => { $(
        quarter!($isa $v $words $constants $rotations $round 0: 0 4 8 12);
        quarter!($isa $v $words $constants $rotations $round 1: 1 5 9 13);
        quarter!($isa $v $words $constants $rotations $round 2: 2 6 10 14);
        quarter!($isa $v $words $constants $rotations $round 3: 3 7 11 15);
        quarter!($isa $v $words $constants $rotations $round 4: 0 5 10 15);
        quarter!($isa $v $words $constants $rotations $round 5: 1 6 11 12);
        quarter!($isa $v $words $constants $rotations $round 6: 2 7 8 13);
        quarter!($isa $v $words $constants $rotations $round 7: 3 4 9 14);
    )+ };
}

/// The number of words of the chaining value. Behind them a state has two words with the count of
/// the message's bits up to the last block. Then come the counts for the next block and the one
/// after, if they do not grow by a block, and a flag that says whether this is so. Lower words come
/// first.
const CHAINING: usize = 8;
const COUNT: usize = CHAINING;
const NEXT: usize = COUNT + 2;
const AFTER_NEXT: usize = NEXT + 2;
const IS_TOLD: usize = AFTER_NEXT + 2;
const STATE: usize = IS_TOLD + 1;

/// The ending of BLAKE: a one bit, zeros, a one bit, the length in bits. The count of a block that
/// has no bit of the message is 0.
pub struct BlakeEnding;

/// Returns the number of the message's bits up to and with those of block number `block`, or 0 if
/// that block has none.
const fn count(message_bytes: u64, block: u64, block_bytes: u64) -> u128 {
    let (begin, end) = (block * block_bytes, (block + 1).saturating_mul(block_bytes));
    let bytes = if begin >= message_bytes {
        0
    } else if end > message_bytes {
        message_bytes
    } else {
        end
    };
    8 * bytes as u128
}

/// The bits of very long messages take two words.
const _: () = {
    let long = (1 << 32) + 5;
    assert!(count(long, long / 64, 64) == (8 << 32) + 40);
    assert!(count(long, (1 << 23) - 1, 64) == 1 << 32);
    assert!(count(long, 1 + long / 64, 64) == 0);
    assert!(count(u64::MAX, (1 << 57) - 1, 128) == 8 * (u64::MAX as u128));
};

macro_rules! blake {
    ($(#[$doc:meta])* $Blake:ident, $name:literal, $word:ident, $constants:ident, $rotations:tt, [$($round:literal)+], $initial:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Blake;

        impl $Blake {
            /// The state before the first block.
            pub const INITIAL: [$word; STATE] = {
                let (chaining, mut state): ([$word; CHAINING], _) = ($initial, [0; STATE]);
                let mut i = 0;
                while i < CHAINING {
                    state[i] = chaining[i];
                    i += 1;
                }
                state
            };
        }

        impl Compression for $Blake {
            type Word = $word;
            type State = Count<STATE>;
            type Block = Count<16>;
            type Ending = BlakeEnding;
            const NAME: &'static str = $name;
            const BYTE_ORDER: ByteOrder = ByteOrder::Big;
            const WANTS_WAVES: bool = false;

            #[inline(always)]
            fn compress<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; STATE], block: [V; 16]) {
                const BLOCK_BITS: $word = 8 * 16 * size_of::<$word>() as $word;
                let is_told = state[IS_TOLD];
                // There is a carry where the highest bit was set and no longer is.
                let counted = state[COUNT].add(V::splat(isa, BLOCK_BITS));
                let carry = state[COUNT].and(counted.not()).shift_right::<{ $word::BITS - 1 }>();
                let low = V::choose(is_told, state[NEXT], counted);
                let high = V::choose(is_told, state[NEXT + 1], state[COUNT + 1].add(carry));
                let [a, b, c, d, e, f, g, h, ..] = *state;
                let salt = V::splat(isa, 0);
                let mut v = [a, b, c, d, e, f, g, h, salt, salt, salt, salt, low, low, high, high];
                for (word, constant) in v[8..].iter_mut().zip($constants) {
                    *word = word.xor(V::splat(isa, constant));
                }
                rounds!(isa v block $constants $rotations $($round)+);
                for (i, word) in state[..CHAINING].iter_mut().enumerate() {
                    *word = V::xor3(*word, v[i], v[i + 8]);
                }
                (state[COUNT], state[COUNT + 1]) = (low, high);
                (state[NEXT], state[NEXT + 1]) = (state[AFTER_NEXT], state[AFTER_NEXT + 1]);
            }
        }

        impl Ending<$Blake> for BlakeEnding {
            const FIRST: u8 = 0x80;
            const FEWEST_BYTES: usize = 1 + 2 * size_of::<$word>();
            const MARKS_END: bool = true;

            fn finish(end: &mut [u8], message_bytes: u64) {
                let bits = (8 * u128::from(message_bytes)).to_be_bytes();
                let (padding, length) = end.split_at_mut(end.len() - 2 * size_of::<$word>());
                *padding.last_mut().expect("a byte of padding at least") |= 1;
                length.copy_from_slice(&bits[bits.len() - length.len()..]);
            }

            fn mark_end(state: &mut ChainingOf<$Blake>, end: End) {
                let block_bytes = $Blake::BLOCK_BYTES as u64;
                let block = (end.message_bytes - end.rest_bytes as u64) / block_bytes;
                for (at, block) in [(NEXT, block), (AFTER_NEXT, block + 1)] {
                    let count = count(end.message_bytes, block, block_bytes);
                    (state[at], state[at + 1]) = (count as $word, (count >> $word::BITS) as $word);
                }
                state[IS_TOLD] = $word::ONES;
            }

            not_in_registers!($Blake);
        }
    };
}

blake! {
    /// BLAKE-256. Its initial value is that of SHA-256.
    Blake256, "blake-256", u32, HALF_PI, [16 12 8 7], [0 1 2 3 4 5 6 7 8 9 10 11 12 13],
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
}

blake! {
    /// BLAKE-512. Its initial value is that of SHA-512.
    Blake512, "blake-512", u64, PI, [32 25 16 11], [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15],
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ]
}
