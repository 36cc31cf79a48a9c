//! Messages that arrive in pieces, from many sources.
//!
//! The caller computes, when it says so, in one thread: an event loop with many connections. Where many threads and tasks have messages, a
//! [`Batcher`](crate::batcher::Batcher) computes in threads of its own.
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
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use table::{JobId, Table};

/// Messages on their way, in one thread.
///
/// [`open`](Self::open) begins a message under a handle of the caller's: a number, a name, a connection. Its [`Job`] takes pieces.
/// [`poll`](Self::poll) computes as long as there is work for every lane, [`flush`](Self::flush) all there is, and both give back the
/// handles of messages that ended, in any order. So an event loop polls after each round of events, and flushes when there are no more to
/// wait for, or when someone has waited for long enough.
///
/// `P` is a piece: `&[u8]` where the bytes stay, or something that owns them, as `Vec<u8>`. Whole blocks are read where they lie; a piece is
/// dropped as soon as its last byte is not needed any more. What its `as_ref` gives must stay the same.
///
/// A job takes 450 to 550 bytes ([`BYTES_PER_JOB`](Self::BYTES_PER_JOB)), a piece that waits 40 and itself. Memory is used again: with as many
/// jobs and pieces as before, neither opening nor feeding nor polling allocates any. Nothing limits the pieces that wait but the caller: see
/// [`waiting_bytes`](Self::waiting_bytes).
///
/// It can't leave its thread, so that a job can't come to the wrong `Jobs`, nor in two places at once.
pub struct Jobs<A: Algorithm, H, P: AsRef<[u8]> = Vec<u8>> {
    table: Rc<RefCell<Table<A, H, P>>>,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Jobs<A, H, P> {
    /// Bytes of memory that an open job takes, without its pieces.
    pub const BYTES_PER_JOB: usize = Table::<A, H, P>::BYTES_PER_JOB;

    /// None yet.
    pub fn new() -> Self {
        Self { table: Rc::new(RefCell::new(Table::new())) }
    }

    /// Begins a message, whose digest will come with this handle.
    pub fn open(&self, handle: H) -> Job<A, H, P> {
        let id = self.table.borrow_mut().open(handle);
        Job { table: Some(self.table.clone()), id }
    }

    /// Begins a message, whose tag under `key` will come with this handle.
    #[cfg(feature = "hmac")]
    pub fn open_tagged(&self, handle: H, key: &Key<A>) -> Job<A, H, P> {
        let id = self.table.borrow_mut().open_tagged(handle, key);
        Job { table: Some(self.table.clone()), id }
    }

    /// Computes as long as there is a job with whole blocks, or its end, for every lane of the widest kernel; then hands over the digest of
    /// every message that ended. With less to do than that, it returns at once.
    ///
    /// `finished` may open, feed, finish and drop jobs. If it panics, what it has not got yet comes next time.
    ///
    /// # Panics
    /// If a piece panicked in a call before.
    pub fn poll(&self, finished: impl FnMut(H, A::Digest)) {
        self.run(Extent::FullLanes, finished);
    }

    /// Computes all that can be, on the kernels that are best for it; then hands over the digest of every message that ended.
    ///
    /// # Panics
    /// As [`poll`](Self::poll).
    pub fn flush(&self, finished: impl FnMut(H, A::Digest)) {
        self.run(Extent::All, finished);
    }

    fn run(&self, extent: Extent, mut finished: impl FnMut(H, A::Digest)) {
        self.table.borrow_mut().run(extent);
        drop_spent(&self.table);
        // Borrowed for one at a time: the caller's function may use the jobs.
        let next = || self.table.borrow_mut().next_finished();
        while let Some((handle, digest)) = next() {
            finished(handle, digest);
        }
    }

    /// Jobs that were opened and neither finished nor dropped.
    pub fn open_jobs(&self) -> usize {
        self.table.borrow().open_jobs()
    }

    /// Jobs that have something to compute.
    pub fn ready_jobs(&self) -> usize {
        self.table.borrow().ready_jobs()
    }

    /// Bytes of all pieces that are waiting.
    pub fn waiting_bytes(&self) -> u64 {
        self.table.borrow().waiting_bytes()
    }
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Default for Jobs<A, H, P> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows how many there are.
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
/// Who drops it gives the message up: it leaves without a digest, and its handle and pieces are dropped. Finishing it takes it away, so that
/// nothing can be done twice or too late:
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
    /// `None` once it is finished.
    table: Option<Rc<RefCell<Table<A, H, P>>>>,
    id: JobId,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Job<A, H, P> {
    /// Appends a piece to the message; an empty one changes nothing.
    pub fn feed(&mut self, piece: P) {
        let table = self.table.as_ref().expect("only finishing takes it");
        table.borrow_mut().feed(self.id, piece);
        drop_spent(table);
    }

    /// The message is complete: a later [`poll`](Jobs::poll) or [`flush`](Jobs::flush) gives its digest.
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

/// Drops pieces while nothing is borrowed: a piece may do anything then.
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
