//! What there is to do with a file, and what became of it.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use crate::algorithms::{Algorithms, Digests};
use crate::read::Stamp;

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// What to do, with what the sink should know of it.
#[derive(Debug)]
pub struct Task<T> {
    /// For the sink.
    pub label: T,
    /// Where the file is.
    pub path: PathBuf,
    /// What to do with it.
    pub work: Work,
}

/// What to do.
#[derive(Debug)]
pub enum Work {
    /// Hash a file that can be read at any time, beside others.
    File {
        /// With these algorithms.
        algorithms: Algorithms,
        /// How large it seems: this plans the order, nothing else.
        size_bytes: u64,
        /// How much of it.
        part: Part,
    },
    /// Hash a stream, alone and in its turn; [`STDIN`] is standard input.
    Stream {
        /// With these algorithms.
        algorithms: Algorithms,
    },
    /// Report what is known already.
    Known(Hashed),
    /// Report this error.
    Failed(io::Error),
    /// Nothing: the label is for the sink alone.
    Nothing,
}

/// How much of a file to hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Some bytes, or as many of them as it has.
    Range {
        /// Where they begin.
        start: u64,
        /// Where they end.
        end: u64,
    },
}

impl Part {
    /// Whether the file begins with it.
    pub fn is_first(self) -> bool {
        !matches!(self, Self::Range { start: 1.., .. })
    }
}

/// Digests, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The digests.
    pub digests: Digests,
    /// Bytes read.
    pub bytes: u64,
    /// The file's stamp after it was read, if there is a [`Keeper`] who needs it: a change meanwhile shows in it.
    pub stamp: Option<Stamp>,
}

/// A task done.
#[derive(Debug)]
pub struct Finished<T> {
    /// As in the task.
    pub label: T,
    /// As in the task.
    pub path: PathBuf,
    /// What became of it; nothing for [`Work::Nothing`].
    pub outcome: Option<io::Result<Hashed>>,
}

/// Where results go.
pub trait Sink<T> {
    /// Takes the next result.
    fn take(&mut self, finished: Finished<T>) -> io::Result<()>;
    /// No result is ready: a good time to flush.
    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A function may take results as well.
impl<T, F: FnMut(Finished<T>) -> io::Result<()>> Sink<T> for F {
    fn take(&mut self, finished: Finished<T>) -> io::Result<()> {
        self(finished)
    }
}

/// Who wants to know of each file as soon as it is hashed, before its turn comes.
pub trait Keeper: Debug + Send + Sync {
    /// Notes that the whole file at `path` was hashed. Called by workers.
    fn keep(&self, path: &Path, hashed: &Hashed);
}
