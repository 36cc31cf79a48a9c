//! The caller's side of a message: a future for its digest.

use super::BatcherError;
use super::promise::Receiver;
use super::queue::{Request, RoomPlace, Shared};
use crate::algorithms::Algorithm;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// A future for a digest or a tag. If it is dropped, the digest is not computed or not kept.
#[must_use = "a digest that nobody waits for is not computed"]
pub struct Pending<A: Algorithm, M> {
    pub(super) shared: Arc<Shared<A, M>>,
    pub(super) receiver: Receiver<A::Digest>,
    pub(super) waiting_for_room: Option<WaitingForRoom<A, M>>,
    /// True once the outcome was returned.
    pub(super) is_settled: bool,
}

/// A message for which there is no room in the queue yet.
pub(super) struct WaitingForRoom<A: Algorithm, M> {
    pub(super) request: Request<A, M>,
    pub(super) place: Option<RoomPlace>,
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Pending<A, M> {
    /// Puts the message into the queue, if it is not there yet, and looks for the digest.
    fn look(&mut self, context: &mut Context<'_>) -> Poll<Result<A::Digest, BatcherError>> {
        if let Some(WaitingForRoom { request, place }) = self.waiting_for_room.take()
            && let Err((request, place)) = self.shared.submit_or_wait(request, context.waker(), place)
        {
            self.waiting_for_room = Some(WaitingForRoom { request, place: Some(place) });
            return Poll::Pending;
        }
        let outcome = self.receiver.poll(context);
        self.is_settled = outcome.is_ready();
        outcome
    }
}

/// A message that was handed over, perhaps with others behind it, may not stay in the queue until
/// the next one comes.
impl<A: Algorithm, M> Drop for Pending<A, M> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.shared.start_clock();
        }
    }
}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Pending<A, M> {
    /// Blocks the thread until the digest is there. The thread does not sleep as long as there are
    /// messages in the queue: it hashes some of them, perhaps its own.
    ///
    /// # Errors
    /// Returns a [`BatcherError`] if the batcher was closed, or if the message or a worker
    /// panicked.
    pub fn wait(mut self) -> Result<A::Digest, BatcherError> {
        thread_local! {
            static THIS_THREAD: Waker = Waker::from(Arc::new(Unpark(thread::current())));
        }
        THIS_THREAD.with(|waker| {
            let mut context = Context::from_waker(waker);
            loop {
                if let Poll::Ready(outcome) = self.look(&mut context) {
                    return outcome;
                }
                if !self.shared.help() {
                    thread::park();
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

/// Nothing in a `Pending` is pinned.
impl<A: Algorithm, M> Unpin for Pending<A, M> {}

impl<A: Algorithm, M: AsRef<[u8]> + Send> Future for Pending<A, M> {
    type Output = Result<A::Digest, BatcherError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = self.look(context);
        if outcome.is_pending() {
            self.shared.start_clock();
        }
        outcome
    }
}

impl<A: Algorithm, M> fmt::Debug for Pending<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_waiting_for_room = self.waiting_for_room.is_some();
        f.debug_struct("Pending").field("algorithm", &A::NAME).field("is_waiting_for_room", &is_waiting_for_room).finish_non_exhaustive()
    }
}
