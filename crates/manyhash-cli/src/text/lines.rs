//! Lines of `sum`, and of commands that print as it does.

use super::escapes::{escape, needs_escape};
use super::json_name::JsonName;
use manyhash::AnyAlgorithm;
use manyhash_files::{Hashed, file_name};
use serde::Serialize;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `DIGEST  PATH`
    Text,
    /// `DIGEST *PATH`
    Binary,
    /// `SHA256 (PATH) = DIGEST`
    Tag,
    /// `{"path":"PATH","bytes":1,"algorithm":"SHA-256","digest":"DIGEST"}`
    Json,
}

#[derive(Clone, Debug)]
pub(crate) struct Format {
    style: Style,
    zero: bool,
    /// The algorithms without repetition, in the order of the lines.
    algorithms: Vec<AnyAlgorithm>,
}

impl Format {
    /// Creates a format that prints one line in `style` for each of `algorithms`. With `zero`,
    /// lines end in a NUL and names are not escaped.
    pub(crate) fn new(algorithms: &[AnyAlgorithm], style: Style, zero: bool) -> Self {
        let mut once = Vec::new();
        for algorithm in algorithms {
            if !once.contains(algorithm) {
                once.push(*algorithm);
            }
        }
        Self { style, zero, algorithms: once }
    }

    pub(crate) fn lines(&self, path: &[u8], hashed: &Hashed) -> io::Result<Vec<u8>> {
        let mut lines = Vec::with_capacity(self.algorithms.len() * (path.len() + 2 * hashed.digests.bytes().len() + 20));
        for algorithm in &self.algorithms {
            self.push_line(&mut lines, path, hashed, *algorithm)?;
        }
        Ok(lines)
    }

    fn push_line(&self, line: &mut Vec<u8>, path: &[u8], hashed: &Hashed, algorithm: AnyAlgorithm) -> io::Result<()> {
        let digest = hashed.digests.of(algorithm);
        let escaped = !self.zero && needs_escape(path);
        if self.style != Style::Json && escaped {
            line.push(b'\\');
        }
        let name = |line: &mut Vec<u8>| if escaped { escape(path, line) } else { line.extend(path) };
        match self.style {
            Style::Text | Style::Binary => {
                line.extend(const_hex::encode(digest).as_bytes());
                line.extend(if self.style == Style::Text { b"  " } else { b" *" });
                name(line);
            }
            Style::Tag => {
                line.extend(hashed.digests.algorithms().tag(algorithm).as_bytes());
                line.extend(b" (");
                name(line);
                line.extend(b") = ");
                line.extend(const_hex::encode(digest).as_bytes());
            }
            Style::Json => {
                let object = JsonSum {
                    name: JsonName::of(path),
                    bytes: hashed.bytes,
                    algorithm: &hashed.digests.algorithms().name(algorithm),
                    digest: const_hex::encode(digest),
                };
                serde_json::to_writer(&mut *line, &object)?;
            }
        }
        line.push(if self.zero { 0 } else { b'\n' });
        Ok(())
    }
}

#[derive(Serialize)]
struct JsonSum<'a> {
    #[serde(flatten)]
    name: JsonName<'a>,
    bytes: u64,
    algorithm: &'a str,
    digest: String,
}

/// Returns the line `DIGEST  PATH` for a digest that is text already.
pub(crate) fn line(digest: &str, path: &Path) -> Vec<u8> {
    let name = &file_name::bytes_of(path);
    let mut line = Vec::with_capacity(digest.len() + name.len() + 4);
    if needs_escape(name) {
        line.push(b'\\');
    }
    line.extend(digest.as_bytes());
    line.extend(b"  ");
    escape(name, &mut line);
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash_files::Digests;

    fn digest() -> String {
        "0a".repeat(32)
    }

    fn line(style: Style, zero: bool, path: &[u8]) -> Vec<u8> {
        let algorithm = AnyAlgorithm::Sha512_256;
        let digests = Digests::new(algorithm.into(), [0x0a; 32]).unwrap();
        Format::new(&[algorithm], style, zero).lines(path, &Hashed { digests, bytes: 3, stamp: None }).unwrap()
    }

    #[test]
    fn each_style_has_its_line() {
        assert_eq!(line(Style::Text, false, b"a"), format!("{}  a\n", digest()).as_bytes());
        assert_eq!(line(Style::Binary, false, b"a"), format!("{} *a\n", digest()).as_bytes());
        assert_eq!(line(Style::Tag, false, b"a"), format!("SHA512/256 (a) = {}\n", digest()).as_bytes());
        assert_eq!(line(Style::Text, false, b"a\nb"), format!("\\{}  a\\nb\n", digest()).as_bytes());
        assert_eq!(line(Style::Tag, true, b"a\nb"), format!("SHA512/256 (a\nb) = {}\0", digest()).as_bytes());
    }

    #[test]
    fn json_loses_no_name() {
        let digest = digest();
        let object = |name| format!("{{{name},\"bytes\":3,\"algorithm\":\"SHA-512/256\",\"digest\":\"{digest}\"}}\n").into_bytes();
        assert_eq!(line(Style::Json, false, "é\"\n".as_bytes()), object(r#""path":"é\"\n""#));
        assert_eq!(line(Style::Json, false, b"a\xff"), object(r#""path_hex":"61ff""#));
    }

    #[test]
    fn names_are_escaped_as_in_sum() {
        assert_eq!(super::line("0a", Path::new("a b")), b"0a  a b\n");
        assert_eq!(super::line("0a", Path::new("a\nb\\")), b"\\0a  a\\nb\\\\\n");
    }
}
