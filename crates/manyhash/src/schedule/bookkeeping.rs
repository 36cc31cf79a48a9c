//! What everything besides compressing costs, in picoseconds. Decisions weigh it against idle lanes,
//! and tests add it to the costs of kernels.
//!
//! The figures are rough. They were fitted to the time that ragged batches take beyond the costs of
//! their kernels, on Zen 4, those of sets and turns on Zen 5. They hold for all CPUs. What was measured on
//! others, too, is in `kernel/cost.rs`: [`Besides`](crate::kernel::cost::Besides).

use super::few::FEW;
use crate::algorithm::{Compression, WordOf};
use crate::kernel::{Kernel, Runs, SHORT_BLOCKS};

/// A set of messages that take turns in the lanes of one kernel: see `sets.rs`.
const SET_PS: u64 = 100_000;
/// A message in a set.
const SET_MESSAGE_PS: u64 = 10_000;
/// A message that waits for its lane, besides that.
const SET_REFILL_PS: u64 = 15_000;

/// A step of a set that is refilled in which messages end, for each lane: 16 lanes took 125 ns more in such steps, 32 took 225 (SHA-1, Zen 5),
/// of which [`SET_MESSAGE_PS`] and [`SET_REFILL_PS`] are the rest. They are all of it if messages have few blocks, so that several end at once.
const END_LANE_PS: u64 = 2_500;

/// Handing the last messages of a set over to other lanes, besides their turns.
const HAND_OVER_PS: u64 = 400_000;

/// Loading a block of a lane in a step with an end, or one between two ends that are near each other: what it takes more than in others.
const PADDED_LOAD_PS: u64 = 1_200;
/// Leaving the lanes whose messages have ended, so that no more steps are such steps.
const LEAVE_PS: u64 = 50_000;

/// Memory for the final states of a set, a byte of one lane's state: 115 ns for SHA3-256, and nothing for SHA-256, whose memory
/// is in [`SET_PS`].
const SET_STATE_BYTE_PS: u64 = 640;
/// A step with an end, if messages wait for lanes: each byte of a state that is more than those of SHA-512. Midstates are put
/// into the lanes of those that begin.
const SET_END_BYTE_PS: u64 = 500;

/// Returns what it costs that messages end in about so many of some steps as they do if they end anywhere.
fn ends_ps(lanes: usize, messages: usize, steps: u64) -> u64 {
    let (lanes, messages) = (lanes as u64, messages as u64);
    if steps * lanes > SHORT_BLOCKS * messages { messages * steps / (messages + steps).max(1) * lanes * END_LANE_PS } else { 0 }
}

/// Returns what it costs that the last messages of a set, `count` of them, go on in turns, and that it is on its way like one that is refilled:
/// it has `messages` messages.
pub(super) fn hand_over_ps<C: Compression>(kernel: &Kernel<C>, messages: usize, steps: u64, count: usize) -> u64 {
    let ends_ps = if messages <= kernel.lanes { ends_ps(kernel.lanes, messages, steps) } else { 0 };
    ends_ps + HAND_OVER_PS + count as u64 * kernel.besides.ragged_turn_ps
}

/// Returns what the ends of messages cost in a set that is not refilled. The longest of them has so many blocks more than the shortest.
pub(super) fn padded_steps_ps<C: Compression>(kernel: &Kernel<C>, messages: usize, more_blocks: u64) -> u64 {
    if kernel.hash_apart().is_some() {
        return 0;
    }
    let step_ps = padded_step_ps(kernel.lanes);
    (more_blocks * step_ps).min(messages as u64 * (step_ps + LEAVE_PS))
}

/// A short message in the order of their lengths. This figure and those of the next functions were fitted to sets of 20 to 200 messages of
/// MD5, SHA-1, SHA-256 and SHA-512 in 16 to 64 lanes (Zen 5). What [`set_ps`] says is more: it makes up for lanes that are idle at the end
/// if nobody knows the order.
pub(super) const IN_ORDER_MESSAGE_PS: u64 = 7_500;
/// A step with an end of those that take turns, for each lane: if they have few blocks, so that there is one in most steps, or more.
const IN_ORDER_END_LANE_PS: [u64; 2] = [900, 1_800];

/// Returns what messages in the order of their lengths cost that take turns in lanes, besides compressing.
pub(super) fn in_order_turns_ps(lanes: usize, messages: usize, steps: u64) -> u64 {
    let (lanes, messages) = (lanes as u64, messages as u64);
    let ends = messages * steps / (messages + steps).max(1);
    let end_lane_ps = IN_ORDER_END_LANE_PS[usize::from(steps * lanes > SHORT_BLOCKS * messages)];
    SET_PS + lanes * 8_000 + ends * lanes * end_lane_ps + messages * IN_ORDER_MESSAGE_PS
}

/// Returns what as many of them cost as there are lanes, which go together, besides each of them.
pub(super) fn in_order_together_ps(lanes: usize) -> u64 {
    40_000 + lanes as u64 * 2_000
}

/// Returns what a step with an end costs, or one between two ends that are near each other, in lanes that are not refilled.
pub(super) fn padded_step_ps(lanes: usize) -> u64 {
    lanes as u64 * PADDED_LOAD_PS
}

/// Returns what a set costs besides compressing, on a kernel that takes so many steps.
pub(super) fn set_ps<C: Compression>(kernel: &Kernel<C>, messages: usize, steps: u64) -> u64 {
    if kernel.hash_apart().is_some() {
        return kernel.besides.apart_ragged_ps.0 + messages as u64 * kernel.besides.apart_ragged_ps.1;
    }
    let lanes = kernel.lanes;
    let more_bytes = |than: usize| (C::STATE_WORDS * size_of::<WordOf<C>>()).saturating_sub(than) as u64;
    let refills = messages.saturating_sub(lanes) as u64;
    let ends = if refills > 0 { steps.min(messages as u64) } else { 0 };
    let ends_ps = if refills > 0 { ends_ps(lanes, messages, steps) } else { 0 };
    SET_PS
        + ends_ps
        + more_bytes(32) * SET_STATE_BYTE_PS
        + messages as u64 * SET_MESSAGE_PS
        + refills * SET_REFILL_PS
        + ends * more_bytes(64) * SET_END_BYTE_PS
}

/// Returns what it costs, besides compressing, that messages of equally many blocks go together on a kernel
/// that does not pad in registers, if they were put in order. On a kernel for one, they go one by one.
pub(super) fn padded_ps<C: Compression>(kernel: &Kernel<C>, messages: usize) -> u64 {
    let set_ps = if kernel.lanes == 1 { 0 } else { kernel.besides.set_in_memory_ps };
    messages.div_ceil(kernel.lanes) as u64 * set_ps + messages as u64 * end_in_memory_ps::<C>()
}

/// Returns what the end of a message costs that is padded in memory: 18 ns, and in SHA3-256, whose states have 208 bytes,
/// 35.
fn end_in_memory_ps<C: Compression>() -> u64 {
    18_000 + more_state_ps::<C>()
}

/// Returns what it adds to the end of a message that its state is larger than that of SHA-512.
fn more_state_ps<C: Compression>() -> u64 {
    120 * (C::STATE_WORDS * size_of::<WordOf<C>>()).saturating_sub(64) as u64
}

/// Returns what it costs more than on a kernel that pads in registers that messages go together on this one.
pub(super) fn ends_in_memory_ps<C: Compression>(kernel: &Kernel<C>, messages: usize) -> u64 {
    if kernel.lanes == 1 {
        return messages as u64 * kernel.besides.alone_ps.saturating_sub(kernel.besides.alike_ps.1);
    }
    if kernel.hash_apart().is_some() {
        // Those that come next may be in the same run.
        return kernel.besides.apart_ps.0 / 4 + messages as u64 * kernel.besides.apart_ps.1.saturating_sub(kernel.besides.alike_ps.1);
    }
    let is_padded_in_memory = !kernel.has_short() && kernel.lanes > 1;
    if is_padded_in_memory {
        kernel.besides.set_in_memory_ps + messages as u64 * (end_in_memory_ps::<C>() - kernel.besides.alike_ps.1)
    } else {
        0
    }
}

/// Returns what sets on a kernel cost, for a batch of `messages` messages that all have equally many
/// blocks. They need no order, and no branch takes another way for one than for the next.
pub(super) fn alike_ps<C: Compression>(kernel: &Kernel<C>, messages: usize) -> u64 {
    if kernel.hash_apart().is_some() {
        return kernel.besides.apart_ps.0 + messages as u64 * kernel.besides.apart_ps.1;
    }
    let (set_ps, message_ps) =
        if kernel.has_short() { kernel.besides.alike_ps } else { (kernel.besides.set_in_memory_ps, end_in_memory_ps::<C>()) };
    messages.div_ceil(kernel.lanes) as u64 * set_ps + messages as u64 * message_ps
}

/// Messages that take turns: see `turns.rs`.
pub(super) const TURNS_PS: u64 = 30_000;

/// Returns what a message costs that takes its turn in the lanes of a kernel.
pub(super) fn turn_ps<C: Compression>(kernel: &Kernel<C>) -> u64 {
    let (up_to_four_ps, more_ps) = kernel.besides.turn_ps;
    more_state_ps::<C>() + if kernel.lanes <= 4 { up_to_four_ps } else { more_ps }
}

/// Returns no more than what it costs in any way, besides compressing, that a few messages of different lengths share the lanes of some
/// kernels: for 0, 1, 2, ... of them, in picoseconds.
pub(super) fn least_ragged_ps<C: Compression>(kernels: &[Kernel<C>], may_take_turns: bool) -> [u64; FEW + 1] {
    std::array::from_fn(|messages| {
        let with_short = kernels.iter().filter(|kernel| kernel.lanes > 1 && kernel.has_short());
        let sets_ps = with_short.map(|kernel| set_ps(kernel, messages, 1)).min().unwrap_or(SCHEDULE_PS);
        let turn_ps = kernels.first().filter(|_| may_take_turns).map(|kernel| kernel.besides.ragged_turn_ps);
        turn_ps.map_or(sets_ps, |turn_ps| sets_ps.min(TURNS_PS + messages as u64 * turn_ps))
    })
}

/// A few messages of which the longest take turns and the others are a set: the code of one more kernel.
pub(super) const FEW_TWO_WAYS_PS: u64 = 100_000;

/// The schedule of a batch.
pub(super) const SCHEDULE_PS: u64 = 400_000;
/// A message in it, which is put into a lane once and taken out again.
pub(super) const MESSAGE_PS: u64 = 37_000;
/// A message that ends while no other one waits for its lane: another kernel is chosen.
pub(super) const IDLE_LANE_PS: u64 = 60_000;
/// A batch of which one part goes in sets and the other through the schedule. SHA-256 of 100 messages
/// of about 400 bytes takes less time either way.
pub(super) const TWO_WAYS_PS: u64 = 800_000;
/// A run of a kernel between two ends.
const RUN_PS: u64 = 25_000;
/// What each lane of the kernel adds to that: the nearest end is looked for among those of all lanes.
const LANE_PS: u64 = 1_200;
/// A run of a kernel for long runs only. SHA-256 of 2,000 messages of 1 to 8 KB, on such a kernel for
/// four, took 0.3 us a message beyond the cost of their blocks.
const LONG_RUN_PS: u64 = 130_000;

/// Returns what a run of a kernel costs.
pub(super) fn run_ps<C: Compression>(kernel: &Kernel<C>) -> u64 {
    if kernel.runs == Runs::Long { LONG_RUN_PS } else { RUN_PS + LANE_PS * kernel.lanes as u64 }
}

/// Returns what a message costs if no other one ends when it does. Two runs of the kernel end because
/// of it: at the end of its whole blocks, and at that of its tail.
pub(super) fn ragged_message_ps<C: Compression>(kernel: &Kernel<C>) -> u64 {
    MESSAGE_PS + 2 * run_ps(kernel)
}

/// A decision which messages have the lanes, near the end of a batch.
pub(super) const DECISION_PS: u64 = 300_000;
/// A linear program.
pub(super) const LINEAR_PROGRAM_PS: u64 = 1_000_000;
/// All that planning the end of a batch takes: a linear program for each kernel in turn, decisions, and moves.
pub(super) const PLANNING_PS: u64 = 3_000_000;
/// What is left of that once there is a plan.
pub(super) const FOLLOWING_PS: u64 = 1_200_000;
