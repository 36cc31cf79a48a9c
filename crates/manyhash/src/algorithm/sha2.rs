//! The compression function of the whole SHA-2 family (FIPS 180-4, sections 6.2 and 6.4). SHA-256
//! and SHA-512 differ in word size, rotations and constants, which [`Sha2`] names.
//!
//! Operations per block and lane, with three-operand logic: 17 for a round and 11 for a schedule
//! word. If latency limits one wave, from e to e of the next round (Zen 5), two waves reach the
//! limit of the ports. The order of additions is pinned: Sigma1 is known last, so it is added last.
//!
//! One wave goes through a loop of 16 rounds: all 64 unrolled are no faster and three times the code. Two
//! waves go through turns of eight rounds, among whose steps there is what has nothing to do with them: a CPU seems
//! to look for instructions that are ready among the next two rounds or so. Operations of vectors wait two
//! cycles for one another in Zen 5, so that rounds alone keep three of its four ports busy.

use super::ending::{pad_digest, padding_word};
use super::{Beside, Compression, MAX_ROUNDS, TURNS};
use crate::isa::{Count, Portable, Words, sixteen};
use std::hint::black_box;

/// The parts in which SHA-256 and SHA-512 differ.
pub(crate) trait Sha2: Compression<State = Count<8>, Block = Count<16>> {
    /// The constants of FIPS 180-4, 4.2.2 and 4.2.3: sixteen for each pass of the loop.
    const ROUND_CONSTANTS: &'static [[Self::Word; 16]];
    /// The function of equations 4.4 and 4.10.
    fn big_sigma0<V: Words<Word = Self::Word>>(x: V) -> V;
    /// The function of equations 4.5 and 4.11.
    fn big_sigma1<V: Words<Word = Self::Word>>(x: V) -> V;
    /// The function of equations 4.6 and 4.12.
    fn small_sigma0<V: Words<Word = Self::Word>>(x: V) -> V;
    /// The function of equations 4.7 and 4.13.
    fn small_sigma1<V: Words<Word = Self::Word>>(x: V) -> V;
}

/// One round (FIPS 180-4, 6.2.2 and 6.4.2, step 3) in place; the caller renames the variables.
/// `$wk` is message word plus constant.
macro_rules! round {
    ($A:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $wk:expr) => {
        if !$V::LATENCY_BOUND {
            let early = $h.add($wk).pin().add($V::choose($e, $f, $g)).pin();
            let t1 = early.add($A::big_sigma1($e)).pin();
            $d = $d.add(t1);
            $h = t1.add($V::majority($a, $b, $c)).pin().add($A::big_sigma0($a));
        } else {
            // d gets a sum of its own: one more addition, but one less to wait for.
            let early = $h.add($wk.pin()).pin();
            let d_early = $d.add(early).pin();
            let (sigma1, chosen) = ($A::big_sigma1($e), $V::choose($e, $f, $g));
            let t2 = $A::big_sigma0($a).add($V::majority($a, $b, $c)).pin();
            $d = d_early.add(chosen).pin().add(sigma1);
            $h = early.add(chosen).pin().add(sigma1).pin().add(t2);
        }
    };
}

/// Eight rounds by the macro `round!` that is in scope, after which every variable is back in its place. `$wk!(t)` gives message
/// word plus constant.
macro_rules! eight_rounds {
    ($A:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $wk:ident) => {
        eight_rounds!($A $V, $a $b $c $d $e $f $g $h, $wk: 0 1 2 3 4 5 6 7);
    };
    ($A:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
     $wk:ident: $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $t6:literal $t7:literal) => {
        round!($A $V, $a $b $c $d $e $f $g $h, $wk!($t0));
        round!($A $V, $h $a $b $c $d $e $f $g, $wk!($t1));
        round!($A $V, $g $h $a $b $c $d $e $f, $wk!($t2));
        round!($A $V, $f $g $h $a $b $c $d $e, $wk!($t3));
        round!($A $V, $e $f $g $h $a $b $c $d, $wk!($t4));
        round!($A $V, $d $e $f $g $h $a $b $c, $wk!($t5));
        round!($A $V, $c $d $e $f $g $h $a $b, $wk!($t6));
        round!($A $V, $b $c $d $e $f $g $h $a, $wk!($t7));
    };
}

/// Sixteen rounds.
macro_rules! sixteen_rounds {
    ($A:ident $V:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $wk:ident) => {
        $crate::algorithm::sha2::eight_rounds!($A $V, $a $b $c $d $e $f $g $h, $wk: 0 1 2 3 4 5 6 7);
        $crate::algorithm::sha2::eight_rounds!($A $V, $a $b $c $d $e $f $g $h, $wk: 8 9 10 11 12 13 14 15);
    };
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports, reason = "for rounds of other kernels"))]
pub(crate) use {eight_rounds, sixteen_rounds};

/// Replaces word t - 16 of the schedule, `w[t % 16]`, by word t (6.2.2 and 6.4.2, step 1).
#[inline(always)]
pub(crate) fn next_word<A: Sha2, V: Words<Word = A::Word>>(w: &mut [V; 16], t: usize) -> V {
    let mixed = w[t % 16].add(A::small_sigma0(w[(t + 1) % 16])).add(w[(t + 9) % 16]);
    w[t % 16] = mixed.add(A::small_sigma1(w[(t + 14) % 16]));
    w[t % 16]
}

#[inline(always)]
pub(super) fn compress<A: Sha2, V: Words<Word = A::Word>>(isa: V::Isa, state: &mut [V; 8], mut words: [V; 16]) {
    if V::WAVES > 1 {
        return compress_in_turns::<A, V>(isa, state, &mut words, &mut ());
    }
    let w = &mut words;
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let k = &A::ROUND_CONSTANTS[0];
    macro_rules! message_word {
        ($t:literal) => {
            w[$t].add(V::splat(isa, k[$t]))
        };
    }
    sixteen_rounds!(A V, a b c d e f g h, message_word);
    for k in &A::ROUND_CONSTANTS[1..] {
        macro_rules! schedule_word {
            ($t:literal) => {
                next_word::<A, V>(w, $t).add(V::splat(isa, k[$t]))
            };
        }
        sixteen_rounds!(A V, a b c d e f g h, schedule_word);
    }
    let end = [a, b, c, d, e, f, g, h];
    for (word, end) in state.iter_mut().zip(end) {
        *word = word.add(end);
    }
}

/// Compresses in turns of eight rounds. The first eight turns make all words of the schedule, six or eight each: word t + 16 takes the place
/// of word t in a ring, after round t and long before its own. Two waves have 48 live vectors, so the words are forced to memory, which
/// beats the spills that the compiler chooses.
///
/// 32 messages of 4,000 bytes took 1.04 times as long with words made just before their rounds and none beside the first sixteen, and
/// 1.01 times with a word before a round and not between its steps (SHA-256, Zen 5).
#[inline(always)]
pub(super) fn compress_in_turns<A: Sha2, V: Words<Word = A::Word>>(
    isa: V::Isa,
    state: &mut [V; 8],
    w: &mut [V; 16],
    beside: &mut impl Beside,
) {
    let start = *state;
    let w = black_box(w);
    for turn in 0..TURNS {
        eight_rounds_beside::<A, V, NOT_PADDED>(isa, state, w, turn, beside);
    }
    rounds_without_words::<A, V>(isa, state, w);
    add_start(state, &start);
}

/// The same for a block of which all words but those of a digest are [padding](padding_word), and need not be in `w`. The first turns have
/// code of their own, where the compiler leaves out what it can compute: 67 of 1,624 operations a wave of SHA-256. Chains that begin with one
/// state have 18 less again.
#[inline(always)]
pub(super) fn compress_digest<A: Sha2, V: Words<Word = A::Word>>(isa: V::Isa, state: &mut [V; 8], w: &mut [V; 16]) {
    if V::WAVES == 1 {
        pad_digest::<A, V>(isa, w);
        return compress::<A, V>(isa, state, *w);
    }
    let start = *state;
    // The last digest's first word is known last, and not waited for in memory.
    let first = w[0];
    let w = black_box(w);
    // The first round but for its word, which chains that begin with one state compute once.
    let [a, b, c, d, e, f, g, h] = start;
    let t1 = h.add(V::splat(isa, A::ROUND_CONSTANTS[0][0])).add(A::big_sigma1(e)).add(V::choose(e, f, g));
    state[3] = d.add(t1).add(first);
    state[7] = t1.add(A::big_sigma0(a)).add(V::majority(a, b, c)).add(first);
    eight_rounds_beside::<A, V, 0>(isa, state, w, black_box(0), &mut ());
    // Loops of one turn: where the compiler knows the places of words, it makes all of them before the rounds, and a link takes 1.15 times as
    // long (Zen 5).
    macro_rules! first_turns { ($($turn:literal)*) => { $(
        if const { $turn < first_turns::<A>() } {
            let mut turn = $turn;
            loop {
                eight_rounds_beside::<A, V, $turn>(isa, state, w, turn, &mut ());
                turn += 1;
                if turn > black_box($turn) {
                    break;
                }
            }
        }
    )* } }
    first_turns!(1 2);
    for turn in const { first_turns::<A>() }..TURNS {
        eight_rounds_beside::<A, V, NOT_PADDED>(isa, state, w, turn, &mut ());
    }
    rounds_without_words::<A, V>(isa, state, w);
    add_start(state, &start);
}

/// Words of the schedule that each of the first eight turns makes.
const fn words_a_turn<A: Sha2>() -> usize {
    (A::ROUND_CONSTANTS.len() - 1) * 16 / TURNS
}

/// The turns that make the first sixteen words, for which the words of the block are needed.
const fn first_turns<A: Sha2>() -> usize {
    16usize.div_ceil(words_a_turn::<A>())
}

/// Says that no word of the block is known.
const NOT_PADDED: usize = usize::MAX;

/// Eight rounds, and beside them words that are made for later, one a round; none beside every fourth if there are six. `PADDED` is the
/// number of the turn if the block is a padded digest, and [`NOT_PADDED`] otherwise. Turn 0 of these has had its first round.
#[inline(always)]
fn eight_rounds_beside<A: Sha2, V: Words<Word = A::Word>, const PADDED: usize>(
    isa: V::Isa,
    state: &mut [V; 8],
    w: &mut [V; 16],
    turn: usize,
    beside: &mut impl Beside,
) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let k = &A::ROUND_CONSTANTS.as_flattened().as_chunks::<8>().0[if PADDED == NOT_PADDED { turn } else { PADDED }];
    let a_turn = const { words_a_turn::<A>() };
    let eight = a_turn == 8;
    macro_rules! word {
        ($before:expr, $i:expr) => {
            if PADDED != NOT_PADDED && matches!(PADDED.wrapping_mul($before) + $i, 8..16) {
                V::splat(isa, padding_word::<A>(PADDED * $before + $i))
            } else {
                w[(turn * $before + $i) % 16]
            }
        };
    }
    macro_rules! round {
        ($t:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            let makes = eight || const { $t % 4 < 3 };
            let made = if eight { $t } else { const { $t - $t / 4 } };
            let mut word = word!(8, $t);
            let has_round = PADDED != 0 || $t > 0;
            let sigma1 = A::big_sigma1($e);
            let early = $h.add(V::splat(isa, k[$t])).add(word).pin();
            if makes {
                word = A::small_sigma0(word!(a_turn, made + 1));
            }
            let t1 = early.add(V::choose($e, $f, $g)).pin().add(sigma1).pin();
            if has_round {
                $d = $d.add(t1);
            }
            if makes {
                word = word.add(word!(a_turn, made)).add(word!(a_turn, made + 9)).pin();
            }
            let t2 = t1.add(V::majority($a, $b, $c)).pin();
            let sigma0 = A::big_sigma0($a);
            if makes {
                w[(turn * a_turn + made) % 16] = word.add(A::small_sigma1(word!(a_turn, made + 14)));
            }
            if has_round {
                $h = t2.add(sigma0);
            }
        };
    }
    round!(0, a b c d e f g h);
    round!(1, h a b c d e f g);
    round!(2, g h a b c d e f);
    round!(3, f g h a b c d e);
    beside.in_turn(turn);
    round!(4, e f g h a b c d);
    round!(5, d e f g h a b c);
    round!(6, c d e f g h a b);
    round!(7, b c d e f g h a);
    *state = [a, b, c, d, e, f, g, h];
}

/// The rounds behind the first eight turns: those of SHA-512.
#[inline(always)]
fn rounds_without_words<A: Sha2, V: Words<Word = A::Word>>(isa: V::Isa, state: &mut [V; 8], w: &[V; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (turn, k) in A::ROUND_CONSTANTS.as_flattened().as_chunks::<8>().0[TURNS..].iter().enumerate() {
        macro_rules! word {
            ($t:literal) => {
                w[(turn * 8 + $t) % 16].add(V::splat(isa, k[$t]))
            };
        }
        eight_rounds!(A V, a b c d e f g h, word);
    }
    *state = [a, b, c, d, e, f, g, h];
}

/// Adds the state before the rounds to that after them (6.2.2 and 6.4.2, step 4).
#[inline(always)]
fn add_start<V: Words>(state: &mut [V; 8], start: &[V; 8]) {
    for i in 0..8 {
        state[i] = start[i].add(state[i]);
    }
}

/// Returns the message words plus constants of a block (6.2.2 and 6.4.2, step 1).
pub(super) fn expand<A: Sha2>(mut words: [A::Word; 16]) -> [A::Word; MAX_ROUNDS]
where
    A::Word: Words<Word = A::Word, Isa = Portable>,
{
    let mut expanded = [A::Word::default(); MAX_ROUNDS];
    for (i, (expanded, k)) in expanded.as_chunks_mut::<16>().0.iter_mut().zip(A::ROUND_CONSTANTS).enumerate() {
        if i > 0 {
            // With a variable in place of the numbers, words wait in memory for one another (SHA-256, Golden Cove: 225 ns).
            macro_rules! next { ($($t:literal)*) => { $(next_word::<A, A::Word>(&mut words, $t);)* } }
            sixteen!(next);
        }
        for t in 0..16 {
            expanded[t] = words[t].add(k[t]);
        }
    }
    expanded
}

/// Compresses a block whose words plus constants are the same in every lane.
#[inline(always)]
pub(super) fn compress_constant<A: Sha2, V: Words<Word = A::Word>>(isa: V::Isa, state: &mut [V; 8], expanded: &[A::Word; MAX_ROUNDS]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for words in expanded[..16 * A::ROUND_CONSTANTS.len()].as_chunks::<8>().0 {
        macro_rules! word {
            ($t:literal) => {
                V::splat(isa, words[$t])
            };
        }
        eight_rounds!(A V, a b c d e f g h, word);
    }
    let end = [a, b, c, d, e, f, g, h];
    for (word, end) in state.iter_mut().zip(end) {
        *word = word.add(end);
    }
}

/// The methods of [`Sha2`] and [`Compression`] for one word size, with the rotations of equations
/// 4.4 to 4.7 and 4.10 to 4.13.
macro_rules! sha2 {
    ($Compression:ident, $word:ident, $name:literal, $known:expr, $constants:ident,
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

        impl $crate::algorithm::SelfTested for $Compression {
            const KNOWN: [u64; 2] = $known;
        }

        impl Compression for $Compression {
            type Word = $word;
            type State = Count<8>;
            type Block = Count<16>;
            type Ending = MerkleDamgard<{ 2 * size_of::<$word>() }>;
            const NAME: &'static str = $name;
            const BYTE_ORDER: ByteOrder = ByteOrder::Big;
            const HAS_LEAN_ROUNDS: bool = true;
            const WANTS_CHAINS: bool = true;
            const HAS_CONSTANT_BLOCKS: bool = true;
            #[inline(always)]
            fn compress<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 8], block: [V; 16]) {
                $crate::algorithm::sha2::compress::<Self, V>(isa, state, block);
            }
            #[inline(always)]
            fn compress_in_place<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 8], block: &mut [V; 16]) {
                if V::WAVES > 1 {
                    return Self::compress_beside(isa, state, block, &mut ());
                }
                Self::compress(isa, state, *block);
            }
            const HAS_TURNS: bool = true;
            #[inline(always)]
            fn compress_beside<V: Words<Word = $word>>(
                isa: V::Isa,
                state: &mut [V; 8],
                block: &mut [V; 16],
                beside: &mut impl $crate::algorithm::Beside,
            ) {
                $crate::algorithm::sha2::compress_in_turns::<Self, V>(isa, state, block, beside);
            }
            #[inline(always)]
            fn compress_digest<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 8], block: &mut [V; 16]) {
                $crate::algorithm::sha2::compress_digest::<Self, V>(isa, state, block);
            }
            fn expand(block: [$word; 16]) -> [$word; MAX_ROUNDS] {
                $crate::algorithm::sha2::expand::<Self>(block)
            }
            #[inline(always)]
            fn compress_constant<V: Words<Word = $word>>(isa: V::Isa, state: &mut [V; 8], expanded: &[$word; MAX_ROUNDS]) {
                $crate::algorithm::sha2::compress_constant::<Self, V>(isa, state, expanded);
            }
        }
    };
}
pub(super) use sha2;
