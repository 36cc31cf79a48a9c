//! Where messages start: at the initial value of their algorithm, or at a midstate.

use crate::algorithm::{ChainingOf, Compression, Variant};

/// A midstate, and how many bytes, whole blocks, it stands for.
#[derive(Clone, Copy)]
pub(crate) struct Start<C: Compression> {
    pub(crate) state: ChainingOf<C>,
    pub(crate) bytes: u64,
}

impl<C: Compression> Start<C> {
    /// Of messages with nothing before them.
    #[inline]
    pub(crate) fn of<A: Variant<Compression = C>>() -> Self {
        Self { state: A::INITIAL, bytes: 0 }
    }
}

/// Where each message of a batch starts.
#[derive(Clone, Copy)]
pub(crate) enum Starts<'a, C: Compression> {
    /// All of them at one place.
    Same(&'a Start<C>),
    /// Each at a midstate of its own, by the message's index; every one stands for so many bytes.
    #[cfg_attr(not(feature = "hmac"), allow(dead_code, reason = "keys alone make such batches"))]
    Each { state: &'a dyn Fn(usize) -> &'a ChainingOf<C>, bytes: u64 },
}

impl<C: Compression> Starts<'_, C> {
    /// Bytes before each message.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Same(start) => start.bytes,
            Self::Each { bytes, .. } => *bytes,
        }
    }

    /// The midstate of one message.
    #[inline]
    pub(crate) fn state(&self, message: usize) -> &ChainingOf<C> {
        match self {
            Self::Same(start) => &start.state,
            Self::Each { state, .. } => state(message),
        }
    }
}

/// What messages go through to their digests.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'a, C: Compression> {
    pub(crate) inner: Starts<'a, C>,
    /// From where the digest is hashed once more (RFC 2104).
    pub(crate) outer: Option<Starts<'a, C>>,
}

/// One pass, from there.
impl<'a, C: Compression> From<&'a Start<C>> for Passes<'a, C> {
    fn from(start: &'a Start<C>) -> Self {
        Self { inner: Starts::Same(start), outer: None }
    }
}

/// One pass.
impl<'a, C: Compression> From<Starts<'a, C>> for Passes<'a, C> {
    fn from(inner: Starts<'a, C>) -> Self {
        Self { inner, outer: None }
    }
}
