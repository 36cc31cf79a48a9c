//! JH-256 in lanes, as it was in the final round of the SHA-3 competition (Wu, "The Hash Function JH",
//! 16 January 2011). The reference for its results is the crate jh. Section numbers are those of the
//! submission.
//!
//! The 256 elements of four bits are in bit slices: a word has a bit of 64 of them, so that boolean
//! operations are all S-boxes at once. The elements keep their places from round to round as far as they
//! can, and the permutation of a round is an exchange of neighbours at another distance in each of seven
//! rounds.

use manyhash::hazmat::{ByteOrder, Compression, Count, Ending, Words};

/// The rounds of the function E8 (5.2).
const ROUNDS: usize = 42;

/// The S-box that is chosen by a constant of zeros (3.2.1).
const S0: [u8; 16] = [9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14];
/// The first constant, half a byte an element: the fraction of the square root of 2 (3.3.3).
const FIRST: [u64; 4] = [0x6A09_E667_F3BC_C908, 0xB2FB_1366_EA95_7D3E, 0x3ADE_C175_1277_5099, 0xDA2F_590B_0667_322A];

/// Returns which of `count` elements the permutation of a round (3.2.3) puts in place `i`.
const fn source(i: usize, count: usize) -> usize {
    let half = count / 2;
    let i = if i < half { i } else { i ^ 1 };
    let gathered = if i < half { 2 * i } else { 2 * (i - half) + 1 };
    if gathered % 4 >= 2 { gathered ^ 1 } else { gathered }
}

/// Multiplies an element by 2.
const fn doubled(element: u8) -> u8 {
    (element << 1) ^ if element & 8 == 0 { 0 } else { 0x13 }
}

/// The constants of rounds (3.3.3), bit by bit where the round has the element that the bit is for: of the
/// elements with even numbers, and of those with odd ones.
const CONSTANTS: [[u64; 4]; ROUNDS] = {
    let (mut constants, mut constant) = ([[0; 4]; ROUNDS], [0u8; 64]);
    // The word and the bit in which the round finds each element: grouping (4.4) puts neighbours at one place.
    let mut places = [(0, 0); 256];
    let mut i = 0;
    while i < 256 {
        constant[i / 4] = (FIRST[i / 64] >> (60 - 4 * (i / 4 % 16)) & 15) as u8;
        places[i] = (i / 128, i / 2 % 64 / 8 * 8 + 7 - i / 2 % 8);
        i += 1;
    }
    let mut round = 0;
    while round < ROUNDS {
        let (mut mixed, mut moved) = ([0; 64], places);
        let mut i = 0;
        while i < 256 {
            let (word, bit) = places[i];
            constants[round][2 * (i % 2) + word] |= ((constant[i / 4] >> (3 - i % 4) & 1) as u64) << bit;
            // Odd elements are exchanged.
            if i % 2 == 1 {
                moved[i] = if round % 7 == 6 { (1 - word, bit) } else { (word, bit ^ 1 << (round % 7)) };
            }
            if i % 8 == 0 {
                let (one, other) = (S0[constant[i / 4] as usize], S0[constant[i / 4 + 1] as usize]);
                mixed[i / 4 + 1] = other ^ doubled(one);
                mixed[i / 4] = one ^ doubled(mixed[i / 4 + 1]);
            }
            i += 1;
        }
        let mut i = 0;
        while i < 256 {
            places[i] = moved[source(i, 256)];
            constant[i / 4] = mixed[source(i / 4, 64)];
            i += 1;
        }
        round += 1;
    }
    constants
};

/// The S-box that the constant chooses for each element (3.2.1), on the four bits of elements, highest first.
macro_rules! substitute {
    ($constant:ident $a:ident $b:ident $c:ident $d:ident) => {
        let not_d = $d.not();
        let flipped = $a.xor($c.not().and($constant));
        let kept = $constant.xor(flipped.and($b));
        let a = flipped.xor($c.and(not_d));
        let d = not_d.xor($b.not().and($c));
        let b = $b.xor(a.and($c));
        let c = $c.xor(d.not().and(a));
        // b or d.
        $a = a.xor(b.xor(b.not().and(d)));
        $d = d.xor(b.and(c));
        $b = b.xor(kept.and($a));
        $c = c.xor(kept);
    };
}

/// The linear transformation of pairs of elements (3.2.2): on the bits of the even ones, and of the odd ones.
macro_rules! mix {
    ($a:ident $b:ident $c:ident $d:ident, $e:ident $f:ident $g:ident $h:ident) => {
        $e = $e.xor($b);
        $f = $f.xor($c);
        $g = V::xor3($g, $a, $d);
        $h = $h.xor($a);
        $a = $a.xor($f);
        $b = $b.xor($g);
        $c = V::xor3($c, $e, $h);
        $d = $d.xor($e);
    };
}

/// Exchanges bits at the distance `$by`, the lower ones of which `$mask` has.
macro_rules! exchange {
    ($isa:ident $by:literal $mask:literal $($word:ident)+) => {
        let mask = V::splat($isa, $mask);
        $( $word = $word.and(mask).rotate_right::<{ 64 - $by }>().xor($word.shift_right::<$by>().and(mask)); )+
    };
}

/// The words of a half of the elements: their bits, highest first, of even ones and then of odd ones.
type Half<V> = [V; 8];

/// A round without its permutation.
#[inline(always)]
fn round<V: Words<Word = u64>>(isa: V::Isa, half: Half<V>, constants: [u64; 2]) -> Half<V> {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = half;
    let [even, odd] = [V::splat(isa, constants[0]), V::splat(isa, constants[1])];
    substitute!(even a b c d);
    substitute!(odd e f g h);
    mix!(a b c d, e f g h);
    [a, b, c, d, e, f, g, h]
}

/// A round with a permutation inside of words.
macro_rules! round {
    ($isa:ident $halves:ident $number:expr, $by:literal $mask:literal) => {
        let constants = &CONSTANTS[$number];
        let [a, b, c, d, mut e, mut f, mut g, mut h] = round($isa, $halves[0], [constants[0], constants[2]]);
        exchange!($isa $by $mask e f g h);
        $halves[0] = [a, b, c, d, e, f, g, h];
        let [a, b, c, d, mut e, mut f, mut g, mut h] = round($isa, $halves[1], [constants[1], constants[3]]);
        exchange!($isa $by $mask e f g h);
        $halves[1] = [a, b, c, d, e, f, g, h];
    };
}

/// JH-256. The words of its state are those of the submission, but the last four come first, because they
/// are the digest.
#[derive(Clone, Copy, Debug)]
pub struct Jh256;

impl Jh256 {
    /// The state before the first block (4.3).
    pub const INITIAL: [u64; 16] = [
        0x6C0D_8EAC_2D27_5E5C,
        0x0F7A_0557_C650_8451,
        0xEA12_2470_67D3_E47B,
        0x69D7_1CD3_13AB_E389,
        0xEBD3_202C_41A3_98EB,
        0xC145_B29C_7BBE_CD92,
        0xFAC7_D460_9151_931C,
        0x038A_507E_D682_0026,
        0x45B9_2677_269E_23A4,
        0x7794_1AD4_481A_FBE0,
        0x7A17_6B02_26AB_B5CD,
        0xA82F_FF0F_4224_F056,
        0x754D_2E7F_8996_A371,
        0x62E2_7DF7_0849_141D,
        0x948F_2476_F795_7627,
        0x6C29_8047_57B6_D587,
    ];
}

impl Compression for Jh256 {
    type Word = u64;
    type State = Count<16>;
    type Block = Count<8>;
    type Ending = JhEnding;
    const NAME: &'static str = "jh-256";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    /// The function F8 (5.1).
    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 16], block: [V; 8]) {
        let [m0, m1, m2, m3, m4, m5, m6, m7] = block;
        let [l0, l1, l2, l3, h0, h1, h2, h3, h4, h5, h6, h7, k0, k1, k2, k3] = *state;
        // Successive pairs of words are the two halves: of a bit of even elements, and of the same bit of odd ones.
        let mut halves = [
            [h0.xor(m0), h4.xor(m4), k0, l0, h2.xor(m2), h6.xor(m6), k2, l2],
            [h1.xor(m1), h5.xor(m5), k1, l1, h3.xor(m3), h7.xor(m7), k3, l3],
        ];
        for seven in 0..ROUNDS / 7 {
            round!(isa halves 7 * seven, 1 0x5555_5555_5555_5555);
            round!(isa halves 7 * seven + 1, 2 0x3333_3333_3333_3333);
            round!(isa halves 7 * seven + 2, 4 0x0F0F_0F0F_0F0F_0F0F);
            round!(isa halves 7 * seven + 3, 8 0x00FF_00FF_00FF_00FF);
            round!(isa halves 7 * seven + 4, 16 0x0000_FFFF_0000_FFFF);
            round!(isa halves 7 * seven + 5, 32 0x0000_0000_FFFF_FFFF);
            // The last exchange is that of the halves.
            let constants = &CONSTANTS[7 * seven + 6];
            let [a, b, c, d, e, f, g, h] = round(isa, halves[0], [constants[0], constants[2]]);
            let [p, q, r, s, t, u, v, w] = round(isa, halves[1], [constants[1], constants[3]]);
            halves = [[a, b, c, d, t, u, v, w], [p, q, r, s, e, f, g, h]];
        }
        let [[h0, h4, k0, l0, h2, h6, k2, l2], [h1, h5, k1, l1, h3, h7, k3, l3]] = halves;
        *state = [
            l0.xor(m4),
            l1.xor(m5),
            l2.xor(m6),
            l3.xor(m7),
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            k0.xor(m0),
            k1.xor(m1),
            k2.xor(m2),
            k3.xor(m3),
        ];
    }
}

/// The ending of JH: a one bit, zeros, and the length in bits in 16 bytes; a whole block of them at least (4.1).
pub struct JhEnding;

impl Ending<Jh256> for JhEnding {
    const FIRST: u8 = 0x80;
    const FEWEST_BYTES: usize = Jh256::BLOCK_BYTES;

    fn finish(end: &mut [u8], message_bytes: u64) {
        let length = end.last_chunk_mut::<16>().expect("a block");
        *length = (8 * u128::from(message_bytes)).to_be_bytes();
    }

    not_in_registers!(Jh256);
}
