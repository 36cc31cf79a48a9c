//! What a cell of the grid came to, and how it is judged.

use anyhow::{Result, ensure};
use manyhash_measure::timing;
use serde::{Deserialize, Serialize};

use super::before::Before;
use super::cells::{Messages, Order, Place};
use crate::contest;
use crate::peers::Standing;

/// A cell that was measured.
#[derive(Serialize, Deserialize)]
pub struct Cell {
    /// "SHA-256".
    pub algorithm: String,
    /// The kind of lengths.
    pub lengths: String,
    /// The number of messages.
    pub messages: usize,
    /// The sum of their lengths.
    pub bytes: usize,
    /// Of submission.
    pub order: Order,
    /// In memory.
    pub place: Place,
    /// What ran before each call.
    pub before: Before,
    /// Whether every process had enough quiet samples of everybody.
    pub by_quiet: bool,
    /// manyhash first.
    pub rows: Vec<Row>,
}

/// What one contestant did.
#[derive(Serialize, Deserialize)]
pub struct Row {
    /// The contestant's name.
    pub peer: String,
    /// What the row counts for.
    pub standing: Standing,
    /// The time of a call that the row is judged by, in nanoseconds: the median of the next field.
    pub judged_ns: f64,
    /// The median time of a call in each process, in nanoseconds.
    pub process_ns: Vec<f64>,
}

impl Cell {
    /// The outcome of one contest.
    pub fn new(algorithm: &str, before: Before, messages: &Messages, rows: &[contest::Row]) -> Self {
        let by_quiet = contest::by_quiet(rows);
        let row = |row: &contest::Row| {
            let judged_ns = match before {
                // A large cell has calls that are longer than other processes wait for the CPU.
                Before::Nothing if !by_quiet => row.cpu_ns(),
                _ => contest::judged_ns(rows, row),
            };
            Row { peer: row.peer.clone(), standing: row.standing, judged_ns, process_ns: vec![judged_ns] }
        };
        Self {
            algorithm: algorithm.into(),
            lengths: messages.lengths.name(),
            messages: messages.count(),
            bytes: messages.bytes(),
            order: messages.order,
            place: messages.place,
            before,
            by_quiet,
            rows: rows.iter().map(row).collect(),
        }
    }

    /// The row of manyhash left alone.
    pub fn ours(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.standing == Standing::Ours)
    }

    /// The fastest peer.
    pub fn best_peer(&self) -> Option<&Row> {
        let peers = self.rows.iter().filter(|row| row.standing == Standing::Peer);
        peers.min_by(|a, b| a.judged_ns.total_cmp(&b.judged_ns))
    }

    /// How many times as fast as `peer` manyhash was.
    pub fn ratio_to(&self, peer: &Row) -> Option<f64> {
        self.ours().map(|ours| peer.judged_ns / ours.judged_ns)
    }

    /// How many times as fast as the fastest peer manyhash was.
    pub fn ratio(&self) -> Option<f64> {
        self.ratio_to(self.best_peer()?)
    }

    /// Adds what another process measured.
    pub fn add(&mut self, other: Self) -> Result<()> {
        let of = |cell: &Self| (cell.algorithm.clone(), cell.lengths.clone(), cell.messages, cell.order, cell.place, cell.before);
        ensure!(of(self) == of(&other), "cells in another order");
        ensure!(self.rows.iter().map(|row| &row.peer).eq(other.rows.iter().map(|row| &row.peer)), "other peers");
        self.by_quiet &= other.by_quiet;
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            row.process_ns.extend(other.process_ns);
            row.judged_ns = timing::median(row.process_ns.iter().copied()).unwrap_or(row.judged_ns);
        }
        Ok(())
    }
}

/// What all cells of a kind came to.
#[derive(Debug, PartialEq)]
pub struct Summary {
    /// How many were judged.
    pub cells: usize,
    /// Of their ratios.
    pub geometric_mean: f64,
    /// How many ratios are below 1.
    pub below_1: usize,
    /// How many ratios are below 0.97: more than noise.
    pub below_0_97: usize,
}

impl Summary {
    /// Of these ratios; `None` of none.
    pub fn of(ratios: impl IntoIterator<Item = f64>) -> Option<Self> {
        let ratios: Vec<f64> = ratios.into_iter().collect();
        let below = |limit: f64| ratios.iter().filter(|&&ratio| ratio < limit).count();
        let mean_logarithm = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        (!ratios.is_empty()).then(|| Self {
            cells: ratios.len(),
            geometric_mean: mean_logarithm.exp(),
            below_1: below(1.0),
            below_0_97: below(0.97),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(rows: &[(&str, Standing, f64)]) -> Cell {
        let row = |&(peer, standing, ns): &(&str, Standing, f64)| Row { peer: peer.into(), standing, judged_ns: ns, process_ns: vec![ns] };
        Cell {
            algorithm: "SHA-256".into(),
            lengths: "64B".into(),
            messages: 1,
            bytes: 64,
            order: Order::Any,
            place: Place::Odd,
            before: Before::Nothing,
            by_quiet: true,
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn a_cell_is_judged_by_its_fastest_peer() {
        let cell = cell(&[("manyhash", Standing::Ours, 10.0), ("slow", Standing::Peer, 30.0), ("fast", Standing::Peer, 8.0)]);
        assert_eq!(cell.best_peer().unwrap().peer, "fast");
        assert_eq!(cell.ratio(), Some(0.8));
        assert_eq!(cell.ratio_to(&cell.rows[1]), Some(3.0));
        let alone = self::cell(&[("manyhash", Standing::Ours, 10.0)]);
        assert_eq!(alone.ratio(), None);
    }

    #[test]
    fn processes_are_judged_by_the_median_of_their_medians() {
        let of = |ns: f64| cell(&[("manyhash", Standing::Ours, ns), ("peer", Standing::Peer, 2.0 * ns)]);
        let mut pooled = of(10.0);
        pooled.add(of(90.0)).unwrap();
        pooled.add(Cell { by_quiet: false, ..of(20.0) }).unwrap();
        assert_eq!((pooled.rows[0].judged_ns, pooled.rows[1].judged_ns), (20.0, 40.0));
        assert_eq!(pooled.rows[0].process_ns, [10.0, 90.0, 20.0]);
        assert!(!pooled.by_quiet);
        let other = Cell { messages: 2, ..of(10.0) };
        assert_eq!(pooled.add(other).unwrap_err().to_string(), "cells in another order");
        assert_eq!(pooled.add(cell(&[("manyhash", Standing::Ours, 1.0)])).unwrap_err().to_string(), "other peers");
    }

    #[test]
    fn a_summary_counts_what_is_below() {
        assert_eq!(Summary::of([]), None);
        let summary = Summary::of([0.5, 0.98, 1.0, 2.0]).unwrap();
        assert_eq!((summary.cells, summary.below_1, summary.below_0_97), (4, 2, 1));
        assert!((summary.geometric_mean - 0.98f64.powf(0.25)).abs() < 1e-12, "{summary:?}");
    }
}
