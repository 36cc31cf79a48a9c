//! `curves`: speed against the length of the messages, and against their number.
//!
//! Every point is a contest like those of the main mode. What is looked for is not a point but its
//! neighbours: where a curve falls, the schedule chose badly.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use manyhash::Algorithm;
use manyhash::backend::Backend;

use crate::contest::{self, Cell};
use crate::peers::{self, ForLineup, Lineup};
use crate::report::{self, Table};
use crate::run::{Run, RunArguments};
use crate::workloads::{Placement, Workload};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// The most bytes that the messages of a point have together, unless one message has more.
const MOST_BYTES: usize = 64 * MIB;
/// The most messages of a point.
const MOST_MESSAGES: usize = 1024;
/// `--quick` stops each curve here.
const QUICK_BYTES: usize = 256;
const QUICK_MESSAGES: usize = 8;
/// Falls are looked for up to this number of messages, where every number is measured,
const EVERY_MESSAGES: usize = 64;
/// and reported if the speed is below this share of that of one message less.
const FALL: f64 = 0.95;

/// What varies along a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    /// The length of the messages.
    Length,
    /// Their number; the length in bytes is fixed.
    Number(usize),
}

/// The curves: the name of the workload in tables and JSON, what it is, and what varies.
const CURVES: [(&str, &str, Along); 4] = [
    ("length", "1024 messages of equal length, fewer where they would exceed 64 MiB", Along::Length),
    ("batch 64 B", "messages of 64 B, by their number", Along::Number(64)),
    ("batch 1 KiB", "messages of 1 KiB, by their number", Along::Number(KIB)),
    ("batch 16 KiB", "messages of 16 KiB, by their number", Along::Number(16 * KIB)),
];

impl Along {
    /// The points: number of messages, bytes of each.
    fn points(self, quick: bool) -> Vec<(usize, usize)> {
        let fitting = |bytes: usize| (MOST_BYTES / bytes).clamp(1, MOST_MESSAGES);
        match self {
            Self::Length => {
                let most = if quick { QUICK_BYTES } else { 16 * MIB };
                let mut lengths = steps(most);
                lengths.extend([55, 56, 119]); // with 64-byte blocks: the longest of one block, the shortest and the longest of two
                lengths.sort_unstable();
                lengths.into_iter().map(|bytes| (fitting(bytes), bytes)).collect()
            }
            Self::Number(bytes) => {
                let most = if quick { QUICK_MESSAGES } else { MOST_MESSAGES };
                let beyond = steps(most).into_iter().filter(|&n| n > EVERY_MESSAGES);
                (1..=most.min(EVERY_MESSAGES)).chain(beyond).map(|n| (n.min(fitting(bytes)), bytes)).collect()
            }
        }
    }
}

/// The powers of two up to `most`, and three quarters of each.
fn steps(most: usize) -> Vec<usize> {
    let powers = (0..).map(|exponent| 1 << exponent).take_while(|&power| power <= most);
    powers.flat_map(|power: usize| [power / 4 * 3, power]).filter(|&step| step > 0).collect()
}

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let algorithms = arguments.algorithms()?;
    let run = Run::begin(arguments, Duration::from_millis(1), Duration::from_secs(1))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let mut cells = Vec::new();
    for algorithm in algorithms {
        for curve in CURVES {
            let points = curve.2.points(arguments.quick);
            let (measured, lanes) = peers::with_main(algorithm, Measure { curve, points: &points, run: &run })?;
            table(out, &measured, curve.2)?;
            if curve.2 != Along::Length {
                few_messages(out, &measured, &lanes)?;
            }
            out.flush()?;
            cells.extend(measured);
        }
    }
    writeln!(out, "\n~ too few quiet samples: medians of all.")?;
    report::clocks(out, cells.iter().flat_map(|cell| &cell.rows))?;
    run.finish(out, "cells", &cells)
}

/// A contest at every point of a curve, between manyhash left alone and its main peers; and the
/// numbers of lanes there are.
struct Measure<'a> {
    curve: (&'static str, &'static str, Along),
    points: &'a [(usize, usize)],
    run: &'a Run,
}

impl ForLineup for Measure<'_> {
    type Output = (Vec<Cell>, Vec<usize>);
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, mut lineup: Lineup<N>) -> Result<Self::Output> {
        let Self { curve: (name, description, _), points, run } = self;
        let contest = |&(messages, bytes): &(usize, usize)| {
            let workload = Workload::equal(name, description, messages, bytes, stride_bytes(bytes));
            let buffer = workload.buffer()?;
            let placement = Placement::Aligned;
            contest::run(&mut lineup, &workload, placement, &workload.slices(&buffer, placement), run.probe, run.effort)
        };
        let cells = points.iter().map(contest).collect::<Result<_>>()?;
        Ok((cells, Backend::supported().iter().filter_map(Backend::lanes_of::<A>).collect()))
    }
}

/// From one message to the next: a line more than the length where that is a multiple of 4 KiB, so
/// that the curves show lengths and not which of them make addresses equal modulo 4 KiB.
fn stride_bytes(bytes: usize) -> usize {
    if bytes.is_multiple_of(4 * KIB) { bytes + 64 } else { bytes }
}

/// A line for every length, and for the numbers of messages that are a power of two or three
/// quarters of one; the file has all.
fn table(out: &mut dyn Write, cells: &[Cell], along: Along) -> io::Result<()> {
    let Some(first) = cells.first() else {
        return Ok(());
    };
    writeln!(out, "\n{}  {}: {}, GB/s", first.algorithm, first.workload, first.description)?;
    let peers: Vec<&str> = first.rows.iter().map(|row| row.peer.as_str()).collect();
    let mut table = Table::default();
    table.row(["messages", "bytes"].iter().chain(&peers).map(|name| name.to_string()));
    let shown = steps(MOST_MESSAGES);
    for cell in cells.iter().filter(|cell| along == Along::Length || shown.contains(&cell.messages)) {
        let point = [cell.messages.to_string(), (cell.bytes / cell.messages).to_string()];
        table.row(point.into_iter().chain(peers.iter().map(|peer| report::speed(cell, peer))));
    }
    table.write(out)
}

/// What goes wrong with few messages: two that take longer than one after the other, and falls.
fn few_messages(out: &mut dyn Write, cells: &[Cell], lanes: &[usize]) -> io::Result<()> {
    let ours = |cell: &Cell| cell.ours().map(|row| (cell.messages, cell.bytes as f64 / cell.judged_ns(row)));
    let speeds: Vec<(usize, f64)> = cells.iter().filter_map(ours).collect();
    if let [(1, one), (2, two), ..] = speeds[..] {
        let times = 2.0 * one / two;
        let verdict = if times > 2.0 { "SLOWER than" } else { "not slower than" };
        writeln!(out, "2 messages take {times:.2} times as long as 1: {verdict} one after the other")?;
    }
    let is_quiet = |messages| cells.iter().any(|cell| cell.messages == messages && cell.by_quiet());
    let (full, within): (Vec<_>, Vec<_>) = falls(&speeds).into_iter().partition(|&(n, _)| are_full(lanes, n - 1));
    for (what, falls) in [("within the lanes of a shape", within), ("from full lanes to one message more", full)] {
        let text =
            |&(n, share): &(usize, f64)| format!("{}{n} ({:+.0} %)", report::mark(is_quiet(n - 1) && is_quiet(n)), (share - 1.0) * 100.0);
        let list = if falls.is_empty() { "none".into() } else { falls.iter().map(text).collect::<Vec<_>>().join(", ") };
        writeln!(out, "falls {what}, at: {list}")?;
    }
    Ok(())
}

/// Where the speed falls from one message less to this number: the number, and the share that is
/// left. `speeds`: numbers of messages and GB/s.
fn falls(speeds: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let pairs = speeds.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1 && pair[1].0 <= EVERY_MESSAGES);
    pairs.map(|pair| (pair[1].0, pair[1].1 / pair[0].1)).filter(|&(_, share)| share < FALL).collect()
}

/// Whether this number of messages fills a shape, beside as many of the widest as they fill: one
/// more is expected to cost.
fn are_full(lanes: &[usize], messages: usize) -> bool {
    let widest = lanes.iter().copied().max().unwrap_or(1);
    messages.is_multiple_of(widest) || lanes.contains(&(messages % widest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_as_documented() {
        let points = Along::Length.points(false);
        let lengths: Vec<usize> = points.iter().map(|point| point.1).collect();
        assert!(lengths.windows(2).all(|pair| pair[0] < pair[1]), "{lengths:?}");
        assert_eq!(lengths[..15], [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 55, 56, 64, 96]);
        assert_eq!(lengths[lengths.len() - 3..], [8 * MIB, 12 * MIB, 16 * MIB]);
        assert!(lengths.contains(&119));
        for (messages, bytes) in points {
            assert_eq!(messages, if bytes <= 64 * KIB { 1024 } else { 64 * MIB / bytes }, "{bytes}");
        }
    }

    #[test]
    fn numbers_of_messages_are_as_documented() {
        for bytes in [64, KIB, 16 * KIB] {
            let points = Along::Number(bytes).points(false);
            let numbers: Vec<usize> = points.iter().map(|point| point.0).collect();
            assert_eq!(numbers[..64], (1..=64).collect::<Vec<_>>());
            assert_eq!(numbers[64..], [96, 128, 192, 256, 384, 512, 768, 1024]);
            assert!(points.iter().all(|point| point.1 == bytes && point.0 * bytes <= MOST_BYTES));
        }
    }

    #[test]
    fn no_stride_makes_addresses_equal_modulo_4_kib() {
        for (_, bytes) in Along::Length.points(false) {
            assert!(stride_bytes(bytes) >= bytes && !stride_bytes(bytes).is_multiple_of(4 * KIB), "{bytes}");
        }
    }

    #[test]
    fn falls_are_found_between_neighbours() {
        let speeds = [(1, 1.0), (2, 2.0), (3, 1.91), (4, 1.8), (16, 4.0), (17, 2.0), (64, 5.0), (65, 1.0), (96, 0.5)];
        assert_eq!(falls(&speeds), [(4, 1.8 / 1.91), (17, 0.5)]);
    }

    #[test]
    fn full_lanes_are_those_of_a_shape_beside_the_widest() {
        let full: Vec<usize> = (1..=32).filter(|&messages| are_full(&[1, 4, 8, 16], messages)).collect();
        assert_eq!(full, [1, 4, 8, 16, 17, 20, 24, 32]);
    }
}
