//! Test: the operations that only kernels for single messages have are what their names say: those of
//! the SHA extensions what Intel's manual says (`manual.rs`), and moves of words what their traits say.
//!
//! Operations on bits are tried at every bit position of every word, and all of them on random words.

use super::manual;
use super::sha::{Quad, ShaVector};
use crate::isa::meanings::random;
use crate::isa::{Avx512Half, Avx512Quarter, Blocks, ByteOrder, FourWords, Pairs, ShaNi, Sse2, Successive, Task, Token, Word};

/// Prints that a CPU lacks instructions, and returns them if it has them.
fn detected<I: Token>(name: &str) -> Option<I> {
    let isa = I::detect();
    if isa.is_none() {
        println!("SKIPPED: this CPU lacks the instructions of {name}");
    }
    isa
}

/// Operands of the SHA extensions: one bit set in one word of one of the three, all bits but one, none,
/// all, and random words.
fn operands() -> Vec<[[u32; 4]; 3]> {
    let mut all = vec![[[0; 4]; 3], [[u32::MAX; 4]; 3]];
    for bit in 0..3 * 128 {
        let mut one = [[0; 4]; 3];
        one[bit / 128][bit / 32 % 4] = 1 << (bit % 32);
        all.push(one);
        all.push(one.map(|words| words.map(|word: u32| !word)));
    }
    let mut state = 5;
    all.extend((0..1000).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random(&mut state) as u32))));
    all
}

struct ShaExtensions(Vec<[[u32; 4]; 3]>);

impl Task<ShaNi> for ShaExtensions {
    type Output = usize;
    #[inline(always)]
    fn run(self, isa: ShaNi) -> usize {
        let mut compared = 0;
        for operands @ [a, b, c] in self.0 {
            let [x, y, z] = [Quad::new(isa, a), Quad::new(isa, b), Quad::new(isa, c)];
            macro_rules! check { ($($name:literal: $found:expr, $right:expr;)*) => { $(
                assert_eq!($found.words(), $right, "{} of {operands:x?}", $name);
                compared += 1;
            )* } }
            check! {
                "constants": Quad::constants(isa, a), a;
                "highest": Quad::highest(isa, a[0]), [0, 0, 0, a[0]];
                "pair": Quad::pair(isa, &[a[0], a[1]]), [a[0], a[1], 0, 0];
                "add": x.add(y), std::array::from_fn(|i| a[i].wrapping_add(b[i]));
                "xor": x.xor(y), std::array::from_fn(|i| a[i] ^ b[i]);
                "shift_in": x.shift_in(y), [a[1], a[2], a[3], b[0]];
                "sha1_rounds, 0 to 19": x.sha1_rounds::<0>(y), manual::sha1rnds4(0, a, b);
                "sha1_rounds, 20 to 39": x.sha1_rounds::<1>(y), manual::sha1rnds4(1, a, b);
                "sha1_rounds, 40 to 59": x.sha1_rounds::<2>(y), manual::sha1rnds4(2, a, b);
                "sha1_rounds, 60 to 79": x.sha1_rounds::<3>(y), manual::sha1rnds4(3, a, b);
                "sha1_next_e": x.sha1_next_e(y), manual::sha1nexte(a, b);
                "sha1_schedule_first": x.sha1_schedule_first(y), manual::sha1msg1(a, b);
                "sha1_schedule_last": x.sha1_schedule_last(y), manual::sha1msg2(a, b);
                "sha256_rounds": x.sha256_rounds(y, z), manual::sha256rnds2(a, b, c);
                "sha256_schedule_first": x.sha256_schedule_first(y), manual::sha256msg1(a, b);
                "sha256_schedule_last": x.sha256_schedule_last(y), manual::sha256msg2(a, b);
            }
            assert_eq!(x.upper_half().words()[..2], a[2..], "upper_half of {operands:x?}");
        }
        check_loads(isa);
        compared
    }
}

/// Checks loads from every address modulo 16, in both orders and both ways.
#[inline(never)]
fn check_loads(isa: ShaNi) {
    let mut state = 6;
    let bytes: Vec<u8> = (0..160).map(|_| random(&mut state) as u8).collect();
    for (at, reversed, in_halves) in (0..64).flat_map(|i| [(i / 4 * 5, i % 2 == 0, i % 4 < 2)]) {
        let blocks = Blocks::new(2, bytes.len() - 1, |lane| &bytes[lane..]);
        let mut found = Quad::load_block(isa, &blocks, 1, at, reversed, in_halves).map(Quad::words);
        if reversed {
            found.iter_mut().for_each(|quad| quad.reverse());
        }
        let right: Vec<u32> = bytes[1 + at..][..64].as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
        assert_eq!(found.as_flattened(), right, "load_block at {at}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "SKIPPED: Miri lacks the instructions for SHA-1")]
fn the_sha_extensions_are_what_the_manual_says() {
    let Some(isa) = detected::<ShaNi>("sha-ni") else { return };
    println!("{} results compared", isa.run(ShaExtensions(operands())));
}

/// Words that all differ.
fn words<W: Word>(seed: u64) -> Vec<W> {
    let mut state = seed;
    (0..16).map(|_| W::low(random(&mut state))).collect()
}

/// Checks the moves of vectors of successive words, on random words.
fn check_successive<V: Successive>(isa: V::Isa, name: &str) {
    for seed in 0..100 {
        let (a, b): (Vec<V::Word>, Vec<V::Word>) = (words(2 * seed), words(2 * seed + 1));
        let (x, y) = (V::read(isa, &a), V::read(isa, &b));
        let check = |operation: &str, found: V, right: &dyn Fn(usize) -> V::Word| {
            let mut words = [V::Word::default(); 8];
            found.write(&mut words);
            for (i, word) in words[..V::LANES].iter().enumerate() {
                assert_eq!(*word, right(i), "{name}: {operation}, word {i}");
            }
        };
        let zero = V::Word::default();
        check("constants", V::constants(isa, &a), &|i| a[i]);
        check("shift_in", x.shift_in(y), &|i| if i + 1 < V::LANES { a[i + 1] } else { b[0] });
        check("shift_in_two", x.shift_in_two(y), &|i| if i + 2 < V::LANES { a[i + 2] } else { b[i + 2 - V::LANES] });
        check("last_two_first", x.last_two_first(), &|i| if i < 2 { a[V::LANES - 2 + i] } else { zero });
        check("first_two_last", x.first_two_last(), &|i| if i + 2 < V::LANES { zero } else { a[i + 2 - V::LANES] });
        check("splat_stored", V::splat_stored(isa, a[0]), &|_| a[0]);
        check("splat_word", V::splat_word(isa, a[0]), &|_| a[0]);
        assert_eq!(x.first(), a[0], "{name}: first");
    }
}

/// Checks that every lane's pair is at its place, and that fours are read in their order.
fn check_pairs<V: Pairs>(isa: V::Isa, name: &str) {
    for seed in 0..100 {
        let (a, b): (Vec<u32>, Vec<u32>) = (words(2 * seed), words(2 * seed + 1));
        let mut pairs = vec![[0; 2]; V::LANES];
        V::write_pairs(V::read(isa, &a), V::read(isa, &b), &mut pairs);
        for lane in 0..V::LANES {
            assert_eq!(pairs[V::place(lane)], [a[lane], b[lane]], "{name}: the pair of lane {lane}");
        }
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_ne_bytes()).collect() };
            let (first, second) = (bytes(&a), bytes(&b));
            let mut found = [0; 8];
            V::read_fours(isa, order, &first, &second).write(&mut found);
            for (lane, word) in found[..V::LANES].iter().enumerate() {
                let four = if lane < 4 { &first } else { &second };
                assert_eq!(*word, <u32 as Word>::from_bytes(order, &four[lane % 4 * 4..]), "{name}: word {lane} of two fours, {order:?}");
            }
        }
    }
}

/// Checks that words are picked from where they are to be, and turned as far.
fn check_four_words<V: FourWords>(isa: V::Isa, name: &str) {
    for seed in 0..100 {
        let (a, random_places): (Vec<V::Word>, Vec<u64>) = (words(2 * seed), words(2 * seed + 1));
        let mut bytes = vec![0; 16 * size_of::<V::Word>()];
        for (i, word) in a.iter().enumerate() {
            word.write_bytes(ByteOrder::Little, i * size_of::<V::Word>(), &mut bytes);
        }
        let places: [V::Word; 8] = std::array::from_fn(|i| V::Word::low(random_places[i] % 16));
        let picked = V::pick(isa, V::load_sixteen(isa, &bytes), &places);
        let four = |vector: V| {
            let mut words = [V::Word::default(); 4];
            vector.write(&mut words);
            words
        };
        for (i, word) in picked.map(four).as_flattened().iter().enumerate() {
            assert_eq!(*word, a[(random_places[i] % 16) as usize], "{name}: pick, word {i}");
        }
        let all: [V::Word; 4] = std::array::from_fn(|i| a[i]);
        let x = V::constants(isa, &all);
        for (by, turned) in [x.turn::<1>(), x.turn::<2>(), x.turn::<3>()].into_iter().enumerate() {
            assert_eq!(four(turned), std::array::from_fn(|i| a[(i + by + 1) % 4]), "{name}: turn by {}", by + 1);
        }
    }
}

/// The moves of an instruction set.
struct Moves(&'static str);

impl Task<Sse2> for Moves {
    type Output = ();
    fn run(self, isa: Sse2) {
        check_successive::<<u32 as Word>::Vector<Sse2>>(isa, self.0);
        check_successive::<<u64 as Word>::Vector<Sse2>>(isa, self.0);
    }
}

impl Task<Avx512Quarter> for Moves {
    type Output = ();
    fn run(self, isa: Avx512Quarter) {
        check_successive::<<u32 as Word>::Vector<Avx512Quarter>>(isa, self.0);
        check_successive::<<u64 as Word>::Vector<Avx512Quarter>>(isa, self.0);
        check_pairs::<<u32 as Word>::Vector<Avx512Quarter>>(isa, self.0);
        check_four_words::<<u32 as Word>::Vector<Avx512Quarter>>(isa, self.0);
    }
}

impl Task<Avx512Half> for Moves {
    type Output = ();
    fn run(self, isa: Avx512Half) {
        check_pairs::<<u32 as Word>::Vector<Avx512Half>>(isa, self.0);
        check_four_words::<<u64 as Word>::Vector<Avx512Half>>(isa, self.0);
    }
}

#[test]
fn moves_of_words_are_what_their_names_say() {
    macro_rules! check { ($($Isa:ident = $name:literal)*) => { $(
        if let Some(isa) = detected::<$Isa>($name) {
            isa.run(Moves($name));
        }
    )* } }
    check!(Sse2 = "sse2" Avx512Quarter = "avx512-128" Avx512Half = "avx512-256");
}
