//! The finalists in lanes give the digests of their linear code, by other people's crates. The crate itself is not built for tests: it takes
//! the compiler minutes.

use manyhash_finalists::function::Function;
use manyhash_measure::Random;

fn random(bytes: usize) -> Vec<u8> {
    let mut message = vec![0; bytes];
    Random::new(bytes as u64).fill(&mut message);
    message
}

fn by_linear(function: &Function, message: &[u8]) -> Vec<u8> {
    let mut digest = Vec::new();
    (function.linear)(message, &mut digest);
    digest
}

/// By `linear`, which is not this project's, and by every lane of every kernel.
#[test]
fn known_digests_come_out() {
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = hex.trim_matches('-').as_bytes().chunks(2);
        digits.map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()).collect()
    };
    let (functions, mut checked) = (Function::all(), 0);
    for line in include_str!("../../../vectors/finalists.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, message, expected] = line.split(' ').collect::<Vec<_>>().try_into().expect("three words");
        let (message, expected) = (bytes(message), bytes(expected));
        let function = functions.iter().find(|function| function.name == name).expect(name);
        assert_eq!(by_linear(function, &message), expected, "{name}");
        for kernel in &function.kernels {
            let mut digests = Vec::new();
            kernel.hash_many(&vec![message.as_slice(); kernel.lanes], &mut digests);
            assert_eq!(digests, expected.repeat(kernel.lanes), "{name} {}", kernel.backend);
        }
        checked += 1;
    }
    assert_eq!(checked, 17);
}

/// Checks all lengths around the edges of three blocks, with messages of equal length that all
/// differ, and with ragged ones.
fn check_lengths(function: &Function) {
    let messages: Vec<Vec<u8>> = (0..3 * 136 + 2).map(random).collect();
    let expected: Vec<Vec<u8>> = messages.iter().map(|message| by_linear(function, message)).collect();
    for kernel in &function.kernels {
        let ragged: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut digests = Vec::new();
        kernel.hash_many(&ragged, &mut digests);
        assert!(digests == expected.concat(), "{}: neighbours in length", kernel.backend);
        // Long messages are beside short ones.
        let order: Vec<usize> = (0..messages.len()).map(|i| i * 61 % messages.len()).collect();
        let shuffled: Vec<&[u8]> = order.iter().map(|i| messages[*i].as_slice()).collect();
        digests.clear();
        kernel.hash_many(&shuffled, &mut digests);
        let expected: Vec<u8> = order.iter().flat_map(|i| expected[*i].clone()).collect();
        assert!(digests == expected, "{}: long beside short", kernel.backend);
    }
}

#[test]
fn every_length_around_the_edges_of_blocks_is_hashed_beside_any_other() {
    Function::all().iter().for_each(check_lengths);
}

/// Checks dealing out by its definition: word i goes to slice i modulo the number of slices.
fn check_dealt(function: &Function) {
    for kernel in &function.kernels {
        let row_bytes = kernel.lanes * function.word_bytes;
        let near = |bytes: usize| bytes.saturating_sub(2)..bytes + 3;
        let block = kernel.lanes * function.block_bytes;
        let edges = [0, row_bytes, block / 2, block - 2 * row_bytes, block - row_bytes, block, 2 * block - row_bytes, 3 * block];
        for bytes in edges.into_iter().flat_map(near) {
            let message = random(bytes);
            let mut slices = vec![Vec::new(); kernel.lanes];
            for (i, word) in message.chunks(function.word_bytes).enumerate() {
                slices[i % kernel.lanes].extend_from_slice(word);
            }
            let expected: Vec<u8> = slices.iter().flat_map(|slice| by_linear(function, slice)).collect();
            let mut digests = Vec::new();
            kernel.hash_dealt(&message, &mut digests);
            assert!(digests == expected, "{} {bytes} bytes", kernel.backend);
        }
    }
}

#[test]
fn a_message_that_is_dealt_out_has_the_digests_of_its_slices() {
    Function::all().iter().for_each(check_dealt);
}
