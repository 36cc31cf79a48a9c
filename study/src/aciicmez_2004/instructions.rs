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

/// What was measured of an instruction, in cycles of the core.
struct Row {
    timed: &'static Timed,
    latency: Option<f64>,
    throughput: Option<f64>,
}

impl Row {
    /// 32-bit words of such registers in a cycle, where no instruction waits.
    fn words_per_cycle(&self) -> Option<f64> {
        Some(self.timed.registers.words() / self.throughput?)
    }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    const SET: &str = "Throughput of registers by their size, by the fastest instruction for it (or four)";
    const WORDS: &str = "32-bit words in a core cycle";
    let mut figure = Figure::default();
    // Its readings give the core's cycles: also in a quick run.
    let probe = session.probe.or_else(Probe::calibrate);
    let time = |one: &Loop| {
        (one.run)();
        let samples = (0..session.effort.samples).map(|_| timing::sample(probe, 1, 0, one.run)).collect();
        // Its bytes are instructions.
        Measured { name: String::new(), bytes: one.instructions as f64, samples, tsc_ghz: session.tsc_ghz }.core_cycles_per_byte()
    };
    let mut rows = Vec::new();
    for timed in ALL {
        if (timed.is_there)() {
            rows.push(Row { timed, latency: timed.chain.as_ref().and_then(time), throughput: time(&timed.independent) });
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
    for Row { timed, latency, throughput } in &rows {
        let set = format!("{}: instructions, in core cycles", timed.table);
        figure.beside((&set, ""), timed.name, "latency", Source::Ours, *latency, timed.paper.filter(|_| latency.is_some()));
        figure.beside((&set, ""), timed.name, "throughput", Source::Ours, *throughput, timed.paper);
    }
    for (operation, operations, papers) in COMPARED {
        for (i, registers) in REGISTERS.into_iter().enumerate() {
            let here = words_per_cycle(&rows, registers, operations);
            figure.beside((SET, operation), registers.name(), WORDS, Source::Ours, here, papers.get(i).copied().flatten());
        }
    }
    figure.picture(SET, WORDS, Kind::Bars, &[]);
    figure.metrics = metrics(&rows);
    Ok(figure)
}

/// What is compared, and the paper's words in a cycle: those of the registers over its cycles, for the first of [`REGISTERS`].
type Compared = (&'static str, &'static [Operation], [Option<f64>; 3]);
const COMPARED: [Compared; 4] = [
    ("addition", &[Operation::Add], [Some(2.0), None, Some(2.0)]),
    ("exclusive or", &[Operation::Xor], [Some(2.0), None, Some(2.0)]),
    ("shift", &[Operation::Shift], [Some(1.0), None, Some(2.0)]),
    ("rotation", &[Operation::Rotate, Operation::RotateByFour], [Some(1.0), None, Some(4.0 / (4.0 * 2.0))]),
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
            [(format!("latency of {general}"), ratio(|row| row.latency)), (format!("throughput of {general}"), ratio(|row| row.throughput))]
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
    fn verdicts_follow_the_values() {
        use crate::claims::judge;
        use crate::model::Verdict::{DoesNot, Holds};
        let judged = |core: &dyn Fn(&Timed) -> f64| {
            let of = |timed| Row { timed, latency: Some(core(timed)), throughput: Some(core(timed)) };
            let rows: Vec<Row> = ALL.iter().map(of).collect();
            judge("2004-4.5", &metrics(&rows)).expect("rules fit")
        };
        let as_in_paper = judged(&|timed| timed.paper.unwrap_or(1.0));
        assert_eq!([0, 1, 2].map(|claim| as_in_paper[claim].verdict), [Holds, Holds, DoesNot]);
        let all_alike = judged(&|_| 1.0);
        assert_eq!([0, 1, 2].map(|claim| all_alike[claim].verdict), [DoesNot; 3]);
        assert!(all_alike[0].here.starts_with("1 (latency of add), "), "{}", all_alike[0].here);
        // The table has both instructions, whatever this CPU has.
        assert_eq!([4, 5].map(|claim| all_alike[claim].verdict), [DoesNot; 2]);
    }
}
