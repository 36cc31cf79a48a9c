//! A line of a bag's manifest (RFC 8493, section 2.1.3): `DIGEST NAME`, with any number of blanks
//! and tabs between. In NAME a line feed, a carriage return and a percent sign are written `%0A`,
//! `%0D` and `%25`. Any other percent sign stands for itself, as in older bags.
//!
//! The algorithm is in the manifest's own name: `manifest-sha256.txt`, `tagmanifest-sha256.txt`.

use super::line::{Entry, Line};
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;

/// Returns the algorithm in `file_name`, if that is the name of a bag's manifest.
pub(crate) fn algorithm_of(file_name: &str) -> Option<AnyAlgorithm> {
    let name = file_name.strip_prefix("tag").unwrap_or(file_name);
    AnyAlgorithm::by_name(name.strip_prefix("manifest-")?.strip_suffix(".txt")?)
}

pub(crate) fn parse(line: &[u8], algorithm: AnyAlgorithm) -> Line {
    split(line, algorithm).unwrap_or(Line::Malformed)
}

fn split(line: &[u8], algorithm: AnyAlgorithm) -> Option<Line> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let (digest, rest) = line.split_at(line.iter().position(is_blank)?);
    let (_, name) = rest.split_at(rest.iter().position(|byte| !is_blank(byte))?);
    // md5sum marks files read in binary mode so. No name of a payload begins with it.
    let name = decoded(name.strip_prefix(b"*").unwrap_or(name));
    Line::entry(Entry { algorithm, digest: hexadecimal::decode(digest)?, name }, None)
}

fn decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        let (meant, after) = match (byte, after) {
            (b'%', [b'0', b'a' | b'A', after @ ..]) => (b'\n', after),
            (b'%', [b'0', b'd' | b'D', after @ ..]) => (b'\r', after),
            (b'%', [b'2', b'5', after @ ..]) => (b'%', after),
            _ => (byte, after),
        };
        decoded.push(meant);
        rest = after;
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_characters_are_encoded_and_no_others() {
        assert_eq!(decoded(b"a%0Ab%0dc%25d%2525"), b"a\nb\rc%d%25");
        assert_eq!(decoded(b"100%, %41, %2, %"), b"100%, %41, %2, %");
    }

    #[test]
    fn any_number_of_blanks_separates() {
        let digest = "0F".repeat(32);
        for between in [" ", "  ", "\t", " \t  ", " *"] {
            let line = format!("{digest}{between}data/a b");
            let Line::Entry { entry, size_bytes: None } = parse(line.as_bytes(), AnyAlgorithm::Sha256) else { panic!("{line}") };
            assert_eq!(entry.name, b"data/a b");
        }
        for line in [digest.clone(), format!("{digest}  "), format!("{digest}00 a"), format!(" {digest} a"), "g a".to_string()] {
            assert!(matches!(parse(line.as_bytes(), AnyAlgorithm::Sha256), Line::Malformed), "{line}");
        }
    }

    #[test]
    fn names_tell_the_algorithm() {
        assert_eq!(algorithm_of("manifest-sha256.txt"), Some(AnyAlgorithm::Sha256));
        assert_eq!(algorithm_of("tagmanifest-SHA512.txt"), Some(AnyAlgorithm::Sha512));
        for other in ["manifest.txt", "manifest-sha256", "manifest-crc.txt", "sha256.txt", "mymanifest-sha256.txt"] {
            assert_eq!(algorithm_of(other), None, "{other}");
        }
    }
}
