//! A front for servers: whoever has a message hands it over and waits; workers hash what is there together.

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

/// How a [`Batcher`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that hash, each with a queue of its own. A thread always hands its messages over to the same one. As many as there are CPUs
    /// keep busy threads out of each other's way; one puts the messages of all threads in the same batches.
    pub workers: usize,
    /// Messages that may wait for each worker; who comes later waits for room.
    pub queue_messages: usize,
    /// How long a message may wait for others to be hashed with, while there are not enough for every lane.
    pub longest_wait: Duration,
}

/// As many workers as there are CPUs, 4096 messages each, 50 microseconds.
impl Default for Settings {
    fn default() -> Self {
        Self { workers: available_parallelism().map_or(1, usize::from), queue_messages: 4096, longest_wait: Duration::from_micros(50) }
    }
}

/// Hashes messages of any number of threads and tasks together.
///
/// [`hash`](Self::hash) and [`tag`](Self::tag) hand a message over and give a [`Pending`], a future for any runtime, whose
/// [`wait`](Pending::wait) does without one. Workers take what is waiting as soon as it fills the lanes, or when the first of it has waited for
/// [`longest_wait`](Settings::longest_wait), and hash all of it at once. While they are busy the next batch gathers, so that batches grow with the
/// load. Of small messages, whoever hands over the last one that fills the lanes hashes them on the spot. A thread in `wait` takes messages as
/// well, without waiting for more. So little has to go to another thread and back.
///
/// A message is owned: `M` is `Vec<u8>`, `Arc<[u8]>`, `&'static [u8]` or any such type. If its `Pending` is dropped before anybody has taken
/// it, it is not hashed, and goes with the next batch. To drop the batcher is to [`shut it down`](Self::shutdown).
///
/// A message's `as_ref` is called by who hands it over, for its length, and by who hashes it, whoever that is. If it panics in either, the panic
/// ends there: the outcome of that message is [`BatcherError::Panicked`], and no other is harmed. So it is if a waker panics, or a message that
/// is dropped. The panic hook reports each of them.
///
/// Whoever hashes also wakes those who wait, and drops the messages: do not hold a lock that these may want while you hand a message over, poll
/// or wait. Where the queue is full, whoever comes when there is room again is first: there is no order.
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
    /// One for each worker.
    queues: Vec<Arc<Shared<A, M>>>,
    workers: Vec<JoinHandle<()>>,
    settings: Settings,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send + 'static> Batcher<A, M> {
    /// Starts the workers.
    ///
    /// # Errors
    /// If there should be no workers or no room in the queue, or if a thread can't be started.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let zero = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("a batcher needs {what}")));
        if settings.workers == 0 {
            return zero("a worker");
        }
        if settings.queue_messages == 0 {
            return zero("room for a message in its queue");
        }
        let full_batch = backend::mix::<A>().widest_for(1).lanes.min(settings.queue_messages);
        // Dropped half-way, it ends the workers it has.
        let mut batcher = Self { queues: Vec::new(), workers: Vec::new(), settings };
        for i in 0..settings.workers {
            let shared = Arc::new(Shared::new(settings, full_batch));
            let worker = Worker { shared: shared.clone() };
            batcher.workers.push(Builder::new().name(format!("manyhash-{i}")).spawn(move || worker.run())?);
            batcher.queues.push(shared);
        }
        Ok(batcher)
    }

    /// The digest of a message, in time: when the lanes are full, or when someone who asked for one has waited for long enough. If the queue
    /// is full, it waits for room first. A panic of the message's `as_ref`, which is called here for the first time, is its outcome.
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

    /// Accepts no more: from now on, and for those who wait for room, the outcome is [`BatcherError::Closed`]. What was accepted is finished.
    pub fn close(&self) {
        self.queues.iter().for_each(|queue| queue.close());
    }

    /// This thread's queue.
    fn queue(&self) -> &Arc<Shared<A, M>> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static THIS_THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        // While a thread's own values are dropped, any queue does.
        let thread = THIS_THREAD.try_with(|number| *number).unwrap_or_default();
        &self.queues[thread % self.queues.len()]
    }

    /// Accepts no more, and returns when all that was accepted is finished.
    pub fn shutdown(self) {}

    /// What it has done so far.
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
        // The last owner may be something that is dropped or woken in the middle of a batch, which can't wait for its own end.
        if is_hashing() {
            return;
        }
        for worker in self.workers.drain(..) {
            // It never panics: what it calls is caught.
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
