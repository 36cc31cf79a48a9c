//! The first call of a process: a process for each, because there is one.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use manyhash::Algorithm;
use manyhash_measure::{Random, timing};
use serde::Serialize;

use crate::peers::{self, ForLineup, Lineup, Standing};
use crate::report::Table;
use manyhash_measure::timing::turns;

/// Numbers of messages, and bytes of each.
const SETS: [(usize, usize); 2] = [(1, 64), (16, 1024)];
/// Processes of each contestant.
const PROCESSES: usize = 11;

/// The options of the process that is timed.
#[derive(clap::Args)]
pub struct FirstCallArguments {
    #[arg(long)]
    algorithm: String,
    #[arg(long)]
    peer: String,
    #[arg(long)]
    messages: usize,
    #[arg(long)]
    bytes: usize,
}

/// The median of a contestant's processes.
#[derive(Serialize)]
pub struct FirstCall {
    algorithm: String,
    peer: String,
    standing: Standing,
    messages: usize,
    bytes_each: usize,
    first_ns: f64,
    second_ns: f64,
}

/// The process that is timed: two calls, of which it prints the nanoseconds.
pub fn run(arguments: &FirstCallArguments) -> Result<()> {
    ensure!(peers::ALGORITHMS.contains(&arguments.algorithm.as_str()), "{}: no such algorithm", arguments.algorithm);
    let [first, second] = peers::with_main(&arguments.algorithm, Timed(arguments))?;
    writeln!(io::stdout(), "{first} {second}")?;
    Ok(())
}

/// The first two calls of a peer, whose library is started in the first.
struct Timed<'a>(&'a FirstCallArguments);

impl ForLineup for Timed<'_> {
    type Output = [u128; 2];
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: Lineup<N>) -> Result<[u128; 2]> {
        let Self(FirstCallArguments { peer: name, messages, bytes, .. }) = self;
        let peer = lineup.peers.into_iter().find(|peer| peer.name == *name);
        let mut peer = peer.with_context(|| format!("{name}: no such peer"))?;
        let mut buffer = vec![0; messages * bytes];
        Random::new(1).fill(&mut buffer);
        let messages: Vec<&[u8]> = buffer.chunks(*bytes).collect();
        let mut digests = vec![[0; N]; messages.len()];
        let mut call = || -> Result<(u128, Vec<[u8; N]>)> {
            let start = Instant::now();
            peer.start()?;
            peer.hash_many(&messages, &mut digests);
            let ns = start.elapsed().as_nanos();
            let given = digests.clone();
            digests.fill([0; N]);
            Ok((ns, given))
        };
        let calls = [call()?, call()?];
        let expected: Vec<[u8; N]> = messages.iter().map(|message| (lineup.reference)(message)).collect();
        ensure!(calls.iter().all(|(_, given)| *given == expected), "{name}: a wrong digest in the first calls");
        Ok(calls.map(|(ns, _)| ns))
    }
}

/// Everybody's first calls, a process each, in turns.
pub fn measure(algorithm: &str, names: &[(String, Standing)]) -> Result<Vec<FirstCall>> {
    let program = std::env::current_exe().context("this program's own path")?;
    let mut calls = Vec::new();
    for (messages, bytes_each) in SETS {
        let mut times: BTreeMap<usize, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for round in 0..PROCESSES {
            for turn in turns(round, names.len()) {
                let name = &names[turn].0;
                let output = Command::new(&program)
                    .args(["first-call", "--algorithm", algorithm, "--peer", name])
                    .args(["--messages", &messages.to_string(), "--bytes", &bytes_each.to_string()])
                    .output()
                    .with_context(|| format!("the first call of {name}"))?;
                ensure!(output.status.success(), "{algorithm}: {name}: {}", String::from_utf8_lossy(&output.stderr));
                let text = String::from_utf8_lossy(&output.stdout);
                let (first, second) = text.trim().split_once(' ').context("two times")?;
                let of_peer = times.entry(turn).or_default();
                of_peer.0.push(first.parse()?);
                of_peer.1.push(second.parse()?);
            }
        }
        for (turn, (first, second)) in times {
            let (peer, standing) = names[turn].clone();
            let [first_ns, second_ns] = [first, second].map(|times| timing::median(times).unwrap_or_default());
            calls.push(FirstCall { algorithm: algorithm.into(), peer, standing, messages, bytes_each, first_ns, second_ns });
        }
    }
    Ok(calls)
}

/// A table of microseconds for each algorithm.
pub fn print(out: &mut dyn Write, calls: &[FirstCall]) -> io::Result<()> {
    for calls in calls.chunk_by(|a, b| a.algorithm == b.algorithm) {
        let Some(first) = calls.first() else {
            continue;
        };
        writeln!(out, "\n{}: the first call of a process and the second, microseconds", first.algorithm)?;
        let mut table = Table::default();
        let headings = SETS.iter().flat_map(|(messages, bytes)| [format!("{messages} x {bytes} B"), "second".into()]);
        table.row([String::new()].into_iter().chain(headings));
        for of_peer in calls.iter().filter(|call| (call.messages, call.bytes_each) == SETS[0]) {
            let sets = calls.iter().filter(|call| call.peer == of_peer.peer);
            let times = sets.flat_map(|call| [call.first_ns, call.second_ns].map(|ns| format!("{:.1}", ns / 1000.0)));
            table.row([of_peer.peer.clone()].into_iter().chain(times));
        }
        table.write(out)?;
    }
    Ok(())
}
