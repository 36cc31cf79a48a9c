//! One digest from a worker to whoever waits for it.

use super::BatcherError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The worker's end. Dropped before it was kept, it says that the worker is gone.
pub(super) struct Promise<D> {
    /// `None` once it is kept.
    place: Option<Arc<Place<D>>>,
}

/// The waiting end.
pub(super) struct Receiver<D> {
    place: Arc<Place<D>>,
}

struct Place<D>(Mutex<Content<D>>);

enum Content<D> {
    Nothing,
    Waiting(Waker),
    Outcome(Result<D, BatcherError>),
}

pub(super) fn promise<D>() -> (Promise<D>, Receiver<D>) {
    let place = Arc::new(Place(Mutex::new(Content::Nothing)));
    (Promise { place: Some(place.clone()) }, Receiver { place })
}

impl<D> Place<D> {
    fn lock(&self) -> MutexGuard<'_, Content<D>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D> Promise<D> {
    /// Gives the outcome and wakes who waits for it. What waking does is the caller's code: it may panic.
    pub(super) fn keep(mut self, outcome: Result<D, BatcherError>) {
        self.settle(outcome);
    }

    /// Whether nobody waits for an outcome any more, or there is one.
    pub(super) fn is_forgotten(&self) -> bool {
        self.place.as_ref().is_none_or(|place| Arc::strong_count(place) == 1)
    }

    /// Gives the outcome to who waits for it. Later ones do not count.
    pub(super) fn settle(&mut self, outcome: Result<D, BatcherError>) {
        let Some(place) = self.place.take() else { return };
        let before = std::mem::replace(&mut *place.lock(), Content::Outcome(outcome));
        if let Content::Waiting(waker) = before {
            waker.wake();
        }
    }
}

impl<D> Drop for Promise<D> {
    fn drop(&mut self) {
        self.settle(Err(BatcherError::Panicked));
    }
}

impl<D> Receiver<D> {
    /// Wakers are made and dropped outside of the lock: both are the caller's code.
    pub(super) fn poll(&self, context: &mut Context<'_>) -> Poll<Result<D, BatcherError>> {
        let mut waker = None;
        loop {
            let mut content = self.place.lock();
            match &*content {
                Content::Outcome(_) => {
                    let Content::Outcome(outcome) = std::mem::replace(&mut *content, Content::Nothing) else { unreachable!() };
                    drop(content);
                    return Poll::Ready(outcome);
                }
                Content::Waiting(waker) if waker.will_wake(context.waker()) => return Poll::Pending,
                _ => {}
            }
            if let Some(waker) = waker.take() {
                let before = std::mem::replace(&mut *content, Content::Waiting(waker));
                drop(content);
                drop(before);
                return Poll::Pending;
            }
            drop(content);
            waker = Some(context.waker().clone());
        }
    }
}
