//! The compression function of BLAKE2b and BLAKE2s (RFC 7693), which differ in word size, rounds and
//! rotations. Section numbers are those of the RFC.
//!
//! Operations per block and lane, with rotations of one operation: 8 quarter rounds of 14 for each of
//! 12 rounds (BLAKE2s: 10), and about 20 around them.

/// The word of the block that each quarter round takes, one row a round (2.7).
pub(crate) const SIGMA: [[usize; 16]; 10] = [
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

/// The function G (3.1) on four columns or diagonals, whose words no other has, with four rotations. They go step by step together: one after the
/// other takes longer on Zen 4, with AVX-512 BLAKE3 3 to 8 %, with AVX2 BLAKE2s 20 %, without vectors BLAKE2b 9 %.
macro_rules! quarter_rounds {
    ($v:ident $m:ident [$r1:literal $r2:literal $r3:literal $r4:literal] $([$a:literal $b:literal $c:literal $d:literal, $x:expr, $y:expr])*) => {
        quarter_rounds!(half $v $r1 $r2 $([$a $b $c $d, $m[$x]])*);
        quarter_rounds!(half $v $r3 $r4 $([$a $b $c $d, $m[$y]])*);
    };
    (half $v:ident $r1:literal $r2:literal $([$a:literal $b:literal $c:literal $d:literal, $word:expr])*) => {
        $($v[$a] = $v[$a].add($word);)*
        $($v[$a] = $v[$a].add($v[$b]);)*
        $($v[$d] = $v[$d].xor($v[$a]);)*
        $($v[$d] = $v[$d].rotate_right::<$r1>();)*
        $($v[$c] = $v[$c].add($v[$d]);)*
        $($v[$b] = $v[$b].xor($v[$c]);)*
        $($v[$b] = $v[$b].rotate_right::<$r2>();)*
    };
}

/// A round for each row of a table like [`SIGMA`]: first the columns of `$v`, then its diagonals
/// (3.2).
macro_rules! rounds {
    ($v:ident $m:ident $rotations:tt $table:ident $($row:literal)+) => { $(
        let s = &$table[$row];
        quarter_rounds!($v $m $rotations [0 4 8 12, s[0], s[1]] [1 5 9 13, s[2], s[3]] [2 6 10 14, s[4], s[5]] [3 7 11 15, s[6], s[7]]);
        quarter_rounds!($v $m $rotations [0 5 10 15, s[8], s[9]] [1 6 11 12, s[10], s[11]] [2 7 8 13, s[12], s[13]] [3 4 9 14, s[14], s[15]]);
    )+ };
}

/// Implements [`Compression`](super::Compression) for a function of BLAKE2: its word and the highest
/// bit of that, its name, what its self-test finds, its initial value, its rotations, and a row of
/// [`SIGMA`] for each round.
macro_rules! blake2 {
    ($Compression:ident, $word:ident, $top_bit:literal, $name:literal, $known:expr, $initial:ident, $rotations:tt, $($row:literal)+) => {
        impl $crate::algorithm::SelfTested for $Compression {
            const KNOWN: [u64; 2] = $known;
        }

        impl Compression for $Compression {
            type Word = $word;
            type State = Count<12>;
            type Block = Count<16>;
            type Ending = Counted;
            const NAME: &'static str = $name;
            const BYTE_ORDER: ByteOrder = ByteOrder::Little;
            const WANTS_WAVES: bool = false;

            #[inline(always)]
            fn compress<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 12], block: [V; 16]) {
                let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, flag, is_last_node] = *state;
                // The count already includes the last block. A block has few bytes, so the addition
                // carried exactly if the highest bit of the low word was set and no longer is.
                let counted = low.add(flag.not().and(V::splat(isa, Self::BLOCK_BYTES as $word)));
                let carried = high.add(low.and(counted.not()).shift_right::<$top_bit>());
                let initial = |i: usize| V::splat(isa, $initial[i]);
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
                    initial(7).xor(flag.and(is_last_node)),
                ];
                rounds!(v block $rotations SIGMA $($row)+);
                for (i, word) in state[..8].iter_mut().enumerate() {
                    *word = V::xor3(*word, v[i], v[i + 8]);
                }
                (state[8], state[9]) = (counted, carried);
            }
        }
    };
}
pub(super) use {blake2, quarter_rounds, rounds};
