//! `manyhash bench`: measures this machine in about ten seconds. Comparisons with other libraries,
//! and more careful ones, are in `bench/`.

use crate::exit::{Failure, Outcome};
use crate::flags::BenchArguments;
use manyhash::backend::Backend;
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_measure::timing::{Effort, Probe};
use manyhash_measure::{calibrate, machine};
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The batches to measure: number of messages, and bytes of each.
const BATCHES: &[(usize, usize)] = &[(1, 1 << 20), (4, 4096), (64, 4096), (1024, 64)];

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
    heading(&mut out)?;
    for algorithm in algorithms {
        with_algorithm!(algorithm, A => rows::<A>(&mut out))?;
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

fn heading(out: &mut impl Write) -> io::Result<()> {
    write!(out, "{:13}{:13}", "GB/s", "")?;
    for (messages, bytes) in BATCHES {
        let (size, unit) = if *bytes >= 1 << 20 {
            (bytes >> 20, "MiB")
        } else if *bytes >= 1 << 10 {
            (bytes >> 10, "KiB")
        } else {
            (*bytes, "B")
        };
        write!(out, "{:>14}", format!("{messages} x {size} {unit}"))?;
    }
    writeln!(out)
}

/// Prints the rows of one algorithm: without a backend named, and for each backend.
fn rows<A: Algorithm>(out: &mut impl Write) -> io::Result<()> {
    let name = Backend::in_use::<A>().map_or_else(|_| "?".into(), |backend| format!("({backend})"));
    row(out, A::NAME, &name, |messages| drop(black_box(manyhash::hash_many::<A>(messages))))?;
    for backend in Backend::supported().into_iter().filter(Backend::supports::<A>) {
        row(out, "", backend.name(), |messages| drop(black_box(backend.hash_many::<A>(messages))))?;
    }
    Ok(())
}

fn row(out: &mut impl Write, algorithm: &str, backend: &str, mut hash: impl FnMut(&[&[u8]])) -> io::Result<()> {
    write!(out, "{algorithm:13}{backend:13}")?;
    for &(messages, bytes) in BATCHES {
        let memory: Vec<u8> = (0..messages * bytes).map(|i| ((i * 167) >> 3) as u8).collect();
        let batch: Vec<&[u8]> = memory.chunks_exact(bytes).collect();
        let seconds = median_seconds(|| hash(&batch));
        write!(out, "{:14.2}", memory.len() as f64 / seconds / 1e9)?;
        out.flush()?;
    }
    writeln!(out)
}

/// Returns the median time of `call` over some samples, each of which is long enough for the clock.
fn median_seconds(mut call: impl FnMut()) -> f64 {
    const SAMPLES: usize = 7;
    const SAMPLE: Duration = Duration::from_millis(4);
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < SAMPLE {
        call();
        calls += 1;
    }
    let mut samples = [(); SAMPLES].map(|()| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(calls)
    });
    samples.sort_by(f64::total_cmp);
    samples[SAMPLES / 2]
}
