//! What was timed, beside the paper's values.

use anyhow::Result;

use super::loops::{ALL, Loop, Operation, Registers, Timed};
use crate::aciicmez_2004::core_cycles::{self, Cycles};
use crate::aciicmez_2004::shown::{self, NO_VALUE, cell, number, ratio, without_gaps};
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
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
    figure.tables = tables(&rows);
    figure.tables.push(words_table(&rows));
    figure.plots = vec![plot(&rows)];
    judge(&mut figure, &rows);
    Ok(figure)
}

/// The paper's latency, which is its throughput too; of two instructions that are timed together, the sum.
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

fn tables(rows: &[Row]) -> Vec<Table> {
    let of_subject = |(subject, is_of): (&str, IsOf)| {
        let mut table = Table::new(
            format!("{subject}: latency and throughput of instructions, in core cycles"),
            [
                "instruction",
                "latency: paper",
                "latency: here",
                "latency: here / paper",
                "throughput: paper",
                "throughput: here",
                "throughput: here / paper",
            ],
        );
        for row in rows.iter().filter(|row| is_of(row.timed)) {
            let paper = in_paper(row.timed);
            let latency = row.latency.as_ref().and_then(|cycles| cycles.core);
            let paper_latency = paper.filter(|_| row.latency.is_some());
            table.row([
                row.timed.name.into(),
                Cell::maybe(paper_latency, 1),
                cell(latency),
                ratio(latency, paper_latency),
                Cell::maybe(paper, 1),
                cell(row.throughput.core),
                ratio(row.throughput.core, paper),
            ]);
        }
        without_gaps(table, 1)
    };
    TABLES.into_iter().map(of_subject).filter(|table| !table.rows.is_empty()).collect()
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
    let mut table =
        Table::new("Throughput of all registers: 32-bit words in a core cycle, by the fastest instruction for it (or four)", columns);
    for (name, operations) in COMPARED {
        let words = REGISTERS.map(|registers| cell(words_per_cycle(rows, registers, operations)));
        table.row([Cell::from(name)].into_iter().chain(words));
    }
    without_gaps(table, 1)
}

fn plot(rows: &[Row]) -> Plot {
    let ours = |registers: Registers| Bars {
        name: registers.name().into(),
        source: Source::Ours,
        values: COMPARED.iter().map(|(_, operations)| words_per_cycle(rows, registers, operations)).collect(),
    };
    // Of the paper: words of the register over its cycles.
    let paper = |name: &str, values: [f64; 4]| Bars { name: name.into(), source: Source::Paper, values: values.map(Some).to_vec() };
    let mut series = vec![paper("paper: 32-bit", [2.0, 2.0, 1.0, 1.0]), paper("paper: 128-bit XMM", [2.0, 2.0, 2.0, 4.0 / (4.0 * 2.0)])];
    series.extend(REGISTERS.map(ours));
    Plot::Bars {
        title: "Throughput of registers by their size: 32-bit words in a core cycle".into(),
        y_label: "32-bit words in a core cycle, median".into(),
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
    // Latencies and throughputs, over those of 32 bits.
    let times_as_long = |registers| -> Option<Vec<f64>> {
        let (add, xor) = (ratios_of("paddd", "add", registers)?, ratios_of("pxor", "xor", registers)?);
        Some(vec![add.0, add.1, xor.0, xor.1])
    };
    let sizes = times_as_long(Registers::Mmx).zip(times_as_long(Registers::Xmm));
    let shown_range = |values: &[f64]| shown::range(values.iter().copied()).expect("four of them");
    let by_size = Claim::new(
        "Operations on 64 bits take twice and those on 128 bits four times as long as those on 32 bits",
        "section 4.2, figure 4.5",
        "2 and 4 times",
        shown::or_not_measured(sizes.as_ref().map(|(mmx, xmm)| {
            format!("{} and {} times, in latency and throughput of addition and exclusive or", shown_range(mmx), shown_range(xmm))
        })),
        sizes.as_ref().map(|(mmx, xmm)| mmx.iter().all(|times| *times >= 1.5) && xmm.iter().all(|times| *times >= 3.0)),
    );
    let words = |name: &str, registers: Registers| Some(1.0 / find(name, registers)?.cycles_per_word()?);
    let over_32_bits = |simd: &str, general: &str| Some(words(simd, Registers::Xmm)? / words(general, Registers::General)?);
    let (add, shift) = (over_32_bits("paddd", "add"), over_32_bits("psrld", "shr"));
    let no_gain = Claim::new(
        "Turning 32-bit additions into wider ones gains nothing",
        "section 4.2",
        "1 time as many words in a cycle in XMM registers",
        shown::or_not_measured(add.map(|gain| format!("{} times as many words in a cycle in XMM registers", number(gain)))),
        add.map(|gain| gain <= 1.05),
    );
    let trials =
        Claim::new(
            "Word for word, SIMD shifts have a higher throughput than 32-bit ones, and SIMD additions a lower one",
            "section 4.2",
            NO_VALUE,
            shown::or_not_measured(shift.zip(add).map(|(shift, add)| {
                format!("{} times for shifts and {} times for additions, in XMM registers", number(shift), number(add))
            })),
            shift.zip(add).map(|(shift, add)| shift > 1.0 && add < 1.0),
        );
    let described = |row: Option<&Row>| {
        row.and_then(|row| Some(format!("latency {} and throughput {} cycles", number(row.latency?.core?), number(row.throughput.core?))))
    };
    let in_xmm = |instruction: &str| described(find(instruction, Registers::Xmm));
    let (one, four) = (in_xmm("vprold"), in_xmm("rotation: movdqa, pslld, psrld, por"));
    let no_rotation = Claim::new(
        "A rotation in SIMD registers takes four instructions",
        "section 4.2",
        "4 instructions",
        match (&one, four) {
            (Some(one), Some(four)) => format!("1 instruction of AVX-512: {one}; 4 instructions: {four}"),
            (None, Some(four)) => format!("4 instructions, without AVX-512: {four}"),
            _ => "not measured".into(),
        },
        Some(one.is_none()),
    );
    let swap = in_xmm("pshufb");
    let no_swap = Claim::new(
        "There is no byte swap for SIMD registers",
        "section 4.2",
        "no such instruction",
        swap.as_ref().map_or("no such instruction, without SSSE3".into(), |one| format!("pshufb of SSSE3: {one}")),
        Some(swap.is_none()),
    );
    let latency = ratios_of("paddd", "add", Registers::Xmm);
    let has_widest = find("vprold", Registers::Zmm).is_some();
    figure.still_holds = match add {
        Some(gain) if gain <= 1.05 => "Word for word, XMM registers still add no faster than 32-bit ones.".into(),
        Some(_) if !has_widest => "Without AVX-512, a rotation of a vector is still four instructions.".into(),
        _ if latency.is_some_and(|(latency, _)| latency >= 0.95) => {
            "A chain of additions is still no faster in vectors than in 32-bit registers: what vectors gain is throughput, and needs \
independent work, which is the paper's own answer."
                .into()
        }
        _ => "What vectors gain still needs independent work, which is the paper's own answer.".into(),
    };
    figure.changed = changed(add, has_widest, find("sha256rnds2", Registers::Xmm).is_some());
    figure.claims = vec![by_size, no_gain, trials, no_rotation, no_swap];
}

fn changed(gain: Option<f64>, has_rotation: bool, has_sha: bool) -> String {
    let first = match gain {
        Some(gain) if gain > 1.05 => {
            "The Pentium 4 passed a 128-bit operation through narrower units in steps; here units are at least as wide as XMM registers, \
so that a vector costs less than its four words do."
        }
        Some(_) => "This CPU, too, gains nothing by XMM registers for additions, so that wider registers would have to make up for it.",
        None => "The core's cycles could not be told here.",
    };
    let second = match (has_rotation, has_sha) {
        (true, true) => " AVX-512 rotates in one instruction, and the SHA extensions do whole rounds.",
        (true, false) => " AVX-512 rotates in one instruction.",
        (false, true) => " The SHA extensions do whole rounds.",
        (false, false) => "",
    };
    format!("{first}{second}")
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
    fn every_row_is_in_one_table() {
        for timed in ALL {
            let tables = TABLES.iter().filter(|(_, is_of)| is_of(timed)).count();
            assert_eq!(tables, 1, "{} in {}", timed.name, timed.registers.name());
        }
    }

    fn judged(core: impl Fn(&Timed) -> f64) -> Figure {
        let cycles = |timed: &Timed| Cycles { core: Some(core(timed)), median_ns: core(timed) };
        let rows: Vec<Row> = ALL.iter().map(|timed| Row { timed, latency: Some(cycles(timed)), throughput: cycles(timed) }).collect();
        let mut figure = Figure::default();
        judge(&mut figure, &rows);
        [&figure.still_holds, &figure.changed].iter().for_each(|text| shown::assert_is_readable(text));
        figure
    }

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        use crate::model::Verdict::{DoesNot, Holds};
        let verdicts = |figure: &Figure| figure.claims[..3].iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        let as_in_paper = judged(|timed| in_paper(timed).unwrap_or(1.0));
        assert_eq!(verdicts(&as_in_paper), [Holds, Holds, DoesNot]);
        assert!(as_in_paper.still_holds.starts_with("Word for word"), "{}", as_in_paper.still_holds);
        let all_alike = judged(|_| 1.0);
        assert_eq!(verdicts(&all_alike), [DoesNot, DoesNot, DoesNot]);
        assert!(all_alike.claims[0].here.starts_with("1.00 and 1.00 times"), "{}", all_alike.claims[0].here);
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
