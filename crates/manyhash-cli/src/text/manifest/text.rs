//! Text lines, of GNU's, BSD's and OpenSSL's tools.
//!
//! ```text
//! DIGEST  NAME        untagged; `*NAME` (binary mode) means the same
//! DIGEST NAME         untagged, one blank ("reversed" BSD output)
//! SHA256 (NAME) = DIGEST   BSD tag
//! SHA256(NAME)= DIGEST     OpenSSL
//! ```

use super::line::{Dialect, Entry, split_once};
use crate::text::escapes::unescape;
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;

/// Parses lines. It remembers the first kind of untagged line, because kinds may not be mixed.
#[derive(Debug)]
pub(crate) struct LineParser {
    dialect: Dialect,
    algorithm: Option<AnyAlgorithm>,
    /// The algorithm of untagged lines, as far as their digests have its length.
    pub(super) named: Option<AnyAlgorithm>,
    /// The algorithm that the length alone of the last such digest told.
    pub(super) guessed: Option<AnyAlgorithm>,
    one_blank: Option<bool>,
}

impl LineParser {
    /// Creates a parser of lines of `algorithm`, or of any algorithm if none is given.
    pub(crate) fn new(dialect: Dialect, algorithm: Option<AnyAlgorithm>) -> Self {
        Self { dialect, algorithm, named: None, guessed: None, one_blank: None }
    }

    /// Parses `line`, which comes without its end. Returns `None` if it is malformed.
    pub(crate) fn parse(&mut self, line: &[u8]) -> Option<Entry> {
        let line = line.trim_ascii_start_blank();
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (algorithm, digest, name) = match self.tagged(line) {
            Some((algorithm, rest)) => {
                let (digest, name) = self.split_tagged(rest)?;
                (algorithm, digest, name)
            }
            None => self.split_untagged(line)?,
        };
        let digest = hexadecimal::decode(digest).filter(|digest| digest.len() == algorithm.digest_bytes())?;
        let name = if escaped { unescape(name)? } else { self.whole_name(name)?.to_vec() };
        Some(Entry { algorithm, digest, name })
    }

    /// Returns the algorithm that `line` begins with, and the text behind the `(` that follows it.
    fn tagged<'a>(&self, line: &'a [u8]) -> Option<(AnyAlgorithm, &'a [u8])> {
        let (tag, rest) = split_once(line, b'(')?;
        let tag = str::from_utf8(tag.strip_suffix(b" ").unwrap_or(tag)).ok()?;
        let found = match (self.dialect, self.algorithm) {
            (Dialect::Gnu, Some(algorithm)) => {
                let as_openssl = tag.starts_with("SHA2-") && AnyAlgorithm::by_name(tag) == Some(algorithm);
                (tag == algorithm.tag() || as_openssl).then_some(algorithm)
            }
            _ => AnyAlgorithm::by_name(tag),
        };
        Some((found?, rest)).filter(|(found, _)| self.algorithm.is_none_or(|wanted| wanted == *found))
    }

    /// Splits `NAME) = DIGEST`. The last `)` ends the name, because it need not be escaped.
    fn split_tagged<'a>(&self, rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let mut parts = rest.rsplitn(2, |&byte| byte == b')');
        let (after, name) = (parts.next()?, parts.next()?);
        let digest = after.trim_ascii_start_blank().strip_prefix(b"=")?.trim_ascii_start_blank();
        let digest = match self.dialect {
            Dialect::Gnu => until_nul(digest),
            Dialect::Manyhash => digest,
        };
        Some((digest, name))
    }

    /// Splits `DIGEST  NAME`, `DIGEST *NAME` or `DIGEST NAME` into algorithm, digest and name.
    fn split_untagged<'a>(&mut self, line: &'a [u8]) -> Option<(AnyAlgorithm, &'a [u8], &'a [u8])> {
        let (digest, rest) = line.split_at(line.iter().position(|byte| !byte.is_ascii_hexdigit())?);
        let algorithm = match self.algorithm {
            Some(algorithm) => algorithm,
            None => self.of_length(digest.len() / 2)?,
        };
        if digest.len() != 2 * algorithm.digest_bytes() {
            return None;
        }
        let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
        let (&mode, name) = rest.split_first()?;
        // One blank separates digest and name if the rest is a single character, or begins with
        // neither a blank nor `*`. The first such line decides for all, so that nobody can rename a
        // file by a blank.
        let one_blank = name.is_empty() || !matches!(mode, b' ' | b'*');
        match (one_blank, self.one_blank) {
            (true, Some(false)) => return None,
            (true, _) => self.one_blank = Some(true),
            (false, Some(true)) => {}
            (false, _) => self.one_blank = Some(false),
        }
        Some((algorithm, digest, if self.one_blank == Some(true) { rest } else { name }))
    }

    /// Returns the algorithm of an untagged line with a digest of so many bytes.
    fn of_length(&mut self, digest_bytes: usize) -> Option<AnyAlgorithm> {
        if let Some(named) = self.named.filter(|named| named.digest_bytes() == digest_bytes) {
            return Some(named);
        }
        let guessed = AnyAlgorithm::by_digest_bytes(digest_bytes)?;
        self.guessed = Some(guessed);
        Some(guessed)
    }

    /// Returns the file's name for an unescaped `name`, or `None` if it is not allowed.
    fn whole_name<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        match self.dialect {
            Dialect::Gnu => Some(until_nul(name)),
            Dialect::Manyhash => (!name.contains(&0)).then_some(name),
        }
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or(bytes)
}

trait TrimBlanks {
    /// Removes blanks and tabs in front. Manifests have no other white space.
    fn trim_ascii_start_blank(&self) -> &[u8];
}

impl TrimBlanks for [u8] {
    fn trim_ascii_start_blank(&self) -> &[u8] {
        let mut rest = self;
        while let [b' ' | b'\t', after @ ..] = rest {
            rest = after;
        }
        rest
    }
}
