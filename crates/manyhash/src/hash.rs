//! One message, given whole or in pieces.

use crate::algorithm::ending::{Ending, EndingOf};
use crate::algorithm::{ChainingOf, CompressionOf, digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::in_pieces::InPieces;
use crate::kernel::start::Start;
use crate::schedule::alone::Midstate;
use crate::schedule::compiled::Compiled;
use crate::schedule::mix::Mix;
use std::fmt;
#[cfg(feature = "std")]
use std::io;

/// Returns the digest of one message.
///
/// ```
/// let digest = manyhash::hash::<manyhash::Sha256>(b"abc");
/// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub fn hash<A: Algorithm>(message: &[u8]) -> A::Digest {
    hash_on::<A>(backend::mix::<A>(), (&A::INITIAL, 0), None, message)
}

/// Returns the digest of one message from the midstate `inner`, and if there is an `outer` one, the
/// digest of that digest from there, on the mix's kernel for one.
#[inline]
pub(crate) fn hash_on<A: Algorithm>(
    mix: &Mix<CompressionOf<A>>,
    inner: Midstate<'_, CompressionOf<A>>,
    outer: Option<Midstate<'_, CompressionOf<A>>>,
    message: &[u8],
) -> A::Digest {
    let mut digest = A::ZERO;
    <CompressionOf<A>>::hash_alone(mix, inner, outer, message, digest.as_mut());
    digest
}

/// Hashes one message that arrives in pieces.
///
/// The hasher is also a [`Write`](io::Write). With the feature `digest`, it implements the traits
/// of the crate `digest`.
///
/// ```
/// use manyhash::{Hasher, Sha512, hash};
/// let mut hasher = Hasher::<Sha512>::new();
/// hasher.update(b"to be ");
/// hasher.update(b"or not to be");
/// assert_eq!(hasher.finalize(), hash::<Sha512>(b"to be or not to be"));
/// ```
#[derive(Clone)]
pub struct Hasher<A: Algorithm> {
    message: InPieces<CompressionOf<A>>,
}

impl<A: Algorithm> Hasher<A> {
    /// Begins a message.
    pub fn new() -> Self {
        Self::starting(Start::of::<A>())
    }

    /// Begins a message from `start`, which stands for the bytes before it.
    pub(crate) fn starting(start: Start<CompressionOf<A>>) -> Self {
        Self { message: InPieces::starting(start) }
    }

    /// Returns the start after `start` and whole blocks.
    pub(crate) fn absorbed(start: Start<CompressionOf<A>>, blocks: &[u8]) -> Start<CompressionOf<A>> {
        debug_assert!(blocks.len().is_multiple_of(A::BLOCK_BYTES));
        let Start { mut state, bytes } = start;
        <CompressionOf<A>>::compress_alone(backend::mix::<A>(), &mut state, blocks);
        Start { state, bytes: bytes + blocks.len() as u64 }
    }

    /// Appends a piece to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.message.update(piece);
    }

    /// Returns the digest of the message.
    pub fn finalize(mut self) -> A::Digest {
        self.finish()
    }

    /// Pads and returns the digest. After that, only `reset` may be called.
    pub(crate) fn finish(&mut self) -> A::Digest {
        digest::<A>(self.message.finish())
    }

    /// Returns the final state of the message, from which another one may start.
    pub(crate) fn into_state(mut self) -> ChainingOf<CompressionOf<A>> {
        let mut state = *self.message.finish();
        EndingOf::<A>::take_back_mark(&mut state);
        state
    }

    /// Overwrites the state and the bytes that are kept with zeros.
    #[cfg(feature = "hmac")]
    pub(crate) fn erase(&mut self) {
        self.message.erase();
    }

    /// Begins a new message.
    pub fn reset(&mut self) {
        *self = Self::new();
    }
}

impl<A: Algorithm> Default for Hasher<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows how far the message has come, and never its state.
impl<A: Algorithm> fmt::Debug for Hasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &A::NAME).field("message_bytes", &self.message.bytes).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: Algorithm> io::Write for Hasher<A> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
