//! Superblocks of dm-verity, and the layout of the device that they describe. (Nothing reads
//! descriptors of fs-verity; `trees` compares those that are written.)

use crate::choices::Choices;
use manyhash::tree::dm_verity::{BLOCK_BYTES, MOST_SALT_BYTES, SUPERBLOCK_BYTES, Superblock};
use manyhash_cli::hazmat::hash_device;

/// Bytes of the fields before the salt.
const FIELDS_BYTES: usize = 88;
/// Bytes between the length of the salt and the salt.
const PADDING: std::ops::Range<usize> = 82..88;

/// Parses a superblock, writes it again, and asks where the hashes would be.
///
/// The first byte chooses where the superblock is; the others are its bytes.
pub fn target(data: &[u8]) {
    let mut choices = Choices::new(data);
    // The last is the greatest place that the command takes: a multiple of 512 that a file can have.
    let hash_offset = choices.one_of(&[0, 512, 4096, 1 << 40, (1 << 63) - 512]);
    let bytes = choices.rest();
    let device = hash_device(bytes, hash_offset);
    let superblock = match Superblock::parse(bytes) {
        Ok(superblock) => superblock,
        Err(error) => {
            assert!(!error.to_string().is_empty() && device.is_err(), "no superblock, and a device");
            return;
        }
    };
    assert!(superblock.salt.len() <= MOST_SALT_BYTES && superblock.data_blocks > 0, "{superblock:?}");
    for block_bytes in [superblock.data_block_bytes, superblock.hash_block_bytes] {
        assert!(block_bytes.is_power_of_two() && BLOCK_BYTES.contains(&block_bytes), "{superblock:?}");
    }
    let written = superblock.to_bytes();
    assert_eq!(Superblock::parse(&written).as_ref(), Ok(&superblock), "written and parsed again");
    // What is written has zeros where nothing is said: behind the name, in the padding, behind the salt.
    let said = |at: usize| {
        let name = 32..32 + superblock.algorithm.len();
        let is_blank = (32..64).contains(&at) && !name.contains(&at) || PADDING.contains(&at) || at >= FIELDS_BYTES + superblock.salt.len();
        !is_blank
    };
    assert!((0..SUPERBLOCK_BYTES).all(|at| written[at] == if said(at) { bytes[at] } else { 0 }), "written: {superblock:?}");

    let Ok(device) = device else { return };
    let block_bytes = superblock.hash_block_bytes as u64;
    assert!(device.tree_offset >= hash_offset + SUPERBLOCK_BYTES as u64 && device.tree_offset.is_multiple_of(block_bytes), "{device:?}");
    // The root's level comes first, and each other one where the one above it ends.
    let mut at = device.tree_offset;
    for (start, end) in device.levels.iter().rev() {
        assert!(*start == at && end > start, "{device:?}");
        at = *end;
    }
    assert_eq!(device.end, at, "{device:?}");
    assert!(device.device_bytes >= device.end && !device.report.is_empty(), "{device:?}");
}
