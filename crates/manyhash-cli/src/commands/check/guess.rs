//! Which other algorithm a manifest may have, if the length of its digests told the wrong one.

use crate::text::manifest::line::Entry;
use manyhash::{AnyAlgorithm, AnyHasher};
use manyhash_files::read::open;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A larger file is not hashed again for a hint.
const MOST_BYTES: u64 = 64 << 20;

/// A file that has another digest than listed.
pub(super) struct Wrong {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    algorithm: AnyAlgorithm,
    digest: Box<[u8]>,
}

impl Wrong {
    pub(super) fn new(path: &Path, entry: &Entry, bytes: u64) -> Self {
        Self { path: path.to_path_buf(), bytes, algorithm: entry.algorithm, digest: entry.digest.clone() }
    }

    /// Returns the other algorithms that the digest may be of, if the algorithm of its line was `guessed` and the file is not
    /// hashed with them for a hint.
    pub(super) fn untried(&self, guessed: Option<AnyAlgorithm>) -> Vec<AnyAlgorithm> {
        let is_untried = guessed == Some(self.algorithm) && (self.bytes > MOST_BYTES || !self.is_file());
        if is_untried { self.others().collect() } else { Vec::new() }
    }

    fn is_file(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|metadata| metadata.is_file())
    }

    /// Returns the other algorithms whose digests have this length.
    fn others(&self) -> impl Iterator<Item = AnyAlgorithm> {
        AnyAlgorithm::ALL.iter().copied().filter(|other| *other != self.algorithm && other.digest_bytes() == self.digest.len())
    }

    /// Returns the algorithm that gives the file the digest that was listed, if the algorithm of its line was `guessed`.
    /// `None` also if the file cannot be read again, or is large.
    pub(super) fn other_algorithm(&self, guessed: Option<AnyAlgorithm>) -> Option<AnyAlgorithm> {
        if guessed != Some(self.algorithm) || self.bytes > MOST_BYTES || !self.is_file() {
            return None;
        }
        let mut all = All(self.others().map(AnyAlgorithm::hasher).collect());
        io::copy(&mut open(&self.path).ok()?.take(MOST_BYTES + 1), &mut all).ok()?;
        all.0.into_iter().find_map(|hasher| {
            let algorithm = hasher.algorithm();
            (*hasher.finalize() == *self.digest).then_some(algorithm)
        })
    }
}

/// Hashers that get the same bytes.
struct All(Vec<AnyHasher>);

impl Write for All {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.iter_mut().for_each(|hasher| hasher.update(piece));
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
