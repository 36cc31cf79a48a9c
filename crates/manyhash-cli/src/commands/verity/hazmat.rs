//! What a superblock leads to, for the fuzz targets.

use super::layout::Layout;
use super::report::Report;
use manyhash::with_algorithm;
use std::path::Path;

/// A hash device, as its superblock describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashDevice {
    /// Where the first block of hashes begins.
    pub tree_offset: u64,
    /// Where the levels of the tree begin and end, the one over data first.
    pub levels: Vec<(u64, u64)>,
    /// Where the last block of hashes ends.
    pub end: u64,
    /// The bytes that the device needs.
    pub device_bytes: u64,
    /// What `verity dump` prints.
    pub report: Vec<u8>,
}

pub(crate) fn hash_device(bytes: &[u8], hash_offset: u64) -> Result<HashDevice, String> {
    let layout = Layout::parse(bytes, hash_offset)?;
    let block_bytes = layout.superblock.hash_block_bytes as u64;
    let levels = with_algorithm!(layout.algorithm, A => layout.levels::<A>());
    Ok(HashDevice {
        tree_offset: layout.tree_offset(),
        levels: levels.iter().map(|level| (level.offset, level.offset + level.nodes * block_bytes)).collect(),
        end: layout.end(),
        device_bytes: layout.device_bytes(),
        report: Report { path: Path::new("device"), layout: &layout, typed_hash: None, typed_uuid: None, root: None }.lines(),
    })
}
