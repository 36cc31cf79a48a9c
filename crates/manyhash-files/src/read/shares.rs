//! Parts of a file that is in memory, for several threads to read at once.

use super::lending::is_in_memory;
use super::positioned;
use manyhash::ReadAt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a part, which threads have read before the next one begins. Meanwhile nobody asks whether the run is stopped.
/// Smaller ones make threads wait for one another (docs/files.md).
const PART_BYTES: u64 = 256 << 20;

/// The fewest bytes worth sharing: threads have to be started for them.
const LEAST_BYTES: u64 = 1 << 20;

/// What is handed out of a file.
#[derive(Debug, Default)]
pub struct Shares {
    /// Whether parts are handed out.
    is_on: bool,
    /// Where the file, or the part of it that is wanted, ended when the first part was handed out.
    end: Option<u64>,
    /// Whether the file's own position is before a part that was handed out.
    is_behind: bool,
    /// Whether bytes of a part could not be read.
    was_lost: AtomicBool,
}

impl Shares {
    /// Hands out parts, or none.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    /// Whether a file of `size_bytes` bytes may be handed out.
    pub fn is_for(&self, size_bytes: u64) -> bool {
        self.is_on && size_bytes >= 2 * LEAST_BYTES
    }

    /// Hands out no more of the file.
    pub fn end(&mut self) {
        self.is_on = false;
    }

    /// Whether bytes that were handed out could not be read. Then the file is another than it was.
    pub fn is_lost(&self) -> bool {
        self.was_lost.load(Ordering::Relaxed)
    }

    /// Whether the file has to be positioned before it is read. It is asked once.
    pub fn take_behind(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }

    /// Hands out a part of `file` from `position` on, if it is in memory. `end` says where the file ends now.
    pub fn next<'a>(&'a mut self, file: &'a File, position: u64, end: impl FnOnce() -> Option<u64>) -> Option<Part<'a>> {
        let end = *self.end.get_or_insert_with(|| end().unwrap_or(0));
        let bytes = end.saturating_sub(position).min(PART_BYTES);
        if bytes < LEAST_BYTES || !is_in_memory(file, position + bytes - 1) {
            self.end();
            return None;
        }
        self.is_behind = true;
        Some(Part { file, position, bytes, was_lost: &self.was_lost })
    }
}

/// A part of a file.
pub struct Part<'a> {
    file: &'a File,
    position: u64,
    bytes: u64,
    was_lost: &'a AtomicBool,
}

impl ReadAt for Part<'_> {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        // A broken disk may take seconds for each read.
        if self.was_lost.load(Ordering::Relaxed) {
            return Err(ErrorKind::Other.into());
        }
        let count = positioned::read_at(self.file, buffer, self.position + position)
            .and_then(|count| if count == buffer.len() { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) });
        // The file is read again then, and that says why.
        count.inspect_err(|_| self.was_lost.store(true, Ordering::Relaxed))
    }
}
