//! `verity format`: hashes the data and writes the tree as it grows.

use super::DeviceError;
use super::device::{HashDevice, open_data};
use super::layout::{Layout, Level};
use super::overlap::overlap;
use super::report::Report;
use crate::commands::{prepare_backends, print};
use crate::exit::{Failure, Outcome};
use crate::flags::{Uuid, VerityDeviceArguments, VerityFormatArguments};
use crate::output::Output;
use crate::progress::Progress;
use crate::text::quoting::quoted;
use manyhash::tree::Nodes;
use manyhash::{Algorithm, with_algorithm};
use manyhash_files::leaves::{self, Source};
use manyhash_files::read::is_same;
use manyhash_files::{Reading, Totals, changed, file_name};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The length of a random salt in bytes.
const SALT_BYTES: usize = 32;

pub(crate) fn run(program: &OsStr, arguments: VerityFormatArguments, verbose: bool) -> Outcome {
    let VerityFormatArguments { device, uuid, root_hash_file, work, data, hash } = arguments;
    device.check_hash_offset().map_err(Failure::usage)?;
    let (file, bytes) = open_data(&data).map_err(Failure::of(&data))?;
    let data_blocks = data_blocks(&device, bytes).map_err(Failure::of(&data))?;
    let salt = match &device.salt {
        Some(salt) => salt.0.to_vec(),
        None => random::<SALT_BYTES>().map_err(Failure::of(&hash))?.to_vec(),
    };
    let mut layout = Layout::of(&device, data_blocks, salt);
    prepare_backends(program, layout.algorithm.into(), verbose).map_err(Failure::usage)?;
    let uuid = uuid.map_or_else(random_uuid, Ok).map_err(Failure::of(&hash))?;
    layout.superblock.uuid = uuid.bytes;
    if is_same(&data, &hash) && layout.hash_offset < layout.data_bytes() {
        let (offset, end) = (layout.hash_offset, layout.data_bytes());
        let what = format!("hashes from byte {offset} on would overwrite data up to byte {end} (see --hash-offset, --data-blocks)");
        return Err(Failure::with(&hash, what));
    }
    if overlap(&hash, &data) {
        let [data, hash] = [&data, &hash].map(|path| String::from_utf8_lossy(&quoted(&file_name::bytes_of(path))).into_owned());
        let what = format!("HASH {hash} and DATA {data} are on the same storage, one over the other: hashes would overwrite data");
        return Err(Failure::usage(what));
    }
    let root_hash = root_hash_file.as_deref().map(|path| root_hash_output(path, &[&data, &hash])).transpose()?;
    let superblock_at = layout.has_superblock.then_some(layout.hash_offset);
    let hash_device = HashDevice::open(&hash, superblock_at).map_err(Failure::of(&hash))?;
    hash_device.prepare(layout.device_bytes()).map_err(Failure::of(&hash))?;

    let totals = Arc::<Totals>::default();
    totals.found_file(layout.data_bytes());
    totals.found_all();
    let progress = Progress::start(program, work.progress, &totals, || None);
    let reading = Reading::begin(&totals, &data, layout.data_bytes());
    let made = with_algorithm!(layout.algorithm, A => make::<A>(&layout, &file, &hash_device, work.workers, &reading));
    drop(reading);
    totals.done();
    progress.finish();
    let root = const_hex::encode(&made.map_err(|error| error.of(&data, &hash))?);
    hash_device.finish(&layout.superblock.to_bytes()).map_err(Failure::of(&hash))?;
    let typed_hash = device.algorithm.as_ref().map(|hash| hash.typed.as_str());
    let report = Report { path: &hash, layout: &layout, typed_hash, typed_uuid: Some(&uuid.typed), root: Some(&root) };
    // The report comes before the file. If writing that fails, the root hash is not lost.
    let printed = print(&report.lines());
    let written = match (root_hash, &root_hash_file) {
        (Some(output), Some(path)) => write_root_hash(output, &root).map_err(Failure::of(path)),
        _ => Ok(()),
    };
    match (printed, written) {
        (Err(first), Err(second)) => {
            first.say(program);
            Err(second)
        }
        (printed, written) => written.and(printed),
    }
}

/// Returns the number of blocks of data in `bytes` bytes, or the number that the options ask for.
pub(crate) fn data_blocks(arguments: &VerityDeviceArguments, bytes: u64) -> io::Result<u64> {
    match arguments.data_blocks.filter(|&blocks| blocks > 0) {
        None => whole_blocks(arguments.data_block_bytes(), bytes),
        Some(blocks) => {
            let block_bytes = arguments.data_block_bytes() as u64;
            let is_there = blocks.checked_mul(block_bytes).is_some_and(|wanted_bytes| wanted_bytes <= bytes);
            is_there.then_some(blocks).ok_or_else(|| io::Error::other(format!("{bytes} bytes are not {blocks} blocks of {block_bytes}")))
        }
    }
}

/// Returns how many blocks `bytes` bytes are. Fails if there is no block, or bytes are left over.
pub(crate) fn whole_blocks(block_bytes: usize, bytes: u64) -> io::Result<u64> {
    if bytes == 0 {
        return Err(io::Error::other("there is no data"));
    }
    if !bytes.is_multiple_of(block_bytes as u64) {
        return Err(io::Error::other(format!("{bytes} bytes are no multiple of the data block size, {block_bytes}")));
    }
    Ok(bytes / block_bytes as u64)
}

fn make<A: Algorithm>(
    layout: &Layout,
    data: &File,
    device: &HashDevice,
    workers: usize,
    reading: &Reading,
) -> Result<Vec<u8>, DeviceError> {
    let tree = layout.tree::<A>();
    let levels = layout.levels::<A>();
    let write = |nodes: Nodes<'_>| {
        let Level { offset, .. } = levels.get(nodes.level).ok_or_else(changed)?;
        let block_bytes = layout.superblock.hash_block_bytes as u64;
        device.write(nodes.bytes, offset + nodes.first * block_bytes).map_err(DeviceError::Hash)
    };
    let source = Source::part(data, 0..layout.data_bytes());
    let mut builder = tree.merkle().builder();
    leaves::hash(&source, tree.merkle(), workers, reading, |digests| builder.push(digests, write))?;
    let root = builder.finish(write)?;
    Ok(root.ok_or_else(changed)?.as_ref().to_vec())
}

/// Opens the output that gets the root hash besides the report.
fn root_hash_output(path: &Path, devices: &[&Path]) -> Result<Output, Failure> {
    if devices.iter().any(|device| is_same(path, device)) {
        let path = String::from_utf8_lossy(&quoted(&file_name::bytes_of(path))).into_owned();
        return Err(Failure::usage(format!("--root-hash-file {path} would replace DATA or HASH")));
    }
    Output::file(path).map_err(Failure::of(path))
}

fn write_root_hash(mut output: Output, root: &str) -> io::Result<()> {
    output.write_all(root.as_bytes())?;
    output.finish()
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// Creates a UUID of random bits (RFC 9562, version 4).
fn random_uuid() -> io::Result<Uuid> {
    let mut bytes = random::<16>()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Ok(bytes.into())
}
