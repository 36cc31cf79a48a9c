//! One message in pieces, and its output as a stream.

use super::{Function, Xof};
use crate::algorithm::{ChainingOf, Compression, write_digest};
use crate::backend;
use crate::in_pieces::InPieces;
use crate::isa::WordCount;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use std::fmt;
#[cfg(feature = "std")]
use std::io;

/// Takes one message in pieces. It is also a [`Write`](io::Write).
///
/// ```
/// use manyhash::xof::{self, Hasher, Shake256};
/// use std::io::Read;
/// let mut hasher = Hasher::<Shake256>::new();
/// hasher.update(b"to be ");
/// hasher.update(b"or not to be");
/// let mut output = [0; 500];
/// hasher.finalize().read_exact(&mut output)?;
/// assert_eq!(output[..], xof::one::<Shake256>(b"to be or not to be", 500));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Hasher<X: Xof> {
    start: Start<X::Compression>,
    message: InPieces<X::Compression>,
}

impl<X: Xof> Hasher<X> {
    /// Begins a message.
    pub fn new() -> Self {
        Function::new().hasher()
    }

    pub(super) fn starting(start: Start<X::Compression>) -> Self {
        Self { start, message: InPieces::starting(start) }
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.message.update(piece);
    }

    /// Ends the message, and returns its output, to be read.
    pub fn finalize(mut self) -> Reader<X> {
        Reader { state: *self.message.finish(), read_bytes: 0 }
    }

    /// Overwrites the state and the bytes that are kept with zeros.
    #[cfg(feature = "hmac")]
    pub(super) fn erase(&mut self) {
        crate::isa::Word::erase(self.start.state.as_mut());
        self.message.erase();
    }

    /// Begins a new message of the same function.
    pub fn reset(&mut self) {
        self.message = InPieces::starting(self.start);
    }
}

impl<X: Xof> Default for Hasher<X> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows how far the message has come, and never its state.
impl<X: Xof> fmt::Debug for Hasher<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("function", &X::NAME).field("message_bytes", &self.message.bytes).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<X: Xof> io::Write for Hasher<X> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of one message. It has no end.
#[derive(Clone)]
pub struct Reader<X: Xof> {
    state: ChainingOf<X::Compression>,
    /// How many bytes of the current block of output have been read.
    read_bytes: usize,
}

impl<X: Xof> Reader<X> {
    /// Fills `output` with the next bytes.
    pub fn fill(&mut self, mut output: &mut [u8]) {
        while !output.is_empty() {
            if self.read_bytes == X::BLOCK_BYTES {
                let zeros = <X::Compression as Compression>::Block::filled([0; 8]);
                let zeros = &zeros.as_ref().as_flattened()[..X::BLOCK_BYTES];
                <X::Compression>::compress_alone(backend::mix_of(), &mut self.state, zeros);
                self.read_bytes = 0;
            }
            let mut block = <X::Compression as Compression>::Block::filled([0; 8]);
            let block = &mut block.as_mut().as_flattened_mut()[..X::BLOCK_BYTES];
            write_digest::<X::Compression>(&self.state, block);
            let count = output.len().min(X::BLOCK_BYTES - self.read_bytes);
            let (now, later) = output.split_at_mut(count);
            now.copy_from_slice(&block[self.read_bytes..][..count]);
            self.read_bytes += count;
            output = later;
        }
    }
}

/// Shows the function, and never a state.
impl<X: Xof> fmt::Debug for Reader<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("function", &X::NAME).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<X: Xof> io::Read for Reader<X> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.fill(output);
        Ok(output.len())
    }
}
