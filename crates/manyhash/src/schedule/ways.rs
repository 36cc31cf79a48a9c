//! The cheapest ways through messages of one length, which go together as many as a kernel has lanes.

use crate::algorithm::Compression;
use crate::isa::MAX_LANES;
use crate::kernel::Kernel;
use alloc::vec::Vec;

/// A way through some messages: those that a kernel has lanes for, then the cheapest way through the messages left.
#[derive(Clone, Copy, Default)]
struct Way {
    kernel: usize,
    /// The time to advance every message by a block, in picoseconds.
    block_ps: u64,
    /// The time for all that the messages take, in picoseconds.
    all_ps: u64,
}

/// The cheapest ways through 0, 1, 2, ... messages.
pub(crate) struct Ways {
    /// For up to [`MAX_LANES`] messages.
    few: Vec<Way>,
    /// The index of the kernel that advances many messages in the least time, its lanes, and the time of its step.
    widest: usize,
    lanes: usize,
    step_ps: u64,
}

impl Ways {
    /// Finds the ways with those of `kernels` that have these indices. All that `messages` messages take in one run of
    /// a kernel is `run_ps(kernel, messages)`, in picoseconds. Panics if there are no kernels. Not inlined: a mix has ways of several kinds.
    #[inline(never)]
    pub(super) fn new<C: Compression>(kernels: &[Kernel<C>], usable: &[usize], run_ps: &dyn Fn(&Kernel<C>, usize) -> u64) -> Self {
        let mut few = vec![Way::default()];
        for messages in 1..=MAX_LANES {
            let first = |index: &usize| {
                let kernel = &kernels[*index];
                let together = messages.min(kernel.lanes);
                let Way { block_ps, all_ps, .. } = few[messages - together];
                Way { kernel: *index, block_ps: block_ps + u64::from(kernel.cost_ps), all_ps: all_ps + run_ps(kernel, together) }
            };
            let best = usable.iter().map(first).min_by_key(|way| (way.all_ps, usize::MAX - kernels[way.kernel].lanes));
            few.push(best.expect("a kernel"));
        }
        let message_ps = |kernel: &Kernel<C>| run_ps(kernel, kernel.lanes) as f64 / kernel.lanes as f64;
        let by_time = |one: &&usize, other: &&usize| message_ps(&kernels[**other]).total_cmp(&message_ps(&kernels[**one]));
        let widest = *usable.iter().max_by(by_time).expect("a kernel");
        Self { few, widest, lanes: kernels[widest].lanes, step_ps: u64::from(kernels[widest].cost_ps) }
    }

    /// Returns the index of the kernel that advances many messages in the least time.
    #[inline]
    pub(crate) fn widest(&self) -> usize {
        self.widest
    }

    /// Returns the index of the kernel to begin with for `messages` messages.
    #[inline]
    pub(crate) fn best(&self, messages: usize) -> usize {
        self.few.get(messages).map_or(self.widest, |way| way.kernel)
    }

    /// Returns the time to advance `messages` messages by a block each, in picoseconds.
    #[inline]
    pub(crate) fn block_ps(&self, messages: usize) -> u64 {
        self.few.get(messages).map_or_else(|| self.step_ps * messages.div_ceil(self.lanes) as u64, |way| way.block_ps)
    }
}
