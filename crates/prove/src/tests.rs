//! Proofs of the kernels as this profile compiles them, and faults in them. `make prove` proves those
//! of the release profile, all of them.

use crate::faults::find;
use crate::memory::Image;
use crate::proof::{Verdict, execute, prove, results};
use crate::words::{Word, added, bytes_of, rotated, set_bits, shifted, words_of};
use manyhash::hazmat::{Call, Form};

/// The calls whose faults are looked for, and how many faults of each kind.
const CALLS: [(&str, &str, Form, usize); 3] =
    [("sha256", "sha-ni", Form::One, 6), ("sha256", "avx2", Form::Blocks, 2), ("sha256", "avx512-lean", Form::Blocks, 1)];

#[test]
fn kernels_are_proved_and_faults_in_them_found() {
    let image = Image::of_this_process().expect("Linux");
    let calls: Vec<Call> = Call::all().into_iter().flatten().collect();
    for (compression, kernel, form, faults) in CALLS {
        let is_it = |call: &&Call| (call.layout.compression, call.layout.kernel, call.layout.form) == (compression, kernel, form);
        let Some(Call { layout, .. }) = calls.iter().find(is_it) else {
            println!("SKIPPED: {compression}/{kernel}: this CPU lacks it");
            continue;
        };
        let attempt = prove(&image, layout, &[]);
        assert_eq!(attempt.verdict, Verdict::Proved, "{compression}/{kernel}");
        let found = find(&image, layout, &attempt, faults);
        let (executed, took, all) = (attempt.executed, attempt.took, found.found + found.missed.len());
        println!("{compression}/{kernel}: {executed} instructions proved in {took:?}; {} of {all} faults found", found.found);
        assert!(found.missed.is_empty(), "{compression}/{kernel}: {:#?}", found.missed);
        assert!(found.found > 2 * faults, "{compression}/{kernel}: faults are made");
    }
}

/// The machine knows instructions from their descriptions. Here the CPU is asked: on numbers, both
/// must compute the same.
#[test]
fn the_machine_computes_what_the_cpu_does() {
    let image = Image::of_this_process().expect("Linux");
    let (mut agreed, mut unknown) = (0, Vec::new());
    for mut call in Call::all().into_iter().flatten() {
        let name = format!("{}/{} {:?}", call.layout.compression, call.layout.kernel, call.layout.form);
        match execute(&image, &call.layout) {
            Ok(by_machine) => {
                call.run();
                assert_eq!(by_machine, results(&image, &call.layout).expect("its memory"), "{name}");
                agreed += 1;
            }
            Err(stop) => unknown.push(format!("{name}: {stop}")),
        }
    }
    println!("{agreed} calls agree");
    if cfg!(debug_assertions) {
        // The standard library's checks that stores do not overlap are made in vectors there, in elements
        // of which some are anything. `make prove` follows these calls in the release profile.
        let before = unknown.len();
        let is_followed = |call: &String| {
            ![Form::Refilled, Form::Chained, Form::ChainedPlainly, Form::ChainedLong].iter().any(|form| call.contains(&format!("{form:?}")))
        };
        unknown.retain(is_followed);
        println!("{} calls of lanes that go on, and of chains, are not followed in this profile", before - unknown.len());
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn parts_of_words_come_together_again() {
    for bits in [32, 64] {
        set_bits(bits);
        let words: Vec<Word> = (0..16).map(|_| Word::any()).collect();
        let mut bytes = bytes_of(&words);
        bytes.reverse();
        let mut reversed = bytes_of(&words_of(&bytes));
        reversed.reverse();
        assert_eq!(words_of(&reversed), words, "bytes that are reversed twice, of words of {bits} bits");
        for element in [16, 32, 64] {
            let by = |i: usize| i as u64 % 13 + 1;
            let back = |i: usize| u64::from(element) - by(i);
            assert_eq!(rotated(&rotated(&words, element, by), element, back), words, "{element} bits of words of {bits}");
            let (left, right) = (shifted(&words, element, by, true), shifted(&words, element, back, false));
            let rotation: Vec<Word> = left.iter().zip(&right).map(|(left, right)| left.or(*right)).collect();
            assert_eq!(rotation, rotated(&words, element, back), "{element} bits of words of {bits}");
        }
        let other: Vec<Word> = (0..16).map(|_| Word::any()).collect();
        assert_eq!(added(&added(&words, &other, bits, false), &other, bits, true), words, "a sum less what was added");
    }
}

/// Compilers flip the top bit of a sum, or add it, and go on with either.
#[test]
fn a_top_bit_is_added_or_flipped() {
    for bits in [32, 64] {
        set_bits(bits);
        let [one, other, more] = [0; 3].map(|_| Word::any().term());
        let top = terms::constant(bits, 1 << (bits - 1));
        let add = |one, other| terms::add(bits, one, other);
        let xor = |one, other| terms::xor(bits, one, other);
        let sum = add(one, add(other, top));
        assert_eq!(add(xor(one, top), other), sum);
        assert_eq!(add(one, xor(other, top)), sum);
        assert_eq!(add(xor(add(one, more), top), other), add(sum, more));
        assert_eq!(add(xor(xor(one, more), top), other), add(add(xor(one, more), other), top));
        assert_eq!(add(add(xor(one, other), top), more), add(xor(one, xor(other, top)), more));
        assert_eq!(add(one, top), xor(one, top));
        assert_eq!(add(xor(one, top), top), one);
    }
}
