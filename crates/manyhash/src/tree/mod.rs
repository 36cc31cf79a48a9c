//! Tree modes: each makes a digest of digests, so that one message has many parts that can be
//! hashed at once.
//!
//! None of these digests is the SHA digest of the message, whatever algorithm a mode uses.
//!
//! | mode | what it is | use it for |
//! |---|---|---|
//! | [`JLanes`] | words dealt out to j lanes (Gueron 2013) | a fast digest of one message that both sides agree on, in one pass |
//! | [`JPointers`] | j ranges of a message | a fast digest of a file, whose ranges are read side by side |
//! | [`files()`], [`Files`] | digests of j messages | one digest of a list of files |
//! | [`FsVerity`] | the file digest of Linux' fs-verity | files protected by the kernel, composefs, IMA |
//! | [`DmVerity`] | a block device and its hash device | verified boot, like `veritysetup` |
//! | [`BitTorrentV2`] | `pieces root` and `piece layers` of BEP 52 | torrents |
//! | [`s3_composite`] | the checksum of a multipart upload | comparing files with objects of S3 |
//! | [`glacier()`] | the tree hash of S3 Glacier | archives |
//! | [`sha256tree`] | a digest function of the Remote Execution API | caches of Bazel and others |
//! | [`rfc9162`] | the tree of a log, with its proofs | Certificate Transparency and other logs |
//! | [`ssz`] | `hash_tree_root` of SimpleSerialize | Ethereum |
//! | [`bitcoin`] | the root over a block's transactions | Bitcoin |
//! | [`git`] | ids of blobs and trees | files as Git names them |
//! | [`cid`] | the address of a file in IPFS | content-addressed stores |
//!
//! The first three are definitions of their own. The others are standards of other projects, and
//! the result is byte for byte what their tools print.
//!
//! A Merkle tree is a [`Merkle`], whatever its format: [`Builder`] makes its root in bounded memory, from
//! leaves that come one after the other, and [`Levels`] keeps its levels, so that a changed leaf costs its path only.
//!
//! # Separated
//! With plain initial values, a j-lanes digest is also the digest of another message: the digests
//! of the slices, one after the other. An attacker who may choose messages can use that to pass one
//! off as the other. `separated()` takes initial values derived from algorithm, mode and j, so that
//! no message has that digest in another mode. It is not needed if no attacker can choose messages,
//! or if all digests are of one mode.
//!
//! # Worked examples
#![doc = include_str!("examples.md")]

pub mod bitcoin;
pub mod bittorrent_v2;
pub mod cid;
mod compressed;
mod copied;
pub(crate) mod dealt;
pub mod dm_verity;
mod files;
pub mod fs_verity;
pub mod git;
pub mod glacier;
mod j_lanes;
mod j_pointers;
mod levels;
mod merkle;
pub mod rfc9162;
mod separated;
pub mod sha256tree;
pub mod ssz;

use alloc::vec::Vec;
pub use bittorrent_v2::BitTorrentV2;
pub use dm_verity::DmVerity;
pub use files::Files;
pub use fs_verity::FsVerity;
pub use j_lanes::{JLanes, JLanesHasher};
pub use j_pointers::JPointers;
pub use levels::Levels;
pub use merkle::{Builder, Merkle, Nodes};

use crate::algorithm::Sha256;
use crate::algorithms::Algorithm;
use crate::frame::Frame;
use std::fmt;
use std::ops::RangeInclusive;

/// The numbers of lanes that [`JLanes`] and [`JPointers`] may have.
pub const LANES: RangeInclusive<usize> = 1..=1024;

/// Returns the digest of a list of messages, from their digests in order: files(A), "hashing a file
/// system" (Gueron 2013).
///
/// ```
/// use manyhash::{Sha256, hash, hash_many, tree};
/// let digests = hash_many::<Sha256>(&["one", "two"]);
/// assert_eq!(tree::files::<Sha256>(&digests), hash::<Sha256>(digests.as_flattened()));
/// ```
pub fn files<A: Algorithm>(digests: &[A::Digest]) -> A::Digest {
    wrap(&Frame::<A>::default(), digests)
}

/// Returns the composite checksum of an object that S3 got in parts, from the digests of the parts:
/// the bytes that S3 prints in base64 before `-` and the number of parts. With MD5, they are those
/// of a multipart ETag.
///
/// The uploader chooses the size of parts; all but the last have it.
pub fn s3_composite<A: Algorithm>(parts: &[A::Digest]) -> A::Digest {
    wrap(&Frame::<A>::default(), parts)
}

/// Returns the tree hash of an archive in S3 Glacier.
pub fn glacier(content: &[u8]) -> [u8; 32] {
    glacier::merkle().roots(&[content])[0].unwrap_or_else(|| crate::hash::hash::<Sha256>(&[]))
}

/// Returns the digest of digests.
fn wrap<A: Algorithm>(frame: &Frame<A>, digests: &[A::Digest]) -> A::Digest {
    let mut bytes = Vec::with_capacity(digests.len() * A::DIGEST_BYTES);
    digests.iter().for_each(|digest| bytes.extend_from_slice(digest.as_ref()));
    frame.hash(&bytes)
}

/// The reason why there is no tree with these parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterError {
    /// The number of lanes is not in [`LANES`].
    Lanes {
        /// The number of lanes that was given.
        lanes: usize,
    },
    /// A block size is out of range, or no power of two.
    BlockSize {
        /// The name of the parameter.
        parameter: &'static str,
        /// The size that was given, in bytes.
        bytes: usize,
        /// The sizes that are allowed, in bytes.
        range: RangeInclusive<usize>,
    },
    /// The salt is too long.
    Salt {
        /// The length of the salt, in bytes.
        bytes: usize,
        /// The most bytes that it may have.
        most_bytes: usize,
    },
    /// There are more chunks than a type of SimpleSerialize has room for.
    Limit {
        /// The number of chunks.
        chunks: u64,
        /// The number of chunks that there is room for.
        limit: u64,
    },
    /// A BitTorrent piece's length is out of range, or no power of two.
    PieceLength {
        /// The length that was given, in bytes.
        bytes: u64,
    },
}

impl ParameterError {
    fn check_block(parameter: &'static str, bytes: usize, range: RangeInclusive<usize>) -> Result<(), Self> {
        let is_block = bytes.is_power_of_two() && range.contains(&bytes);
        if is_block { Ok(()) } else { Err(Self::BlockSize { parameter, bytes, range }) }
    }

    fn check_salt(salt: &[u8], most_bytes: usize) -> Result<(), Self> {
        if salt.len() <= most_bytes { Ok(()) } else { Err(Self::Salt { bytes: salt.len(), most_bytes }) }
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes { lanes } => write!(f, "{lanes} lanes: it must be {} to {}", LANES.start(), LANES.end()),
            Self::BlockSize { parameter, bytes, range } => {
                write!(f, "{parameter} of {bytes} bytes: it must be a power of two from {} to {}", range.start(), range.end())
            }
            Self::Salt { bytes, most_bytes } => write!(f, "salt of {bytes} bytes: it must be {most_bytes} at most"),
            Self::Limit { chunks, limit } => write!(f, "{chunks} chunks: the limit is {limit}"),
            Self::PieceLength { bytes } => {
                write!(f, "piece length of {bytes} bytes: it must be a power of two from {}", bittorrent_v2::BLOCK_BYTES)
            }
        }
    }
}

impl std::error::Error for ParameterError {}
