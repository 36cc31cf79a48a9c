//! The metrics, beside the paper's.

use anyhow::Result;

use super::ID;
use super::routines::{name, routines};
use crate::aciicmez_2004::core_cycles::{self, Cycles};
use crate::aciicmez_2004::counting::{self, Mix, counters};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const METHOD: &str = "64 blocks of each message in the first cache. Instructions are counted by callgrind, in a process of its own, and \
decoded from this program; branches are predicted by its simulated predictor; cycles are the core's, measured without it. The paper \
counted with VTune while files were hashed. Scalar and MMX are this study's code in the manner of the paper's (SHA-512, scalar: in \
32-bit registers), XMM and YMM are manyhash's backends sse2 and avx2.";

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

/// In the order of the columns; the paper has the first three.
const CODES: [&str; 5] = ["scalar", "MMX", "XMM", "YMM", "scalar, 64-bit"];

/// What is known of a routine.
struct Measured {
    name: String,
    bytes: f64,
    blocks: f64,
    cycles: Cycles,
    mix: Option<Mix>,
}

impl Measured {
    fn cycles_per_instruction(&self) -> Option<f64> {
        Some(self.cycles.core? / self.mix.as_ref()?.instructions as f64)
    }

    fn count(&self, of: fn(&Mix) -> u64) -> Option<f64> {
        self.mix.as_ref().map(|mix| of(mix) as f64)
    }

    fn percent(&self, of: fn(&Mix) -> u64) -> Option<f64> {
        self.mix.as_ref().map(|mix| mix.percent(of(mix)))
    }
}

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { method: METHOD.into(), ..Figure::default() };
    let counts = counting::count(session, ID)?.unwrap_or_else(|why| {
        figure.missing.push(why);
        Vec::new()
    });
    let timed = |mut routine: counting::Routine| Measured {
        cycles: core_cycles::measure(session, &mut routine.call),
        bytes: routine.bytes as f64,
        blocks: routine.blocks as f64,
        mix: counts.iter().find(|mix| mix.name == routine.name).cloned(),
        name: routine.name,
    };
    let measured: Vec<Measured> = routines().into_iter().map(timed).collect();
    figure.missing.push(format!(
        "cycles per micro-op and the impacts (split loads and stores, 64K aliasing, caches): they take performance counters, and {}",
        counters::availability()
    ));
    if !CODES[1..4].iter().all(|code| find(&measured, "SHA-1", code).is_some()) {
        figure.missing.push("code for registers that this CPU lacks".into());
    }
    figure.tables = PAPER.iter().map(|paper| table(paper, &measured)).collect();
    figure.plots.push(plot(&measured));
    judge(&mut figure, &measured);
    Ok(figure)
}

fn find<'a>(measured: &'a [Measured], function: &str, code: &str) -> Option<&'a Measured> {
    measured.iter().find(|measured| measured.name == name(function, code))
}

fn table(paper: &Paper, measured: &[Measured]) -> Table {
    let columns = ["metric", "paper: scalar", "scalar", "paper: MMX", "MMX", "paper: XMM", "XMM", "YMM", "scalar, 64-bit"];
    let mut table = Table::new(paper.function, columns);
    let codes = CODES.map(|code| find(measured, paper.function, code));
    let mut row = |name: &str, paper: [Option<f64>; 3], digits: u8, value: &dyn Fn(&Measured) -> Option<f64>| {
        let ours = codes.map(|measured| Cell::maybe(measured.and_then(value), digits));
        let [scalar, mmx, xmm, ymm, wide_scalar] = ours;
        let [paper_scalar, paper_mmx, paper_xmm] = paper.map(|value| Cell::maybe(value, digits));
        table.row([name.into(), paper_scalar, scalar, paper_mmx, mmx, paper_xmm, xmm, ymm, wide_scalar]);
    };
    row("cycles per instruction", paper.cycles_per_instruction.map(Some), 2, &Measured::cycles_per_instruction);
    row("cycles per micro-op", paper.cycles_per_micro_op.map(Some), 2, &|_| None);
    let micro_ops = [0, 1, 2].map(|code| Some(paper.cycles_per_instruction[code] / paper.cycles_per_micro_op[code]));
    row("micro-ops per instruction, by these two", micro_ops, 2, &|_| None);
    row("64-bit MMX instructions, %", [Some(0.0), Some(paper.mmx_percent), Some(0.0)], 1, &|one| one.percent(|mix| mix.mmx));
    row("128-bit instructions, %", [Some(0.0), Some(0.0), Some(paper.xmm_percent)], 1, &|one| one.percent(|mix| mix.xmm));
    row("256-bit instructions, %", [None; 3], 1, &|one| one.percent(|mix| mix.wider));
    row("branches predicted, %", paper.predicted_percent.map(Some), 1, &|one| one.mix.as_ref()?.predicted_percent());
    let impacts = ["mispredicted branches", "split loads", "split stores", "64K aliasing", "trace cache misses"];
    for (name, impact) in impacts.into_iter().zip(paper.impacts) {
        row(&format!("impact of {name}"), impact.map_or([None; 3], |impact| impact.map(Some)), 3, &|_| None);
    }
    row("instructions per block", [None; 3], 0, &|one| Some(one.count(|mix| mix.instructions)? / one.blocks));
    row("instructions per byte", [None; 3], 2, &|one| Some(one.count(|mix| mix.instructions)? / one.bytes));
    row("loads per byte", [None; 3], 2, &|one| Some(one.count(|mix| mix.loads)? / one.bytes));
    row("stores per byte", [None; 3], 2, &|one| Some(one.count(|mix| mix.stores)? / one.bytes));
    row("cycles per byte", [None; 3], 2, &|one| Some(one.cycles.core? / one.bytes));
    row("TSC cycles per byte", [None; 3], 2, &|one| Some(one.cycles.tsc? / one.bytes));
    table
}

fn plot(measured: &[Measured]) -> Plot {
    let bars = |code: &&str| Bars {
        name: (*code).into(),
        source: Source::Ours,
        values: PAPER.iter().map(|paper| find(measured, paper.function, code)?.cycles_per_instruction()).collect(),
    };
    let paper = |(index, code): (usize, &&str)| Bars {
        name: format!("paper: {code}"),
        source: Source::Paper,
        values: PAPER.iter().map(|paper| Some(paper.cycles_per_instruction[index])).collect(),
    };
    let mut series: Vec<Bars> = CODES[..3].iter().enumerate().map(paper).collect();
    series.extend(CODES[..4].iter().map(bars));
    Plot::Bars {
        title: "Cycles per instruction".into(),
        y_label: "cycles of the core per instruction".into(),
        categories: PAPER.iter().map(|paper| paper.function.into()).collect(),
        series,
    }
}

fn judge(figure: &mut Figure, measured: &[Measured]) {
    let each = |value: &dyn Fn(&str) -> Option<f64>| PAPER.iter().map(|paper| value(paper.function)).collect::<Option<Vec<f64>>>();
    let listed = |values: &Option<Vec<f64>>, digits: usize| {
        values
            .as_ref()
            .map_or("not measured".into(), |values| values.iter().map(|value| format!("{value:.digits$}")).collect::<Vec<_>>().join(", "))
    };
    let cycles = |function: &str, code: &str| find(measured, function, code)?.cycles_per_instruction();
    let slower = each(&|function| Some(cycles(function, "XMM")? / cycles(function, "scalar")?));
    let most = each(&|function| find(measured, function, "XMM")?.percent(|mix| mix.xmm));
    let mmx = each(&|function| find(measured, function, "MMX")?.percent(|mix| mix.mmx));
    let predicted = each(&|function| find(measured, function, "XMM")?.mix.as_ref()?.predicted_percent());
    figure.claims = vec![
        Claim::new(
            "An instruction of XMM code takes more cycles on average than one of scalar code",
            "appendix",
            "1.88, 1.69 and 2.26 times as many (SHA-1, SHA-256, SHA-512)",
            format!("{} times as many", listed(&slower, 2)),
            slower.as_ref().map(|ratios| ratios.iter().all(|ratio| *ratio > 1.05)),
        ),
        Claim::new(
            "More than half of the instructions of MMX and of XMM code are on such registers",
            "appendix",
            "51, 53, 53 % and 76, 66, 57 %",
            format!("{} % and {} %", listed(&mmx, 0), listed(&most, 0)),
            mmx.as_ref().zip(most.as_ref()).map(|(mmx, xmm)| mmx.iter().chain(xmm).all(|percent| *percent > 50.0)),
        ),
        Claim::new(
            "Branches are predicted and do not count",
            "appendix",
            "97.7 to 98.9 %",
            format!("{} % in XMM code, by a simulated predictor", listed(&predicted, 1)),
            predicted.as_ref().map(|percents| percents.iter().all(|percent| *percent > 90.0)),
        ),
    ];
    figure.still_holds = match &slower {
        Some(ratios) if ratios.iter().all(|ratio| *ratio > 1.05) => {
            "Vector code still executes fewer instructions in a cycle than scalar code: fewer units have vectors.".into()
        }
        _ => "An unrolled compression function has next to no branches, and most of the instructions of vector code are arithmetic on \
vectors."
            .into(),
    };
    let pays = |function: &str| {
        let per_byte = |code: &str| Some(find(measured, function, code)?.cycles.median_ns / find(measured, function, code)?.bytes);
        Some(per_byte("scalar")? / per_byte("XMM")?)
    };
    figure.changed = match each(&pays) {
        Some(gains) if gains.iter().all(|gain| *gain > 1.0) => {
            "The Pentium 4 made two micro-ops and more of a 128-bit instruction; CPUs with units of 128 bits make one, and execute \
several of them in a cycle, so that fewer instructions per byte are fewer cycles per byte."
                .into()
        }
        _ => "In 2004, XMM code was faster than scalar code by executing fewer, slower instructions; here it is not faster for all \
functions."
            .into(),
    };
}
