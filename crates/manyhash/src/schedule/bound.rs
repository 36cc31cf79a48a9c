//! A time that no schedule can fall below.

use crate::algorithm::Compression;
use crate::isa::MAX_LANES;
use crate::kernel::Kernel;
use alloc::vec::Vec;

/// What steps of some kernels take at least, in picoseconds.
pub(super) struct Bound {
    /// A step that advances one message.
    one_ps: f64,
    /// What each further message adds to a step while no more than 0, 1, 2, ... messages advance, up to [`MAX_LANES`]. It is no more than
    /// a step of its own.
    another_ps: Vec<f64>,
    /// The least time that a block can take while no more than 0, 1, 2, ... messages advance.
    block_ps: Vec<f64>,
    most_lanes: usize,
}

impl Bound {
    /// Finds the bound for those of the kernels that are usable. Panics if there are none.
    pub(super) fn new<C: Compression>(kernels: &[Kernel<C>], is_usable: &dyn Fn(&Kernel<C>) -> bool) -> Self {
        let usable = || kernels.iter().filter(|kernel| is_usable(kernel));
        let one_ps = usable().map(|kernel| f64::from(kernel.cost_ps)).fold(f64::INFINITY, f64::min);
        let another_ps = |messages: usize| {
            let shared =
                usable().map(|kernel| (f64::from(kernel.cost_ps), kernel.lanes.min(messages))).filter(|(_, messages)| *messages > 1);
            shared.map(|(ps, messages)| (ps - one_ps) / (messages - 1) as f64).fold(one_ps, f64::min)
        };
        let block_ps = |messages: usize| {
            let of_each = usable().map(|kernel| f64::from(kernel.cost_ps) / messages.min(kernel.lanes) as f64);
            of_each.fold(f64::INFINITY, f64::min)
        };
        let of_counts = |ps: &dyn Fn(usize) -> f64| (0..=MAX_LANES).map(ps).collect();
        let most_lanes = usable().map(|kernel| kernel.lanes).max().expect("a kernel");
        Self { one_ps, another_ps: of_counts(&another_ps), block_ps: of_counts(&block_ps), most_lanes }
    }

    /// Returns the least time that some messages can take, which have `blocks` blocks in all, in picoseconds. The longest of them needs a step
    /// for each of its blocks, lanes need one for each of theirs, and all blocks beyond the first one of a step add to it what they must. And
    /// no block takes less time than in the kernel that is best for so many messages.
    #[inline]
    pub(super) fn least_ps(&self, messages: usize, blocks: u64, longest: u64) -> f64 {
        let lanes = messages.clamp(1, self.most_lanes);
        let steps = (longest as f64).max(blocks as f64 / lanes as f64);
        let messages = messages.min(MAX_LANES);
        let in_steps_ps = steps * self.one_ps + (blocks as f64 - steps) * self.another_ps[messages];
        in_steps_ps.max(blocks as f64 * self.block_ps[messages])
    }
}
