//! How much of a column is hashed, for another thread to see, and to stop it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What is done of one call or of several, and whether to go on.
///
/// Nothing else is passed between threads by these numbers, so they are as good as a look at a clock.
#[derive(Debug, Default)]
pub struct Progress {
    rows: AtomicU64,
    bytes: AtomicU64,
    is_stopped: AtomicBool,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of rows whose digests are written, null ones included. Of a dictionary it is the
    /// number of its values.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// The number of bytes that were hashed: of values, or of the messages that rows are made.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Makes what counts here end with [`Error::Stopped`](crate::Error::Stopped) within some
    /// thousands of rows.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn add_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
