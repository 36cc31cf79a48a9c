//! A channel for one digest, from a worker to the caller that waits for it.

use super::BatcherError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The worker's end. If it is dropped before it was kept, the receiver learns that the worker is
/// gone.
pub(super) struct Promise<D> {
    /// The shared place; `None` once the promise is kept.
    place: Option<Arc<Place<D>>>,
}

/// The end of the caller that waits.
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
    /// Stores the outcome and wakes the receiver. Waking runs the caller's code, which may panic.
    pub(super) fn keep(mut self, outcome: Result<D, BatcherError>) {
        self.settle(outcome);
    }

    /// Returns whether the receiver is gone, or has an outcome already.
    pub(super) fn is_forgotten(&self) -> bool {
        self.place.as_ref().is_none_or(|place| Arc::strong_count(place) == 1)
    }

    /// Stores the outcome for the receiver. Later outcomes are ignored.
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
    /// Wakers are made and dropped outside of the lock, because both run the caller's code.
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
