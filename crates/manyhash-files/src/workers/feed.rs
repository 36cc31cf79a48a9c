//! How files of the window come to a worker, and their results back.

use super::Shared;
use crate::algorithms::{Algorithms, Digests};
use crate::order::window::{Job, Load};
use crate::read::JobReader;
use crate::read::open_files;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;

/// Files that are open ahead of the one read next, if files are not in memory: this is how many
/// reads are in flight.
const AHEAD_FILES: usize = 32;

/// Files that a lone worker has open ahead of the one read next: while it hashes, the disk reads
/// on.
const AHEAD_FILES_ALONE: usize = 4;

/// Files of the window, all for the same algorithms, on their way through one worker.
pub struct Feed<'a> {
    shared: &'a Shared,
    algorithms: Algorithms,
    /// A job taken but not yet begun.
    waiting: Cell<Option<Job>>,
    /// Files that are open but not yet given out.
    ahead: RefCell<VecDeque<JobReader>>,
    held: Cell<Load>,
    sharing: Sharing,
    disk: Disk,
}

/// How much a worker takes before it has finished what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// It takes a large file only if the other workers hold as many bytes, because files are hashed
    /// at once.
    BySize,
    /// It takes any file, up to its share of their number, because files are gathered first.
    ByNumber,
}

impl<'a> Feed<'a> {
    /// A feed that begins with `first`.
    pub fn new(shared: &'a Shared, first: Job, sharing: Sharing) -> Self {
        Self {
            shared,
            sharing,
            algorithms: first.algorithms,
            waiting: Cell::new(Some(first)),
            ahead: RefCell::default(),
            held: Cell::default(),
            disk: Disk::default(),
        }
    }

    /// The next file, open. Nothing if there is none to take at once: then the worker should finish
    /// those it holds.
    pub fn next(&self) -> Option<JobReader> {
        let mut ahead = self.ahead.borrow_mut();
        if self.disk.is_slow() {
            let files = if self.shared.settings.workers == 1 { AHEAD_FILES_ALONE } else { AHEAD_FILES };
            while ahead.len() < files {
                let Some(reader) = self.open() else { break };
                reader.announce();
                ahead.push_back(reader);
            }
        }
        ahead.pop_front().or_else(|| self.open())
    }

    fn open(&self) -> Option<JobReader> {
        let mut held = self.held.get();
        let size_bytes = if self.sharing == Sharing::BySize { held.size_bytes } else { 0 };
        let job = self.waiting.take().or_else(|| self.shared.try_job(self.algorithms, Load { size_bytes, ..held }))?;
        let open = || job.open();
        let file = match open() {
            Err(error) if open_files::is_too_many(&error) => {
                if held.files > 0 {
                    // The worker finishes its files, which closes them, and begins again with this
                    // one.
                    self.waiting.set(Some(job));
                    return None;
                }
                open_files::patiently(open)
            }
            result => result,
        };
        held.add(job.size_bytes);
        self.held.set(held);
        Some(JobReader::new(job, file, &self.shared.settings))
    }

    /// Takes the result of a file.
    pub fn finished(&self, reader: JobReader, result: io::Result<Digests>) {
        self.disk.learn(reader.has_waited());
        let (job, result) = reader.finish(result);
        let mut held = self.held.get();
        held.remove(job.size_bytes);
        self.held.set(held);
        self.shared.finish(job, result);
    }

    /// Waits for the next job, once all files are finished.
    pub fn next_job(self) -> Option<Job> {
        self.waiting.into_inner().or_else(|| self.shared.wait_for_another_job())
    }
}

/// Whether files come from a disk rather than from memory, by what the last ones did.
#[derive(Default)]
struct Disk(Cell<u8>);

impl Disk {
    /// Announcing files costs a call each, so one that waits now and then is not enough.
    fn is_slow(&self) -> bool {
        self.0.get() >= 8
    }

    fn learn(&self, has_waited: bool) {
        let score = self.0.get();
        self.0.set(if has_waited { score.saturating_add(4).min(64) } else { score.saturating_sub(1) });
    }
}
