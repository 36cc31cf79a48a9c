//! What may reach a terminal. No name may move its cursor, hide text or turn its order around.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Whether `character` is visible and changes nothing around it.
pub(crate) fn is_printable(character: char) -> bool {
    !character.is_control() && !is_format(character)
}

/// Unicode's invisible characters: separators of lines, marks and overrides of direction, joiners,
/// tags and the like (its category Cf, except for the few that are visible).
fn is_format(character: char) -> bool {
    matches!(
        u32::from(character),
        0xad | 0x61c
            | 0x180e
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0xfeff
            | 0xfff9..=0xfffb
            | 0x1_bca0..=0x1_bca3
            | 0x1_d173..=0x1_d17a
            | 0xe_0000..=0xe_007f
    )
}

/// Whether the name of the locale says that characters are UTF-8.
pub(crate) fn locale_is_utf8() -> bool {
    static UTF8: OnceLock<bool> = OnceLock::new();
    *UTF8.get_or_init(|| {
        ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
            .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"))
    })
}

/// Returns `text` as it may reach a terminal. A character that does not print becomes `\u001b`, as
/// in JSON, and a byte that is no character becomes `\xff`. Line ends (LF or NUL) stay, and so do
/// tabs, which reports have.
pub(crate) fn for_terminal(text: &[u8]) -> Cow<'_, [u8]> {
    for_terminal_in(text, locale_is_utf8())
}

fn for_terminal_in(text: &[u8], utf8: bool) -> Cow<'_, [u8]> {
    let stays = |character: char| matches!(character, '\n' | '\t' | '\0') || (is_printable(character) && (utf8 || character.is_ascii()));
    if str::from_utf8(text).is_ok_and(|text| text.chars().all(stays)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if stays(character) {
                shown.push(character);
                continue;
            }
            for unit in character.encode_utf16(&mut [0; 2]) {
                shown += &format!("\\u{unit:04x}");
            }
        }
        for byte in chunk.invalid() {
            shown += &format!("\\x{byte:02x}");
        }
    }
    Cow::Owned(shown.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_reaches_a_terminal() {
        for (text, expected) in [
            (&b"a b\\\n\0"[..], "a b\\\n\0"),
            (b"a\x1b[2K\r\t\x7f", "a\\u001b[2K\\u000d\t\\u007f"),
            ("é\u{9b}\u{202e}\u{feff}\u{e0001}😀".as_bytes(), "é\\u009b\\u202e\\ufeff\\udb40\\udc01😀"),
            (b"\xff\xc3", "\\xff\\xc3"),
        ] {
            assert_eq!(for_terminal_in(text, true), expected.as_bytes());
        }
        assert_eq!(for_terminal_in("é".as_bytes(), false), &b"\\u00e9"[..]);
        assert_eq!(for_terminal_in(b"", true), &b""[..]);
    }
}
