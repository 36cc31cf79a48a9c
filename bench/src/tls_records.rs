//! `tls-records`: the tags of TLS records by the number of connections, beside EVP_MAC called for
//! each record when it arrives.
//!
//! A burst is some rounds. In a round every connection's next record arrives: a header of 13 bytes,
//! as TLS 1.2 puts it before the fragment (RFC 5246, 6.2.3.1), and 16 KiB of fragment. Each
//! connection has a key of its own.

use std::ffi::CString;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use manyhash::hmac::Key;
use manyhash::jobs::Jobs;
use manyhash::{Algorithm, Sha256};
use serde::Serialize;

use crate::contest::{Cell, Row};
use crate::hmac::secrets;
use crate::peers::Standing;
use crate::peers::evp_mac::EvpMac;
use crate::peers::hmac::sha256_reference;
use crate::report::{self, Table};
use crate::run::{Run, RunArguments};
use crate::workloads::{LINE_BYTES, Placement, Workload};
use manyhash_measure::timing::{self, Sample};

const CONNECTIONS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const QUICK_CONNECTIONS: [usize; 2] = [1, 16];
const FRAGMENT_BYTES: usize = 16 << 10;
/// Sequence number, type, version, length.
const HEADER_BYTES: usize = 13;
const RECORD_BYTES: usize = HEADER_BYTES + FRAGMENT_BYTES;
/// The fewest rounds of a burst.
const FEWEST_ROUNDS: usize = 16;
/// The fewest records of a burst: enough to tell the slowest in a hundred.
const FEWEST_RECORDS: usize = 256;

/// A tag of a record.
type Tag = [u8; 32];

/// What is fed to a job.
enum Piece<'a> {
    Header([u8; HEADER_BYTES]),
    Fragment(&'a [u8]),
}

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Header(bytes) => bytes,
            Self::Fragment(bytes) => bytes,
        }
    }
}

/// When a contestant computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// After each round what fills the lanes, at the end of the burst all that is left.
    Poll,
    /// After each round all there is: as if no other would come soon.
    Flush,
    /// Each record when it arrives.
    OneByOne,
}

impl Way {
    const ALL: [Self; 3] = [Self::Poll, Self::Flush, Self::OneByOne];

    fn name(self) -> &'static str {
        match self {
            Self::Poll => "jobs",
            Self::Flush => "jobs, flushed",
            Self::OneByOne => "openssl EVP_MAC",
        }
    }

    fn standing(self) -> Standing {
        match self {
            Self::Poll => Standing::Ours,
            Self::Flush => Standing::OursOtherwise,
            Self::OneByOne => Standing::Peer,
        }
    }
}

/// Median and the slowest in a hundred, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Latency {
    median_ns: f64,
    p99_ns: f64,
}

impl Latency {
    fn of(times_ns: &[f64]) -> Self {
        let quantile = |share| timing::quantile(times_ns.to_vec(), share).unwrap_or(f64::NAN);
        Self { median_ns: quantile(0.5), p99_ns: quantile(0.99) }
    }

    /// The median of each.
    fn median_of(bursts: &[Self]) -> Self {
        let median = |value: fn(&Self) -> f64| timing::median(bursts.iter().map(value)).unwrap_or(f64::NAN);
        Self { median_ns: median(|burst| burst.median_ns), p99_ns: median(|burst| burst.p99_ns) }
    }
}

/// Until the tag was there.
#[derive(Serialize)]
struct Latencies {
    peer: &'static str,
    /// Since the record's last piece was given to the library.
    since_fed: Latency,
    /// Since the record's round arrived, so with the time of the records before it.
    since_arrival: Latency,
}

/// Which of them.
type SinceWhen = fn(&Latencies) -> Latency;

/// What a number of connections gave.
#[derive(Serialize)]
struct Point {
    #[serde(flatten)]
    cell: Cell,
    connections: usize,
    rounds: usize,
    latencies: Vec<Latencies>,
}

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    if arguments.algorithms_or(&[Sha256::NAME])? != [Sha256::NAME] {
        crate::wrong_usage("--algorithm: tls-records has SHA-256 only".into());
    }
    let run = Run::begin(arguments, Duration::from_millis(1), Duration::from_secs(20))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let connections: &[usize] = if arguments.quick { &QUICK_CONNECTIONS } else { &CONNECTIONS };
    let points = connections.iter().map(|&connections| measure(connections, &run)).collect::<Result<Vec<_>>>()?;
    table(out, &points)?;
    report::clocks(out, points.iter().flat_map(|point| &point.cell.rows))?;
    run.finish(out, "cells", &points)
}

/// As TLS 1.2 puts it before the fragment.
fn header(sequence_number: u64) -> [u8; HEADER_BYTES] {
    const APPLICATION_DATA: u8 = 23;
    const VERSION: [u8; 2] = [3, 3];
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&sequence_number.to_be_bytes());
    header[8] = APPLICATION_DATA;
    header[9..11].copy_from_slice(&VERSION);
    header[11..].copy_from_slice(&(FRAGMENT_BYTES as u16).to_be_bytes());
    header
}

/// A burst's tags and times, record by record: those of the first round first.
struct Outcome {
    tags: Vec<Tag>,
    fed: Vec<Instant>,
    since_fed_ns: Vec<f64>,
    since_arrival_ns: Vec<f64>,
}

impl Outcome {
    fn new(records: usize) -> Self {
        Self {
            tags: vec![[0; 32]; records],
            fed: vec![Instant::now(); records],
            since_fed_ns: vec![0.0; records],
            since_arrival_ns: vec![0.0; records],
        }
    }
}

/// Everything a burst needs, ready before the first.
struct Server<'a> {
    fragments: Vec<&'a [u8]>,
    rounds: usize,
    keys: Vec<Key<Sha256>>,
    contexts: Vec<EvpMac>,
    jobs: Jobs<Sha256, usize, Piece<'a>>,
    /// When each round arrived.
    arrived: Vec<Instant>,
}

impl Server<'_> {
    fn burst(&mut self, way: Way, outcome: &mut Outcome) {
        for round in 0..self.rounds {
            self.arrived[round] = Instant::now();
            match way {
                Way::OneByOne => self.one_by_one(round, outcome),
                Way::Poll => self.through_jobs(round, round + 1 == self.rounds, outcome),
                Way::Flush => self.through_jobs(round, true, outcome),
            }
        }
    }

    fn one_by_one(&mut self, round: usize, outcome: &mut Outcome) {
        let header = header(round as u64);
        for (connection, (context, fragment)) in self.contexts.iter_mut().zip(&self.fragments).enumerate() {
            let record = round * self.fragments.len() + connection;
            let fed = Instant::now();
            outcome.tags[record] = context.tag(&[&header, fragment]);
            let now = Instant::now();
            outcome.since_fed_ns[record] = (now - fed).as_nanos() as f64;
            outcome.since_arrival_ns[record] = (now - self.arrived[round]).as_nanos() as f64;
        }
    }

    fn through_jobs(&mut self, round: usize, is_last: bool, outcome: &mut Outcome) {
        let connections = self.fragments.len();
        for (connection, (key, fragment)) in self.keys.iter().zip(&self.fragments).enumerate() {
            let record = round * connections + connection;
            let mut job = self.jobs.open_tagged(record, key);
            job.feed(Piece::Header(header(round as u64)));
            job.feed(Piece::Fragment(fragment));
            outcome.fed[record] = Instant::now();
            job.finish();
        }
        let finished = |record: usize, tag: Tag| {
            let now = Instant::now();
            outcome.tags[record] = tag;
            outcome.since_fed_ns[record] = (now - outcome.fed[record]).as_nanos() as f64;
            outcome.since_arrival_ns[record] = (now - self.arrived[record / connections]).as_nanos() as f64;
        };
        if is_last { self.jobs.flush(finished) } else { self.jobs.run_full_lanes(finished) }
    }
}

/// Samples of each way, in turns; before and after, every tag is compared with another library's.
fn measure(connections: usize, run: &Run) -> Result<Point> {
    let rounds = FEWEST_ROUNDS.max(FEWEST_RECORDS / connections);
    let workload = Workload::equal("records", "TLS records of 16 KiB", connections, FRAGMENT_BYTES, FRAGMENT_BYTES + LINE_BYTES);
    let buffer = workload.buffer()?;
    let fragments = workload.slices(&buffer, Placement::Aligned);
    let secrets = secrets(connections);
    let expected: Vec<Tag> = (0..rounds * connections)
        .map(|record| {
            let (round, connection) = (record / connections, record % connections);
            sha256_reference(&secrets[connection], &[&header(round as u64), fragments[connection]].concat())
        })
        .collect();
    let digest = CString::new(Sha256::NAME).context("a name of OpenSSL's")?;
    let mut server = Server {
        fragments,
        rounds,
        keys: secrets.iter().map(|secret| Key::new(secret)).collect(),
        contexts: secrets.iter().map(|secret| EvpMac::new(&digest, secret)).collect::<Result<_>>()?,
        jobs: Jobs::new(),
        arrived: vec![Instant::now(); rounds],
    };
    let mut outcome = Outcome::new(expected.len());
    let mut verify = |server: &mut Server<'_>, way: Way| {
        outcome.tags.fill([0; 32]);
        server.burst(way, &mut outcome);
        ensure!(outcome.tags == expected, "{connections} connections: {}: a wrong tag", way.name());
        Ok(())
    };
    Way::ALL.into_iter().try_for_each(|way| verify(&mut server, way))?;
    let mut samples: [Vec<(Sample, [Latency; 2])>; Way::ALL.len()] = Default::default();
    let mut timed = Outcome::new(expected.len());
    let mut ways: Vec<_> = Way::ALL.into_iter().zip(&mut samples).collect();
    let sample = |(way, samples): &mut (Way, &mut Vec<_>), round| {
        let sample = timing::sample(run.probe, 1, round, || server.burst(*way, &mut timed));
        samples.push((sample, [Latency::of(&timed.since_fed_ns), Latency::of(&timed.since_arrival_ns)]));
    };
    timing::rounds(run.effort, &mut ways, sample, |_| false);
    Way::ALL.into_iter().try_for_each(|way| verify(&mut server, way))?;
    Ok(point(connections, rounds, &workload, samples))
}

fn point(connections: usize, rounds: usize, workload: &Workload, samples: [Vec<(Sample, [Latency; 2])>; Way::ALL.len()]) -> Point {
    let row = |(way, samples): (Way, &Vec<(Sample, _)>)| Row {
        peer: way.name().into(),
        standing: way.standing(),
        calls_per_sample: 1,
        samples: samples.iter().map(|(sample, _)| *sample).collect(),
    };
    let cell = Cell {
        algorithm: "HMAC-SHA-256",
        workload: workload.name,
        description: workload.description,
        placement: Placement::Aligned,
        messages: rounds * connections,
        bytes: rounds * connections * RECORD_BYTES,
        rows: Way::ALL.into_iter().zip(&samples).map(row).collect(),
    };
    // Latencies are judged as times are.
    let by_quiet = cell.by_quiet();
    let of = |way: Way, samples: &[(Sample, [Latency; 2])]| {
        let enough_quiet = by_quiet && cell.rows.iter().any(|row| row.peer == way.name() && row.quiet_ns().is_some());
        let counting = samples.iter().filter(|(sample, _)| !enough_quiet || sample.is_quiet());
        let bursts: Vec<[Latency; 2]> = counting.map(|(_, latencies)| *latencies).collect();
        let median = |which: usize| Latency::median_of(&bursts.iter().map(|burst| burst[which]).collect::<Vec<_>>());
        Latencies { peer: way.name(), since_fed: median(0), since_arrival: median(1) }
    };
    let latencies = Way::ALL.into_iter().zip(&samples).map(|(way, samples)| of(way, samples)).collect();
    Point { connections, rounds, latencies, cell }
}

/// A line for every number of connections.
fn table(out: &mut dyn Write, points: &[Point]) -> io::Result<()> {
    let microseconds = |latency: Latency| format!("{:.1} / {:.1}", latency.median_ns / 1e3, latency.p99_ns / 1e3);
    writeln!(
        out,
        "\nHMAC-SHA-256, TLS records of 16 KiB: GB/s by connections; in brackets, times as fast as EVP_MAC (~ median of all samples)"
    )?;
    let heading = |first: &str| std::iter::once(first.to_string()).chain(Way::ALL.map(|way| way.name().to_string()));
    let mut speeds = Table::default();
    speeds.row(heading("connections"));
    for point in points {
        let peer_ns = point.cell.best_peer().map(|peer| point.cell.judged_ns(peer));
        let speed = |row: &Row| {
            let times = peer_ns.map_or(f64::NAN, |ns| ns / point.cell.judged_ns(row));
            format!("{} ({times:.2})", report::speed(&point.cell, &row.peer))
        };
        speeds.row(std::iter::once(point.connections.to_string()).chain(point.cell.rows.iter().map(speed)));
    }
    speeds.write(out)?;
    let kinds: [(&str, SinceWhen); 2] = [
        ("since the record's last piece was fed", |latencies| latencies.since_fed),
        ("since the round arrived, the records before it included", |latencies| latencies.since_arrival),
    ];
    for (what, latency) in kinds {
        writeln!(out, "\nmicroseconds until the tag was there, {what}: median / 99th percentile")?;
        let mut table = Table::default();
        table.row(heading("connections"));
        for point in points {
            let cells = point.latencies.iter().map(|latencies| microseconds(latency(latencies)));
            table.row(std::iter::once(point.connections.to_string()).chain(cells));
        }
        table.write(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_laid_out_as_in_tls_1_2() {
        assert_eq!(header(0x0102), [0, 0, 0, 0, 0, 0, 1, 2, 23, 3, 3, 0x40, 0]);
    }

    #[test]
    fn latencies_are_medians_and_slowest_in_a_hundred() {
        let times: Vec<f64> = (1..=200).map(f64::from).collect();
        let latency = Latency::of(&times);
        assert_eq!((latency.median_ns, latency.p99_ns), (100.0, 198.0));
        let two = Latency::median_of(&[latency, Latency { median_ns: 300.0, p99_ns: 400.0 }]);
        assert_eq!((two.median_ns, two.p99_ns), (200.0, 299.0));
    }
}
