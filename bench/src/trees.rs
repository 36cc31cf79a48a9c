//! `trees`: j-lanes hashing of one message by its length, beside the plain digest of the same
//! message.
//!
//! What the rows compute differs: a j-lanes digest is not the digest of the message. Plain rows are
//! verified as in other contests; those of lanes here, against slices cut by definition and hashed
//! by another library.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Result, ensure};
use manyhash::Algorithm;
use manyhash::backend::Backend;
use manyhash::tree::JLanes;

use crate::contest::{self, Cell};
use crate::peers::{self, ForLineup, Lineup, Peer, Standing};
use crate::report::{self, Table};
use crate::run::{Run, RunArguments};
use crate::workloads::{Placement, Workload};

const KIB: usize = 1 << 10;
/// From the shortest of the paper's figure 3 to twice the longest that the second-level cache
/// holds.
const LENGTHS: [usize; 11] =
    [2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB, 4096 * KIB];
/// With `--quick`.
const QUICK_LENGTHS: [usize; 1] = [2 * KIB];
/// The paper's 4, 8 and 16, and what two waves or two threads ask for.
const LANES: [usize; 4] = [4, 8, 16, 32];
/// Numbers of lanes, and the backends whose registers have as many: those that the paper would have
/// chosen.
const FORCED: [(usize, &str); 5] = [(4, "sse2"), (8, "avx2"), (16, "avx512"), (16, "avx512-lean"), (32, "avx512x2")];
/// The plain digests to compare with.
const PLAIN: [&str; 4] = ["sha1", "sha2", "openssl low-level", "aws-lc-rs"];

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let algorithms = arguments.algorithms()?;
    let run = Run::begin(arguments, Duration::from_millis(1), Duration::from_secs(1))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let lengths: &[usize] = if arguments.quick { &QUICK_LENGTHS } else { &LENGTHS };
    let mut cells = Vec::new();
    for algorithm in algorithms {
        let measured = peers::with(algorithm, Measure { lengths, run: &run })?;
        table(out, &measured)?;
        out.flush()?;
        cells.extend(measured);
    }
    writeln!(out, "\n~ too few quiet samples: medians of all.")?;
    report::clocks(out, cells.iter().flat_map(|cell| &cell.rows))?;
    run.finish(out, "cells", &cells)
}

struct Measure<'a> {
    lengths: &'a [usize],
    run: &'a Run,
}

impl ForLineup for Measure<'_> {
    type Output = Vec<Cell>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, mut lineup: Lineup<N>) -> Result<Vec<Cell>> {
        lineup.peers.retain(|peer| PLAIN.contains(&peer.name.as_str()) || peer.name == "manyhash");
        let mut modes = Vec::new();
        for lanes in LANES {
            modes.push((format!("{lanes} lanes"), lanes, JLanes::<A>::new(lanes)?));
        }
        for (lanes, name) in FORCED {
            let Some(backend) = Backend::by_name(name).ok().filter(Backend::supports::<A>) else { continue };
            modes.push((format!("{lanes} lanes:{name}"), lanes, JLanes::<A>::new(lanes)?.on_backend(backend)?));
        }
        for (name, _, mode) in modes.clone() {
            lineup.peers.push(Peer::each(name, move |message| mode.hash(message)).standing(Standing::OtherDigest));
        }
        let contest = |&bytes: &usize| {
            let workload = Workload::equal("trees", "one message, plain and dealt out to lanes", 1, bytes, bytes);
            let buffer = workload.buffer()?;
            let messages = workload.slices(&buffer, Placement::Aligned);
            for (name, lanes, mode) in &modes {
                let expected = expected::<A, N>(messages[0], *lanes, lineup.reference);
                ensure!(mode.hash(messages[0]) == expected, "{name}: wrong digest of {bytes} bytes");
            }
            contest::run(&mut lineup, &workload, Placement::Aligned, &messages, self.run.probe, self.run.effort)
        };
        self.lengths.iter().map(contest).collect()
    }
}

/// j-lanes by definition.
fn expected<A: Algorithm, const N: usize>(message: &[u8], lanes: usize, reference: fn(&[u8]) -> [u8; N]) -> [u8; N] {
    let mut slices = vec![Vec::new(); lanes];
    for (i, word) in message.chunks(if A::BLOCK_BYTES == 64 { 4 } else { 8 }).enumerate() {
        slices[i % lanes].extend_from_slice(word);
    }
    reference(&slices.iter().flat_map(|slice| reference(slice)).collect::<Vec<u8>>())
}

/// A line for every length, a column for every row; and behind the speeds of lanes, how many times
/// those of the fastest plain digest.
fn table(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    let Some(first) = cells.first() else {
        return Ok(());
    };
    writeln!(out, "\n{}  {}: GB/s, and times the fastest plain digest", first.algorithm, first.description)?;
    let mut table = Table::default();
    table.row(std::iter::once("bytes".to_string()).chain(first.rows.iter().map(|row| row.peer.clone())));
    for cell in cells {
        let is_plain = |row: &&contest::Row| row.standing != Standing::OtherDigest;
        let plain_ns = cell.rows.iter().filter(is_plain).map(|row| cell.judged_ns(row)).fold(f64::INFINITY, f64::min);
        let speed = |row: &contest::Row| match row.standing {
            Standing::OtherDigest => format!("{} {:.2}x", report::speed(cell, &row.peer), plain_ns / cell.judged_ns(row)),
            _ => report::speed(cell, &row.peer),
        };
        table.row(std::iter::once(cell.bytes.to_string()).chain(cell.rows.iter().map(speed)));
    }
    table.write(out)
}
