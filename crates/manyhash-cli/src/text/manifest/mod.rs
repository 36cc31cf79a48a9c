//! Manifests: text files that say which digests files should have, as CHECK.md specifies.
//!
//! They are read line by line, so that a manifest of any size needs no more memory than one line.

pub(crate) mod bagit;
pub(crate) mod document;
pub(crate) mod form;
mod hashdeep;
pub(crate) mod hub;
mod json;
pub(crate) mod line;
pub(crate) mod named;
pub(crate) mod reader;
mod record;
mod safetensors;
mod spdx_tags;
mod text;

pub(crate) use self::text::CKSUM;
use std::io::{self, BufRead, Read};

/// The length of the longest line that can be well formed. It fits the longest digest and an
/// escaped name longer than any system can open.
const MAX_LINE_BYTES: usize = 64 << 10;

/// The lines of a manifest that are not empty, with their numbers.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, number: 0, line: Vec::new() }
    }

    /// Returns the next line, without its LF or CR LF, and its number, counted from 1. A line too
    /// long to be well formed is cut.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        loop {
            self.line.clear();
            self.number += 1;
            let limit = MAX_LINE_BYTES as u64;
            if (&mut self.input).take(limit).read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() == MAX_LINE_BYTES && self.line.last() != Some(&b'\n') {
                self.input.skip_until(b'\n')?;
                // The rest can be no entry, but is still a comment if the line is one.
                self.line.truncate(1);
            }
            for end in [b'\n', b'\r'] {
                if self.line.last() == Some(&end) {
                    self.line.pop();
                }
            }
            if !self.line.is_empty() {
                return Ok(Some((self.number, &self.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line::{Dialect, Entry};
    use super::text::LineParser;
    use super::*;
    use manyhash::AnyAlgorithm;

    fn lines(text: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut lines = Lines::new(text);
        std::iter::from_fn(|| lines.next_line().unwrap().map(|(number, line)| (number, line.to_vec()))).collect()
    }

    #[test]
    fn lines_are_numbered_and_stripped() {
        let text = b"a\n\n#c\r\nb\r\n\r\n\nd\r\r\n e";
        let expected: [(u64, &[u8]); 5] = [(1, b"a"), (3, b"#c"), (4, b"b"), (7, b"d\r"), (8, b" e")];
        assert_eq!(lines(text), expected.map(|(number, line)| (number, line.to_vec())));
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut lines = Lines::new(io::BufReader::new(io::repeat(b'a').take(100 << 20).chain(&b"\nb"[..])));
        assert_eq!(lines.next_line().unwrap(), Some((1, &b"a"[..])));
        assert_eq!(lines.next_line().unwrap(), Some((2, &b"b"[..])));
        assert!(lines.line.capacity() <= 2 * MAX_LINE_BYTES);
    }

    fn parse(dialect: Dialect, algorithm: Option<AnyAlgorithm>, line: &str) -> Option<(AnyAlgorithm, String)> {
        LineParser::new(dialect, algorithm)
            .parse(line.as_bytes())
            .map(|Entry { algorithm, name, .. }| (algorithm, String::from_utf8(name).unwrap()))
    }

    #[test]
    fn algorithms_are_recognised_by_tag_or_length() {
        for &algorithm in AnyAlgorithm::ALL {
            let digest = "0f".repeat(algorithm.digest_bytes());
            for tag in [algorithm.name().to_string(), algorithm.tag().to_string(), algorithm.to_string()] {
                for line in [format!("{tag} (a) = {digest}"), format!("{tag}(a)= {digest}")] {
                    let expected = Some((algorithm, "a".to_string()));
                    assert_eq!(parse(Dialect::Manyhash, None, &line), expected, "{line}");
                    assert_eq!(parse(Dialect::Manyhash, Some(algorithm), &line), expected, "{line}");
                }
                for &other in AnyAlgorithm::ALL.iter().filter(|&&other| other != algorithm) {
                    assert_eq!(parse(Dialect::Manyhash, Some(other), &format!("{tag} (a) = {digest}")), None);
                }
            }
            let line = format!("{digest}  a");
            let plain = AnyAlgorithm::by_digest_bytes(algorithm.digest_bytes()).unwrap();
            assert_eq!(parse(Dialect::Manyhash, None, &line), Some((plain, "a".to_string())));
            assert_eq!(parse(Dialect::Manyhash, Some(algorithm), &line), Some((algorithm, "a".to_string())));
        }
    }

    #[test]
    fn a_name_with_a_nul_is_a_malformed_line_but_for_gnu() {
        let digest = "0f".repeat(32);
        let line = format!("{digest}  a\0b");
        assert_eq!(parse(Dialect::Manyhash, None, &line), None);
        assert_eq!(parse(Dialect::Gnu, Some(AnyAlgorithm::Sha256), &line), Some((AnyAlgorithm::Sha256, "a".to_string())));
    }

    #[test]
    fn digests_may_be_base64_where_the_algorithm_is_told() {
        let (sha256, sha512) = ("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "AAAA".repeat(21) + "AA==");
        for line in [
            format!("SHA256 (a) = {sha256}"),
            format!("sha256-{sha256}  a"),
            format!("sha256-{sha256} *a"),
            format!("SHA-256-{sha256} a"),
            format!("  SHA2-256(a)= {sha256}"),
        ] {
            for wanted in [None, Some(AnyAlgorithm::Sha256)] {
                assert_eq!(parse(Dialect::Manyhash, wanted, &line), Some((AnyAlgorithm::Sha256, "a".to_string())), "{line}");
            }
            assert_eq!(parse(Dialect::Manyhash, Some(AnyAlgorithm::Sha512), &line), None, "{line}");
            assert_eq!(parse(Dialect::Gnu, Some(AnyAlgorithm::Sha256), &line), None, "{line}");
        }
        let expected = Some((AnyAlgorithm::Sha3_512, "a\nb".to_string()));
        assert_eq!(parse(Dialect::Manyhash, None, &format!("\\sha3-512-{sha512}  a\\nb")), expected);
        for line in [
            format!("sha256-{}  a", sha256.trim_end_matches('=')),
            format!("sha256-{}  a", sha256.replace('/', "_")),
            format!("sha512-{sha256}  a"),
            format!("sha255-{sha256}  a"),
            format!("sha256-{sha256}"),
            format!("sha256-{sha256} "),
            format!("{sha256}  a"),
            format!("SHA512 (a) = {sha256}"),
            format!("SHA256 (a) = {sha256}="),
        ] {
            assert_eq!(parse(Dialect::Manyhash, None, &line), None, "{line}");
        }
    }

    #[test]
    fn names_in_hashed_lines_may_look_like_tags() {
        let digest = "0f".repeat(32);
        let name = format!("sha256 (x) = {digest}");
        assert_eq!(parse(Dialect::Manyhash, None, &format!("{digest}  {name}")), Some((AnyAlgorithm::Sha256, name.clone())));
        assert_eq!(parse(Dialect::Manyhash, None, &format!("SHA256 ({name}) = {digest}")), Some((AnyAlgorithm::Sha256, name)));
    }
}
