//! SM3 (GB/T 32905-2016, in English GM/T 0004-2012 and ISO/IEC 10118-3). Section numbers are those
//! of GM/T 0004.
//!
//! Operations per block and lane, with three-operand logic and rotations of one operation: 18 for a
//! round and 7 for a word of the schedule. A round waits six operations for the one before, a third
//! of what it takes two vector ports to compute it. So one wave fills them.

use super::ending::MerkleDamgard;
use super::{Compression, MAX_ROUNDS, SelfTested, algorithm};
use crate::isa::{ByteOrder, Count, Words};

algorithm! {
    /// SM3, with a digest of 256 bits: the standard of China.
    // Initial value: 4.1.
    Sm3, names("SM3", "SM3", "sm3", "sm3", Some("sm3sum"), false), 32, Sm3Compression, [
        0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600, 0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E,
    ]
}

/// The compression function of SM3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sm3Compression;

impl SelfTested for Sm3Compression {
    const KNOWN: [u64; 2] = [0xD27A_497A_1287_DD0E, 0x1EAC_5093_DA18_9DD9];
}

/// T (4.2) of each round, rotated left by its number.
pub(crate) static ROUND_CONSTANTS: [[u32; 16]; 4] = {
    let mut rotated = [[0; 16]; 4];
    let mut j = 0;
    while j < 64 {
        let constant: u32 = if j < 16 { 0x79CC4519 } else { 0x7A879D8A };
        rotated[j / 16][j % 16] = constant.rotate_left(j as u32 % 32);
        j += 1;
    }
    rotated
};

/// FF and GG (4.3): the sum modulo two in the first sixteen rounds, then majority and choice.
macro_rules! boolean {
    (first ff $V:ident $x:ident $y:ident $z:ident) => {
        $V::xor3($x, $y, $z)
    };
    (first gg $V:ident $x:ident $y:ident $z:ident) => {
        $V::xor3($x, $y, $z)
    };
    (later ff $V:ident $x:ident $y:ident $z:ident) => {
        $V::majority($x, $y, $z)
    };
    (later gg $V:ident $x:ident $y:ident $z:ident) => {
        $V::choose($x, $y, $z)
    };
}

/// One round (5.3.3) in place; the caller renames the variables. `$words!(t)` gives word t of the
/// schedule and its sum with word t + 4, `$k` the constant.
macro_rules! round {
    ($part:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $words:ident $t:literal, $k:expr) => {
        let (word, sum) = $words!($t);
        let a12 = $a.rotate_right::<20>();
        let ss1 = a12.add($k).pin().add($e).rotate_right::<25>();
        let d_early = $d.add(sum).pin().add(boolean!($part ff $V $a $b $c)).pin();
        let h_early = $h.add(word).pin().add(boolean!($part gg $V $e $f $g)).pin();
        $d = d_early.add(ss1.xor(a12));
        let tt2 = h_early.add(ss1);
        $h = $V::xor3(tt2, tt2.rotate_right::<23>(), tt2.rotate_right::<15>());
        $b = $b.rotate_right::<23>();
        $f = $f.rotate_right::<13>();
    };
}

/// Four rounds, after which every variable is back in its place.
macro_rules! four_rounds {
    ($part:ident $V:ident, $state:ident, $words:ident, $k:ident, $t0:literal $t1:literal $t2:literal $t3:literal) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $state;
        round!($part $V, a b c d e f g h, $words $t0, $k!($t0));
        round!($part $V, d a b c h e f g, $words $t1, $k!($t1));
        round!($part $V, c d a b g h e f, $words $t2, $k!($t2));
        round!($part $V, b c d a f g h e, $words $t3, $k!($t3));
        $state = [a, b, c, d, e, f, g, h];
    };
}

/// Sixteen rounds on `$state`.
macro_rules! sixteen_rounds {
    ($part:ident $V:ident, $state:ident, $words:ident, $k:ident) => {
        four_rounds!($part $V, $state, $words, $k, 0 1 2 3);
        four_rounds!($part $V, $state, $words, $k, 4 5 6 7);
        four_rounds!($part $V, $state, $words, $k, 8 9 10 11);
        four_rounds!($part $V, $state, $words, $k, 12 13 14 15);
    };
}

/// Replaces word j - 16 of the schedule, `w[j % 16]`, by word j (5.3.2).
#[inline(always)]
fn next_word<V: Words<Word = u32>>(w: &mut [V; 16], j: usize) -> V {
    let x = V::xor3(w[j % 16], w[(j + 7) % 16], w[(j + 13) % 16].rotate_right::<17>());
    let p1 = V::xor3(x, x.rotate_right::<17>(), x.rotate_right::<9>());
    w[j % 16] = V::xor3(p1, w[(j + 3) % 16].rotate_right::<25>(), w[(j + 10) % 16]);
    w[j % 16]
}

impl Compression for Sm3Compression {
    type Word = u32;
    type State = Count<8>;
    type Block = Count<16>;
    type Ending = MerkleDamgard<8>;
    const NAME: &'static str = "sm3";
    const BYTE_ORDER: ByteOrder = ByteOrder::Big;
    const WANTS_WAVES: bool = false;

    #[inline(always)]
    fn compress<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 8], words: [V; 16]) {
        let (mut now, mut w) = (*state, words);
        let k = &ROUND_CONSTANTS[0];
        macro_rules! constant { ($t:literal) => { V::splat(isa, k[$t]) } }
        // Word t + 4 is there as far as the block goes.
        macro_rules! block_words {
            ($t:literal) => {{
                let word = w[$t];
                let later = if $t < 12 { w[($t + 4) % 16] } else { next_word(&mut w, $t + 4) };
                (word, word.xor(later))
            }};
        }
        sixteen_rounds!(first V, now, block_words, constant);
        for k in &ROUND_CONSTANTS[1..] {
            macro_rules! constant { ($t:literal) => { V::splat(isa, k[$t]) } }
            macro_rules! schedule_words {
                ($t:literal) => {{
                    let word = w[$t];
                    (word, word.xor(next_word(&mut w, $t + 4)))
                }};
            }
            sixteen_rounds!(later V, now, schedule_words, constant);
        }
        for (word, now) in state.iter_mut().zip(now) {
            *word = word.xor(now);
        }
    }

    const HAS_CONSTANT_BLOCKS: bool = true;

    /// Returns the words of the schedule, 68 of them (5.3.2).
    fn expand(mut words: [u32; 16]) -> [u32; MAX_ROUNDS] {
        let mut expanded = [0; MAX_ROUNDS];
        for (j, word) in expanded[..68].iter_mut().enumerate() {
            *word = if j < 16 { words[j] } else { next_word(&mut words, j) };
        }
        expanded
    }

    #[inline(always)]
    fn compress_constant<V: Words<Word = u32>>(isa: V::Isa, state: &mut [V; 8], expanded: &[u32; MAX_ROUNDS]) {
        let mut now = *state;
        macro_rules! sixteen_rounds_from { ($part:ident $first:expr) => {
            let (k, words) = (&ROUND_CONSTANTS[$first / 16], &expanded[$first..$first + 20]);
            macro_rules! constant { ($t:literal) => { V::splat(isa, k[$t]) } }
            macro_rules! schedule_words { ($t:literal) => { (V::splat(isa, words[$t]), V::splat(isa, words[$t] ^ words[$t + 4])) } }
            sixteen_rounds!($part V, now, schedule_words, constant);
        } }
        sixteen_rounds_from!(first 0);
        for first in [16, 32, 48] {
            sixteen_rounds_from!(later first);
        }
        for (word, now) in state.iter_mut().zip(now) {
            *word = word.xor(now);
        }
    }
}
