//! Escapes of file names in manifests, as in GNU coreutils: `\\`, `\n` and `\r` stand for
//! backslash, newline and carriage return in lines that begin with a backslash.

pub(crate) fn needs_escape(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

pub(crate) fn escape(name: &[u8], line: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => line.extend(b"\\\\"),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            _ => line.push(byte),
        }
    }
}

/// Returns the name that `escaped` stands for, or `None` if it has an unknown escape or a NUL.
pub(crate) fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            0 => return None,
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_comes_back() {
        for name in [&b""[..], b"a", b"\\", b"a\\nb", b"\n\r\\", b"\xff\\\xfe"] {
            let mut line = Vec::new();
            escape(name, &mut line);
            assert_eq!(unescape(&line).as_deref(), Some(name));
            assert_eq!(line != name, needs_escape(name));
        }
    }

    #[test]
    fn unknown_escapes_are_refused() {
        for escaped in [&b"\\"[..], b"\\t", b"a\\", b"\\\\\\", b"a\0"] {
            assert_eq!(unescape(escaped), None);
        }
    }
}
