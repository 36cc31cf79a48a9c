//! Units of work shared out to threads, whose results come in the order of the units.
//!
//! ```text
//! next ──> workers: a unit each ──> turns ──> take: results in order
//! ```
//!
//! One thread at a time calls `next`, and one thread at a time calls `take`.

use crate::order::Turns;
use crate::threads::{self, unpoisoned};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

/// Does units of work on `workers` threads, of which the caller's is one, or on fewer if the system
/// allows no more.
///
/// Each thread has a state of its own from `state`, takes a unit from `next`, and does it with
/// `work`, which hands over results of the unit as often as it wants. `take` gets the results in
/// the order in which the units were taken; about `limit` of them may wait for those before them,
/// and a thread with more waits itself. Units are taken from the source, and results given out, by
/// one thread at a time.
///
/// # Errors
/// The first error of `take`: then no more units are begun, and no more results given out.
pub fn in_turns<S, U, R: Send, E: Send>(
    workers: usize,
    limit: usize,
    state: impl Fn() -> S + Sync,
    next: impl FnMut(&mut S) -> Option<U> + Send,
    work: impl Fn(&mut S, U, &mut dyn FnMut(Vec<R>)) + Sync,
    take: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let units = Mutex::new((0, next));
    let next_unit = |state: &mut S| {
        // If it is poisoned, `next` has panicked, and is not called again.
        let mut units = units.lock().ok()?;
        let (taken, next) = &mut *units;
        let unit = next(state)?;
        *taken += 1;
        Some((*taken - 1, unit))
    };
    let results = Mutex::new(Results { turns: Turns::new(), take, error: None, has_panicked: false });
    let moved = Condvar::new();
    let is_over = AtomicBool::new(false);
    let give = |unit: u64, given: Vec<R>, is_complete: bool| {
        // If it is poisoned, `take` has panicked, and is not called again.
        let Ok(mut results) = results.lock() else { return };
        while unit != results.turns.turn() && results.turns.waiting_results() >= limit {
            if results.has_panicked {
                return;
            }
            let Ok(woken) = moved.wait(results) else { return };
            results = woken;
        }
        let Results { turns, take, error, .. } = &mut *results;
        let turn = turns.turn();
        turns.give(unit, given, is_complete, |result| {
            if error.is_none() {
                *error = take(result).err();
            }
        });
        if error.is_some() {
            is_over.store(true, Ordering::Relaxed);
        }
        if turns.turn() != turn {
            moved.notify_all();
        }
    };
    threads::share_out(workers, &|| {
        let _guard = threads::if_panicking(|| {
            is_over.store(true, Ordering::Relaxed);
            unpoisoned(results.lock()).has_panicked = true;
            moved.notify_all();
        });
        let mut state = state();
        while !is_over.load(Ordering::Relaxed) {
            let Some((number, unit)) = next_unit(&mut state) else { return };
            work(&mut state, unit, &mut |results| give(number, results, false));
            give(number, Vec::new(), true);
        }
    });
    // If a thread had panicked, so would this one have by now.
    unpoisoned(results.into_inner()).error.map_or(Ok(()), Err)
}

/// Results on their way to `take`, and how the work ended.
struct Results<R, F, E> {
    turns: Turns<R>,
    take: F,
    error: Option<E>,
    has_panicked: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicU64;
    use std::thread;

    #[test]
    fn results_come_in_the_order_of_units_whoever_is_faster() {
        for limit in [0, 1, 10, 1_000_000] {
            let mut units = 0..500;
            let mut taken = Vec::new();
            let work = |_: &mut (), unit: u64, give: &mut dyn FnMut(Vec<u64>)| {
                for piece in 0..=unit % 4 {
                    give(vec![10 * unit + piece]);
                    thread::yield_now();
                }
            };
            let take = |result| {
                taken.push(result);
                Ok(())
            };
            let Ok(()) = in_turns::<_, _, _, Infallible>(4, limit, || (), |()| units.next(), work, take);
            let expected: Vec<u64> = (0..500).flat_map(|unit| (0..=unit % 4).map(move |piece| 10 * unit + piece)).collect();
            assert_eq!(taken, expected, "{limit}");
        }
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let mut taken = 0;
        let take = |result| {
            taken += 1;
            if result == 70 { Err("enough") } else { Ok(()) }
        };
        let mut units = 0..;
        assert_eq!(in_turns(3, 10, || (), |()| units.next(), |(), unit, give| give(vec![unit]), take), Err("enough"));
        assert_eq!(taken, 71);
    }

    #[test]
    fn after_a_panic_of_who_takes_no_more_is_given() {
        for limit in [0, 10] {
            let taken = AtomicU64::new(0);
            let take = |unit| {
                taken.fetch_add(1, Ordering::Relaxed);
                assert_ne!(unit, 70, "as this test wants");
                Ok(())
            };
            let mut units = 0..;
            let run = || in_turns::<_, _, _, Infallible>(3, limit, || (), |()| units.next(), |(), unit, give| give(vec![unit]), take);
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            assert_eq!(taken.into_inner(), 71);
        }
    }

    #[test]
    #[should_panic]
    fn a_panic_of_one_ends_them_all() {
        let mut units = 0..;
        let work = |(): &mut (), unit, give: &mut dyn FnMut(Vec<i32>)| {
            assert_ne!(unit, 70, "as this test wants");
            give(vec![unit]);
        };
        let _ = in_turns::<_, _, _, Infallible>(3, 10, || (), |()| units.next(), work, |_| Ok(()));
    }
}
