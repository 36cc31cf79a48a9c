//! Many files side by side, each in a lane of its own: what keeps a worker's lanes full, whatever the sizes.

use std::io;

use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, Readers};

use crate::algorithms::Digests;
use crate::order::window::Job;

use super::feed::{Feed, Sharing};
use super::{Hashing, Shared};

/// Hashes files with one algorithm, from `job` on; gives back one with another, or nothing when there are none left.
pub struct Serve<'a> {
    /// The window.
    pub shared: &'a Shared,
    /// The first file.
    pub job: Job,
}

impl ForAlgorithm for Serve<'_> {
    type Output = Option<Job>;

    fn run<A: Algorithm>(self) -> Option<Job> {
        let Self { shared, job } = self;
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
}

/// Buffer bytes of a lane. Measured on Zen 5, page cache warm: with 32, 64 and 128 KiB within 2 % of each other for large files; for
/// files of the paper's sizes 64 KiB is 5 % faster than 128 KiB, whose pages cost more to get than its calls save.
const LANE_BUFFER_BYTES: usize = 64 << 10;

/// Buffer memory of one worker.
fn buffer_bytes(shared: &Shared, algorithm: AnyAlgorithm) -> usize {
    let lanes = algorithm.backend().map_or(1, |(_, lanes)| lanes);
    (lanes * LANE_BUFFER_BYTES).min(shared.buffer_bytes())
}
