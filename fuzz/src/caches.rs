//! Caches whose bytes are damaged: no panic, and no digest that was not stored.

use crate::choices::Choices;
use crate::paint;
use manyhash::AnyAlgorithm;
use manyhash_cli::hazmat::{CachedFile, OpenCache, decoded_row, encoded_row, row_checksum};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The day of the run that reads.
const TODAY: i64 = 20_000;

/// Damages a row of a cache, or its file.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    match choices.between(0, 3) {
        0 => damaged_row(choices),
        1 => forged_row(choices),
        _ => damaged_file(choices),
    }
}

fn file(inode: u64, content: usize) -> CachedFile {
    let algorithm = AnyAlgorithm::ALL[content % AnyAlgorithm::ALL.len()];
    let digest = paint(content + 1, algorithm.digest_bytes());
    CachedFile { file_system: 7, inode, size_bytes: content as u64, modified_ns: -1, changed_ns: 1 << 70, algorithm, digest }
}

/// Changes some bytes, and perhaps the length.
fn damage(choices: &mut Choices, bytes: &mut Vec<u8>) {
    for _ in 0..choices.between(1, 4) {
        if bytes.is_empty() {
            return;
        }
        let at = choices.between(0, bytes.len() - 1);
        match choices.between(0, 5) {
            0 => bytes[at] ^= 1 << choices.between(0, 7),
            1 => bytes[at] = choices.any(),
            2 => {
                let new = choices.bytes(32);
                let end = (at + new.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&new[..end - at]);
            }
            3 => {
                let end = (at + choices.between(1, 5000)).min(bytes.len());
                bytes[at..end].fill(0);
            }
            4 => {
                // Parts of pages in places of other parts, as a disk may do it.
                let from = choices.between(0, bytes.len() - 1);
                let length = choices.between(1, 4096).min(bytes.len() - from.max(at));
                bytes.copy_within(from..from + length, at);
            }
            _ => bytes.truncate(at),
        }
    }
}

/// A row that is not as it was written is no row.
fn damaged_row(choices: &mut Choices) {
    let first: u64 = choices.any();
    let files: Vec<CachedFile> =
        (0..choices.between(1, 16)).map(|i| file(first / 16 * 16 + i as u64, choices.any::<u8>().into())).collect();
    let row = encoded_row(&files);
    for file in &files {
        assert_eq!(decoded_row(file, &row), Some((Some(file.digest.clone()), row.clone())), "{file:?}");
    }
    let mut damaged = row.clone();
    damage(choices, &mut damaged);
    if damaged != row {
        assert_eq!(decoded_row(&files[0], &damaged), None, "a damaged row passes");
    }
    let elsewhere = CachedFile { file_system: 8, ..files[0].clone() };
    assert_eq!(decoded_row(&elsewhere, &row), None, "a row passes for another file system's");
}

/// A row that anybody has made, with the right checksum, is read or refused, and never a panic.
fn forged_row(choices: &mut Choices) {
    let file = file(choices.any::<u8>().into(), choices.any::<u8>().into());
    let mut row = encoded_row(std::slice::from_ref(&file));
    row.truncate(row.len() - 8);
    damage(choices, &mut row);
    row.extend(choices.rest());
    row.extend(row_checksum(&file, &row));
    if let Some((digest, again)) = decoded_row(&file, &row) {
        assert!(digest.is_none_or(|digest| digest.len() == file.algorithm.digest_bytes()), "a digest of another length");
        assert_eq!(again, row, "a row is written otherwise than it was read");
    }
}

/// The bytes of a sound cache, and what is in it.
fn sound() -> &'static (TempDir, Vec<u8>, Vec<CachedFile>) {
    static SOUND: OnceLock<(TempDir, Vec<u8>, Vec<CachedFile>)> = OnceLock::new();
    SOUND.get_or_init(|| {
        // Memory is faster than a disk, which this would wear out.
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a folder for temporary files");
        let path = folder.path().join("sound");
        let files: Vec<CachedFile> = (0..60).map(|i| file(i * i, i as usize)).collect();
        let cache = OpenCache::open(&path, TODAY - 5).expect("a new cache");
        cache.put(&files).expect("room for a few files");
        drop(cache);
        let bytes = fs::read(&path).expect("the cache is there");
        (folder, bytes, files)
    })
}

/// A damaged file gives digests that were stored, none, or an error.
fn damaged_file(choices: &mut Choices) {
    let (folder, bytes, files) = sound();
    let mut bytes = bytes.clone();
    if choices.between(0, 7) > 0 {
        // Where most of SQLite's own bytes are: the beginnings of pages.
        let page = choices.between(0, (bytes.len() - 1) / (16 << 10)) * (16 << 10);
        let rest = bytes.split_off(page);
        let mut part = rest[..rest.len().min(if choices.any() { 256 } else { 16 << 10 })].to_vec();
        let length = part.len();
        damage(choices, &mut part);
        part.resize(length, 0);
        bytes.extend(&part);
        bytes.extend(&rest[length..]);
    } else {
        damage(choices, &mut bytes);
    }
    let path = folder.path().join("damaged");
    let log = folder.path().join("damaged-wal");
    _ = fs::remove_file(&log);
    if choices.between(0, 7) == 0 {
        fs::write(&log, choices.bytes(200)).expect("room for a log");
    }
    fs::write(&path, &bytes).expect("room for a cache");
    let Ok(cache) = OpenCache::open(&path, choices.one_of(&[TODAY, TODAY + 200, 0])) else { return };
    let stored = |file: &CachedFile| {
        if let Ok(Some(digest)) = cache.digest(file) {
            assert_eq!(digest, file.digest, "a digest that was never stored, of {file:?}");
        }
    };
    files.iter().for_each(stored);
    let more = file(1 << 40, choices.any::<u8>().into());
    if cache.put(std::slice::from_ref(&more)).is_ok() {
        stored(&more);
    }
    files.iter().for_each(stored);
    _ = cache.end();
}
