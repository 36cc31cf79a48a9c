//! Threads for one call: units of work, shared out to any number of threads.
//!
//! [`Batch::threads`](crate::Batch::threads) shares out messages that are in memory. If messages
//! have to be made first, such as rows that are encoded, [`map`] has the thread that hashes a unit
//! make its messages too.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

/// Returns the number of threads that a caller asks for: 0 is one for each CPU.
#[cfg(feature = "std")]
pub(crate) fn count(threads: usize) -> usize {
    if threads == 0 { std::thread::available_parallelism().map_or(1, NonZeroUsize::get) } else { threads }
}

/// Without the standard library there is the caller's thread only.
#[cfg(not(feature = "std"))]
pub(crate) fn count(_threads: usize) -> usize {
    1
}

/// Returns what `work` makes of each unit, in the order of the units.
///
/// Units are begun in their order, on up to `threads` threads, of which the caller's is one; 0 is
/// one for each CPU. If the system allows no more threads, those that run do all the work, so no
/// unit may wait for another one; without the feature `std` there is never another. With the feature `rayon`, the threads are those of the pool that
/// the caller is in, or of the global one.
///
/// # Panics
/// Panics if `work` does; the caller gets the panic once all threads have ended.
///
/// ```
/// use manyhash::{Sha256, hash, hash_many, threads};
/// let numbers: Vec<u32> = (0..100_000).collect();
/// let parts = threads::map(2, numbers.chunks(4096).collect(), |part| {
///     let messages: Vec<[u8; 4]> = part.iter().map(|number| number.to_le_bytes()).collect();
///     hash_many::<Sha256>(&messages)
/// });
/// assert_eq!(parts.concat()[70_000], hash::<Sha256>(&70_000_u32.to_le_bytes()));
/// ```
pub fn map<U: Send, R: Send>(threads: usize, units: Vec<U>, work: impl Fn(U) -> R + Sync) -> Vec<R> {
    #[cfg(not(feature = "std"))]
    {
        let _ = threads;
        units.into_iter().map(work).collect()
    }
    #[cfg(all(feature = "std", not(feature = "rayon")))]
    return map_by(run_on_threads, count(threads), units, work);
    #[cfg(feature = "rayon")]
    map_by(run_on_pool, count(threads), units, work)
}

/// Does what [`map`] does. `run` must run the function that it gets here, and on the number of
/// other threads that it gets.
#[cfg(feature = "std")]
fn map_by<U: Send, R: Send>(
    run: impl Fn(usize, &(dyn Fn() + Sync)),
    threads: usize,
    units: Vec<U>,
    work: impl Fn(U) -> R + Sync,
) -> Vec<R> {
    let others = threads.min(units.len()).saturating_sub(1);
    if others == 0 {
        return units.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<R>> = units.iter().map(|_| None).collect();
    let units = Mutex::new(units.into_iter().zip(&mut results));
    let next = || units.lock().unwrap_or_else(PoisonError::into_inner).next();
    run(others, &|| {
        while let Some((unit, result)) = next() {
            *result = Some(work(unit));
        }
    });
    results.into_iter().map(|result| result.expect("every unit has been done")).collect()
}

/// As the standard library has it, which without this would ask the environment (`RUST_MIN_STACK`).
#[cfg(all(feature = "std", any(test, not(feature = "rayon"))))]
const STACK_BYTES: usize = 2 << 20;

/// Runs `work` here and on `others` more threads.
#[cfg(all(feature = "std", any(test, not(feature = "rayon"))))]
fn run_on_threads(others: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        let start = || std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let others: Vec<_> = (0..others).map_while(|_| start().ok()).collect();
        work();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Runs `work` here and as `others` more tasks of the pool that the caller is in, or of the global
/// one.
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

    fn every_unit_is_done_once(run: fn(usize, &(dyn Fn() + Sync))) {
        for threads in 0..5 {
            for units in [0, 1, 2, 100] {
                let done = Mutex::new(vec![0; units]);
                let results = map_by(run, threads, (0..units).collect(), |unit: usize| {
                    done.lock().unwrap()[unit] += 1;
                    2 * unit
                });
                assert_eq!(done.into_inner().unwrap(), vec![1; units], "{threads} threads");
                assert_eq!(results, (0..units).map(|unit| 2 * unit).collect::<Vec<_>>(), "{threads} threads");
            }
        }
        let panic = catch_unwind(AssertUnwindSafe(|| {
            map_by(run, 4, (0..100).collect(), |unit: usize| assert!(unit != 50, "unit fifty"));
        }));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"unit fifty"));
    }

    #[test]
    fn threads_of_our_own_do_every_unit_once() {
        every_unit_is_done_once(run_on_threads);
    }

    #[test]
    fn the_callers_thread_does_every_unit_if_the_system_allows_no_other() {
        every_unit_is_done_once(|_, work| work());
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_pool_does_every_unit_once() {
        every_unit_is_done_once(run_on_pool);
    }
}
