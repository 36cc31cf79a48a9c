//! Object ids of Git: of blobs, and of trees from the ids of what is in them. (gitformat-pack(5)
//! and git-hash-object(1); "hash-function-transition" for SHA-256.)
//!
//! An id is the digest of a header and the content: the object's type, its length in decimal
//! digits, a zero byte.

use crate::algorithm::{CompressionOf, Sha1, Sha256};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::hash::Hasher;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use alloc::vec::Vec;
use std::cmp::Ordering;

/// The algorithms of repositories: SHA-1 and SHA-256.
pub trait GitAlgorithm: Algorithm {
    /// The name of the repository's format, as `git init --object-format` has it.
    const OBJECT_FORMAT: &'static str;
}

impl GitAlgorithm for Sha1 {
    const OBJECT_FORMAT: &'static str = "sha1";
}

impl GitAlgorithm for Sha256 {
    const OBJECT_FORMAT: &'static str = "sha256";
}

/// Returns the id of each blob, and computes all of them together.
///
/// ```
/// use manyhash::{Sha1, tree::git};
/// let empty = git::blob_ids::<Sha1>(&[""])[0];
/// assert_eq!(empty[..4], [0xe6, 0x9d, 0xe2, 0x9b]);
/// ```
pub fn blob_ids<A: GitAlgorithm>(contents: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    let mut ids = vec![A::ZERO; contents.len()];
    let head = &|index: usize, room: &mut [u8]| write_blob_header(contents[index].as_ref().len(), room);
    let digests = &mut Digests::of::<A>(&mut ids);
    <CompressionOf<A>>::hash_opened(backend::mix::<A>(), &Start::of::<A>(), head, &Slice(contents), digests);
    ids
}

/// Writes what [`header`] returns for a blob, and returns how many bytes it has.
fn write_blob_header(bytes: usize, room: &mut [u8]) -> usize {
    const BEFORE: &[u8] = b"blob ";
    let digits = bytes.checked_ilog10().unwrap_or(0) as usize + 1;
    let (before, after) = room.split_at_mut(BEFORE.len());
    before.copy_from_slice(BEFORE);
    let mut left = bytes;
    for digit in after[..digits].iter_mut().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
    }
    after[digits] = 0;
    BEFORE.len() + digits + 1
}

/// Begins the id of a blob of `bytes` bytes, whose content comes in pieces.
pub fn blob_hasher<A: GitAlgorithm>(bytes: u64) -> Hasher<A> {
    let mut hasher = Hasher::new();
    hasher.update(&header("blob", bytes));
    hasher
}

/// Returns what comes before the content of an object of a type, such as `blob`, `tree` or
/// `commit`.
pub fn header(object_type: &str, bytes: u64) -> Vec<u8> {
    format!("{object_type} {bytes}\0").into_bytes()
}

/// The kinds of what may be in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link, whose blob is its target.
    Link,
    /// Another tree.
    Tree,
    /// A commit of another repository.
    Commit,
}

impl Mode {
    /// Returns the digits that a tree has of it.
    fn digits(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Tree => "40000",
            Self::Commit => "160000",
        }
    }
}

/// What a tree says of one thing in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<A: GitAlgorithm> {
    /// The kind of it.
    pub mode: Mode,
    /// Its name: bytes without a slash and without zeros.
    pub name: Vec<u8>,
    /// Its id.
    pub id: A::Digest,
}

/// Returns the order of two names in a tree: those of trees count as if they ended in a slash.
pub fn order(one: (&[u8], Mode), other: (&[u8], Mode)) -> Ordering {
    let key = |(name, mode): (&[u8], Mode)| [name, if mode == Mode::Tree { b"/" } else { &[][..] }].concat();
    key(one).cmp(&key(other))
}

/// Returns the content of the tree with these entries, in any order.
pub fn tree_content<A: GitAlgorithm>(mut entries: Vec<Entry<A>>) -> Vec<u8> {
    entries.sort_by(|one, other| order((&one.name, one.mode), (&other.name, other.mode)));
    let mut content = Vec::new();
    for Entry { mode, name, id } in entries {
        content.extend_from_slice(mode.digits().as_bytes());
        content.push(b' ');
        content.extend_from_slice(&name);
        content.push(0);
        content.extend_from_slice(id.as_ref());
    }
    content
}

/// Returns the id of the tree with these entries, in any order.
pub fn tree_id<A: GitAlgorithm>(entries: Vec<Entry<A>>) -> A::Digest {
    let content = tree_content(entries);
    let mut hasher = Hasher::<A>::new();
    hasher.update(&header("tree", content.len() as u64));
    hasher.update(&content);
    hasher.finalize()
}
