//! The meaning of a line of a manifest, whatever its form. CHECK.md is the specification.

use manyhash::AnyAlgorithm;
use manyhash_files::Algorithms;

/// The rules for reading a line, where GNU coreutils and manyhash differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// GNU coreutils accepts one spelling of an algorithm's name, and a NUL ends a file's name.
    Gnu,
    /// manyhash accepts any spelling of an algorithm's name, and a NUL makes a line malformed.
    Manyhash,
}

/// A file and the digest that it should have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) algorithm: AnyAlgorithm,
    pub(crate) digest: Box<[u8]>,
    /// The file's name, with escapes resolved.
    pub(crate) name: Vec<u8>,
}

impl Entry {
    /// Returns the algorithm, with digests of as many bytes as this one has.
    pub(crate) fn algorithms(&self) -> Algorithms {
        Algorithms::with_digest_bytes(self.algorithm, self.digest.len()).unwrap_or(self.algorithm.into())
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A file that should have a digest.
    Entry {
        entry: Entry,
        /// The file's size, if the line says it.
        size_bytes: Option<u64>,
    },
    /// The name of a file that belongs there, whatever its content.
    Unhashed(Vec<u8>),
    Comment,
    /// A line that should have a meaning, but has none.
    Malformed,
    /// Something that is wrong, but with no file's digest.
    Wrong(String),
    /// Something to be said that is not wrong.
    Remark(String),
}

impl Line {
    /// Creates the line of `entry`, unless its digest's length or its name is impossible.
    pub(crate) fn entry(entry: Entry, size_bytes: Option<u64>) -> Option<Self> {
        let is_right = entry.digest.len() == entry.algorithm.digest_bytes() && is_name(&entry.name);
        is_right.then_some(Self::Entry { entry, size_bytes })
    }

    /// Creates the line of a file without a digest, unless no file can have its name.
    pub(crate) fn without_digest(name: Vec<u8>) -> Option<Self> {
        is_name(&name).then_some(Self::Unhashed(name))
    }
}

/// Returns what is before the first `separator` of `text`, and what is behind it.
pub(crate) fn split_once(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let mut parts = text.splitn(2, |&byte| byte == separator);
    Some((parts.next()?, parts.next()?))
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}
