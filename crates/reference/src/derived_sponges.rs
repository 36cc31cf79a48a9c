//! What is made of Keccak beside FIPS 202: cSHAKE and KMAC (NIST SP 800-185, December 2016), TurboSHAKE and KangarooTwelve (RFC 9861,
//! October 2025). Strengths are 128 and 256 bits.

use crate::sha3::sponge;

/// Bytes of a block.
fn rate_bytes(strength: usize) -> usize {
    200 - strength / 4
}

/// A number with the number of its bytes before it (SP 800-185, 2.3.1).
fn left_encode(number: usize) -> Vec<u8> {
    let bytes = significant(number, 1);
    [vec![bytes.len() as u8], bytes].concat()
}

/// A number with the number of its bytes after it (SP 800-185, 2.3.1).
fn right_encode(number: usize) -> Vec<u8> {
    let bytes = significant(number, 1);
    [bytes.clone(), vec![bytes.len() as u8]].concat()
}

/// The bytes of a number without zeros before them, but at least `least` bytes.
fn significant(number: usize, least: usize) -> Vec<u8> {
    let zeros = (number.leading_zeros() / 8) as usize;
    number.to_be_bytes()[zeros.min(size_of::<usize>() - least)..].to_vec()
}

/// SP 800-185, 2.3.2.
fn encode_string(string: &[u8]) -> Vec<u8> {
    [left_encode(8 * string.len()), string.to_vec()].concat()
}

/// SP 800-185, 2.3.3.
fn bytepad(bytes: &[u8], width: usize) -> Vec<u8> {
    let mut padded = [left_encode(width), bytes.to_vec()].concat();
    padded.resize(padded.len().next_multiple_of(width), 0);
    padded
}

/// cSHAKE (SP 800-185, 3.3) with a function name and a customization string.
pub fn cshake(strength: usize, message: &[u8], output_bytes: usize, name: &[u8], customization: &[u8]) -> Vec<u8> {
    let rate = rate_bytes(strength);
    if name.is_empty() && customization.is_empty() {
        return sponge(24, message, 0b11111, rate, output_bytes);
    }
    let before = bytepad(&[encode_string(name), encode_string(customization)].concat(), rate);
    sponge(24, &[&before, message].concat(), 0b100, rate, output_bytes)
}

/// KMAC (SP 800-185, 4.3), or KMACXOF (4.3.1), where the tag does not depend on the number of its bytes.
pub fn kmac(strength: usize, key: &[u8], message: &[u8], output_bytes: usize, customization: &[u8], is_xof: bool) -> Vec<u8> {
    let before = bytepad(&encode_string(key), rate_bytes(strength));
    let after = right_encode(if is_xof { 0 } else { 8 * output_bytes });
    cshake(strength, &[&before, message, &after].concat(), output_bytes, b"KMAC", customization)
}

/// TurboSHAKE with the domain separation byte D (RFC 9861, 2.2).
pub fn turbo_shake(strength: usize, message: &[u8], domain: u8, output_bytes: usize) -> Vec<u8> {
    sponge(12, message, domain, rate_bytes(strength), output_bytes)
}

/// KT128 and KT256 (RFC 9861, 3.2 and 3.3).
pub fn kangaroo_twelve(strength: usize, message: &[u8], customization: &[u8], output_bytes: usize) -> Vec<u8> {
    let length_encode = |number: usize| {
        let bytes = significant(number, 0);
        [bytes.clone(), vec![bytes.len() as u8]].concat()
    };
    let all = [message, customization, &length_encode(customization.len())].concat();
    let chunks: Vec<&[u8]> = all.chunks(8192).collect();
    if chunks.len() == 1 {
        return turbo_shake(strength, &all, 0x07, output_bytes);
    }
    let mut last = [chunks[0], &[3, 0, 0, 0, 0, 0, 0, 0]].concat();
    for chunk in &chunks[1..] {
        last.extend(turbo_shake(strength, chunk, 0x0B, strength / 4));
    }
    last.extend(length_encode(chunks.len() - 1));
    last.extend([0xFF, 0xFF]);
    turbo_shake(strength, &last, 0x06, output_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    /// SP 800-185, 2.3.1: "the bit string 10000000 00000000" as bytes, bits counted from the lowest.
    #[test]
    fn zero_has_a_byte() {
        assert_eq!((left_encode(0), right_encode(0)), (vec![1, 0], vec![0, 1]));
        assert_eq!((left_encode(0x1234), right_encode(0x1234)), (vec![2, 0x12, 0x34], vec![0x12, 0x34, 2]));
    }

    /// NIST's first example of cSHAKE ("cSHAKE_samples.pdf").
    #[test]
    fn the_example_of_nist() {
        assert_eq!(
            hex(&cshake(128, &[0, 1, 2, 3], 32, b"", b"Email Signature")),
            "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5"
        );
    }
}
