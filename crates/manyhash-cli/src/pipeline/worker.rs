//! A worker thread: hashes files of the window until there are none left.
//!
//! Several workers read many files at once, [`lanes`] full of them. A lone worker reads them [`in_order`], and so does a worker that
//! has several algorithms for a file.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;

use crate::algorithm::{Algorithms, Digests};

use super::job_reader::JobReader;
use super::window::{Job, Load};
use super::{Shared, in_order, lanes, open_files};

/// Hashes files until there are none left.
pub fn work<T: Send>(shared: &Shared<T>) {
    let mut next = shared.wait_for_job();
    while let Some(job) = next {
        next = match job.algorithms.only() {
            Some(algorithm) if shared.settings.workers > 1 => algorithm.with(lanes::Serve { shared, job }),
            _ => in_order::serve(shared, job),
        };
    }
}

/// Files of the window, all for the same algorithms, on their way through one worker.
pub struct Feed<'a, T> {
    shared: &'a Shared<T>,
    algorithms: Algorithms,
    /// A job taken but not yet begun.
    waiting: RefCell<Option<Job>>,
    held: Cell<Load>,
}

impl<'a, T: Send> Feed<'a, T> {
    /// Begins with `first`.
    pub fn new(shared: &'a Shared<T>, first: Job) -> Self {
        Self { shared, algorithms: first.algorithms, waiting: RefCell::new(Some(first)), held: Cell::default() }
    }

    /// The next file, open; nothing when the worker should finish those it holds, because nothing is there to take at once.
    pub fn next(&self) -> Option<JobReader> {
        let mut held = self.held.get();
        let waiting = self.waiting.borrow_mut().take();
        let job = waiting.or_else(|| self.shared.try_job(self.algorithms, held))?;
        let open = || File::open(&job.path);
        let file = match open() {
            Err(error) if open_files::is_too_many(&error) => {
                if held.files > 0 {
                    // Finish those, which closes them, and begin again with this one.
                    *self.waiting.borrow_mut() = Some(job);
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
        let (job, result) = reader.finish(result);
        let mut held = self.held.get();
        held.remove(job.size_bytes);
        self.held.set(held);
        self.shared.finish(job, result);
    }

    /// When all files are finished: the next job, waited for.
    pub fn next_job(self) -> Option<Job> {
        self.waiting.into_inner().or_else(|| self.shared.wait_for_another_job())
    }
}
