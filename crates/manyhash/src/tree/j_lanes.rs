//! j-lanes hashing: one message dealt out to j lanes word by word, like cards (Gueron 2013,
//! definitions 1 and 2).
//!
//! The words of a row of lanes lie in memory as a vector register needs them. If j is a multiple of
//! a backend's lanes, one load takes a word of each lane. For any other j some lanes of the last
//! vector do work that is not used. Nothing is ever transposed. For backends without lanes
//! (SHA-NI), each slice's words are copied together.

use super::copied::CopiedSlices;
use super::dealt::DealtHasher;
use super::separated::{self, Role};
use super::{LANES, ParameterError};
use crate::algorithm::{CompressionOf, SelfTested};
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend, BackendError};
use crate::frame::Frame;
use crate::schedule::digests::Digests;
use std::fmt;
#[cfg(feature = "std")]
use std::io;

/// Computes j-lanes(A, j).
///
/// Slice i is words i, i + j, i + 2j, ... of the message. Words have 4 bytes (8 for SHA-384,
/// SHA-512 and SHA-512/t); the last one may be short, and a slice may be empty. The digest is that
/// of all slices' digests, one after the other.
///
/// ```
/// use manyhash::{Sha256, hash, tree::JLanes};
/// let slices: [&[u8]; 2] = [b"ABCDIJ", b"EFGH"];
/// let digests: Vec<u8> = slices.iter().flat_map(|slice| hash::<Sha256>(slice)).collect();
/// assert_eq!(JLanes::<Sha256>::new(2).unwrap().hash(b"ABCDEFGHIJ"), hash::<Sha256>(&digests));
/// ```
#[derive(Clone, Debug)]
pub struct JLanes<A: Algorithm> {
    lanes: usize,
    threads: usize,
    /// The backend of the lanes, unless it is chosen automatically.
    backend: Option<Backend>,
    lane: Frame<A>,
    wrap: Frame<A>,
}

impl<A: Algorithm> JLanes<A> {
    /// Creates j-lanes hashing with `lanes` lanes. 16 lanes fill a register of AVX-512 with 32-bit
    /// words; 32 fill two waves of them, or two threads. More only make the end slower.
    ///
    /// # Errors
    /// Fails if `lanes` is not in 1 to 1024.
    pub fn new(lanes: usize) -> Result<Self, ParameterError> {
        if !LANES.contains(&lanes) {
            return Err(ParameterError::Lanes { lanes });
        }
        Ok(Self { lanes, threads: 1, backend: None, lane: Frame::default(), wrap: Frame::default() })
    }

    /// Uses initial values derived from algorithm, mode and j: see [`tree`](super#separated).
    #[must_use]
    pub fn separated(self) -> Self {
        let frame = |role| separated::frame("j-lanes", self.lanes as u64, role);
        Self { lane: frame(Role::Lane), wrap: frame(Role::Wrap), ..self }
    }

    /// Shares the lanes among up to `threads` threads, if the pieces given to the hasher are long
    /// and there are lanes enough. The digest is the same.
    #[must_use]
    pub fn on_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Computes every block of the lanes on one backend. The digest is the same.
    ///
    /// # Errors
    /// Fails if the backend has no kernel for `A`, or if this CPU lacks it.
    pub fn on_backend(self, backend: Backend) -> Result<Self, BackendError> {
        backend.mix::<A>()?;
        Ok(Self { backend: Some(backend), ..self })
    }

    /// Returns the digest of a message.
    pub fn hash(&self, message: &[u8]) -> A::Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finalize()
    }

    /// Returns a hasher for a message that arrives in pieces.
    pub fn hasher(&self) -> JLanesHasher<A> {
        let mix = match self.backend {
            Some(backend) => backend.mix::<A>().expect("on_backend has asked"),
            None => backend::mix_for_dealt::<A>(),
        };
        let start = self.lane.only_start().expect("nothing but an initial value");
        let slices = if <CompressionOf<A>>::HAS_CHUNKS {
            Slices::Copied(CopiedSlices::new(mix, start, self.lanes))
        } else {
            Slices::Dealt(DealtHasher::new(mix, start, self.lanes, self.threads))
        };
        JLanesHasher { mode: self.clone(), slices }
    }
}

/// The slices of one message.
#[derive(Clone)]
enum Slices<A: Algorithm> {
    Dealt(DealtHasher<CompressionOf<A>>),
    /// The slices of an algorithm whose long messages are trees.
    Copied(CopiedSlices<CompressionOf<A>>),
}

/// Hashes one message that arrives in pieces, by [`JLanes`].
#[derive(Clone)]
pub struct JLanesHasher<A: Algorithm> {
    mode: JLanes<A>,
    slices: Slices<A>,
}

impl<A: Algorithm> JLanesHasher<A> {
    /// Appends a piece to the message. With threads, pieces of a MiB and more are best.
    pub fn update(&mut self, piece: &[u8]) {
        match &mut self.slices {
            Slices::Dealt(slices) => slices.update(piece),
            Slices::Copied(slices) => slices.update(piece),
        }
    }

    /// Returns the digest of the message.
    pub fn finalize(self) -> A::Digest {
        let mut digests = vec![A::ZERO; self.mode.lanes];
        let room = &mut Digests::of::<A>(&mut digests);
        match self.slices {
            Slices::Dealt(slices) => slices.finalize(room),
            Slices::Copied(slices) => slices.finalize(room),
        }
        super::wrap(&self.mode.wrap, &digests)
    }
}

/// Shows how far the message has come, and never its state.
impl<A: Algorithm> fmt::Debug for JLanesHasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message_bytes = match &self.slices {
            Slices::Dealt(slices) => slices.message_bytes(),
            Slices::Copied(slices) => slices.message_bytes(),
        };
        let hasher = &mut f.debug_struct("JLanesHasher");
        hasher.field("algorithm", &A::NAME).field("lanes", &self.mode.lanes).field("message_bytes", &message_bytes);
        hasher.finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<A: Algorithm> io::Write for JLanesHasher<A> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
