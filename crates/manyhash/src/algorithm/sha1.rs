//! SHA-1 (FIPS 180-4, section 6.1). It is broken for signatures: use it only for formats that still
//! require it.
//!
//! Operations per block and lane, with three-operand logic: 80 rounds of 7, 64 schedule words of 3,
//! 5 at the end. If latency limits one wave (rotate and add, 80 times; Zen 5), two waves reach the
//! limit of the ports.

use super::ending::MerkleDamgard;
use super::{Beside, Compression, MAX_AHEAD, MAX_ROUNDS, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, WAYS, Words};
use std::hint::black_box;

algorithm! {
    /// SHA-1, with a digest of 160 bits. Collisions are practical: use it only where something
    /// demands it.
    Sha1, names("SHA-1", "SHA1", "sha1", "sha1", Some("sha1sum"), true), 20, Sha1Compression, [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
}

/// The constants of FIPS 180-4, section 4.2.1, one for each twenty rounds.
pub(crate) static ROUND_CONSTANTS: [u32; 4] = [0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6];

/// Replaces word t - 16 of the schedule, `w[t % 16]`, by word t (6.1.2, step 1).
#[inline(always)]
fn next_word<V: Words>(w: &mut [V; 16], t: usize) -> V {
    let mixed = V::xor3(w[(t + 13) % 16], w[(t + 8) % 16], w[(t + 2) % 16]);
    w[t % 16] = mixed.xor(w[t % 16]).rotate_right::<31>();
    w[t % 16]
}

/// What the rounds (6.1.2, steps 2 and 3) make of `$state`. `$word_and_constant!(t)` gives message word
/// t plus its constant. The rounds are one after the other in the program, or those of each function are a `loop`.
macro_rules! eighty_rounds {
    ($V:ident $state:ident $word_and_constant:ident $($loop:ident)?) => {{
        let [mut a, mut b, mut c, mut d, mut e] = $state;
        $crate::algorithm::sha1::twenty_rounds!($V $word_and_constant choose 0, a b c d e $($loop)?);
        $crate::algorithm::sha1::twenty_rounds!($V $word_and_constant xor3 20, a b c d e $($loop)?);
        $crate::algorithm::sha1::twenty_rounds!($V $word_and_constant majority 40, a b c d e $($loop)?);
        $crate::algorithm::sha1::twenty_rounds!($V $word_and_constant xor3 60, a b c d e $($loop)?);
        [a, b, c, d, e]
    }};
}

/// Rounds `$t` to `$t` + 19, whose function is `$f`.
macro_rules! twenty_rounds {
    ($V:ident $word_and_constant:ident $f:ident $t:literal, $a:ident $b:ident $c:ident $d:ident $e:ident loop) => {
        let mut t = $t;
        while t < $t + 20 {
            $crate::algorithm::sha1::five_rounds!($V $word_and_constant $f t, $a $b $c $d $e);
            t += 5;
        }
    };
    ($V:ident $word_and_constant:ident $f:ident $t:literal, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $crate::algorithm::sha1::five_rounds!($V $word_and_constant $f $t, $a $b $c $d $e);
        $crate::algorithm::sha1::five_rounds!($V $word_and_constant $f $t + 5, $a $b $c $d $e);
        $crate::algorithm::sha1::five_rounds!($V $word_and_constant $f $t + 10, $a $b $c $d $e);
        $crate::algorithm::sha1::five_rounds!($V $word_and_constant $f $t + 15, $a $b $c $d $e);
    };
}

/// The rounds from `$t` on, after which every variable is back in its place.
macro_rules! five_rounds {
    ($V:ident $word_and_constant:ident $f:ident $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $crate::algorithm::sha1::round!($V $word_and_constant $f $t, $a $b $c $d $e);
        $crate::algorithm::sha1::round!($V $word_and_constant $f $t + 1, $e $a $b $c $d);
        $crate::algorithm::sha1::round!($V $word_and_constant $f $t + 2, $d $e $a $b $c);
        $crate::algorithm::sha1::round!($V $word_and_constant $f $t + 3, $c $d $e $a $b);
        $crate::algorithm::sha1::round!($V $word_and_constant $f $t + 4, $b $c $d $e $a);
    };
}

/// One round in place; the caller renames the variables.
macro_rules! round {
    ($V:ident $word_and_constant:ident $f:ident $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        // Operands that are known early are added early; the rotation of the newest word comes last.
        let early = $e.add($word_and_constant!($t).pin()).pin();
        $e = early.add($V::$f($b, $c, $d)).pin().add($a.rotate_right::<27>());
        $b = $b.rotate_right::<2>();
    };
}

/// Adds what the rounds made of a state to it (6.1.2, step 4).
#[inline(always)]
fn add_all<V: Words<Word = u32>>(state: &mut [V; 5], end: [V; 5]) {
    for (word, end) in state.iter_mut().zip(end) {
        *word = word.add(end);
    }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports, reason = "for rounds of other kernels"))]
pub(crate) use {eighty_rounds, five_rounds, round, twenty_rounds};

/// Compresses in two halves of 40 rounds, which differ in their first twenty only: a loop, whose code is three quarters of that of
/// eighty rounds. With those, two waves took 1.05 to 1.25 times as long for a thousand messages of up to 200 bytes (Zen 5), and
/// how long depended on where the linker put them: see [`Words::jump`]. The words are forced to memory, where each half has them in the
/// same places. Registers of fewer lanes, where nobody measured it, have eighty rounds.
#[inline(always)]
fn compress_in_halves<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], words: &mut [V; 16]) {
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    let (halves, _) = black_box(words).as_chunks_mut::<8>();
    let [near, far] = halves else { unreachable!() };
    let (mut near, mut far) = (near, far);
    macro_rules! word { ($t:expr) => { *if $t % 16 < 8 { &mut near[$t % 8] } else { &mut far[$t % 8] } } }
    macro_rules! next {
        ($t:expr) => {{
            if $t % 5 == 0 {
                V::jump();
            }
            let mixed = V::xor3(word!($t + 13), word!($t + 8), word!($t + 2));
            let next = mixed.xor(word!($t)).rotate_right::<31>();
            word!($t) = next;
            next
        }};
    }
    macro_rules! first { ($t:expr) => { (if $t < 16 { word!($t) } else { next!($t) }).add(V::splat(isa, ROUND_CONSTANTS[0])) } }
    macro_rules! third { ($t:expr) => { next!($t).add(V::splat(isa, ROUND_CONSTANTS[2])) } }
    for (half, constant) in [ROUND_CONSTANTS[1], ROUND_CONSTANTS[3]].into_iter().enumerate() {
        if half == 0 {
            twenty_rounds!(V first choose 0, a b c d e);
        } else {
            twenty_rounds!(V third majority 0, a b c d e);
        }
        macro_rules! second { ($t:expr) => { next!($t).add(V::splat(isa, constant)) } }
        twenty_rounds!(V second xor3 20, a b c d e);
        std::mem::swap(&mut near, &mut far);
    }
    add_all(state, [a, b, c, d, e]);
}

/// The compression function of SHA-1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sha1Compression;

impl SelfTested for Sha1Compression {
    const KNOWN: [u64; 2] = [0xEC2D_B045_A07F_84E3, 0xC932_FB37_7691_1727];
}

impl Compression for Sha1Compression {
    type Word = u32;
    type State = Count<5>;
    type Block = Count<16>;
    type Ending = MerkleDamgard<8>;
    const WANTS_CHAINS: bool = true;
    const NAME: &'static str = "sha1";
    const BYTE_ORDER: ByteOrder = ByteOrder::Big;

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], mut words: [V; 16]) {
        Self::compress_in_place(isa, state, &mut words);
    }

    #[inline(always)]
    fn compress_in_place<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], words: &mut [V; 16]) {
        if V::WAVES > 1 && V::LANES > V::WAVES * WAYS {
            return compress_in_halves(isa, state, words);
        }
        Self::compress_beside(isa, state, words, &mut ());
    }

    /// Two waves, which have no registers for them, would take a tenth longer where lanes do not collide (Zen 5).
    const READS_AHEAD: [&'static [usize]; MAX_AHEAD] = [&[16], &[]];

    #[inline(always)]
    fn compress_beside<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], w: &mut [V; 16], beside: &mut impl Beside) {
        // Only the last sixteen words of the schedule are kept. The compiler places them, also with
        // two waves: forcing them to memory costs 5 %.
        macro_rules! word_and_constant {
            ($t:expr) => {{
                let word = if $t < 16 { w[$t % 16] } else { next_word(w, $t) };
                beside.before_round::<{ $t }, V>(word.add(V::splat(isa, ROUND_CONSTANTS[$t / 20])))
            }};
        }
        let before = *state;
        add_all(state, eighty_rounds!(V before word_and_constant));
    }

    const HAS_CONSTANT_BLOCKS: bool = true;

    fn expand(mut words: [u32; 16]) -> [u32; MAX_ROUNDS] {
        let mut expanded = [0; MAX_ROUNDS];
        for (t, expanded) in expanded.iter_mut().enumerate() {
            let word = if t < 16 { words[t] } else { next_word(&mut words, t) };
            *expanded = word.wrapping_add(ROUND_CONSTANTS[t / 20]);
        }
        expanded
    }

    #[inline(always)]
    fn compress_constant<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 5], expanded: &[u32; MAX_ROUNDS]) {
        // Straight code would be another 14 KiB for two waves, and messages of 64 bytes took 1.16 times as long with it (Zen 5).
        macro_rules! word_and_constant { ($t:expr) => { V::splat(isa, expanded[$t]) } }
        let before = *state;
        add_all(state, eighty_rounds!(V before word_and_constant loop));
    }
}
