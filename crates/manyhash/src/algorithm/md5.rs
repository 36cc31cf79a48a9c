//! MD5 (RFC 1321). It is broken: use it only for formats that still require it.
//!
//! Operations per block and lane, with three-operand logic: 64 rounds of 6, 4 at the end, and no
//! message schedule. Each round waits four operations for the one before. One wave therefore leaves
//! ports idle on every CPU, and it takes four to fill those of Zen 5.

use super::ending::MerkleDamgard;
use super::{Beside, Compression, MAX_AHEAD, MAX_ROUNDS, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// MD5, with a digest of 128 bits. **Legacy**: for manifests of `md5sum`, dpkg's `.md5sums` and
    /// ETags of S3. Collisions take seconds to make, also with chosen prefixes, so equal digests
    /// prove nothing where an attacker could have made the messages.
    Md5, names("MD5", "MD5", "md5", "md5", Some("md5sum"), true), 16, Md5Compression, [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
}

/// T (RFC 1321, section 3.4): the integer part of 2^32 |sin(i + 1)|, i in radians. The tests
/// compute it again. It comes from `python3 -c "import math; print([hex(int(2**32 * abs(math.sin(i
/// + 1)))) for i in range(64)])"`.
static ROUND_CONSTANTS: [u32; 64] = [
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
];

/// Returns the message word that round `t` takes (RFC 1321, section 3.4, k of `[abcd k s i]`).
const fn word_of_round(t: usize) -> usize {
    match t / 16 {
        0 => t % 16,
        1 => (5 * t + 1) % 16,
        2 => (3 * t + 5) % 16,
        _ => 7 * t % 16,
    }
}

/// The sum of `$early` and a function of RFC 1321, section 3.4. `$b` is the newest word, so what
/// does not need it comes first.
macro_rules! plus {
    (f $V:ident $early:ident, $b:ident $c:ident $d:ident) => {
        $early.add($V::choose($b, $c, $d))
    };
    (g $V:ident $early:ident, $b:ident $c:ident $d:ident) => {
        $early.add_choice($d, $b, $c)
    };
    (h $V:ident $early:ident, $b:ident $c:ident $d:ident) => {
        $early.add($V::xor3($c, $d, $b))
    };
    (i $V:ident $early:ident, $b:ident $c:ident $d:ident) => {
        $early.add($V::xor_or_not($b, $c, $d))
    };
}

/// One round in place; the caller renames the variables. `$early!(t, a)` gives a plus message word
/// plus constant.
macro_rules! round {
    ($f:ident $V:ident $early:ident $t:expr, $s:literal, $a:ident $b:ident $c:ident $d:ident) => {
        let early = $early!($t, $a).pin();
        $a = plus!($f $V early, $b $c $d).rotate_right::<{ 32 - $s }>().add($b);
    };
}

/// The sixteen rounds from `$t` on, one after the other in the program, or as a `loop`.
macro_rules! rounds {
    ($f:ident $V:ident $early:ident, $s0:literal $s1:literal $s2:literal $s3:literal, $state:tt, $t:literal) => {
        four_rounds!($f $V $early, $s0 $s1 $s2 $s3, $state, $t);
        four_rounds!($f $V $early, $s0 $s1 $s2 $s3, $state, $t + 4);
        four_rounds!($f $V $early, $s0 $s1 $s2 $s3, $state, $t + 8);
        four_rounds!($f $V $early, $s0 $s1 $s2 $s3, $state, $t + 12);
    };
    ($f:ident $V:ident $early:ident, $s0:literal $s1:literal $s2:literal $s3:literal, $state:tt, $t:literal loop) => {
        let mut t = $t;
        while t < $t + 16 {
            four_rounds!($f $V $early, $s0 $s1 $s2 $s3, $state, t);
            t += 4;
        }
    };
}
/// The rounds from `$t` to `$t` + 3, after which every variable is back in its place.
macro_rules! four_rounds {
    ($f:ident $V:ident $early:ident, $s0:literal $s1:literal $s2:literal $s3:literal, [$a:ident $b:ident $c:ident $d:ident], $t:expr) => {
        round!($f $V $early $t, $s0, $a $b $c $d);
        round!($f $V $early $t + 1, $s1, $d $a $b $c);
        round!($f $V $early $t + 2, $s2, $c $d $a $b);
        round!($f $V $early $t + 3, $s3, $b $c $d $a);
    };
}

/// All rounds (RFC 1321, section 3.4) on `$state`.
macro_rules! sixty_four_rounds {
    ($V:ident $state:ident $early:ident $($loop:ident)?) => {
        let [mut a, mut b, mut c, mut d] = *$state;
        rounds!(f $V $early, 7 12 17 22, [a b c d], 0 $($loop)?);
        rounds!(g $V $early, 5 9 14 20, [a b c d], 16 $($loop)?);
        rounds!(h $V $early, 4 11 16 23, [a b c d], 32 $($loop)?);
        rounds!(i $V $early, 6 10 15 21, [a b c d], 48 $($loop)?);
        let end = [a, b, c, d];
        for (word, end) in $state.iter_mut().zip(end) {
            *word = word.add(end);
        }
    };
}

/// The compression function of MD5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Md5Compression;

impl SelfTested for Md5Compression {
    const KNOWN: [u64; 2] = [0xDA34_F608_6BD1_DA9C, 0x0EB8_C458_3407_5785];
}

impl Compression for Md5Compression {
    type Word = u32;
    type State = Count<4>;
    type Block = Count<16>;
    type Ending = MerkleDamgard<8>;
    const NAME: &'static str = "md5";
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    const WANTS_MORE_WAVES: bool = true;

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 4], words: [V; 16]) {
        Self::compress_beside(isa, state, &mut { words }, &mut ());
    }

    const READS_AHEAD: [&'static [usize]; MAX_AHEAD] = [&[], &[16, 48]];

    #[inline(always)]
    fn compress_beside<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 4], words: &mut [V; 16], beside: &mut impl Beside) {
        macro_rules! early { ($t:expr, $a:ident) => {
            $a.add(beside.before_round::<{ $t }, V>(words[word_of_round($t)])).pin().add(V::splat(isa, ROUND_CONSTANTS[$t]))
        } }
        sixty_four_rounds!(V state early);
    }

    const HAS_CONSTANT_BLOCKS: bool = true;

    fn expand(words: [u32; 16]) -> [u32; MAX_ROUNDS] {
        let mut expanded = [0; MAX_ROUNDS];
        for (t, constant) in ROUND_CONSTANTS.iter().enumerate() {
            expanded[t] = words[word_of_round(t)].wrapping_add(*constant);
        }
        expanded
    }

    #[inline(always)]
    fn compress_constant<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 4], expanded: &[u32; MAX_ROUNDS]) {
        macro_rules! early { ($t:expr, $a:ident) => { $a.add(V::splat(isa, expanded[$t])) } }
        sixty_four_rounds!(V state early loop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_sines() {
        for (i, constant) in ROUND_CONSTANTS.into_iter().enumerate() {
            assert_eq!(constant, (f64::from(i as u32 + 1).sin().abs() * 4_294_967_296.0) as u32, "T[{}]", i + 1);
        }
    }
}
