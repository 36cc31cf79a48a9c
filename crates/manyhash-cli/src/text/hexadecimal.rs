//! Hexadecimal digits.

/// Returns the bytes that hexadecimal `digits` of either case stand for, or `None` if they are
/// malformed. The library alone would also accept `0x` before them.
pub(crate) fn decode(digits: &[u8]) -> Option<Box<[u8]>> {
    const_hex::check_raw(digits).then(|| const_hex::decode(digits).ok())?.map(Vec::into_boxed_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_back_as_bytes() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(const_hex::encode(&all).as_bytes()).as_deref(), Some(&all[..]));
        assert_eq!(decode(b"").as_deref(), Some(&[][..]));
        assert_eq!(decode(b"0aFf").as_deref(), Some(&[0x0a, 0xff][..]));
        for wrong in ["0aF", "0g", "0x00", "0X00", "+1", " 0", "\u{e9}"] {
            assert_eq!(decode(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
