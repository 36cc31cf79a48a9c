//! SHA-1 (FIPS 180-4, section 6.1). Known to be broken for signatures; here for what still uses it.
//!
//! Operations a block and lane with three-operand logic: 80 rounds of 7, 64 schedule words of 3, 5 at the end. One wave is bound by
//! latency (rotate and add, 80 times), two by the ports.

use super::{Compression, algorithm};
use crate::lanes::{ByteOrder, Words};
use crate::shape::{self, Shape};

algorithm! {
    /// SHA-1, 160 bits. Collisions are practical: use it only where something demands it.
    Sha1, "SHA-1", 20, Sha1Compression, [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
}

/// FIPS 180-4, section 4.2.1: one constant for each twenty rounds.
pub(crate) static ROUND_CONSTANTS: [u32; 4] = [0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6];

/// The compression function of SHA-1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sha1Compression;

impl Compression for Sha1Compression {
    type Word = u32;
    type State<T: Copy> = [T; 5];
    const NAME: &'static str = "sha1";
    const STATE_WORDS: usize = 5;
    const BYTE_ORDER: ByteOrder = ByteOrder::Big;
    const LENGTH_BYTES: usize = 8;

    #[inline(always)]
    fn filled<T: Copy>(value: T) -> [T; 5] {
        [value; 5]
    }

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], mut words: [V; 16]) {
        // Only the last sixteen words of the schedule are kept. Left to the compiler, also with two waves (forced to memory: 5 % less).
        let w = &mut words;
        let k = &ROUND_CONSTANTS;
        let [mut a, mut b, mut c, mut d, mut e] = *state;
        macro_rules! round {
            ($f:ident $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
                if $t >= 16 {
                    let mixed = V::xor3(w[($t + 13) % 16], w[($t + 8) % 16], w[($t + 2) % 16]);
                    w[$t % 16] = mixed.xor(w[$t % 16]).rotate_right::<31>();
                }
                // What is known early is added early; the rotation of the newest word comes last.
                let early = $e.add(w[$t % 16].add(V::splat(isa, k[$t / 20])).pin()).pin();
                $e = early.add(V::$f($b, $c, $d)).pin().add($a.rotate_right::<27>());
                $b = $b.rotate_right::<2>();
            };
        }
        macro_rules! rounds { ($f:ident: $($t:literal)*) => { $(
            round!($f $t, a b c d e);
            round!($f $t + 1, e a b c d);
            round!($f $t + 2, d e a b c);
            round!($f $t + 3, c d e a b);
            round!($f $t + 4, b c d e a);
        )* } }
        rounds!(choose: 0 5 10 15);
        rounds!(xor3: 20 25 30 35);
        rounds!(majority: 40 45 50 55);
        rounds!(xor3: 60 65 70 75);
        *state = [state[0].add(a), state[1].add(b), state[2].add(c), state[3].add(d), state[4].add(e)];
    }

    fn solo_shapes() -> Vec<Shape<Self>> {
        crate::solo::sha1_shapes()
    }

    shape::cache!(Sha1Compression);
}
