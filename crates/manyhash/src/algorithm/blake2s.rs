//! BLAKE2s with digests of 256 bits and no key (RFC 7693). Section numbers are those of the RFC.
//!
//! Operations per block and lane, with rotations of one operation: 80 quarter rounds of 14, and
//! about 20 around them.

use super::ending::Counted;
use super::{Compression, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// BLAKE2s with a digest of 256 bits and no key. It has no HMAC here, because BLAKE2s has a
    /// keyed mode of its own (2.9).
    // The initial value includes the parameters: a digest of 32 bytes, no key, fan-out and depth 1
    // (2.5, 2.8). The count and the flag follow it.
    Blake2s, names("BLAKE2s", "BLAKE2s", "blake2s", "blake2s", None, false), 32, Blake2sCompression, [
        INITIAL[0] ^ 0x01010020, INITIAL[1], INITIAL[2], INITIAL[3], INITIAL[4], INITIAL[5], INITIAL[6], INITIAL[7], 0, 0, 0,
    ]
}

/// The initial value, which is the one of SHA-256 (2.6).
const INITIAL: [u32; 8] = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19];

/// The word of the block that each quarter round takes, one row a round (2.7).
const SIGMA: [[usize; 16]; 10] = [
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

/// The function G on the words `$x` and `$y` of the block (3.1).
macro_rules! quarter_round {
    ($v:ident: $a:literal $b:literal $c:literal $d:literal, $x:expr, $y:expr) => {
        $v[$a] = $v[$a].add($x).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_right::<16>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_right::<12>();
        $v[$a] = $v[$a].add($y).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rotate_right::<8>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rotate_right::<7>();
    };
}

/// One round for each index: first the columns of `$v`, then its diagonals (3.2).
macro_rules! rounds {
    ($v:ident $m:ident $($round:literal)+) => { $(
        let s = &SIGMA[$round];
        quarter_round!($v: 0 4 8 12, $m[s[0]], $m[s[1]]);
        quarter_round!($v: 1 5 9 13, $m[s[2]], $m[s[3]]);
        quarter_round!($v: 2 6 10 14, $m[s[4]], $m[s[5]]);
        quarter_round!($v: 3 7 11 15, $m[s[6]], $m[s[7]]);
        quarter_round!($v: 0 5 10 15, $m[s[8]], $m[s[9]]);
        quarter_round!($v: 1 6 11 12, $m[s[10]], $m[s[11]]);
        quarter_round!($v: 2 7 8 13, $m[s[12]], $m[s[13]]);
        quarter_round!($v: 3 4 9 14, $m[s[14]], $m[s[15]]);
    )+ };
}

/// The compression function of BLAKE2s. [`Counted`] describes the words behind the chaining value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blake2sCompression;

impl SelfTested for Blake2sCompression {
    const KNOWN: [u64; 2] = [0x3B8C_3235_7015_D444, 0x5EBC_1F88_F59C_C266];
}

impl Compression for Blake2sCompression {
    type Word = u32;
    type State = Count<11>;
    type Block = Count<16>;
    type Ending = Counted;
    const NAME: &'static str = "blake2s";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 11], block: [V; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, flag] = *state;
        // The count already includes the last block. A block has 64 bytes, so the addition carried
        // exactly if the highest bit of the low word was set and no longer is.
        let counted = low.add(flag.not().and(V::splat(isa, Self::BLOCK_BYTES as u32)));
        let carried = high.add(low.and(counted.not()).shift_right::<31>());
        let initial = |i: usize| V::splat(isa, INITIAL[i]);
        let mut v = [
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            initial(0),
            initial(1),
            initial(2),
            initial(3),
            initial(4).xor(counted),
            initial(5).xor(carried),
            initial(6).xor(flag),
            initial(7),
        ];
        rounds!(v block 0 1 2 3 4 5 6 7 8 9);
        for (i, word) in state[..8].iter_mut().enumerate() {
            *word = V::xor3(*word, v[i], v[i + 8]);
        }
        (state[8], state[9]) = (counted, carried);
    }
}
