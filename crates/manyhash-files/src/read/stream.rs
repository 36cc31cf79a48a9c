//! Streams: stdin, fifos, terminals and the like, read alone from beginning to end.

use super::job_reader::{filled, retrying};
use super::open_files;
use crate::algorithms::Algorithms;
use crate::task::Hashed;
use crate::totals::Totals;
use std::io;
use std::path::Path;

/// Bytes of a read: larger ones are no faster.
const BUFFER_BYTES: usize = 128 << 10;

/// Hashes all that comes from the stream at `path`.
pub fn hash(path: &Path, algorithms: Algorithms, totals: &Totals) -> io::Result<Hashed> {
    let mut input = open_files::open(path)?;
    let mut hashers = algorithms.hashers();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    loop {
        totals.check_stopped()?;
        let count = retrying(&mut input, &mut buffer)?;
        if count == 0 {
            break;
        }
        hashers.update(filled(&buffer, count)?);
        bytes += count as u64;
        totals.read(count);
    }
    totals.done();
    Ok(Hashed { digests: hashers.finalize(), bytes, stamp: None })
}
