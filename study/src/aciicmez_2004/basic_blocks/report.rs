//! What the basic blocks take, beside the paper's percentages.

use anyhow::Result;

use super::ID;
use super::routines::{FUNCTIONS, PARTS, name, routines};
use crate::aciicmez_2004::counting::{self, Mix};
use crate::claims::Metrics;
use crate::measured::Measured;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;

const METHOD: &str = "The study's scalar code (section 4.2's basic blocks), all rounds written out and boolean functions redefined, on \
64 blocks in the first cache. Left out: what time is saved, in percent of the whole, if the basic block is not there and what it makes \
is there from before. Alone: its time without the others, in percent of the four such times. Instructions: how many fewer there are \
without it (callgrind), in percent of the whole. The paper does not say how it measured; on a CPU that overlaps blocks, a share of time \
is a matter of definition, and only shares alone add up to 100, as the paper's do. A share below zero is noise: leaving the block out saved \
less than samples and the places of code in memory differ by. What lacks a block computes no digest; the whole is verified by a test.";

/// The percentages of figure 4.4: BB1 to BB4 of SHA-1, SHA-256 and SHA-512.
const PAPER: [[f64; 4]; 3] = [[5.0, 14.0, 77.0, 4.0], [3.0, 14.0, 80.0, 3.0], [3.0, 27.0, 69.0, 1.0]];
const BASIC_BLOCKS: [&str; 4] = ["BB1 (message block)", "BB2 (message schedule)", "BB3 (main rounds)", "BB4 (state)"];

/// Shares of the four basic blocks in percent, three ways.
struct Shares {
    left_out: [f64; 4],
    alone: [f64; 4],
    instructions: Option<[f64; 4]>,
}

impl Shares {
    /// From the values of `PARTS`: times, and counts where there are any.
    fn new(times: &[f64; PARTS.len()], counts: Option<&[f64; PARTS.len()]>) -> Self {
        let saved = |values: &[f64; PARTS.len()]| [1, 2, 3, 4].map(|part| 100.0 * (values[0] - values[part]) / values[0]);
        let all_alone: f64 = times[5..].iter().sum();
        Self { left_out: saved(times), alone: [5, 6, 7, 8].map(|part| 100.0 * times[part] / all_alone), instructions: counts.map(saved) }
    }
}

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { method: METHOD.into(), ..Figure::default() };
    let counts = match counting::count(session, ID)? {
        Ok(counts) => Some(counts),
        Err(why) => {
            figure.missing.push(why);
            None
        }
    };
    let mut shares = Vec::new();
    let mut all = routines();
    for function in FUNCTIONS {
        let rest = all.split_off(PARTS.len());
        let block_bytes = (all[0].bytes / all[0].blocks) as f64;
        let blocks = all[0].blocks as f64;
        let measured = counting::time(session, std::mem::replace(&mut all, rest))?;
        let instructions = |part: u8| instructions(counts.as_deref(), &name(function, part)).map(|count| count / blocks);
        let set = format!("{function}: a message block, with and without basic blocks");
        for (part, measured) in PARTS.iter().zip(&measured) {
            let who = measured.name.trim_start_matches(function).trim_start_matches(", ");
            let per_block = |cycles_per_byte: Option<f64>| cycles_per_byte.map(|cycles| cycles * block_bytes);
            figure.put((&set, ""), who, "TSC cycles", Source::Ours, per_block(measured.tsc_cycles_per_byte()));
            figure.put((&set, ""), who, "core cycles", Source::Ours, per_block(measured.core_cycles_per_byte()));
            figure.put((&set, ""), who, "instructions", Source::Ours, instructions(*part));
        }
        let times: Vec<f64> = measured.iter().map(Measured::median_ns).collect();
        let counted: Option<Vec<f64>> = PARTS.iter().map(|part| instructions(*part)).collect();
        let counted = counted.map(|counted| counted.try_into().expect("a count for each"));
        shares.push(Shares::new(&times.try_into().expect("a time for each"), counted.as_ref()));
    }
    const SET: &str = "Shares of the basic blocks (the paper has SHA-512 in 32-bit registers only)";
    for (i, (function, shares)) in FUNCTIONS.iter().zip(&shares).enumerate() {
        for (block, name) in BASIC_BLOCKS.into_iter().enumerate() {
            figure.put((SET, function), name, "% of the time, alone", Source::Paper, PAPER.get(i).map(|paper| paper[block]));
            figure.put((SET, function), name, "% of the time, alone", Source::Ours, shares.alone[block]);
            figure.put((SET, function), name, "% of the time saved if left out", Source::Ours, shares.left_out[block]);
            figure.put((SET, function), name, "% of the instructions", Source::Ours, shares.instructions.map(|all| all[block]));
        }
    }
    figure.picture(SET, "% of the time, alone", Kind::Bars, &[]);
    figure.metrics = metrics(&shares);
    Ok(figure)
}

fn instructions(counts: Option<&[Mix]>, name: &str) -> Option<f64> {
    Some(counts?.iter().find(|mix| mix.name == name)?.instructions as f64)
}

/// A way to measure shares of time.
type Way = fn(&Shares) -> &[f64; 4];

/// Shares of time decide, as the paper's do, by both ways to measure them.
fn metrics(shares: &[Shares]) -> Metrics {
    let mut metrics = Metrics::default();
    // The paper's three functions: SHA-512 in 64-bit registers is the last one.
    let in_paper = &shares[..PAPER.len()];
    let ways: [(&str, Way); 2] = [("alone", |shares| &shares.alone), ("if left out", |shares| &shares.left_out)];
    let rounds = ways.iter().flat_map(|(way, of)| {
        in_paper.iter().zip(FUNCTIONS).map(move |(shares, function)| {
            let [bb1, bb2, bb3, bb4] = of(shares);
            (format!("{function} {way}"), Some(bb3 - bb1.max(*bb2).max(*bb4)))
        })
    });
    metrics.each("main rounds, ahead of the next", rounds);
    let schedules = ways.map(|(way, of)| {
        let [sha1, sha256, sha512] = [0, 1, 2].map(|function| of(&in_paper[function])[1]);
        (way, Some(sha512 - sha1.max(sha256)))
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
        let shares = Shares::new(&values, Some(&values));
        assert_eq!(shares.left_out, [5.0, 20.0, 70.0, 0.0]);
        assert_eq!(shares.alone, [10.0, 20.0, 60.0, 10.0]);
        assert_eq!(shares.instructions, Some(shares.left_out));
    }

    /// Shares of time decide, whatever instructions say.
    #[test]
    fn shares_of_time_are_judged() {
        use crate::claims::verdicts;
        use crate::model::Verdict::{DoesNot, Holds};
        let shares = |schedule: f64| Shares {
            left_out: [5.0, schedule, 90.0 - schedule, 2.0],
            alone: [5.0, schedule, 90.0 - schedule, 5.0],
            instructions: Some([0.0, 99.0 - schedule, 1.0, 0.0]),
        };
        for (schedules, expected) in [([24.0, 27.0, 30.0, 27.0], Holds), ([24.0, 50.0, 30.0, 27.0], DoesNot)] {
            assert_eq!(verdicts("2004-4.4", &metrics(&schedules.map(shares))), [expected; 2]);
        }
    }

    #[test]
    fn the_papers_shares_add_up() {
        assert!(PAPER.iter().all(|shares| shares.iter().sum::<f64>() == 100.0));
    }
}
