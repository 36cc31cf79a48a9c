//! What there is to do with a file, and what became of it.

use crate::algorithms::{Algorithms, Digests};
use crate::read::Stamp;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// A file, what to do with it, and what the sink should know of it.
#[derive(Debug)]
pub struct Task<T> {
    /// What the sink gets with the result.
    pub label: T,
    /// Where the file is.
    pub path: PathBuf,
    /// What to do with the file.
    pub work: Work,
}

/// What to do with a file.
#[derive(Debug)]
pub enum Work {
    /// Hash a file that can be read at any time, beside others.
    File {
        /// The algorithms to hash with.
        algorithms: Algorithms,
        /// The size in bytes that the file seems to have. Only the order of work depends on it.
        size_bytes: u64,
        /// How much of the file to hash.
        part: Part,
    },
    /// Hash a stream, alone and in its turn; [`STDIN`] is standard input.
    Stream {
        /// The algorithms to hash with.
        algorithms: Algorithms,
    },
    /// Report digests that are known already.
    Known(Hashed),
    /// Report this error.
    Failed(io::Error),
    /// Do nothing: the task is for the sink alone, because of its label.
    Nothing,
}

/// How much of a file to hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole file.
    Whole,
    /// A range of bytes, or as many of them as the file has.
    Range {
        /// Position of the first byte.
        start: u64,
        /// Position after the last byte.
        end: u64,
    },
}

impl Part {
    /// Whether the file begins with this part.
    pub fn is_first(self) -> bool {
        !matches!(self, Self::Range { start: 1.., .. })
    }
}

/// The digests of a file, and what was read for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The digests of the bytes read.
    pub digests: Digests,
    /// The number of bytes read.
    pub bytes: u64,
    /// The file's stamp after it was read, if there is a [`Keeper`], which needs it: a change
    /// meanwhile shows in it.
    pub stamp: Option<Stamp>,
}

impl Hashed {
    /// What came of a task that is not [`Work::Nothing`]: of that, there are no digests.
    ///
    /// # Errors
    /// If the file could not be hashed, or there was nothing to hash.
    pub fn of(outcome: Option<io::Result<Self>>) -> io::Result<Self> {
        outcome.unwrap_or_else(|| Err(io::Error::other("there was nothing to hash")))
    }
}

/// A task that is done.
#[derive(Debug)]
pub struct Finished<T> {
    /// The label of the task.
    pub label: T,
    /// The path of the task.
    pub path: PathBuf,
    /// What became of the task; nothing for [`Work::Nothing`].
    pub outcome: Option<io::Result<Hashed>>,
}

/// Where results go.
pub trait Sink<T> {
    /// Takes the next result.
    ///
    /// # Errors
    /// Any error ends the run.
    fn take(&mut self, finished: Finished<T>) -> io::Result<()>;
    /// Is called when no result is ready, which is a good time to flush.
    ///
    /// # Errors
    /// Any error ends the run.
    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A function is a sink that takes results.
impl<T, F: FnMut(Finished<T>) -> io::Result<()>> Sink<T> for F {
    fn take(&mut self, finished: Finished<T>) -> io::Result<()> {
        self(finished)
    }
}

/// Is told of each file as soon as it is hashed, before its turn comes.
pub trait Keeper: Debug + Send + Sync {
    /// Notes that the whole file at `path` was hashed. Workers call this, several of them at once.
    fn keep(&self, path: &Path, hashed: &Hashed);
}
