//! Digests as hexadecimal digits.

/// Appends `bytes` to `line` in lower case.
pub fn encode(bytes: &[u8], line: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        line.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

/// `bytes` in lower case.
pub fn encoded(bytes: &[u8]) -> String {
    let mut line = Vec::with_capacity(2 * bytes.len());
    encode(bytes, &mut line);
    line.into_iter().map(char::from).collect()
}

/// The bytes that `digits`, in either case, stand for.
pub fn decode(digits: &[u8]) -> Option<Box<[u8]>> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_back_as_bytes() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encoded(&all).as_bytes()).as_deref(), Some(&all[..]));
        assert_eq!(decode(b"0aF").as_deref(), None);
        assert_eq!(decode(b"0aFf").as_deref(), Some(&[0x0a, 0xff][..]));
        assert_eq!(decode(b"0g"), None);
    }
}
