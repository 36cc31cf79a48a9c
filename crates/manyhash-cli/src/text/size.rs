//! Sizes as users type them: `4096`, `16K`, `2G`.

/// Returns the bytes that `text` stands for: a number, and optionally `K`, `M`, `G` or `T` (also
/// `KiB`, in either case) for 1024, 1024², and so on.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KIB" => 10,
        "M" | "MIB" => 20,
        "G" | "GIB" => 30,
        "T" | "TIB" => 40,
        _ => return Err("a size is a number of bytes, or one with K, M, G or T behind it, as 16K".to_string()),
    };
    let number: u64 = match number.parse() {
        Ok(number) => number,
        Err(_) if number.is_empty() => return Err("a size begins with a number".to_string()),
        Err(_) => return Err("more bytes than any file can have".to_string()),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "more bytes than any file can have".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        for (text, bytes) in [("0", 0), ("4096", 4096), ("16K", 16 << 10), ("3kib", 3 << 10), ("1M", 1 << 20), ("2g", 2 << 30), ("7B", 7)] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "K", "-1", "1.5K", "1 K", "1KB", "1X", "18446744073709551616", "17179869184G", " 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
