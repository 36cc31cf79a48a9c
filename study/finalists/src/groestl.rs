//! Grøstl-256 in lanes, as it was in the final round of the SHA-3 competition (Gauravaram and others,
//! "Grøstl: a SHA-3 candidate", 2 March 2011). The reference for its results is the crate groestl. Section
//! numbers are those of the submission.
//!
//! A table of the S-box would want a load for each byte of each lane. So the 64 bytes of a matrix are in bit
//! slices: eight words, each with one bit of every byte. The bit of row r and column c is number 8 r + c, so
//! that rows are bytes of a word.

use manyhash::hazmat::{ByteOrder, Compression, Count, Counted, Ending, Words};

/// The rounds of the permutations (3.4.6).
const ROUNDS: u64 = 10;

/// The bits of a matrix, lowest first.
type Slices<V> = [V; 8];

/// Exchanges the bits of `$one` that `$mask` does not have with those of `$other` that it has.
macro_rules! exchange {
    ($isa:ident $w:ident $by:literal $mask:literal: $($one:literal $other:literal),+) => {
        let mask = V::splat($isa, $mask);
        $(
            let differing = $w[$one].shift_right::<$by>().xor($w[$other]).and(mask);
            $w[$other] = $w[$other].xor(differing);
            $w[$one] = $w[$one].xor(differing.rotate_right::<{ 64 - $by }>());
        )+
    };
}

/// Turns words, each with the bytes of a column (3.4.1), into bit slices, and bit slices into words.
#[inline(always)]
fn transposed<V: Words<Word = u64>>(isa: V::Isa, words: [V; 8]) -> [V; 8] {
    let mut w = words;
    exchange!(isa w 1 0x5555_5555_5555_5555: 0 1, 2 3, 4 5, 6 7);
    exchange!(isa w 2 0x3333_3333_3333_3333: 0 2, 1 3, 4 6, 5 7);
    exchange!(isa w 4 0x0F0F_0F0F_0F0F_0F0F: 0 4, 1 5, 2 6, 3 7);
    w
}

/// SubBytes (3.4.3): the S-box of AES by the circuit of J. Boyar and R. Peralta, "A New Combinational Logic
/// Minimization Technique with Applications to Cryptology" (2010), whose names these are.
#[inline(always)]
fn sub_bytes<V: Words<Word = u64>>(slices: Slices<V>) -> Slices<V> {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = slices;
    macro_rules! gates { ($($out:ident = $one:ident $gate:ident $other:ident;)+) => { $( let $out = $one.$gate($other); )+ } }
    gates! {
        y14 = x3 xor x5; y13 = x0 xor x6; y9 = x0 xor x3; y8 = x0 xor x5; t0 = x1 xor x2; y1 = t0 xor x7; y4 = y1 xor x3;
        y12 = y13 xor y14; y2 = y1 xor x0; y5 = y1 xor x6; y3 = y5 xor y8; t1 = x4 xor y12; y15 = t1 xor x5; y20 = t1 xor x1;
        y6 = y15 xor x7; y10 = y15 xor t0; y11 = y20 xor y9; y7 = x7 xor y11; y17 = y10 xor y11; y19 = y10 xor y8;
        y16 = t0 xor y11; y21 = y13 xor y16; y18 = x0 xor y16;
        t2 = y12 and y15; t3 = y3 and y6; t4 = t3 xor t2; t5 = y4 and x7; t6 = t5 xor t2; t7 = y13 and y16; t8 = y5 and y1;
        t9 = t8 xor t7; t10 = y2 and y7; t11 = t10 xor t7; t12 = y9 and y11; t13 = y14 and y17; t14 = t13 xor t12;
        t15 = y8 and y10; t16 = t15 xor t12; t17 = t4 xor t14; t18 = t6 xor t16; t19 = t9 xor t14; t20 = t11 xor t16;
        t21 = t17 xor y20; t22 = t18 xor y19; t23 = t19 xor y21; t24 = t20 xor y18; t25 = t21 xor t22; t26 = t21 and t23;
        t27 = t24 xor t26; t28 = t25 and t27; t29 = t28 xor t22; t30 = t23 xor t24; t31 = t22 xor t26; t32 = t31 and t30;
        t33 = t32 xor t24; t34 = t23 xor t33; t35 = t27 xor t33; t36 = t24 and t35; t37 = t36 xor t34; t38 = t27 xor t36;
        t39 = t29 and t38; t40 = t25 xor t39; t41 = t40 xor t37; t42 = t29 xor t33; t43 = t29 xor t40; t44 = t33 xor t37;
        t45 = t42 xor t41;
        z0 = t44 and y15; z1 = t37 and y6; z2 = t33 and x7; z3 = t43 and y16; z4 = t40 and y1; z5 = t29 and y7; z6 = t42 and y11;
        z7 = t45 and y17; z8 = t41 and y10; z9 = t44 and y12; z10 = t37 and y3; z11 = t33 and y4; z12 = t43 and y13;
        z13 = t40 and y5; z14 = t29 and y2; z15 = t42 and y9; z16 = t45 and y14; z17 = t41 and y8;
        t46 = z15 xor z16; t47 = z10 xor z11; t48 = z5 xor z13; t49 = z9 xor z10; t50 = z2 xor z12; t51 = z2 xor z5;
        t52 = z7 xor z8; t53 = z0 xor z3; t54 = z6 xor z7; t55 = z16 xor z17; t56 = z12 xor t48; t57 = t50 xor t53;
        t58 = z4 xor t46; t59 = z3 xor t54; t60 = t46 xor t57; t61 = z14 xor t57; t62 = t52 xor t58; t63 = t49 xor t58;
        t64 = z4 xor t59; t65 = t61 xor t62; t66 = z1 xor t63; t67 = t64 xor t65;
        s0 = t59 xor t63; s3 = t53 xor t66; s4 = t51 xor t66; s5 = t47 xor t65; u1 = t64 xor s3; u2 = t55 xor t67;
        u6 = t56 xor t62; u7 = t48 xor t60;
    }
    [u7.not(), u6.not(), s5, s4, s3, u2.not(), u1.not(), s0]
}

/// Turns some rows by `$by` columns, those of which `$rows` has all bits.
macro_rules! turn_rows {
    ($isa:ident $slices:ident $by:literal $low:literal $rows:expr) => {
        let (rows, low) = (V::splat($isa, $rows), V::splat($isa, $low));
        let (in_rows, high_in_rows) = (rows.and(low), rows.and(low.not()));
        for slice in &mut $slices {
            let right = slice.shift_right::<$by>().and(in_rows);
            // The bits that leave a row come in at its other end.
            let left = slice.rotate_right::<{ 64 - 8 + $by }>().and(high_in_rows);
            *slice = V::xor3(slice.and(rows.not()), right, left);
        }
    };
}

/// Returns rows as bits: row i is turned by `columns[i]`, of which bit `bit` counts.
const fn rows(columns: [u64; 8], bit: u32) -> u64 {
    let (mut rows, mut row) = (0, 0);
    while row < 8 {
        rows |= ((columns[row] >> bit & 1) * 0xFF) << (8 * row);
        row += 1;
    }
    rows
}

/// The columns by which ShiftBytes turns the rows of P and of Q (3.4.4).
const TURNS: [[u64; 8]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 3, 5, 7, 0, 2, 4, 6]];
const P: usize = 0;
const Q: usize = 1;

/// Multiplies every byte by 2 in the field of AES.
#[inline(always)]
fn doubled<V: Words<Word = u64>>(slices: Slices<V>) -> Slices<V> {
    let [a, b, c, d, e, f, g, h] = slices;
    [h, a.xor(h), b, c.xor(h), d.xor(h), e, f, g]
}

/// Adds three matrices, of the last two the rows `$b` and `$c` places farther down.
macro_rules! sum {
    ($x:ident, $y:ident $b:literal, $z:ident $c:literal) => {
        sum!($x, $y $b, $z $c: 0 1 2 3 4 5 6 7)
    };
    ($x:ident, $y:ident $b:literal, $z:ident $c:literal: $($i:literal)+) => {
        [$( V::xor3($x[$i], $y[$i].rotate_right::<{ 8 * $b }>(), $z[$i].rotate_right::<{ 8 * $c }>()) ),+]
    };
    ($x:ident, $y:ident $b:literal) => {
        sum!($x, $y $b: 0 1 2 3 4 5 6 7)
    };
    ($x:ident, $y:ident $b:literal: $($i:literal)+) => {
        [$( $x[$i].xor($y[$i].rotate_right::<{ 8 * $b }>()) ),+]
    };
}

/// MixBytes (3.4.5): multiplies by a circulant matrix with the rows 2, 2, 3, 4, 5, 3, 5, 7, by its parts for 1, 2
/// and 4.
#[inline(always)]
fn mix_bytes<V: Words<Word = u64>>(a: Slices<V>) -> Slices<V> {
    let two: Slices<V> = sum!(a, a 1);
    let for_4: Slices<V> = sum!(two, two 3);
    let for_1: Slices<V> = sum!(two, two 2, a 6);
    let doubled_4 = doubled(for_4);
    let doubled_sum = doubled(sum!(doubled_4, for_1 4));
    let mut mixed = doubled_sum;
    macro_rules! each { ($($i:literal)+) => { $(
        mixed[$i] = doubled_sum[$i].rotate_right::<24>().xor(for_1[$i].rotate_right::<32>());
    )+ } }
    each!(0 1 2 3 4 5 6 7);
    mixed
}

/// The permutation P, or Q (3.4).
#[inline(always)]
fn permuted<V: Words<Word = u64>, const WHICH: usize>(isa: V::Isa, slices: Slices<V>) -> Slices<V> {
    let mut slices = slices;
    for round in 0..ROUNDS {
        // AddRoundConstant (3.4.2): column i has 16 i plus the number of the round, in one row. Q has all bits besides.
        for (bit, slice) in slices.iter_mut().enumerate() {
            let of_columns: [u64; 8] = [0, 0, 0, 0, 0xAA, 0xCC, 0xF0, 0];
            let constant = of_columns[bit] ^ ((round >> bit & 1) * 0xFF);
            *slice = slice.xor(V::splat(isa, if WHICH == P { constant } else { !(constant << 56) }));
        }
        slices = sub_bytes(slices);
        turn_rows!(isa slices 1 0x7F7F_7F7F_7F7F_7F7F rows(TURNS[WHICH], 0));
        turn_rows!(isa slices 2 0x3F3F_3F3F_3F3F_3F3F rows(TURNS[WHICH], 1));
        turn_rows!(isa slices 4 0x0F0F_0F0F_0F0F_0F0F rows(TURNS[WHICH], 2));
        slices = mix_bytes(slices);
    }
    slices
}

/// The blocks of a message (3.2). What it leaves is the message of [`Groestl256Output`].
#[derive(Clone, Copy, Debug)]
pub struct Groestl256;

impl Groestl256 {
    /// The state before the first block (3.5.2): the bits of a digest, in the last two bytes.
    pub const INITIAL: [u64; 8] = [0, 0, 0, 0, 0, 0, 0, (256_u64).swap_bytes()];
}

impl Compression for Groestl256 {
    type Word = u64;
    type State = Count<8>;
    type Block = Count<8>;
    type Ending = GroestlEnding;
    const NAME: &'static str = "groestl-256";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 8], block: [V; 8]) {
        let mut both = block;
        for (word, of_state) in both.iter_mut().zip(&*state) {
            *word = word.xor(*of_state);
        }
        let p = permuted::<V, P>(isa, transposed(isa, both));
        let q = permuted::<V, Q>(isa, transposed(isa, block));
        let mut sum = p;
        for (slice, of_q) in sum.iter_mut().zip(&q) {
            *slice = slice.xor(*of_q);
        }
        let sum = transposed(isa, sum);
        for (word, added) in state.iter_mut().zip(&sum) {
            *word = word.xor(*added);
        }
    }
}

/// The ending of Grøstl: a one bit, zeros, and the number of blocks in 8 bytes (3.6).
pub struct GroestlEnding;

impl Ending<Groestl256> for GroestlEnding {
    const FIRST: u8 = 0x80;
    const FEWEST_BYTES: usize = 1 + 8;

    fn finish(end: &mut [u8], message_bytes: u64) {
        let blocks = (u128::from(message_bytes) + Self::FEWEST_BYTES as u128).div_ceil(Groestl256::BLOCK_BYTES as u128);
        *end.last_chunk_mut::<8>().expect("a block") = (blocks as u64).to_be_bytes();
    }

    not_in_registers!(Groestl256);
}

/// The output transformation (3.3): its message is what [`Groestl256`] leaves. Of the result, the second half
/// comes first, which is the digest.
#[derive(Clone, Copy, Debug)]
pub struct Groestl256Output;

impl Compression for Groestl256Output {
    type Word = u64;
    type State = Count<12>;
    type Block = Count<8>;
    type Ending = Counted;
    const NAME: &'static str = "groestl-256-output";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u64>>(isa: V::Isa, state: &mut [V; 12], block: [V; 8]) {
        let p = transposed(isa, permuted::<V, P>(isa, transposed(isa, block)));
        for i in 0..4 {
            state[i] = p[4 + i].xor(block[4 + i]);
            state[4 + i] = p[i].xor(block[i]);
        }
    }
}
