//! The tables, as aligned text.

use std::io::{self, Write};

use crate::contest::{Cell, Row};
use crate::machine::Machine;
use crate::peers::Standing;
use crate::workloads::Placement;
use manyhash_measure::timing::{Clocks, Probe, QUIET_OVERLAP};

/// Messages shorter than this on average are also reported in nanoseconds a message.
const SHORT_BYTES: usize = 1024;

/// Rows of text whose columns line up: the first to the left, the rest to the right.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row; its length may differ from the others'.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints everything.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (text, &width)) in row.iter().zip(&widths).enumerate() {
                line += &if column == 0 { format!("{text:width$}") } else { format!("  {text:>width$}") };
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Three significant digits or two decimals, whichever is more.
fn figure(value: f64) -> String {
    if value < 0.1 { format!("{value:.3}") } else { format!("{value:.2}") }
}

fn optional(value: Option<f64>) -> String {
    value.map_or("-".into(), figure)
}

/// The machine, the versions, the probe.
pub fn header(out: &mut dyn Write, machine: &Machine, probe: Option<Probe>) -> io::Result<()> {
    let mut table = Table::default();
    let mut line = |name: &str, text: String| writeln!(out, "{name:22}{text}");
    line("date", machine.date.clone())?;
    line("cpu", machine.cpu.clone())?;
    line("features", machine.features.join(" "))?;
    line("platform", machine.platform.clone())?;
    line("pinned to", machine.pinned_to.map_or("no CPU".into(), |cpu| format!("CPU {cpu}")))?;
    line("huge pages", machine.huge_pages.clone().unwrap_or_else(|| "not known".into()))?;
    let clock = probe.and_then(Probe::read).map(|reading| format!("{:.2} GHz", reading.clock_ghz));
    line("clock", clock.unwrap_or_else(|| "not measured".into()))?;
    line(
        "window probe",
        probe.map_or("none: quiet samples cannot be told apart, every median is of all samples".into(), |probe| {
            format!("bodies of {} instructions, quiet from an overlap of {QUIET_OVERLAP}", probe.body_instructions())
        }),
    )?;
    for (name, text) in &machine.notes {
        line(name, text.clone())?;
    }
    writeln!(out)?;
    table.row(machine.versions.iter().map(|(name, _)| name.clone()));
    table.row(machine.versions.iter().map(|(_, version)| version.clone()));
    table.write(out)
}

/// One workload in full: a line for every peer, the placements side by side.
pub fn block(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    let Some(first) = cells.first() else {
        return Ok(());
    };
    let (messages, bytes) = (first.messages, first.bytes);
    writeln!(out, "\n{}  {}: {} ({messages} messages, {bytes} bytes)", first.algorithm, first.workload, first.description)?;
    let short = bytes / messages < SHORT_BYTES;
    let mut table = Table::default();
    let mut heading = vec!["GB/s".to_string()];
    for cell in cells {
        heading.extend([cell.placement.name().into(), "all".into(), "quiet".into(), "ours/peer".into()]);
        heading.extend(short.then(|| "ns/message".into()));
    }
    table.row(heading);
    for row in &first.rows {
        let mut line = vec![label(row)];
        for cell in cells {
            let row = cell.rows.iter().find(|other| other.peer == row.peer).expect("the line-up is the same in every cell");
            let gigabytes = |ns: f64| bytes as f64 / ns;
            line.push(optional(row.quiet_ns().map(gigabytes)));
            line.push(figure(gigabytes(row.all_ns())));
            line.push(format!("{}/{}", row.quiet_samples(), row.samples.len()));
            line.push(optional(cell.ratio_to(row)));
            line.extend(short.then(|| format!("{:.1}", cell.judged_ns(row) / messages as f64)));
        }
        table.row(line);
    }
    table.write(out)
}

fn label(row: &Row) -> String {
    match row.standing {
        Standing::OtherDigest => format!("({}: another digest)", row.peer),
        _ => row.peer.clone(),
    }
}

/// Every peer against every workload, one table for each algorithm and placement, in GB/s.
pub fn matrices(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    for algorithm in distinct(cells, |cell| cell.algorithm) {
        for placement in Placement::ALL {
            let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.algorithm == algorithm && cell.placement == placement).collect();
            writeln!(out, "\n{algorithm}, {}, GB/s (~ median of all samples, else of the quiet ones)", placement.name())?;
            let mut table = Table::default();
            table.row(std::iter::once(String::new()).chain(cells.iter().map(|cell| cell.workload.into())));
            let mut peers: Vec<&Row> = Vec::new();
            for row in cells.iter().flat_map(|cell| &cell.rows) {
                if peers.iter().all(|known| known.peer != row.peer) {
                    peers.push(row);
                }
            }
            for peer in peers {
                table.row(std::iter::once(label(peer)).chain(cells.iter().map(|cell| speed(cell, &peer.peer))));
            }
            table.write(out)?;
        }
    }
    Ok(())
}

/// The GB/s of `peer` by the median the cell is judged by; a dash if it took no part.
pub fn speed(cell: &Cell, peer: &str) -> String {
    let Some(row) = cell.rows.iter().find(|row| row.peer == peer) else {
        return "-".into();
    };
    format!("{}{}", mark(cell.by_quiet() && row.quiet_ns().is_some()), figure(cell.bytes as f64 / cell.judged_ns(row)))
}

/// The last word: manyhash left alone against the best peer of each cell.
pub fn ratios(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    if cells.iter().all(|cell| cell.ours().is_none() || cell.best_peer().is_none()) {
        return Ok(());
    }
    for placement in Placement::ALL {
        writeln!(out, "\nmanyhash / best peer, {} (above 1: manyhash is faster)", placement.name())?;
        let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.placement == placement).collect();
        let workloads = distinct(&cells, |cell| cell.workload);
        let mut table = Table::default();
        table.row(std::iter::once(String::new()).chain(workloads.iter().map(|&name| name.into())));
        for algorithm in distinct(&cells, |cell| cell.algorithm) {
            let of = |workload: &str| cells.iter().find(|cell| cell.algorithm == algorithm && cell.workload == workload);
            let ratio = |workload: &&str| {
                let best = of(workload).and_then(|cell| Some((cell, cell.ratio_to(cell.best_peer()?)?)));
                best.map_or("-".into(), |(cell, ratio)| format!("{}{}", mark(cell.by_quiet()), figure(ratio)))
            };
            let best = |workload: &&str| {
                of(workload).and_then(|cell| cell.best_peer()).map_or("-".into(), |row| row.peer.replace("openssl ", "o-"))
            };
            table.row(std::iter::once(algorithm.to_string()).chain(workloads.iter().map(ratio)));
            table.row(std::iter::once("  best peer".to_string()).chain(workloads.iter().map(best)));
        }
        table.write(out)?;
    }
    writeln!(out, "\n~ too few quiet samples: medians of all. o-: openssl.")?;
    clocks(out, cells.iter().flat_map(|cell| &cell.rows))
}

/// How much of the run was quiet, and the clock in that part: a disturbed probe misreads it.
pub fn clocks<'a>(out: &mut dyn Write, rows: impl Iterator<Item = &'a Row>) -> io::Result<()> {
    let samples: Vec<_> = rows.flat_map(|row| &row.samples).collect();
    let quiet: Vec<_> = samples.iter().copied().filter(|sample| sample.is_quiet()).collect();
    writeln!(out, "{}", Clocks { samples: samples.len(), quiet: &quiet })
}

/// What stands before a figure that is not from quiet samples.
pub fn mark(quiet: bool) -> &'static str {
    if quiet { "" } else { "~" }
}

/// The values of `key`, each once, in order of first appearance.
fn distinct<C: std::borrow::Borrow<Cell>>(cells: &[C], key: impl Fn(&Cell) -> &'static str) -> Vec<&'static str> {
    let mut values = Vec::new();
    for value in cells.iter().map(|cell| key(cell.borrow())) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::default();
        table.row(["".into(), "a".into(), "long".into()]);
        table.row(["name".into(), "1.00".into(), "2".into()]);
        table.row(["n".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "         a  long\nname  1.00     2\nn\n");
    }
}
