//! fs-verity: the file digest of the Linux kernel (Documentation/filesystems/fsverity.rst), which
//! `fsverity digest` prints.
//!
//! The nodes of the Merkle tree have the size of its leaves, which is a block. The salt, filled
//! with zeros to whole blocks of the algorithm, comes before each leaf and node. The digest is that
//! of a descriptor, which has the parameters, the size and the root.

use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use super::{Merkle, ParameterError};
use crate::algorithm::{Sha256, Sha512};
use crate::algorithms::Algorithm;
use crate::frame::Frame;
use alloc::vec::Vec;

/// Bytes of a descriptor: `struct fsverity_descriptor`.
pub const DESCRIPTOR_BYTES: usize = 256;
/// The most bytes that a salt may have.
pub const MOST_SALT_BYTES: usize = 32;
/// The sizes that a block may have, in bytes. It must be a power of two.
pub const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 1024..=65536;

/// The algorithms of fs-verity: SHA-256 and SHA-512.
pub trait FsVerityAlgorithm: Algorithm {
    /// The number of the algorithm in descriptors.
    const NUMBER: u8;
}

impl FsVerityAlgorithm for Sha256 {
    const NUMBER: u8 = 1;
}

impl FsVerityAlgorithm for Sha512 {
    const NUMBER: u8 = 2;
}

/// Computes fs-verity digests with given parameters.
///
/// ```
/// use manyhash::{Sha256, tree::FsVerity};
/// let digest = FsVerity::<Sha256>::new(4096, b"").unwrap().digest(b"");
/// assert_eq!(digest[..4], [0x3d, 0x24, 0x8c, 0xa5]);
/// ```
#[derive(Clone, Debug)]
pub struct FsVerity<A: FsVerityAlgorithm> {
    merkle: Merkle<A>,
    salt: Vec<u8>,
}

impl<A: FsVerityAlgorithm> FsVerity<A> {
    /// Takes blocks of `block_bytes` bytes and a salt, which may be empty.
    ///
    /// # Errors
    /// Fails if the block size is no power of two in [`BLOCK_BYTES`], or if the salt has more than
    /// [`MOST_SALT_BYTES`].
    pub fn new(block_bytes: usize, salt: &[u8]) -> Result<Self, ParameterError> {
        ParameterError::check_block("block size", block_bytes, BLOCK_BYTES)?;
        ParameterError::check_salt(salt, MOST_SALT_BYTES)?;
        let mut padded_salt = salt.to_vec();
        padded_salt.resize(salt.len().next_multiple_of(A::BLOCK_BYTES), 0);
        let frame = Frame::new(&padded_salt, &[]);
        let merkle = Merkle {
            leaf: Leaf::Hashed(frame.clone()),
            node: Node::Hashed(frame),
            leaf_bytes: block_bytes,
            last_leaf: LastLeaf::ZeroPadded,
            children: block_bytes / A::DIGEST_BYTES,
            child_bytes: A::DIGEST_BYTES,
            node_bytes: block_bytes,
            last_node: LastNode::ZeroPadded,
        };
        Ok(Self { merkle, salt: salt.to_vec() })
    }

    /// Returns the Merkle tree of these parameters.
    pub fn merkle(&self) -> &Merkle<A> {
        &self.merkle
    }

    /// Returns the descriptor of a file of `file_bytes` bytes. `root` is that of its tree, or
    /// `None` for an empty file.
    pub fn descriptor(&self, file_bytes: u64, root: Option<A::Digest>) -> [u8; DESCRIPTOR_BYTES] {
        let mut descriptor = [0; DESCRIPTOR_BYTES];
        let log_block_bytes = self.merkle.leaf_bytes.trailing_zeros() as u8;
        descriptor[..4].copy_from_slice(&[1, A::NUMBER, log_block_bytes, self.salt.len() as u8]);
        descriptor[8..16].copy_from_slice(&file_bytes.to_le_bytes());
        if let Some(root) = root {
            descriptor[16..16 + A::DIGEST_BYTES].copy_from_slice(root.as_ref());
        }
        descriptor[80..80 + self.salt.len()].copy_from_slice(&self.salt);
        descriptor
    }

    /// Returns the digest of a file that has this descriptor.
    pub fn digest_of(&self, descriptor: &[u8; DESCRIPTOR_BYTES]) -> A::Digest {
        crate::hash::hash::<A>(descriptor)
    }

    /// Returns the digest of a file with this content.
    pub fn digest(&self, content: &[u8]) -> A::Digest {
        self.digests(&[content])[0]
    }

    /// Returns the digest of each file, and computes all of them together.
    pub fn digests(&self, contents: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let roots = self.merkle.roots(contents);
        let sizes = contents.iter().map(|content| content.as_ref().len() as u64);
        let descriptors: Vec<_> = sizes.zip(roots).map(|(bytes, root)| self.descriptor(bytes, root)).collect();
        crate::many::hash_many::<A>(&descriptors)
    }
}
