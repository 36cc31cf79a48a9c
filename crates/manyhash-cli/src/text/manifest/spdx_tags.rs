//! SPDX 2.x as tags and values, a pair a line:
//!
//! ```text
//! SPDXVersion: SPDX-2.3
//! FileName: ./a
//! FileChecksum: SHA256: DIGEST
//! ```
//!
//! All other tags mean nothing here. A value from `<text>` to `</text>` may have several lines.

use super::document::algorithm_of;
use super::line::{Entry, Line};
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;

/// Whether `line` begins such a document.
pub(super) fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"SPDXVersion: SPDX-2.")
}

/// What the lines before say: the file that checksums are of, and whether a text goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    file: Vec<u8>,
    in_text: bool,
}

pub(super) fn parse(line: &[u8], state: &mut State, wanted: Option<AnyAlgorithm>) -> Line {
    let has = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
    if state.in_text {
        state.in_text = !has(b"</text>");
        return Line::Comment;
    }
    state.in_text = has(b"<text>") && !has(b"</text>");
    if let Some(name) = line.strip_prefix(b"FileName:") {
        state.file = name.trim_ascii().to_vec();
        return if state.file.is_empty() { Line::Malformed } else { Line::Comment };
    }
    if line.starts_with(b"PackageName:") {
        state.file.clear();
    }
    match line.strip_prefix(b"FileChecksum:") {
        Some(checksum) => entry(checksum, &state.file, wanted).unwrap_or(Line::Malformed),
        None => Line::Comment,
    }
}

/// Returns the line of a checksum, which is none of an algorithm that is not known or wanted.
fn entry(checksum: &[u8], file: &[u8], wanted: Option<AnyAlgorithm>) -> Option<Line> {
    let (algorithm, digest) = str::from_utf8(checksum).ok()?.split_once(':')?;
    let digest = hexadecimal::decode(digest.trim().as_bytes())?;
    let Some(algorithm) = algorithm_of(algorithm.trim()).filter(|algorithm| wanted.is_none_or(|wanted| wanted == *algorithm)) else {
        return Some(Line::Comment);
    };
    Line::entry(Entry { algorithm, digest, name: file.to_vec() }, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_of_the_file_before_them() {
        let mut state = State::default();
        let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
        let mut found = |line: &str| parse(line.as_bytes(), &mut state, None);
        assert_eq!(found(&format!("FileChecksum: SHA1: {sha1}")), Line::Malformed);
        assert_eq!(found("FileName: ./a b"), Line::Comment);
        let Line::Entry { entry, .. } = found(&format!("FileChecksum: SHA1: {sha1}")) else { panic!("no entry") };
        assert_eq!((entry.name.as_slice(), entry.algorithm), (&b"./a b"[..], AnyAlgorithm::Sha1));
        for line in ["FileChecksum: MD4: 00", "FileNotice: <text>", "FileName: ./in a text", "</text>", "", "Relationship: x"] {
            assert_eq!(found(line), Line::Comment, "{line}");
        }
        let Line::Entry { entry, .. } = found(&format!("FileChecksum: SHA1: {sha1}")) else { panic!("no entry") };
        assert_eq!(entry.name, b"./a b");
        for line in ["FileChecksum: SHA1: 00", "FileChecksum: SHA1", "FileChecksum: SHA1: x", "FileName: ", "FileChecksum: MD4: xx"] {
            assert_eq!(found(line), Line::Malformed, "{line}");
        }
    }
}
