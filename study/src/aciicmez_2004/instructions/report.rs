//! What was timed, beside the paper's values.

use anyhow::Result;

use super::loops::{ALL, Loop, Operation, Registers, Timed};
use crate::aciicmez_2004::core_cycles::{self, Cycles};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

const METHOD: &str = "Latency: a chain of instructions, each of which waits for the one before. Throughput, as Intel's manuals and the \
paper have it: cycles from one instruction to the next of the kind, where none waits (eight general-purpose registers, seven of MMX or \
twelve vectors in turn). A loop of about two hundred thousand instructions is timed between two chains of dependent multiplications of \
three cycles each, which give the core's cycles beside it; the median of the samples. A load's latency is that of a pointer that points \
to itself; push and pop, and the four instructions of a rotation, are timed together as one. The paper took its values from Intel's \
books; it calls them approximate.";

/// One row.
struct Row {
    timed: &'static Timed,
    latency: Option<Cycles>,
    throughput: Cycles,
}

impl Row {
    /// Cycles that 32-bit words of such registers take on average, where no instruction waits.
    fn cycles_per_word(&self) -> Option<f64> {
        Some(self.throughput.core? / self.timed.registers.words())
    }
}

pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { method: METHOD.into(), ..Figure::default() };
    let mut rows = Vec::new();
    for timed in ALL {
        if (timed.is_there)() {
            let time = |one: &Loop| core_cycles::measure(session, one.run).per(one.instructions as f64);
            rows.push(Row { timed, latency: timed.chain.as_ref().map(time), throughput: time(&timed.independent) });
        } else {
            let (name, registers) = (timed.name, timed.registers.name());
            figure.missing.push(format!("{name} in {registers} registers: this CPU has not all of {}", timed.needs.trim()));
        }
    }
    figure.tables = vec![table(&rows), words_table(&rows)];
    figure.plots = vec![plot(&rows)];
    judge(&mut figure, &rows);
    Ok(figure)
}

/// The paper's latency, which is its throughput too.
fn in_paper(timed: &Timed) -> Option<f64> {
    use Operation::{Add, Compare, Move, Rotate, Shift, Stack, Xor};
    use Registers::{General, Mmx, Xmm};
    match (timed.registers, timed.operation, timed.needs.trim()) {
        (General, Add | Xor | Compare | Move, _) => Some(0.5),
        (General, Stack | Rotate | Shift, "") => Some(1.0),
        (Mmx, Add | Xor | Shift | Move, _) | (Xmm, Move, "sse2") => Some(1.0),
        (Xmm, Add | Xor | Shift, "sse2") => Some(2.0),
        _ => None,
    }
}

fn table(rows: &[Row]) -> Table {
    let columns =
        ["instruction", "registers", "paper: latency", "latency", "paper: throughput", "throughput", "latency (TSC)", "throughput (TSC)"];
    let mut table = Table::new("Latency and throughput, in cycles of the core; the last two in cycles of the time-stamp counter", columns);
    for row in rows {
        let paper = Cell::maybe(in_paper(row.timed), 1);
        let latency = |of: fn(&Cycles) -> Option<f64>| Cell::maybe(row.latency.as_ref().and_then(of), 2);
        table.row([
            row.timed.name.into(),
            row.timed.registers.name().into(),
            if row.latency.is_some() { paper.clone() } else { Cell::Absent },
            latency(|cycles| cycles.core),
            paper,
            Cell::maybe(row.throughput.core, 2),
            latency(|cycles| cycles.tsc),
            Cell::maybe(row.throughput.tsc, 2),
        ]);
    }
    table
}

/// What registers can be compared in, and by which instructions.
const COMPARED: [(&str, &[Operation]); 4] = [
    ("addition", &[Operation::Add]),
    ("exclusive or", &[Operation::Xor]),
    ("shift", &[Operation::Shift]),
    ("rotation", &[Operation::Rotate, Operation::RotateByFour]),
];
const REGISTERS: [Registers; 5] = [Registers::General, Registers::Mmx, Registers::Xmm, Registers::Ymm, Registers::Zmm];

/// The fastest way in these registers to do any of these operations, by words.
fn fastest<'a>(rows: &'a [Row], registers: Registers, operations: &[Operation]) -> Option<&'a Row> {
    let rows = rows.iter().filter(|row| row.timed.registers == registers && operations.contains(&row.timed.operation));
    rows.filter(|row| row.throughput.core.is_some()).min_by(|a, b| a.throughput.median_ns.total_cmp(&b.throughput.median_ns))
}

fn words_per_cycle(rows: &[Row], registers: Registers, operations: &[Operation]) -> Option<f64> {
    Some(1.0 / fastest(rows, registers, operations)?.cycles_per_word()?)
}

fn words_table(rows: &[Row]) -> Table {
    let columns = ["operation", "32-bit", "64-bit MMX", "128-bit XMM", "256-bit YMM", "512-bit ZMM"];
    let mut table = Table::new("32-bit words in a cycle of the core, by the fastest instruction, or four, for it", columns);
    for (name, operations) in COMPARED {
        let words = REGISTERS.map(|registers| Cell::maybe(words_per_cycle(rows, registers, operations), 1));
        table.row([Cell::from(name)].into_iter().chain(words));
    }
    table
}

fn plot(rows: &[Row]) -> Plot {
    let ours = |registers: Registers| Bars {
        name: registers.name().into(),
        source: Source::Ours,
        values: COMPARED.iter().map(|(_, operations)| words_per_cycle(rows, registers, operations)).collect(),
    };
    // Of the paper: words of the register over its cycles.
    let paper = |name: &str, values: [f64; 4]| Bars { name: name.into(), source: Source::Paper, values: values.map(Some).to_vec() };
    let mut series =
        vec![paper("Pentium 4, 32-bit", [2.0, 2.0, 1.0, 1.0]), paper("Pentium 4, 128-bit XMM", [2.0, 2.0, 2.0, 4.0 / (4.0 * 2.0)])];
    series.extend(REGISTERS.map(ours));
    Plot::Bars {
        title: "What a cycle does".into(),
        y_label: "32-bit words in a cycle of the core".into(),
        categories: COMPARED.iter().map(|(name, _)| (*name).into()).collect(),
        series,
    }
}

/// How many times as long `row` takes as `other`: latency, throughput.
fn ratios(row: &Row, other: &Row) -> Option<(f64, f64)> {
    Some((row.latency?.core? / other.latency?.core?, row.throughput.core? / other.throughput.core?))
}

fn judge(figure: &mut Figure, rows: &[Row]) {
    // The papers' instructions: those of SSE2 and MMX, and not what came later in the same registers.
    let find = |name: &str, registers: Registers| rows.iter().find(|row| row.timed.name == name && row.timed.registers == registers);
    let ratios_of = |simd: &str, general: &str, registers| ratios(find(simd, registers)?, find(general, Registers::General)?);
    let (mut sizes, mut hold) = (Vec::new(), Some(true));
    for (registers, times) in [(Registers::Mmx, 2.0), (Registers::Xmm, 4.0)] {
        for (simd, general) in [("paddd", "add"), ("pxor", "xor")] {
            let Some((latency, throughput)) = ratios_of(simd, general, registers) else {
                hold = None;
                continue;
            };
            sizes.push(format!("{simd} in {}: latency {latency:.1}, throughput {throughput:.1} times that of {general}", registers.name()));
            hold = hold.map(|hold| hold && latency >= 0.75 * times && throughput >= 0.75 * times);
        }
    }
    let by_size = Claim::new(
        "Operations on 64 bits take twice and those on 128 bits four times as long as those on 32 bits",
        "section 4.2, figure 4.5",
        "0.5, 1 and 2 cycles",
        sizes.join("; "),
        hold,
    );
    let add = |registers| words_per_cycle(rows, registers, &[Operation::Add]);
    let (add_general, add_xmm) = (add(Registers::General), add(Registers::Xmm));
    let gain = add_xmm.zip(add_general).map(|(xmm, general)| xmm / general);
    let no_gain = Claim::new(
        "Turning 32-bit instructions into wider ones gains nothing",
        "section 4.2",
        "2 additions of words in a cycle, in 32-bit and in XMM registers",
        gain.map_or("not measured".into(), |gain| format!("{gain:.1} times as many additions of words in XMM registers as in 32-bit ones")),
        gain.map(|gain| gain <= 1.05),
    );
    let rotation = |instruction: &str| find(instruction, Registers::Xmm);
    let four = find("rotation: movdqa, pslld, psrld, por", Registers::Xmm);
    let described = |row: Option<&Row>| {
        row.and_then(|row| Some(format!("latency {:.1}, throughput {:.1} cycles", row.latency?.core?, row.throughput.core?)))
    };
    let rotate_here = match (described(rotation("vprold")), described(four)) {
        (Some(one), Some(four)) => format!("vprold of AVX-512: {one}; the four instructions: {four}"),
        (None, Some(four)) => format!("no AVX-512 here: the four instructions: {four}"),
        _ => "not measured".into(),
    };
    let no_rotation = Claim::new(
        "SIMD registers cannot be rotated: it takes four instructions",
        "section 4.2",
        "four instructions",
        rotate_here,
        Some(rotation("vprold").is_none()),
    );
    let swap_here = described(rotation("pshufb")).map_or("no SSSE3 here".into(), |one| format!("pshufb of SSSE3: {one}"));
    let no_swap =
        Claim::new("There is no byte swap for SIMD registers", "section 4.2", "none", swap_here, Some(rotation("pshufb").is_none()));
    let latency = ratios_of("paddd", "add", Registers::Xmm);
    let has_widest = find("vprold", Registers::Zmm).is_some();
    figure.still_holds = match gain {
        Some(gain) if gain <= 1.05 => "Word for word, XMM registers still add no faster than 32-bit ones.".into(),
        Some(_) if !has_widest => "Without AVX-512, a rotation of a vector is still four instructions.".into(),
        _ if latency.is_some_and(|(latency, _)| latency >= 0.95) => {
            "A chain of operations waits no less in vectors than in 32-bit registers: what vectors gain is throughput, and needs \
independent work, which is the paper's own answer."
                .into()
        }
        _ => "What vectors gain needs independent work, which is the paper's own answer.".into(),
    };
    figure.changed = changed(gain, has_widest, find("sha256rnds2", Registers::Xmm).is_some());
    figure.claims = vec![by_size, no_gain, no_rotation, no_swap];
}

fn changed(gain: Option<f64>, has_rotation: bool, has_sha: bool) -> String {
    let mut sentence: String = match gain {
        Some(gain) if gain > 1.05 => {
            "The Pentium 4 passed a 128-bit operation through units of 64 bits in two steps, and had additions of half a cycle for 32 \
bits; here they are at least as wide as XMM registers, so that such a vector costs less than its four words do"
        }
        Some(_) => "This CPU, too, gains nothing by XMM registers for additions, so wider registers would have to make up for it",
        None => "The core's cycles could not be told here",
    }
    .into();
    if has_rotation {
        sentence += "; AVX-512 has brought rotations and functions of three operands in one instruction";
    }
    if has_sha {
        sentence += "; and the SHA extensions do whole rounds";
    }
    sentence + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_runs_where_its_instruction_is() {
        let mut run = 0;
        for timed in ALL.iter().filter(|timed| (timed.is_there)()) {
            for one in timed.chain.iter().chain([&timed.independent]) {
                (one.run)();
                assert!(one.instructions > 100_000, "{}", timed.name);
                run += 1;
            }
        }
        // What every x86-64 has: 8 in 32 bits of which one has no chain, and 5 in MMX and in XMM registers, as well.
        assert!(run >= 7 + 8 + 2 * (4 + 5), "{run}");
    }

    #[test]
    fn the_papers_rows_are_those_of_its_cpu() {
        let rows: Vec<(&str, Registers, f64)> =
            ALL.iter().filter_map(|timed| Some((timed.name, timed.registers, in_paper(timed)?))).collect();
        assert_eq!(rows.len(), 15, "{rows:?}");
        assert!(rows.contains(&("add", Registers::General, 0.5)));
        assert!(rows.contains(&("paddd", Registers::Mmx, 1.0)));
        assert!(rows.contains(&("paddd", Registers::Xmm, 2.0)));
        assert!(!rows.iter().any(|(name, ..)| ["rorx", "pshufb", "vprold"].contains(name)), "{rows:?}");
    }
}
