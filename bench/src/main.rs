//! `manyhash-bench`: manyhash beside its peers, in one process and one run. METHODOLOGY.md says what the figures mean.
#![deny(unsafe_code)]

mod buffer;
mod calibrate;
mod contest;
mod curves;
mod machine;
mod peers;
mod processes;
mod report;
mod run;
mod timing;
mod workloads;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use contest::Cell;
use peers::Lineup;
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
    /// Times one step of every backend: the lines of this CPU for the library's cost table.
    Calibrate(RunArguments),
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
    /// Run so many times, each in a process of its own, and take the medians of their medians.
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
        Some(Mode::Calibrate(arguments)) => calibrate::run(&arguments),
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
    let (mut sha1, mut sha256, mut sha512) = (peers::sha1()?, peers::sha256()?, peers::sha512()?);
    keep_peers(&arguments.peer, &algorithms, &mut sha1, &mut sha256, &mut sha512);

    let run = Run::begin(&arguments.run, Duration::from_millis(2), Duration::from_secs(20))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let mut cells = Vec::new();
    for algorithm in algorithms {
        for workload in &workloads {
            let measured = match algorithm {
                "SHA-1" => both_placements(&mut sha1, workload, &run)?,
                "SHA-256" => both_placements(&mut sha256, workload, &run)?,
                _ => both_placements(&mut sha512, workload, &run)?,
            };
            if measured.iter().all(|cell| cell.rows.is_empty()) {
                continue; // only --peer rows that take one message, and this workload has more
            }
            if arguments.processes == 1 {
                report::block(out, &measured)?;
            }
            out.flush()?;
            cells.extend(measured);
        }
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

fn both_placements<const N: usize>(lineup: &mut Lineup<N>, workload: &Workload, run: &Run) -> Result<Vec<Cell>> {
    let buffer = workload.buffer()?;
    let contest = |placement| contest::run(lineup, workload, placement, &workload.slices(&buffer, placement), run.probe, run.effort);
    Placement::ALL.into_iter().map(contest).collect()
}

/// The names of `all` that `asked` names, in the order of `all`; all of them if nothing is asked. `normal` is applied to both sides.
fn chosen<'a>(what: &str, asked: &[String], all: &[&'a str], normal: impl Fn(&str) -> String) -> Vec<&'a str> {
    for name in asked {
        if !all.iter().any(|known| normal(known) == normal(name)) {
            wrong_usage(format!("--{what} {name}: not one of {}", all.join(", ")));
        }
    }
    let is_asked = |known: &&str| asked.is_empty() || asked.iter().any(|name| normal(name) == normal(known));
    all.iter().copied().filter(is_asked).collect()
}

/// Drops the peers that `--peer` does not name from every line-up; a name that matches nobody in any of `algorithms` is wrong usage.
fn keep_peers(asked: &[String], algorithms: &[&str], sha1: &mut Lineup<20>, sha256: &mut Lineup<32>, sha512: &mut Lineup<64>) {
    let mut names = Vec::new();
    for (algorithm, peers) in [(sha1.algorithm, sha1.names()), (sha256.algorithm, sha256.names()), (sha512.algorithm, sha512.names())] {
        names.extend(peers.into_iter().filter(|name| algorithms.contains(&algorithm) && !names.contains(name)).collect::<Vec<_>>());
    }
    for name in asked {
        if !names.iter().any(|known| known.contains(name.as_str())) {
            wrong_usage(format!("--peer {name}: nobody among {}", names.join(", ")));
        }
    }
    let keep = |known: &str| {
        asked.is_empty()
            || asked.iter().any(|name| {
                let exact = names.iter().any(|known| known == name);
                if exact { known == name } else { known.contains(name.as_str()) }
            })
    };
    sha1.peers.retain(|peer| keep(&peer.name));
    sha256.peers.retain(|peer| keep(&peer.name));
    sha512.peers.retain(|peer| keep(&peer.name));
}
