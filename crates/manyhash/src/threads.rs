//! Threads for one call: some parts of work, shared out to as many threads as are wanted.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// As many threads as a caller asks for: 0 is one for each CPU.
pub(crate) fn count(threads: usize) -> usize {
    if threads == 0 { std::thread::available_parallelism().map_or(1, NonZeroUsize::get) } else { threads }
}

/// Calls `work` for every part, on up to `threads` threads, of which the caller's is one. If the system allows no more threads, those that
/// run do it all. A panic of `work` is the caller's, once all threads have ended.
pub(crate) fn share<T: Send>(threads: usize, parts: Vec<T>, work: impl Fn(T) + Sync) {
    #[cfg(not(feature = "rayon"))]
    share_by(run_on_threads, threads, parts, work);
    #[cfg(feature = "rayon")]
    share_by(run_on_pool, threads, parts, work);
}

/// Shares parts out by a function that runs another one here and as often elsewhere as is said.
fn share_by<T: Send>(run: impl Fn(usize, &(dyn Fn() + Sync)), threads: usize, parts: Vec<T>, work: impl Fn(T) + Sync) {
    let others = threads.min(parts.len()).saturating_sub(1);
    let parts = Mutex::new(parts.into_iter());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    run(others, &|| {
        while let Some(part) = next() {
            work(part);
        }
    });
}

/// Runs `work` here and on `others` threads more.
#[cfg(any(test, not(feature = "rayon")))]
fn run_on_threads(others: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..others).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
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
fn run_on_pool(others: usize, work: &(dyn Fn() + Sync)) {
    rayon::scope(|scope| {
        (0..others).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn every_part_is_done_once(run: fn(usize, &(dyn Fn() + Sync))) {
        for threads in 0..5 {
            for parts in [0, 1, 2, 100] {
                let done = Mutex::new(vec![0; parts]);
                share_by(run, threads, (0..parts).collect(), |part: usize| done.lock().unwrap()[part] += 1);
                assert_eq!(done.into_inner().unwrap(), vec![1; parts], "{threads} threads");
            }
        }
        let panic = catch_unwind(AssertUnwindSafe(|| {
            share_by(run, 4, (0..100).collect(), |part: usize| assert!(part != 50, "part fifty"));
        }));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"part fifty"));
    }

    #[test]
    fn threads_of_our_own_do_every_part_once() {
        every_part_is_done_once(run_on_threads);
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_pool_does_every_part_once() {
        every_part_is_done_once(run_on_pool);
    }
}
