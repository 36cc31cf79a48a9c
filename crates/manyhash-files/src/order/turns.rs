//! Brings the results of several workers back into order: what is said, written or counted must not
//! depend on who was faster.

use std::collections::BTreeMap;

/// Results that wait for their turn. Each unit of work has a number, from 0 without gaps, and gives
/// its results in any number of pieces.
#[derive(Debug)]
pub struct Turns<T> {
    /// The unit whose turn it is.
    turn: u64,
    waiting: BTreeMap<u64, Waiting<T>>,
    waiting_results: usize,
}

#[derive(Debug)]
struct Waiting<T> {
    results: Vec<T>,
    is_complete: bool,
}

impl<T> Turns<T> {
    /// No results yet.
    pub fn new() -> Self {
        Self { turn: 0, waiting: BTreeMap::new(), waiting_results: 0 }
    }

    /// The unit whose results come next.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Results that wait for those before them.
    pub fn waiting_results(&self) -> usize {
        self.waiting_results
    }

    /// Adds results of `unit`, its last ones if it `is_complete`. `take` gets all results whose
    /// turn has come.
    pub fn give(&mut self, unit: u64, results: Vec<T>, is_complete: bool, mut take: impl FnMut(T)) {
        if unit != self.turn {
            self.waiting_results += results.len();
            let waiting = self.waiting.entry(unit).or_insert_with(|| Waiting { results: Vec::new(), is_complete: false });
            waiting.results.extend(results);
            waiting.is_complete = is_complete;
            return;
        }
        let mut next = Waiting { results, is_complete };
        loop {
            next.results.into_iter().for_each(&mut take);
            if !next.is_complete {
                return;
            }
            self.turn += 1;
            let Some(waiting) = self.waiting.remove(&self.turn) else { return };
            self.waiting_results -= waiting.results.len();
            next = waiting;
        }
    }
}
