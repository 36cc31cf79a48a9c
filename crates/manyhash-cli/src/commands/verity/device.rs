//! The data device to be read, and the hash device to be written.

use crate::output;
use manyhash::tree::dm_verity::SUPERBLOCK_BYTES;
use manyhash_files::find::Place;
use manyhash_files::read::{has_positions, positioned};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Opens a file or a block device to be read, and returns its size.
pub(crate) fn open_data(path: &Path) -> io::Result<(File, u64)> {
    check_kind(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let bytes = positioned::len(&file)?;
    Ok((file, bytes))
}

/// Fails unless something has a size and can be read at any place.
fn check_kind(metadata: &Metadata) -> io::Result<()> {
    match metadata {
        _ if metadata.is_dir() => Err(io::Error::new(ErrorKind::IsADirectory, "Is a directory")),
        _ if has_positions(metadata) => Ok(()),
        _ => Err(io::Error::other("neither a regular file nor a block device")),
    }
}

#[derive(Debug)]
pub(crate) struct HashDevice {
    file: File,
    /// The path of a new file, which appears when all is done.
    new: Option<PathBuf>,
    superblock_at: Option<u64>,
}

impl HashDevice {
    /// Opens the file or block device at `path`, which need not exist.
    pub(crate) fn open(path: &Path, superblock_at: Option<u64>) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(metadata) => {
                check_kind(&metadata)?;
                Ok(Self { file: File::options().read(true).write(true).open(path)?, new: None, superblock_at })
            }
            Err(error) => match Place::of(path)? {
                Place::Path(place) if error.kind() == ErrorKind::NotFound => {
                    Ok(Self { file: output::unnamed(&place)?, new: Some(place), superblock_at })
                }
                _ => Err(error),
            },
        }
    }

    /// Makes room up to `end`, and removes the superblock until the new one is written. A run that
    /// breaks off must not leave a device that looks complete.
    pub(crate) fn prepare(&self, end: u64) -> io::Result<()> {
        let bytes = positioned::len(&self.file)?;
        if bytes < end {
            if i64::try_from(end).is_err() {
                return Err(io::Error::other(format!("the hashes would end at byte {end}, more than any file can have")));
            }
            if !self.file.metadata()?.is_file() {
                return Err(io::Error::other(format!("the device has {bytes} bytes, the hashes end at byte {end}")));
            }
            self.file.set_len(end)?;
        }
        if let (None, Some(offset)) = (&self.new, self.superblock_at) {
            positioned::write_at(&self.file, &[0; SUPERBLOCK_BYTES], offset)?;
            self.file.sync_data()?;
        }
        Ok(())
    }

    pub(crate) fn write(&self, blocks: &[u8], offset: u64) -> io::Result<()> {
        positioned::write_at(&self.file, blocks, offset)
    }

    /// Writes the superblock when all else is on the disk, and gives a new file its name.
    pub(crate) fn finish(self, superblock: &[u8; SUPERBLOCK_BYTES]) -> io::Result<()> {
        if let Some(offset) = self.superblock_at {
            if self.new.is_none() {
                self.file.sync_data()?;
            }
            positioned::write_at(&self.file, superblock, offset)?;
        }
        match self.new {
            Some(path) => output::publish(self.file, &path),
            None => self.file.sync_data(),
        }
    }
}
