//! The threads that hash.

use super::BatcherError;
use super::queue::{Request, Shared, guarded, wake_all};
use crate::algorithm::CompressionOf;
use crate::algorithms::Algorithm;
use crate::backend;
#[cfg(feature = "hmac")]
use crate::hmac::{self, Keys};
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use crate::schedule::mix::Usage;
use std::cell::Cell;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Messages of more bytes are hashed after the others of their batch, which would otherwise wait
/// for them.
const LONG_MESSAGE_BYTES: usize = 128 << 10;

/// A thread that waits hashes at most this many full batches at once, and at most [`HELPED_BYTES`]
/// bytes: what it waits for itself may be ready long before.
const HELPED_BATCHES: usize = 4;
const HELPED_BYTES: usize = 1 << 20;

thread_local! {
    static HASHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is in the middle of a batch: then the caller is a waker, or a
/// message that is dropped.
pub(super) fn is_hashing() -> bool {
    HASHING.get()
}

/// A thread that hashes.
pub(super) struct Worker<A: Algorithm, M: AsRef<[u8]> + Send> {
    pub(super) shared: Arc<Shared<A, M>>,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Worker<A, M> {
    pub(super) fn run(&self) {
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            self.shared.hash_all(&mut batch);
        }
    }

    /// Waits until it is time and takes the waiting messages. Returns `false` if there will be no
    /// more.
    fn take(&self, batch: &mut Vec<Request<A, M>>) -> bool {
        let Shared { settings, full_batch, work, .. } = &*self.shared;
        let mut queue = self.shared.lock();
        loop {
            let left = queue.oldest.map(|oldest| settings.longest_wait.saturating_sub(oldest.elapsed()));
            let is_time = queue.requests.len() >= *full_batch || queue.is_closed || left == Some(Duration::ZERO);
            if is_time && !queue.requests.is_empty() {
                break;
            }
            if queue.is_closed {
                return false;
            }
            (queue.is_sleeping, queue.is_dozing) = (true, left.is_none());
            queue = match left {
                Some(left) => work.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0,
                None => work.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
            (queue.is_sleeping, queue.is_dozing) = (false, false);
        }
        self.shared.take(queue, usize::MAX, batch);
        true
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Shared<A, M> {
    /// Hashes some of the waiting messages in a thread that has nothing to do but to wait. Returns
    /// `false` if there are none, or only those that a worker must hash.
    pub(super) fn help(&self) -> bool {
        let queue = self.lock();
        let mut bytes = 0;
        let is_small = |request: &&Request<A, M>| {
            bytes += request.bytes;
            bytes <= HELPED_BYTES
        };
        let most = queue.requests.iter().take(HELPED_BATCHES * self.full_batch).take_while(is_small).count();
        if most == 0 {
            drop(queue);
            self.start_clock();
            return false;
        }
        let mut batch = Vec::new();
        self.take(queue, most, &mut batch);
        self.hash_all(&mut batch);
        true
    }

    /// Hashes a batch and leaves it empty, whatever happens.
    pub(super) fn hash_all(&self, batch: &mut Vec<Request<A, M>>) {
        let before = HASHING.replace(true);
        guarded(|| self.hash(batch));
        // The batch is empty now, unless a message panicked where it had not before. Then that is
        // the outcome for all messages left.
        batch.drain(..).for_each(|request| request.end(Err(BatcherError::Panicked)));
        HASHING.set(before);
        self.put_down();
    }

    /// Hashes a batch, and leaves it empty.
    fn hash(&self, batch: &mut Vec<Request<A, M>>) {
        retain(batch, |request| !request.promise.is_forgotten());
        // A message that panics is removed, and its promise reports the panic.
        retain(batch, |request| guarded(|| Some(request.message.as_ref().len())).is_some());
        let mut long: Vec<_> = batch.extract_if(.., |request| request.bytes > LONG_MESSAGE_BYTES).collect();
        for requests in [&mut *batch, &mut long] {
            self.hash_tagged(requests);
            let start = &Start::of::<A>();
            self.hash_alike(requests, 0, |_, messages, digests, usage| {
                <CompressionOf<A>>::hash_many(
                    backend::mix::<A>(),
                    &start.into(),
                    &Slice(messages),
                    &mut Digests::of::<A>(digests),
                    Some(usage),
                );
            });
        }
    }

    #[cfg(not(feature = "hmac"))]
    fn hash_tagged(&self, _: &mut Vec<Request<A, M>>) {}

    /// Hashes the messages with a key and removes them.
    #[cfg(feature = "hmac")]
    fn hash_tagged(&self, requests: &mut Vec<Request<A, M>>) {
        let mut tagged: Vec<_> = requests.extract_if(.., |request| request.key.is_some()).collect();
        self.hash_alike(&mut tagged, 1, |requests, messages, tags, usage| {
            let key = |i: usize| &**requests[i].key.as_ref().expect("those with a key");
            hmac::tag_many_on::<A>(backend::mix::<A>(), Keys::Each(&key), &Slice(messages), tags, Some(usage))
        });
    }

    /// Hashes requests of one kind and leaves none. Each message has `outer_blocks` blocks beside
    /// its own.
    fn hash_alike(
        &self,
        requests: &mut Vec<Request<A, M>>,
        outer_blocks: u64,
        hash: impl FnOnce(&[Request<A, M>], &[&[u8]], &mut [A::Digest], &mut Usage),
    ) {
        if requests.is_empty() {
            return;
        }
        let mut digests = vec![A::ZERO; requests.len()];
        let is_done = guarded(|| {
            let messages: Vec<&[u8]> = requests.iter().map(|request| request.message.as_ref()).collect();
            let mut usage = Usage::default();
            hash(requests, &messages, &mut digests, &mut usage);
            self.counters.count_messages::<A>(&messages, backend::mix::<A>(), &usage, outer_blocks);
            true
        });
        for (request, digest) in requests.drain(..).zip(digests) {
            request.end(if is_done { Ok(digest) } else { Err(BatcherError::Panicked) });
        }
    }
}

/// Ends the requests that are not kept. Those that have no outcome panicked.
fn retain<A: Algorithm, M>(requests: &mut Vec<Request<A, M>>, keeps: impl Fn(&Request<A, M>) -> bool) {
    for gone in requests.extract_if(.., |request| !keeps(request)).collect::<Vec<_>>() {
        gone.end(Err(BatcherError::Panicked));
    }
}

/// However a worker ends, no caller may wait for a digest that will never come.
impl<A: Algorithm, M: AsRef<[u8]> + Send> Drop for Worker<A, M> {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.is_closed = true;
        let (left, woken) = (std::mem::take(&mut queue.requests), queue.take_wanting_room());
        drop(queue);
        left.into_iter().for_each(|request| request.end(Err(BatcherError::Panicked)));
        wake_all(woken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sha256;
    use crate::batcher::{BatcherError, Settings};
    use std::sync::mpsc::channel;
    use std::thread;

    /// Submits a message that is accepted while the worker is dying.
    fn submit(shared: &Arc<Shared<Sha256, Vec<u8>>>) -> super::super::promise::Receiver<[u8; 32]> {
        let (promise, receiver) = super::super::promise::promise();
        assert!(shared.submit(Request { message: vec![1], bytes: 1, key: None, promise }).is_ok());
        receiver
    }

    #[test]
    fn if_a_worker_dies_everyone_gets_an_error() {
        let shared = Arc::new(Shared::<Sha256, Vec<u8>>::new(Settings::default(), 16));
        let worker = Worker { shared: shared.clone() };
        let before = submit(&shared);
        let (die, is_to_die) = channel::<()>();
        let dying = thread::spawn(move || {
            let _worker = worker;
            let _ = is_to_die.recv();
            panic!("on purpose");
        });
        drop(die);
        assert!(dying.join().is_err());
        assert!(shared.lock().is_closed);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let outcome = |receiver: &super::super::promise::Receiver<_>, context: &mut _| receiver.poll(context);
        assert_eq!(outcome(&before, &mut context), std::task::Poll::Ready(Err(BatcherError::Panicked)));
        assert_eq!(outcome(&submit(&shared), &mut context), std::task::Poll::Ready(Err(BatcherError::Closed)));
    }
}
