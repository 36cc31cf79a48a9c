//! `grid`: every algorithm by number of messages, kind of lengths, order and place, beside every
//! peer.
//!
//! The other modes show what was thought of. This one looks for the cell that nobody thought of:
//! thousands of them, each cheap, and the worst are named.

mod before;
mod cells;
#[cfg(target_arch = "x86_64")]
mod cold_code;
mod first_call;
mod lengths;
mod outcome;
mod report;

use std::io;
use std::time::Duration;

use anyhow::{Result, ensure};
use manyhash::Algorithm;
use manyhash_measure::Buffer;
use manyhash_measure::timing::{self, Effort};
use serde::{Deserialize, Serialize};

use crate::contest;
use crate::hmac::secrets;
use crate::peers::hmac::{self, ForTagLineup, Secret, TagLineup};
use crate::peers::{self, ForLineup, Lineup, Peer, Standing};
use crate::processes;
use crate::run::{self, CommonArguments, Run};
use before::{Before, Disturbances};
use cells::{Messages, Point};
use first_call::FirstCall;
use lengths::Lengths;
use outcome::Cell;

/// The algorithms, in the order of the tables.
const ALGORITHMS: [&str; 11] =
    ["SHA-1", "SHA-256", "SHA-512", "MD5", "HMAC-SHA-256", "SHA3-256", "Keccak-256", "BLAKE2s", "BLAKE2b", "BLAKE3", "SM3"];
/// How many of them are measured unless others are asked for: the first ones.
const USUAL: usize = 5;

/// A sample of calls that something runs before, that included: one call or more.
const DISTURBED_SAMPLE: Duration = Duration::from_millis(2);
/// The one algorithm whose messages have a tag and no digest. The first call of a process is left
/// out of it: what is started is the same as for the digest.
const HMAC: &str = "HMAC-SHA-256";
/// What `--before` calls the first call of a process.
const FIRST: &str = "first";

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
    /// Only with these before each call: nothing, dirty, cold, other; and first, the first call of a
    /// process.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    before: Vec<String>,
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

/// What is measured of every algorithm.
struct Plan {
    /// Messages, and what runs before each call.
    cells: Vec<(Before, Messages)>,
    /// Whether the first calls of processes are.
    has_first_calls: bool,
}

impl GridArguments {
    fn plan(&self) -> Plan {
        let points = Point::all();
        let counts = chosen("count", &self.count, points.iter().map(|point| point.count().to_string()));
        let lengths = chosen("lengths", &self.lengths, Lengths::all().into_iter().map(Lengths::name));
        let before = chosen("before", &self.before, Before::ALL.map(Before::name).into_iter().chain([FIRST]).map(String::from));
        let is_asked = |point: &&Point| counts.contains(&point.count().to_string()) && lengths.contains(&point.lengths().name());
        let points: Vec<&Point> = points.iter().filter(is_asked).collect();
        let messages = |before: Before| -> Vec<Messages> {
            let points = points.iter();
            match before {
                Before::Nothing if self.quick => points.flat_map(|point| point.quick_messages()).collect(),
                Before::Nothing => points.flat_map(|point| point.messages()).collect(),
                _ => points.filter_map(|point| point.disturbed_messages(self.quick)).collect(),
            }
        };
        let asked = Before::ALL.into_iter().filter(|asked| asked.is_possible() && before.iter().any(|name| name == asked.name()));
        let cells = asked.flat_map(|before| messages(before).into_iter().map(move |messages| (before, messages)));
        Plan { cells: cells.collect(), has_first_calls: before.iter().any(|name| name == FIRST) }
    }

    /// Samples, and the time of one.
    fn effort(&self) -> Effort {
        let (sample, most_samples) = if self.quick { (Duration::from_micros(300), 11) } else { (Duration::from_micros(500), 21) };
        Effort { samples: timing::FEWEST_ROUNDS, most_samples, sample, cell: Duration::from_secs(1) }
    }
}

/// Those of `all` that are asked for.
fn chosen(what: &str, asked: &[String], all: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    crate::chosen(what, asked, &names, str::to_lowercase).into_iter().map(String::from).collect()
}

/// What is read of another process's JSON file.
#[derive(Deserialize)]
struct Report {
    cells: Vec<Cell>,
}

/// What the JSON file has.
#[derive(Serialize)]
struct Measured {
    cells: Vec<Cell>,
    first_calls: Vec<FirstCall>,
}

/// Runs the mode.
pub fn run(arguments: &GridArguments) -> Result<()> {
    let all = if arguments.algorithm.is_empty() { &ALGORITHMS[..USUAL] } else { &ALGORITHMS };
    let algorithms = run::algorithms(&arguments.algorithm, all)?;
    let kept_peers = kept_peers(&arguments.peer, &algorithms)?;
    let plan = arguments.plan();
    ensure!(!plan.cells.is_empty() || plan.has_first_calls, "there are no such cells: see METHODOLOGY.md");
    let run = Run::begin_with(&arguments.common, arguments.effort())?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let buffer = Buffer::new(cells::BUFFER_BYTES, 1)?;
    let mut measured = Measured { cells: Vec::new(), first_calls: Vec::new() };
    for algorithm in algorithms {
        eprintln!("{algorithm}: {} cells", plan.cells.len());
        let measure = Measure { cells: &plan.cells, buffer: buffer.bytes(), kept_peers: &kept_peers, run: &run };
        measured.cells.extend(with(algorithm, measure)?);
        if plan.has_first_calls && algorithm != HMAC {
            let mut contestants = with(algorithm, Names)?;
            contestants.retain(|(name, standing)| is_kept(name, *standing, &kept_peers));
            measured.first_calls.extend(first_call::measure(algorithm, &contestants)?);
        }
    }
    processes::others(arguments.processes, |_, report: Report| {
        ensure!(report.cells.len() == measured.cells.len(), "{} cells, not {}", report.cells.len(), measured.cells.len());
        measured.cells.iter_mut().zip(report.cells).try_for_each(|(cell, other)| cell.add(other))
    })?;
    report::print(out, &measured.cells)?;
    first_call::print(out, &measured.first_calls)?;
    run.finish_with(out, &measured)
}

pub use first_call::{FirstCallArguments, run as run_first_call};

/// Does `what` with the main peers of an algorithm.
fn with<T, F: ForLineup<Output = T> + ForTagLineup<Output = T>>(algorithm: &str, what: F) -> Result<T> {
    if algorithm == HMAC { hmac::with(manyhash::Sha256::NAME, what) } else { peers::with_main(algorithm, what) }
}

/// The names of the peers that are asked for.
fn kept_peers(asked: &[String], algorithms: &[&str]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for algorithm in algorithms {
        names.extend(with(algorithm, Names)?.into_iter().map(|(name, _)| name));
    }
    names.sort_unstable();
    names.dedup();
    Ok(crate::kept(asked, names))
}

/// manyhash always takes part.
fn is_kept(name: &String, standing: Standing, kept_peers: &[String]) -> bool {
    standing == Standing::Ours || kept_peers.contains(name)
}

/// The main peers of an algorithm.
struct Names;

impl Names {
    fn of<const N: usize>(peers: Vec<Peer<N>>) -> Vec<(String, Standing)> {
        peers.into_iter().map(|peer| (peer.name, peer.standing)).collect()
    }
}

impl ForLineup for Names {
    type Output = Vec<(String, Standing)>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Self::Output> {
        Ok(Self::of(lineup.peers))
    }
}

impl ForTagLineup for Names {
    type Output = Vec<(String, Standing)>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Self::Output> {
        Ok(Self::of(main_tag_peers(&lineup, &secrets(1))?))
    }
}

fn main_tag_peers<const N: usize>(lineup: &TagLineup<N>, keys: &[Secret]) -> Result<Vec<Peer<N>>> {
    let mut peers = (lineup.peers)(keys)?;
    peers::retain_main(&mut peers);
    Ok(peers)
}

/// A contest in every cell, between manyhash left alone and the main peers that are kept.
struct Measure<'a> {
    cells: &'a [(Before, Messages)],
    buffer: &'a [u8],
    kept_peers: &'a [String],
    run: &'a Run,
}

impl Measure<'_> {
    fn cells<const N: usize>(self, algorithm: &str, mut peers: Vec<Peer<N>>, reference: impl Fn(&[u8]) -> [u8; N]) -> Result<Vec<Cell>> {
        let Run { probe, effort, .. } = *self.run;
        let effort_of_disturbed = Effort { sample: DISTURBED_SAMPLE, ..effort };
        let mut disturbances = Disturbances::new(algorithm)?;
        peers.retain(|peer| is_kept(&peer.name, peer.standing, self.kept_peers));
        let contest = |(before, messages): &(Before, Messages)| {
            let slices = messages.slices(self.buffer);
            let expected: Vec<[u8; N]> = slices.iter().map(|message| reference(message)).collect();
            let of = format!("{algorithm} {messages}, {} before", before.name());
            let entries = peers.iter_mut().filter(|peer| peer.takes(&slices)).map(|peer| (peer, slices.len()));
            let rows = match before {
                Before::Nothing => contest::rows(entries, &slices, &expected, &of, probe, effort)?,
                before => {
                    let disturb = &mut |peer: &str| disturbances.run(*before, peer, &slices);
                    contest::rows_after(entries, (&slices, &expected, &of), probe, effort_of_disturbed, disturb)?
                }
            };
            Ok(Cell::new(algorithm, *before, messages, &rows))
        };
        self.cells.iter().map(contest).collect()
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
        self.cells(lineup.algorithm, main_tag_peers(&lineup, &keys)?, |message| (lineup.reference)(&keys[0], message))
    }
}
