//! Sizes as users type them: `4096`, `16K`, `2GB`.

/// What units are, below the options of commands that take sizes.
macro_rules! help {
    () => {
        "Sizes:
  A number of bytes, or one with a unit: 5M and 5MiB are 5 x 1024 x 1024, 5MB is 5 x 1000 x 1000, as
  in GNU's tools. Units are K, M, G and T, in either case. What is printed is in units of 1000."
    };
}
pub(crate) use help;

/// Returns the bytes that `text` stands for: a number, and optionally a unit in either case: `K` or
/// `KiB`, `M` or `MiB` and so on for 1024, 1024² and so on, `KB`, `MB` and so on for 1000, 1000².
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit_bytes = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KIB" => 1 << 10,
        "M" | "MIB" => 1 << 20,
        "G" | "GIB" => 1 << 30,
        "T" | "TIB" => 1 << 40,
        "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return Err("a size is a number of bytes, or one with a unit, as 16K, 16KiB or 16KB".to_string()),
    };
    let number: u64 = match number.parse() {
        Ok(number) => number,
        Err(_) if number.is_empty() => return Err("a size begins with a number".to_string()),
        Err(_) => return Err("more bytes than any file can have".to_string()),
    };
    number.checked_mul(unit_bytes).ok_or_else(|| "more bytes than any file can have".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024_or_of_1000() {
        for (text, bytes) in [("0", 0), ("4096", 4096), ("16K", 16 << 10), ("3kib", 3 << 10), ("1M", 1 << 20), ("2g", 2 << 30), ("7B", 7)] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for (text, bytes) in
            [("5MB", 5_000_000), ("5mb", 5_000_000), ("5MiB", 5 << 20), ("5m", 5 << 20), ("1kB", 1000), ("2TB", 2_000_000_000_000)]
        {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "K", "-1", "1.5K", "1 K", "1KBB", "1iB", "1X", "18446744073709551616", "17179869184G", " 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
