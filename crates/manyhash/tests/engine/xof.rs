//! Output of any length: NIST's vectors, and every length beside the reference.

use crate::support::backends::do_as_the_environment_says;
use crate::support::rsp;
use manyhash::xof::{self, Hasher, Shake128, Shake256, Xof};
use std::io::{Read, Write};

/// The reference: a message, and how many bytes.
type Reference = fn(&[u8], usize) -> Vec<u8>;

macro_rules! per_function {
    ($($test:ident)*) => { $(
        mod $test {
            #[test]
            fn shake128() {
                crate::support::backends::do_as_the_environment_says();
                super::$test::<super::Shake128>(reference::shake128);
            }
            #[test]
            fn shake256() {
                crate::support::backends::do_as_the_environment_says();
                super::$test::<super::Shake256>(reference::shake256);
            }
        }
    )* };
}

/// The records of a response file whose fields are `Msg` and `Output`, as bytes; and what stands before them.
fn records(name: &str, kind: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (file, text) = rsp::read(name, kind);
    let mut records = Vec::new();
    let (mut bits, mut message) = (None, Vec::new());
    for line in text.lines() {
        match line.split_once(" = ") {
            Some(("Len", length)) => bits = Some(length.parse::<usize>().expect("a length")),
            Some(("Msg", hexadecimal)) => {
                message = bytes(hexadecimal);
                message.truncate(bits.map_or(message.len(), |bits| bits / 8));
            }
            Some(("Output", hexadecimal)) => records.push((message.clone(), bytes(hexadecimal))),
            _ => {}
        }
    }
    assert!(records.len() >= 100, "{file}: {} records", records.len());
    records
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> = hexadecimal.trim().chars().map(|digit| digit.to_digit(16).expect("a digit") as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Through `many`, all messages of one length of output together, and through `Hasher`.
fn vectors<X: Xof>(reference: Reference) {
    let mut found = 0;
    for kind in ["ShortMsg", "LongMsg", "VariableOut"] {
        let mut records = records(X::NAME, kind);
        records.sort_by_key(|(_, output)| output.len());
        for alike in records.chunk_by(|one, other| one.1.len() == other.1.len()) {
            let (messages, expected): (Vec<_>, Vec<_>) = alike.iter().cloned().unzip();
            let output = xof::many::<X>(&messages, expected[0].len());
            assert_eq!(output, expected.concat(), "{} {kind}, {} bytes", X::NAME, expected[0].len());
            for (message, expected) in messages.iter().zip(&expected) {
                assert_eq!(reference(message, expected.len()), *expected, "{} {kind}: the reference", X::NAME);
                let mut hasher = Hasher::<X>::new();
                message.chunks(77).for_each(|piece| hasher.update(piece));
                let mut output = vec![0; expected.len()];
                hasher.finalize().fill(&mut output);
                assert_eq!(output, *expected, "{} {kind}: Hasher", X::NAME);
            }
            found += messages.len();
        }
    }
    println!("{}: {found} vectors", X::NAME);
}

/// "The Secure Hash Algorithm-3 Validation System (SHA3VS)", 6.3.3: the last two bytes of an output say how long the next is.
fn monte_carlo<X: Xof>(_: Reference) {
    let (_, text) = rsp::read(X::NAME, "Monte");
    let number =
        |name: &str| text.split(name).nth(1).and_then(|rest| rest.split(']').next()?.trim().parse::<usize>().ok()).expect("a number");
    let (least, most) = (number("[Minimum Output Length (bits) =") / 8, number("[Maximum Output Length (bits) =") / 8);
    let field = |line: &str, name: &str| line.strip_prefix(name).map(bytes);
    let mut output = text.lines().find_map(|line| field(line, "Msg = ")).expect("a seed");
    let mut output_bytes = most;
    for (count, expected) in text.lines().filter_map(|line| field(line, "Output = ")).enumerate() {
        for _ in 0..1000 {
            output.resize(16, 0);
            output = xof::one::<X>(&output, output_bytes);
            let last: [u8; 2] = *output.last_chunk().expect("two bytes");
            output_bytes = least + usize::from(u16::from_be_bytes(last)) % (most - least + 1);
        }
        assert_eq!(output, expected, "{}: COUNT = {count}", X::NAME);
    }
}

/// Messages that end everywhere in three blocks, in batches of every size up to more than two kernels' lanes.
fn every_length<X: Xof>(reference: Reference) {
    let text: Vec<u8> = (0..3 * X::BLOCK_BYTES + 2).map(|i| (i * 37 % 251) as u8).collect();
    let rate = X::BLOCK_BYTES;
    for output_bytes in [1, 31, 32, 63, 64, 65, rate - 1, rate, rate + 1, 2 * rate, 2 * rate + 9, 1000] {
        for count in [1, 2, 3, 8, 13, 40, text.len()] {
            let messages: Vec<&[u8]> = (0..count).map(|i| &text[..i * 7 % text.len()]).collect();
            let expected: Vec<u8> = messages.iter().flat_map(|message| reference(message, output_bytes)).collect();
            assert!(xof::many::<X>(&messages, output_bytes) == expected, "{}: {count} messages, {output_bytes} bytes", X::NAME);
        }
    }
}

/// Output that is read in pieces is the output.
fn pieces<X: Xof>(reference: Reference) {
    let expected = reference(b"to be or not to be", 3000);
    for piece in [1, 2, 7, 8, 64, X::BLOCK_BYTES - 1, X::BLOCK_BYTES, X::BLOCK_BYTES + 1, 999] {
        let mut hasher = Hasher::<X>::default();
        hasher.write_all(b"something else").unwrap();
        hasher.reset();
        hasher.write_all(b"to be or not to be").unwrap();
        let mut reader = hasher.clone().finalize();
        let mut output = vec![0; 3000];
        for piece in output.chunks_mut(piece) {
            reader.read_exact(piece).unwrap();
        }
        assert_eq!(output, expected, "{} in pieces of {piece}", X::NAME);
    }
}
per_function!(vectors monte_carlo every_length pieces);

#[test]
fn output_has_a_length() {
    do_as_the_environment_says();
    assert!(xof::many::<Shake128>(&[""; 0], 32).is_empty());
    let refusal = std::panic::catch_unwind(|| xof::many::<Shake256>(&["a"], 0)).expect_err("refused");
    let text = refusal.downcast_ref::<String>().expect("a text");
    assert!(text.contains("output_bytes is 0") && text.contains("SHAKE256"), "{text}");
    let refusal = std::panic::catch_unwind(|| xof::many_into::<Shake128>(&["a", "b"], 32, &mut [0; 63])).expect_err("refused");
    let text = refusal.downcast_ref::<String>().expect("a text");
    assert!(text.contains("2 messages have outputs of 32 bytes, and there is room for 63 bytes"), "{text}");
}
