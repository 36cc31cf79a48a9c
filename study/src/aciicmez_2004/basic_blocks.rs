//! Figure 4.4: the share of time of the four basic blocks, by leaving each out, by each alone, and by counting instructions.

use std::hint::black_box;

use anyhow::Result;
use manyhash_scalar::{HashFunction, Sha1, Sha256, Sha512, Sha512Pairs, Variants};

use super::counting::{self, Known, Routine};
use crate::claims::Metrics;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;

pub const ID: &str = "2004-4.4";

/// The percentages of figure 4.4: BB1 to BB4 of SHA-1, SHA-256 and SHA-512.
const PAPER: [[f64; 4]; 3] = [[5.0, 14.0, 77.0, 4.0], [3.0, 14.0, 80.0, 3.0], [3.0, 27.0, 69.0, 1.0]];
const BASIC_BLOCKS: [&str; 4] = ["BB1 (message block)", "BB2 (message schedule)", "BB3 (main rounds)", "BB4 (state)"];
/// As the table names them. The paper's SHA-512 is that in 32-bit registers.
const FUNCTIONS: [&str; 4] = [Sha1::NAME, Sha256::NAME, Sha512Pairs::NAME, Sha512::NAME];

const BLOCKS: usize = 64;
/// The whole, without each basic block, each alone: [`Variants::parts`].
const PARTS: [&str; 9] =
    ["whole", "without BB1", "without BB2", "without BB3", "without BB4", "BB1 alone", "BB2 alone", "BB3 alone", "BB4 alone"];

pub fn routines() -> Vec<Routine> {
    fn all_of<F: Variants>() -> impl Iterator<Item = Routine> {
        PARTS.into_iter().zip(F::parts()).map(|(part, compress)| {
            let blocks: Vec<u8> = (0..BLOCKS * F::BLOCK_BYTES).map(|i| (i * 167 + i / 256) as u8).collect();
            let (bytes, mut state) = (blocks.len(), F::INITIAL);
            let call = Box::new(move || compress(black_box(&mut state), black_box(&blocks)));
            Routine { name: format!("{}, {part}", F::NAME), bytes, blocks: BLOCKS, call }
        })
    }
    all_of::<Sha1>().chain(all_of::<Sha256>()).chain(all_of::<Sha512Pairs>()).chain(all_of::<Sha512>()).collect()
}

const SET: &str = "Shares of the basic blocks (the paper has SHA-512 in 32-bit registers only)";
const ALONE: &str = "% of the time, alone";
const LEFT_OUT: &str = "% of the time saved if left out";
const INSTRUCTIONS: &str = "% of the instructions";

pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    let counts = figure.unless_missing("counts of instructions", counting::count(session, ID))?.unwrap_or_default();
    let mut all = routines();
    for (i, function) in FUNCTIONS.into_iter().enumerate() {
        let rest = all.split_off(PARTS.len());
        let parts = counting::time(session, std::mem::replace(&mut all, rest), &counts)?;
        let set = format!("{function}: a message block, with and without basic blocks");
        for (name, part) in PARTS.into_iter().zip(&parts) {
            let per_block = |cycles_per_byte: Option<f64>| cycles_per_byte.map(|cycles| cycles * part.time.bytes / part.blocks);
            figure.put((&set, ""), name, "TSC cycles", Source::Ours, per_block(part.time.tsc_cycles_per_byte()));
            figure.put((&set, ""), name, "core cycles", Source::Ours, per_block(part.time.core_cycles_per_byte()));
            figure.put((&set, ""), name, "instructions", Source::Ours, part.instructions_per_block());
        }
        let times: Vec<f64> = parts.iter().map(|part| part.time.median_ns()).collect();
        let instructions: Option<Vec<f64>> = parts.iter().map(Known::instructions_per_block).collect();
        put_shares(&mut figure, i, &times, instructions.as_deref());
    }
    figure.picture(SET, ALONE, Kind::Bars, &[]);
    figure.metrics = metrics(&figure);
    Ok(figure)
}

/// Adds the shares of the basic blocks of a function, in percent: by the times and the instructions of [`PARTS`].
fn put_shares(figure: &mut Figure, function: usize, times: &[f64], instructions: Option<&[f64]>) {
    let at = (SET, FUNCTIONS[function]);
    let alone: f64 = times[5..].iter().sum();
    let saved = |values: &[f64], part: usize| 100.0 * (values[0] - values[part]) / values[0];
    for (block, name) in BASIC_BLOCKS.into_iter().enumerate() {
        let paper = PAPER.get(function).map(|paper| paper[block]);
        figure.beside(at, name, ALONE, Source::Ours, 100.0 * times[5 + block] / alone, paper);
        figure.put(at, name, LEFT_OUT, Source::Ours, saved(times, 1 + block));
        figure.put(at, name, INSTRUCTIONS, Source::Ours, instructions.map(|counts| saved(counts, 1 + block)));
    }
}

/// Shares of time decide, as the paper's do, by both ways to measure them.
fn metrics(figure: &Figure) -> Metrics {
    let mut metrics = Metrics::default();
    // The paper's three functions: SHA-512 in 64-bit registers is the last one.
    let papers = &FUNCTIONS[..PAPER.len()];
    let ways = [("alone", ALONE), ("if left out", LEFT_OUT)];
    let share = |function: &str, way| BASIC_BLOCKS.map(|block| figure.value((SET, function), block, way).expect("a share of each"));
    let rounds = ways.iter().flat_map(|(label, way)| {
        let share = &share;
        papers.iter().map(move |function| {
            let [bb1, bb2, bb3, bb4] = share(function, way);
            (format!("{function} {label}"), Some(bb3 - bb1.max(bb2).max(bb4)))
        })
    });
    metrics.each("main rounds, ahead of the next", rounds);
    let schedules = ways.map(|(label, way)| {
        let [sha1, sha256, sha512] = [0, 1, 2].map(|function| share(papers[function], way)[1]);
        (label, Some(sha512 - sha1.max(sha256)))
    });
    metrics.each("schedule of SHA-512, ahead", schedules);
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_whole_and_of_all_alone() {
        let values = [100.0, 95.0, 80.0, 30.0, 100.0, 10.0, 20.0, 60.0, 10.0];
        let mut figure = Figure::default();
        put_shares(&mut figure, 0, &values, Some(&values));
        let shares = |way| BASIC_BLOCKS.map(|block| figure.value((SET, Sha1::NAME), block, way).unwrap());
        assert_eq!((shares(LEFT_OUT), shares(ALONE)), ([5.0, 20.0, 70.0, 0.0], [10.0, 20.0, 60.0, 10.0]));
        assert_eq!(shares(INSTRUCTIONS), shares(LEFT_OUT));
        assert!(PAPER.iter().all(|shares| shares.iter().sum::<f64>() == 100.0));
    }

    /// Shares of time decide, whatever instructions say.
    #[test]
    fn shares_of_time_are_judged() {
        use crate::claims::verdicts;
        use crate::model::Verdict::{DoesNot, Holds};
        for (schedules, expected) in [([24.0, 27.0, 30.0], Holds), ([24.0, 50.0, 30.0], DoesNot)] {
            let mut figure = Figure::default();
            for (function, schedule) in schedules.into_iter().enumerate() {
                let times = [100.0, 95.0, 100.0 - schedule, 10.0 + schedule, 98.0, 5.0, schedule, 90.0 - schedule, 5.0];
                put_shares(&mut figure, function, &times, Some(&[100.0, 100.0, 1.0 + schedule, 99.0, 100.0, 0.0, 0.0, 0.0, 0.0]));
            }
            assert_eq!(verdicts("2004-4.4", &metrics(&figure)), [expected; 2]);
        }
    }
}
