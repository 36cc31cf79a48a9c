//! `calibrate`: what a step of every backend takes on this CPU, as lines for the table in
//! `crates/manyhash/src/kernel/cost.rs`.
//!
//! As many equal messages as the backend has lanes, long enough that starting and ending them does
//! not count: the steady state.

use std::io;
use std::time::Duration;

use anyhow::{Context, Result};
use manyhash::backend::Backend;
use manyhash::{Algorithm, AnyAlgorithm, for_each_algorithm};
use serde::Serialize;

use crate::contest::{self, Row};
use crate::peers;
use crate::report;
use crate::run::{Run, RunArguments};
use crate::workloads::{Placement, Workload};
use manyhash_measure::timing;

const MESSAGE_BYTES: usize = 16 << 10;
/// One line more than the length: equal addresses modulo 4 KiB would be measured too.
const STRIDE_BYTES: usize = MESSAGE_BYTES + 64;

/// A line of the table.
#[derive(Serialize)]
struct Cost {
    compression: &'static str,
    backend: &'static str,
    lanes: usize,
    /// Picoseconds for one block in each lane.
    step_ps: u64,
    /// Whether that is the median of quiet samples, or else of all.
    by_quiet: bool,
    #[serde(flatten)]
    row: Row,
}

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let algorithms = arguments.algorithms_of(&full_algorithms().map(AnyAlgorithm::name).collect::<Vec<_>>())?;
    let run = Run::begin(arguments, Duration::from_millis(2), Duration::from_secs(20))?;
    let mut costs = Vec::new();
    for algorithm in algorithms {
        macro_rules! extend { ([] $($Algorithm:ident)*) => { $(if algorithm == manyhash::$Algorithm::NAME {
            costs.extend(steps::<manyhash::$Algorithm, { manyhash::$Algorithm::DIGEST_BYTES }>(AnyAlgorithm::$Algorithm, &run)?);
        })* } }
        for_each_algorithm!(extend []);
    }
    let out = &mut io::stdout().lock();
    print(out, &run, &costs)?;
    run.finish(out, "costs", &costs)
}

/// The algorithm of each compression function that is not truncated.
fn full_algorithms() -> impl Iterator<Item = AnyAlgorithm> {
    AnyAlgorithm::ALL.iter().copied().filter(|algorithm| algorithm.hashlib_name() == algorithm.compression_function())
}

/// Every backend with the compression function of `A`, which is `algorithm`, in turns.
fn steps<A: Algorithm<Digest = [u8; N]>, const N: usize>(algorithm: AnyAlgorithm, run: &Run) -> Result<Vec<Cost>> {
    let mut backends = Backend::supported();
    backends.retain(Backend::supports::<A>);
    // The table's order: scalar code, lanes from narrow to wide, instructions for rounds.
    backends.sort_by_key(Backend::kind);
    let lanes: Vec<usize> = backends.iter().map(|backend| backend.lanes_of::<A>().expect("it supports the algorithm")).collect();

    let most = lanes.iter().copied().max().unwrap_or(0);
    let workload = Workload::equal("calibrate", "16 KiB in every lane", most, MESSAGE_BYTES, STRIDE_BYTES);
    let buffer = workload.buffer()?;
    let messages = workload.slices(&buffer, Placement::Aligned);
    let mut peers: Vec<_> = backends.iter().map(|&backend| peers::forced::<A, N>(backend)).collect();
    let entries = peers.iter_mut().zip(lanes.iter().copied());
    let reference = reference::by_name(A::NAME).with_context(|| format!("crates/reference has no {}", A::NAME))?;
    let expected: Vec<[u8; N]> = messages.iter().map(|message| reference(message).try_into().expect("a digest's length")).collect();
    let rows = contest::rows(entries, &messages, &expected, A::NAME, run.probe, run.effort)?;

    let steps = algorithm.blocks(MESSAGE_BYTES as u64);
    let cost = |((row, backend), lanes): ((Row, &Backend), usize)| Cost {
        compression: algorithm.compression_function(),
        backend: backend.name(),
        lanes,
        step_ps: three_digits(row.quiet_ns().unwrap_or_else(|| row.all_ns()) * 1000.0 / steps as f64),
        by_quiet: row.quiet_ns().is_some(),
        row,
    };
    Ok(rows.into_iter().zip(&backends).zip(lanes).map(cost).collect())
}

/// Rounded to three significant digits.
fn three_digits(value: f64) -> u64 {
    let unit = 10f64.powi((value.log10().floor() as i32 - 2).max(0));
    ((value / unit).round() * unit) as u64
}

/// 253000 as `253_000`.
fn rust_literal(value: u64) -> String {
    if value < 1000 { value.to_string() } else { format!("{}_{:03}", rust_literal(value / 1000), value % 1000) }
}

fn print(out: &mut dyn io::Write, run: &Run, costs: &[Cost]) -> io::Result<()> {
    let quiet = costs.iter().flat_map(|cost| &cost.row.samples).filter(|sample| sample.is_quiet());
    let clock = timing::median(quiet.filter_map(|sample| sample.clock_ghz));
    let clock = clock.map_or("clock not measured".into(), |clock| format!("{clock:.2} GHz"));
    writeln!(out, "// {}; {clock}.", run.machine.cpu)?;
    writeln!(out, "// Picoseconds for one block in each lane, 16 KiB messages in cache.")?;
    for cost in costs {
        let doubt = if cost.by_quiet { "" } else { " // too few quiet samples: median of all" };
        writeln!(out, "(\"{}\", \"{}\", {}),{doubt}", cost.compression, cost.backend, rust_literal(cost.step_ps))?;
    }
    write!(out, "// ")?;
    report::clocks(out, costs.iter().map(|cost| &cost.row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_rounded_and_written_as_rust() {
        for (value, text) in [(7.4, "7"), (999.6, "1_000"), (29_849.0, "29_800"), (253_456.0, "253_000"), (1_235_000.0, "1_240_000")] {
            assert_eq!(rust_literal(three_digits(value)), text);
        }
    }

    #[test]
    fn a_step_for_every_block_and_the_padding() {
        let blocks = |algorithm: AnyAlgorithm| algorithm.blocks(MESSAGE_BYTES as u64);
        assert_eq!(blocks(AnyAlgorithm::Sha1), 257);
        assert_eq!(blocks(AnyAlgorithm::Sha512), 129);
        assert_eq!(blocks(AnyAlgorithm::Blake2s), 256);
    }

    #[test]
    fn every_compression_function_is_measured_once() {
        let measured: Vec<&str> = full_algorithms().map(AnyAlgorithm::compression_function).collect();
        for algorithm in AnyAlgorithm::ALL {
            let of_it = measured.iter().filter(|compression| **compression == algorithm.compression_function());
            assert_eq!(of_it.count(), 1, "{algorithm}");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_order_is_the_tables() {
        let mut backends = Backend::known().to_vec();
        backends.sort_by_key(Backend::kind);
        let wanted = ["portable", "sse2", "avx512x2", "sha-ni", "sha-ni-x2", "bmi2", "bmi2-avx512"];
        let names: Vec<&str> = backends.iter().map(Backend::name).filter(|name| wanted.contains(name)).collect();
        assert_eq!(names, ["portable", "bmi2", "bmi2-avx512", "sse2", "avx512x2", "sha-ni", "sha-ni-x2"]);
    }
}
