//! What the basic blocks take, beside the paper's percentages.

use anyhow::Result;

use super::ID;
use super::routines::{FUNCTIONS, PARTS, name, routines};
use crate::aciicmez_2004::counting::{self, Mix};
use crate::measured::Measured;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const METHOD: &str = "The study's scalar code (section 4.2's basic blocks), all rounds written out and boolean functions redefined, on \
64 blocks in the first cache. Left out: what time is saved, in percent of the whole, if the basic block is not there and what it makes \
is there from before. Alone: its time without the others, in percent of the four such times. Instructions: how many fewer there are \
without it (callgrind), in percent of the whole. The paper does not say how it measured; on a CPU that overlaps blocks, a share of time \
is a matter of definition, and shares do not add up to 100.";

/// Of figure 4.4: BB1 to BB4 of SHA-1, SHA-256 and SHA-512.
const PAPER: [[f64; 4]; 3] = [[5.0, 14.0, 77.0, 4.0], [3.0, 14.0, 80.0, 3.0], [3.0, 27.0, 69.0, 1.0]];
const BASIC_BLOCKS: [&str; 4] = ["BB1, message block", "BB2, message schedule", "BB3, main rounds", "BB4, state"];

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
    let mut each = Table::new(
        "A block of the message, with and without basic blocks",
        ["routine", "cycles of the time-stamp counter", "cycles of the core", "instructions"],
    );
    let mut all = routines();
    for function in FUNCTIONS {
        let rest = all.split_off(PARTS.len());
        let block_bytes = (all[0].bytes / all[0].blocks) as f64;
        let blocks = all[0].blocks as f64;
        let measured = counting::time(session, std::mem::replace(&mut all, rest))?;
        let instructions = |part: u8| instructions(counts.as_deref(), &name(function, part)).map(|count| count / blocks);
        for (part, measured) in PARTS.iter().zip(&measured) {
            let per_block = |cycles_per_byte: Option<f64>| Cell::maybe(cycles_per_byte.map(|cycles| cycles * block_bytes), 0);
            each.row([
                Cell::from(measured.name.as_str()),
                per_block(measured.tsc_cycles_per_byte()),
                per_block(measured.core_cycles_per_byte()),
                Cell::maybe(instructions(*part), 0),
            ]);
        }
        let times: Vec<f64> = measured.iter().map(Measured::median_ns).collect();
        let counted: Option<Vec<f64>> = PARTS.iter().map(|part| instructions(*part)).collect();
        let counted = counted.map(|counted| counted.try_into().expect("a count for each"));
        shares.push(Shares::new(&times.try_into().expect("a time for each"), counted.as_ref()));
    }
    figure.tables = FUNCTIONS.iter().zip(&shares).zip([Some(0), Some(1), Some(2), None]).map(table).collect();
    figure.tables.push(each);
    figure.plots.push(plot(&shares));
    judge(&mut figure, &shares);
    Ok(figure)
}

fn instructions(counts: Option<&[Mix]>, name: &str) -> Option<f64> {
    Some(counts?.iter().find(|mix| mix.name == name)?.instructions as f64)
}

fn table(((function, shares), paper): ((&&str, &Shares), Option<usize>)) -> Table {
    let mut table = Table::new(format!("{function}: shares in percent"), ["basic block", "paper", "left out", "alone", "instructions"]);
    for (i, name) in BASIC_BLOCKS.into_iter().enumerate() {
        table.row([
            name.into(),
            Cell::maybe(paper.map(|paper| PAPER[paper][i]), 0),
            Cell::number(shares.left_out[i], 1),
            Cell::number(shares.alone[i], 1),
            Cell::maybe(shares.instructions.map(|instructions| instructions[i]), 1),
        ]);
    }
    table
}

/// Of the paper's three.
fn plot(shares: &[Shares]) -> Plot {
    let categories = FUNCTIONS[..3].iter().flat_map(|function| (1..=4).map(move |block| format!("{function} BB{block}"))).collect();
    let paper = Bars { name: "paper".into(), source: Source::Paper, values: PAPER.as_flattened().iter().copied().map(Some).collect() };
    let ours = |name: &str, of: fn(&Shares) -> Option<[f64; 4]>| Bars {
        name: name.into(),
        source: Source::Ours,
        values: shares[..3].iter().flat_map(|shares| of(shares).map_or([None; 4], |shares| shares.map(Some))).collect(),
    };
    Plot::Bars {
        title: "Shares of the basic blocks".into(),
        y_label: "percent".into(),
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
    let of_time = |block: usize| -> Vec<String> {
        let one = |(function, shares): (&&str, &Shares)| {
            format!("{function}: {:.0} % of time alone, {:.0} % if left out", shares.alone[block], shares.left_out[block])
        };
        FUNCTIONS.iter().zip(shares).map(one).collect()
    };
    let rounds_lead = shares[..3]
        .iter()
        .all(|shares| [shares.alone, shares.left_out].iter().all(|shares| [0, 1, 3].iter().all(|block| shares[2] > shares[*block])));
    let rounds_dominate = shares[..3].iter().all(|shares| shares.alone[2] >= 60.0);
    let schedule = |shares: &Shares| shares.instructions.unwrap_or(shares.alone)[1];
    let others = schedule(&shares[0]).max(schedule(&shares[1]));
    figure.claims = vec![
        Claim::new(
            "The main rounds are the most time consuming basic block",
            "section 4.2, figure 4.4",
            "77, 80 and 69 %",
            of_time(2).join("; "),
            Some(rounds_lead),
        ),
        Claim::new(
            "The message schedule of SHA-512 in 32-bit registers takes a larger share than those of SHA-1 and SHA-256",
            "figure 4.4",
            "27 % beside 14 and 14 %",
            format!("{:.0} % beside {:.0} and {:.0} %", schedule(&shares[2]), schedule(&shares[0]), schedule(&shares[1])),
            Some(schedule(&shares[2]) > others),
        ),
    ];
    figure.still_holds = if rounds_lead && rounds_dominate {
        "The main rounds take most of the time, of all three functions and by both ways to measure.".into()
    } else if rounds_lead {
        "The main rounds take more time than any other basic block, of all three functions and by both ways to measure.".into()
    } else {
        "The main rounds are the only basic block that is one long chain, which no out-of-order execution shortens.".into()
    };
    let sums: Vec<f64> = shares[..3].iter().map(|shares| shares.left_out.iter().sum()).collect();
    let schedule_grew = shares[..3].iter().zip(PAPER).all(|(shares, paper)| schedule(shares) > paper[1]);
    let mut sentences = Vec::new();
    if schedule_grew {
        sentences.push(
            "The message schedule takes a larger share than in 2004: with more than eight registers the rounds, which have most of the \
variables, keep them out of memory, and the schedule has its words there as before.",
        );
    }
    if sums.iter().any(|sum| *sum < 95.0) {
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

    #[test]
    fn the_papers_shares_add_up() {
        assert!(PAPER.iter().all(|shares| shares.iter().sum::<f64>() == 100.0));
    }
}
