//! Messages that arrive in pieces, from many sources.
//!
//! Jobs compute in one thread, when the caller says so: they are made for an event loop with many
//! connections. If many threads and tasks have messages, use a
//! [`Batcher`](crate::batcher::Batcher), which computes in threads of its own.
//!
//! ```
//! use manyhash::{Sha256, hash, jobs::Jobs};
//! let jobs = Jobs::<Sha256, &str, &[u8]>::new();
//! let (mut one, mut two) = (jobs.open("one"), jobs.open("two"));
//! one.feed(b"to be ");
//! two.feed(b"whether 'tis nobler");
//! one.feed(b"or not to be");
//! one.finish();
//! jobs.flush(|handle, digest| {
//!     assert_eq!(handle, "one");
//!     assert_eq!(digest, hash::<Sha256>(b"to be or not to be"));
//! });
//! ```

mod table;

use crate::algorithms::Algorithm;
#[cfg(feature = "hmac")]
use crate::hmac::Key;
use crate::schedule::Extent;
use alloc::rc::Rc;
use alloc::vec::Vec;
use std::cell::RefCell;
use std::fmt;

use table::{JobId, Table};

/// Messages that arrive in pieces, in one thread.
///
/// [`open`](Self::open) begins a message under a handle of the caller's: a number, a name, a
/// connection. Its [`Job`] takes pieces. [`run_full_lanes`](Self::run_full_lanes) computes as long as there is work for
/// every lane, and [`flush`](Self::flush) computes all that there is. Both return the handles of
/// messages that have ended, in any order. An event loop polls after each round of events. It
/// flushes when no more events are expected, or when a message has waited long enough.
///
/// `P` is a piece: `&[u8]` if the bytes outlive the jobs, or a type that owns them, such as
/// `Vec<u8>`. Whole blocks are read where they lie. A piece is dropped as soon as its last byte is
/// not needed any more. Its `as_ref` must always return the same bytes.
///
/// A job takes 450 to 550 bytes ([`BYTES_PER_JOB`](Self::BYTES_PER_JOB)). A piece that waits takes
/// 40 bytes and itself. Memory is used again: with as many jobs and pieces as before, neither
/// opening nor feeding nor polling allocates any. Only the caller limits the pieces that wait: see
/// [`waiting_bytes`](Self::waiting_bytes).
///
/// The type can't leave its thread, so that a job can't come to the wrong `Jobs`, nor be in two
/// places at once.
pub struct Jobs<A: Algorithm, H, P: AsRef<[u8]> = Vec<u8>> {
    table: Rc<RefCell<Table<A, H, P>>>,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Jobs<A, H, P> {
    /// Bytes of memory that an open job takes, without its pieces.
    pub const BYTES_PER_JOB: usize = Table::<A, H, P>::BYTES_PER_JOB;

    /// Creates a table without jobs.
    pub fn new() -> Self {
        Self { table: Rc::new(RefCell::new(Table::new())) }
    }

    /// Begins a message whose digest will be returned with this handle.
    pub fn open(&self, handle: H) -> Job<A, H, P> {
        let id = self.table.borrow_mut().open(handle);
        Job { table: Some(self.table.clone()), id }
    }

    /// Begins a message whose tag under `key` will be returned with this handle.
    #[cfg(feature = "hmac")]
    pub fn open_tagged(&self, handle: H, key: &Key<A>) -> Job<A, H, P> {
        let id = self.table.borrow_mut().open_tagged(handle, key);
        Job { table: Some(self.table.clone()), id }
    }

    /// Computes as long as there is a job with whole blocks, or its end, for every lane of the
    /// widest kernel. Then it hands over the digest of every message that has ended. With less work
    /// than that, it returns at once.
    ///
    /// `finished` may open, feed, finish and drop jobs. If it panics, the next call hands over the
    /// digests that it has not got yet.
    ///
    /// # Panics
    /// Panics if a piece panicked in an earlier call.
    pub fn run_full_lanes(&self, finished: impl FnMut(H, A::Digest)) {
        self.run(Extent::FullLanes, finished);
    }

    /// Does what [`run_full_lanes`](Self::run_full_lanes) does.
    #[deprecated(note = "it is called run_full_lanes, because poll is a word of futures")]
    pub fn poll(&self, finished: impl FnMut(H, A::Digest)) {
        self.run_full_lanes(finished);
    }

    /// Computes all that there is, on the kernels that are best for it. Then it hands over the
    /// digest of every message that has ended.
    ///
    /// # Panics
    /// Panics as [`run_full_lanes`](Self::run_full_lanes) does.
    pub fn flush(&self, finished: impl FnMut(H, A::Digest)) {
        self.run(Extent::All, finished);
    }

    fn run(&self, extent: Extent, mut finished: impl FnMut(H, A::Digest)) {
        self.table.borrow_mut().run(extent);
        drop_spent(&self.table);
        // The table is borrowed for one digest at a time, because the caller's function may use the
        // jobs.
        let next = || self.table.borrow_mut().next_finished();
        while let Some((handle, digest)) = next() {
            finished(handle, digest);
        }
    }

    /// Returns how many jobs were opened and neither finished nor dropped.
    pub fn open_jobs(&self) -> usize {
        self.table.borrow().open_jobs()
    }

    /// Returns how many jobs have something to compute.
    pub fn ready_jobs(&self) -> usize {
        self.table.borrow().ready_jobs()
    }

    /// Returns the bytes of all pieces that are waiting.
    pub fn waiting_bytes(&self) -> u64 {
        self.table.borrow().waiting_bytes()
    }
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Default for Jobs<A, H, P> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows how many jobs there are.
impl<A: Algorithm, H, P: AsRef<[u8]>> fmt::Debug for Jobs<A, H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = &mut f.debug_struct("Jobs");
        jobs.field("algorithm", &A::NAME);
        if let Ok(table) = self.table.try_borrow() {
            jobs.field("open", &table.open_jobs()).field("ready", &table.ready_jobs());
        }
        jobs.finish_non_exhaustive()
    }
}

/// A message that is not yet complete.
///
/// Dropping a job gives the message up: it leaves without a digest, and its handle and pieces are
/// dropped. Finishing a job consumes it, so that nothing can be done twice or too late:
///
/// ```compile_fail
/// # use manyhash::{Sha256, jobs::Jobs};
/// # let jobs = Jobs::<Sha256, &str, &[u8]>::new();
/// let mut job = jobs.open("message");
/// job.finish();
/// job.feed(b"too late");
/// ```
#[must_use = "a job that is dropped gives its message up"]
pub struct Job<A: Algorithm, H, P: AsRef<[u8]> = Vec<u8>> {
    /// The table of jobs; `None` once the job is finished.
    table: Option<Rc<RefCell<Table<A, H, P>>>>,
    id: JobId,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Job<A, H, P> {
    /// Appends a piece to the message; an empty piece changes nothing.
    pub fn feed(&mut self, piece: P) {
        let table = self.table.as_ref().expect("only finishing takes it");
        table.borrow_mut().feed(self.id, piece);
        drop_spent(table);
    }

    /// Completes the message: a later [`run_full_lanes`](Jobs::run_full_lanes) or [`flush`](Jobs::flush) returns its
    /// digest.
    pub fn finish(mut self) {
        if let Some(table) = self.table.take() {
            table.borrow_mut().finish(self.id);
        }
    }
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Drop for Job<A, H, P> {
    fn drop(&mut self) {
        if let Some(table) = self.table.take() {
            let handle = table.borrow_mut().abandon(self.id);
            drop_spent(&table);
            drop(handle);
        }
    }
}

/// Drops pieces while nothing is borrowed, because dropping a piece may run any code.
fn drop_spent<A: Algorithm, H, P: AsRef<[u8]>>(table: &RefCell<Table<A, H, P>>) {
    let next = || table.borrow_mut().next_spent();
    while let Some(piece) = next() {
        drop(piece);
    }
}

impl<A: Algorithm, H, P: AsRef<[u8]>> fmt::Debug for Job<A, H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}
