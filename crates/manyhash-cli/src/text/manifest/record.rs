//! A line of a Python wheel's RECORD. It is CSV of a path, `ALGORITHM=DIGEST` with DIGEST in
//! URL-safe Base64 without padding, and a size. Hash and size are empty for files that cannot have
//! them, RECORD itself above all.

use super::line::{Entry, Line, split_once};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use manyhash::AnyAlgorithm;

pub(crate) fn parse(line: &[u8]) -> Line {
    parse_fields(line).unwrap_or(Line::Malformed)
}

fn parse_fields(line: &[u8]) -> Option<Line> {
    let (name, rest) = field(line)?;
    let (hash, rest) = field(rest?)?;
    let (size, None) = field(rest?)? else { return None };
    if hash.is_empty() {
        return Line::without_digest(name);
    }
    let (algorithm, digest) = split_once(&hash, b'=')?;
    let algorithm = AnyAlgorithm::by_name(str::from_utf8(algorithm).ok()?)?;
    let digest = base64_decoded(digest)?;
    let size_bytes = if size.is_empty() { None } else { Some(str::from_utf8(&size).ok()?.parse().ok()?) };
    Line::entry(Entry { algorithm, digest, name }, size_bytes)
}

/// Returns the first field of `line`, and the text behind its comma, if there is one.
fn field(line: &[u8]) -> Option<(Vec<u8>, Option<&[u8]>)> {
    let Some(mut rest) = line.strip_prefix(b"\"") else {
        let (text, rest) = split_once(line, b',').map_or((line, None), |(text, rest)| (text, Some(rest)));
        return Some((text.to_vec(), rest));
    };
    let mut text = Vec::new();
    loop {
        let (quoted, after) = split_once(rest, b'"')?;
        text.extend(quoted);
        match after.split_first() {
            None => return Some((text, None)),
            Some((b',', after)) => return Some((text, Some(after))),
            // Two quotes stand for one.
            Some((b'"', after)) => {
                text.push(b'"');
                rest = after;
            }
            Some(_) => return None,
        }
    }
}

fn base64_decoded(text: &[u8]) -> Option<Box<[u8]>> {
    URL_SAFE_NO_PAD.decode(text).ok().map(Vec::into_boxed_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

    #[test]
    fn a_line_has_path_hash_and_size() {
        for (line, name, size) in [
            (format!("a/b.py,sha256={ABC},3"), &b"a/b.py"[..], Some(3)),
            (format!("\"a,\"\"b\"\"\",SHA256={ABC},"), b"a,\"b\"", None),
            (format!("#a,\"sha-256={ABC}\",\"3\""), b"#a", Some(3)),
        ] {
            let Line::Entry { entry, size_bytes } = parse(line.as_bytes()) else { panic!("{line}") };
            assert_eq!((entry.name.as_slice(), size_bytes), (name, size));
            assert_eq!(const_hex::encode(&entry.digest)[..8], *"ba7816bf");
        }
        assert!(matches!(parse(b"x.dist-info/RECORD,,"), Line::Unhashed(name) if name == b"x.dist-info/RECORD"));
    }

    #[test]
    fn what_is_no_such_line_is_malformed() {
        for line in [
            format!("a,sha256={ABC}"),
            format!("a,sha256={ABC},3,"),
            format!("a,sha256={ABC}=,3"),
            format!("a,sha256={ABC},x"),
            format!("a,sha512={ABC},3"),
            format!("\"a,sha256={ABC},3"),
            format!("\"a\"b,sha256={ABC},3"),
            format!(",sha256={ABC},3"),
            ",,".to_string(),
            "a".to_string(),
        ] {
            assert!(matches!(parse(line.as_bytes()), Line::Malformed), "{line}");
        }
    }

    #[test]
    fn base64_has_one_spelling() {
        assert_eq!(base64_decoded(b"").as_deref(), Some(&b""[..]));
        assert_eq!(base64_decoded(b"_-8").as_deref(), Some(&[0xff, 0xef][..]));
        for text in ["A", "AB", "_-9", "AA+A", "AA=="] {
            assert_eq!(base64_decoded(text.as_bytes()), None, "{text}");
        }
    }
}
