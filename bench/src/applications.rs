//! `applications`: chains of digests, keys of passwords, and trees of other projects, beside the
//! peers that have them.
//!
//! Rows of one application do the same work; its results are verified like digests. The row `lanes`
//! stands beside trees: as many compressions, in messages of 4 KiB of one length, which is what the
//! kernel can do.

mod chains;
mod passwords;
mod trees;

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use manyhash::Algorithm;
use manyhash_measure::Random;
use serde::Serialize;

use crate::contest::{self, Cell};
use crate::peers::{Peer, Standing};
use crate::report::{self, Table};
use crate::run::{Run, RunArguments};
use crate::workloads::Placement;

/// The seed of all inputs.
const SEED: u64 = 25;

/// What is timed: one job that gives digests.
struct Application<const N: usize> {
    algorithm: &'static str,
    name: &'static str,
    description: &'static str,
    /// What its time is divided by: "link".
    unit: &'static str,
    units: usize,
    /// What every peer but `lanes` has to give.
    expected: Vec<[u8; N]>,
    peers: Vec<Peer<N>>,
}

/// An application that was timed.
#[derive(Serialize)]
struct Measured {
    unit: &'static str,
    units: usize,
    #[serde(flatten)]
    cell: Cell,
}

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let run = Run::begin(arguments, Duration::from_millis(4), Duration::from_secs(10))?;
    let asked = arguments.algorithms_of(&[manyhash::Sha1::NAME, manyhash::Sha256::NAME])?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let less = if arguments.quick { 50 } else { 1 };
    let mut all = Vec::new();
    if asked.contains(&manyhash::Sha256::NAME) {
        let of_sha256 = chains::all(less).into_iter().chain(passwords::all(less)).chain(trees::all(less));
        all.extend(of_sha256.map(|application| measure(application, &run)).collect::<Result<Vec<Measured>>>()?);
    }
    if asked.contains(&manyhash::Sha1::NAME) {
        all.extend(trees::git(less).into_iter().map(|application| measure(application, &run)).collect::<Result<Vec<Measured>>>()?);
    }
    for measured in &all {
        table(out, measured)?;
    }
    writeln!(out, "\n~ too few quiet samples: medians of all.")?;
    report::clocks(out, all.iter().flat_map(|measured| &measured.cell.rows))?;
    run.finish(out, "cells", &all)
}

fn measure<const N: usize>(application: Application<N>, run: &Run) -> Result<Measured> {
    let Application { algorithm, name, description, unit, units, expected, mut peers } = application;
    // The peers have their inputs: what they are given only says how many digests there are.
    let messages = vec![&[][..]; expected.len()];
    let entries = peers.iter_mut().map(|peer| (peer, messages.len()));
    let rows = contest::rows(entries, &messages, &expected, &format!("{name}, {description}"), run.probe, run.effort)?;
    let cell = Cell { algorithm, workload: name, description, placement: Placement::Aligned, messages: expected.len(), bytes: 0, rows };
    Ok(Measured { unit, units, cell })
}

/// A line for every row: nanoseconds of a unit, and how many times as long as manyhash.
fn table(out: &mut dyn Write, Measured { unit, units, cell }: &Measured) -> io::Result<()> {
    let mark = report::mark(cell.by_quiet());
    writeln!(out, "\n{}  {}: {} ({units} {unit}s)", cell.algorithm, cell.workload, cell.description)?;
    let mut table = Table::default();
    table.row(["", &format!("ns a {unit}"), "times manyhash"].map(String::from));
    for row in &cell.rows {
        let ns = cell.judged_ns(row) / *units as f64;
        let ratio = cell.ratio_to(row).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        table.row([row.peer.clone(), format!("{ns:.2}{mark}"), ratio]);
    }
    table.write(out)
}

/// A peer whose function gives the digests.
fn peer<const N: usize>(name: &str, mut work: impl FnMut() -> Vec<[u8; N]> + 'static) -> Peer<N> {
    Peer::batch(name, move |_, digests| *digests = work())
}

/// manyhash's own.
fn ours<const N: usize>(work: impl FnMut() -> Vec<[u8; N]> + 'static) -> Peer<N> {
    peer("manyhash", work).standing(Standing::Ours)
}

/// As many compressions with `A`, or a few less, as messages of one length, one after the other through the same 256 KiB.
fn lanes<A: Algorithm<Digest = [u8; N]>, const N: usize>(compressions: usize) -> Peer<N> {
    const MESSAGE: usize = 4096;
    let buffer = random_bytes(64 * MESSAGE);
    let of_message = MESSAGE / A::BLOCK_BYTES + 1;
    let (whole, rest) = (compressions / of_message, compressions % of_message);
    let mut digests = vec![[0; N]; whole + usize::from(rest > 0)];
    Peer::batch("lanes", move |_, _| {
        let mut messages: Vec<&[u8]> = buffer.chunks(MESSAGE).cycle().take(whole).collect();
        if rest > 0 {
            messages.push(&buffer[..(rest - 1) * A::BLOCK_BYTES]);
        }
        manyhash::hash_many_into::<A>(&messages, &mut digests);
    })
    .standing(Standing::OtherDigest)
}

/// Bytes, the same in every run.
fn random_bytes(bytes: usize) -> Vec<u8> {
    let mut filled = vec![0; bytes];
    Random::new(SEED).fill(&mut filled);
    filled
}

/// So many digests' worth of them.
fn random_digests(count: usize) -> Vec<[u8; 32]> {
    random_bytes(32 * count).as_chunks().0.to_vec()
}

/// The blocks of a message with a length of 8 bytes behind it.
fn blocks(bytes: usize) -> usize {
    (bytes + 9).div_ceil(64)
}
