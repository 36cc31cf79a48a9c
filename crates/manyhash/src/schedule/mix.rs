//! Mixes: the kernels a schedule may choose from, and the cheapest way through some messages with
//! them.

use super::bookkeeping::{ends_in_memory_ps, least_ragged_ps, ragged_message_ps};
use super::bound::Bound;
use super::few::{self, FEW, MOST_ALONE};
use super::messages::{Messages, Which};
use super::turns::MAX_TURN_LANES;
use super::ways::Ways;
use crate::algorithm::ending::Ending;
use crate::algorithm::{Compression, SelfTested};
use crate::isa::{OnceLock, WAYS};
use crate::kernel::list::kernels;
use crate::kernel::{Kernel, Runs, SHORT_BLOCKS, self_test};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Every kernel of a compression function, and the mixes that are made of those this CPU can run.
pub(crate) struct Mixes<C: Compression> {
    /// All kernels that there are, whatever the CPU, narrowest lanes first.
    pub(crate) all: Vec<Kernel<C>>,
    /// The mix that is used unless a backend is forced.
    pub(crate) automatic: Mix<C>,
    /// Whether its kernels passed their self-test. Otherwise no kernel of this CPU did.
    pub(crate) is_right: bool,
    automatic_dealt: OnceLock<Mix<C>>,
    /// For each of `all`, a mix of it alone, once it was asked for.
    forced: Vec<OnceLock<Option<Mix<C>>>>,
}

impl<C: SelfTested> Mixes<C> {
    /// Asks the CPU which kernels it can run. This takes time: see
    /// [`Compiled::mixes`](super::compiled::Compiled::mixes).
    pub(crate) fn detect() -> Self {
        let all = kernels::<C>();
        #[cfg(debug_assertions)]
        let all = crate::kernel::broken::with_broken(all);
        Self::of(all)
    }

    /// Makes mixes of those kernels that this CPU can run and that pass their self-test.
    pub(crate) fn of(all: Vec<Kernel<C>>) -> Self {
        let mut mixed = tested(all.iter().copied().filter(Kernel::is_supported).collect(), self_test::passes);
        let is_right = !mixed.iter().any(self_test::has_failed);
        keep_wide_from_long_runs(&mut mixed);
        let forced = all.iter().map(|_| OnceLock::new()).collect();
        Self { automatic: Mix::new(mixed), is_right, automatic_dealt: OnceLock::new(), forced, all }
    }

    /// Returns the mix for a message dealt out to lanes: see [`Kernel::for_dealt`].
    pub(crate) fn automatic_dealt(&self) -> &Mix<C> {
        self.automatic_dealt.get_or_init(|| {
            let mut dealt = self.all.iter().filter(|kernel| kernel.is_supported()).map(Kernel::for_dealt).collect();
            dealt = tested(dealt, |kernel| self_test::passes(kernel) && self_test::passes_dealt(kernel));
            keep_wide_from_long_runs(&mut dealt);
            Mix::new(dealt)
        })
    }

    /// Returns the names of the kernels of `all` that this CPU can run and that did not fail until now.
    pub(crate) fn usable(&self) -> Vec<&'static str> {
        let is_usable = |kernel: &&Kernel<C>| kernel.is_supported() && !self_test::has_failed(kernel);
        self.all.iter().filter(is_usable).map(|kernel| kernel.name).collect()
    }

    /// Returns the mix of kernel `i` of `all` alone; `None` if the CPU lacks it or it fails its
    /// self-test.
    pub(crate) fn forced(&self, i: usize) -> Option<&Mix<C>> {
        let kernel = &self.all[i];
        let mix = || (self_test::passes(kernel) && self_test::passes_dealt(kernel)).then(|| Mix::new(vec![*kernel]));
        kernel.is_supported().then(|| self.forced[i].get_or_init(mix).as_ref()).flatten()
    }
}

/// Returns the useful ones of the kernels that pass their test; one at least, whatever it does.
fn tested<C: Compression>(mut usable: Vec<Kernel<C>>, passes: impl Fn(&Kernel<C>) -> bool) -> Vec<Kernel<C>> {
    let mut passed: Vec<&'static str> = Vec::new();
    loop {
        let useful = keep_useful(&usable);
        let failed = useful.iter().find(|kernel| {
            let has_failed = !passed.contains(&kernel.name) && !passes(kernel);
            if !has_failed {
                passed.push(kernel.name);
            }
            has_failed
        });
        match failed {
            // What it did is left to others, which may not have been useful before.
            Some(failed) if usable.len() > 1 => usable.retain(|kernel| kernel.name != failed.name),
            _ => return useful,
        }
    }
}

/// Returns the kernels without those that no mix would choose: others have as many lanes or more, take
/// no more time, and are good for all that they are good for. Fewer are tested and compared then.
fn keep_useful<C: Compression>(usable: &[Kernel<C>]) -> Vec<Kernel<C>> {
    let is_better = |one: &Kernel<C>, other: &Kernel<C>| {
        let costs = |kernel: &Kernel<C>| (kernel.cost_ps, usize::MAX - kernel.lanes);
        let can_as_much = (one.runs == Runs::Any || one.runs == other.runs) && (one.has_short() || !other.has_short());
        one.lanes >= other.lanes && costs(one) < costs(other) && can_as_much
    };
    let has_better = |kernel: &&Kernel<C>| usable.iter().any(|one| is_better(one, kernel));
    usable.iter().filter(|kernel| !has_better(kernel)).copied().collect()
}

/// Keeps kernels of more than [`WAYS`] lanes from long runs if they hardly gain by them: another
/// kernel has half as many lanes or fewer, and takes less than a twentieth longer. Costs are measured
/// where all bytes are in the first cache. From farther away, lanes read from places that a cache
/// cannot hold together, and from more of them than it fetches ahead. SHA-1 on Zen 4: 32 lanes are
/// 3 % faster than 16 in the first cache; 64 messages of 4 KiB take 8 % longer in them, 500 of 13 KB
/// 20 %.
fn keep_wide_from_long_runs<C: Compression>(kernels: &mut [Kernel<C>]) {
    let rate = |kernel: &Kernel<C>| kernel.lanes as f64 / f64::from(kernel.cost_ps);
    for wide in 0..kernels.len() {
        let Kernel { lanes, runs, .. } = kernels[wide];
        let is_as_good = |one: &Kernel<C>| one.lanes * 2 <= lanes && rate(one) > 0.95 * rate(&kernels[wide]);
        if lanes > WAYS && runs == Runs::Any && kernels.iter().any(is_as_good) {
            kernels[wide].runs = Runs::Short;
        }
    }
}

/// Returns whether lanes that advance through these messages collide: whether they read from the same place of a page each. The first ones
/// are asked, and must be long enough for that to matter.
fn collide(messages: &dyn Messages, which: Which<'_>, count: usize) -> bool {
    const ASKED: usize = 4;
    const PAGE_BYTES: usize = 4096;
    const LINE_BYTES: usize = 64;
    let mut asked: [&[u8]; ASKED] = [&[]; ASKED];
    if count <= WAYS {
        return false;
    }
    messages.fill(which, &mut asked);
    let line = |message: &[u8]| message.as_ptr().addr() % PAGE_BYTES / LINE_BYTES;
    asked.iter().all(|message| message.len() >= PAGE_BYTES && line(message) == line(asked[0]))
}

/// More kernels than any compression function has.
pub(super) const MAX_KERNELS: usize = 24;

/// The cost of a kernel that is never chosen, in picoseconds.
const NEVER_PS: u32 = u32::MAX / 2;

/// The work that was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// For each kernel of a mix, the steps run, each a block in every lane of it.
    pub(crate) steps: [u64; MAX_KERNELS],
    /// The estimated time of all else, in picoseconds: see `bookkeeping.rs`.
    pub(crate) bookkeeping_ps: u64,
}

/// The kernels that a schedule may use.
pub(crate) struct Mix<C: Compression> {
    /// The kernels, in no particular order.
    pub(crate) kernels: Vec<Kernel<C>>,
    /// The kernel for one message alone.
    pub(crate) single: Kernel<C>,
    /// Index of the kernel that advances most messages for its time in long runs.
    pub(crate) widest: usize,
    /// True if there are kernels for long runs only, so that lengths decide which kernel is best.
    pub(crate) asks_for_lengths: bool,
    /// The cheapest ways to advance messages in short runs and in long ones.
    runs: [Ways; 2],
    /// The cheapest ways through messages of equally many blocks, ends and all: up to 1, 2, 4, 8 and [`SHORT_BLOCKS`] blocks.
    alike: [Ways; SHORT_BLOCKS.ilog2() as usize + 1],
    /// The most blocks with which 0, 1, 2, ... messages of equally many go one by one.
    pub(super) alone_blocks: [u64; MOST_ALONE + 1],
    /// What sharing lanes costs 0, 1, 2, ... messages of different lengths at least, besides compressing.
    pub(super) least_ragged_ps: [u64; FEW + 1],
    /// The least time that messages can take of which none has more than [`SHORT_BLOCKS`] blocks, and any.
    bounds: [Bound; 2],
    /// For each kernel, a mix without those of more lanes, once it was asked for.
    narrower: Vec<OnceLock<Mix<C>>>,
    /// The mix for lanes that collide, once it was asked for, and whether it is another one.
    colliding: OnceLock<Box<Mix<C>>>,
    has_colliding: bool,
    best_for_ragged: [usize; POWERS],
    /// The most lanes of a kernel that may be chosen.
    pub(crate) most_lanes: usize,
    /// The indices of the kernels that hash whole messages, those that take least time first. Each has
    /// more lanes than the one before.
    pub(crate) short: Vec<usize>,
    /// The lanes of one of these: the fewest with which messages of equally many blocks take at most a
    /// twentieth longer than with the best; 0 if there are none.
    pub(crate) short_lanes: usize,
    /// For each number of messages that take turns, the index of the kernel that advances them.
    in_turns: [usize; MAX_TURN_LANES + 1],
    /// The lanes in which messages take turns; 0 if sharing lanes gains nothing for so few.
    pub(crate) turn_lanes: usize,
}

/// More powers of two than the blocks of messages for which bookkeeping matters.
const POWERS: usize = 16;

impl<C: Compression> Mix<C> {
    /// Makes a mix of these kernels. Panics if there are none, or more than [`MAX_KERNELS`].
    pub(crate) fn new(kernels: Vec<Kernel<C>>) -> Self {
        assert!(kernels.len() <= MAX_KERNELS);
        let usable = |long: bool| {
            let is_usable = |kernel: &usize| kernels[*kernel].runs.are(long) || kernels.len() == 1;
            (0..kernels.len()).filter(is_usable).collect::<Vec<usize>>()
        };
        let step_ps = |kernel: &Kernel<C>| u64::from(kernel.cost_ps);
        let runs = [false, true].map(|long| Ways::new(&kernels, &usable(long), &|kernel, _| step_ps(kernel)));
        let alike = std::array::from_fn(|power| {
            Ways::new(&kernels, &usable(false), &|kernel, messages| (step_ps(kernel) << power) + ends_in_memory_ps(kernel, messages))
        });
        let rate = |kernel: &usize| kernels[*kernel].lanes as f64 / f64::from(kernels[*kernel].cost_ps);
        let single = kernels[runs[0].best(1)];
        let bounds = [false, true].map(|long| Bound::new(&kernels, &|kernel| long || kernel.runs.are(false) || kernels.len() == 1));
        let asks_for_lengths = kernels.iter().any(|kernel| kernel.runs == Runs::Long);
        let narrower = kernels.iter().map(|_| OnceLock::new()).collect();
        let may_be_chosen = |kernel: &&Kernel<C>| kernel.cost_ps < NEVER_PS;
        let most_lanes = kernels.iter().filter(may_be_chosen).map(|kernel| kernel.lanes).max().unwrap_or(1);
        let with_short = kernels.iter().enumerate().filter(|(_, kernel)| kernel.has_short());
        let mut short: Vec<_> = with_short.map(|(i, kernel)| (kernel.cost_ps, usize::MAX - kernel.lanes, i)).collect();
        short.sort_unstable();
        let mut short: Vec<usize> = short.into_iter().map(|(_, _, i)| i).collect();
        let mut most_lanes_so_far = 0;
        short.retain(|kernel| {
            let lanes = kernels[*kernel].lanes;
            let has_more_lanes = lanes > most_lanes_so_far;
            most_lanes_so_far = most_lanes_so_far.max(lanes);
            has_more_lanes
        });
        let best_rate = short.iter().map(rate).fold(0.0, f64::max);
        let short_lanes =
            short.iter().filter(|kernel| rate(kernel) >= 0.95 * best_rate).map(|kernel| kernels[*kernel].lanes).min().unwrap_or(0);
        let (in_turns, turn_lanes) = Self::turns(&kernels);
        let mut mix = Self {
            alone_blocks: [0; MOST_ALONE + 1],
            least_ragged_ps: least_ragged_ps(&kernels, turn_lanes > 0),
            in_turns,
            turn_lanes,
            single,
            asks_for_lengths,
            widest: runs[1].widest(),
            runs,
            alike,
            bounds,
            narrower,
            colliding: OnceLock::new(),
            has_colliding: kernels.len() > 1 && kernels.iter().any(Kernel::collides),
            best_for_ragged: Self::best_for_ragged(&kernels),
            most_lanes,
            short_lanes,
            short,
            kernels,
        };
        mix.alone_blocks = few::alone_blocks(&mix);
        mix
    }

    /// Returns the cheapest kernel for each number of messages that take turns, and the lanes in which
    /// they do.
    fn turns(kernels: &[Kernel<C>]) -> ([usize; MAX_TURN_LANES + 1], usize) {
        let mut in_turns = [0; MAX_TURN_LANES + 1];
        let (mut turn_lanes, mut least_ps) = (0, f64::INFINITY);
        let is_usable = |kernel: &Kernel<C>| kernel.lanes <= MAX_TURN_LANES && (kernel.runs.are(false) || kernels.len() == 1);
        for busy in (1..=MAX_TURN_LANES).take_while(|_| !C::Ending::MARKS_END) {
            let usable = kernels.iter().enumerate().filter(|(_, kernel)| is_usable(kernel) && kernel.lanes >= busy);
            let Some((index, kernel)) = usable.min_by_key(|(_, kernel)| (kernel.cost_ps, kernel.lanes)) else { break };
            in_turns[busy] = index;
            let ps = f64::from(kernel.cost_ps) / busy as f64;
            if ps < least_ps {
                (turn_lanes, least_ps) = (busy, ps);
            }
        }
        (in_turns, if turn_lanes == 1 { 0 } else { turn_lanes })
    }

    /// Returns the index of the kernel that advances `busy` messages that take turns.
    #[inline]
    pub(crate) fn turn_kernel_index(&self, busy: usize) -> usize {
        self.in_turns[busy]
    }

    /// Returns the kernel that advances `busy` messages that take turns.
    #[inline]
    pub(crate) fn turn_kernel(&self, busy: usize) -> &Kernel<C> {
        &self.kernels[self.in_turns[busy]]
    }

    /// Returns, for each power of two blocks that messages have on average, the index of the kernel
    /// that advances most of them for its time if they end one after the other. Each end costs time
    /// for every lane, so that many lanes do not pay for short messages.
    fn best_for_ragged(kernels: &[Kernel<C>]) -> [usize; POWERS] {
        std::array::from_fn(|power| {
            let mean_blocks = 1u64 << power;
            let is_usable = |kernel: &Kernel<C>| kernel.runs.are(mean_blocks > SHORT_BLOCKS) || kernels.len() == 1;
            let ps_per_block = |kernel: &Kernel<C>| {
                f64::from(kernel.cost_ps) / kernel.lanes as f64 + ragged_message_ps(kernel) as f64 / mean_blocks as f64
            };
            let usable = kernels.iter().enumerate().filter(|(_, kernel)| is_usable(kernel));
            usable.min_by(|one, other| ps_per_block(one.1).total_cmp(&ps_per_block(other.1))).expect("a kernel").0
        })
    }

    /// Returns the mix for messages that end one after the other, which have `mean_blocks` blocks on
    /// average.
    pub(crate) fn for_ragged(&self, mean_blocks: u64) -> &Self {
        let best = self.best_for_ragged[(mean_blocks.max(1).ilog2() as usize).min(POWERS - 1)];
        let lanes = self.kernels[best].lanes;
        if lanes == self.most_lanes {
            return self;
        }
        self.narrower[best].get_or_init(|| {
            // They keep their places, and are never chosen.
            let cost_ps = |kernel: &Kernel<C>| if kernel.lanes > lanes { NEVER_PS } else { kernel.cost_ps };
            Self::new(self.kernels.iter().map(|kernel| kernel.with_cost(cost_ps(kernel))).collect())
        })
    }

    /// Returns the mix for some messages, whose lanes may [collide](collide).
    pub(crate) fn for_places(&self, messages: &dyn Messages, which: Which<'_>, count: usize) -> &Self {
        if self.has_colliding && collide(messages, which, count) { self.for_colliding() } else { self }
    }

    /// Returns the mix for lanes that collide.
    pub(crate) fn for_colliding(&self) -> &Self {
        if !self.has_colliding {
            return self;
        }
        self.colliding.get_or_init(|| Box::new(Self::new(self.kernels.iter().map(Kernel::for_colliding).collect())))
    }

    /// Returns the kernel that advances most messages for its time in long runs.
    #[inline]
    pub(crate) fn widest_kernel(&self) -> &Kernel<C> {
        &self.kernels[self.widest]
    }

    /// Returns the kernel that advances most messages for its time in runs of `blocks` blocks.
    #[inline]
    pub(crate) fn widest_for(&self, blocks: u64) -> &Kernel<C> {
        &self.kernels[self.runs(blocks).widest()]
    }

    /// Returns the cheapest ways to advance messages in runs of `blocks` blocks.
    #[inline]
    fn runs(&self, blocks: u64) -> &Ways {
        &self.runs[usize::from(blocks > SHORT_BLOCKS)]
    }

    /// Returns the cheapest ways through messages of `blocks` blocks each, if their ends count too: SHA3-256 takes as long
    /// in 4 lanes of Zen 4 as in 8 that pad in registers, but 40 ns more for each end.
    #[inline]
    pub(crate) fn alike(&self, blocks: u64) -> &Ways {
        let power = blocks.max(1).next_power_of_two().ilog2() as usize;
        self.alike.get(power).unwrap_or(&self.runs[1])
    }

    /// Returns the kernels that hash whole messages and are for those of `blocks` blocks, each with its
    /// place in `short`. Each has more lanes than the one before.
    #[inline]
    pub(crate) fn short_kernels(&self, blocks: u64) -> impl Iterator<Item = (usize, &Kernel<C>)> {
        let is_usable = move |(_, kernel): &(usize, &Kernel<C>)| kernel.runs.are(blocks > SHORT_BLOCKS);
        self.short.iter().map(|kernel| &self.kernels[*kernel]).enumerate().filter(is_usable)
    }

    /// Returns the index of the kernel to begin with when `messages` messages of `blocks` blocks
    /// are to be done one set of lanes after the other.
    #[inline]
    pub(crate) fn best_for(&self, messages: usize, blocks: u64) -> usize {
        self.runs(blocks).best(messages)
    }

    /// Returns the time to advance `messages` messages by a block each, one set of lanes after the
    /// other, in runs of `blocks` blocks, in picoseconds.
    #[inline]
    pub(crate) fn cost_ps(&self, messages: usize, blocks: u64) -> u64 {
        self.runs(blocks).block_ps(messages)
    }

    /// Returns a time that no schedule of some messages can fall below, in picoseconds. All of them have `blocks` blocks, and the longest
    /// `longest`.
    #[inline]
    pub(super) fn least_ps(&self, messages: usize, blocks: u64, longest: u64) -> f64 {
        self.bounds[usize::from(longest > SHORT_BLOCKS)].least_ps(messages, blocks, longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::WordOf;
    use crate::isa::Blocks;
    use crate::kernel::Advance;
    use crate::kernel::self_test::{Failure, failures, known, passes, passes_dealt};
    use crate::kernel::states::States;
    use crate::schedule::compiled::Compiled;
    use crate::schedule::messages::Slice;

    /// Returns the portable kernel, which is the first.
    fn portable<C: Compression>() -> Kernel<C> {
        let portable = kernels::<C>()[0];
        assert_eq!(portable.name, "portable");
        portable
    }

    /// Returns what the self-tests must find, as the portable kernel, on which official vectors are
    /// tested, computes it one message after the other.
    fn known_of<C: Compiled>() -> [u64; 2] {
        let mix = Mix::new(vec![portable::<C>()]);
        known::<C>(
            |state, blocks| C::compress_alone(&mix, state, blocks),
            |start, message, digest| C::hash_alone(&mix, (start, 0), None, message, digest),
        )
    }

    #[test]
    fn results_are_known_and_kernels_pass() {
        macro_rules! every { ($($Compression:path)*) => { $(
            let [states, digests] = known_of::<$Compression>();
            let name = <$Compression as Compression>::NAME;
            assert_eq!(<$Compression as SelfTested>::KNOWN, [states, digests], "{name}: [{states:#018x}, {digests:#018x}]");
            for kernel in kernels::<$Compression>().iter().filter(|kernel| kernel.is_supported()) {
                assert!(passes(kernel) && passes_dealt(kernel), "{name} {}", kernel.name);
            }
        )* } }
        for_each_compression!(every);
    }

    #[test]
    fn fewer_lanes_where_they_collide() {
        type C = crate::algorithm::sha1::Sha1Compression;
        let eight = Kernel::<C>::model("eight", 8, 130);
        let mix = |eight| Mix::new(vec![Kernel::<C>::model("one", 1, 100), Kernel::model("four", 4, 120), eight]);
        let (alike, longer) = (mix(eight), mix(eight.colliding(400)));
        let buffer = vec![0; 13 << 12];
        let messages = |bytes: usize, place: usize| -> Vec<&[u8]> { (0..12).map(|i| &buffer[(i << 12) + i * place..][..bytes]).collect() };
        let widest =
            |mix: &Mix<C>, messages: &[&[u8]]| mix.for_places(&Slice(messages), Which::From(0), messages.len()).widest_kernel().name;
        assert_eq!(widest(&longer, &messages(4096, 0)), "four");
        assert_eq!(widest(&alike, &messages(4096, 0)), "eight", "it takes no longer");
        assert_eq!(widest(&longer, &messages(4096, 64)), "eight", "they are at different places");
        assert_eq!(widest(&longer, &messages(4095, 0)), "eight", "they are too short");
        assert_eq!(widest(&longer, &messages(4096, 0)[..8]), "eight", "they are few");
        assert_eq!(longer.for_colliding().kernels.iter().map(|kernel| kernel.name).collect::<Vec<_>>(), ["one", "four", "eight"]);
    }

    /// Advances eight messages, one after the other, and then breaks one of them.
    fn break_lane<C: Compression, const LANE: usize>(states: &mut States<'_, C>, blocks: &Blocks<'_>) {
        let portable = portable::<C>();
        for lane in 0..8 {
            let mut rows = C::filled([WordOf::<C>::default(); 1]);
            let mut one = States::<C>::of_rows(&mut rows);
            one.set_column(0, &states.column(lane));
            portable.advance(&mut one, &Blocks::new(1, blocks.len_bytes(), |_| blocks.bytes(lane, 0, blocks.len_bytes())));
            let mut state = one.column(0);
            if lane == LANE {
                state.as_mut()[0] = WordOf::<C>::default();
            }
            states.set_column(lane, &state);
        }
    }

    /// A kernel that is wrong in one lane is left out and reported.
    #[test]
    fn a_wrong_kernel_is_left_out() {
        /// Whether the kernel with this code is chosen beside the portable one, which it beats.
        fn is_chosen<C: Compiled>(advance: Advance<C>) -> bool {
            let eight = Kernel::model("eight", 8, 1).with_code(advance);
            let mixes = Mixes::of(vec![portable::<C>(), eight]);
            let names: Vec<_> = mixes.automatic.kernels.iter().map(|kernel| kernel.name).collect();
            let is_chosen = names == ["eight"];
            assert!(is_chosen || names == ["portable"], "{names:?}");
            assert_eq!(mixes.forced(1).is_some(), is_chosen);
            is_chosen
        }
        macro_rules! every { ($($Compression:path)*) => { $(
            let failure = Failure { backend: "eight", compression: <$Compression as Compression>::NAME };
            // No lane is broken.
            assert!(is_chosen::<$Compression>(break_lane::<$Compression, 8>));
            assert!(!failures().contains(&failure));
            for broken in [break_lane::<$Compression, 0>, break_lane::<$Compression, 3>, break_lane::<$Compression, 7>] {
                assert!(!is_chosen::<$Compression>(broken));
            }
            assert!(failures().contains(&failure));
        )* } }
        for_each_compression!(every);
    }
}
