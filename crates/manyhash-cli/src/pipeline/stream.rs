//! Streams: stdin, fifos, terminals and the like, read alone from beginning to end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use manyhash::{Algorithm, Hasher};

use crate::algorithm::{AnyAlgorithm, ForAlgorithm};

use super::{Hashed, STDIN, Totals, open_files, worker};

/// Larger reads are no faster.
const BUFFER_BYTES: usize = 128 << 10;

/// Hashes all that comes from the stream at `path`.
pub fn hash(path: &Path, algorithm: AnyAlgorithm, totals: &Totals) -> io::Result<Hashed> {
    algorithm.with(Stream { path, totals })
}

struct Stream<'a> {
    path: &'a Path,
    totals: &'a Totals,
}

impl ForAlgorithm for Stream<'_> {
    type Output = io::Result<Hashed>;

    fn run<A: Algorithm>(self) -> io::Result<Hashed> {
        let mut input: Box<dyn Read> = if self.path.as_os_str() == STDIN {
            Box::new(io::stdin().lock())
        } else {
            Box::new(open_files::patiently(|| File::open(self.path))?)
        };
        let mut hasher = Hasher::<A>::new();
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut bytes = 0;
        loop {
            let count = worker::retrying(&mut input, &mut buffer)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            bytes += count as u64;
            self.totals.done_bytes.fetch_add(count as u64, Ordering::Relaxed);
        }
        self.totals.done_files.fetch_add(1, Ordering::Relaxed);
        Ok(Hashed { digest: hasher.finalize().as_ref().into(), bytes })
    }
}
