//! Where messages start: at the initial value of their algorithm, or at a midstate.

use crate::algorithm::{ChainingOf, Compression, Variant};

/// A midstate and the number of bytes that it stands for, which are whole blocks.
#[derive(Clone, Copy)]
pub(crate) struct Start<C: Compression> {
    pub(crate) state: ChainingOf<C>,
    pub(crate) bytes: u64,
}

impl<C: Compression> Start<C> {
    /// Returns the start of messages with nothing before them.
    #[inline]
    pub(crate) fn of<A: Variant<Compression = C>>() -> Self {
        Self { state: A::INITIAL, bytes: 0 }
    }
}

/// The midstates that the messages of a batch start from.
#[derive(Clone, Copy)]
pub(crate) enum Starts<'a, C: Compression> {
    /// All messages start from the same midstate.
    Same(&'a Start<C>),
    /// Each message, by its index, starts at a midstate of its own. Each midstate stands for
    /// `bytes` bytes.
    #[cfg_attr(not(feature = "hmac"), allow(dead_code, reason = "keys alone make such batches"))]
    Each { state: &'a dyn Fn(usize) -> &'a ChainingOf<C>, bytes: u64 },
}

impl<'a, C: Compression> Starts<'a, C> {
    /// Returns the starts of other messages, the same if all are: `state` is asked for those of each.
    #[inline]
    pub(crate) fn chosen<'s>(self, state: &'s dyn Fn(usize) -> &'s ChainingOf<C>) -> Starts<'s, C>
    where
        'a: 's,
    {
        match self {
            Self::Same(start) => Starts::Same(start),
            Self::Each { bytes, .. } => Starts::Each { state, bytes },
        }
    }

    /// Returns whether each message may start from a midstate of its own.
    #[inline]
    pub(crate) fn are_own(&self) -> bool {
        matches!(self, Self::Each { .. })
    }

    /// Returns how many bytes come before each message.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Same(start) => start.bytes,
            Self::Each { bytes, .. } => *bytes,
        }
    }

    /// Returns the midstate of one message, and the bytes that it stands for.
    #[inline]
    pub(crate) fn midstate(&self, message: usize) -> (&ChainingOf<C>, u64) {
        (self.state(message), self.bytes())
    }

    /// Returns the midstate of one message.
    #[inline]
    pub(crate) fn state(&self, message: usize) -> &ChainingOf<C> {
        match self {
            Self::Same(start) => &start.state,
            Self::Each { state, .. } => state(message),
        }
    }
}

/// The one or two passes in which messages become their digests.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'a, C: Compression> {
    pub(crate) inner: Starts<'a, C>,
    /// The midstates of a second pass over the digests, if there is one (RFC 2104).
    pub(crate) outer: Option<Starts<'a, C>>,
}

/// One pass from `start`.
impl<'a, C: Compression> From<&'a Start<C>> for Passes<'a, C> {
    fn from(start: &'a Start<C>) -> Self {
        Self { inner: Starts::Same(start), outer: None }
    }
}

/// One pass from `starts`.
impl<'a, C: Compression> From<Starts<'a, C>> for Passes<'a, C> {
    fn from(inner: Starts<'a, C>) -> Self {
        Self { inner, outer: None }
    }
}
