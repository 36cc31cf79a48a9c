//! Many files side by side, each in a lane of its own: this keeps a worker's lanes full, whatever
//! the sizes.

use super::feed::{Feed, Sharing, Taking};
use super::{Hashing, Shared};
use crate::algorithms::{Algorithms, Digests};
use crate::order::window::Job;
use crate::read::{Disk, Giving};
use manyhash::{Algorithm, AnyAlgorithm, Readers};
use std::io;

/// Hashes files from `job` on as long as they have its only algorithm, which is `algorithm` and
/// `A`. Gives back a job with other algorithms, or for a worker without lanes, or nothing when none
/// are left.
pub fn serve<A: Algorithm>(shared: &Shared, algorithm: AnyAlgorithm, job: Job, disk: &Disk) -> Option<Job> {
    let algorithms = Algorithms::from(algorithm);
    let readers = match &shared.settings.hashing {
        #[expect(clippy::expect_used, reason = "the caller's program says of which algorithm readers and tasks are")]
        Hashing::Readers(readers) => readers.downcast_ref::<Readers<A>>().expect("they are of the tasks' algorithm").clone(),
        _ => Readers::new(),
    };
    let lanes = algorithm.backend().map_or(1, |(_, lanes)| lanes);
    let mut readers = readers.buffering((lanes * LANE_BUFFER_BYTES).min(shared.buffer_bytes()));
    let workers = shared.settings.workers;
    let giving = match A::CHUNK_BYTES {
        None if shared.settings.is_lending => Giving::Lent(window_bytes(workers * lanes)),
        // A long file fills the lanes of this worker, and of those that have nothing to do.
        Some(_) if shared.settings.is_lending => Giving::Lent((MAPPED_BYTES / workers).clamp(1 << 20, MAPPED_BYTES / 2) as u64),
        Some(_) if workers > 1 => Giving::Shared,
        _ => Giving::Copied,
    };
    if A::CHUNK_BYTES.is_some() {
        readers = readers.threads(shared.free_workers() + 1);
    }
    let taking = Taking { sharing: Sharing::BySize, giving };
    let mut first = job;
    loop {
        let feed = Feed::new(shared, first, taking, disk);
        let open = std::iter::from_fn(|| {
            let reader = feed.next()?;
            let expected_bytes = reader.job().size_bytes;
            Some((reader, expected_bytes))
        });
        readers.hash_lent(open, |reader, result: io::Result<A::Digest>| {
            feed.finished(reader, result.map(|digest| Digests::of_message(algorithms, digest.as_ref())));
        });
        match feed.next_job() {
            Some(job) if job.algorithms == algorithms && shared.is_for_lanes(&job, disk) => first = job,
            other => return other,
        }
    }
}

/// Buffer bytes of a lane. Measured on Zen 5, page cache warm: with 32, 64 and 128 KiB within 2 %
/// of each other for large files; for files of the paper's sizes 64 KiB is 5 % faster than 128 KiB,
/// whose pages cost more to get than its calls save.
const LANE_BUFFER_BYTES: usize = 64 << 10;

/// Bytes of files that all workers together have mapped at once.
const MAPPED_BYTES: usize = 24 << 20;

/// Bytes of the windows in which files are mapped, for `lanes` lanes of all workers.
fn window_bytes(lanes: usize) -> u64 {
    (MAPPED_BYTES / lanes).clamp(256 << 10, 4 << 20) as u64
}
