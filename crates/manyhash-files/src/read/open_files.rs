//! Opening files when the process may have no more of them: wait until a worker closes one.

use crate::task::STDIN;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The number of files that workers hold open, counted for the process, as the system's limit is.
static HELD_FILES: AtomicUsize = AtomicUsize::new(0);

/// A file that a worker holds open.
#[derive(Debug)]
pub struct HeldFile(pub File);

impl HeldFile {
    /// `file`, counted until it is dropped.
    pub fn new(file: File) -> Self {
        HELD_FILES.fetch_add(1, Ordering::Relaxed);
        Self(file)
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        HELD_FILES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether `error` says that the process or the system has too many files open.
pub fn is_too_many(error: &io::Error) -> bool {
    // ENFILE and EMFILE, the same on every Unix.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Opens a file that is read from beginning to end; [`STDIN`] is standard input.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == STDIN { Ok(Box::new(io::stdin())) } else { Ok(Box::new(patiently(|| File::open(path))?)) }
}

/// Does `open`. While there are too many open files and workers hold some of them, waits and does
/// it again.
///
/// A worker that holds files must not call this: it would wait for itself.
pub fn patiently<T>(mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        let held_files = HELD_FILES.load(Ordering::Relaxed);
        match open() {
            Err(error) if is_too_many(&error) && held_files > 0 => thread::sleep(Duration::from_millis(1)),
            result => return result,
        }
    }
}
