//! A front for servers: whoever has a message hands it over and waits; workers hash what is there together.

mod promise;

use crate::algorithm::{Algorithm, CompressionOf};
use crate::backend;
#[cfg(feature = "hmac")]
use crate::hmac::{self, Key, Keys};
use crate::many;
use crate::padding::block_count;
use crate::shape::{Plan, Usage};
use crate::start::{Start, Starts};
use promise::{Promise, Receiver, promise};
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How a [`Batcher`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that hash.
    pub workers: usize,
    /// Messages that may wait for a worker; who comes later waits for room.
    pub queue_messages: usize,
    /// How long a message may wait for others to be hashed with, while there are not enough for every lane.
    pub longest_wait: Duration,
}

/// One worker, 4096 messages, 50 microseconds.
impl Default for Settings {
    fn default() -> Self {
        Self { workers: 1, queue_messages: 4096, longest_wait: Duration::from_micros(50) }
    }
}

/// Hashes messages of any number of threads and tasks together.
///
/// [`hash`](Self::hash) and [`tag`](Self::tag) hand a message over and give a [`Pending`], a future for any runtime, whose
/// [`wait`](Pending::wait) does without one. Workers take what is waiting as soon as it fills the lanes, or when the first of it has waited for
/// [`longest_wait`](Settings::longest_wait), and hash all of it at once. While they are busy the next batch gathers, so that batches grow with the
/// load.
///
/// A message is owned: `M` is `Vec<u8>`, `Arc<[u8]>`, `&'static [u8]` or any such type. A `Pending` that is dropped takes its message back if no
/// worker has it yet. If a message's `as_ref` or a waker panics, no other message is harmed. To drop the batcher is to
/// [`shut it down`](Self::shutdown).
///
/// ```
/// use manyhash::{Sha256, hash, jobs::{Batcher, Settings}};
/// let batcher = Batcher::<Sha256>::new(Settings::default())?;
/// std::thread::scope(|scope| {
///     for name in ["one", "two", "three"] {
///         let batcher = &batcher;
///         scope.spawn(move || assert_eq!(batcher.hash(name.into()).wait(), Ok(hash::<Sha256>(name.as_bytes()))));
///     }
/// });
/// # std::io::Result::Ok(())
/// ```
pub struct Batcher<A: Algorithm, M: AsRef<[u8]> + Send + 'static = Vec<u8>> {
    shared: Arc<Shared<A, M>>,
    workers: Vec<JoinHandle<()>>,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> Batcher<A, M> {
    /// Starts the workers.
    ///
    /// # Errors
    /// If there should be no workers or no room in the queue, or if a thread can't be started.
    ///
    /// # Panics
    /// If `MANYHASH_BACKEND` names a backend that can't be used: see [`backend`](crate::backend).
    pub fn new(settings: Settings) -> io::Result<Self> {
        let zero = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("a batcher needs {what}")));
        if settings.workers == 0 {
            return zero("a worker");
        }
        if settings.queue_messages == 0 {
            return zero("room for a message in its queue");
        }
        let full_batch = backend::plan::<A>().widest_shape().lanes.min(settings.queue_messages);
        let shared = Arc::new(Shared {
            settings,
            full_batch,
            queue: Mutex::new(Queue {
                requests: Vec::new(),
                oldest: None,
                is_closed: false,
                workers: settings.workers,
                sleeping: 0,
                wanting_room: Vec::new(),
                times_woken: 0,
            }),
            work: Condvar::new(),
            counters: Counters::default(),
        });
        // Dropped half-way, it ends the workers it has.
        let mut batcher = Self { shared, workers: Vec::new() };
        for i in 0..settings.workers {
            let shared = batcher.shared.clone();
            let worker = thread::Builder::new().name(format!("manyhash-{i}")).spawn(move || Worker { shared }.run())?;
            batcher.workers.push(worker);
        }
        Ok(batcher)
    }

    /// The digest of a message, in time. If the queue is full, it waits for room first.
    pub fn hash(&self, message: M) -> Pending<A, M> {
        self.pending(message, None)
    }

    /// As [`hash`](Self::hash), if there is room.
    ///
    /// # Errors
    /// If the queue is full: the message.
    pub fn try_hash(&self, message: M) -> Result<Pending<A, M>, QueueFull<M>> {
        self.try_pending(message, None)
    }

    /// The tag of a message under a key, in time. If the queue is full, it waits for room first.
    #[cfg(feature = "hmac")]
    pub fn tag(&self, key: &Arc<Key<A>>, message: M) -> Pending<A, M> {
        self.pending(message, Some(key.clone()))
    }

    /// As [`tag`](Self::tag), if there is room.
    ///
    /// # Errors
    /// If the queue is full: the message.
    #[cfg(feature = "hmac")]
    pub fn try_tag(&self, key: &Arc<Key<A>>, message: M) -> Result<Pending<A, M>, QueueFull<M>> {
        self.try_pending(message, Some(key.clone()))
    }

    fn pending(&self, message: M, key: OptionalKey<A>) -> Pending<A, M> {
        let (promise, receiver) = promise();
        let request = Request { message, key, promise };
        let wait = |request| WaitingForRoom { shared: self.shared.clone(), request, place: None };
        let waiting_for_room = self.shared.submit(request).err().map(wait);
        Pending { receiver, waiting_for_room }
    }

    fn try_pending(&self, message: M, key: OptionalKey<A>) -> Result<Pending<A, M>, QueueFull<M>> {
        let (promise, receiver) = promise();
        match self.shared.submit(Request { message, key, promise }) {
            Ok(()) => Ok(Pending { receiver, waiting_for_room: None }),
            Err(request) => Err(QueueFull(request.message)),
        }
    }

    /// Accepts no more: from now on, and for those who wait for room, the outcome is [`BatcherError::Closed`]. What was accepted is finished.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Accepts no more, and returns when all that was accepted is finished.
    pub fn shutdown(self) {}

    /// What it has done so far.
    pub fn metrics(&self) -> Metrics {
        let queued = self.shared.lock().requests.len();
        self.shared.counters.metrics(queued)
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> Drop for Batcher<A, M> {
    fn drop(&mut self) {
        self.shared.close();
        for worker in self.workers.drain(..) {
            // The last owner may be something that a worker drops or wakes: it can't wait for itself.
            if worker.thread().id() != thread::current().id() {
                // It never panics: what it calls is caught.
                let _ = worker.join();
            }
        }
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> fmt::Debug for Batcher<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher").field("algorithm", &A::NAME).field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

/// Whose tag is wanted, if it is a tag.
#[cfg(feature = "hmac")]
type OptionalKey<A> = Option<Arc<Key<A>>>;
#[cfg(not(feature = "hmac"))]
type OptionalKey<A> = Option<std::marker::PhantomData<A>>;

struct Request<A: Algorithm, M> {
    message: M,
    #[cfg_attr(not(feature = "hmac"), allow(dead_code, reason = "there are no keys"))]
    key: OptionalKey<A>,
    promise: Promise<A::Digest>,
}

/// A digest, or a tag, that is on its way: a future. Dropped, it is not wanted any more.
#[must_use = "a digest that nobody waits for is not computed"]
pub struct Pending<A: Algorithm, M> {
    receiver: Receiver<A::Digest>,
    waiting_for_room: Option<WaitingForRoom<A, M>>,
}

/// A message for which there is no room in the queue yet.
struct WaitingForRoom<A: Algorithm, M> {
    shared: Arc<Shared<A, M>>,
    request: Request<A, M>,
    place: Option<RoomPlace>,
}

/// Where a waker is among those wanting room, until they are woken once more.
#[derive(Clone, Copy)]
struct RoomPlace {
    times_woken: u64,
    index: usize,
}

impl<A: Algorithm, M> Pending<A, M> {
    /// Blocks the thread until it is there.
    ///
    /// # Errors
    /// As [`BatcherError`] says.
    pub fn wait(mut self) -> Result<A::Digest, BatcherError> {
        thread_local! {
            static THIS_THREAD: Waker = Waker::from(Arc::new(Unpark(thread::current())));
        }
        THIS_THREAD.with(|waker| {
            let mut context = Context::from_waker(waker);
            loop {
                match Pin::new(&mut self).poll(&mut context) {
                    Poll::Ready(outcome) => return outcome,
                    Poll::Pending => thread::park(),
                }
            }
        })
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Nothing in it is pinned.
impl<A: Algorithm, M> Unpin for Pending<A, M> {}

impl<A: Algorithm, M> Future for Pending<A, M> {
    type Output = Result<A::Digest, BatcherError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(WaitingForRoom { shared, request, place }) = self.waiting_for_room.take()
            && let Err((request, place)) = shared.submit_or_wait(request, context.waker(), place)
        {
            self.waiting_for_room = Some(WaitingForRoom { shared, request, place: Some(place) });
            return Poll::Pending;
        }
        self.receiver.poll(context)
    }
}

impl<A: Algorithm, M> fmt::Debug for Pending<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_waiting_for_room = self.waiting_for_room.is_some();
        f.debug_struct("Pending").field("algorithm", &A::NAME).field("is_waiting_for_room", &is_waiting_for_room).finish_non_exhaustive()
    }
}

/// Why there is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatcherError {
    /// The batcher was closed before it had accepted the message.
    Closed,
    /// The message's `as_ref` panicked, or a worker did.
    Panicked,
}

impl fmt::Display for BatcherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the batcher is closed",
            Self::Panicked => "the message, or the worker that had it, panicked",
        })
    }
}

impl std::error::Error for BatcherError {}

/// The queue is full; here is the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct QueueFull<M>(pub M);

impl<M> fmt::Debug for QueueFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueueFull(..)")
    }
}

impl<M> fmt::Display for QueueFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the batcher's queue is full")
    }
}

impl<M> std::error::Error for QueueFull<M> {}

/// What a [`Batcher`] has done since it began, and what is waiting now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Messages in the queue.
    pub queued: usize,
    /// Messages that were hashed.
    pub messages: u64,
    /// Batches they were hashed in.
    pub batches: u64,
    /// Blocks that were compressed for them.
    pub blocks: u64,
    /// Blocks that would have been compressed in the same time had no lane been idle.
    pub lane_blocks: u64,
    /// How long the first message of each batch waited for it, all together.
    pub waited: Duration,
    /// The longest of these.
    pub longest_wait: Duration,
}

impl Metrics {
    /// How full the waves were: 1 if no lane was ever idle.
    pub fn occupancy(&self) -> f64 {
        if self.lane_blocks == 0 { 1.0 } else { self.blocks as f64 / self.lane_blocks as f64 }
    }
}

#[derive(Default)]
struct Counters {
    messages: AtomicU64,
    batches: AtomicU64,
    blocks: AtomicU64,
    lane_blocks: AtomicU64,
    waited_ns: AtomicU64,
    longest_wait_ns: AtomicU64,
}

impl Counters {
    fn metrics(&self, queued: usize) -> Metrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Metrics {
            queued,
            messages: read(&self.messages),
            batches: read(&self.batches),
            blocks: read(&self.blocks),
            lane_blocks: read(&self.lane_blocks),
            waited: Duration::from_nanos(read(&self.waited_ns)),
            longest_wait: Duration::from_nanos(read(&self.longest_wait_ns)),
        }
    }

    fn count_wait(&self, waited: Duration) {
        let ns = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.waited_ns.fetch_add(ns, Ordering::Relaxed);
        self.longest_wait_ns.fetch_max(ns, Ordering::Relaxed);
    }

    fn count_messages<A: Algorithm>(&self, messages: &[&[u8]], plan: &Plan<CompressionOf<A>>, usage: &Usage, outer_blocks: u64) {
        let blocks: u64 = messages.iter().map(|message| outer_blocks + block_count::<CompressionOf<A>>(message.len() as u64)).sum();
        let lane_blocks: u64 = plan.shapes.iter().zip(usage.steps).map(|(shape, steps)| shape.lanes as u64 * steps).sum();
        self.messages.fetch_add(messages.len() as u64, Ordering::Relaxed);
        self.blocks.fetch_add(blocks, Ordering::Relaxed);
        // One message alone goes its own way, in no lane.
        self.lane_blocks.fetch_add(lane_blocks.max(blocks), Ordering::Relaxed);
    }
}

struct Queue<A: Algorithm, M> {
    requests: Vec<Request<A, M>>,
    /// When the first of them came.
    oldest: Option<Instant>,
    is_closed: bool,
    /// Workers that live.
    workers: usize,
    /// Workers that wait to be notified.
    sleeping: usize,
    /// Who is to be woken when there is room: all of them, so that nobody waits for one who has given up.
    wanting_room: Vec<Waker>,
    /// How often they were woken.
    times_woken: u64,
}

impl<A: Algorithm, M> Queue<A, M> {
    fn take_wanting_room(&mut self) -> Vec<Waker> {
        self.times_woken += 1;
        std::mem::take(&mut self.wanting_room)
    }
}

struct Shared<A: Algorithm, M> {
    settings: Settings,
    /// So many messages need not wait for others.
    full_batch: usize,
    queue: Mutex<Queue<A, M>>,
    work: Condvar,
    counters: Counters,
}

impl<A: Algorithm, M> Shared<A, M> {
    /// No code but ours runs under the lock.
    fn lock(&self) -> MutexGuard<'_, Queue<A, M>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a request into the queue; gives it back if there is no room.
    fn submit(&self, request: Request<A, M>) -> Result<(), Request<A, M>> {
        self.submit_locked(self.lock(), request).map_err(|(_, request)| request)
    }

    /// Puts a request into the queue. If there is no room, gives it back, and wakes `who` when there is; they may have a place already.
    fn submit_or_wait(&self, request: Request<A, M>, who: &Waker, place: Option<RoomPlace>) -> Result<(), (Request<A, M>, RoomPlace)> {
        self.submit_locked(self.lock(), request).map_err(|(mut queue, request)| {
            let times_woken = queue.times_woken;
            match place {
                Some(place) if place.times_woken == times_woken => {
                    queue.wanting_room[place.index].clone_from(who);
                    (request, place)
                }
                _ => {
                    queue.wanting_room.push(who.clone());
                    (request, RoomPlace { times_woken, index: queue.wanting_room.len() - 1 })
                }
            }
        })
    }

    fn submit_locked<'a>(
        &self,
        mut queue: MutexGuard<'a, Queue<A, M>>,
        request: Request<A, M>,
    ) -> Result<(), (MutexGuard<'a, Queue<A, M>>, Request<A, M>)> {
        if queue.is_closed {
            drop(queue);
            request.promise.keep(Err(BatcherError::Closed));
            return Ok(());
        }
        if queue.requests.len() >= self.settings.queue_messages {
            return Err((queue, request));
        }
        queue.requests.push(request);
        let is_first = queue.requests.len() == 1;
        if is_first {
            queue.oldest = Some(Instant::now());
        }
        // The first one sets the clock, the last one of a full batch ends the wait.
        let notifies = queue.sleeping > 0 && (is_first || queue.requests.len() == self.full_batch);
        drop(queue);
        if notifies {
            self.work.notify_one();
        }
        Ok(())
    }

    fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        let woken = queue.take_wanting_room();
        drop(queue);
        self.work.notify_all();
        wake_all(woken);
    }
}

fn wake_all(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(|waker| guarded(|| waker.wake()));
}

/// Calls what may be the caller's code. A panic has been reported by the panic hook and ends here.
fn guarded<T: Default>(call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping it may panic again.
        std::mem::forget(payload);
        T::default()
    })
}

/// A thread that hashes.
struct Worker<A: Algorithm, M: AsRef<[u8]> + Send> {
    shared: Arc<Shared<A, M>>,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Worker<A, M> {
    fn run(&self) {
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            self.hash(&mut batch);
        }
    }

    /// Takes what is waiting, when it is time. `false`: there will be no more.
    fn take(&self, batch: &mut Vec<Request<A, M>>) -> bool {
        let Shared { settings, full_batch, work, counters, .. } = &*self.shared;
        let mut queue = self.shared.lock();
        let waited = loop {
            let waited = queue.oldest.map(|oldest| oldest.elapsed());
            let left = waited.map(|waited| settings.longest_wait.saturating_sub(waited));
            if let Some(waited) = waited
                && (queue.requests.len() >= *full_batch || queue.is_closed || left == Some(Duration::ZERO))
            {
                break waited;
            }
            if queue.is_closed {
                return false;
            }
            queue.sleeping += 1;
            queue = match left {
                Some(left) => work.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0,
                None => work.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
            queue.sleeping -= 1;
        };
        // Others may be idle, but have lanes to fill, too.
        let share = queue.requests.len().div_ceil(queue.workers).max(*full_batch).min(queue.requests.len());
        if share == queue.requests.len() {
            std::mem::swap(&mut queue.requests, batch);
            queue.oldest = None;
        } else {
            batch.extend(queue.requests.drain(..share));
            if queue.sleeping > 0 {
                work.notify_one();
            }
        }
        let woken = queue.take_wanting_room();
        drop(queue);
        counters.count_wait(waited);
        wake_all(woken);
        true
    }

    /// Hashes a batch, and leaves it empty.
    fn hash(&self, batch: &mut Vec<Request<A, M>>) {
        let plan = backend::plan::<A>();
        guarded_retain(batch, |request| !request.promise.is_forgotten());
        #[cfg(feature = "hmac")]
        {
            let mut tagged: Vec<_> = batch.extract_if(.., |request| request.key.is_some()).collect();
            self.hash_alike(&mut tagged, 1, |requests, messages, tags| {
                let key = |i: usize| &**requests[i].key.as_ref().expect("those with a key");
                hmac::tag_many_on::<A, _>(plan, Keys::Each(&key), messages, tags)
            });
        }
        let start = Start::of::<A>();
        self.hash_alike(batch, 0, |_, messages, digests| many::hash_many_on::<A, _>(plan, Starts::Same(&start), messages, digests));
    }

    /// Hashes requests of one kind, and leaves none. Of each message, `outer_blocks` blocks come on top of its own.
    fn hash_alike(
        &self,
        requests: &mut Vec<Request<A, M>>,
        outer_blocks: u64,
        hash: impl FnOnce(&[Request<A, M>], &[&[u8]], &mut [A::Digest]) -> Usage,
    ) {
        // A message that panics leaves, and its promise says why.
        guarded_retain(requests, |request| guarded(|| Some(request.message.as_ref().len())).is_some());
        if requests.is_empty() {
            return;
        }
        let mut digests = vec![A::zero_digest(); requests.len()];
        let is_done = guarded(|| {
            let messages: Vec<&[u8]> = requests.iter().map(|request| request.message.as_ref()).collect();
            let usage = hash(requests, &messages, &mut digests);
            self.shared.counters.count_messages::<A>(&messages, backend::plan::<A>(), &usage, outer_blocks);
            true
        });
        for (request, digest) in requests.drain(..).zip(digests) {
            let outcome = if is_done { Ok(digest) } else { Err(BatcherError::Panicked) };
            guarded(|| {
                request.promise.keep(outcome);
                drop((request.message, request.key));
            });
        }
    }
}

/// Drops those that are not kept, whatever dropping does.
fn guarded_retain<T>(list: &mut Vec<T>, keeps: impl Fn(&T) -> bool) {
    for gone in list.extract_if(.., |one| !keeps(one)).collect::<Vec<_>>() {
        guarded(|| drop(gone));
    }
}

/// Whatever ends a worker: if it was the last, nobody waits for what will never come.
impl<A: Algorithm, M: AsRef<[u8]> + Send> Drop for Worker<A, M> {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.workers -= 1;
        if queue.workers > 0 {
            return;
        }
        queue.is_closed = true;
        let (left, woken) = (std::mem::take(&mut queue.requests), queue.take_wanting_room());
        drop(queue);
        left.into_iter().for_each(|request| guarded(|| drop(request)));
        wake_all(woken);
    }
}
