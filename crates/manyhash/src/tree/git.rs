//! Object ids of Git: of blobs, and of trees from the ids of what is in them. (gitformat-pack(5)
//! and git-hash-object(1); "hash-function-transition" for SHA-256.)
//!
//! An id is the digest of a header and the content: the object's type, its length in decimal
//! digits, a zero byte.

use crate::algorithm::{Sha1, Sha256};
use crate::algorithms::Algorithm;
use crate::hash::Hasher;
use crate::many::hash_contiguous;
#[cfg(feature = "std")]
use crate::readers::Readers;
use alloc::vec::Vec;
use std::cmp::Ordering;
#[cfg(feature = "std")]
use std::io::Read;

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

/// A longer blob is read piece by piece, and not copied together with its header.
const COPIED_BYTES: usize = 16 << 10;
/// The most bytes of blobs that are copied before they are hashed.
const BATCH_BYTES: usize = 1 << 20;

/// Returns the id of each blob, and computes all of them together.
///
/// ```
/// use manyhash::{Sha1, tree::git};
/// let empty = git::blob_ids::<Sha1>(&[""])[0];
/// assert_eq!(empty[..4], [0xe6, 0x9d, 0xe2, 0x9b]);
/// ```
pub fn blob_ids<A: GitAlgorithm>(contents: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    let mut ids = vec![A::ZERO; contents.len()];
    let mut long = Vec::new();
    let (mut copied, mut offsets, mut indices) = (Vec::new(), vec![0_u64], Vec::new());
    for (index, content) in contents.iter().enumerate() {
        let content = content.as_ref();
        if content.len() > COPIED_BYTES {
            long.push((index, content));
            continue;
        }
        copied.extend_from_slice(&header("blob", content.len() as u64));
        copied.extend_from_slice(content);
        offsets.push(copied.len() as u64);
        indices.push(index);
        if copied.len() > BATCH_BYTES {
            hash_copied::<A>(&copied, &offsets, &indices, &mut ids);
            copied.clear();
            offsets.truncate(1);
            indices.clear();
        }
    }
    hash_copied::<A>(&copied, &offsets, &indices, &mut ids);
    hash_long::<A>(&long, &mut ids);
    ids
}

/// Hashes blobs that are not copied: side by side, each as a reader.
#[cfg(feature = "std")]
fn hash_long<A: GitAlgorithm>(long: &[(usize, &[u8])], ids: &mut [A::Digest]) {
    let readers = long.iter().map(|(index, content)| {
        let header = header("blob", content.len() as u64);
        let bytes = (header.len() + content.len()) as u64;
        (Blob { index: *index, header, read_bytes: 0, content }, bytes)
    });
    if !long.is_empty() {
        Readers::<A>::new().hash(readers, |blob, id| ids[blob.index] = id.expect("memory is read without errors"));
    }
}

/// Without readers, they are hashed one after the other.
#[cfg(not(feature = "std"))]
fn hash_long<A: GitAlgorithm>(long: &[(usize, &[u8])], ids: &mut [A::Digest]) {
    for (index, content) in long {
        let mut hasher = blob_hasher::<A>(content.len() as u64);
        hasher.update(content);
        ids[*index] = hasher.finalize();
    }
}

fn hash_copied<A: GitAlgorithm>(copied: &[u8], offsets: &[u64], indices: &[usize], ids: &mut [A::Digest]) {
    for (index, id) in indices.iter().zip(hash_contiguous::<A>(copied, offsets)) {
        ids[*index] = id;
    }
}

/// A blob with its header, to be read.
#[cfg(feature = "std")]
struct Blob<'a> {
    index: usize,
    header: Vec<u8>,
    /// The bytes of the header that were read.
    read_bytes: usize,
    content: &'a [u8],
}

#[cfg(feature = "std")]
impl Read for Blob<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut header = &self.header[self.read_bytes..];
        if header.is_empty() {
            return self.content.read(buffer);
        }
        let bytes = header.read(buffer)?;
        self.read_bytes += bytes;
        Ok(bytes)
    }
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
