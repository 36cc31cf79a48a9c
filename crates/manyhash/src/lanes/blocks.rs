//! The next blocks of each lane's message, checked once for a whole run so that a kernel's loads need one comparison a wave.

use super::MAX_LANES;
use std::marker::PhantomData;

/// The same number of bytes ahead in every lane of a shape.
pub(crate) struct Blocks<'a> {
    starts: [*const u8; MAX_LANES],
    lanes: usize,
    bytes: usize,
    messages: PhantomData<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    /// The first `bytes` bytes of `message(lane)` for each of `lanes` lanes.
    ///
    /// Panics if a message is shorter, or if there are no lanes or more than [`MAX_LANES`].
    #[inline]
    pub(crate) fn new(lanes: usize, bytes: usize, message: impl Fn(usize) -> &'a [u8]) -> Self {
        assert!((1..=MAX_LANES).contains(&lanes));
        let mut starts = [std::ptr::null(); MAX_LANES];
        for (lane, start) in starts[..lanes].iter_mut().enumerate() {
            *start = message(lane)[..bytes].as_ptr();
        }
        Self { starts, lanes, bytes, messages: PhantomData }
    }

    /// Successive blocks of one message: `block_bytes` bytes in each of `lanes` lanes.
    ///
    /// Panics if the message is shorter, or if there are no lanes or more than [`MAX_LANES`].
    #[inline(always)]
    pub(crate) fn successive(lanes: usize, block_bytes: usize, message: &'a [u8]) -> Self {
        assert!((1..=MAX_LANES).contains(&lanes) && lanes * block_bytes <= message.len());
        let mut starts = [std::ptr::null(); MAX_LANES];
        let mut lane = 0;
        while lane < lanes {
            starts[lane] = message.as_ptr().wrapping_add(lane * block_bytes);
            lane += 1;
        }
        Self { starts, lanes, bytes: block_bytes, messages: PhantomData }
    }

    /// Bytes ahead in every lane.
    #[inline(always)]
    pub(crate) fn len_bytes(&self) -> usize {
        self.bytes
    }

    /// `count` bytes of one lane. Panics outside of it.
    #[inline(always)]
    pub(crate) fn bytes(&self, lane: usize, at: usize, count: usize) -> &'a [u8] {
        let [start] = self.starts::<1>(lane, at, count);
        // SAFETY: `starts` checked that `count` bytes are there; `new` borrowed them for 'a.
        unsafe { std::slice::from_raw_parts(start, count) }
    }

    /// Pointers, each to `count` readable bytes: byte `at` of `N` lanes from `first_lane`. Panics outside of the lanes or their bytes.
    #[inline(always)]
    pub(super) fn starts<const N: usize>(&self, first_lane: usize, at: usize, count: usize) -> [*const u8; N] {
        assert!(first_lane + N <= self.lanes && count <= self.bytes && at <= self.bytes - count);
        let mut starts = [std::ptr::null(); N];
        let mut lane = 0;
        while lane < N {
            starts[lane] = self.starts[first_lane + lane].wrapping_add(at);
            lane += 1;
        }
        starts
    }
}
