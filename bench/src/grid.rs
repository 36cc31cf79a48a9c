//! `grid`: every algorithm by number of messages, kind of lengths, order and place, beside every
//! peer.
//!
//! The other modes show what was thought of. This one looks for the cell that nobody thought of:
//! thousands of them, each cheap, and the worst are named.

mod before;
mod cells;
mod lengths;
mod outcome;
mod report;

use std::io;
use std::time::Duration;

use anyhow::{Result, ensure};
use manyhash::Algorithm;
use manyhash_measure::Buffer;
use serde::Deserialize;

use crate::contest::{self, Effort};
use crate::hmac::secrets;
use crate::peers::hmac::{self, ForTagLineup, TagLineup};
use crate::peers::{self, ForLineup, Lineup, Peer, Standing};
use crate::processes;
use crate::run::{self, CommonArguments, Run};
use cells::{Messages, Point};
use outcome::Cell;

/// The algorithms, in the order of the tables.
const ALGORITHMS: [&str; 5] = ["SHA-1", "SHA-256", "SHA-512", "MD5", "HMAC-SHA-256"];

/// The options of the mode.
#[derive(clap::Args)]
pub struct GridArguments {
    /// Only these algorithms, as `SHA-256` or `sha256` [default: all, and HMAC-SHA-256].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    algorithm: Vec<String>,
    /// Only these numbers of messages.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    count: Vec<String>,
    /// Only these kinds of lengths (METHODOLOGY.md lists them).
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    lengths: Vec<String>,
    /// Beside manyhash only the peers of this name, or, where no name is equal, those whose names
    /// contain it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    peer: Vec<String>,
    /// A fixed part of the grid, spread over all of it: five minutes.
    #[arg(long)]
    quick: bool,
    /// Run N times, each in a process of its own, and take the medians of their medians.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::at_least_one, overrides_with = "processes")]
    processes: usize,
    #[command(flatten)]
    common: CommonArguments,
}

impl GridArguments {
    /// What is measured: the sets of messages that are asked for.
    fn messages(&self) -> Vec<Messages> {
        let points = Point::all();
        let names_of = |name: fn(&Point) -> String| {
            let mut names: Vec<String> = Vec::new();
            for name in points.iter().map(name).filter(|name| !name.is_empty()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        let asked = |what: &str, asked: &[String], names: &[String]| -> Vec<String> {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            crate::chosen(what, asked, &names, str::to_lowercase).into_iter().map(String::from).collect()
        };
        let counts = asked("count", &self.count, &names_of(|point| point.count().to_string()));
        let lengths = asked("lengths", &self.lengths, &names_of(|point| point.lengths().name()));
        let is_asked = |point: &&Point| counts.contains(&point.count().to_string()) && lengths.contains(&point.lengths().name());
        let points = points.iter().filter(is_asked);
        if self.quick { points.flat_map(Point::quick_messages).collect() } else { points.flat_map(Point::messages).collect() }
    }

    /// Samples, and the time of one.
    fn effort(&self) -> Effort {
        let (sample, samples_if_close) = if self.quick { (Duration::from_micros(300), 11) } else { (Duration::from_micros(500), 21) };
        Effort { samples: contest::FEWEST_ROUNDS, samples_if_close, sample, cell: Duration::from_millis(500) }
    }
}

/// What is read of another process's JSON file.
#[derive(Deserialize)]
struct Report {
    cells: Vec<Cell>,
}

/// Runs the mode.
pub fn run(arguments: &GridArguments) -> Result<()> {
    let algorithms = run::algorithms(&arguments.algorithm, &ALGORITHMS)?;
    let kept_peers = crate::kept(&arguments.peer, peer_names(&algorithms)?);
    let messages = arguments.messages();
    let run = Run::begin_with(&arguments.common, arguments.effort())?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let buffer = Buffer::new(cells::BUFFER_BYTES, 1)?;
    let mut cells = Vec::new();
    for algorithm in algorithms {
        eprintln!("{algorithm}: {} cells", messages.len());
        let measure = Measure { messages: &messages, buffer: buffer.bytes(), kept_peers: &kept_peers, run: &run };
        cells.extend(if algorithm == HMAC { hmac::with(manyhash::Sha256::NAME, measure)? } else { peers::with(algorithm, measure)? });
    }
    processes::others(arguments.processes, |_, report: Report| {
        ensure!(report.cells.len() == cells.len(), "{} cells, not {}", report.cells.len(), cells.len());
        cells.iter_mut().zip(report.cells).try_for_each(|(cell, other)| cell.add(other))
    })?;
    report::print(out, &cells)?;
    run.finish(out, "cells", &cells)
}

/// The one algorithm whose messages have a tag and no digest.
const HMAC: &str = "HMAC-SHA-256";

/// The names of everybody who takes part.
fn peer_names(algorithms: &[&str]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for algorithm in algorithms {
        let more = if *algorithm == HMAC { hmac::with(manyhash::Sha256::NAME, Names)? } else { peers::with(algorithm, Names)? };
        names.extend(more);
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The names of the main peers of an algorithm.
struct Names;

impl Names {
    fn of<const N: usize>(mut peers: Vec<Peer<N>>) -> Vec<String> {
        peers::retain_main(&mut peers);
        peers.into_iter().map(|peer| peer.name).collect()
    }
}

impl ForLineup for Names {
    type Output = Vec<String>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Vec<String>> {
        Ok(Self::of(lineup.peers))
    }
}

impl ForTagLineup for Names {
    type Output = Vec<String>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Vec<String>> {
        Ok(Self::of((lineup.peers)(&secrets(1))?))
    }
}

/// A contest in every cell, between manyhash left alone and the main peers that are kept.
struct Measure<'a> {
    messages: &'a [Messages],
    buffer: &'a [u8],
    kept_peers: &'a [String],
    run: &'a Run,
}

impl Measure<'_> {
    fn cells<const N: usize>(self, algorithm: &str, mut peers: Vec<Peer<N>>, reference: impl Fn(&[u8]) -> [u8; N]) -> Result<Vec<Cell>> {
        peers::retain_main(&mut peers);
        peers.retain(|peer| peer.standing == Standing::Ours || self.kept_peers.contains(&peer.name));
        let contest = |messages: &Messages| {
            let slices = messages.slices(self.buffer);
            let expected: Vec<[u8; N]> = slices.iter().map(|message| reference(message)).collect();
            let of = format!(
                "{algorithm} {} x {} {} {}",
                messages.count(),
                messages.lengths.name(),
                messages.order.name(),
                messages.place.name()
            );
            let entries = peers.iter_mut().filter(|peer| peer.takes(&slices)).map(|peer| (peer, slices.len()));
            let rows = contest::rows(entries, &slices, &expected, &of, self.run.probe, self.run.effort)?;
            Ok(Cell::new(algorithm, messages, &rows))
        };
        self.messages.iter().map(contest).collect()
    }
}

impl ForLineup for Measure<'_> {
    type Output = Vec<Cell>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Vec<Cell>> {
        self.cells(lineup.algorithm, lineup.peers, lineup.reference)
    }
}

impl ForTagLineup for Measure<'_> {
    type Output = Vec<Cell>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Vec<Cell>> {
        let keys = secrets(1);
        self.cells(lineup.algorithm, (lineup.peers)(&keys)?, |message| (lineup.reference)(&keys[0], message))
    }
}
