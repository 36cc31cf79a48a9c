//! dm-verity: the Merkle tree over a block device of the Linux kernel
//! (Documentation/admin-guide/device-mapper/verity.rst), with the superblock of cryptsetup
//! (docs/on-disk-format, wiki page DMVerity). `veritysetup format` writes both.

mod superblock;

pub use superblock::{SUPERBLOCK_BYTES, Superblock, SuperblockError};

use super::merkle::{LastLeaf, LastNode, Leaf, Node};
use super::{Merkle, ParameterError};
use crate::algorithms::Algorithm;
use crate::frame::Frame;

/// The most bytes that a salt may have.
pub const MOST_SALT_BYTES: usize = 256;
/// The sizes that a block of data or digests may have, in bytes. It must be a power of two.
pub const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 512..=524288;

/// The type of a hash device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Type 0, of Chrome OS: the salt is after each block, and digests are packed.
    ChromeOs,
    /// Type 1: the salt is before each block, and digests are filled with zeros to a power of two.
    #[default]
    Normal,
}

impl Format {
    /// Returns the number of the type.
    pub fn number(self) -> u32 {
        match self {
            Self::ChromeOs => 0,
            Self::Normal => 1,
        }
    }

    /// Returns the type with this number.
    pub fn by_number(number: u32) -> Option<Self> {
        [Self::ChromeOs, Self::Normal].into_iter().find(|format| format.number() == number)
    }
}

/// Computes dm-verity trees with given parameters.
#[derive(Clone, Debug)]
pub struct DmVerity<A: Algorithm> {
    merkle: Merkle<A>,
}

impl<A: Algorithm> DmVerity<A> {
    /// Takes blocks of data and of digests, their sizes in bytes, and a salt, which may be empty.
    ///
    /// # Errors
    /// Fails if a block size is no power of two in [`BLOCK_BYTES`], or if the salt has more than
    /// [`MOST_SALT_BYTES`].
    pub fn new(format: Format, data_block_bytes: usize, hash_block_bytes: usize, salt: &[u8]) -> Result<Self, ParameterError> {
        ParameterError::check_block("data block size", data_block_bytes, BLOCK_BYTES)?;
        ParameterError::check_block("hash block size", hash_block_bytes, BLOCK_BYTES)?;
        ParameterError::check_salt(salt, MOST_SALT_BYTES)?;
        // The kernel counts children by shifts, so it rounds down to a power of two.
        let children = 1 << (hash_block_bytes / A::DIGEST_BYTES).ilog2();
        let (frame, child_bytes) = match format {
            Format::ChromeOs => (Frame::new(&[], salt), A::DIGEST_BYTES),
            Format::Normal => (Frame::new(salt, &[]), hash_block_bytes / children),
        };
        let merkle = Merkle {
            leaf: Leaf::Hashed(frame.clone()),
            node: Node::Hashed(frame),
            leaf_bytes: data_block_bytes,
            last_leaf: LastLeaf::ZeroPadded,
            children,
            child_bytes,
            node_bytes: hash_block_bytes,
            last_node: LastNode::ZeroPadded,
        };
        Ok(Self { merkle })
    }

    /// Returns the Merkle tree of these parameters.
    pub fn merkle(&self) -> &Merkle<A> {
        &self.merkle
    }
}
