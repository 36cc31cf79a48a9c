//! Brings the results of several workers back into order: what is said, written or counted must not depend on who was faster.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Something that takes results in order.
pub trait InOrder<T> {
    /// Takes the next results.
    fn take(&mut self, results: Vec<T>);
}

/// Results on their way. Each unit of work has a number, from 0 without gaps, and gives its results in any number of pieces.
pub struct Turns<T, S> {
    state: Mutex<State<T, S>>,
    moved: Condvar,
    /// Results that may wait for those before them.
    limit: usize,
}

struct State<T, S> {
    sink: S,
    /// The unit whose turn it is.
    turn: u64,
    waiting: BTreeMap<u64, Waiting<T>>,
    waiting_results: usize,
    panicked: bool,
}

struct Waiting<T> {
    results: Vec<T>,
    is_complete: bool,
}

impl<T, S: InOrder<T>> Turns<T, S> {
    /// Results go to `sink`; about `limit` of them may wait, and workers with more wait themselves.
    pub fn new(sink: S, limit: usize) -> Self {
        let state = State { sink, turn: 0, waiting: BTreeMap::new(), waiting_results: 0, panicked: false };
        Self { state: Mutex::new(state), moved: Condvar::new(), limit }
    }

    /// Gives results of `unit`, the last ones if it `is_complete`.
    pub fn give(&self, unit: u64, results: Vec<T>, is_complete: bool) {
        let mut state = self.lock();
        while unit != state.turn && state.waiting_results >= self.limit {
            assert!(!state.panicked, "another worker panicked");
            state = self.moved.wait(state).expect("no thread panicked");
        }
        if unit != state.turn {
            state.waiting_results += results.len();
            let waiting = state.waiting.entry(unit).or_insert_with(|| Waiting { results: Vec::new(), is_complete: false });
            waiting.results.extend(results);
            waiting.is_complete = is_complete;
            return;
        }
        state.sink.take(results);
        if is_complete {
            state.next_turn();
            self.moved.notify_all();
        }
    }

    /// The sink, when all units are complete.
    pub fn into_sink(self) -> S {
        self.state.into_inner().expect("no thread panicked").sink
    }

    /// While it lives, a panic of its thread ends those that wait for it too.
    pub fn guard(&self) -> impl Drop {
        Guard(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<T, S>> {
        self.state.lock().expect("no thread panicked")
    }
}

impl<T, S: InOrder<T>> State<T, S> {
    /// Ends the turn of a unit, and those of others that are complete already.
    fn next_turn(&mut self) {
        let mut is_complete = true;
        while is_complete {
            self.turn += 1;
            let Some(waiting) = self.waiting.remove(&self.turn) else { return };
            self.waiting_results -= waiting.results.len();
            self.sink.take(waiting.results);
            is_complete = waiting.is_complete;
        }
    }
}

struct Guard<'a, T, S>(&'a Turns<T, S>);

impl<T, S> Drop for Guard<'_, T, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).panicked = true;
            self.0.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    impl InOrder<u64> for Vec<u64> {
        fn take(&mut self, results: Vec<u64>) {
            self.extend(results);
        }
    }

    #[test]
    fn results_come_in_the_order_of_units_whoever_is_faster() {
        for limit in [0, 1, 10, 1_000_000] {
            let turns = Turns::new(Vec::new(), limit);
            let next = AtomicU64::new(0);
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        loop {
                            let unit = next.fetch_add(1, Ordering::SeqCst);
                            if unit >= 500 {
                                return;
                            }
                            let _guard = turns.guard();
                            let pieces = unit % 4;
                            for piece in 0..pieces {
                                turns.give(unit, vec![10 * unit + piece], false);
                                thread::yield_now();
                            }
                            turns.give(unit, vec![10 * unit + pieces], true);
                        }
                    });
                }
            });
            let expected: Vec<u64> = (0..500).flat_map(|unit| (0..=unit % 4).map(move |piece| 10 * unit + piece)).collect();
            assert_eq!(turns.into_sink(), expected, "{limit}");
        }
    }
}
