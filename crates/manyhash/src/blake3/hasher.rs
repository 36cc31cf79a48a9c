//! One message in pieces, and its output as a stream.

use super::nodes::{GROUP_CHUNKS, Stack, subtree};
use super::root::{Root, output_of};
use super::{DIGEST_BYTES, Mode};
use crate::algorithm::blake3::{Blake3Compression, CHUNK_BYTES};
use crate::algorithm::write_digest;
use crate::in_pieces::InPieces;
use std::fmt;
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
    /// The chunks before the current one.
    stack: Stack,
    /// The current chunk. It is never ended before more of the message comes.
    chunk: InPieces<Blake3Compression>,
}

impl Hasher {
    pub(super) fn starting(mode: Mode) -> Self {
        let chunk = InPieces::starting(mode.chunk(0));
        Self { mode, stack: Stack::default(), chunk }
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            if self.chunk.bytes == CHUNK_BYTES as u64 {
                let value = self.chunk_value();
                self.push(&value, 1);
            }
            let (now, later) = match self.whole_chunks(piece.len()) {
                0 => piece.split_at(piece.len().min(CHUNK_BYTES - self.chunk.bytes as usize)),
                chunks => piece.split_at(chunks * CHUNK_BYTES),
            };
            if now.len() > CHUNK_BYTES {
                let value = subtree(&self.mode, now, self.stack.chunks);
                self.push(&value, (now.len() / CHUNK_BYTES) as u64);
            } else {
                self.chunk.update(now);
            }
            piece = later;
        }
    }

    /// Returns how many of the chunks that begin here are a whole subtree, and not the end of a piece of so
    /// many bytes; 0 unless they are two or more.
    fn whole_chunks(&self, bytes: usize) -> usize {
        let most = if self.chunk.bytes == 0 { (bytes - 1) / CHUNK_BYTES } else { 0 };
        if most < 2 {
            return 0;
        }
        // A subtree of n chunks begins at a multiple of n.
        let aligned = if self.stack.chunks == 0 { GROUP_CHUNKS } else { 1 << self.stack.chunks.trailing_zeros().min(GROUP_CHUNKS.ilog2()) };
        let chunks = aligned.min(GROUP_CHUNKS).min(1 << most.ilog2());
        if chunks < 2 { 0 } else { chunks }
    }

    /// Adds a subtree, and begins the chunk after it.
    fn push(&mut self, value: &[u8; DIGEST_BYTES], chunks: u64) {
        self.stack.push(&self.mode, value, chunks);
        self.chunk = InPieces::starting(self.mode.chunk(self.stack.chunks));
    }

    /// Ends the current chunk, which is not the root.
    fn chunk_value(&mut self) -> [u8; DIGEST_BYTES] {
        let mut value = [0; DIGEST_BYTES];
        write_digest::<Blake3Compression>(self.chunk.finish(), &mut value);
        value
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> [u8; DIGEST_BYTES] {
        let mut digest = [0; DIGEST_BYTES];
        self.finalize_reader().fill(&mut digest);
        digest
    }

    /// Ends the message, and returns its output, to be read (2.6).
    pub fn finalize_reader(mut self) -> Reader {
        let root = if self.stack.chunks == 0 {
            let (state, rest) = self.chunk.unfinished();
            Root::chunk(*state, rest)
        } else {
            let last = self.chunk_value();
            Root::parent(&self.mode, self.stack.root(&self.mode, &last).expect("chunks before this one"))
        };
        Reader { root, position: 0 }
    }

    /// Begins a new message in the same mode.
    pub fn reset(&mut self) {
        *self = Self::starting(self.mode.clone());
    }
}

#[cfg(feature = "hmac")]
impl Drop for Hasher {
    fn drop(&mut self) {
        self.chunk.erase();
    }
}

/// Shows the mode and how far the message has come, and never its state.
impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.stack.chunks * CHUNK_BYTES as u64 + self.chunk.bytes;
        f.debug_struct("Hasher").field("mode", &self.mode).field("message_bytes", &bytes).finish_non_exhaustive()
    }
}

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

impl io::Read for Reader {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let left = u64::MAX - self.position;
        let count = output.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.fill(&mut output[..count]);
        Ok(count)
    }
}
