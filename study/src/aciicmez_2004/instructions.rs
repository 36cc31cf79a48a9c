//! Figure 4.5: latency and throughput of instructions.

#[allow(unsafe_code, reason = "assembly")]
mod loops;

use anyhow::Result;
use manyhash_measure::timing::{self, Probe};

use crate::claims::Metrics;
use crate::measured::Measured;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;
use loops::{ALL, Loop, Operation, Registers, Timed};

/// Bytes of what was measured are instructions.
struct Row {
    timed: &'static Timed,
    latency: Option<Measured>,
    throughput: Measured,
}

impl Row {
    fn latency(&self) -> Option<f64> {
        self.latency.as_ref()?.core_cycles_per_byte()
    }

    fn throughput(&self) -> Option<f64> {
        self.throughput.core_cycles_per_byte()
    }

    /// 32-bit words of such registers in a cycle, where no instruction waits.
    fn words_per_cycle(&self) -> Option<f64> {
        Some(self.timed.registers.words() / self.throughput()?)
    }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    // Its readings give the core's cycles: also in a quick run.
    let probe = session.probe.or_else(Probe::calibrate);
    let time = |one: &Loop| {
        (one.run)();
        let samples = (0..session.effort.samples).map(|_| timing::sample(probe, 1, 0, one.run)).collect();
        Measured { name: String::new(), bytes: one.instructions as f64, samples, tsc_ghz: session.tsc_ghz }
    };
    let mut rows = Vec::new();
    for timed in ALL {
        if (timed.is_there)() {
            rows.push(Row { timed, latency: timed.chain.as_ref().map(time), throughput: time(&timed.independent) });
        } else {
            let (name, registers) = (timed.name, timed.registers.name());
            figure.missing.push(format!("{name} in {registers} registers: this CPU has not all of {}", timed.needs.trim()));
        }
    }
    figure.missing.push("test, jump, call and return, which the paper's table has in one row with addition: not timed".into());
    if ALL.is_empty() || probe.is_none() {
        figure.missing.push("all of it: loops and the core's clock are assembly for x86-64 with AVX2".into());
        return Ok(figure);
    }
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

type IsOf = fn(&Timed) -> bool;

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
            let there = in_paper(row.timed);
            figure.beside((&set, ""), row.timed.name, "latency", Source::Ours, row.latency(), there.filter(|_| row.latency.is_some()));
            figure.beside((&set, ""), row.timed.name, "throughput", Source::Ours, row.throughput(), there);
        }
    }
    const SET: &str = "Throughput of registers by their size, by the fastest instruction for it (or four)";
    const WORDS: &str = "32-bit words in a core cycle";
    for (i, (operation, operations)) in COMPARED.into_iter().enumerate() {
        for registers in REGISTERS {
            figure.put((SET, operation), registers.name(), WORDS, Source::Ours, words_per_cycle(rows, registers, operations));
        }
        // Of the paper: words of the register over its cycles.
        figure.put((SET, operation), REGISTERS[0].name(), WORDS, Source::Paper, [2.0, 2.0, 1.0, 1.0][i]);
        figure.put((SET, operation), REGISTERS[2].name(), WORDS, Source::Paper, [2.0, 2.0, 2.0, 4.0 / (4.0 * 2.0)][i]);
    }
    figure.picture(SET, WORDS, Kind::Bars, &[]);
}

const COMPARED: [(&str, &[Operation]); 4] = [
    ("addition", &[Operation::Add]),
    ("exclusive or", &[Operation::Xor]),
    ("shift", &[Operation::Shift]),
    ("rotation", &[Operation::Rotate, Operation::RotateByFour]),
];
const REGISTERS: [Registers; 5] = [Registers::General, Registers::Mmx, Registers::Xmm, Registers::Ymm, Registers::Zmm];

/// By the fastest way in these registers to do any of these operations.
fn words_per_cycle(rows: &[Row], registers: Registers, operations: &[Operation]) -> Option<f64> {
    let rows = rows.iter().filter(|row| row.timed.registers == registers && operations.contains(&row.timed.operation));
    rows.filter_map(Row::words_per_cycle).max_by(f64::total_cmp)
}

fn metrics(rows: &[Row]) -> Metrics {
    let mut metrics = Metrics::default();
    // The papers' instructions: those of SSE2 and MMX, and not what came later in the same
    // registers.
    let find = |name: &str, registers: Registers| rows.iter().find(|row| row.timed.name == name && row.timed.registers == registers);
    for (metric, registers) in [("MMX", Registers::Mmx), ("XMM", Registers::Xmm)] {
        let over_32_bits = [("paddd", "add"), ("pxor", "xor")].into_iter().flat_map(|(simd, general)| {
            let both = find(simd, registers).zip(find(general, Registers::General));
            let ratio = |of: fn(&Row) -> Option<f64>| both.and_then(|(simd, general)| Some(of(simd)? / of(general)?));
            [(format!("latency of {general}"), ratio(Row::latency)), (format!("throughput of {general}"), ratio(Row::throughput))]
        });
        metrics.each(metric, over_32_bits);
    }
    let words = |name: &str, registers: Registers| find(name, registers)?.words_per_cycle();
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
            let of = |timed: &Timed| Measured::synthetic("", 1, core(timed));
            let rows: Vec<Row> = ALL.iter().map(|timed| Row { timed, latency: Some(of(timed)), throughput: of(timed) }).collect();
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
