//! `manyhash bench`: measures this machine in some seconds, or with `--all` in about ten. Comparisons
//! with other libraries, and more careful ones, are in `bench/`.

use crate::exit::{Failure, Outcome};
use crate::flags::BenchArguments;
use manyhash::backend::Backend;
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_measure::timing::{Effort, Probe};
use manyhash_measure::{calibrate, machine};
use serde::Serialize;
use std::hint::black_box;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// The batches to measure: number of messages, and bytes of each.
const BATCHES: [(usize, usize); 4] = [(1, 1 << 20), (4, 4096), (64, 4096), (1024, 64)];

/// How much is measured to calibrate.
const CALIBRATION: Effort = Effort { samples: 31, most_samples: 31, sample: Duration::from_millis(2), cell: Duration::from_secs(20) };

pub(crate) fn run(arguments: BenchArguments) -> Outcome {
    let mut out = io::stdout().lock();
    let algorithms = if arguments.algorithms.is_empty() { AnyAlgorithm::ALL.to_vec() } else { arguments.algorithms };
    if let Some(error) = algorithms.iter().find_map(|algorithm| algorithm.backend().err()) {
        return Err(Failure::usage(error.to_string()));
    }
    if arguments.calibrate {
        return calibrate(&mut out, &algorithms);
    }
    let cpu = machine::cpu_name().unwrap_or_else(|| "unknown CPU".into());
    if !arguments.json {
        let threads = if arguments.threads == 1 { "one thread".to_string() } else { format!("{} threads", arguments.threads) };
        writeln!(out, "{cpu}, {threads}")?;
        write_heading(&mut out)?;
    }
    let mut chosen = Vec::new();
    for algorithm in algorithms {
        let take = |row: Row| {
            if arguments.json {
                return write_json(&mut out, &cpu, arguments.threads, &row);
            }
            write_row(&mut out, &row)?;
            chosen.extend(row.is_chosen.then_some(row));
            Ok(())
        };
        with_algorithm!(algorithm, A => measure::<A>(algorithm, arguments.threads, arguments.all, take))?;
    }
    // One sentence is enough for all: of the algorithm that most people use.
    let usual = chosen.iter().find(|row| row.algorithm == AnyAlgorithm::Sha256).or(chosen.first());
    if let Some(row) = usual {
        writeln!(out, "{}", row.meaning())?;
    }
    Ok(true)
}

/// Prints what a step of every backend costs for each compression function of these algorithms.
fn calibrate(out: &mut impl Write, algorithms: &[AnyAlgorithm]) -> Outcome {
    let failed = |error: &dyn std::fmt::Display| Failure::failed(format!("bench: {error}"));
    machine::pin(None).map_err(|error| failed(&error))?;
    let probe = Probe::calibrate();
    let is_asked_for =
        |one: &AnyAlgorithm| algorithms.iter().any(|algorithm| algorithm.compression_function() == one.compression_function());
    let mut costs = Vec::new();
    for algorithm in calibrate::algorithms().filter(is_asked_for) {
        costs.extend(calibrate::costs(algorithm, probe, CALIBRATION).map_err(|error| failed(&error))?);
    }
    calibrate::write_table(out, &machine::cpu_name().unwrap_or_else(|| "unknown CPU".into()), &costs)?;
    Ok(true)
}

/// Figures of one algorithm, made with one backend.
struct Row {
    algorithm: AnyAlgorithm,
    backend: &'static str,
    lanes: usize,
    /// Whether the library was left to choose. It may use other backends too then, for few or for
    /// short messages.
    is_chosen: bool,
    /// Figures in GB/s, of each of [`BATCHES`].
    rates: [f64; BATCHES.len()],
}

impl Row {
    /// Returns how many times as fast many messages are as one long one.
    fn gain(&self) -> f64 {
        let [one, _, many, _] = self.rates;
        many / one
    }

    /// Says what the figures mean.
    fn meaning(&self) -> String {
        let Self { algorithm, backend, lanes, .. } = self;
        let (name, gain) = (algorithm.name(), self.gain());
        if gain < 1.1 {
            return format!("{name} of many messages is as fast as of one: here `{backend}` gains nothing by having many.");
        }
        let together = if *lanes == 1 { String::new() } else { format!(", {lanes} of them together") };
        format!(
            "{name} of many messages is {gain:.1} times as fast as of one (`{backend}`{together}): many files or rows gain that, one large file does not."
        )
    }
}

/// Measures the rows of one algorithm: that of the library's choice, and if asked for those of all
/// backends. Each goes to `take` when it is there.
fn measure<A: Algorithm>(
    algorithm: AnyAlgorithm,
    threads: usize,
    all: bool,
    mut take: impl FnMut(Row) -> io::Result<()>,
) -> io::Result<()> {
    let mut row = |backend: Backend, is_chosen, rates: io::Result<_>| {
        let lanes = backend.lanes_of::<A>().unwrap_or(1);
        take(Row { algorithm, backend: backend.name(), lanes, is_chosen, rates: rates? })
    };
    if let Ok(chosen) = Backend::in_use::<A>() {
        row(chosen, true, rates(threads, &|messages| drop(black_box(manyhash::hash_many::<A>(messages)))))?;
    }
    for backend in Backend::supported().into_iter().filter(|backend| all && backend.supports::<A>()) {
        row(backend, false, rates(threads, &|messages| drop(black_box(backend.hash_many::<A>(messages)))))?;
    }
    Ok(())
}

/// What is measured, for any algorithm: code for each was 0.4 MB together.
type Hash<'a> = &'a (dyn Fn(&[&[u8]]) + Sync);

/// Returns GB/s of each of [`BATCHES`], of so many threads together.
fn rates(threads: usize, hash: Hash<'_>) -> io::Result<[f64; BATCHES.len()]> {
    let mut rates = [0.0; BATCHES.len()];
    for (rate, (messages, bytes)) in rates.iter_mut().zip(BATCHES) {
        let memory = memory(messages * bytes);
        let batch: Vec<&[u8]> = memory.chunks_exact(bytes).collect();
        let bytes_per_second =
            if threads == 1 { memory.len() as f64 / best_seconds(|| hash(&batch)) } else { best_together(threads, &batch, hash)? };
        *rate = bytes_per_second / 1e9;
    }
    Ok(rates)
}

fn memory(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 167) >> 3) as u8).collect()
}

/// Returns bytes a second of threads that hash at the same time, each a copy of the batch over and over: the best of some samples,
/// in each of which every thread counts what it has done.
///
/// # Errors
/// If a thread cannot be started.
fn best_together(threads: usize, batch: &[&[u8]], hash: Hash<'_>) -> io::Result<f64> {
    const SAMPLES: usize = 7;
    const SAMPLE: Duration = Duration::from_millis(20);
    let work = || {
        let memory = batch.concat();
        let bytes = batch.first().map_or(1, |message| message.len());
        let batch: Vec<&[u8]> = memory.chunks_exact(bytes).collect();
        let rates = (0..SAMPLES).map(|_| {
            let start = Instant::now();
            let mut calls = 0_u32;
            while start.elapsed() < SAMPLE {
                hash(&batch);
                calls += 1;
            }
            f64::from(calls) * memory.len() as f64 / start.elapsed().as_secs_f64()
        });
        rates.collect::<Vec<f64>>()
    };
    let of_each: Vec<Vec<f64>> = thread::scope(|scope| {
        let started: Vec<_> = (1..threads).map(|_| thread::Builder::new().spawn_scoped(scope, work)).collect();
        let ours = work();
        let joined = started.into_iter().map(|thread| thread.map(|thread| thread.join().unwrap_or_default()));
        joined.chain([Ok(ours)]).collect::<io::Result<_>>()
    })?;
    let together = (0..SAMPLES).map(|sample| of_each.iter().filter_map(|rates| rates.get(sample)).sum());
    Ok(together.fold(0.0, f64::max))
}

fn write_heading(out: &mut impl Write) -> io::Result<()> {
    write!(out, "{:13}", "GB/s")?;
    for (messages, bytes) in BATCHES {
        let (size, unit) = if bytes >= 1 << 20 {
            (bytes >> 20, "MiB")
        } else if bytes >= 1 << 10 {
            (bytes >> 10, "KiB")
        } else {
            (bytes, "B")
        };
        write!(out, "{:>14}", format!("{messages} x {size} {unit}"))?;
    }
    writeln!(out, "   backend")?;
    out.flush()
}

fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    write!(out, "{:13}", if row.is_chosen { row.algorithm.name() } else { "" })?;
    for rate in row.rates {
        write!(out, "{rate:14.2}")?;
    }
    let Row { backend, lanes, .. } = row;
    match (row.is_chosen, lanes) {
        (false, _) => writeln!(out, "   {backend}")?,
        (true, 1) => writeln!(out, "   {backend} (chosen)")?,
        (true, lanes) => writeln!(out, "   {backend} (chosen, {lanes} lanes)")?,
    }
    out.flush()
}

/// A figure in JSON.
#[derive(Serialize)]
struct Figure<'a> {
    cpu: &'a str,
    algorithm: &'a str,
    backend: &'a str,
    lanes: usize,
    is_chosen: bool,
    threads: usize,
    messages: usize,
    message_bytes: usize,
    gigabytes_per_second: f64,
}

fn write_json(out: &mut impl Write, cpu: &str, threads: usize, row: &Row) -> io::Result<()> {
    for ((messages, message_bytes), gigabytes_per_second) in BATCHES.into_iter().zip(row.rates) {
        let algorithm = row.algorithm.name();
        let (backend, lanes, is_chosen) = (row.backend, row.lanes, row.is_chosen);
        let figure = Figure { cpu, algorithm, backend, lanes, is_chosen, threads, messages, message_bytes, gigabytes_per_second };
        serde_json::to_writer(&mut *out, &figure)?;
        writeln!(out)?;
    }
    out.flush()
}

/// Returns the time of `call` in the best of some samples, each of which is long enough for the
/// clock: whatever else runs can only make it longer.
fn best_seconds(mut call: impl FnMut()) -> f64 {
    const SAMPLES: usize = 15;
    const SAMPLE: Duration = Duration::from_millis(2);
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < SAMPLE {
        call();
        calls += 1;
    }
    let samples = (0..SAMPLES).map(|_| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(calls)
    });
    samples.fold(f64::INFINITY, f64::min)
}
