//! A list of hashdeep: a header, comments, and lines of a size, digests and a name.
//!
//! ```text
//! %%%% HASHDEEP-1.0
//! %%%% size,md5,sha256,filename
//! ## Invoked from: /home
//! 3,DIGEST,DIGEST,NAME
//! ```
//!
//! The name is all behind the last column's comma, commas included.

use super::line::{Entry, Line, split_once};
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;

/// Whether `line` begins such a list.
pub(super) fn is_header(line: &[u8]) -> bool {
    line == b"%%%% HASHDEEP-1.0"
}

/// The columns of digests, in order; nothing for one of an algorithm that is not known here.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<Option<AnyAlgorithm>>);

impl Columns {
    /// Takes the columns from a line of the header that names them.
    fn of(line: &[u8]) -> Option<Self> {
        let columns = str::from_utf8(line).ok()?.strip_prefix("%%%% size,")?.strip_suffix(",filename")?;
        Some(Self(columns.split(',').map(AnyAlgorithm::by_name).collect()))
    }
}

/// Returns the meanings of a line: one for each digest that is known. With an algorithm `wanted`,
/// digests of others do not count.
pub(super) fn parse(line: &[u8], columns: &mut Columns, wanted: Option<AnyAlgorithm>) -> Vec<Line> {
    if is_header(line) {
        return vec![Line::Comment];
    }
    if line.starts_with(b"%%%%") {
        let Some(found) = Columns::of(line) else { return vec![Line::Malformed] };
        *columns = found;
        return vec![Line::Comment];
    }
    match split(line, columns, wanted) {
        Some(lines) if !lines.is_empty() => lines,
        _ => vec![Line::Malformed],
    }
}

fn split(line: &[u8], columns: &Columns, wanted: Option<AnyAlgorithm>) -> Option<Vec<Line>> {
    let (size, mut rest) = split_once(line, b',')?;
    let size_bytes = str::from_utf8(size).ok().filter(|size| size.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let mut digests = Vec::with_capacity(columns.0.len());
    for algorithm in &columns.0 {
        let (digest, after) = split_once(rest, b',')?;
        let digest = hexadecimal::decode(digest)?;
        rest = after;
        if let Some(algorithm) = algorithm.filter(|algorithm| wanted.is_none_or(|wanted| wanted == *algorithm)) {
            digests.push((algorithm, digest));
        }
    }
    let entry = |(algorithm, digest)| Line::entry(Entry { algorithm, digest, name: rest.to_vec() }, Some(size_bytes));
    digests.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn columns(names: &str) -> Columns {
        let mut columns = Columns::default();
        assert_eq!(parse(format!("%%%% size,{names},filename").as_bytes(), &mut columns, None), [Line::Comment]);
        columns
    }

    #[test]
    fn each_known_digest_is_an_entry() {
        let mut columns = columns("md5,tiger,sha256");
        let line = format!("3,{MD5},00ff,{SHA256},t/b,c");
        let entries = |lines: Vec<Line>| {
            let entry = |line| {
                let Line::Entry { entry, size_bytes: Some(3) } = line else { panic!("{line:?}") };
                assert_eq!(entry.name, b"t/b,c");
                entry.algorithm
            };
            lines.into_iter().map(entry).collect::<Vec<_>>()
        };
        assert_eq!(entries(parse(line.as_bytes(), &mut columns, None)), [AnyAlgorithm::Md5, AnyAlgorithm::Sha256]);
        assert_eq!(entries(parse(line.as_bytes(), &mut columns, Some(AnyAlgorithm::Sha256))), [AnyAlgorithm::Sha256]);
        assert_eq!(parse(line.as_bytes(), &mut columns, Some(AnyAlgorithm::Sha1)), [Line::Malformed]);
    }

    #[test]
    fn what_is_no_such_line_is_malformed() {
        let mut columns = columns("md5,sha256");
        for line in [
            format!("3,{MD5},{SHA256}"),
            format!("3,{MD5},{SHA256},"),
            format!("3,{SHA256},{MD5},a"),
            format!("x,{MD5},{SHA256},a"),
            format!("+3,{MD5},{SHA256},a"),
            format!(",{MD5},{SHA256},a"),
            format!("3,{MD5},,a"),
            format!("3,{MD5},xx,a"),
            "%%%% size,md5".to_string(),
            "%%%% HASHDEEP-2.0".to_string(),
            "a".to_string(),
        ] {
            assert_eq!(parse(line.as_bytes(), &mut columns, None), [Line::Malformed], "{line}");
        }
        // Without a line that names columns, none is known.
        assert_eq!(parse(b"3,a", &mut Columns::default(), None), [Line::Malformed]);
    }
}
