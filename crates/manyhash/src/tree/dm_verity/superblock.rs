//! The superblock of a hash device (cryptsetup, lib/verity: 512 bytes, integers little-endian).

use super::{BLOCK_BYTES, Format, MOST_SALT_BYTES};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use std::fmt;

/// Bytes of a superblock.
pub const SUPERBLOCK_BYTES: usize = 512;

const SIGNATURE: &[u8; 8] = b"verity\0\0";
const VERSION: u32 = 1;
/// Bytes of the field for an algorithm's name, which ends with a zero.
const ALGORITHM_BYTES: usize = 32;

/// The superblock of a hash device, which describes everything but the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// The type of the hash device.
    pub format: Format,
    /// The identifier of the device.
    pub uuid: [u8; 16],
    /// The name of the algorithm in Linux: `sha256`.
    pub algorithm: String,
    /// Bytes of a block of data.
    pub data_block_bytes: usize,
    /// Bytes of a block of digests.
    pub hash_block_bytes: usize,
    /// The number of blocks of data.
    pub data_blocks: u64,
    /// The salt, which may be empty.
    pub salt: Vec<u8>,
}

impl Superblock {
    /// Returns the superblock as it is on the device.
    ///
    /// # Panics
    /// Panics if the algorithm's name has 32 bytes or more, or if the salt has more than
    /// [`MOST_SALT_BYTES`].
    pub fn to_bytes(&self) -> [u8; SUPERBLOCK_BYTES] {
        assert!(self.algorithm.len() < ALGORITHM_BYTES && self.salt.len() <= MOST_SALT_BYTES, "{self:?}");
        let mut fields = Vec::with_capacity(SUPERBLOCK_BYTES);
        fields.extend_from_slice(SIGNATURE);
        fields.extend_from_slice(&VERSION.to_le_bytes());
        fields.extend_from_slice(&self.format.number().to_le_bytes());
        fields.extend_from_slice(&self.uuid);
        fields.extend_from_slice(self.algorithm.as_bytes());
        fields.resize(32 + ALGORITHM_BYTES, 0);
        fields.extend_from_slice(&(self.data_block_bytes as u32).to_le_bytes());
        fields.extend_from_slice(&(self.hash_block_bytes as u32).to_le_bytes());
        fields.extend_from_slice(&self.data_blocks.to_le_bytes());
        fields.extend_from_slice(&(self.salt.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0; 6]);
        fields.extend_from_slice(&self.salt);
        let mut bytes = [0; SUPERBLOCK_BYTES];
        bytes[..fields.len()].copy_from_slice(&fields);
        bytes
    }

    /// Parses the first [`SUPERBLOCK_BYTES`] of `bytes`.
    ///
    /// # Errors
    /// Fails if there are fewer bytes, or if a field has a value that no device has.
    pub fn parse(bytes: &[u8]) -> Result<Self, SuperblockError> {
        let bytes: &[u8; SUPERBLOCK_BYTES] = bytes.first_chunk().ok_or(SuperblockError::Truncated { bytes: bytes.len() })?;
        let (signature, fields) = bytes.split_at(8);
        if signature != SIGNATURE {
            return Err(SuperblockError::Signature);
        }
        let mut fields = Fields(fields);
        let wrong = |field: &'static str, value: u64| SuperblockError::Field { field, value };
        let version = fields.u32();
        if version != VERSION {
            return Err(wrong("version", version.into()));
        }
        let format = fields.u32();
        let format = Format::by_number(format).ok_or(wrong("hash type", format.into()))?;
        let uuid = fields.take();
        let algorithm: [u8; ALGORITHM_BYTES] = fields.take();
        let no_name = || SuperblockError::Algorithm { name: algorithm.escape_ascii().to_string() };
        let end = algorithm.iter().position(|byte| *byte == 0).ok_or_else(no_name)?;
        let algorithm = std::str::from_utf8(&algorithm[..end]).map_err(|_| no_name())?.to_string();
        let block_bytes = |field, bytes: u32| {
            let is_block = bytes.is_power_of_two() && BLOCK_BYTES.contains(&(bytes as usize));
            is_block.then_some(bytes as usize).ok_or(wrong(field, bytes.into()))
        };
        let data_block_bytes = block_bytes("data block size", fields.u32())?;
        let hash_block_bytes = block_bytes("hash block size", fields.u32())?;
        let data_blocks = u64::from_le_bytes(fields.take());
        if data_blocks == 0 || data_blocks.checked_mul(data_block_bytes as u64).is_none() {
            return Err(wrong("data blocks", data_blocks));
        }
        let salt_bytes = u16::from_le_bytes(fields.take());
        let _padding: [u8; 6] = fields.take();
        let salt: [u8; MOST_SALT_BYTES] = fields.take();
        let salt = salt.get(..salt_bytes.into()).ok_or(wrong("salt size", salt_bytes.into()))?.to_vec();
        Ok(Self { format, uuid, algorithm, data_block_bytes, hash_block_bytes, data_blocks, salt })
    }
}

/// The fields that are not read yet.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_first_chunk().expect("all fields are in the superblock");
        self.0 = rest;
        *field
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}

/// The reason why bytes are no superblock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuperblockError {
    /// The superblock is cut off.
    Truncated {
        /// The number of bytes that there are.
        bytes: usize,
    },
    /// The bytes do not begin with the signature.
    Signature,
    /// The algorithm's name has no end, or is not text.
    Algorithm {
        /// The bytes of the field, escaped.
        name: String,
    },
    /// A number is out of range.
    Field {
        /// The name of the field.
        field: &'static str,
        /// The value of the field.
        value: u64,
    },
}

impl fmt::Display for SuperblockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { bytes } => write!(f, "the superblock has {bytes} bytes, not {SUPERBLOCK_BYTES}"),
            Self::Signature => f.write_str("no verity superblock: its signature is not there"),
            Self::Algorithm { name } => write!(f, "the superblock's hash algorithm is no name: {name}"),
            Self::Field { field, value } => write!(f, "the superblock's {field} cannot be {value}"),
        }
    }
}

impl std::error::Error for SuperblockError {}
