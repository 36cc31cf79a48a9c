//! What was timed, beside the paper's values.

use anyhow::Result;

use super::loops::{ALL, Loop, Operation, Registers, Timed};
use crate::aciicmez_2004::core_cycles::{self, Cycles};
use crate::claims::Metrics;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;

const METHOD: &str = "Latency: a chain of instructions, each of which waits for the one before. Throughput, as Intel's manuals and the \
paper have it: cycles from one instruction to the next of the kind, where none waits (eight general-purpose registers, seven of MMX or \
twelve vectors in turn). A loop of about two hundred thousand instructions is timed between two chains of dependent multiplications of \
three cycles each, which give the core's cycles beside it; the median of the quiet samples. A load's latency is that of a pointer that \
points to itself. Push and pop are timed together, and the paper's value for them is twice the one that it has for each; so are the four \
instructions of a rotation. The paper took its values from Intel's books; it calls them approximate.";

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
    figure.missing.push("test, jump, call and return, which the paper's table has in one row with addition: not timed".into());
    publish(&mut figure, &rows);
    figure.metrics = metrics(&rows);
    Ok(figure)
}

/// The paper's latency, which is its throughput too; of two instructions that are timed together,
/// the sum.
fn in_paper(timed: &Timed) -> Option<f64> {
    use Operation::{Add, Compare, Move, Rotate, Shift, Stack, Xor};
    use Registers::{General, Mmx, Xmm};
    match (timed.registers, timed.operation, timed.needs.trim()) {
        (General, Add | Xor | Compare | Move, _) => Some(0.5),
        (General, Rotate | Shift, "") => Some(1.0),
        (General, Stack, _) => Some(2.0),
        (Mmx, Add | Xor | Shift | Move, _) | (Xmm, Move, "sse2") => Some(1.0),
        (Xmm, Add | Xor | Shift, "sse2") => Some(2.0),
        _ => None,
    }
}

/// Whether a table has a row for it.
type IsOf = fn(&Timed) -> bool;

/// Tables, and which rows they have.
const TABLES: [(&str, IsOf); 7] = [
    ("Registers of 32 bits", |timed| timed.registers == Registers::General),
    ("MMX registers of 64 bits", |timed| timed.registers == Registers::Mmx),
    ("XMM registers of 128 bits with SSE2, as in the paper", |timed| timed.registers == Registers::Xmm && timed.needs.trim() == "sse2"),
    ("XMM registers of 128 bits, by what came later", |timed| {
        timed.registers == Registers::Xmm && timed.needs.trim() != "sse2" && timed.operation != Operation::Sha
    }),
    ("YMM registers of 256 bits", |timed| timed.registers == Registers::Ymm),
    ("ZMM registers of 512 bits", |timed| timed.registers == Registers::Zmm),
    ("SHA extensions", |timed| timed.operation == Operation::Sha),
];

fn publish(figure: &mut Figure, rows: &[Row]) {
    for (subject, is_of) in TABLES {
        let set = format!("{subject}: instructions, in core cycles");
        for row in rows.iter().filter(|row| is_of(row.timed)) {
            let latency = row.latency.as_ref().and_then(|cycles| cycles.core);
            let there = in_paper(row.timed);
            figure.put((&set, ""), row.timed.name, "latency", Source::Ours, latency);
            figure.put((&set, ""), row.timed.name, "latency", Source::Paper, there.filter(|_| row.latency.is_some()));
            figure.put((&set, ""), row.timed.name, "throughput", Source::Ours, row.throughput.core);
            figure.put((&set, ""), row.timed.name, "throughput", Source::Paper, there);
        }
    }
    const SET: &str = "Throughput of registers by their size, by the fastest instruction for it (or four)";
    const WORDS: &str = "32-bit words in a core cycle";
    let names = ["32-bit", "64-bit MMX", "128-bit XMM", "256-bit YMM", "512-bit ZMM"];
    for (i, (operation, operations)) in COMPARED.into_iter().enumerate() {
        for (name, registers) in names.into_iter().zip(REGISTERS) {
            figure.put((SET, operation), name, WORDS, Source::Ours, words_per_cycle(rows, registers, operations));
        }
        // Of the paper: words of the register over its cycles.
        figure.put((SET, operation), names[0], WORDS, Source::Paper, [2.0, 2.0, 1.0, 1.0][i]);
        figure.put((SET, operation), names[2], WORDS, Source::Paper, [2.0, 2.0, 2.0, 4.0 / (4.0 * 2.0)][i]);
    }
    figure.picture(SET, WORDS, Kind::Bars, &[]);
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

/// How many times as long `row` takes as `other`: latency, throughput.
fn ratios(row: &Row, other: &Row) -> Option<(f64, f64)> {
    Some((row.latency?.core? / other.latency?.core?, row.throughput.core? / other.throughput.core?))
}

fn metrics(rows: &[Row]) -> Metrics {
    let mut metrics = Metrics::default();
    // The papers' instructions: those of SSE2 and MMX, and not what came later in the same
    // registers.
    let find = |name: &str, registers: Registers| rows.iter().find(|row| row.timed.name == name && row.timed.registers == registers);
    for (metric, registers) in [("MMX", Registers::Mmx), ("XMM", Registers::Xmm)] {
        let over_32_bits = [("paddd", "add"), ("pxor", "xor")].into_iter().flat_map(|(simd, general)| {
            let both = find(simd, registers).zip(find(general, Registers::General));
            let (latency, throughput) = both.and_then(|(simd, general)| ratios(simd, general)).unzip();
            [(format!("latency of {general}"), latency), (format!("throughput of {general}"), throughput)]
        });
        metrics.each(metric, over_32_bits);
    }
    let words = |name: &str, registers: Registers| Some(1.0 / find(name, registers)?.cycles_per_word()?);
    let over_32_bits = |simd: &str, general: &str| Some(words(simd, Registers::Xmm)? / words(general, Registers::General)?);
    metrics.set("additions", over_32_bits("paddd", "add"));
    // A load of 64 bits is two words.
    metrics.set("moves", over_32_bits("movdqa (load)", "mov (load of 64 bits)").map(|words| words / 2.0));
    metrics.set("shifts", over_32_bits("psrld", "shr"));
    let rotates = find("vprold", Registers::Xmm).is_some();
    let how = if rotates { "vprold of AVX-512" } else { "movdqa, pslld, psrld, por, without AVX-512" };
    metrics.each("instructions of a rotation", [(how, Some(if rotates { 1.0 } else { 4.0 }))]);
    let swaps = find("pshufb", Registers::Xmm).is_some();
    let how = if swaps { "pshufb of SSSE3" } else { "without SSSE3" };
    metrics.each("byte swaps", [(how, Some(f64::from(u8::from(swaps))))]);
    metrics
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
        // What every x86-64 has: 8 in 32 bits of which one has no chain, and 5 in MMX and in XMM
        // registers, as well.
        assert!(run >= 7 + 8 + 2 * (4 + 5), "{run}");
    }

    #[test]
    fn every_row_is_in_one_table() {
        for timed in ALL {
            let tables = TABLES.iter().filter(|(_, is_of)| is_of(timed)).count();
            assert_eq!(tables, 1, "{} in {}", timed.name, timed.registers.name());
        }
    }

    #[test]
    fn verdicts_follow_the_values() {
        use crate::claims::judge;
        use crate::model::Verdict::{DoesNot, Holds};
        let judged = |core: &dyn Fn(&Timed) -> f64| {
            let cycles = |timed: &Timed| Cycles { core: Some(core(timed)), median_ns: core(timed) };
            let rows: Vec<Row> = ALL.iter().map(|timed| Row { timed, latency: Some(cycles(timed)), throughput: cycles(timed) }).collect();
            judge("2004-4.5", &metrics(&rows)).expect("rules fit")
        };
        let as_in_paper = judged(&|timed| in_paper(timed).unwrap_or(1.0));
        assert_eq!([0, 1, 2].map(|claim| as_in_paper[claim].verdict), [Holds, Holds, DoesNot]);
        let all_alike = judged(&|_| 1.0);
        assert_eq!([0, 1, 2].map(|claim| all_alike[claim].verdict), [DoesNot; 3]);
        assert!(all_alike[0].here.starts_with("1 (latency of add), "), "{}", all_alike[0].here);
        // The table has both instructions, whatever this CPU has.
        assert_eq!([4, 5].map(|claim| all_alike[claim].verdict), [DoesNot; 2]);
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
