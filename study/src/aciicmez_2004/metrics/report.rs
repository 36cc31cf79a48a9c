//! The metrics, beside the paper's.

use anyhow::Result;

use super::ID;
use super::routines::{name, routines};
use crate::aciicmez_2004::counting::{self, Mix, counters};
use crate::aciicmez_2004::shown::{self, cell, ratio, without_gaps};
use crate::aciicmez_2004::subject;
use crate::measured::Measured;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const METHOD: &str = "64 blocks of each message in the first cache. Instructions are counted by callgrind, in a process of its own, and \
decoded from this program; branches are predicted by its simulated predictor, which starts anew; cycles are measured without it. The paper \
counted with VTune while files were hashed. Scalar and MMX are this study's code in the manner of the paper's (SHA-512, scalar: in \
32-bit registers), XMM and YMM are manyhash's backends sse2 and avx2; their digests are verified in figures 4.6 and 4.7.";

/// The paper's values, of its scalar, MMX and XMM code.
struct Paper {
    function: &'static str,
    cycles_per_instruction: [f64; 3],
    cycles_per_micro_op: [f64; 3],
    mmx_percent: f64,
    xmm_percent: f64,
    predicted_percent: [f64; 3],
    /// VTune's "performance impact": of mispredicted branches, split loads, split stores, 64K aliasing and trace cache misses. The text of
    /// the paper that we have lacks the last two of SHA-256.
    impacts: [Option<[f64; 3]>; 5],
}

const PAPER: [Paper; 3] = [
    Paper {
        function: "SHA-1",
        cycles_per_instruction: [0.8158, 0.8552, 1.5375],
        cycles_per_micro_op: [0.8052, 0.7486, 0.5715],
        mmx_percent: 50.96,
        xmm_percent: 75.76,
        predicted_percent: [98.94, 98.96, 98.88],
        impacts: [
            Some([0.034, 0.024, 0.014]),
            Some([0.0, 1.133, 1.240]),
            Some([0.0; 3]),
            Some([0.009, 0.908, 0.518]),
            Some([0.012, 0.055, 0.039]),
        ],
    },
    Paper {
        function: "SHA-256",
        cycles_per_instruction: [0.7239, 0.7520, 1.2250],
        cycles_per_micro_op: [0.7189, 0.6870, 0.5994],
        mmx_percent: 53.32,
        xmm_percent: 66.01,
        predicted_percent: [97.68, 98.24, 98.22],
        impacts: [Some([1.741, 0.828, 0.509]), Some([0.0, 0.611, 0.743]), Some([0.0; 3]), None, None],
    },
    Paper {
        function: "SHA-512",
        cycles_per_instruction: [0.5377, 0.7510, 1.2130],
        cycles_per_micro_op: [0.4462, 0.6889, 0.5926],
        mmx_percent: 53.06,
        xmm_percent: 57.28,
        predicted_percent: [98.44, 98.66, 98.21],
        impacts: [
            Some([0.638, 0.706, 0.529]),
            Some([0.0, 0.484, 0.385]),
            Some([0.0, 0.807, 0.0]),
            Some([0.245, 0.584, 0.460]),
            Some([0.040, 0.015, 0.028]),
        ],
    },
];

/// The paper has the first three.
const CODES: [&str; 5] = ["scalar", "MMX", "XMM", "YMM", "scalar, 64-bit"];

/// What is known of a routine.
struct Known {
    name: String,
    blocks: f64,
    time: Measured,
    mix: Option<Mix>,
}

impl Known {
    fn cycles_per_instruction(&self) -> Option<f64> {
        Some(self.time.core_cycles_per_byte()? * self.time.bytes / self.mix.as_ref()?.instructions as f64)
    }

    fn per_byte(&self, of: fn(&Mix) -> u64) -> Option<f64> {
        Some(of(self.mix.as_ref()?) as f64 / self.time.bytes)
    }

    /// Of its instructions, those on the registers that it is for.
    fn on_own_registers(&self) -> Option<f64> {
        let mix = self.mix.as_ref()?;
        let code = self.name.split_once(", ")?.1;
        Some(mix.percent(match code {
            "MMX" => mix.mmx,
            "XMM" => mix.xmm,
            "YMM" => mix.wider,
            _ => mix.instructions - mix.mmx - mix.xmm - mix.wider,
        }))
    }
}

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { method: format!("{METHOD} {}", subject::effort(session)), ..Figure::default() };
    let counts = counting::count(session, ID)?.unwrap_or_else(|why| {
        figure.missing.push(why);
        Vec::new()
    });
    let known = time(session, counts)?;
    figure.missing.push(format!(
        "cycles per micro-op and the impacts (split loads and stores, 64K aliasing, caches): they take performance counters, and {}",
        counters::availability()
    ));
    if !CODES[1..4].iter().all(|code| find(&known, "SHA-1", code).is_some()) {
        figure.missing.push("code for registers that this CPU lacks".into());
    }
    if known.iter().all(|known| known.time.core_cycles_per_byte().is_none()) {
        figure.missing.push("cycles of the core: the core's clock was not probed in this run".into());
    }
    figure.tables = tables(&known);
    figure.plots.push(plot(&known));
    let each = |value: &dyn Fn(&str) -> Option<f64>| PAPER.iter().map(|paper| value(paper.function)).collect::<Option<Vec<f64>>>();
    let cycles = |function: &str, code: &str| find(&known, function, code)?.cycles_per_instruction();
    let rate = |function: &str, code: &str| Some(find(&known, function, code)?.time.mb_per_s());
    judge(
        &mut figure,
        each(&|function| Some(cycles(function, "XMM")? / cycles(function, "scalar")?)),
        each(&|function| Some(rate(function, "XMM")? / rate(function, "scalar")?)),
    );
    Ok(figure)
}

/// All routines in turns, though their calls hash as many bytes as they like.
fn time(session: &Session, counts: Vec<Mix>) -> Result<Vec<Known>> {
    let routines = routines();
    let sizes: Vec<(usize, usize)> = routines.iter().map(|routine| (routine.bytes, routine.blocks)).collect();
    let known = |(time, (bytes, blocks)): (Measured, (usize, usize))| Known {
        blocks: blocks as f64,
        mix: counts.iter().find(|mix| mix.name == time.name).cloned(),
        name: time.name.clone(),
        time: Measured { bytes: bytes as f64, ..time },
    };
    Ok(counting::time(session, routines)?.into_iter().zip(sizes).map(known).collect())
}

fn find<'a>(known: &'a [Known], function: &str, code: &str) -> Option<&'a Known> {
    known.iter().find(|known| known.name == name(function, code))
}

fn tables(known: &[Known]) -> Vec<Table> {
    let compared = |title: &str, paper: &dyn Fn(&Paper, usize) -> Option<f64>, digits: u8, here: &dyn Fn(&Known) -> Option<f64>| {
        let mut table = Table::new(title, ["function", "code", "paper", "here", "here / paper"]);
        for one in &PAPER {
            for (i, code) in CODES.into_iter().enumerate() {
                let (paper, here) = ((i < 3).then(|| paper(one, i)).flatten(), find(known, one.function, code).and_then(here));
                table.row([one.function.into(), code.into(), Cell::maybe(paper, digits), cell(here), ratio(here, paper)]);
            }
        }
        without_gaps(table, 2)
    };
    let own = |paper: &Paper, code: usize| Some([100.0, paper.mmx_percent, paper.xmm_percent][code]);
    vec![
        compared(
            "Cycles per instruction (here: core cycles)",
            &|paper, code| Some(paper.cycles_per_instruction[code]),
            2,
            &Known::cycles_per_instruction,
        ),
        compared("Instructions on the registers that the code is for, percent of all", &own, 1, &Known::on_own_registers),
        compared("Branches predicted, percent of all", &|paper, code| Some(paper.predicted_percent[code]), 1, &|known| {
            known.mix.as_ref()?.predicted_percent()
        }),
        counted(known),
        only_in_paper(),
    ]
}

/// What the paper does not have.
fn counted(known: &[Known]) -> Table {
    let mut table = Table::new(
        "Instructions, accesses to memory and cycles of each code, here",
        [
            "function",
            "code",
            "instructions per block",
            "instructions per byte",
            "loads per byte",
            "stores per byte",
            "core cycles per byte",
            "TSC cycles per byte",
        ],
    );
    for paper in &PAPER {
        for known in CODES.iter().filter_map(|code| find(known, paper.function, code)) {
            table.row([
                paper.function.into(),
                known.name.split_once(", ").map_or("", |(_, code)| code).into(),
                cell(known.mix.as_ref().map(|mix| mix.instructions as f64 / known.blocks)),
                cell(known.per_byte(|mix| mix.instructions)),
                cell(known.per_byte(|mix| mix.loads)),
                cell(known.per_byte(|mix| mix.stores)),
                cell(known.time.core_cycles_per_byte()),
                cell(known.time.tsc_cycles_per_byte()),
            ]);
        }
    }
    without_gaps(table, 2)
}

/// What takes performance counters.
fn only_in_paper() -> Table {
    let mut table = Table::new(
        "The paper's metrics that take performance counters: micro-ops, and VTune's performance impacts",
        [
            "function",
            "code",
            "cycles per micro-op",
            "micro-ops per instruction",
            "mispredicted branches",
            "split loads",
            "split stores",
            "64K aliasing",
            "trace cache misses",
        ],
    );
    for paper in &PAPER {
        for (i, code) in CODES[..3].iter().enumerate() {
            let micro_ops = paper.cycles_per_instruction[i] / paper.cycles_per_micro_op[i];
            let impacts = paper.impacts.map(|impacts| Cell::maybe(impacts.map(|impacts| impacts[i]), 3));
            let names = [Cell::from(paper.function), (*code).into()];
            let values = [Cell::number(paper.cycles_per_micro_op[i], 2), Cell::number(micro_ops, 2)];
            table.row(names.into_iter().chain(values).chain(impacts));
        }
    }
    table
}

fn plot(known: &[Known]) -> Plot {
    let bars = |code: &&str| Bars {
        name: (*code).into(),
        source: Source::Ours,
        values: PAPER.iter().map(|paper| find(known, paper.function, code)?.cycles_per_instruction()).collect(),
    };
    let paper = |(index, code): (usize, &&str)| Bars {
        name: format!("paper: {code}"),
        source: Source::Paper,
        values: PAPER.iter().map(|paper| Some(paper.cycles_per_instruction[index])).collect(),
    };
    let mut series: Vec<Bars> = CODES[..3].iter().enumerate().map(paper).collect();
    series.extend(CODES[..4].iter().map(bars));
    Plot::Bars {
        title: "Cycles per instruction of scalar, MMX, XMM and YMM code".into(),
        y_label: "core cycles per instruction, median".into(),
        categories: PAPER.iter().map(|paper| paper.function.into()).collect(),
        series,
    }
}

/// By how many times as many cycles an instruction of XMM code takes, and how many times as fast it is, over scalar code.
fn judge(figure: &mut Figure, slower: Option<Vec<f64>>, gains: Option<Vec<f64>>) {
    let of_each =
        |values: &Vec<f64>| shown::of_each(&PAPER.iter().map(|paper| paper.function).zip(values.iter().copied()).collect::<Vec<_>>());
    let holds = slower.as_ref().map(|ratios| ratios.iter().all(|ratio| *ratio > 1.0));
    figure.claims = vec![Claim::new(
        "An instruction of XMM code takes more cycles on average than one of scalar code",
        "section 4.2, appendix",
        "1.88 (SHA-1), 1.69 (SHA-256) and 2.26 (SHA-512) times as many",
        shown::or_not_measured(slower.as_ref().map(|slower| of_each(slower) + " times as many")),
        holds,
    )];
    figure.still_holds = match holds {
        Some(true) => "Vector code still executes fewer instructions in a cycle than scalar code.",
        Some(false) => {
            "Nothing of it holds here: instructions of vector code do not take more cycles than those of scalar code for every function."
        }
        None => {
            "Nothing of it could be judged here: without counts of instructions or the core's clock there are no cycles per instruction."
        }
    }
    .into();
    figure.changed = match gains {
        Some(gains) if gains.iter().all(|gain| *gain > 1.0) => format!(
            "XMM code is {} times as fast as scalar code. The Pentium 4 made two micro-ops and more of a 128-bit instruction; units of 128 \
             bits make one, so that fewer instructions per byte are fewer cycles per byte.",
            of_each(&gains)
        ),
        Some(_) => {
            "In 2004, XMM code was faster than scalar code by fewer, slower instructions; here it is not faster for every function.".into()
        }
        None => "XMM code could not be run here.".into(),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        let judged = |slower: Option<[f64; 3]>, gains: Option<[f64; 3]>| -> (Verdict, Figure) {
            let mut figure = Figure::default();
            judge(&mut figure, slower.map(Vec::from), gains.map(Vec::from));
            [&figure.still_holds, &figure.changed].iter().for_each(|text| assert_is_readable(text));
            (figure.claims[0].verdict, figure)
        };
        let (verdict, figure) = judged(Some([1.9, 1.7, 2.3]), Some([1.6, 1.7, 2.3]));
        assert_eq!(verdict, Holds);
        assert!(figure.changed.starts_with("XMM code is 1.60 (SHA-1), 1.70 (SHA-256) and 2.30 (SHA-512) times"), "{}", figure.changed);
        assert_eq!(judged(Some([1.9, 1.7, 0.8]), Some([1.6, 0.7, 2.3])).0, DoesNot);
        let (verdict, figure) = judged(None, None);
        assert_eq!(verdict, NotMeasured);
        assert!(figure.still_holds.contains("could be judged"), "{}", figure.still_holds);
    }

    #[test]
    fn every_code_of_the_paper_has_a_row() {
        let tables = tables(&[]);
        assert_eq!(tables[0].rows.len(), 9);
        assert_eq!(tables[0].columns, ["function", "code", "paper"]);
        assert_eq!(tables[4].rows.len(), 9);
    }
}
