//! What the basic blocks take, beside the paper's percentages.

use anyhow::Result;

use super::ID;
use super::routines::{FUNCTIONS, PARTS, name, routines};
use crate::aciicmez_2004::counting::{self, Mix};
use crate::claims::Metrics;
use crate::measured::Measured;
use crate::model::{Bars, Cell, Figure, Plot, Source, Table, over_paper};
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
    let mut each = Vec::new();
    let mut all = routines();
    for function in FUNCTIONS {
        let rest = all.split_off(PARTS.len());
        let block_bytes = (all[0].bytes / all[0].blocks) as f64;
        let blocks = all[0].blocks as f64;
        let measured = counting::time(session, std::mem::replace(&mut all, rest))?;
        let instructions = |part: u8| instructions(counts.as_deref(), &name(function, part)).map(|count| count / blocks);
        let per_block = |cycles_per_byte: Option<f64>| cycles_per_byte.map(|cycles| cycles * block_bytes).into();
        each.push(Table::of(
            format!("{function}: cycles and instructions of one message block, with and without basic blocks"),
            1,
            PARTS.iter().zip(&measured),
            &[
                ("basic blocks", &|(_, measured)| measured.name.trim_start_matches(function).trim_start_matches(", ").into()),
                ("TSC cycles", &|(_, measured)| per_block(measured.tsc_cycles_per_byte())),
                ("core cycles", &|(_, measured)| per_block(measured.core_cycles_per_byte())),
                ("instructions", &|(part, _)| Cell::maybe(instructions(**part), 0)),
            ],
        ));
        let times: Vec<f64> = measured.iter().map(Measured::median_ns).collect();
        let counted: Option<Vec<f64>> = PARTS.iter().map(|part| instructions(*part)).collect();
        let counted = counted.map(|counted| counted.try_into().expect("a count for each"));
        shares.push(Shares::new(&times.try_into().expect("a time for each"), counted.as_ref()));
    }
    figure.tables = FUNCTIONS.iter().zip(&shares).zip([Some(0), Some(1), Some(2), None]).map(table).collect();
    figure.tables.extend(each);
    figure.plots.push(plot(&shares));
    figure.metrics = metrics(&shares);
    Ok(figure)
}

fn instructions(counts: Option<&[Mix]>, name: &str) -> Option<f64> {
    Some(counts?.iter().find(|mix| mix.name == name)?.instructions as f64)
}

fn table(((function, shares), paper): ((&&str, &Shares), Option<usize>)) -> Table {
    let in_paper = |block: usize| paper.map(|paper| PAPER[paper][block]);
    Table::of(
        format!("{function}: shares of the basic blocks in percent"),
        1,
        0..BASIC_BLOCKS.len(),
        &[
            ("basic block", &|block| BASIC_BLOCKS[*block].into()),
            ("paper: time", &|block| Cell::maybe(in_paper(*block), 0)),
            ("here: time alone", &|block| shares.alone[*block].into()),
            ("alone: here / paper", &|block| over_paper(Some(shares.alone[*block]), in_paper(*block))),
            ("here: time saved if left out", &|block| shares.left_out[*block].into()),
            ("here: instructions", &|block| shares.instructions.map(|instructions| instructions[*block]).into()),
        ],
    )
}

fn plot(shares: &[Shares]) -> Plot {
    let ours = |name: &str, of: fn(&Shares) -> Option<[f64; 4]>| {
        Bars::new(name, Source::Ours, shares.iter().flat_map(|shares| of(shares).map_or([None; 4], |shares| shares.map(Some))))
    };
    Plot::bars(
        "Shares of the basic blocks BB1 to BB4 (the paper has SHA-512 in 32-bit registers only)",
        "percent, times by the median",
        FUNCTIONS.iter().flat_map(|function| (1..=4).map(move |block| format!("{function} BB{block}"))),
        [
            Bars::new("paper", Source::Paper, PAPER.as_flattened().iter().copied().map(Some).chain([None; 4])),
            ours("time saved by leaving it out", |shares| Some(shares.left_out)),
            ours("time alone", |shares| Some(shares.alone)),
            ours("instructions", |shares| shares.instructions),
        ],
    )
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
