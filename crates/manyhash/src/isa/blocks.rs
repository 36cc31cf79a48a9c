//! The bytes that the lanes read: the next blocks of each lane's message, or all of it. Their
//! lengths are checked once, so that the loads of a kernel need one comparison a wave.

use super::MAX_LANES;
use super::prefetch::prefetch_line;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Bytes of a line of memory, or fewer.
const LINE_BYTES: usize = 64;

/// The next bytes of every lane of a kernel, equally many in each.
pub struct Blocks<'a> {
    /// Where the lanes begin. The first `lanes` are set; zeros in the others would take as long as
    /// a fifth of a block of SHA-NI.
    starts: [MaybeUninit<*const u8>; MAX_LANES],
    lanes: usize,
    /// The first byte that may be read: lanes of [`Whole`] that have begun later have none before it.
    from: usize,
    bytes: usize,
    messages: PhantomData<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    /// Takes the first `bytes` bytes of `message(lane)` for each of `lanes` lanes.
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

    /// Takes successive blocks of one message: `block_bytes` bytes in each of `lanes` lanes.
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

    /// Creates blocks whose starts are not set. The caller sets the first `lanes` before any of
    /// them is read.
    #[inline(always)]
    fn unset(lanes: usize, bytes: usize) -> Self {
        Self { starts: [MaybeUninit::uninit(); MAX_LANES], lanes, from: 0, bytes, messages: PhantomData }
    }

    /// Returns the number of lanes.
    #[cfg(any(test, feature = "hazmat"))]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns how many bytes are ahead in every lane.
    #[inline(always)]
    pub fn len_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns whether every lane has `count` bytes from byte `at` on. A loop that asks this, and not only whether `at` is before the end,
    /// has no other checks: one message of SHA-256 takes 101 instructions a block on AArch64, and not 104.
    #[inline(always)]
    #[cfg_attr(not(any(target_arch = "aarch64", test)), allow(dead_code, reason = "for kernels of AArch64"))]
    pub(crate) fn has(&self, at: usize, count: usize) -> bool {
        count <= self.bytes && at <= self.bytes - count
    }

    /// Returns `count` bytes of one lane from byte `at`. Panics if they are not all there.
    #[inline(always)]
    pub fn bytes(&self, lane: usize, at: usize, count: usize) -> &'a [u8] {
        let [start] = self.starts::<1>(lane, at, count);
        // SAFETY: `starts` checked that `count` bytes are there; the code that set the start
        // borrowed them for 'a.
        unsafe { std::slice::from_raw_parts(start, count) }
    }

    /// Asks for the lines of memory with `count` bytes of each of the first `lanes` lanes from byte `at` on, if that byte is there. They
    /// may be behind the end. Panics if there are fewer lanes.
    #[inline(always)]
    pub(crate) fn prefetch(&self, lanes: usize, at: usize, count: usize) {
        if at < self.bytes {
            for start in &self.starts[..self.lanes][..lanes] {
                for line in 0..count / LINE_BYTES {
                    // SAFETY: the first `lanes` starts are set.
                    prefetch_line(unsafe { start.assume_init() }.wrapping_add(at + line * LINE_BYTES));
                }
            }
        }
    }

    /// Returns pointers to byte `at` of `N` lanes from `first_lane`, each to `count` readable
    /// bytes. Panics if a lane or a byte is out of range.
    #[inline(always)]
    pub(super) fn starts<const N: usize>(&self, first_lane: usize, at: usize, count: usize) -> [*const u8; N] {
        assert!(first_lane + N <= self.lanes && self.from <= at && count <= self.bytes && at <= self.bytes - count);
        self.addresses(first_lane, at)
    }

    /// Returns where byte `at` of `N` lanes from `first_lane` is, or would be. Panics if a lane is out of
    /// range.
    #[inline(always)]
    fn addresses<const N: usize>(&self, first_lane: usize, at: usize) -> [*const u8; N] {
        assert!(first_lane + N <= self.lanes);
        let mut starts = [std::ptr::null(); N];
        let mut lane = 0;
        while lane < N {
            // SAFETY: a lane below `lanes`, which `new`, `successive`, or the functions of
            // `Whole` or `Ahead` set.
            starts[lane] = unsafe { self.starts[first_lane + lane].assume_init() }.wrapping_add(at);
            lane += 1;
        }
        starts
    }
}

/// What each lane of a kernel has ahead, of any length. [`Blocks`] are taken from it run by run, each
/// as far as all lanes go.
pub(crate) struct Ahead<'a> {
    /// The blocks taken last. The lanes are as many as the kernel has.
    blocks: Blocks<'a>,
    /// For each lane with a message of its own, how many bytes will have been taken at the end of
    /// what it has.
    ends: [MaybeUninit<usize>; MAX_LANES],
    /// The bytes that were taken of every lane, those taken last included.
    taken: usize,
    /// The lanes with a message of their own, which are the first ones. The others repeat the first.
    busy_lanes: usize,
}

impl<'a> Ahead<'a> {
    /// Creates lanes that [`add_lane`](Self::add_lane) adds to.
    #[inline(always)]
    pub(crate) fn without_lanes() -> Self {
        Self { blocks: Blocks::unset(0, 0), ends: [MaybeUninit::uninit(); MAX_LANES], taken: 0, busy_lanes: 0 }
    }

    /// Adds a lane that has these bytes ahead. Panics if there are [`MAX_LANES`] already.
    #[inline(always)]
    pub(crate) fn add_lane(&mut self, ahead: &'a [u8]) {
        let lane = self.busy_lanes;
        self.set(lane, ahead);
        (self.busy_lanes, self.blocks.lanes) = (lane + 1, lane + 1);
    }

    /// Makes a lane go on with these bytes.
    #[inline(always)]
    fn set(&mut self, lane: usize, ahead: &'a [u8]) {
        // `take` moves all starts behind what was taken before.
        self.blocks.starts[lane].write(ahead.as_ptr().wrapping_sub(self.blocks.bytes));
        self.ends[lane].write(self.taken.checked_add(ahead.len()).expect("fewer bytes than an address space"));
    }

    /// Fills up to `lanes` lanes in all. The added lanes have no message and repeat the work of the
    /// first one. Panics if there is no first lane, or if `lanes` is more than [`MAX_LANES`].
    #[inline(always)]
    pub(crate) fn repeat_first(&mut self, lanes: usize) {
        assert!(self.busy_lanes > 0);
        while self.blocks.lanes < lanes {
            self.blocks.starts[self.blocks.lanes] = self.blocks.starts[0];
            self.blocks.lanes += 1;
        }
    }

    /// Returns the bytes that were taken of every lane.
    #[inline(always)]
    pub(crate) fn taken_bytes(&self) -> usize {
        self.taken
    }

    /// Returns the ends of the lanes with a message of their own.
    #[inline(always)]
    fn ends(&self) -> &[usize] {
        let ends = &self.ends[..self.busy_lanes];
        // SAFETY: `add_lane` has written this many.
        unsafe { &*(std::ptr::from_ref(ends) as *const [usize]) }
    }

    /// Takes the next bytes of every lane, up to the nearest end of one, and at most `most_bytes`.
    /// There are none if a lane is at its end. Panics if there are no lanes.
    #[inline(always)]
    pub(crate) fn take(&mut self, most_bytes: usize) -> &Blocks<'a> {
        assert!(self.busy_lanes > 0);
        // Four minima, so that none waits for the one before.
        let (fours, rest) = self.ends().as_chunks::<4>();
        let mut nearest = [usize::MAX; 4];
        for four in fours {
            for (nearest, end) in nearest.iter_mut().zip(four) {
                *nearest = (*nearest).min(*end);
            }
        }
        let nearest = nearest.iter().chain(rest).fold(usize::MAX, |nearest, end| nearest.min(*end));
        for start in &mut self.blocks.starts[..self.blocks.lanes] {
            // SAFETY: `add_lane` or `repeat_first` has written this many.
            *start = MaybeUninit::new(unsafe { start.assume_init() }.wrapping_add(self.blocks.bytes));
        }
        self.blocks.bytes = (nearest - self.taken).min(most_bytes);
        self.taken += self.blocks.bytes;
        &self.blocks
    }

    /// Returns the lanes of which all is taken: bit i is that of lane i.
    #[inline(always)]
    pub(crate) fn at_end(&self) -> u64 {
        self.ends().iter().rev().fold(0, |lanes, end| lanes << 1 | u64::from(*end == self.taken))
    }

    /// Gives these bytes to a lane of which all is taken. Panics if it isn't.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, lane: usize, ahead: &'a [u8]) {
        assert!(self.ends()[lane] == self.taken, "a lane that is not at_end");
        self.set(lane, ahead);
        if lane == 0 {
            let start = self.blocks.starts[0];
            self.blocks.starts[self.busy_lanes..self.blocks.lanes].fill(start);
        }
    }
}

/// The byte that comes after a message, with zeros around it: a window of 64 bytes in it has the
/// byte at any wanted place, or not at all.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for lanes that pad"))]
pub struct FirstByte(pub(super) [u8; 129]);

impl FirstByte {
    /// Puts zeros around the byte `first`.
    pub const fn new(first: u8) -> Self {
        let mut bytes = [0; 129];
        bytes[64] = first;
        Self(bytes)
    }

    /// Returns the byte.
    #[inline(always)]
    pub(crate) fn byte(&self) -> u8 {
        self.0[64]
    }

    /// Returns zeros around the byte `first`. To make them would take longer than to read them.
    #[inline(always)]
    pub fn of(first: u8) -> &'static Self {
        static ALL: [FirstByte; 256] = {
            let mut all = [const { FirstByte::new(0) }; 256];
            let mut first = 0;
            while first < all.len() {
                all[first] = FirstByte::new(first as u8);
                first += 1;
            }
            all
        };
        &ALL[usize::from(first)]
    }
}

/// A whole short message in every lane. A lane whose message has ended may go on with another one:
/// bytes are counted from where the first ones began, so that all lanes are at the same byte.
pub struct Whole<'a> {
    /// The bytes of every message, as far as the nearest end.
    blocks: Blocks<'a>,
    /// Where the message of each lane ends. The lanes of `blocks` are set.
    ends: [MaybeUninit<u32>; MAX_LANES],
    /// No message ends behind this byte.
    farthest: u32,
    /// The lanes without a message: bit i is that of lane i.
    left: u64,
}
const _: () = assert!(MAX_LANES <= u64::BITS as usize);

/// No message of [`Whole`] ends later than this.
const MOST_BYTES: usize = u32::MAX as usize / 8;

impl<'a> Whole<'a> {
    /// Returns what has no lanes yet.
    #[inline(always)]
    pub fn empty() -> Self {
        Self { blocks: Blocks::unset(0, 0), ends: [MaybeUninit::uninit(); MAX_LANES], farthest: 0, left: 0 }
    }

    /// Takes all of `message(lane)` for each of `lanes` lanes.
    ///
    /// Panics if a message has more than `u32::MAX / 8` bytes, or if there are no lanes or more
    /// than [`MAX_LANES`].
    #[inline(always)]
    pub fn new(lanes: usize, message: impl Fn(usize) -> &'a [u8]) -> Self {
        let mut whole = Self::empty();
        whole.set(lanes, message);
        whole
    }

    /// Does what [`new`](Self::new) does where there were messages before: to move all lanes took 12 ns of the 500 that
    /// eight messages of SHA3-256 take (Zen 4).
    #[inline(always)]
    pub fn set(&mut self, lanes: usize, message: impl Fn(usize) -> &'a [u8]) {
        assert!((1..=MAX_LANES).contains(&lanes));
        // Should `message` panic, starts and ends do not belong together.
        self.blocks.lanes = 0;
        let (mut nearest, mut farthest) = (usize::MAX, 0);
        for (lane, (start, end)) in self.blocks.starts.iter_mut().zip(&mut self.ends).enumerate().take(lanes) {
            let message = message(lane);
            start.write(message.as_ptr());
            end.write(message.len() as u32);
            nearest = nearest.min(message.len());
            farthest = farthest.max(message.len());
        }
        self.set_lanes(lanes, nearest, farthest);
    }

    /// Does what [`set`](Self::set) does for messages that all have `bytes` bytes. Panics if one has not.
    #[inline(always)]
    pub fn set_equal(&mut self, lanes: usize, bytes: usize, message: impl Fn(usize) -> &'a [u8]) {
        assert!((1..=MAX_LANES).contains(&lanes));
        self.blocks.lanes = 0;
        let mut are_equal = true;
        for (lane, (start, end)) in self.blocks.starts.iter_mut().zip(&mut self.ends).enumerate().take(lanes) {
            let message = message(lane);
            are_equal &= message.len() == bytes;
            start.write(message.as_ptr());
            end.write(bytes as u32);
        }
        assert!(are_equal);
        self.set_lanes(lanes, bytes, bytes);
    }

    /// Takes successive messages of `bytes` bytes each from `messages`, one for each of `lanes` lanes.
    ///
    /// Panics if `messages` is shorter, if a message has more than `u32::MAX / 8` bytes, or if there are no
    /// lanes or more than [`MAX_LANES`].
    #[inline(always)]
    pub fn set_successive(&mut self, lanes: usize, bytes: usize, messages: &'a [u8]) {
        assert!((1..=MAX_LANES).contains(&lanes) && lanes * bytes <= messages.len());
        for (lane, (start, end)) in self.blocks.starts.iter_mut().zip(&mut self.ends).enumerate().take(lanes) {
            start.write(messages.as_ptr().wrapping_add(lane * bytes));
            end.write(bytes as u32);
        }
        self.set_lanes(lanes, bytes, bytes);
    }

    /// Has `lanes` lanes, no fewer than before: the new ones have the message of the first one. Panics if there was no lane, or if
    /// they are more than [`MAX_LANES`].
    #[inline(always)]
    pub fn repeat_first(&mut self, lanes: usize) {
        assert!(self.blocks.lanes > 0 && self.blocks.lanes <= lanes);
        let (start, end) = (self.blocks.starts[0], self.ends[0]);
        self.blocks.starts[self.blocks.lanes..lanes].fill(start);
        self.ends[self.blocks.lanes..lanes].fill(end);
        self.blocks.lanes = lanes;
    }

    /// Has the first `lanes` lanes, which the caller has set. The nearest message ends after `nearest` bytes and
    /// the farthest after `farthest`, which are few enough, or this panics.
    #[inline(always)]
    fn set_lanes(&mut self, lanes: usize, nearest: usize, farthest: usize) {
        assert!(farthest <= MOST_BYTES);
        (self.blocks.lanes, self.blocks.from, self.blocks.bytes) = (lanes, 0, nearest);
        (self.farthest, self.left) = (farthest as u32, 0);
    }

    /// Makes a lane go on with another message, whose first byte is byte `at`. No byte before it can be
    /// read any more, of any lane. Panics if there is no such lane, or if the message ends after
    /// `u32::MAX / 8` bytes.
    #[inline(always)]
    pub fn go_on(&mut self, lane: usize, at: usize, message: &'a [u8]) {
        assert!(lane < self.blocks.lanes && at <= MOST_BYTES && message.len() <= MOST_BYTES - at);
        self.blocks.from = self.blocks.from.max(at);
        self.blocks.starts[lane].write(message.as_ptr().wrapping_sub(at));
        let end = (at + message.len()) as u32;
        self.ends[lane].write(end);
        self.farthest = self.farthest.max(end);
        self.left &= !(1 << lane);
        self.blocks.bytes = self.blocks.bytes.min(at + message.len());
    }

    /// Leaves a lane without a message, as if one had ended long before. Panics if there is no such lane.
    #[inline(always)]
    pub fn leave(&mut self, lane: usize) {
        assert!(lane < self.blocks.lanes);
        self.ends[lane].write(0);
        self.left |= 1 << lane;
        self.blocks.bytes = 0;
    }

    /// Leaves all lanes whose messages have ended, without a branch for any. They read what the lane `other` reads, whose message has not.
    /// Panics if there are not as many lanes as `lanes`, which the compiler may know, or no lane `other`.
    #[inline(always)]
    pub fn leave_all(&mut self, lanes: usize, other: usize, has_ended: impl Fn(usize) -> bool) {
        assert!(lanes == self.blocks.lanes && other < lanes);
        let start = self.blocks.starts[other];
        let (mut nearest, mut left) = (u32::MAX, 0);
        let mut lane = 0;
        while lane < lanes {
            let has_ended = has_ended(lane);
            // SAFETY: a lane there is, whose end was written.
            let bytes = unsafe { self.ends[lane].assume_init() };
            self.blocks.starts[lane] = if has_ended { start } else { self.blocks.starts[lane] };
            self.ends[lane].write(if has_ended { 0 } else { bytes });
            nearest = nearest.min(if has_ended { u32::MAX } else { bytes });
            left |= u64::from(has_ended) << lane;
            lane += 1;
        }
        self.left = left;
        self.blocks.bytes = if left >> other & 1 == 0 { nearest as usize } else { 0 };
    }

    /// Looks for the nearest end among all lanes, once some of them went on or were left. Those that were
    /// left read what the lane with the farthest end reads, so that they need no end of their own.
    #[inline(always)]
    pub fn find_nearest_end(&mut self) {
        let ends = self.ends();
        if self.left == 0 {
            self.blocks.bytes = ends.iter().fold(u32::MAX, |nearest, end| nearest.min(*end)) as usize;
            return;
        }
        let (mut nearest, mut farthest) = (u32::MAX, 0);
        for (lane, end) in ends.iter().enumerate() {
            nearest = nearest.min(if self.left >> lane & 1 == 0 { *end } else { u32::MAX });
            farthest = if *end > ends[farthest] { lane } else { farthest };
        }
        self.blocks.bytes = if self.left >> farthest & 1 == 0 { nearest as usize } else { 0 };
        let mut left = self.left;
        while left != 0 {
            self.blocks.starts[left.trailing_zeros() as usize] = self.blocks.starts[farthest];
            left &= left - 1;
        }
    }

    /// Returns the length of a lane's message in bytes, if it is the lane's first one. Panics if there is
    /// no such lane.
    #[inline(always)]
    pub fn bytes(&self, lane: usize) -> u32 {
        self.ends()[lane]
    }

    /// Returns where the message of each lane ends.
    #[inline(always)]
    fn ends(&self) -> &[u32] {
        let ends = &self.ends[..self.blocks.lanes];
        // SAFETY: `set`, `set_equal`, `set_successive` and `repeat_first` wrote the end of each lane there is.
        unsafe { std::slice::from_raw_parts(ends.as_ptr().cast(), ends.len()) }
    }

    /// Returns the bytes that all lanes have: as far as the nearest end, which need not be that of a
    /// block.
    #[inline(always)]
    pub fn blocks(&self) -> &Blocks<'a> {
        &self.blocks
    }

    /// Returns `N` messages from `first_lane` on, to be read from byte `at` on. Panics if a lane is out of
    /// range or one has begun behind `at`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for lanes that pad"))]
    pub(super) fn messages<const N: usize>(&self, first_lane: usize, at: usize) -> WholeMessages<N> {
        assert!(self.blocks.from <= at);
        let starts = self.blocks.addresses(first_lane, 0);
        let ends = *self.ends()[first_lane..].first_chunk().expect("as many lanes");
        let nearest = if self.left == 0 { self.blocks.bytes } else { 0 };
        WholeMessages { starts, ends, nearest, farthest: self.farthest as usize }
    }
}

/// Messages of some lanes, which were checked: bytes are counted as in [`Whole`].
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for lanes that pad"))]
pub(super) struct WholeMessages<const N: usize> {
    /// Where byte 0 of each message is, or would be.
    pub(super) starts: [*const u8; N],
    /// Where each message ends.
    pub(super) ends: [u32; N],
    /// All lanes have bytes as far as this.
    pub(super) nearest: usize,
    /// No message ends behind this.
    pub(super) farthest: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_go_on_at_their_own_ends() {
        let bytes: Vec<u8> = (0..200).collect();
        let mut ahead = Ahead::without_lanes();
        ahead.add_lane(&bytes[..64]);
        ahead.add_lane(&bytes[10..42]);
        ahead.add_lane(&bytes[20..84]);
        ahead.repeat_first(4);
        let read =
            |blocks: &Blocks<'_>| (0..blocks.lanes()).map(|lane| blocks.bytes(lane, 0, blocks.len_bytes()).to_vec()).collect::<Vec<_>>();

        assert_eq!(read(ahead.take(1000)), [&bytes[..32], &bytes[10..42], &bytes[20..52], &bytes[..32]]);
        assert_eq!((ahead.at_end(), ahead.taken_bytes()), (0b010, 32));
        assert_eq!(ahead.take(1000).len_bytes(), 0, "lane 1 has nothing ahead");
        ahead.go_on(1, &bytes[100..116]);
        assert_eq!(read(ahead.take(8)), [&bytes[32..40], &bytes[100..108], &bytes[52..60], &bytes[32..40]]);
        assert_eq!(ahead.at_end(), 0);
        assert_eq!(read(ahead.take(1000)), [&bytes[40..48], &bytes[108..116], &bytes[60..68], &bytes[40..48]]);
        ahead.go_on(1, &bytes[150..200]);
        assert_eq!(ahead.take(1000).len_bytes(), 16);
        assert_eq!(ahead.at_end(), 0b101);
        ahead.go_on(0, &bytes[1..9]);
        ahead.go_on(2, &bytes[2..10]);
        assert_eq!(read(ahead.take(1000)), [&bytes[1..9], &bytes[166..174], &bytes[2..10], &bytes[1..9]]);
    }

    #[test]
    #[should_panic(expected = "at_end")]
    fn a_lane_that_has_bytes_ahead_gets_no_others() {
        let mut ahead = Ahead::without_lanes();
        ahead.add_lane(&[0; 64]);
        ahead.repeat_first(1);
        ahead.take(32);
        ahead.go_on(0, &[1; 64]);
    }

    #[test]
    fn whole_messages_take_turns() {
        let bytes: Vec<u8> = (0..200).collect();
        let mut whole = Whole::new(2, |lane| &bytes[lane..][..64 * (lane + 1)]);
        assert_eq!((whole.blocks().len_bytes(), whole.bytes(1)), (64, 128));
        whole.go_on(0, 64, &bytes[100..170]);
        assert_eq!(whole.blocks().len_bytes(), 64);
        whole.find_nearest_end();
        assert_eq!(whole.blocks().len_bytes(), 128, "lane 1 ends before lane 0");
        assert_eq!((whole.blocks().bytes(0, 64, 64), whole.blocks().bytes(1, 64, 64)), (&bytes[100..164], &bytes[65..129]));
        whole.leave(1);
        whole.find_nearest_end();
        assert_eq!(whole.blocks().len_bytes(), 134);
        assert_eq!(whole.blocks().bytes(1, 64, 70), &bytes[100..170]);
        whole.leave(0);
        whole.find_nearest_end();
        assert_eq!(whole.blocks().len_bytes(), 0);
    }

    #[test]
    fn lanes_that_have_ended_are_left() {
        let bytes: Vec<u8> = (0..200).collect();
        let mut whole = Whole::new(3, |lane| &bytes[lane..][..[10, 130, 70][lane]]);
        assert_eq!(whole.blocks().len_bytes(), 10);
        whole.leave_all(3, 1, |lane| lane == 0);
        assert_eq!(whole.blocks().len_bytes(), 70, "lane 2 ends next");
        assert_eq!((whole.blocks().bytes(0, 0, 70), whole.blocks().bytes(2, 0, 70)), (&bytes[1..71], &bytes[2..72]));
        whole.leave_all(3, 1, |lane| lane != 1);
        assert_eq!((whole.blocks().len_bytes(), whole.blocks().bytes(2, 64, 66)), (130, &bytes[65..131]));
        whole.leave_all(3, 0, |lane| lane != 1);
        assert_eq!(whole.blocks().len_bytes(), 0, "the lane that they would read has ended, too");
    }

    #[test]
    #[should_panic(expected = "from <= at")]
    fn nothing_before_a_message_is_read() {
        let mut whole = Whole::new(2, |_| &[0; 128]);
        whole.go_on(0, 64, &[0; 64]);
        whole.find_nearest_end();
        whole.blocks().bytes(1, 0, 64);
    }
}
