//! The queue in which messages wait for a worker.

use super::metrics::Counters;
use super::promise::{Promise, Receiver, promise};
use super::worker::is_hashing;
use super::{BatcherError, Settings};
use crate::algorithms::Algorithm;
#[cfg(feature = "hmac")]
use crate::hmac::Key;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "hmac")]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The key of a tag, or `None` for a digest.
#[cfg(feature = "hmac")]
pub(super) type OptionalKey<A> = Option<Arc<Key<A>>>;
#[cfg(not(feature = "hmac"))]
pub(super) type OptionalKey<A> = Option<std::marker::PhantomData<A>>;

pub(super) struct Request<A: Algorithm, M> {
    pub(super) message: M,
    /// Bytes of the message.
    pub(super) bytes: usize,
    #[cfg_attr(not(feature = "hmac"), allow(dead_code, reason = "there are no keys"))]
    pub(super) key: OptionalKey<A>,
    pub(super) promise: Promise<A::Digest>,
}

impl<A: Algorithm, M: AsRef<[u8]>> Request<A, M> {
    /// Makes a request and its receiver. If the message panics, that is its outcome: it takes its
    /// place in the queue, but it is not hashed.
    pub(super) fn new(message: M, key: OptionalKey<A>) -> (Self, Receiver<A::Digest>) {
        let (mut promise, receiver) = promise();
        let bytes = guarded(|| Some(message.as_ref().len()));
        if bytes.is_none() {
            promise.settle(Err(BatcherError::Panicked));
        }
        (Self { bytes: bytes.unwrap_or_default(), message, key, promise }, receiver)
    }
}

impl<A: Algorithm, M> Request<A, M> {
    /// Keeps the promise, unless it has an outcome, and drops the message. Each of them runs the
    /// caller's code and may panic; a panic while another one is on its way would end the process.
    pub(super) fn end(self, outcome: Result<A::Digest, BatcherError>) {
        let Self { message, promise, .. } = self;
        guarded(|| promise.keep(outcome));
        guarded(|| drop(message));
    }
}

/// The place of a waker among those that want room, until they are woken once more.
#[derive(Clone, Copy)]
pub(super) struct RoomPlace {
    times_woken: u64,
    index: usize,
}

pub(super) struct Queue<A: Algorithm, M> {
    pub(super) requests: Vec<Request<A, M>>,
    /// Bytes of all messages in the queue.
    bytes: usize,
    /// When the first of the messages came.
    pub(super) oldest: Option<Instant>,
    pub(super) is_closed: bool,
    /// The number of batches that were taken and are not finished.
    in_hand: usize,
    /// True while the worker waits to be notified.
    pub(super) is_sleeping: bool,
    /// True while the worker sleeps without a deadline, because the queue was empty.
    pub(super) is_dozing: bool,
    /// The wakers of those that want room. All of them are woken, because one alone may have given
    /// up.
    wanting_room: Vec<Waker>,
    /// The number of times that these wakers were woken.
    times_woken: u64,
}

impl<A: Algorithm, M> Queue<A, M> {
    pub(super) fn take_wanting_room(&mut self) -> Vec<Waker> {
        self.times_woken += 1;
        std::mem::take(&mut self.wanting_room)
    }
}

pub(super) struct Shared<A: Algorithm, M> {
    pub(super) settings: Settings,
    /// The number of messages that need not wait for others.
    pub(super) full_batch: usize,
    queue: Mutex<Queue<A, M>>,
    /// True if a message came while the worker was dozing, so that no deadline is running for it
    /// yet.
    needs_clock: AtomicBool,
    pub(super) work: Condvar,
    /// Notified when a closed batcher has no unfinished batch.
    finished: Condvar,
    pub(super) counters: Counters,
}

/// The queue, and the request that there is no room for.
type NoRoom<'a, A, M> = (MutexGuard<'a, Queue<A, M>>, Request<A, M>);

/// A batch of at most this many bytes is hashed by the thread that fills it, in about 20 us: waking
/// another thread takes as long.
const SMALL_BATCH_BYTES: usize = 64 << 10;

impl<A: Algorithm, M> Shared<A, M> {
    /// Creates a queue in which `full_batch` messages need not wait for others.
    pub(super) fn new(settings: Settings, full_batch: usize) -> Self {
        let queue = Queue {
            requests: Vec::new(),
            bytes: 0,
            oldest: None,
            is_closed: false,
            in_hand: 0,
            is_sleeping: false,
            is_dozing: false,
            wanting_room: Vec::new(),
            times_woken: 0,
        };
        Self {
            settings,
            full_batch,
            queue: Mutex::new(queue),
            needs_clock: AtomicBool::new(false),
            work: Condvar::new(),
            finished: Condvar::new(),
            counters: Counters::default(),
        }
    }

    /// Locks the queue. No code but the library's own may run under the lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, Queue<A, M>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the deadline, because a caller waits for a worker. This is not done when a message
    /// comes: a thread that calls `wait` hashes it sooner than another could be woken.
    pub(super) fn start_clock(&self) {
        if self.needs_clock.load(Ordering::Relaxed) && self.needs_clock.swap(false, Ordering::Relaxed) {
            self.work.notify_one();
        }
    }

    /// Takes messages from the front of the queue, `most` at most, and wakes those that want room.
    /// The batch counts as unfinished until `hash_all` has finished it.
    pub(super) fn take(&self, mut queue: MutexGuard<'_, Queue<A, M>>, most: usize, batch: &mut Vec<Request<A, M>>) {
        let waited = queue.oldest.map_or(Duration::ZERO, |oldest| oldest.elapsed());
        if queue.requests.len() <= most {
            std::mem::swap(&mut queue.requests, batch);
            (queue.oldest, queue.bytes) = (None, 0);
        } else {
            batch.extend(queue.requests.drain(..most));
            queue.bytes -= batch.iter().map(|request| request.bytes).sum::<usize>();
        }
        queue.in_hand += 1;
        let clock = !queue.requests.is_empty() && queue.is_dozing;
        self.needs_clock.store(false, Ordering::Relaxed);
        let woken = queue.take_wanting_room();
        drop(queue);
        if clock {
            self.work.notify_one();
        }
        self.counters.count_wait(waited);
        wake_all(woken);
    }

    /// Marks a batch that was taken as finished.
    pub(super) fn put_down(&self) {
        let mut queue = self.lock();
        queue.in_hand -= 1;
        if queue.is_closed && queue.in_hand == 0 {
            self.finished.notify_all();
        }
    }

    /// Waits until every batch that was taken is finished.
    pub(super) fn wait_until_finished(&self) {
        let queue = self.lock();
        drop(self.finished.wait_while(queue, |queue| queue.in_hand > 0).unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        let woken = queue.take_wanting_room();
        drop(queue);
        self.work.notify_all();
        wake_all(woken);
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Shared<A, M> {
    /// Puts a request into the queue, or returns it if there is no room.
    pub(super) fn submit(&self, request: Request<A, M>) -> Result<(), Request<A, M>> {
        self.submit_locked(self.lock(), request).map_err(|(_, request)| request)
    }

    /// Puts a request into the queue. If there is no room, returns it and wakes `who` when there
    /// is; it may have a place already.
    pub(super) fn submit_or_wait(
        &self,
        request: Request<A, M>,
        who: &Waker,
        place: Option<RoomPlace>,
    ) -> Result<(), (Request<A, M>, RoomPlace)> {
        let Err(request) = self.submit(request) else { return Ok(()) };
        // The waker is made and dropped outside of the lock, because both run the caller's code.
        let who = who.clone();
        self.submit_locked(self.lock(), request).map_err(|(mut queue, request)| {
            let times_woken = queue.times_woken;
            match place {
                Some(place) if place.times_woken == times_woken => {
                    let before = std::mem::replace(&mut queue.wanting_room[place.index], who);
                    drop(queue);
                    drop(before);
                    (request, place)
                }
                _ => {
                    queue.wanting_room.push(who);
                    (request, RoomPlace { times_woken, index: queue.wanting_room.len() - 1 })
                }
            }
        })
    }

    fn submit_locked<'a>(&self, mut queue: MutexGuard<'a, Queue<A, M>>, request: Request<A, M>) -> Result<(), NoRoom<'a, A, M>> {
        if queue.is_closed {
            drop(queue);
            request.promise.keep(Err(BatcherError::Closed));
            return Ok(());
        }
        if queue.requests.len() >= self.settings.queue_messages {
            return Err((queue, request));
        }
        queue.bytes += request.bytes;
        queue.requests.push(request);
        if queue.requests.len() == 1 {
            queue.oldest = Some(Instant::now());
            self.needs_clock.store(queue.is_dozing, Ordering::Relaxed);
        }
        if queue.requests.len() >= self.full_batch {
            // This is not done in the middle of another batch: a waker may hand a message over
            // again, and so on.
            if queue.bytes <= SMALL_BATCH_BYTES && !is_hashing() {
                let mut batch = Vec::new();
                self.take(queue, usize::MAX, &mut batch);
                self.hash_all(&mut batch);
            } else if queue.is_sleeping {
                drop(queue);
                self.work.notify_one();
            }
        }
        Ok(())
    }
}

/// Calls what may be the caller's code. A panic ends here; the panic hook has reported it.
pub(super) fn guarded<T: Default>(call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping the payload may panic again, and so may dropping that payload: the second one is
        // leaked.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(payload);
        }
        T::default()
    })
}

pub(super) fn wake_all(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(|waker| guarded(|| waker.wake()));
}
