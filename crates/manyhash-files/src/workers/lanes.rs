//! Many files side by side, each in a lane of its own: this keeps a worker's lanes full, whatever
//! the sizes.

use super::feed::{Feed, Sharing};
use super::{Hashing, Shared};
use crate::algorithms::Digests;
use crate::order::window::Job;
use manyhash::{Algorithm, AnyAlgorithm, Readers};
use std::io;

/// Hashes files from `job` on as long as they have its only algorithm, `A`. Gives back a job with
/// other algorithms, or nothing when none are left.
pub fn serve<A: Algorithm>(shared: &Shared, job: Job) -> Option<Job> {
    let algorithms = job.algorithms;
    let algorithm = algorithms.only().expect("lanes are of one algorithm");
    let readers = match &shared.settings.hashing {
        Hashing::Readers(readers) => readers.downcast_ref::<Readers<A>>().expect("they are of the tasks' algorithm").clone(),
        _ => Readers::new(),
    };
    let mut readers = readers.buffering(buffer_bytes(shared, algorithm));
    let mut first = job;
    loop {
        let feed = Feed::new(shared, first, Sharing::BySize);
        let open = std::iter::from_fn(|| {
            let reader = feed.next()?;
            let expected_bytes = reader.job().size_bytes;
            Some((reader, expected_bytes))
        });
        readers.hash(open, |reader, result: io::Result<A::Digest>| {
            let digests = |digest: A::Digest| Digests::new(algorithms, digest.as_ref()).expect("a digest of that algorithm");
            feed.finished(reader, result.map(digests));
        });
        match feed.next_job() {
            Some(job) if job.algorithms == algorithms => first = job,
            other => return other,
        }
    }
}

/// Buffer bytes of a lane. Measured on Zen 5, page cache warm: with 32, 64 and 128 KiB within 2 %
/// of each other for large files; for files of the paper's sizes 64 KiB is 5 % faster than 128 KiB,
/// whose pages cost more to get than its calls save.
const LANE_BUFFER_BYTES: usize = 64 << 10;

/// Buffer memory of one worker, in bytes.
fn buffer_bytes(shared: &Shared, algorithm: AnyAlgorithm) -> usize {
    let lanes = algorithm.backend().map_or(1, |(_, lanes)| lanes);
    (lanes * LANE_BUFFER_BYTES).min(shared.buffer_bytes())
}
