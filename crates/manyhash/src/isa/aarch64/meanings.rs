//! Test: the instructions for hash functions are what Arm's manual says (`manual.rs`). They are tried at
//! every bit position of every word, and on random words.

use super::instructions::{Sha32, Sha64, ShaVector, Sm3};
use super::manual;
use super::sha::{Pair, Quad, Sm3Quad};
use crate::isa::meanings::random;
use crate::isa::{Blocks, NeonSha3, ShaCe, Sm3Ce, Task, Token};
use std::marker::PhantomData;

/// Three operands of an instruction: one bit set in one word of one of them, all bits but one, none, all, and
/// random words.
fn operands() -> Vec<[[u64; 2]; 3]> {
    let mut all = vec![[[0; 2]; 3], [[u64::MAX; 2]; 3]];
    for bit in 0..3 * 128 {
        let mut one = [[0; 2]; 3];
        one[bit / 128][bit / 64 % 2] = 1 << (bit % 64);
        all.push(one);
        all.push(one.map(|words| words.map(|word: u64| !word)));
    }
    let mut state = 5;
    all.extend((0..1000).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random(&mut state)))));
    all
}

/// The 32-bit words of two of 64 bits.
fn halves([low, high]: [u64; 2]) -> [u32; 4] {
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

/// The instructions of the vectors `V`.
struct Instructions<V>(PhantomData<V>);

macro_rules! check { ($operands:expr; $($name:literal: $found:expr, $right:expr;)*) => { $(
    assert_eq!($found, $right, "{} of {:x?}", $name, $operands);
)* } }

impl Task<ShaCe> for Instructions<Quad> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: ShaCe) {
        for operands in operands() {
            let [a, b, c] = operands.map(halves);
            let [x, y, z] = [Quad::new(isa, a), Quad::new(isa, b), Quad::new(isa, c)];
            let e = Quad::single(isa, b[0]);
            check! { operands;
                "constants": Quad::constants(isa, a).words(), a;
                "lowest": Quad::word(x.lowest()), a[0];
                "add": x.add(y).words(), std::array::from_fn(|i| a[i].wrapping_add(b[i]));
                "add_singles": Quad::word(Quad::add_singles(x.lowest(), e)), a[0].wrapping_add(b[0]);
                "sha1_rounds, 0 to 19": x.sha1_rounds::<0>(e, z).words(), manual::sha1c(a, b[0], c);
                "sha1_rounds, 20 to 39": x.sha1_rounds::<1>(e, z).words(), manual::sha1p(a, b[0], c);
                "sha1_rounds, 40 to 59": x.sha1_rounds::<2>(e, z).words(), manual::sha1m(a, b[0], c);
                "sha1_rounds, 60 to 79": x.sha1_rounds::<3>(e, z).words(), manual::sha1p(a, b[0], c);
                "sha1_next_e": Quad::word(Quad::sha1_next_e(e)), manual::sha1h(b[0]);
                "sha1_schedule_first": x.sha1_schedule_first(y, z).words(), manual::sha1su0(a, b, c);
                "sha1_schedule_last": x.sha1_schedule_last(y).words(), manual::sha1su1(a, b);
                "sha256_rounds": x.sha256_rounds(y, z).words(), manual::sha256h(a, b, c);
                "sha256_rounds_lower": x.sha256_rounds_lower(y, z).words(), manual::sha256h2(a, b, c);
                "sha256_schedule_first": x.sha256_schedule_first(y).words(), manual::sha256su0(a, b);
                "sha256_schedule_last": x.sha256_schedule_last(y, z).words(), manual::sha256su1(a, b, c);
            }
        }
    }
}

impl Task<NeonSha3> for Instructions<Pair> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: NeonSha3) {
        for operands @ [a, b, c] in operands() {
            let [x, y, z] = [Pair::new(isa, a), Pair::new(isa, b), Pair::new(isa, c)];
            check! { operands;
                "constants": Pair::constants(isa, a).words(), a;
                "add": x.add(y).words(), std::array::from_fn(|i| a[i].wrapping_add(b[i]));
                "shift_in": x.shift_in(y).words(), [a[1], b[0]];
                "sha512_rounds": x.sha512_rounds(y, z).words(), manual::sha512h(a, b, c);
                "sha512_rounds_upper": x.sha512_rounds_upper(y, z).words(), manual::sha512h2(a, b, c);
                "sha512_schedule_first": x.sha512_schedule_first(y).words(), manual::sha512su0(a, b);
                "sha512_schedule_last": x.sha512_schedule_last(y, z).words(), manual::sha512su1(a, b, c);
            }
        }
    }
}

impl Task<Sm3Ce> for Instructions<Sm3Quad> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: Sm3Ce) {
        for operands in operands() {
            let [a, b, c] = operands.map(halves);
            let [x, y, z] = [Sm3Quad::new(isa, a), Sm3Quad::new(isa, b), Sm3Quad::new(isa, c)];
            check! { operands;
                "xor": x.xor(y).words(), std::array::from_fn(|i| a[i] ^ b[i]);
                "shift_in": x.shift_in::<3>(y).words(), [a[3], b[0], b[1], b[2]];
                "sm3_schedule_first": x.sm3_schedule_first(y, z).words(), manual::sm3partw1(a, b, c);
                "sm3_schedule_last": x.sm3_schedule_last(y, z).words(), manual::sm3partw2(a, b, c);
                "sm3_ss1": x.sm3_ss1(y, z).words(), manual::sm3ss1(a, b, c);
            }
            macro_rules! rounds { ($($word:literal $early:literal)*) => { $( check! { operands;
                "sm3_round_upper": x.sm3_round_upper::<$word, $early>(y, z).words(), manual::sm3tt1($early, a, b, c[$word]);
                "sm3_round_lower": x.sm3_round_lower::<$word, $early>(y, z).words(), manual::sm3tt2($early, a, b, c[$word]);
            } )* } }
            rounds!(0 true 1 true 2 true 3 true 0 false 1 false 2 false 3 false);
        }
    }
}

#[test]
fn instructions_are_what_the_manual_says() {
    macro_rules! check_all { ($($Isa:ident: $Vector:ident = $name:literal;)*) => { $(
        match $Isa::detect() {
            Some(isa) => isa.run(Instructions::<$Vector>(PhantomData)),
            None => println!("SKIPPED: this CPU lacks the instructions of {}", $name),
        }
    )* } }
    check_all! { ShaCe: Quad = "sha-ce"; NeonSha3: Pair = "sha512-ce"; Sm3Ce: Sm3Quad = "sm3-ce"; }
}

#[test]
fn blocks_are_loaded_in_their_order() {
    let mut state = 6;
    let bytes: Vec<u8> = (0..200).map(|_| random(&mut state) as u8).collect();
    let blocks = Blocks::new(2, bytes.len() - 1, |lane| &bytes[lane..]);
    for at in 0..16 {
        let loaded = &bytes[1 + at..];
        if let Some(isa) = ShaCe::detect() {
            let right: Vec<u32> = loaded[..64].as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
            assert_eq!(Quad::load_block::<4>(isa, &blocks, 1, at).map(Quad::words).as_flattened(), right, "at {at}");
        }
        if let Some(isa) = NeonSha3::detect() {
            let right: Vec<u64> = loaded[..128].as_chunks().0.iter().map(|word| u64::from_be_bytes(*word)).collect();
            assert_eq!(Pair::load_block::<8>(isa, &blocks, 1, at).map(Pair::words).as_flattened(), right, "at {at}");
        }
    }
}
