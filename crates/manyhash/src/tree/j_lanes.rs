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
use crate::algorithm::{CompressionOf, SelfTested, WordOf};
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend, BackendError};
use crate::frame::Frame;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use alloc::vec::Vec;
use std::fmt;
#[cfg(feature = "std")]
use std::io;
use std::ops::Range;

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
    // In a program for any algorithm, a copy for each in each place that calls it made the wheel larger.
    #[inline(never)]
    pub fn hash(&self, message: &[u8]) -> A::Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finalize()
    }

    /// Returns the digest of each slice of a message. Whoever keeps them need not hash all slices again
    /// when words of a few of them [change](Self::update).
    pub fn slice_digests(&self, message: &[u8]) -> Vec<A::Digest> {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.into_slice_digests()
    }

    /// Returns the digest of a message of which the bytes `changed` have changed, but not how many
    /// it has, since it had these digests of slices: hashes only the slices that have changed, and
    /// replaces their digests (Gueron 2013, "only a portion" of the message changes). Successive words
    /// are in successive slices: if those that have changed are in more than a quarter of them, it
    /// hashes all.
    ///
    /// # Panics
    /// Panics if there are not as many digests as slices, or if `changed` goes past the end of the
    /// message.
    ///
    /// ```
    /// use manyhash::{Sha256, tree::JLanes};
    /// let mode = JLanes::<Sha256>::new(16).unwrap();
    /// let mut message = vec![7; 100_000];
    /// let mut slices = mode.slice_digests(&message);
    /// message[5000..5008].fill(8);
    /// assert_eq!(mode.update(&mut slices, &message, 5000..5008), mode.hash(&message));
    /// ```
    pub fn update(&self, slice_digests: &mut [A::Digest], message: &[u8], changed: Range<u64>) -> A::Digest {
        assert_eq!(slice_digests.len(), self.lanes, "digests of slices");
        assert!(changed.end <= message.len() as u64, "changed bytes to {} of {}", changed.end, message.len());
        let word_bytes = size_of::<WordOf<CompressionOf<A>>>();
        let words = changed.start / word_bytes as u64..changed.end.div_ceil(word_bytes as u64);
        if changed.is_empty() {
        } else if 4 * (words.end - words.start) > self.lanes as u64 {
            slice_digests.copy_from_slice(&self.slice_digests(message));
        } else {
            let lanes: Vec<usize> = words.map(|word| (word % self.lanes as u64) as usize).collect();
            let slice = |lane: &usize| message.chunks(word_bytes).skip(*lane).step_by(self.lanes).flatten().copied().collect();
            let slices: Vec<Vec<u8>> = lanes.iter().map(slice).collect();
            let mut digests = vec![A::ZERO; lanes.len()];
            let mix = self.backend.map_or_else(backend::mix::<A>, |backend| backend.mix::<A>().expect("on_backend has asked"));
            self.lane.hash_many_on(mix, &Slice(&slices), &mut digests);
            lanes.iter().zip(digests).for_each(|(lane, digest)| slice_digests[*lane] = digest);
        }
        self.wrap(slice_digests)
    }

    /// Returns the digest of the message from the digests of all slices.
    ///
    /// # Panics
    /// Panics if there are not as many digests as slices.
    pub fn wrap(&self, slices: &[A::Digest]) -> A::Digest {
        assert_eq!(slices.len(), self.lanes, "digests of slices");
        super::wrap(&self.wrap, slices)
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
        let wrap = self.mode.wrap.clone();
        super::wrap(&wrap, &self.into_slice_digests())
    }

    fn into_slice_digests(self) -> Vec<A::Digest> {
        let mut digests = vec![A::ZERO; self.mode.lanes];
        let room = &mut Digests::of::<A>(&mut digests);
        match self.slices {
            Slices::Dealt(slices) => slices.finalize(room),
            Slices::Copied(slices) => slices.finalize(room),
        }
        digests
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
