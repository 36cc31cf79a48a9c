//! `manyhash-bench`: manyhash beside its peers, in one process and one run. METHODOLOGY.md says
//! what the figures mean.
#![deny(unsafe_code)]

mod applications;
mod backends;
mod batcher;
mod calibrate;
mod contest;
mod curves;
mod grid;
mod hmac;
mod jobs;
mod machine;
mod peers;
mod processes;
mod report;
mod run;
mod step;
mod tls_records;
mod trees;
mod workloads;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use contest::Cell;
use manyhash::Algorithm;
use peers::{ForLineup, Lineup};
use run::{Run, RunArguments};
use workloads::{Placement, Workload};

/// Times manyhash beside its peers, on messages in memory.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    mode: Option<Mode>,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Subcommand)]
enum Mode {
    /// Times manyhash and its main peers over message lengths and over numbers of messages.
    Curves(RunArguments),
    /// Times j-lanes hashing of one message by its length, beside plain digests.
    Trees(RunArguments),
    /// Times HMAC of many messages, under one key and with a key for each.
    Hmac(RunArguments),
    /// Times chains of digests, keys of passwords and Merkle trees, beside the peers that have them.
    Applications(RunArguments),
    /// Times streams fed piece by piece, beside the same bytes at once.
    Jobs(RunArguments),
    /// Times the tags of TLS records by the number of connections: speed and latency.
    TlsRecords(RunArguments),
    /// Times threads that share a batcher, beside threads that call OpenSSL.
    Batcher(batcher::BatcherArguments),
    /// Times everybody in thousands of cells: numbers of messages by kinds of lengths.
    Grid(grid::GridArguments),
    /// What `grid` starts to time the first call of a process.
    #[command(hide = true)]
    FirstCall(grid::FirstCallArguments),
    /// Times one step of every backend: the lines of this CPU for the library's cost table, as `manyhash bench --calibrate` prints them.
    Calibrate(RunArguments),
    /// Prints what every backend is made of and has for each algorithm, as JSON.
    Backends,
    /// Runs one kernel between two lines of output, to be followed by a debugger.
    Step(step::StepArguments),
    /// Makes one call between two lines of output, to be followed by a debugger.
    Call(step::CallArguments),
}

#[derive(clap::Args)]
struct MemoryArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Only these workloads (METHODOLOGY.md lists them).
    #[arg(long, value_name = "LETTERS", value_delimiter = ',')]
    workload: Vec<String>,
    /// Only the peers of this name, or, where no name is equal, those whose names contain it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    peer: Vec<String>,
    /// Run N times, each in a process of its own, and take the medians of their medians.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one, overrides_with = "processes")]
    processes: usize,
}

/// For clap: a count that is not zero.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| "not a number of at least 1".into())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.mode {
        Some(Mode::Curves(arguments)) => curves::run(&arguments),
        Some(Mode::Trees(arguments)) => trees::run(&arguments),
        Some(Mode::Hmac(arguments)) => hmac::run(&arguments),
        Some(Mode::Applications(arguments)) => applications::run(&arguments),
        Some(Mode::Jobs(arguments)) => jobs::run(&arguments),
        Some(Mode::TlsRecords(arguments)) => tls_records::run(&arguments),
        Some(Mode::Batcher(arguments)) => batcher::run(&arguments),
        Some(Mode::Grid(arguments)) => grid::run(&arguments),
        Some(Mode::FirstCall(arguments)) => grid::run_first_call(&arguments),
        Some(Mode::Calibrate(arguments)) => calibrate::run(&arguments),
        Some(Mode::Backends) => backends::run(),
        Some(Mode::Step(arguments)) => step::run(&arguments),
        Some(Mode::Call(arguments)) => step::call(arguments),
        None => run(&arguments.memory),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("manyhash-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever read the tables has read enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Ends the program with clap's exit code for wrong usage.
fn wrong_usage(message: String) -> ! {
    Arguments::command().error(ErrorKind::InvalidValue, message).exit()
}

fn run(arguments: &MemoryArguments) -> Result<()> {
    let algorithms = arguments.run.algorithms()?;
    let mut workloads = workloads::all(arguments.run.quick)?;
    let letters: Vec<&str> = workloads.iter().map(|workload| workload.name).collect();
    let letters = chosen("workload", &arguments.workload, &letters, str::to_string);
    workloads.retain(|workload| letters.contains(&workload.name));
    let kept_peers = kept(&arguments.peer, peer_names(&algorithms)?);

    let run = Run::begin(&arguments.run, Duration::from_millis(2), Duration::from_secs(20))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let mut cells = Vec::new();
    for algorithm in algorithms {
        let contests = Contests { workloads: &workloads, kept_peers: &kept_peers, run: &run, reports: arguments.processes == 1 };
        cells.extend(peers::with(algorithm, contests)?);
    }
    ensure!(!cells.is_empty(), "--peer: nobody chosen takes part in these workloads");
    if arguments.processes > 1 {
        processes::pool(&mut cells, arguments.processes)?;
        writeln!(out, "\n{} processes: every median is the median of theirs", arguments.processes)?;
        for placements in cells.chunks(Placement::ALL.len()) {
            report::block(out, placements)?;
        }
    }
    report::matrices(out, &cells)?;
    report::ratios(out, &cells)?;
    run.finish(out, "cells", &cells)
}

/// Every workload with the peers that are kept, each cell reported when it is measured.
struct Contests<'a> {
    workloads: &'a [Workload],
    kept_peers: &'a [String],
    run: &'a Run,
    reports: bool,
}

impl ForLineup for Contests<'_> {
    type Output = Vec<Cell>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, mut lineup: Lineup<N>) -> Result<Vec<Cell>> {
        let Self { workloads, kept_peers, run, reports } = self;
        lineup.peers.retain(|peer| kept_peers.contains(&peer.name));
        let mut cells = Vec::new();
        for workload in workloads {
            let buffer = workload.buffer()?;
            let contest =
                |placement| contest::run(&mut lineup, workload, placement, &workload.slices(&buffer, placement), run.probe, run.effort);
            let measured = Placement::ALL.into_iter().map(contest).collect::<Result<Vec<Cell>>>()?;
            if measured.iter().all(|cell| cell.rows.is_empty()) {
                continue; // only --peer rows that take one message, and this workload has more
            }
            let out = &mut io::stdout().lock();
            if reports {
                report::block(out, &measured)?;
            }
            out.flush()?;
            cells.extend(measured);
        }
        Ok(cells)
    }
}

/// The names of the peers of an algorithm.
struct Names;

impl ForLineup for Names {
    type Output = Vec<String>;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<Vec<String>> {
        Ok(lineup.peers.into_iter().map(|peer| peer.name).collect())
    }
}

/// The names of `all` that `asked` names, in the order of `all`; all of them if nothing is asked.
/// `normal` is applied to both sides.
fn chosen<'a>(what: &str, asked: &[String], all: &[&'a str], normal: impl Fn(&str) -> String) -> Vec<&'a str> {
    for name in asked {
        if !all.iter().any(|known| normal(known) == normal(name)) {
            wrong_usage(format!("--{what} {name}: not one of {}", all.join(", ")));
        }
    }
    let is_asked = |known: &&str| asked.is_empty() || asked.iter().any(|name| normal(name) == normal(known));
    all.iter().copied().filter(is_asked).collect()
}

/// The names of the peers of these algorithms, each once.
fn peer_names(algorithms: &[&str]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for algorithm in algorithms {
        for name in peers::with(algorithm, Names)? {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// The `names` that `--peer` asks for; one that matches nobody is wrong usage.
fn kept(asked: &[String], names: Vec<String>) -> Vec<String> {
    for name in asked {
        if !names.iter().any(|known| known.contains(name.as_str())) {
            wrong_usage(format!("--peer {name}: nobody among {}", names.join(", ")));
        }
    }
    let is_asked = |known: &String| {
        asked.is_empty()
            || asked.iter().any(|name| {
                let exact = names.contains(name);
                if exact { known == name } else { known.contains(name.as_str()) }
            })
    };
    names.iter().filter(|known| is_asked(known)).cloned().collect()
}
