//! What the basic blocks take, beside the paper's percentages.

use anyhow::Result;

use super::ID;
use super::routines::{FUNCTIONS, PARTS, name, routines};
use crate::aciicmez_2004::counting::{self, Mix};
use crate::aciicmez_2004::shown::{cell, number, ratio, without_gaps};
use crate::measured::Measured;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const METHOD: &str = "The study's scalar code (section 4.2's basic blocks), all rounds written out and boolean functions redefined, on \
64 blocks in the first cache. Left out: what time is saved, in percent of the whole, if the basic block is not there and what it makes \
is there from before. Alone: its time without the others, in percent of the four such times. Instructions: how many fewer there are \
without it (callgrind), in percent of the whole. The paper does not say how it measured; on a CPU that overlaps blocks, a share of time \
is a matter of definition, and only shares alone add up to 100, as the paper's do. A share below zero is noise: leaving the block out saved \
less than samples and the places of code in memory differ by. What lacks a block computes no digest; the whole is verified by a test.";

/// Of figure 4.4: BB1 to BB4 of SHA-1, SHA-256 and SHA-512.
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
        let mut table = Table::new(
            format!("{function}: cycles and instructions of one message block, with and without basic blocks"),
            ["basic blocks", "TSC cycles", "core cycles", "instructions"],
        );
        for (part, measured) in PARTS.iter().zip(&measured) {
            let per_block = |cycles_per_byte: Option<f64>| cell(cycles_per_byte.map(|cycles| cycles * block_bytes));
            table.row([
                Cell::from(measured.name.trim_start_matches(function).trim_start_matches(", ")),
                per_block(measured.tsc_cycles_per_byte()),
                per_block(measured.core_cycles_per_byte()),
                Cell::maybe(instructions(*part), 0),
            ]);
        }
        each.push(without_gaps(table, 1));
        let times: Vec<f64> = measured.iter().map(Measured::median_ns).collect();
        let counted: Option<Vec<f64>> = PARTS.iter().map(|part| instructions(*part)).collect();
        let counted = counted.map(|counted| counted.try_into().expect("a count for each"));
        shares.push(Shares::new(&times.try_into().expect("a time for each"), counted.as_ref()));
    }
    figure.tables = FUNCTIONS.iter().zip(&shares).zip([Some(0), Some(1), Some(2), None]).map(table).collect();
    figure.tables.extend(each);
    figure.plots.push(plot(&shares));
    judge(&mut figure, &shares);
    Ok(figure)
}

fn instructions(counts: Option<&[Mix]>, name: &str) -> Option<f64> {
    Some(counts?.iter().find(|mix| mix.name == name)?.instructions as f64)
}

fn table(((function, shares), paper): ((&&str, &Shares), Option<usize>)) -> Table {
    let mut table = Table::new(
        format!("{function}: shares of the basic blocks in percent"),
        ["basic block", "paper: time", "here: time alone", "alone: here / paper", "here: time saved if left out", "here: instructions"],
    );
    for (i, name) in BASIC_BLOCKS.into_iter().enumerate() {
        table.row([
            name.into(),
            Cell::maybe(paper.map(|paper| PAPER[paper][i]), 0),
            cell(Some(shares.alone[i])),
            ratio(Some(shares.alone[i]), paper.map(|paper| PAPER[paper][i])),
            cell(Some(shares.left_out[i])),
            cell(shares.instructions.map(|instructions| instructions[i])),
        ]);
    }
    without_gaps(table, 1)
}

fn plot(shares: &[Shares]) -> Plot {
    let categories = FUNCTIONS.iter().flat_map(|function| (1..=4).map(move |block| format!("{function} BB{block}"))).collect();
    let paper = Bars {
        name: "paper".into(),
        source: Source::Paper,
        values: PAPER.as_flattened().iter().copied().map(Some).chain([None; 4]).collect(),
    };
    let ours = |name: &str, of: fn(&Shares) -> Option<[f64; 4]>| Bars {
        name: name.into(),
        source: Source::Ours,
        values: shares.iter().flat_map(|shares| of(shares).map_or([None; 4], |shares| shares.map(Some))).collect(),
    };
    Plot::Bars {
        title: "Shares of the basic blocks BB1 to BB4 (the paper has SHA-512 in 32-bit registers only)".into(),
        y_label: "percent, times by the median".into(),
        categories,
        series: vec![
            paper,
            ours("time saved by leaving it out", |shares| Some(shares.left_out)),
            ours("time alone", |shares| Some(shares.alone)),
            ours("instructions", |shares| shares.instructions),
        ],
    }
}

fn judge(figure: &mut Figure, shares: &[Shares]) {
    // The paper's three functions: SHA-512 in 64-bit registers is the last one.
    let in_paper = &shares[..PAPER.len()];
    let both = |shares: &Shares| [shares.alone, shares.left_out];
    let of_time = |block: usize| -> String {
        let listed = |of: fn(&Shares) -> &[f64; 4]| in_paper.iter().map(|shares| number(of(shares)[block])).collect::<Vec<_>>().join(", ");
        format!("{} % alone and {} % if left out", listed(|shares| &shares.alone), listed(|shares| &shares.left_out))
    };
    let rounds_lead = in_paper.iter().flat_map(both).all(|shares| [0, 1, 3].iter().all(|block| shares[2] > shares[*block]));
    let rounds_dominate = in_paper.iter().flat_map(both).all(|shares| shares[2] >= 60.0);
    // Of time, as the paper's shares are: by both ways to measure it.
    let pairs_lead = [0, 1].iter().all(|other| (0..2).all(|way| both(&in_paper[2])[way][1] > both(&in_paper[*other])[way][1]));
    figure.claims = vec![
        Claim::new(
            "The main rounds are the most time consuming basic block",
            "section 4.2, figure 4.4",
            "77, 80 and 69 % (SHA-1, SHA-256, SHA-512)",
            of_time(2),
            Some(rounds_lead),
        ),
        Claim::new(
            "The message schedule of SHA-512 in 32-bit registers takes a larger share of time than those of SHA-1 and SHA-256",
            "figure 4.4",
            "14, 14 and 27 % (SHA-1, SHA-256, SHA-512)",
            of_time(1),
            Some(pairs_lead),
        ),
    ];
    figure.still_holds = if rounds_lead && rounds_dominate {
        "The main rounds still take most of the time of the paper's three functions, by both ways to measure.".into()
    } else if rounds_lead {
        "The main rounds still take more time than any other basic block of the paper's three functions, by both ways to measure.".into()
    } else {
        "Nothing of it holds here: the main rounds are not the basic block that takes most of the time.".into()
    };
    let schedule_grew = in_paper.iter().zip(PAPER).all(|(shares, paper)| both(shares).iter().all(|shares| shares[1] > paper[1]));
    let mut sentences = Vec::new();
    if schedule_grew {
        sentences.push(
            "The message schedule takes a larger share than in 2004: with more than eight registers the rounds, which have most of the \
variables, keep them out of memory, and the schedule has its words there as before.",
        );
    }
    if in_paper.iter().any(|shares| shares.left_out.iter().sum::<f64>() < 95.0) {
        sentences.push(
            "Leaving out single basic blocks saves less than the whole in sum: swaps and the schedule are executed in the pauses of the \
rounds' chain.",
        );
    }
    if sentences.is_empty() {
        sentences.push("SHA-512 in 64-bit registers, which the Pentium 4 did not have, needs no carries.");
    }
    figure.changed = sentences.join(" ");
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
        use crate::aciicmez_2004::shown::assert_is_readable;
        use crate::model::Verdict::{DoesNot, Holds};
        let shares = |schedule: f64| Shares {
            left_out: [5.0, schedule, 90.0 - schedule, 2.0],
            alone: [5.0, schedule, 90.0 - schedule, 5.0],
            instructions: Some([0.0, 99.0 - schedule, 1.0, 0.0]),
        };
        let judged = |schedules: [f64; 4]| {
            let mut figure = Figure::default();
            judge(&mut figure, &schedules.map(shares));
            [&figure.still_holds, &figure.changed].iter().for_each(|text| assert_is_readable(text));
            (figure.claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>(), figure)
        };
        let (verdicts, figure) = judged([24.0, 27.0, 30.0, 27.0]);
        assert_eq!(verdicts, [Holds, Holds]);
        assert!(figure.changed.starts_with("The message schedule takes a larger share"), "{}", figure.changed);
        let (verdicts, figure) = judged([24.0, 50.0, 30.0, 27.0]);
        assert_eq!(verdicts, [DoesNot, DoesNot]);
        assert!(figure.still_holds.starts_with("Nothing of it holds here"), "{}", figure.still_holds);
    }

    #[test]
    fn the_papers_shares_add_up() {
        assert!(PAPER.iter().all(|shares| shares.iter().sum::<f64>() == 100.0));
    }
}
