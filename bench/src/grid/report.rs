//! What the grid says at its end: for each algorithm its peers, and the worst cells.

use std::io::{self, Write};

use super::before::Before;
use super::outcome::{Cell, Summary};
use crate::report::{self, Table};

/// How many of the worst cells are named.
const WORST: usize = 10;

/// Prints everything: an algorithm and what ran before its calls, one after the other.
pub fn print(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    for cells in cells.chunk_by(|a, b| a.algorithm == b.algorithm && a.before == b.before) {
        part(out, cells)?;
    }
    let quiet = cells.iter().filter(|cell| cell.by_quiet).count();
    writeln!(out, "\n{quiet} of {} cells judged by quiet samples; ~ too few of them: medians of time on the CPU.", cells.len())
}

fn part(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    let Some(first) = cells.first() else {
        return Ok(());
    };
    let before = if first.before == Before::Nothing { String::new() } else { format!(", {} before each call", first.before.name()) };
    writeln!(out, "\n{}{before}: times as fast as (above 1: manyhash is faster)", first.algorithm)?;
    let mut table = Table::default();
    table.row(["", "cells", "geometric mean", "below 1", "below 0.97"].map(String::from));
    let mut line = |name: &str, ratios: &mut dyn Iterator<Item = f64>| {
        if let Some(summary) = Summary::of(ratios) {
            let counts = [summary.below_1, summary.below_0_97].map(|count| count.to_string());
            let before = [name.to_string(), summary.cells.to_string(), format!("{:.2}", summary.geometric_mean)];
            table.row(before.into_iter().chain(counts));
        }
    };
    line("best peer of each cell", &mut cells.iter().filter_map(Cell::ratio));
    for peer in peers(cells) {
        let ratio = |cell: &Cell| cell.rows.iter().find(|row| row.peer == peer).and_then(|row| cell.ratio_to(row));
        line(peer, &mut cells.iter().filter_map(ratio));
    }
    table.write(out)?;
    worst(out, cells)
}

/// The names of all but manyhash, in order of first appearance.
fn peers(cells: &[Cell]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in cells.iter().flat_map(|cell| &cell.rows).filter(|row| row.standing == crate::peers::Standing::Peer) {
        if !names.contains(&row.peer.as_str()) {
            names.push(&row.peer);
        }
    }
    names
}

fn worst(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    let mut ranked: Vec<(f64, &Cell)> = cells.iter().filter_map(|cell| Some((cell.ratio()?, cell))).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    writeln!(out, "the worst cells:")?;
    let mut table = Table::default();
    table.row(["", "messages", "lengths", "order", "place", "bytes", "manyhash ns", "best peer ns", "best peer"].map(String::from));
    for (ratio, cell) in ranked.into_iter().take(WORST) {
        let (Some(ours), Some(peer)) = (cell.ours(), cell.best_peer()) else {
            continue;
        };
        table.row([
            format!("{}{ratio:.2}", report::mark(cell.by_quiet)),
            cell.messages.to_string(),
            cell.lengths.clone(),
            cell.order.name().into(),
            cell.place.name().into(),
            cell.bytes.to_string(),
            format!("{:.0}", ours.judged_ns),
            format!("{:.0}", peer.judged_ns),
            peer.peer.clone(),
        ]);
    }
    table.write(out)
}
