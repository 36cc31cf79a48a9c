//! `verity verify`: hashes the data and compares the whole stored tree with it.

use super::DeviceError;
use super::check::{Check, Corrupt, Found};
use super::device::open_data;
use super::format::data_blocks;
use super::layout::{Layout, Level};
use crate::commands::prepare_backends;
use crate::exit::{Failure, Outcome};
use crate::flags::VerityVerifyArguments;
use crate::message::say_of;
use crate::progress::Progress;
use crate::text::hexadecimal;
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_files::leaves::{self, Source};
use manyhash_files::{Reading, Totals, file_name};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(program: &OsStr, arguments: VerityVerifyArguments, verbose: bool) -> Outcome {
    arguments.device.check_hash_offset().map_err(Failure::usage)?;
    let VerityVerifyArguments { data, hash, work, .. } = &arguments;
    let (hashes, hashes_bytes) = open_data(hash).map_err(Failure::of(hash))?;
    let (file, bytes) = open_data(data).map_err(Failure::of(data))?;
    let layout = layout(&arguments, &hashes, bytes)?;
    prepare_backends(program, layout.algorithm.into(), verbose).map_err(Failure::usage)?;
    let root = root(&arguments, layout.algorithm)?;
    let (data_bytes, end) = (layout.data_bytes(), layout.end());
    if bytes < data_bytes {
        let blocks = layout.superblock.data_blocks;
        return Err(Failure::with(data, format!("it ends at byte {bytes}, {blocks} blocks of data at byte {data_bytes}")));
    }
    if hashes_bytes < end && layout.hash_blocks() > 0 {
        return Err(Failure::with(hash, format!("it ends at byte {hashes_bytes}, the hashes at byte {end}")));
    }

    let totals = Arc::<Totals>::default();
    totals.found_file(data_bytes);
    totals.found_all();
    let progress = Progress::start(program, work.progress, &totals, || None);
    let reading = Reading::begin(&totals, data, data_bytes);
    let found = with_algorithm!(layout.algorithm, A => check::<A>(&layout, &file, &hashes, work.workers, &reading));
    drop(reading);
    totals.done();
    progress.finish();
    let found = found.map_err(|error| error.of(data, hash))?;
    let mut is_fine = true;
    for (path, message) in complaints(&layout, &found, &root, data, hash) {
        is_fine = false;
        say_of(program, &file_name::bytes_of(path), message);
    }
    Ok(is_fine)
}

/// Returns the layout in the superblock, or without one that of the options.
fn layout(arguments: &VerityVerifyArguments, hashes: &File, data_bytes: u64) -> Result<Layout, Failure> {
    let VerityVerifyArguments { device, data, hash, .. } = arguments;
    if device.no_superblock {
        let data_blocks = data_blocks(device, data_bytes).map_err(Failure::of(data))?;
        let salt = device.salt.as_ref().map_or_else(Vec::new, |salt| salt.0.to_vec());
        return Ok(Layout::of(device, data_blocks, salt));
    }
    let layout = Layout::read(hashes, device.hash_offset).map_err(Failure::of(hash))?;
    match layout.contradiction(device) {
        None => Ok(layout),
        Some((option, stored, given)) => Err(Failure::with(hash, format!("the superblock says {stored}, not {option} {given}"))),
    }
}

/// Returns the root hash that the arguments give, directly or in a file.
fn root(arguments: &VerityVerifyArguments, algorithm: AnyAlgorithm) -> Result<Box<[u8]>, Failure> {
    let digest_bytes = algorithm.digest_bytes();
    let decode = |digits: &[u8]| hexadecimal::decode(digits).filter(|root| root.len() == digest_bytes);
    let wanted = format!("the root hash has {} hexadecimal digits", 2 * digest_bytes);
    if let Some(root) = &arguments.root {
        return decode(root.as_encoded_bytes()).ok_or_else(|| Failure::usage(format!("ROOT {}: {wanted}", root.display())));
    }
    let path = arguments.root_hash_file.as_deref().ok_or_else(|| Failure::usage("ROOT or --root-hash-file is required"))?;
    let content = read_start(path).map_err(Failure::of(path))?;
    decode(content.trim_ascii_end()).ok_or_else(|| Failure::with(path, wanted))
}

/// Reads more bytes of a file than any root hash has.
fn read_start(path: &Path) -> io::Result<Vec<u8>> {
    const MOST_BYTES: u64 = 4096;
    let mut content = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut content)?;
    Ok(content)
}

struct Checked {
    found: Found<Vec<u8>>,
    levels: Vec<Level>,
}

fn check<A: Algorithm>(layout: &Layout, data: &File, hashes: &File, workers: usize, reading: &Reading) -> Result<Checked, DeviceError> {
    let (tree, levels) = (layout.tree::<A>(), layout.levels::<A>());
    let mut check = Check::new(tree.merkle(), hashes, &levels, layout.superblock.data_blocks);
    let source = Source::part(data, 0..layout.data_bytes());
    leaves::hash(&source, tree.merkle(), workers, reading, |digests| check.push(digests).map_err(DeviceError::Hash))?;
    let Found { root, differing, spare } = check.finish()?;
    Ok(Checked { found: Found { root: root.as_ref().to_vec(), differing, spare }, levels })
}

/// Returns each thing that is wrong and the device it is on. The top comes first, because the
/// blocks below a wrong block are compared with wrong digests.
fn complaints<'a>(layout: &Layout, checked: &Checked, root: &[u8], data: &'a Path, hash: &'a Path) -> Vec<(&'a Path, String)> {
    let Checked { found, levels } = checked;
    let mut complaints = Vec::new();
    if found.root != root {
        let message = format!("the root hash is {}, not {}", const_hex::encode(&found.root), const_hex::encode(root));
        complaints.push((if levels.is_empty() { data } else { hash }, message));
    }
    let hash_block_bytes = layout.superblock.hash_block_bytes as u64;
    for (number, (level, spare)) in levels.iter().zip(&found.spare).enumerate().rev() {
        // For the top, the root hash has this role.
        if let Some(differing) = found.differing.get(number + 1).filter(|differing| differing.blocks > 0) {
            let message = corrupt_blocks(differing, level.nodes, level.offset, hash_block_bytes);
            complaints.push((hash, format!("level {number}: {message}")));
        }
        if spare.blocks > 0 {
            let message = corrupt_blocks(spare, level.nodes, level.offset, hash_block_bytes);
            complaints.push((hash, format!("level {number}: not zero where no hash is: {message}")));
        }
    }
    if let Some(differing) = found.differing.first().filter(|differing| differing.blocks > 0) {
        let Layout { superblock, .. } = layout;
        complaints.push((data, corrupt_blocks(differing, superblock.data_blocks, 0, superblock.data_block_bytes as u64)));
    }
    complaints
}

/// Says how many blocks are corrupt, and where the first is. The blocks begin at `offset`.
fn corrupt_blocks(corrupt: &Corrupt, blocks: u64, offset: u64, block_bytes: u64) -> String {
    let Corrupt { blocks: count, first } = corrupt;
    let plural = if *count == 1 { "" } else { "s" };
    format!("{count} corrupt block{plural} of {blocks}, the first is block {first} (at byte {})", offset + first * block_bytes)
}
