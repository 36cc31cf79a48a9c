//! Short messages that go from their starts to their digests in the lanes of one kernel, with no slots,
//! no midstates and no plan.
//!
//! If all have equally many blocks, any kernel will do, and the lanes stay in step. If the kernel hashes
//! whole messages ([`crate::kernel::short`], [`crate::kernel::per_message::short`]), they are one run.
//! Otherwise the end is padded in memory, and is a run of its own if there are more than two blocks. Messages
//! that differ in blocks take turns in a kernel that hashes whole ones. `route.rs` decides which messages
//! come here, and which are better off in the schedule.

use super::alone;
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::turns::{self, Begun, MAX_TURN_LANES};
use crate::algorithm::ending::{Ending, Tail, block_count, body_bytes};
use crate::algorithm::{Compression, MAX_DIGEST_BYTES, MAX_ROUNDS, WordOf, copy_digest, write_digest};
use crate::isa::{Blocks, FirstByte, MAX_LANES, Rooms, Row, Whole};
use crate::kernel::per_message::short::{Apart, ROOM_BLOCKS};
use crate::kernel::short::{DigestBlock, InLanes, InTurns, LaneStarts, LaneStates, ShortMessages, shared_end};
use crate::kernel::start::{Passes, Starts};
use crate::kernel::states::States;
use crate::kernel::{HashApart, Kernel};
use std::mem::MaybeUninit;

/// The most blocks of a short message. Longer ones have little to gain.
pub(super) const MAX_BLOCKS: u64 = 128;

/// The most bytes before a message. With more of them, its length would not fit into the word that
/// is written here.
pub(super) const MOST_START_BYTES: u64 = 1 << 28;

/// Messages that take turns are given to a kernel by this many.
const MANY_IN_TURNS: usize = 256;

/// Those for a kernel with registers for each message have room for this many, or for the larger number if they are more.
pub(super) const FEW_APART: usize = 4;
const MANY_APART: usize = 128;

/// Returns the bytes of rooms for so many messages, whose blocks have up to 128 bytes.
const fn room_bytes(messages: usize) -> usize {
    messages * ROOM_BLOCKS * 128
}

/// Messages of one number of blocks.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    /// The blocks of each message, padding included.
    pub(super) blocks: u64,
    /// The number of messages.
    pub(super) count: usize,
    /// The indices of the messages.
    pub(super) which: Which<'a>,
    /// The length in bytes that all of them have, if they are known to be equally long.
    pub(super) bytes: Option<usize>,
}

/// Memory for the final states that a kernel leaves. It is set for as many lanes as are needed, once for several groups: zeros for all lanes
/// take a tenth of the time of 16 messages of one block of SHA-256 (Zen 5).
pub(super) type Rows<'m> = Rooms<'m, Row>;

/// Memory for rows. Each row is one line of the cache, so that kernels never store to two.
#[repr(align(64))]
pub(super) struct RowMemory(pub(super) [MaybeUninit<Row>; MAX_LANES]);

impl RowMemory {
    /// Returns memory of which nothing is set.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; MAX_LANES])
    }
}

/// A row before a kernel writes to it.
const NO_ROW: Row = [0; MAX_DIGEST_BYTES];

/// Hashes a group of messages from where they start and adds the steps to `usage`.
pub(super) fn hash<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    group: Group<'_>,
    rows: &mut Rows<'_>,
    usage: &mut Usage,
) {
    Together::new(*passes, digests.digest_bytes(), rows).hash_group(mix, messages, digests, group, usage);
}

/// Hashes a few messages on a kernel with registers for each, and adds the steps to `usage`: no more than [`FEW_APART`]. Nothing of what
/// larger sets need is in its way.
#[inline(never)]
pub(super) fn hash_few<C: Compression>(
    mix: &Mix<C>,
    kernel: usize,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    usage: Option<&mut Usage>,
) {
    let hash_apart = mix.kernels[kernel].hash_apart().expect("asked for only if it is there");
    let memory = &mut RowMemory::new().0;
    let rows = &mut Rows::new(memory);
    let all = (Which::From(0), messages.count());
    let mut together = Together::new(*passes, digests.digest_bytes(), rows);
    let steps = together.hash_apart::<FEW_APART, { room_bytes(FEW_APART) }>(hash_apart, messages, digests, all);
    if let Some(usage) = usage {
        usage.steps[kernel] += steps;
    }
}

/// Returns how many bytes every message of a group has, if all are equally long and whole blocks.
fn alike_bytes<C: Compression>(messages: &dyn Messages, group: Group<'_>) -> Option<u64> {
    const CHUNK: usize = 32;
    let bytes = group.bytes.unwrap_or_else(|| messages.message(group.which.index(0)).len());
    let mut is_alike = bytes.is_multiple_of(C::BLOCK_BYTES) && C::HAS_CONSTANT_BLOCKS;
    let mut first = if group.bytes.is_some() { group.count } else { 1 };
    let mut found: [&[u8]; CHUNK] = [&[]; CHUNK];
    while is_alike && first < group.count {
        let found = &mut found[..CHUNK.min(group.count - first)];
        messages.fill(group.which.after(first), found);
        is_alike = found.iter().all(|message| message.len() == bytes);
        first += found.len();
    }
    is_alike.then_some(bytes as u64)
}

/// The messages of a group that are in the lanes of a kernel.
#[derive(Clone, Copy)]
struct Place<'a, 'g, C: Compression> {
    kernel: &'a Kernel<C>,
    group: Group<'g>,
    /// The place in the group of the first of them.
    first: usize,
    /// The number of lanes with a message of their own, which are the first ones.
    lanes: usize,
}

/// Where the messages in the lanes of a kernel end.
enum Ends<'a, C: Compression> {
    /// All after equally many blocks; with the last one's schedule, if it is the same for all.
    Together { blocks: usize, shared: Option<&'a [WordOf<C>; MAX_ROUNDS]> },
    /// After different numbers of blocks, of which this is the greatest.
    Ragged { longest: usize },
}

/// Kernels with at most this many lanes have memory for so many final states only.
const NARROW_LANES: usize = 8;

/// The parts that messages share, and memory for them.
pub(super) struct Together<'s, 'r, 'm, C: Compression> {
    passes: Passes<'s, C>,
    digest_block: Option<DigestBlock<C>>,
    rows: &'r mut Rows<'m>,
    own_inner: Option<LaneStates<C>>,
    own_outer: Option<LaneStates<C>>,
    finals: Option<LaneStates<C>>,
}

impl<'s, 'r, 'm, C: Compression> Together<'s, 'r, 'm, C> {
    /// Prepares for messages with digests of `digest_bytes` bytes. Make it where it is used: moving
    /// it costs 0.3 us.
    #[inline(always)]
    pub(super) fn new(passes: Passes<'s, C>, digest_bytes: usize, rows: &'r mut Rows<'m>) -> Self {
        Self {
            passes,
            digest_block: passes.outer.map(|outer| DigestBlock::new(digest_bytes, outer.bytes(), C::Ending::first(outer.state(0)))),
            rows,
            own_inner: None,
            own_outer: None,
            finals: None,
        }
    }

    /// Hashes messages of one number of blocks, any number of them, and adds the steps to `usage`.
    #[inline(always)]
    pub(super) fn hash_group(
        &mut self,
        mix: &Mix<C>,
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
        group: Group<'_>,
        usage: &mut Usage,
    ) {
        let Group { blocks, count, .. } = group;
        // The schedule is computed only if it is used often enough.
        let ways = mix.alike(blocks);
        let widest = &mix.kernels[ways.widest()];
        let is_large = count >= widest.lanes && widest.has_short() && widest.hash_apart().is_none();
        let alike_bytes = if is_large { alike_bytes::<C>(messages, group) } else { None };
        let shared_end = alike_bytes.map(|bytes| shared_end::<C>(self.passes.inner.bytes() + bytes));
        // What groups have in common, made once for several of them, gained 1 % of nodes of 64 bytes (SHA-256, Zen 4); several
        // groups in one run of the kernel gained 2.4 % of these, and registers for a loop were missing elsewhere.
        let mut first = 0;
        while first < count {
            let best = ways.best(count - first);
            let kernel = &mix.kernels[best];
            if kernel.hash_apart().is_some() {
                // As many as this kernel is best for.
                let mut lanes = kernel.lanes;
                while lanes < count - first && ways.best(count - first - lanes) == best {
                    lanes += kernel.lanes;
                }
                let lanes = lanes.min(count - first);
                self.hash_set(mix, (best, 0), messages, digests, (group.which.after(first), lanes), usage);
                first += lanes;
                continue;
            }
            usage.steps[best] += blocks + u64::from(self.passes.outer.is_some());
            let lanes = kernel.lanes.min(count - first);
            let at = Place { kernel, group, first, lanes };
            if kernel.lanes == 1 && kernel.name == mix.single.name {
                let index = group.which.index(first);
                let outer = self.passes.outer.as_ref().map(|outer| outer.midstate(index));
                alone::hash(mix, self.passes.inner.midstate(index), outer, messages.message(index), digests.room(index));
            } else if kernel.lanes <= 4 {
                self.hash::<4>(at, shared_end.as_ref(), messages, digests);
            } else {
                self.hash::<MAX_LANES>(at, shared_end.as_ref(), messages, digests);
            }
            first += lanes;
        }
    }

    /// Hashes messages that take turns in the lanes of one kernel that hashes whole messages, and adds the
    /// steps to `usage`. It takes least time if the longest come first. Up to `fewest` of these go on in turns when others have ended.
    #[inline(never)]
    pub(super) fn hash_set(
        &mut self,
        mix: &Mix<C>,
        (kernel, fewest): (usize, usize),
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
        (which, count): (Which<'_>, usize),
        usage: &mut Usage,
    ) {
        let index = kernel;
        let kernel = &mix.kernels[index];
        let have_own_starts = [Some(&self.passes.inner), self.passes.outer.as_ref()].into_iter().flatten().any(Starts::are_own);
        let is_one_each = have_own_starts || digests.digest_bytes() > MAX_DIGEST_BYTES;
        let most = match (is_one_each, kernel.hash_apart()) {
            (true, Some(_)) => MAX_LANES,
            (_, Some(_)) => MANY_APART,
            (true, _) => kernel.lanes,
            _ => MANY_IN_TURNS,
        };
        let mut first = 0;
        while first < count {
            let next = (which.after(first), most.min(count - first));
            // The longest messages are among the first.
            let on = (index, if first == 0 && !is_one_each { fewest } else { 0 });
            if let Some(hash_apart) = kernel.hash_apart() {
                usage.steps[index] += match next.1 {
                    ..=FEW_APART => self.hash_apart::<FEW_APART, { room_bytes(FEW_APART) }>(hash_apart, messages, digests, next),
                    _ => self.hash_many_apart(hash_apart, messages, digests, next),
                };
            } else {
                self.hash_turns(mix, on, messages, digests, next, usage);
            }
            first += next.1;
        }
    }

    /// Does what `hash_apart` does, for [`MANY_APART`]. It is not inlined, so that a few messages need none of its memory.
    #[inline(never)]
    fn hash_many_apart(
        &mut self,
        hash_apart: HashApart<C>,
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
        which: (Which<'_>, usize),
    ) -> u64 {
        self.hash_apart::<MANY_APART, { room_bytes(MANY_APART) }>(hash_apart, messages, digests, which)
    }

    /// Hashes at most `N` messages on a kernel with registers for each, with room in `BYTES` bytes, and returns the steps.
    #[inline]
    fn hash_apart<const N: usize, const BYTES: usize>(
        &mut self,
        hash_apart: HashApart<C>,
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
        (which, count): (Which<'_>, usize),
    ) -> u64 {
        let mut slices = [const { MaybeUninit::uninit() }; N];
        let mut slices = Rooms::new(&mut slices);
        let found = slices.add(count, &[][..]);
        messages.fill(which, found);
        let mut memory = [MaybeUninit::uninit(); BYTES];
        let mut rooms = Rooms::new(&mut memory);
        let (common, _, _) = self.in_common((which, count));
        let steps = hash_apart(Apart { common: &common, messages: found, rooms: &mut rooms });
        for (i, room) in rooms.all().chunks_exact(ROOM_BLOCKS * C::BLOCK_BYTES).enumerate().take(count) {
            copy_digest(room.first_chunk().expect("a block"), digests.room(which.index(i)));
        }
        steps
    }

    /// Hashes at most [`MANY_IN_TURNS`] messages on one kernel, in turns if they are more than lanes, and adds the steps to `usage`. The
    /// last ones, no more than `fewest`, go on in lanes of others.
    #[inline]
    fn hash_turns(
        &mut self,
        mix: &Mix<C>,
        (index, fewest): (usize, usize),
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
        (which, count): (Which<'_>, usize),
        usage: &mut Usage,
    ) {
        let kernel = &mix.kernels[index];
        let mut slices = [const { MaybeUninit::uninit() }; MANY_IN_TURNS];
        let mut slices = Rooms::new(&mut slices);
        let found = slices.add(count, &[][..]);
        messages.fill(which, found);
        let own = count.min(kernel.lanes);
        let whole = &mut Whole::new(own, |lane| found[lane]);
        whole.repeat_first(kernel.lanes);
        if count <= kernel.lanes && fewest == 0 {
            let blocks = found.iter().map(|message| block_count::<C>(message.len() as u64)).max().unwrap_or_default();
            self.hash_whole(kernel, (which, count), digests, whole, Ends::Ragged { longest: blocks as usize });
            usage.steps[index] += blocks + u64::from(self.passes.outer.is_some());
            return;
        }
        let waiting = &found[own..];
        let mut ended = [const { MaybeUninit::uninit() }; MANY_IN_TURNS];
        let mut left = [const { MaybeUninit::uninit() }; MANY_IN_TURNS];
        let (mut ended, mut left) = (Rooms::new(&mut ended), Rooms::new(&mut left));
        let (ended, left) = (ended.add(count, NO_ROW), left.add(count, 0));
        let (common, _, rows) = self.in_common((which, kernel.lanes));
        let rows = rows.first(kernel.lanes, NO_ROW);
        let task = InTurns { messages: &common, whole, own, waiting, fewest, left, rows, ended };
        usage.steps[index] += kernel.hash_in_turns(task);
        digests.set_rows(which, ended);
        if fewest > 0 {
            let mut begun = [const { None }; MAX_TURN_LANES];
            for (i, place) in (0..count).filter(|place| left[*place] > 0).enumerate() {
                let blocks = block_count::<C>(found[place].len() as u64) - u64::from(left[place]);
                begun[i] = Some(Begun::new(which.index(place), blocks, &self.passes.inner, &ended[place]));
            }
            turns::go_on(mix, &self.passes, messages, digests, &begun, usage);
        }
    }

    /// Hashes the messages in the lanes of a kernel of at most `N` lanes. A lane without a message
    /// does the work of the first one again.
    #[inline(always)]
    fn hash<const N: usize>(
        &mut self,
        at: Place<'_, '_, C>,
        shared: Option<&[WordOf<C>; MAX_ROUNDS]>,
        messages: &dyn Messages,
        digests: &mut Digests<'_>,
    ) {
        let which = at.group.which.after(at.first);
        if at.kernel.has_short() {
            let mut whole = Whole::empty();
            messages.put_in_lanes(which, at.lanes, at.kernel.lanes, at.group.bytes, &mut whole);
            let ends = Ends::Together { blocks: at.group.blocks as usize, shared };
            return self.hash_whole(at.kernel, (which, at.lanes), digests, &mut whole, ends);
        }
        let mut in_lanes: [&[u8]; N] = [&[]; N];
        messages.fill(which, &mut in_lanes[..at.lanes]);
        let idle = in_lanes[0];
        in_lanes[at.lanes..at.kernel.lanes].fill(idle);
        pad_in_memory(self.passes, at, &in_lanes[..at.kernel.lanes], digests);
    }

    /// Hashes the messages in the lanes of a kernel that pads in registers.
    #[inline]
    fn hash_whole(
        &mut self,
        kernel: &Kernel<C>,
        (which, lanes): (Which<'_>, usize),
        digests: &mut Digests<'_>,
        whole: &mut Whole<'_>,
        ends: Ends<'_, C>,
    ) {
        // What is asked for may be more than rows have.
        let are_long = digests.digest_bytes() > MAX_DIGEST_BYTES;
        let (blocks, shared_end, are_ragged) = match ends {
            Ends::Together { blocks, shared } => (blocks, shared, false),
            Ends::Ragged { longest } => (longest, None, true),
        };
        let (messages, wide, rows) = self.in_common((which, lanes));
        let rows = rows.first(kernel.lanes, NO_ROW);
        // Zeros for all lanes there may be took as long as a fifth of a block of eight messages of SHA3-256.
        let mut narrow;
        let mut finals = if !are_ragged && !are_long {
            None
        } else {
            let words = if kernel.lanes <= NARROW_LANES {
                narrow = C::filled([WordOf::<C>::default(); NARROW_LANES]);
                narrow.as_mut().as_flattened_mut()
            } else {
                wide.get_or_insert_with(|| C::filled([WordOf::<C>::default(); MAX_LANES])).as_mut().as_flattened_mut()
            };
            Some(&mut words[..C::STATE_WORDS * kernel.lanes])
        };
        kernel.hash_in_lanes(InLanes {
            messages: &messages,
            whole,
            blocks,
            shared_end,
            finals: finals.as_deref_mut(),
            whole_states: are_long,
            rows,
        });
        match finals {
            Some(finals) if are_long => {
                let states = States::<C>::of_columns(finals, kernel.lanes);
                (0..lanes).for_each(|lane| digests.set_state::<C>(which.index(lane), &states.column(lane)));
            }
            _ => digests.set_rows(which, &rows[..lanes]),
        }
    }

    /// Returns what messages have in common, the room for final states, and that for digests. The first `lanes` messages of
    /// `which` are in lanes.
    #[inline(always)]
    fn in_common(&mut self, (which, lanes): (Which<'_>, usize)) -> (ShortMessages<'_, C>, &mut Option<LaneStates<C>>, &mut Rows<'m>) {
        let Self { passes: Passes { inner, outer }, digest_block, rows, own_inner, own_outer, finals } = self;
        let midstates = lane_starts::<C>(inner, (which, lanes), own_inner);
        let outer = outer.as_ref().zip(digest_block.as_ref());
        let outer = outer.map(|(outer, block)| (lane_starts::<C>(outer, (which, lanes), own_outer), block));
        let first = FirstByte::of(C::Ending::first(inner.state(which.index(0))));
        let messages = ShortMessages { midstates, start_bytes: inner.bytes(), first, outer };
        (messages, finals, rows)
    }
}

/// Hashes the messages in the lanes of any kernel.
fn pad_in_memory<C: Compression>(
    Passes { inner, outer }: Passes<'_, C>,
    at: Place<'_, '_, C>,
    messages: &[&[u8]],
    digests: &mut Digests<'_>,
) {
    let which = at.group.which.after(at.first);
    let padded = PaddedInMemory { inner, outer, kernel: at.kernel, which, lanes: at.lanes, blocks: at.group.blocks as usize };
    match at.kernel.lanes {
        1..=2 => padded.hash::<2>(messages, digests),
        3..=4 => padded.hash::<4>(messages, digests),
        5..=8 => padded.hash::<8>(messages, digests),
        9..=16 => padded.hash::<16>(messages, digests),
        _ => padded.hash::<MAX_LANES>(messages, digests),
    }
}

/// Returns where some messages start, which are in the first lanes. If they have starts of their own,
/// these are put together in `own`.
fn lane_starts<'a, C: Compression>(
    starts: &'a Starts<'_, C>,
    (which, lanes): (Which<'_>, usize),
    own: &'a mut Option<LaneStates<C>>,
) -> LaneStarts<'a, C> {
    match starts {
        Starts::Same(start) => LaneStarts::Same(&start.state),
        Starts::Each { .. } => {
            let own = own.get_or_insert_with(|| C::filled([WordOf::<C>::default(); MAX_LANES]));
            set_starts(&mut States::of_rows(own), starts, (which, lanes));
            LaneStarts::Each(own)
        }
    }
}

/// Writes the starts of some messages to the first columns of `states`, or to all if they are the same.
#[inline]
fn set_starts<C: Compression>(states: &mut States<'_, C>, starts: &Starts<'_, C>, (which, lanes): (Which<'_>, usize)) {
    match starts {
        Starts::Same(start) => {
            for (i, initial) in start.state.as_ref().iter().enumerate() {
                states.row_mut(i).fill(*initial);
            }
        }
        Starts::Each { state, .. } => (0..lanes).for_each(|lane| states.set_column(lane, state(which.index(lane)))),
    }
}

/// Messages for a kernel that can't pad in registers.
struct PaddedInMemory<'a, 's, C: Compression> {
    inner: Starts<'s, C>,
    outer: Option<Starts<'s, C>>,
    kernel: &'a Kernel<C>,
    which: Which<'a>,
    /// The number of lanes with a message of their own.
    lanes: usize,
    /// The blocks of every message, padding included.
    blocks: usize,
}

impl<C: Compression> PaddedInMemory<'_, '_, C> {
    /// Hashes `messages[lane]` for each lane of the kernel. There is room for `N` lanes, which are
    /// at least those of the kernel. Compiled once for all `N`, it would take up to 6 % longer in four lanes.
    #[inline]
    fn hash<const N: usize>(&self, messages: &[&[u8]], digests: &mut Digests<'_>) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        // A table is made for each use, so that the compiler knows how many columns it has: elsewhere it may have any number.
        let mut tails = [Tail::<C>::empty(); N];
        let index = |lane: usize| self.which.index(lane);
        set_starts(&mut States::of_rows(&mut rows), &self.inner, (self.which, self.lanes));
        let fewest_bytes = messages[..self.lanes].iter().map(|message| message.len()).min().expect("a message");
        let body_bytes = body_bytes::<C>(fewest_bytes, self.blocks as u64);
        if body_bytes > 0 {
            self.kernel.advance(&mut States::of_rows(&mut rows), &Blocks::new(self.kernel.lanes, body_bytes, |lane| messages[lane]));
        }
        for (lane, (tail, message)) in tails.iter_mut().zip(&messages[..self.lanes]).enumerate() {
            let first = C::Ending::first(self.inner.state(index(lane)));
            tail.set(&message[body_bytes..], self.inner.bytes() + message.len() as u64, first);
        }
        let mut states = States::<C>::of_rows(&mut rows);
        tails[..self.lanes].iter().enumerate().for_each(|(lane, tail)| states.mark_end(lane, tail.end()));
        let tail_bytes = (self.blocks * C::BLOCK_BYTES).checked_sub(body_bytes).expect("messages stay as they are");
        self.compress_tails(&mut States::of_rows(&mut rows), &tails, tail_bytes);
        if let Some(outer) = &self.outer {
            let states = States::<C>::of_rows(&mut rows);
            for (lane, tail) in tails[..self.lanes].iter_mut().enumerate() {
                let mut inner = [0; MAX_DIGEST_BYTES];
                let inner = &mut inner[..digests.digest_bytes()];
                write_digest::<C>(&states.column(lane), inner);
                tail.set(inner, outer.bytes() + inner.len() as u64, C::Ending::first(outer.state(index(lane))));
            }
            set_starts(&mut States::of_rows(&mut rows), outer, (self.which, self.lanes));
            self.compress_tails(&mut States::of_rows(&mut rows), &tails, C::BLOCK_BYTES);
        }
        let states = States::<C>::of_rows(&mut rows);
        for lane in 0..self.lanes {
            digests.set_state::<C>(index(lane), &states.column(lane));
        }
    }

    /// Compresses the first bytes of each lane's tail. A lane without a message has the first one's.
    fn compress_tails(&self, states: &mut States<'_, C>, tails: &[Tail<C>], tail_bytes: usize) {
        let tail = |lane: usize| tails[if lane < self.lanes { lane } else { 0 }].blocks();
        self.kernel.advance(states, &Blocks::new(self.kernel.lanes, tail_bytes, tail));
    }
}
