//! Threads for one call: some parts of work, shared out to as many threads as are wanted.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// As many threads as a caller asks for: 0 is one for each CPU.
pub(crate) fn count(threads: usize) -> usize {
    if threads == 0 { thread::available_parallelism().map_or(1, NonZeroUsize::get) } else { threads }
}

/// Calls `work` for every part, on up to `threads` threads, of which the caller's is one. If the system allows no more threads, those that
/// run do it all. A panic of `work` is the caller's, once all threads have ended.
pub(crate) fn share<T: Send>(threads: usize, parts: Vec<T>, work: impl Fn(T) + Sync) {
    let others = threads.min(parts.len()).saturating_sub(1);
    let parts = Mutex::new(parts.into_iter());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_on = || {
        while let Some(part) = next() {
            work(part);
        }
    };
    run(others, &work_on);
}

/// Runs `work` here and on `others` threads more.
#[cfg(not(feature = "rayon"))]
fn run(others: usize, work: &(impl Fn() + Sync)) {
    thread::scope(|scope| {
        let others: Vec<_> = (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Runs `work` here and as `others` tasks more of the pool that the caller is in, or of the global one.
#[cfg(feature = "rayon")]
fn run(others: usize, work: &(impl Fn() + Sync)) {
    rayon::scope(|scope| {
        (0..others).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}
