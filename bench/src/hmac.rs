//! `hmac`: tags of many messages under one key, and with a key for each.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use manyhash::Algorithm;

use crate::contest::{self, Cell};
use crate::peers::Peer;
use crate::peers::hmac::{self, ForTagLineup, Secret, TagLineup};
use crate::report;
use crate::run::{Run, RunArguments};
use crate::workloads::{self, Placement, Workload};
use manyhash_measure::Random;

/// With a key for each message: the workload that is taken, the name it then has, and what it is.
const KEYED: (&str, &str, &str) = ("f", "fk", "4096 x 32 to 200 B, a key for each message");
/// Other keys than the messages' bytes.
const SEED: u64 = 3;

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let algorithms = arguments.algorithms()?;
    let run = Run::begin(arguments, Duration::from_millis(2), Duration::from_secs(20))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let mut cells = Vec::new();
    for algorithm in algorithms {
        cells.extend(hmac::with(algorithm, Measure { workloads: &workloads::tagged()?, run: &run })?);
    }
    report::matrices(out, &cells)?;
    report::ratios(out, &cells)?;
    run.finish(out, "cells", &cells)
}

/// So many keys, the same in every run.
pub fn secrets(count: usize) -> Vec<Secret> {
    let mut random = Random::new(SEED);
    let mut secrets = vec![Secret::default(); count];
    secrets.iter_mut().for_each(|secret| random.fill(secret));
    secrets
}

/// Every workload under one key, then one of them with a key for each message; reported as they are
/// measured.
struct Measure<'a> {
    workloads: &'a [Workload],
    run: &'a Run,
}

impl ForTagLineup for Measure<'_> {
    type Output = Vec<Cell>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Vec<Cell>> {
        let Self { workloads, run } = self;
        let one_key = secrets(1);
        let mut peers = (lineup.peers)(&one_key)?;
        let mut cells = Vec::new();
        for workload in workloads {
            let names = (workload.name, workload.description);
            cells.extend(measure(&lineup, &mut peers, &one_key, workload, names, run)?);
        }
        drop(peers);
        for workload in workloads.iter().filter(|workload| workload.name == KEYED.0) {
            let keys = secrets(workload.messages());
            let mut peers = (lineup.peers)(&keys)?;
            cells.extend(measure(&lineup, &mut peers, &keys, workload, (KEYED.1, KEYED.2), run)?);
        }
        Ok(cells)
    }
}

/// Both placements of a workload. `names`: the letters and the description it goes by.
fn measure<const N: usize>(
    lineup: &TagLineup<N>,
    peers: &mut [Peer<N>],
    keys: &[Secret],
    workload: &Workload,
    names: (&'static str, &'static str),
    run: &Run,
) -> Result<Vec<Cell>> {
    let buffer = workload.buffer()?;
    let contest = |placement: Placement| {
        let messages = workload.slices(&buffer, placement);
        let expected: Vec<[u8; N]> =
            messages.iter().zip(keys.iter().cycle()).map(|(message, key)| (lineup.reference)(key, message)).collect();
        let of = format!("{} {} {}", lineup.algorithm, names.0, placement.name());
        let entries = peers.iter_mut().filter(|peer| peer.takes(&messages)).map(|peer| (peer, messages.len()));
        Ok(Cell {
            algorithm: lineup.algorithm,
            workload: names.0,
            description: names.1,
            placement,
            messages: messages.len(),
            bytes: workload.bytes(),
            rows: contest::rows(entries, &messages, &expected, &of, run.probe, run.effort)?,
        })
    };
    let cells = Placement::ALL.into_iter().map(contest).collect::<Result<Vec<Cell>>>()?;
    let out = &mut io::stdout();
    report::block(out, &cells)?;
    out.flush()?;
    Ok(cells)
}
