//! Output of any length: SHAKE128 and SHAKE256 (FIPS 202, section 6.2).
//!
//! A function of these has no digest of a fixed length. [`many`] gives equally many bytes for each of
//! many messages, in lanes as [`hash_many`](crate::hash_many) does; [`Hasher`] takes one message in
//! pieces, and its [`Reader`] gives as much output as is read.
//!
//! Both functions have the strength that their name says only if the output is long enough: twice as
//! many bits against collisions (FIPS 202, appendix A.1).
//!
//! ```
//! use manyhash::xof::{self, Shake128};
//! let seeds = xof::many::<Shake128>(&["one", "two"], 1000);
//! assert_eq!(seeds.len(), 2000);
//! assert_eq!(seeds[1000..], xof::one::<Shake128>(b"two", 1000));
//! ```

use crate::algorithm::keccak::{Shake128Compression, Shake256Compression};
use crate::algorithm::{ChainingOf, Compression, WordOf, write_digest};
use crate::backend;
use crate::in_pieces::InPieces;
use crate::isa::WordCount;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::{Messages, Slice};
use std::fmt;
use std::io;

/// A function with output of any length. The trait is sealed.
#[allow(private_bounds, reason = "sealed")]
pub trait Xof: Sponge {
    /// The name in its standard: `SHAKE128`.
    const NAME: &'static str;
    /// Bytes of a block: of the message, and of the output (the rate of FIPS 202).
    const BLOCK_BYTES: usize;
}

/// The compression function of an [`Xof`].
trait Sponge: Copy + fmt::Debug + Send + Sync + 'static {
    type Compression: Compiled;
}

macro_rules! xof {
    ($($(#[$doc:meta])* $Name:ident, $name:literal, $Compression:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Name;

        impl Sponge for $Name {
            type Compression = $Compression;
        }

        impl Xof for $Name {
            const NAME: &'static str = $name;
            const BLOCK_BYTES: usize = <$Compression>::BLOCK_BYTES;
        }
    )* };
}
xof! {
    /// SHAKE128, for a strength of up to 128 bits.
    Shake128, "SHAKE128", Shake128Compression;
    /// SHAKE256, for a strength of up to 256 bits.
    Shake256, "SHAKE256", Shake256Compression;
}

/// Returns the start of every message: a state of zeros.
fn start<X: Xof>() -> Start<X::Compression> {
    Start { state: <X::Compression>::filled(WordOf::<X::Compression>::default()), bytes: 0 }
}

/// Returns `output_bytes` bytes for each message, in the order of the messages, one after the other.
///
/// A message's `as_ref` must return the same bytes every time. If it does not, the output is of any
/// bytes, or this panics.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if there is no memory for all of the output.
///
/// ```
/// use manyhash::xof::{self, Shake256};
/// let output = xof::many::<Shake256>(&["", "abc"], 32);
/// assert_eq!(output[..4], [0x46, 0xb9, 0xdd, 0x2b]);
/// ```
pub fn many<X: Xof>(messages: &[impl AsRef<[u8]>], output_bytes: usize) -> Vec<u8> {
    let bytes = messages.len().checked_mul(output_bytes).expect("no memory has so much output");
    let mut output = vec![0; bytes];
    many_into::<X>(messages, output_bytes, &mut output);
    output
}

/// Writes `output_bytes` bytes for each message to `output`: those of message i begin at
/// `i * output_bytes`.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if `output` has not exactly as many bytes as all messages have
/// output.
pub fn many_into<X: Xof>(messages: &[impl AsRef<[u8]>], output_bytes: usize, output: &mut [u8]) {
    assert_ne!(output_bytes, 0, "output_bytes is 0: {} has an output of at least one byte", X::NAME);
    let fits = messages.len().checked_mul(output_bytes) == Some(output.len());
    assert!(fits, "{} messages have outputs of {output_bytes} bytes, and there is room for {} bytes", messages.len(), output.len());
    /// The number of states that stay in the second cache.
    const TOGETHER: usize = 1024;
    let state_bytes = <X::Compression>::STATE_WORDS * size_of::<WordOf<X::Compression>>();
    if output_bytes <= X::BLOCK_BYTES {
        return absorb::<X>(&Slice(messages), &mut Digests::new(output, output_bytes));
    }
    let mut states = vec![0; messages.len().min(TOGETHER) * state_bytes];
    for (messages, output) in messages.chunks(TOGETHER).zip(output.chunks_mut(TOGETHER * output_bytes)) {
        let states = &mut states[..messages.len() * state_bytes];
        absorb::<X>(&Slice(messages), &mut Digests::new(states, state_bytes));
        <X::Compression>::squeeze(backend::mix_of(), states, output, output_bytes);
    }
}

/// Writes the first bytes of the final states of messages.
fn absorb<X: Xof>(messages: &dyn Messages, states: &mut Digests<'_>) {
    <X::Compression>::hash_many(backend::mix_of(), &(&start::<X>()).into(), messages, states, None);
}

/// Returns `output_bytes` bytes for one message.
///
/// # Panics
/// Panics if `output_bytes` is 0, or if there is no memory for the output.
pub fn one<X: Xof>(message: &[u8], output_bytes: usize) -> Vec<u8> {
    many::<X>(&[message], output_bytes)
}

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
    message: InPieces<X::Compression>,
}

impl<X: Xof> Hasher<X> {
    /// Begins a message.
    pub fn new() -> Self {
        Self { message: InPieces::starting(start::<X>()) }
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.message.update(piece);
    }

    /// Ends the message, and returns its output, to be read.
    pub fn finalize(mut self) -> Reader<X> {
        Reader { state: *self.message.finish(), read_bytes: 0 }
    }

    /// Begins a new message.
    pub fn reset(&mut self) {
        *self = Self::new();
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

impl<X: Xof> io::Read for Reader<X> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.fill(output);
        Ok(output.len())
    }
}
