//! The same as text, for a terminal.

use std::io::{self, Write};

use crate::figures::ID_WIDTH;
use crate::model::{Figure, Study, Table, Verdict};
use crate::session::Machine;

pub fn machine(out: &mut dyn Write, machine: &Machine) -> io::Result<()> {
    writeln!(out, "{}, {}, {}", machine.cpu, machine.platform, machine.date)?;
    writeln!(out, "instruction sets: {}", machine.features.join(" "))?;
    let gigahertz = |value: Option<f64>| value.map_or("not measured".into(), |value| format!("{value:.3} GHz"));
    writeln!(
        out,
        "time-stamp counter: {}; core: {}; frequency: {}",
        gigahertz(machine.tsc_ghz),
        gigahertz(machine.clock_ghz),
        machine.frequency
    )?;
    for (name, value) in machine.backends.iter().chain(&machine.versions) {
        writeln!(out, "{name}: {value}")?;
    }
    Ok(())
}

pub fn figure(out: &mut dyn Write, figure: &Figure) -> io::Result<()> {
    writeln!(out, "\n== {} == {}\n{}", figure.id, figure.title, figure.place)?;
    if !figure.method.is_empty() {
        writeln!(out, "{}", figure.method)?;
    }
    for table in &figure.tables {
        self::table(out, table)?;
    }
    for (label, sentence) in [("still holds", &figure.still_holds), ("changed", &figure.changed)] {
        if !sentence.is_empty() {
            writeln!(out, "\n{label}: {sentence}")?;
        }
    }
    for missing in &figure.missing {
        writeln!(out, "missing: {missing}")?;
    }
    if let Some(failed) = &figure.failed {
        writeln!(out, "FAILED: {failed}")?;
    }
    Ok(())
}

fn table(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    writeln!(out, "\n{}", table.title)?;
    let mut rows = vec![table.columns.clone()];
    rows.extend(table.rows.iter().map(|row| row.iter().map(|cell| cell.text()).collect()));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    for row in rows {
        let mut line = format!("  {:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

pub fn claims(out: &mut dyn Write, study: &Study) -> io::Result<()> {
    writeln!(out, "\n== claims ==")?;
    for figure in &study.figures {
        for claim in &figure.claims {
            let verdict = match claim.verdict {
                Verdict::Holds => "holds",
                Verdict::DoesNot => "DOES NOT HOLD",
                Verdict::NotMeasured => "not measured",
            };
            writeln!(out, "{:ID_WIDTH$} {verdict}: {} ({}: {}; here: {})", figure.id, claim.text, claim.place, claim.paper, claim.here)?;
        }
    }
    if study.quick {
        writeln!(out, "\n--quick: every digest was verified; the values mean nothing.")?;
    }
    Ok(())
}
