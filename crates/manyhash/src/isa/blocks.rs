//! What the lanes read: the next blocks of each lane's message, or all of it. Checked once, so that a kernel's loads need one
//! comparison a wave.

use super::MAX_LANES;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The same number of bytes ahead in every lane of a kernel.
pub struct Blocks<'a> {
    /// The first `lanes` are set. Zeros in the others would take as long as a fifth of a block of SHA-NI.
    starts: [MaybeUninit<*const u8>; MAX_LANES],
    lanes: usize,
    bytes: usize,
    messages: PhantomData<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    /// The first `bytes` bytes of `message(lane)` for each of `lanes` lanes.
    ///
    /// Panics if a message is shorter, or if there are no lanes or more than [`MAX_LANES`].
    #[inline(always)]
    pub fn new(lanes: usize, bytes: usize, message: impl Fn(usize) -> &'a [u8]) -> Self {
        assert!((1..=MAX_LANES).contains(&lanes));
        let mut blocks = Self::unset(lanes, bytes);
        let mut lane = 0;
        while lane < lanes {
            blocks.starts[lane].write(message(lane)[..bytes].as_ptr());
            lane += 1;
        }
        blocks
    }

    /// Successive blocks of one message: `block_bytes` bytes in each of `lanes` lanes.
    ///
    /// Panics if the message is shorter, or if there are no lanes or more than [`MAX_LANES`].
    #[inline(always)]
    pub fn successive(lanes: usize, block_bytes: usize, message: &'a [u8]) -> Self {
        assert!((1..=MAX_LANES).contains(&lanes) && lanes * block_bytes <= message.len());
        let mut blocks = Self::unset(lanes, block_bytes);
        let mut lane = 0;
        while lane < lanes {
            blocks.starts[lane].write(message.as_ptr().wrapping_add(lane * block_bytes));
            lane += 1;
        }
        blocks
    }

    /// No lanes yet: [`add_lane`](Self::add_lane) and [`repeat_first`](Self::repeat_first) give it some.
    #[inline(always)]
    pub(crate) fn without_lanes() -> Self {
        Self::unset(0, usize::MAX)
    }

    /// One more lane, with these bytes ahead; every lane has as many as the one with fewest. Panics if there are [`MAX_LANES`] already.
    #[inline(always)]
    pub(crate) fn add_lane(&mut self, ahead: &'a [u8]) {
        self.starts[self.lanes].write(ahead.as_ptr());
        self.lanes += 1;
        self.bytes = self.bytes.min(ahead.len());
    }

    /// Lanes without a message, up to `lanes` lanes in all, do the work of the first one again. Panics if there is no first, or if `lanes`
    /// is more than [`MAX_LANES`].
    #[inline(always)]
    pub(crate) fn repeat_first(&mut self, lanes: usize) {
        assert!(self.lanes > 0);
        while self.lanes < lanes {
            self.starts[self.lanes] = self.starts[0];
            self.lanes += 1;
        }
    }

    /// Leaves `bytes` bytes in every lane. Panics if there are fewer.
    #[inline(always)]
    pub(crate) fn shorten(&mut self, bytes: usize) {
        assert!(bytes <= self.bytes);
        self.bytes = bytes;
    }

    /// With no start set yet: the caller sets the first `lanes` before anybody reads them.
    #[inline(always)]
    fn unset(lanes: usize, bytes: usize) -> Self {
        Self { starts: [MaybeUninit::uninit(); MAX_LANES], lanes, bytes, messages: PhantomData }
    }

    /// Lanes.
    #[cfg(feature = "hazmat")]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Bytes ahead in every lane.
    #[inline(always)]
    pub fn len_bytes(&self) -> usize {
        self.bytes
    }

    /// `count` bytes of one lane. Panics outside of it.
    #[inline(always)]
    pub fn bytes(&self, lane: usize, at: usize, count: usize) -> &'a [u8] {
        let [start] = self.starts::<1>(lane, at, count);
        // SAFETY: `starts` checked that `count` bytes are there; whoever set them borrowed them for 'a.
        unsafe { std::slice::from_raw_parts(start, count) }
    }

    /// Pointers, each to `count` readable bytes: byte `at` of `N` lanes from `first_lane`. Panics outside of the lanes or their bytes.
    #[inline(always)]
    pub(super) fn starts<const N: usize>(&self, first_lane: usize, at: usize, count: usize) -> [*const u8; N] {
        assert!(first_lane + N <= self.lanes && count <= self.bytes && at <= self.bytes - count);
        let mut starts = [std::ptr::null(); N];
        let mut lane = 0;
        while lane < N {
            // SAFETY: a lane below `lanes`, which `new`, `successive`, `add_lane`, `repeat_first` or `Whole::new` set.
            starts[lane] = unsafe { self.starts[first_lane + lane].assume_init() }.wrapping_add(at);
            lane += 1;
        }
        starts
    }
}

/// The byte that comes after a message, with zeros around it: 64 bytes from somewhere in here have it at any place, or not at all.
pub struct FirstByte(pub(super) [u8; 129]);

impl FirstByte {
    /// `first` with zeros around it.
    pub const fn new(first: u8) -> Self {
        let mut bytes = [0; 129];
        bytes[64] = first;
        Self(bytes)
    }
}

/// A whole short message in every lane.
pub struct Whole<'a> {
    /// As many bytes as every message has.
    blocks: Blocks<'a>,
    bytes: [u32; MAX_LANES],
}

impl<'a> Whole<'a> {
    /// `message(lane)` in each of `lanes` lanes.
    ///
    /// Panics if a message has more than `u32::MAX / 8` bytes, or if there are no lanes or more than [`MAX_LANES`].
    #[inline(always)]
    pub fn new(lanes: usize, message: impl Fn(usize) -> &'a [u8]) -> Self {
        assert!((1..=MAX_LANES).contains(&lanes));
        let mut whole = Self { blocks: Blocks::unset(lanes, usize::MAX), bytes: [0; MAX_LANES] };
        let mut most_bytes = 0;
        for lane in 0..lanes {
            let message = message(lane);
            whole.blocks.starts[lane].write(message.as_ptr());
            whole.bytes[lane] = message.len() as u32;
            whole.blocks.bytes = whole.blocks.bytes.min(message.len());
            most_bytes = most_bytes.max(message.len());
        }
        assert!(most_bytes <= u32::MAX as usize / 8);
        whole
    }

    /// Bytes of a lane's message. Panics if there is no such lane.
    #[inline(always)]
    pub fn bytes(&self, lane: usize) -> u32 {
        self.bytes[..self.blocks.lanes][lane]
    }

    /// What all lanes have: as many bytes as the shortest message, which need not be whole blocks.
    #[inline(always)]
    pub fn blocks(&self) -> &Blocks<'a> {
        &self.blocks
    }

    /// Pointers and bytes of `N` whole messages from `first_lane`. Panics outside of the lanes.
    #[inline(always)]
    pub(super) fn messages<const N: usize>(&self, first_lane: usize) -> ([*const u8; N], [u32; N]) {
        let starts = self.blocks.starts(first_lane, 0, 0);
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[first_lane..first_lane + N]);
        (starts, bytes)
    }
}
