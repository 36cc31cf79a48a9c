//! What a line of a manifest says, whatever its form. CHECK.md is the specification.

use manyhash::AnyAlgorithm;

/// Whose reading of a line counts where two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// GNU coreutils': an algorithm's name is written one way, and a NUL ends a name.
    Gnu,
    /// Ours: an algorithm's name may be written any way, and a NUL makes a line malformed.
    Manyhash,
}

/// A line that says which digest a file should have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// How to hash it.
    pub(crate) algorithm: AnyAlgorithm,
    /// What should come out.
    pub(crate) digest: Box<[u8]>,
    /// The file's name, escapes resolved.
    pub(crate) name: Vec<u8>,
}

/// What a line of a manifest says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A file should have a digest.
    Entry {
        entry: Entry,
        /// The file's size, where the form has it.
        size_bytes: Option<u64>,
    },
    /// A file belongs there, whatever is in it.
    Unhashed(Vec<u8>),
    /// The line need not say anything.
    Comment,
    /// The line should say something, and does not.
    Malformed,
}

impl Line {
    /// An entry, unless its digest has the wrong length or no file can have its name.
    pub(crate) fn entry(entry: Entry, size_bytes: Option<u64>) -> Option<Self> {
        let is_right = entry.digest.len() == entry.algorithm.digest_bytes() && is_name(&entry.name);
        is_right.then_some(Self::Entry { entry, size_bytes })
    }

    /// A file without a digest, unless no file can have its name.
    pub(crate) fn without_digest(name: Vec<u8>) -> Option<Self> {
        is_name(&name).then_some(Self::Unhashed(name))
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}
