//! How files of the window come to a worker, and their results back.

use super::Shared;
use crate::algorithms::{Algorithms, Digests};
use crate::order::window::{Job, Load};
use crate::read::open_files;
use crate::read::{Disk, Giving, JobReader};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;

/// Files that are open ahead of the one read next, if files are not in memory: this is how many
/// reads are in flight.
const AHEAD_FILES: usize = 32;

/// Files that a lone worker has open ahead of the one read next: while it hashes, the disk reads
/// on.
const AHEAD_FILES_ALONE: usize = 4;

/// The size from which a lone worker hashes files in lanes, where they may be lent. The others
/// gather in a buffer, which is cheaper for small files: 55,000 of 3 KiB take it 10 % less time.
pub const LARGE_BYTES: u64 = 128 << 10;

/// Files of the window, all for the same algorithms, on their way through one worker.
pub struct Feed<'a> {
    shared: &'a Shared,
    algorithms: Algorithms,
    /// A job taken but not yet begun.
    waiting: Cell<Option<Job>>,
    /// Files that are open but not yet given out.
    ahead: RefCell<VecDeque<JobReader>>,
    /// Whether the first file was taken.
    has_begun: Cell<bool>,
    held: Cell<Load>,
    taking: Taking,
    disk: Disk,
}

/// How a worker takes files.
#[derive(Clone, Copy, Debug)]
pub struct Taking {
    /// How much it takes before it has finished what it holds.
    pub sharing: Sharing,
    /// How files are given that are in memory.
    pub giving: Giving,
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
    pub fn new(shared: &'a Shared, first: Job, taking: Taking, disk: &Disk) -> Self {
        Self {
            shared,
            taking,
            algorithms: first.algorithms,
            waiting: Cell::new(Some(first)),
            ahead: RefCell::default(),
            has_begun: Cell::new(false),
            held: Cell::default(),
            disk: disk.clone(),
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

    /// Whether this file, and those after it, should be hashed in the worker's other way: in lanes,
    /// or one after the other.
    fn leaves(&self, job: &Job) -> bool {
        let is_for_lanes = self.shared.is_for_lanes(job, &self.disk);
        match self.taking.sharing {
            // Beside a large file, small ones cost nothing.
            Sharing::BySize => !is_for_lanes && (self.disk.may_be_slow() || self.held.get().size_bytes < LARGE_BYTES),
            Sharing::ByNumber => is_for_lanes,
        }
    }

    fn open(&self) -> Option<JobReader> {
        let mut held = self.held.get();
        let size_bytes = if self.taking.sharing == Sharing::BySize { held.size_bytes } else { 0 };
        let job = self.waiting.take().or_else(|| self.shared.try_job(self.algorithms, Load { size_bytes, ..held }))?;
        if self.has_begun.replace(true) && self.leaves(&job) {
            self.waiting.set(Some(job));
            return None;
        }
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
        Some(JobReader::new(job, file, &self.shared.settings, &self.disk, self.taking.giving))
    }

    /// Takes the result of a file. One of which bytes were lost comes again, to be read.
    pub fn finished(&self, mut reader: JobReader, result: io::Result<Digests>) {
        if reader.has_lost_bytes() {
            reader.begin_again();
            return self.ahead.borrow_mut().push_front(reader);
        }
        self.finished_together([(reader, result)]);
    }

    /// Takes the results of files that were read, not lent.
    pub fn finished_together(&self, files: impl IntoIterator<Item = (JobReader, io::Result<Digests>)>) {
        let finished: Vec<_> = files.into_iter().map(|(reader, result)| reader.finish(result)).collect();
        let mut held = self.held.get();
        for (job, _) in &finished {
            held.remove(job.size_bytes);
        }
        self.held.set(held);
        self.shared.finish(finished);
    }

    /// Waits for the next job, once all files are finished.
    pub fn next_job(self) -> Option<Job> {
        self.waiting.into_inner().or_else(|| self.shared.wait_for_another_job())
    }
}
