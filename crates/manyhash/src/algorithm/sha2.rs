//! The compression function of the whole SHA-2 family (FIPS 180-4, sections 6.2 and 6.4): SHA-256 and SHA-512 differ in word size,
//! rotations and constants, which [`Sha2`] names.
//!
//! Operations a block and lane with three-operand logic: a round of 17 and a schedule word of 11. One wave is bound by the latency
//! from e to e of the next round; two waves by the ports. The order of additions is pinned: Sigma1, the last thing known, is added last.
//! The loop is 16 rounds, unrolled: all 64 unrolled are no faster and three times the code.

use super::Compression;
use crate::lanes::Words;
use std::hint::black_box;

/// What SHA-256 and SHA-512 do not share.
pub(super) trait Sha2: Compression {
    /// FIPS 180-4, 4.2.2 and 4.2.3: sixteen constants for each pass of the loop.
    const ROUND_CONSTANTS: &'static [[Self::Word; 16]];
    /// Equations 4.4 and 4.10.
    fn big_sigma0<V: Words<Word = Self::Word>>(x: V) -> V;
    /// Equations 4.5 and 4.11.
    fn big_sigma1<V: Words<Word = Self::Word>>(x: V) -> V;
    /// Equations 4.6 and 4.12.
    fn small_sigma0<V: Words<Word = Self::Word>>(x: V) -> V;
    /// Equations 4.7 and 4.13.
    fn small_sigma1<V: Words<Word = Self::Word>>(x: V) -> V;
}

#[inline(always)]
pub(super) fn compress<A: Sha2, V: Words<Word = A::Word>>(isa: V::Isa, state: &mut [V; 8], mut words: [V; 16]) {
    // Two waves have 48 live vectors: the schedule is kept in memory by decree, which beats the compiler's own choice of spills.
    let w = if V::WAVES > 1 { black_box(&mut words) } else { &mut words };
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;

    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:expr, $k:expr) => {
            if V::WAVES > 1 {
                let early = $h.add($w.add(V::splat(isa, $k))).pin().add(V::choose($e, $f, $g)).pin();
                let t1 = early.add(A::big_sigma1($e));
                $d = $d.add(t1);
                $h = t1.add(A::big_sigma0($a).add(V::majority($a, $b, $c)).pin());
            } else {
                // One wave: d gets its own sum, one addition more and one less to wait for.
                let early = $h.add($w.add(V::splat(isa, $k)).pin()).pin();
                let d_early = $d.add(early).pin();
                let (sigma1, chosen) = (A::big_sigma1($e), V::choose($e, $f, $g));
                let t2 = A::big_sigma0($a).add(V::majority($a, $b, $c)).pin();
                $d = d_early.add(chosen).pin().add(sigma1);
                $h = early.add(chosen).pin().add(sigma1).pin().add(t2);
            }
        };
    }
    macro_rules! sixteen_rounds {
        ($word:ident, $k:ident) => {
            round!(a b c d e f g h, $word!(0), $k[0]);
            round!(h a b c d e f g, $word!(1), $k[1]);
            round!(g h a b c d e f, $word!(2), $k[2]);
            round!(f g h a b c d e, $word!(3), $k[3]);
            round!(e f g h a b c d, $word!(4), $k[4]);
            round!(d e f g h a b c, $word!(5), $k[5]);
            round!(c d e f g h a b, $word!(6), $k[6]);
            round!(b c d e f g h a, $word!(7), $k[7]);
            round!(a b c d e f g h, $word!(8), $k[8]);
            round!(h a b c d e f g, $word!(9), $k[9]);
            round!(g h a b c d e f, $word!(10), $k[10]);
            round!(f g h a b c d e, $word!(11), $k[11]);
            round!(e f g h a b c d, $word!(12), $k[12]);
            round!(d e f g h a b c, $word!(13), $k[13]);
            round!(c d e f g h a b, $word!(14), $k[14]);
            round!(b c d e f g h a, $word!(15), $k[15]);
        };
    }
    macro_rules! message_word { ($t:literal) => { w[$t] } }
    macro_rules! schedule_word { ($t:literal) => {{
        w[$t] = w[$t]
            .add(A::small_sigma0(w[($t + 1) % 16]))
            .add(w[($t + 9) % 16])
            .add(A::small_sigma1(w[($t + 14) % 16]));
        w[$t]
    }} }

    let k = &A::ROUND_CONSTANTS[0];
    sixteen_rounds!(message_word, k);
    for k in &A::ROUND_CONSTANTS[1..] {
        sixteen_rounds!(schedule_word, k);
    }
    *state = [
        state[0].add(a),
        state[1].add(b),
        state[2].add(c),
        state[3].add(d),
        state[4].add(e),
        state[5].add(f),
        state[6].add(g),
        state[7].add(h),
    ];
}

/// The methods [`Sha2`] and [`Compression`] of one word size: rotations as in equations 4.4 to 4.7 and 4.10 to 4.13.
macro_rules! sha2 {
    ($Compression:ident, $word:ident, $name:literal, $constants:ident, $solo:ident,
     $a0:literal $a1:literal $a2:literal, $b0:literal $b1:literal $b2:literal, $c0:literal $c1:literal $c2:literal, $d0:literal $d1:literal $d2:literal) => {
        impl $crate::algorithm::sha2::Sha2 for $Compression {
            const ROUND_CONSTANTS: &'static [[$word; 16]] = &$constants;
            #[inline(always)]
            fn big_sigma0<V: Words<Word = $word>>(x: V) -> V {
                V::xor3(x.rotate_right::<$a0>(), x.rotate_right::<$a1>(), x.rotate_right::<$a2>())
            }
            #[inline(always)]
            fn big_sigma1<V: Words<Word = $word>>(x: V) -> V {
                V::xor3(x.rotate_right::<$b0>(), x.rotate_right::<$b1>(), x.rotate_right::<$b2>())
            }
            #[inline(always)]
            fn small_sigma0<V: Words<Word = $word>>(x: V) -> V {
                V::xor3(x.rotate_right::<$c0>(), x.rotate_right::<$c1>(), x.shift_right::<$c2>())
            }
            #[inline(always)]
            fn small_sigma1<V: Words<Word = $word>>(x: V) -> V {
                V::xor3(x.rotate_right::<$d0>(), x.rotate_right::<$d1>(), x.shift_right::<$d2>())
            }
        }

        impl Compression for $Compression {
            type Word = $word;
            type State<T: Copy> = [T; 8];
            const NAME: &'static str = $name;
            const STATE_WORDS: usize = 8;
            const BYTE_ORDER: ByteOrder = ByteOrder::Big;
            const LENGTH_BYTES: usize = 2 * size_of::<$word>();
            #[inline(always)]
            fn filled<T: Copy>(value: T) -> [T; 8] {
                [value; 8]
            }
            #[inline(always)]
            fn compress<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 8], words: [V; 16]) {
                $crate::algorithm::sha2::compress::<Self, V>(isa, state, words);
            }
            fn solo_shapes() -> Vec<Shape<Self>> {
                $crate::solo::$solo()
            }
            $crate::shape::cache!($Compression);
        }
    };
}
pub(super) use sha2;
