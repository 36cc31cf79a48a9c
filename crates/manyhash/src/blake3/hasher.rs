//! One message in pieces, and its output as a stream.

use super::root::{Root, output_of};
use super::{DIGEST_BYTES, Mode};
use crate::algorithm::blake3::Blake3Compression;
use crate::backend;
use crate::in_pieces::InPieces;
use std::fmt;
#[cfg(feature = "std")]
use std::io;

/// Hashes one message that arrives in pieces. It is also a [`Write`](io::Write).
///
/// Pieces of many KiB are fastest: their chunks share the lanes.
///
/// ```
/// use manyhash::blake3::{self, Mode};
/// let mut hasher = Mode::plain().hasher();
/// hasher.update(b"to be ");
/// hasher.update(b"or not to be");
/// assert_eq!(hasher.finalize(), blake3::hash(b"to be or not to be"));
/// ```
#[derive(Clone)]
pub struct Hasher {
    mode: Mode,
    message: InPieces<Blake3Compression>,
}

impl Hasher {
    pub(super) fn starting(mode: Mode) -> Self {
        let message = InPieces::starting(mode.start);
        Self { mode, message }
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.message.update(piece);
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> [u8; DIGEST_BYTES] {
        let mut digest = [0; DIGEST_BYTES];
        self.finalize_reader().fill(&mut digest);
        digest
    }

    /// Ends the message, and returns its output, to be read (2.6).
    pub fn finalize_reader(mut self) -> Reader {
        let (state, last) = self.message.last_blocks(backend::mix_of());
        Reader { root: Root::new(state, last), position: 0 }
    }

    /// Begins a new message in the same mode.
    pub fn reset(&mut self) {
        *self = Self::starting(self.mode.clone());
    }
}

#[cfg(feature = "hmac")]
impl Drop for Hasher {
    fn drop(&mut self) {
        self.message.erase();
    }
}

/// Shows the mode and how far the message has come, and never its state.
impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("mode", &self.mode).field("message_bytes", &self.message.bytes).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl io::Write for Hasher {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of one message. It has 2^64 - 1 bytes (2.6), and may be read from anywhere.
#[derive(Clone)]
pub struct Reader {
    root: Root,
    position: u64,
}

impl Reader {
    /// Fills `output` with the next bytes.
    ///
    /// # Panics
    /// Panics if there are not so many.
    pub fn fill(&mut self, mut output: &mut [u8]) {
        let end = self.position.checked_add(output.len() as u64).expect("BLAKE3 has an output of less than 2^64 bytes");
        let begun = (self.position % DIGEST_BYTES as u64) as usize;
        let mut number = self.position / DIGEST_BYTES as u64;
        self.position = end;
        if begun > 0 && !output.is_empty() {
            let mut half = [0; DIGEST_BYTES];
            output_of(std::slice::from_ref(&self.root), number, &mut half);
            let (now, later) = output.split_at_mut(output.len().min(DIGEST_BYTES - begun));
            now.copy_from_slice(&half[begun..][..now.len()]);
            (output, number) = (later, number + 1);
        }
        if !output.is_empty() {
            output_of(std::slice::from_ref(&self.root), number, output);
        }
    }

    /// Returns how many bytes come before the next one.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Goes to the byte after `position` others.
    pub fn set_position(&mut self, position: u64) {
        self.position = position;
    }
}

/// Shows where it is, and never a state.
impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("position", &self.position).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl io::Read for Reader {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let left = u64::MAX - self.position;
        let count = output.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.fill(&mut output[..count]);
        Ok(count)
    }
}
