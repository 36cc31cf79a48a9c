//! Compares a stored tree with the data it should be of, level by level, as the data is read.

use super::layout::Level;
use manyhash::Algorithm;
use manyhash::tree::Merkle;
use manyhash_files::changed;
use manyhash_files::read::positioned;
use std::fs::File;
use std::io;

/// The bytes of hashes that are read at once, at least a block.
const BATCH_BYTES: usize = 128 << 10;

/// The corrupt blocks of a level or of the data: their number, and the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corrupt {
    pub(crate) blocks: u64,
    /// The first of them. It is meaningless if there is none.
    pub(crate) first: u64,
}

impl Corrupt {
    fn add(&mut self, block: u64) {
        self.first = if self.blocks == 0 { block } else { self.first.min(block) };
        self.blocks += 1;
    }
}

/// A check that goes on as digests of data come in.
#[derive(Debug)]
pub(crate) struct Check<'a, A: Algorithm> {
    merkle: &'a Merkle<A>,
    hashes: &'a File,
    levels: Vec<Stored>,
    top: Option<A::Digest>,
}

#[derive(Debug)]
struct Stored {
    level: Level,
    digests: u64,
    compared: u64,
    /// The blocks that are being compared. `batch_first` is the number of the first.
    batch: Vec<u8>,
    batch_first: u64,
    /// The blocks of the level below, or of the data, whose digests differ.
    differing: Corrupt,
    /// The blocks with a byte that belongs to no digest and is not zero.
    spare: Corrupt,
}

#[derive(Debug)]
pub(crate) struct Found<D> {
    pub(crate) root: D,
    /// The blocks whose digests differ: of the data, of level 0, and so on, except for the top.
    pub(crate) differing: Vec<Corrupt>,
    /// The blocks of each level that have bytes other than zero where no digest is.
    pub(crate) spare: Vec<Corrupt>,
}

impl<'a, A: Algorithm> Check<'a, A> {
    /// Creates a check of the levels in `hashes` against `data_blocks` blocks of data.
    pub(crate) fn new(merkle: &'a Merkle<A>, hashes: &'a File, levels: &[Level], data_blocks: u64) -> Self {
        let digests = [data_blocks].into_iter().chain(levels.iter().map(|level| level.nodes));
        let stored = levels.iter().zip(digests).map(|(&level, digests)| Stored {
            level,
            digests,
            compared: 0,
            batch: Vec::new(),
            batch_first: 0,
            differing: Corrupt::default(),
            spare: Corrupt::default(),
        });
        Self { merkle, hashes, levels: stored.collect(), top: None }
    }

    /// Takes the next digests of data. Fails if hashes cannot be read.
    pub(crate) fn push(&mut self, digests: &[A::Digest]) -> io::Result<()> {
        self.compare(0, digests)
    }

    /// Returns what was found, now that all digests of data have come. Fails if some are missing.
    pub(crate) fn finish(self) -> io::Result<Found<A::Digest>> {
        let root = self.top.ok_or_else(changed)?;
        let (differing, spare) = self.levels.iter().map(|stored| (stored.differing, stored.spare)).unzip();
        Ok(Found { root, differing, spare })
    }

    fn compare(&mut self, level: usize, mut digests: &[A::Digest]) -> io::Result<()> {
        let Self { merkle, hashes, .. } = *self;
        while !digests.is_empty() {
            let Some(stored) = self.levels.get_mut(level) else {
                self.top = digests.first().copied();
                return Ok(());
            };
            if stored.compared == stored.batch_end(merkle) {
                stored.read(merkle, hashes)?;
            }
            let left = stored.batch_end(merkle) - stored.compared;
            let (now, later) = digests.split_at(digests.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
            stored.compare(merkle, now);
            digests = later;
            if stored.compared == stored.batch_end(merkle) {
                stored.check_spare(merkle);
                let above = merkle.hash_nodes(&stored.batch);
                stored.batch_first += above.len() as u64;
                stored.batch.clear();
                self.compare(level + 1, &above)?;
            }
        }
        Ok(())
    }
}

impl Stored {
    /// Returns the number of the digest after the last one of the batch.
    fn batch_end<A: Algorithm>(&self, merkle: &Merkle<A>) -> u64 {
        let nodes = self.batch_first + (self.batch.len() / merkle.node_bytes()) as u64;
        nodes.saturating_mul(merkle.children() as u64).min(self.digests)
    }

    fn read<A: Algorithm>(&mut self, merkle: &Merkle<A>, hashes: &File) -> io::Result<()> {
        let node_bytes = merkle.node_bytes();
        let wanted = (BATCH_BYTES / node_bytes).max(1);
        let nodes = usize::try_from(self.level.nodes - self.batch_first).unwrap_or(usize::MAX).min(wanted);
        self.batch.resize(nodes * node_bytes, 0);
        let offset = self.level.offset + self.batch_first * node_bytes as u64;
        let count = positioned::read_at(hashes, &mut self.batch, offset)?;
        if count < self.batch.len() {
            return Err(io::Error::other(format!("it ends at byte {}, before the hashes do", offset + count as u64)));
        }
        Ok(())
    }

    fn compare<A: Algorithm>(&mut self, merkle: &Merkle<A>, digests: &[A::Digest]) {
        let children = merkle.children() as u64;
        for digest in digests {
            let node = (self.compared / children - self.batch_first) as usize;
            let start = node * merkle.node_bytes() + (self.compared % children) as usize * merkle.child_bytes();
            if self.batch.get(start..start + A::DIGEST_BYTES) != Some(digest.as_ref()) {
                self.differing.add(self.compared);
            }
            self.compared += 1;
        }
    }

    /// Looks for bytes of the batch that belong to no digest and are not zero.
    fn check_spare<A: Algorithm>(&mut self, merkle: &Merkle<A>) {
        let children = merkle.children() as u64;
        for (node, bytes) in (self.batch_first..).zip(self.batch.chunks_exact(merkle.node_bytes())) {
            let digests = (self.digests - node * children).min(children) as usize;
            let (used, rest) = bytes.split_at(digests * merkle.child_bytes());
            let mut spare = used.chunks_exact(merkle.child_bytes()).filter_map(|child| child.get(A::DIGEST_BYTES..)).chain([rest]);
            if spare.any(|bytes| bytes.iter().any(|&byte| byte != 0)) {
                self.spare.add(node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verity::layout::Layout;
    use manyhash::AnyAlgorithm;
    use manyhash::Sha1;
    use manyhash::tree::dm_verity::{Format, Superblock};

    const DATA_BLOCKS: u64 = 3000;

    fn layout(format: Format) -> Layout {
        let superblock = Superblock {
            format,
            uuid: [0; 16],
            algorithm: "sha1".to_string(),
            data_block_bytes: 512,
            hash_block_bytes: 512,
            data_blocks: DATA_BLOCKS,
            salt: vec![7],
        };
        Layout { superblock, algorithm: AnyAlgorithm::Sha1, hash_offset: 0, has_superblock: false }
    }

    fn digests() -> Vec<[u8; 20]> {
        (0..DATA_BLOCKS).map(|block| manyhash::hash::<Sha1>(&block.to_le_bytes())).collect()
    }

    /// Writes a tree of made-up digests, and returns it and its root.
    fn stored(layout: &Layout) -> (File, [u8; 20]) {
        let file = tempfile::tempfile().unwrap();
        let (tree, levels) = (layout.tree::<Sha1>(), layout.levels::<Sha1>());
        let mut builder = tree.merkle().builder();
        let write =
            |nodes: manyhash::tree::Nodes<'_>| positioned::write_at(&file, nodes.bytes, levels[nodes.level].offset + nodes.first * 512);
        builder.push(&digests(), write).unwrap();
        let root = builder.finish(write).unwrap().unwrap();
        (file, root)
    }

    fn found(layout: &Layout, file: &File, digests: &[[u8; 20]]) -> Found<[u8; 20]> {
        let tree = layout.tree::<Sha1>();
        let mut check = Check::new(tree.merkle(), file, &layout.levels::<Sha1>(), DATA_BLOCKS);
        digests.chunks(77).for_each(|digests| check.push(digests).unwrap());
        check.finish().unwrap()
    }

    fn flip(file: &File, offset: u64) {
        let mut byte = [0];
        positioned::read_at(file, &mut byte, offset).unwrap();
        positioned::write_at(file, &[byte[0] ^ 1], offset).unwrap();
    }

    #[test]
    fn what_differs_is_found_on_its_level() {
        for format in [Format::Normal, Format::ChromeOs] {
            let layout = layout(format);
            let (file, root) = stored(&layout);
            let none = Corrupt::default();
            let one = |first| Corrupt { blocks: 1, first };
            let fine = found(&layout, &file, &digests());
            // The levels have 188, 12 and 1 blocks of 16 digests.
            assert_eq!((fine.root, &fine.differing[..], &fine.spare[..]), (root, &[none; 3][..], &[none; 3][..]), "{format:?}");
            let mut changed = digests();
            [2999, 40, 41].into_iter().for_each(|block: usize| changed[block][3] ^= 1);
            let data = found(&layout, &file, &changed);
            assert_eq!((data.root, &data.differing[..]), (root, &[Corrupt { blocks: 3, first: 40 }, none, none][..]), "{format:?}");
            // This is the second digest of block 100 of level 0.
            let place = layout.levels::<Sha1>()[0].offset + 100 * 512 + if format == Format::Normal { 32 } else { 20 };
            flip(&file, place);
            let hash = found(&layout, &file, &digests());
            assert_eq!((hash.root, &hash.differing[..]), (root, &[one(1601), one(100), none][..]), "{format:?}");
            flip(&file, place);
            // The last byte of the top belongs to no digest, but changes the root.
            flip(&file, 511);
            let spare = found(&layout, &file, &digests());
            assert_eq!((&spare.differing[..], &spare.spare[..]), (&[none; 3][..], &[none, none, one(0)][..]), "{format:?}");
            assert_ne!(spare.root, root);
        }
    }

    #[test]
    fn hashes_that_end_early_are_an_error() {
        let layout = layout(Format::Normal);
        let (file, _) = stored(&layout);
        file.set_len(layout.end() - 1).unwrap();
        let tree = layout.tree::<Sha1>();
        let mut check = Check::new(tree.merkle(), &file, &layout.levels::<Sha1>(), DATA_BLOCKS);
        assert!(check.push(&digests()).unwrap_err().to_string().contains(&(layout.end() - 1).to_string()));
    }
}
