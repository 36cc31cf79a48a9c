//! Where everything is on a hash device.

use crate::flags::VerityDeviceArguments;
use manyhash::tree::DmVerity;
use manyhash::tree::dm_verity::{Format, SUPERBLOCK_BYTES, Superblock};
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_files::read::positioned;
use std::fs::File;
use std::io;

/// All parameters of a hash device.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// What a superblock says, or would say if there were one.
    pub(crate) superblock: Superblock,
    pub(crate) algorithm: AnyAlgorithm,
    /// Where the superblock is, or if there is none the hashes.
    pub(crate) hash_offset: u64,
    pub(crate) has_superblock: bool,
}

/// Where a level of the tree is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) offset: u64,
    pub(crate) nodes: u64,
}

impl Layout {
    /// As the options say, for data of so many blocks and without a UUID.
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

    /// As the superblock at `hash_offset` says.
    pub(crate) fn read(file: &File, hash_offset: u64) -> io::Result<Self> {
        let mut bytes = [0; SUPERBLOCK_BYTES];
        let count = positioned::read_at(file, &mut bytes, hash_offset)?;
        let wrong = |what: String| io::Error::other(format!("at byte {hash_offset}: {what}"));
        let superblock = Superblock::parse(&bytes[..count]).map_err(|error| wrong(error.to_string()))?;
        let algorithm = AnyAlgorithm::ALL.iter().copied().find(|&algorithm| linux_name(algorithm) == superblock.algorithm);
        let algorithm = algorithm
            .ok_or_else(|| wrong(format!("the superblock's hash algorithm is unknown: {}", superblock.algorithm.escape_debug())))?;
        Ok(Self { superblock, algorithm, hash_offset, has_superblock: true })
    }

    pub(crate) fn tree<A: Algorithm>(&self) -> DmVerity<A> {
        let Superblock { format, data_block_bytes, hash_block_bytes, ref salt, .. } = self.superblock;
        DmVerity::new(format, data_block_bytes, hash_block_bytes, salt).expect("the parameters were checked before")
    }

    /// Where the first block of hashes is.
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

    /// The levels of the tree, the one over data first.
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

    /// Bytes that the device needs. Who maps a file with a superblock alone reads a block of it, so that is there.
    pub(crate) fn device_bytes(&self) -> u64 {
        const MAPPED_BYTES: usize = 4096;
        match (self.has_superblock, self.hash_blocks()) {
            (false, 0) => 0,
            (false, _) => self.end(),
            (true, _) => self.end().max(self.hash_offset + self.superblock.hash_block_bytes.min(MAPPED_BYTES) as u64),
        }
    }

    /// Which of the options says something else than the superblock: its name, what the superblock says, what it says.
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

/// A salt as it is typed: `-` if there is none.
pub(crate) fn salt_text(salt: &[u8]) -> String {
    if salt.is_empty() { "-".to_string() } else { const_hex::encode(salt) }
}

/// The name that Linux has for an algorithm: `sha256`, `sha512-256`.
pub(crate) fn linux_name(algorithm: AnyAlgorithm) -> String {
    algorithm.to_string().replace('/', "-")
}
