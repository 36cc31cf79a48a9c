//! A front for servers: threads and tasks hand messages over and wait, and workers hash them
//! together.

mod metrics;
mod pending;
mod promise;
mod queue;
mod worker;

use crate::algorithms::Algorithm;
use crate::backend;
#[cfg(feature = "hmac")]
use crate::hmac::Key;
use pending::WaitingForRoom;
use queue::{OptionalKey, Request, Shared};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle, available_parallelism};
use std::time::Duration;
use worker::{Worker, is_hashing};

pub use metrics::Metrics;
pub use pending::Pending;

/// The settings of a [`Batcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of threads that hash, each with a queue of its own. A thread always hands its
    /// messages over to the same queue. As many workers as CPUs keep busy threads out of each
    /// other's way; one worker puts the messages of all threads into the same batches.
    pub workers: usize,
    /// The number of messages that may wait for each worker. A message that comes later waits for
    /// room.
    pub queue_messages: usize,
    /// The time for which a message may wait for others to be hashed with, while there are not
    /// enough for every lane.
    pub longest_wait: Duration,
}

/// By default, there are as many workers as CPUs, 4096 messages each, and a wait of 50
/// microseconds.
impl Default for Settings {
    fn default() -> Self {
        Self { workers: available_parallelism().map_or(1, usize::from), queue_messages: 4096, longest_wait: Duration::from_micros(50) }
    }
}

/// Hashes messages of any number of threads and tasks together.
///
/// [`hash`](Self::hash) and [`tag`](Self::tag) hand a message over and return a [`Pending`]. It is
/// a future for any runtime; its [`wait`](Pending::wait) needs none. Workers take the waiting
/// messages as soon as they fill the lanes, or when the first of them has waited for
/// [`longest_wait`](Settings::longest_wait), and hash all of them at once. While they are busy the
/// next batch gathers, so batches grow with the load.
///
/// A thread whose small message is the last one that fills the lanes hashes them on the spot. A
/// thread in `wait` hashes messages too, without waiting for more. So few messages must go to
/// another thread and back.
///
/// A message is owned: `M` is `Vec<u8>`, `Arc<[u8]>`, `&'static [u8]` or a type like these. If its
/// `Pending` is dropped before the message is taken from the queue, it is not hashed, and goes with
/// the next batch. Dropping the batcher [`shuts it down`](Self::shutdown).
///
/// A message's `as_ref` is called by the thread that hands it over, for its length, and by the
/// thread that hashes it, which may be any. A panic in either ends there: the outcome of that
/// message is [`BatcherError::Panicked`], and no other message is harmed. The same holds if a waker
/// panics, or a message that is dropped. The panic hook reports each panic.
///
/// The thread that hashes also wakes those that wait, and drops the messages. Do not hold a lock
/// that a waker or a drop may want while you hand a message over, poll or wait. If the queue is
/// full, messages get room in no particular order.
///
/// ```
/// use manyhash::{Sha256, hash, batcher::{Batcher, Settings}};
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
    /// One queue for each worker.
    queues: Vec<Arc<Shared<A, M>>>,
    workers: Vec<JoinHandle<()>>,
    settings: Settings,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> Batcher<A, M> {
    /// Starts the workers.
    ///
    /// # Errors
    /// Fails if the settings have no workers or no room in the queue, or if a thread can't be
    /// started.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let zero = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("a batcher needs {what}")));
        if settings.workers == 0 {
            return zero("a worker");
        }
        if settings.queue_messages == 0 {
            return zero("room for a message in its queue");
        }
        let full_batch = backend::mix::<A>().widest_for(1).lanes.min(settings.queue_messages);
        // If this fails half-way, dropping the batcher ends the workers that it has.
        let mut batcher = Self { queues: Vec::new(), workers: Vec::new(), settings };
        for i in 0..settings.workers {
            let shared = Arc::new(Shared::new(settings, full_batch));
            let worker = Worker { shared: shared.clone() };
            batcher.workers.push(Builder::new().name(format!("manyhash-{i}")).spawn(move || worker.run())?);
            batcher.queues.push(shared);
        }
        Ok(batcher)
    }

    /// Hands a message over, to be hashed when the lanes are full or when a caller has waited for
    /// long enough. If the queue is full, the message waits for room first. A panic of its
    /// `as_ref`, which is called here for the first time, is its outcome.
    pub fn hash(&self, message: M) -> Pending<A, M> {
        self.pending(message, None)
    }

    /// Hands a message over like [`hash`](Self::hash), if there is room.
    ///
    /// # Errors
    /// Returns the message if the queue is full.
    pub fn try_hash(&self, message: M) -> Result<Pending<A, M>, QueueFull<M>> {
        self.try_pending(message, None)
    }

    /// Hands a message over, to be tagged under a key. If the queue is full, the message waits for
    /// room first.
    #[cfg(feature = "hmac")]
    pub fn tag(&self, key: &Arc<Key<A>>, message: M) -> Pending<A, M> {
        self.pending(message, Some(key.clone()))
    }

    /// Hands a message over like [`tag`](Self::tag), if there is room.
    ///
    /// # Errors
    /// Returns the message if the queue is full.
    #[cfg(feature = "hmac")]
    pub fn try_tag(&self, key: &Arc<Key<A>>, message: M) -> Result<Pending<A, M>, QueueFull<M>> {
        self.try_pending(message, Some(key.clone()))
    }

    fn pending(&self, message: M, key: OptionalKey<A>) -> Pending<A, M> {
        let (request, receiver) = Request::new(message, key);
        let queue = self.queue();
        let waiting_for_room = queue.submit(request).err().map(|request| WaitingForRoom { request, place: None });
        Pending { shared: queue.clone(), receiver, waiting_for_room, is_settled: false }
    }

    fn try_pending(&self, message: M, key: OptionalKey<A>) -> Result<Pending<A, M>, QueueFull<M>> {
        let (request, receiver) = Request::new(message, key);
        let queue = self.queue();
        match queue.submit(request) {
            Ok(()) => Ok(Pending { shared: queue.clone(), receiver, waiting_for_room: None, is_settled: false }),
            Err(request) => Err(QueueFull(request.message)),
        }
    }

    /// Stops accepting messages. From now on, also for messages that wait for room, the outcome is
    /// [`BatcherError::Closed`]. Accepted messages are finished.
    pub fn close(&self) {
        self.queues.iter().for_each(|queue| queue.close());
    }

    /// Returns the queue of this thread.
    fn queue(&self) -> &Arc<Shared<A, M>> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static THIS_THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        // While a thread's own values are dropped, any queue will do.
        let thread = THIS_THREAD.try_with(|number| *number).unwrap_or_default();
        &self.queues[thread % self.queues.len()]
    }

    /// Stops accepting messages, and returns when all accepted ones are finished.
    pub fn shutdown(self) {}

    /// Returns what the batcher has done so far.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        for queue in &self.queues {
            metrics.queued += queue.lock().requests.len();
            queue.counters.add_to(&mut metrics);
        }
        metrics
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> Drop for Batcher<A, M> {
    fn drop(&mut self) {
        self.close();
        // The last owner may be a value that is dropped or woken in the middle of a batch. It can't
        // wait for the end of that batch.
        if is_hashing() {
            return;
        }
        for worker in self.workers.drain(..) {
            // The thread never panics, because panics in what it calls are caught.
            let _ = worker.join();
        }
        self.queues.iter().for_each(|queue| queue.wait_until_finished());
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> fmt::Debug for Batcher<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher").field("algorithm", &A::NAME).field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The reason why there is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatcherError {
    /// The batcher was closed before it accepted the message.
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

/// The error of a full queue, with the message that has no room.
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
