//! Messages that are all in memory, in any of the forms that callers have them in.

use crate::isa::Whole;
use std::ops::Range;

/// Messages by index.
pub(crate) trait Messages {
    /// Returns the number of messages.
    fn count(&self) -> usize;
    /// Returns message `i`, which is always the same.
    fn message(&self, i: usize) -> &[u8];
    /// Returns the length of every message in bytes, if it is known without a look at each that all are
    /// equally long.
    fn equal_bytes(&self) -> Option<usize> {
        None
    }
    /// Returns how many messages of `range` come before the first that does not have `bytes` bytes.
    fn equal_before(&self, mut range: Range<usize>, bytes: usize) -> usize {
        let count = range.len();
        range.position(|i| self.message(i).len() != bytes).unwrap_or(count)
    }
    /// Puts messages into `lanes` lanes. The first `busy` lanes have one of their own, the others
    /// the first one again. All have `bytes` bytes, if that is known: then nobody looks for the shortest one and the longest.
    fn put_in_lanes<'a>(&'a self, which: Which<'_>, busy: usize, lanes: usize, bytes: Option<usize>, whole: &mut Whole<'a>) {
        match (which, bytes) {
            (Which::From(first), Some(bytes)) => whole.set_equal(busy, bytes, |lane| self.message(first + lane)),
            (Which::From(first), None) => whole.set(busy, |lane| self.message(first + lane)),
            (Which::These(indices), _) => whole.set(busy, |lane| self.message(indices[lane])),
        }
        whole.repeat_first(lanes);
    }
    /// Fills `found` with messages, in one call instead of many.
    fn fill<'a>(&'a self, which: Which<'_>, found: &mut [&'a [u8]]) {
        match which {
            Which::From(first) => {
                for (i, message) in found.iter_mut().enumerate() {
                    *message = self.message(first + i);
                }
            }
            Which::These(indices) => {
                for (message, i) in found.iter_mut().zip(indices) {
                    *message = self.message(*i);
                }
            }
        }
    }
}

/// A choice of messages by their indices.
#[derive(Clone, Copy)]
pub(crate) enum Which<'a> {
    /// Successive messages, from this index on.
    From(usize),
    /// The messages of these indices.
    These(&'a [usize]),
}

impl<'a> Which<'a> {
    /// Returns the messages of these indices, which rise.
    pub(crate) fn rising(indices: &'a [usize]) -> Self {
        match indices {
            [first, .., last] if last - first + 1 == indices.len() => Self::From(*first),
            [only] => Self::From(*only),
            _ => Self::These(indices),
        }
    }

    /// Returns the index of the message after `i` others.
    #[inline(always)]
    pub(crate) fn index(&self, i: usize) -> usize {
        match self {
            Self::From(first) => first + i,
            Self::These(indices) => indices[i],
        }
    }

    /// Returns the messages after `first` others.
    #[inline(always)]
    pub(crate) fn after(&self, first: usize) -> Which<'a> {
        match self {
            Self::From(from) => Which::From(from + first),
            Self::These(indices) => Which::These(&indices[first..]),
        }
    }
}

/// A slice of messages.
pub(crate) struct Slice<'a, M>(pub(crate) &'a [M]);

impl<M: AsRef<[u8]>> Messages for Slice<'_, M> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        self.0[i].as_ref()
    }
}

/// An integer that counts bytes from the beginning of a buffer: `u32`, `u64`, `usize`, and Arrow's
/// `i32` and `i64`.
#[allow(private_bounds, reason = "sealed")]
pub trait Offset: Copy + Sync + ToBytes {}

pub(crate) trait ToBytes {
    /// Returns the offset as an index; a negative one is past any end.
    fn to_bytes(self) -> usize;
}

macro_rules! offsets { ($($Integer:ident)*) => { $(
    impl Offset for $Integer {}
    impl ToBytes for $Integer {
        #[inline(always)]
        fn to_bytes(self) -> usize {
            usize::try_from(self).unwrap_or(usize::MAX)
        }
    }
)* } }
offsets!(u32 u64 usize i32 i64);

/// Messages that lie one after the other in one buffer.
pub(crate) struct Contiguous<'a, O> {
    values: &'a [u8],
    offsets: &'a [O],
}

impl<'a, O: Offset> Contiguous<'a, O> {
    /// Takes the messages between successive offsets. Panics if an offset is less than the one
    /// before or past the end.
    pub(crate) fn new(values: &'a [u8], offsets: &'a [O]) -> Self {
        let is_bad = |i: usize| offsets[i].to_bytes() > values.len() || i > 0 && offsets[i].to_bytes() < offsets[i - 1].to_bytes();
        if let Some(bad) = (0..offsets.len()).find(|i| is_bad(*i)) {
            panic!("offset {bad} is not between the one before and {} bytes", values.len());
        }
        Self { values, offsets }
    }
}

impl<O: Offset> Messages for Contiguous<'_, O> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        &self.values[self.offsets[i].to_bytes()..self.offsets[i + 1].to_bytes()]
    }
}

/// A part of other messages, one after the other.
pub(crate) struct Part<'a> {
    pub(crate) messages: &'a dyn Messages,
    pub(crate) range: Range<usize>,
}

impl Messages for Part<'_> {
    fn count(&self) -> usize {
        self.range.len()
    }
    fn message(&self, i: usize) -> &[u8] {
        self.messages.message(self.range.start + i)
    }
    fn equal_before(&self, range: Range<usize>, bytes: usize) -> usize {
        self.messages.equal_before(self.range.start + range.start..self.range.start + range.end, bytes)
    }
    fn fill<'a>(&'a self, which: Which<'_>, found: &mut [&'a [u8]]) {
        match which {
            Which::From(first) => self.messages.fill(Which::From(self.range.start + first), found),
            Which::These(indices) => {
                for (message, i) in found.iter_mut().zip(indices) {
                    *message = self.message(*i);
                }
            }
        }
    }
}

/// Chunks of one buffer, all of `message_bytes` bytes except perhaps the last.
pub(crate) struct Chunks<'a> {
    pub(crate) values: &'a [u8],
    pub(crate) message_bytes: usize,
}

impl Messages for Chunks<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.values.len().div_ceil(self.message_bytes)
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        let start = i * self.message_bytes;
        &self.values[start..(start + self.message_bytes).min(self.values.len())]
    }
    #[inline(always)]
    fn equal_bytes(&self) -> Option<usize> {
        self.values.len().is_multiple_of(self.message_bytes).then_some(self.message_bytes)
    }
    fn put_in_lanes<'a>(&'a self, which: Which<'_>, busy: usize, lanes: usize, _: Option<usize>, whole: &mut Whole<'a>) {
        match (which, self.equal_bytes()) {
            (Which::From(first), Some(bytes)) => whole.set_successive(busy, bytes, &self.values[first * bytes..]),
            _ => whole.set(busy, |lane| self.message(which.index(lane))),
        }
        whole.repeat_first(lanes);
    }
}
