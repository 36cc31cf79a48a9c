//! Text lines, of GNU's, BSD's and OpenSSL's tools.
//!
//! ```text
//! DIGEST  NAME        untagged; `*NAME` (binary mode) means the same
//! DIGEST NAME         untagged, one blank ("reversed" BSD output)
//! SHA256 (NAME) = DIGEST   BSD tag
//! SHA256(NAME)= DIGEST     OpenSSL
//! sha256-BASE64  NAME      a digest as browsers and package managers write it (SRI); `*NAME` too
//! ```
//!
//! Behind a tag DIGEST may be Base64, as `cksum --base64` writes it.

use super::line::{Dialect, Entry, split_once};
use crate::text::escapes::unescape;
use crate::text::hexadecimal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manyhash::AnyAlgorithm;
use manyhash_files::Algorithms;

/// Parses lines. It remembers the first kind of untagged line, because kinds may not be mixed.
#[derive(Debug)]
pub(crate) struct LineParser {
    dialect: Dialect,
    algorithm: Option<AnyAlgorithm>,
    /// The algorithm of untagged lines, as far as their digests have its length.
    pub(super) named: Option<AnyAlgorithm>,
    /// The algorithm that the length alone of the last such digest told.
    pub(super) guessed: Option<AnyAlgorithm>,
    /// The last tag of `cksum -c` that was one, whatever came behind it.
    pub(super) last_tag: Option<&'static str>,
    /// Whether the last line had a tag.
    pub(super) is_tagged: bool,
    one_blank: Option<bool>,
}

impl LineParser {
    /// Creates a parser of lines of `algorithm`, or of any algorithm if none is given.
    pub(crate) fn new(dialect: Dialect, algorithm: Option<AnyAlgorithm>) -> Self {
        Self { dialect, algorithm, named: None, guessed: None, last_tag: None, is_tagged: false, one_blank: None }
    }

    /// Parses `line`, which comes without its end. Returns `None` if it is malformed.
    pub(crate) fn parse(&mut self, line: &[u8]) -> Option<Entry> {
        let line = line.trim_ascii_start_blank();
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let tagged = self.tagged(line);
        self.is_tagged = tagged.is_some();
        let (expected, digest, name) = match tagged {
            Some((expected, rest)) => {
                let (digest, name) = self.split_tagged(rest)?;
                (expected, digest, name)
            }
            None => self.split_integrity(line).or_else(|| self.split_untagged(line))?,
        };
        let in_base64 = || if self.dialect == Dialect::Manyhash { base64_decoded(digest) } else { None };
        let digest = hexadecimal::decode(digest).or_else(in_base64).filter(|digest| digest.len() == expected.digest_bytes)?;
        let name = if escaped { unescape(name)? } else { self.whole_name(name)?.to_vec() };
        Some(Entry { algorithm: expected.algorithm, digest, name })
    }

    /// Returns what `line` begins with, and the text behind the `(` that follows it.
    fn tagged<'a>(&mut self, line: &'a [u8]) -> Option<(Expected, &'a [u8])> {
        let (tag, rest) = split_once(line, b'(')?;
        let tag = str::from_utf8(tag.strip_suffix(b" ").unwrap_or(tag)).ok()?;
        let found = match (self.dialect, self.algorithm) {
            (Dialect::Gnu, Some(algorithm)) => Expected::of_gnu_tag(tag, &[algorithm]),
            (Dialect::Gnu, None) => {
                let name = tag.split('-').next().unwrap_or_default();
                self.last_tag = CKSUM.iter().map(|algorithm| algorithm.tag()).find(|tag| *tag == name).or(self.last_tag);
                Expected::of_gnu_tag(tag, &CKSUM)
            }
            _ => AnyAlgorithm::by_name(tag).map(Expected::usual).or_else(|| Expected::of_length_in(tag)),
        };
        Some((found?, rest)).filter(|(found, _)| self.algorithm.is_none_or(|wanted| found.is_of(wanted, self.dialect)))
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

    /// Splits `DIGEST  NAME`, `DIGEST *NAME` or `DIGEST NAME` into what is expected, digest and name.
    fn split_untagged<'a>(&mut self, line: &'a [u8]) -> Option<(Expected, &'a [u8], &'a [u8])> {
        let (digest, rest) = line.split_at(line.iter().position(|byte| !byte.is_ascii_hexdigit())?);
        let expected = match (self.dialect, self.algorithm) {
            (Dialect::Gnu, Some(AnyAlgorithm::Blake2b)) => Expected::blake2b(digest.len() / 2)?,
            (_, Some(algorithm)) => Expected::usual(algorithm),
            // Only the tag tells `cksum -c` the algorithm.
            (Dialect::Gnu, None) => return None,
            (Dialect::Manyhash, None) => Expected::usual(self.of_length(digest.len() / 2)?),
        };
        if digest.len() != 2 * expected.digest_bytes {
            return None;
        }
        Some((expected, digest, self.untagged_name(rest)?))
    }

    /// Splits `sha256-BASE64  NAME` as [`split_untagged`](Self::split_untagged) does.
    fn split_integrity<'a>(&mut self, line: &'a [u8]) -> Option<(Expected, &'a [u8], &'a [u8])> {
        if self.dialect == Dialect::Gnu {
            return None;
        }
        let (word, rest) = line.split_at(line.iter().position(|byte| matches!(byte, b' ' | b'\t'))?);
        // In names of algorithms there are hyphens too, but none in Base64.
        let (name, digest) = word.split_at(word.iter().rposition(|&byte| byte == b'-')?);
        let algorithm = AnyAlgorithm::by_name(str::from_utf8(name).ok()?)?;
        let digest = digest.strip_prefix(b"-").filter(|digest| base64_decoded(digest).is_some())?;
        if self.algorithm.is_some_and(|wanted| wanted != algorithm) {
            return None;
        }
        Some((Expected::usual(algorithm), digest, self.untagged_name(rest)?))
    }

    /// Returns the name behind an untagged digest, and the separator in front of it.
    fn untagged_name<'a>(&mut self, rest: &'a [u8]) -> Option<&'a [u8]> {
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
        Some(if self.one_blank == Some(true) { rest } else { name })
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

/// The algorithms of GNU's `cksum` that have digests, in its order.
pub(crate) const CKSUM: [AnyAlgorithm; 8] = [
    AnyAlgorithm::Md5,
    AnyAlgorithm::Sha1,
    AnyAlgorithm::Sha224,
    AnyAlgorithm::Sha256,
    AnyAlgorithm::Sha384,
    AnyAlgorithm::Sha512,
    AnyAlgorithm::Blake2b,
    AnyAlgorithm::Sm3,
];

/// The algorithm of a line and the length of its digest, which BLAKE2b can choose.
#[derive(Clone, Copy)]
struct Expected {
    algorithm: AnyAlgorithm,
    digest_bytes: usize,
}

impl Expected {
    fn usual(algorithm: AnyAlgorithm) -> Self {
        Self { algorithm, digest_bytes: algorithm.digest_bytes() }
    }

    /// Returns BLAKE2b with digests of so many bytes.
    fn blake2b(digest_bytes: usize) -> Option<Self> {
        if digest_bytes == AnyAlgorithm::Blake2b256.digest_bytes() {
            return Some(Self::usual(AnyAlgorithm::Blake2b256));
        }
        Algorithms::with_digest_bytes(AnyAlgorithm::Blake2b, digest_bytes).map(|_| Self { algorithm: AnyAlgorithm::Blake2b, digest_bytes })
    }

    /// Whether a command that is told this algorithm takes it. `b2sum` takes BLAKE2b of any length.
    fn is_of(self, wanted: AnyAlgorithm, dialect: Dialect) -> bool {
        let is_b2sum = dialect == Dialect::Gnu && wanted == AnyAlgorithm::Blake2b;
        self.algorithm == wanted || is_b2sum && self.algorithm == AnyAlgorithm::Blake2b256
    }

    /// Returns what a tag of GNU's tools means among some algorithms. Only one spelling is right.
    fn of_gnu_tag(tag: &str, algorithms: &[AnyAlgorithm]) -> Option<Self> {
        let is_its = |algorithm: &AnyAlgorithm| {
            let as_openssl = tag.starts_with("SHA2-") && AnyAlgorithm::by_name(tag) == Some(*algorithm);
            tag == algorithm.tag() || as_openssl
        };
        match algorithms.iter().copied().find(is_its) {
            Some(algorithm) => Some(Self::usual(algorithm)),
            None if algorithms.contains(&AnyAlgorithm::Blake2b) && tag.starts_with("BLAKE2b-") => Self::of_length_in(tag),
            None => None,
        }
    }

    /// Returns what a tag such as `BLAKE2b-128` means, in which 128 is the bits of a digest.
    fn of_length_in(tag: &str) -> Option<Self> {
        let (name, bits) = tag.split_once('-')?;
        let bits: usize = bits.parse().ok().filter(|bits: &usize| bits.is_multiple_of(8))?;
        Self::blake2b(bits / 8).filter(|_| name.eq_ignore_ascii_case(AnyAlgorithm::Blake2b.tag()))
    }
}

/// Returns the bytes of Base64 with padding.
fn base64_decoded(digits: &[u8]) -> Option<Box<[u8]>> {
    STANDARD.decode(digits).ok().map(Vec::into_boxed_slice)
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
