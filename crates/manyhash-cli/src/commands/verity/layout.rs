//! The places of all parts of a hash device.

use crate::flags::VerityDeviceArguments;
use manyhash::tree::DmVerity;
use manyhash::tree::dm_verity::{Format, SUPERBLOCK_BYTES, Superblock};
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_files::read::{filled, positioned};
use std::fs::File;
use std::io;

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// What the superblock says, or would say if there were one.
    pub(crate) superblock: Superblock,
    pub(crate) algorithm: AnyAlgorithm,
    /// Where the superblock begins, or the hashes if there is no superblock.
    pub(crate) hash_offset: u64,
    pub(crate) has_superblock: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) offset: u64,
    pub(crate) nodes: u64,
}

impl Layout {
    /// Creates the layout of the options, for `data_blocks` blocks of data and without a UUID.
    pub(crate) fn of(arguments: &VerityDeviceArguments, data_blocks: u64, salt: Vec<u8>) -> Self {
        let algorithm = arguments.algorithm.as_ref().map_or(AnyAlgorithm::Sha256, |hash| hash.algorithm);
        let superblock = Superblock {
            format: arguments.format.unwrap_or_default(),
            uuid: [0; 16],
            algorithm: linux_name(algorithm),
            data_block_bytes: arguments.data_block_bytes(),
            hash_block_bytes: arguments.hash_block_bytes(),
            data_blocks,
            salt,
        };
        Self { superblock, algorithm, hash_offset: arguments.hash_offset, has_superblock: !arguments.no_superblock }
    }

    pub(crate) fn read(file: &File, hash_offset: u64) -> io::Result<Self> {
        let mut bytes = [0; SUPERBLOCK_BYTES];
        let count = positioned::read_at(file, &mut bytes, hash_offset)?;
        Self::parse(filled(&bytes, count)?, hash_offset).map_err(|what| io::Error::other(format!("at byte {hash_offset}: {what}")))
    }

    /// Parses the superblock that is at `hash_offset`.
    pub(crate) fn parse(bytes: &[u8], hash_offset: u64) -> Result<Self, String> {
        let superblock = Superblock::parse(bytes).map_err(|error| error.to_string())?;
        let algorithm = AnyAlgorithm::ALL.iter().copied().find(|&algorithm| linux_name(algorithm) == superblock.algorithm);
        let algorithm =
            algorithm.ok_or_else(|| format!("the superblock's hash algorithm is unknown: {}", superblock.algorithm.escape_debug()))?;
        Ok(Self { superblock, algorithm, hash_offset, has_superblock: true })
    }

    #[expect(clippy::expect_used, reason = "options and superblocks with other values were refused before")]
    pub(crate) fn tree<A: Algorithm>(&self) -> DmVerity<A> {
        let Superblock { format, data_block_bytes, hash_block_bytes, ref salt, .. } = self.superblock;
        DmVerity::new(format, data_block_bytes, hash_block_bytes, salt).expect("the parameters were checked before")
    }

    /// Returns where the first block of hashes begins.
    pub(crate) fn tree_offset(&self) -> u64 {
        if self.has_superblock {
            (self.hash_offset + SUPERBLOCK_BYTES as u64).next_multiple_of(self.superblock.hash_block_bytes as u64)
        } else {
            self.hash_offset
        }
    }

    pub(crate) fn data_bytes(&self) -> u64 {
        self.superblock.data_blocks * self.superblock.data_block_bytes as u64
    }

    /// Returns the levels of the tree, beginning with the one over data.
    pub(crate) fn levels<A: Algorithm>(&self) -> Vec<Level> {
        let tree = self.tree::<A>();
        let (offsets, _) = tree.merkle().level_offsets(self.superblock.data_blocks);
        let nodes = tree.merkle().nodes(self.superblock.data_blocks);
        let offset_of = |block| self.tree_offset() + block * self.superblock.hash_block_bytes as u64;
        offsets.into_iter().zip(nodes).map(|(block, nodes)| Level { offset: offset_of(block), nodes }).collect()
    }

    pub(crate) fn hash_blocks(&self) -> u64 {
        with_algorithm!(self.algorithm, A => self.tree::<A>().merkle().level_offsets(self.superblock.data_blocks).1)
    }

    pub(crate) fn end(&self) -> u64 {
        self.tree_offset() + self.hash_blocks() * self.superblock.hash_block_bytes as u64
    }

    /// Returns the length in bytes that the device needs. A program that maps a file with a
    /// superblock alone reads a block of it, so the device has at least that block.
    pub(crate) fn device_bytes(&self) -> u64 {
        const MAPPED_BYTES: usize = 4096;
        match (self.has_superblock, self.hash_blocks()) {
            (false, 0) => 0,
            (false, _) => self.end(),
            (true, _) => self.end().max(self.hash_offset + self.superblock.hash_block_bytes.min(MAPPED_BYTES) as u64),
        }
    }

    /// Returns the first option that contradicts the superblock, the stored value and the option's.
    pub(crate) fn contradiction(&self, arguments: &VerityDeviceArguments) -> Option<(&'static str, String, String)> {
        let Superblock { format, data_block_bytes, hash_block_bytes, data_blocks, ref salt, .. } = self.superblock;
        let differs =
            |name, ours: String, theirs: Option<String>| theirs.filter(|theirs| *theirs != ours).map(|theirs| (name, ours, theirs));
        let number = |format: Format| format.number().to_string();
        let blocks = arguments.data_blocks.filter(|&blocks| blocks > 0);
        let given_salt = arguments.salt.as_ref().map(|salt| salt_text(&salt.0));
        differs("--salt", salt_text(salt), given_salt)
            .or_else(|| differs("--hash", linux_name(self.algorithm), arguments.algorithm.as_ref().map(|hash| linux_name(hash.algorithm))))
            .or_else(|| differs("--format", number(format), arguments.format.map(number)))
            .or_else(|| {
                differs("--data-block-size", data_block_bytes.to_string(), arguments.data_block_size.map(|bytes| bytes.to_string()))
            })
            .or_else(|| {
                differs("--hash-block-size", hash_block_bytes.to_string(), arguments.hash_block_size.map(|bytes| bytes.to_string()))
            })
            .or_else(|| differs("--data-blocks", data_blocks.to_string(), blocks.map(|blocks| blocks.to_string())))
    }
}

/// Formats a salt as users type it: `-` if there is none.
pub(crate) fn salt_text(salt: &[u8]) -> String {
    if salt.is_empty() { "-".to_string() } else { const_hex::encode(salt) }
}

/// Returns Linux's name for an algorithm: `sha256`, `sha512-256`.
pub(crate) fn linux_name(algorithm: AnyAlgorithm) -> String {
    algorithm.to_string().replace('/', "-")
}
