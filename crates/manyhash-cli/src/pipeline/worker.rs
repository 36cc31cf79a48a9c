//! A worker thread: feeds the lanes of one [`Readers`] with files of the window.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use manyhash::{Algorithm, Readers};

use crate::algorithm::{AnyAlgorithm, ForAlgorithm};

use super::open_files::{self, HeldFile};
use super::window::{Job, Load};
use super::{Hashed, Shared, Totals};

/// A file being read in a lane. It is open by the time the engine sees it; why it could not be opened is its first read's error.
struct JobReader {
    job: Job,
    file: io::Result<HeldFile>,
    totals: Arc<Totals>,
    read_bytes: u64,
    ended: bool,
}

impl Read for JobReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let file = match &mut self.file {
            Ok(file) => file,
            Err(error) => return Err(std::mem::replace(error, io::ErrorKind::Other.into())),
        };
        let count = retrying(&mut file.0, buffer)?;
        self.read_bytes += count as u64;
        self.totals.done_bytes.fetch_add(count as u64, Ordering::Relaxed);
        // A read that falls short just where the file should end has seen its end. Files in /proc say 0 bytes: read those to the end.
        self.ended = count == 0 || (count < buffer.len() && self.read_bytes == self.job.size_bytes);
        Ok(count)
    }
}

/// One read, however often a signal interrupts it.
pub fn retrying(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Hashes files until there are none left.
pub fn work<T: Send>(shared: &Shared<T>) {
    let mut next = shared.wait_for_job();
    while let Some(job) = next {
        next = job.algorithm.with(Serve { shared, job });
    }
}

/// Hashes files of one algorithm, from `job` on; gives back one of another algorithm, or nothing when there are none left.
struct Serve<'a, T> {
    shared: &'a Shared<T>,
    job: Job,
}

impl<T: Send> ForAlgorithm for Serve<'_, T> {
    type Output = Option<Job>;

    fn run<A: Algorithm>(self) -> Option<Job> {
        let Self { shared, job } = self;
        let algorithm = job.algorithm;
        let mut readers = Readers::<A>::with_buffer_bytes(shared.buffer_bytes(algorithm));
        let mut first = Some(job);
        loop {
            let feed = Feed { shared, algorithm, waiting: RefCell::new(first), held: Cell::default() };
            readers.hash(std::iter::from_fn(|| feed.next()), |reader, result| feed.finished::<A>(reader, result));
            match feed.waiting.into_inner().or_else(|| shared.wait_for_another_job()) {
                Some(job) if job.algorithm == algorithm => first = Some(job),
                other => return other,
            }
        }
    }
}

/// What connects one call of [`Readers::hash`] with the window.
struct Feed<'a, T> {
    shared: &'a Shared<T>,
    algorithm: AnyAlgorithm,
    /// A job taken but not yet begun.
    waiting: RefCell<Option<Job>>,
    held: Cell<Load>,
}

impl<T: Send> Feed<'_, T> {
    /// The next file, open; nothing when the lanes should run empty, because nothing is there to take at once.
    fn next(&self) -> Option<(JobReader, u64)> {
        let mut held = self.held.get();
        let waiting = self.waiting.borrow_mut().take();
        let job = waiting.or_else(|| self.shared.try_job(self.algorithm, held))?;
        let open = || File::open(&job.path);
        let file = match open() {
            Err(error) if open_files::is_too_many(&error) => {
                if held.files > 0 {
                    // Run empty, which closes files, and begin again with this one.
                    *self.waiting.borrow_mut() = Some(job);
                    return None;
                }
                open_files::patiently(open)
            }
            result => result,
        };
        let size_bytes = job.size_bytes;
        held.add(size_bytes);
        self.held.set(held);
        let totals = Arc::clone(&self.shared.totals);
        Some((JobReader { job, file: file.map(HeldFile::new), totals, read_bytes: 0, ended: false }, size_bytes))
    }

    fn finished<A: Algorithm>(&self, reader: JobReader, result: io::Result<A::Digest>) {
        let JobReader { job, file, read_bytes, .. } = reader;
        drop(file);
        let mut held = self.held.get();
        held.remove(job.size_bytes);
        self.held.set(held);
        self.shared.finish(job, result.map(|digest| Hashed { digest: digest.as_ref().into(), bytes: read_bytes }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;

    use crate::pipeline::window::{Limits, Window};
    use crate::pipeline::{Task, Work};

    /// A reader of `path` that believes it to have `size_bytes` bytes.
    fn reader(path: &std::path::Path, size_bytes: u64) -> JobReader {
        let mut window = Window::new(Limits { tasks: 1, path_bytes: 1 << 10, batch_tasks: 1 });
        let work = Work::File { algorithm: AnyAlgorithm::Sha256, size_bytes };
        window.push(Task { label: (), path: path.to_path_buf(), work });
        let file = File::open(path).map(HeldFile::new);
        JobReader { job: window.take().unwrap(), file, totals: Arc::default(), read_bytes: 0, ended: false }
    }

    #[test]
    fn a_file_that_grows_or_shrinks_is_read_to_where_it_ends() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        let mut buffer = [0; 10];
        std::fs::write(&path, [1; 25]).unwrap();

        let mut growing = reader(&path, 25);
        assert_eq!(growing.read(&mut buffer).unwrap(), 10);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(&[2; 5]).unwrap();
        assert_eq!([(); 3].map(|()| growing.read(&mut buffer).unwrap()), [10, 10, 0]);
        assert_eq!(growing.read_bytes, 30);

        let mut shrinking = reader(&path, 30);
        assert_eq!(shrinking.read(&mut buffer).unwrap(), 10);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(13).unwrap();
        assert_eq!([(); 3].map(|()| shrinking.read(&mut buffer).unwrap()), [3, 0, 0]);
        assert_eq!(shrinking.read_bytes, 13);
    }

    #[test]
    fn an_end_that_was_expected_takes_no_further_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, [1; 25]).unwrap();
        for (size_bytes, is_expected) in [(25, true), (0, false), (24, false), (26, false)] {
            let mut reader = reader(&path, size_bytes);
            assert_eq!(reader.read(&mut [0; 30]).unwrap(), 25);
            assert_eq!(reader.ended, is_expected);
            assert_eq!(reader.read(&mut [0; 30]).unwrap(), 0);
        }
        // A read that fills the buffer to the last byte may not have seen the end.
        let mut reader = reader(&path, 25);
        assert_eq!(reader.read(&mut [0; 25]).unwrap(), 25);
        assert!(!reader.ended);
    }

    #[test]
    fn what_cannot_be_opened_says_so_when_read() {
        let error = reader("/nonexistent".as_ref(), 1).read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
