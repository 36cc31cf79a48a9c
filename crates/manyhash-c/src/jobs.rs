//! Jobs of an algorithm that is known only at run time.

use crate::Status;
use crate::keys::AnyKey;
use crate::objects::{Kind, Object};
use crate::pointers::Bytes;
use manyhash::jobs::{Job, Jobs};
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::rc::{Rc, Weak};
use std::thread::{self, ThreadId};

/// The caller's pointers, which only go back to the caller.
type Pointer = *mut c_void;
/// `void (*done)(void *context, void *handle, const uint8_t *digest)`.
pub type Done = unsafe extern "C" fn(context: Pointer, handle: Pointer, digest: *const u8);
/// `void (*release)(void *owner)`.
pub type Release = unsafe extern "C" fn(owner: Pointer);

thread_local! {
    /// Owners of pieces that are not needed any more, with what tells them.
    static RELEASED: RefCell<VecDeque<(Release, Pointer)>> = const { RefCell::new(VecDeque::new()) };
}

/// Tells the owners of pieces that are not needed any more. Nothing of an object may be borrowed meanwhile: they may use any.
pub(crate) fn tell_owners() {
    let next = || RELEASED.try_with(|released| released.borrow_mut().pop_front());
    while let Ok(Some((release, owner))) = next() {
        // SAFETY: the caller gave the function for this pointer.
        unsafe { release(owner) };
    }
}

/// A piece of a message. When it is dropped, its owner will be told: [`tell_owners`].
pub(crate) struct Piece {
    pub(crate) bytes: Bytes,
    pub(crate) release: Option<Release>,
    pub(crate) owner: Pointer,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // In a thread that ends it may be too late to wait.
            if RELEASED.try_with(|released| released.borrow_mut().push_back((release, self.owner))).is_err() {
                // SAFETY: the caller gave the function for this pointer.
                unsafe { release(self.owner) };
            }
        }
    }
}

/// Jobs of any algorithm.
trait AnyJobs {
    fn open(&self, key: Option<&dyn AnyKey>, handle: Pointer) -> Result<Box<dyn AnyJob>, Status>;
    fn run(&self, everything: bool, done: &mut dyn FnMut(Pointer, &[u8]));
}

impl<A: Algorithm> AnyJobs for Jobs<A, Pointer, Piece> {
    fn open(&self, key: Option<&dyn AnyKey>, handle: Pointer) -> Result<Box<dyn AnyJob>, Status> {
        let job = match key {
            None => Jobs::open(self, handle),
            Some(key) => self.open_tagged(handle, key.as_any().downcast_ref().ok_or(Status::BadArgument)?),
        };
        Ok(Box::new(job))
    }

    fn run(&self, everything: bool, done: &mut dyn FnMut(Pointer, &[u8])) {
        let finished = |handle: Pointer, digest: A::Digest| done(handle, digest.as_ref());
        if everything { self.flush(finished) } else { self.run_full_lanes(finished) }
    }
}

trait AnyJob {
    fn feed(&mut self, piece: Piece);
    fn finish(self: Box<Self>);
}

impl<A: Algorithm> AnyJob for Job<A, Pointer, Piece> {
    fn feed(&mut self, piece: Piece) {
        Job::feed(self, piece);
    }

    fn finish(self: Box<Self>) {
        Job::finish(*self);
    }
}

/// `manyhash_jobs`.
pub struct JobsContent {
    jobs: Rc<dyn AnyJobs>,
    done: Done,
    context: Pointer,
    thread: ThreadId,
    open: Rc<Open>,
}

/// The jobs that are not finished, by their places; nothing in a place that is free.
#[derive(Default)]
struct Open {
    jobs: RefCell<Vec<*mut Object<JobContent>>>,
    free: RefCell<Vec<usize>>,
}

/// `manyhash_job`.
pub struct JobContent {
    job: Box<dyn AnyJob>,
    thread: ThreadId,
    place: usize,
    open: Weak<Open>,
}

impl Kind for JobsContent {
    const MARK: u64 = 0x6D68_6A6F_6273_C0DE;
}

impl Kind for JobContent {
    const MARK: u64 = 0x6D68_6A6F_625F_C0DE;
}

fn in_its_thread(thread: ThreadId) -> Result<(), Status> {
    if thread::current().id() == thread { Ok(()) } else { Err(Status::BadArgument) }
}

impl JobsContent {
    pub(crate) fn new(algorithm: AnyAlgorithm, done: Option<Done>, context: Pointer) -> Result<Self, Status> {
        let done = done.ok_or(Status::BadArgument)?;
        let jobs: Rc<dyn AnyJobs> = with_algorithm!(algorithm, A => Rc::new(Jobs::<A, Pointer, Piece>::new()));
        Ok(Self { jobs, done, context, thread: thread::current().id(), open: Rc::default() })
    }

    pub(crate) fn in_its_thread(&self) -> Result<(), Status> {
        in_its_thread(self.thread)
    }

    /// Opens a job. [`remember`](Self::remember) must hear where it is.
    pub(crate) fn open(&self, key: Option<&dyn AnyKey>, handle: Pointer) -> Result<JobContent, Status> {
        let job = self.jobs.open(key, handle)?;
        let mut jobs = self.open.jobs.borrow_mut();
        let place = self.open.free.borrow_mut().pop().unwrap_or_else(|| {
            jobs.push(std::ptr::null_mut());
            jobs.len() - 1
        });
        Ok(JobContent { job, thread: self.thread, place, open: Rc::downgrade(&self.open) })
    }

    pub(crate) fn remember(&self, job: &JobContent, object: *mut Object<JobContent>) {
        if let Some(place) = self.open.jobs.borrow_mut().get_mut(job.place) {
            *place = object;
        }
    }

    /// Returns what gives results out. It needs nothing of this object, which may be used meanwhile.
    pub(crate) fn runner(&self) -> impl Fn(bool) + use<> {
        let (jobs, done, context) = (Rc::clone(&self.jobs), self.done, self.context);
        move |everything| {
            jobs.run(everything, &mut |handle, digest| {
                tell_owners();
                // SAFETY: the caller gave the function for these pointers.
                unsafe { done(context, handle, digest.as_ptr()) };
            });
        }
    }

    /// Returns the jobs that are not finished, which go with this object.
    pub(crate) fn take_open(&self) -> Vec<*mut Object<JobContent>> {
        std::mem::take(&mut *self.open.jobs.borrow_mut())
    }
}

impl JobContent {
    pub(crate) fn in_its_thread(&self) -> Result<(), Status> {
        in_its_thread(self.thread)
    }

    pub(crate) fn feed(&mut self, piece: Piece) {
        self.job.feed(piece);
    }

    pub(crate) fn finish(self) {
        self.forget();
        self.job.finish();
    }

    /// Frees its place among those that are not finished.
    pub(crate) fn forget(&self) {
        if let Some(open) = self.open.upgrade()
            && let Some(place) = open.jobs.borrow_mut().get_mut(self.place)
        {
            *place = std::ptr::null_mut();
            open.free.borrow_mut().push(self.place);
        }
    }
}
