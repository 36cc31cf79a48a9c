//! The counters of a batcher.

use crate::algorithm::CompressionOf;
use crate::algorithm::ending::block_count;
use crate::algorithms::Algorithm;
use crate::schedule::mix::{Mix, Usage};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts of what a [`Batcher`](super::Batcher) has done since it was created, and of what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// The number of messages in the queue.
    pub queued: usize,
    /// The number of messages that were hashed.
    pub messages: u64,
    /// The number of batches that they were hashed in.
    pub batches: u64,
    /// The number of blocks that were compressed for them.
    pub blocks: u64,
    /// The number of blocks that would have been compressed in the same time if no lane had been
    /// idle.
    pub lane_blocks: u64,
    /// The sum, over all batches, of the longest time that a message waited for its batch.
    pub waited: Duration,
    /// The longest of these times.
    pub longest_wait: Duration,
}

impl Metrics {
    /// Returns how full the waves were: 1 if no lane was ever idle.
    pub fn occupancy(&self) -> f64 {
        if self.lane_blocks == 0 { 1.0 } else { self.blocks as f64 / self.lane_blocks as f64 }
    }
}

#[derive(Default)]
pub(super) struct Counters {
    messages: AtomicU64,
    batches: AtomicU64,
    blocks: AtomicU64,
    lane_blocks: AtomicU64,
    waited_ns: AtomicU64,
    longest_wait_ns: AtomicU64,
}

impl Counters {
    pub(super) fn add_to(&self, metrics: &mut Metrics) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        metrics.messages += read(&self.messages);
        metrics.batches += read(&self.batches);
        metrics.blocks += read(&self.blocks);
        metrics.lane_blocks += read(&self.lane_blocks);
        metrics.waited += Duration::from_nanos(read(&self.waited_ns));
        metrics.longest_wait = metrics.longest_wait.max(Duration::from_nanos(read(&self.longest_wait_ns)));
    }

    pub(super) fn count_wait(&self, waited: Duration) {
        let ns = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.waited_ns.fetch_add(ns, Ordering::Relaxed);
        self.longest_wait_ns.fetch_max(ns, Ordering::Relaxed);
    }

    pub(super) fn count_messages<A: Algorithm>(&self, messages: &[&[u8]], mix: &Mix<CompressionOf<A>>, usage: &Usage, outer_blocks: u64) {
        let blocks: u64 = messages.iter().map(|message| outer_blocks + block_count::<CompressionOf<A>>(message.len() as u64)).sum();
        let lane_blocks: u64 = mix.kernels.iter().zip(usage.steps).map(|(kernel, steps)| kernel.lanes as u64 * steps).sum();
        self.messages.fetch_add(messages.len() as u64, Ordering::Relaxed);
        self.blocks.fetch_add(blocks, Ordering::Relaxed);
        // A message alone is hashed outside of the lanes.
        self.lane_blocks.fetch_add(lane_blocks.max(blocks), Ordering::Relaxed);
    }
}
