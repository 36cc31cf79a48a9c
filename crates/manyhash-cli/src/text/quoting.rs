//! Names in messages, quoted as GNU tools do, so that no name can upset a terminal.

use super::printable::{is_printable, locale_is_utf8};

/// Returns `name` as a shell accepts it: unchanged if it is plain, otherwise in quotes, with
/// `$'\n'` and such for what does not print.
///
/// The rules are those of GNU's shell-escape quoting, where a colon is not plain, because it ends
/// the name in a message. Here, characters that turn the direction of writing around, or that are
/// invisible, do not print either.
pub(crate) fn quoted(name: &[u8]) -> Vec<u8> {
    quoted_in(name, locale_is_utf8())
}

fn quoted_in(name: &[u8], utf8: bool) -> Vec<u8> {
    let pieces = pieces(name, utf8);
    let is_plain = |(index, piece): (usize, &Piece)| match *piece {
        Piece::Byte(b'#' | b'~') => index > 0,
        Piece::Byte(b'{' | b'}') => name.len() > 1,
        Piece::Byte(byte) => !b" !\"$&'()*:;<=>?[\\^`|".contains(&byte),
        Piece::Character(_) => true,
        Piece::Unprintable(_) => false,
    };
    if !name.is_empty() && pieces.iter().enumerate().all(is_plain) {
        return name.to_vec();
    }
    // Double quotes read better around a single quote, where nothing needs more than that.
    let in_double_quotes = |(index, piece): (usize, &Piece)| match *piece {
        Piece::Byte(b'#' | b'~') => index == 0,
        Piece::Byte(byte) => byte.is_ascii_alphanumeric() || b" %'+,-./:]_@".contains(&byte),
        Piece::Character(_) => true,
        Piece::Unprintable(_) => false,
    };
    if name.contains(&b'\'') && pieces.iter().enumerate().all(in_double_quotes) {
        return [b"\"", name, b"\""].concat();
    }
    let mut text = vec![b'\''];
    let mut in_escapes = false;
    for piece in pieces {
        match piece {
            Piece::Unprintable(byte) => {
                if !in_escapes {
                    text.extend(b"'$'");
                }
                text.extend(escape(byte));
            }
            Piece::Byte(b'\'') => text.extend(b"'\\''"),
            Piece::Byte(_) | Piece::Character(_) if in_escapes => {
                text.extend(b"''");
                piece.push_to(&mut text);
            }
            Piece::Byte(_) | Piece::Character(_) => piece.push_to(&mut text),
        }
        in_escapes = matches!(piece, Piece::Unprintable(_));
    }
    text.push(b'\'');
    text
}

#[derive(Clone, Copy)]
enum Piece {
    Byte(u8),
    Character(char),
    /// A byte that must not reach the terminal.
    Unprintable(u8),
}

impl Piece {
    fn push_to(self, text: &mut Vec<u8>) {
        match self {
            Self::Byte(byte) | Self::Unprintable(byte) => text.push(byte),
            Self::Character(character) => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

fn pieces(name: &[u8], utf8: bool) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => pieces.push(Piece::Byte(byte)),
                _ if utf8 && !character.is_ascii() && is_printable(character) => pieces.push(Piece::Character(character)),
                _ => pieces.extend(character.encode_utf8(&mut [0; 4]).bytes().map(Piece::Unprintable)),
            }
        }
        pieces.extend(chunk.invalid().iter().copied().map(Piece::Unprintable));
    }
    pieces
}

fn escape(byte: u8) -> Vec<u8> {
    let letter = match byte {
        7 => 'a',
        8 => 'b',
        9 => 't',
        10 => 'n',
        11 => 'v',
        12 => 'f',
        13 => 'r',
        _ => return format!("\\{byte:03o}").into_bytes(),
    };
    format!("\\{letter}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_appear_where_a_shell_needs_them() {
        for (name, expected) in [
            (&b"plain-name_1.txt"[..], &b"plain-name_1.txt"[..]),
            (b"", b"''"),
            (b"a b", b"'a b'"),
            (b"a'b", b"\"a'b\""),
            (b"a\"'", b"'a\"'\\'''"),
            (b"a'\nb", b"'a'\\'''$'\\n''b'"),
            (b"\xff", b"''$'\\377'"),
            ("é".as_bytes(), "é".as_bytes()),
            (b"a#~{", b"a#~{"),
            (b"#a", b"'#a'"),
            (b"{", b"'{'"),
            (b"a:b", b"'a:b'"),
        ] {
            assert_eq!(quoted_in(name, true).escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
        assert_eq!(quoted_in("\u{2028}".as_bytes(), true), b"''$'\\342\\200\\250'");
        assert_eq!(quoted_in("a\u{202e}b".as_bytes(), true), b"'a'$'\\342\\200\\256''b'");
        assert_eq!(quoted_in("\u{9b}".as_bytes(), true), b"''$'\\302\\233'");
        assert_eq!(quoted_in("é".as_bytes(), false), b"''$'\\303\\251'");
    }
}
