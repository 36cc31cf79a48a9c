//! What a step of every backend takes on this CPU, as lines for a table of the library's costs
//! (`crates/manyhash/src/kernel/cost/`).
//!
//! As many equal messages as the backend has lanes, long enough that starting and ending them does
//! not count: the steady state.

use std::hint::black_box;
use std::io::{self, Write};

use anyhow::{Result, ensure};
use manyhash::backend::Backend;
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, hash};
use serde::Serialize;

use crate::Buffer;
use crate::timing::{self, Effort, Probe, Sample};

const MESSAGE_BYTES: usize = 16 << 10;
/// One line more than the length: lanes collide where addresses are equal modulo 4 KiB.
const STRIDE_BYTES: usize = MESSAGE_BYTES + 64;
/// Lanes may collide if they are more than this: the ways of the smallest first cache.
const WAYS: usize = 8;
/// Lanes collide if a step takes longer by more than this part of it.
const COLLIDING_PART: u64 = 20;
/// The fewest quiet samples that a cost may be judged by.
const FEWEST_QUIET: usize = 3;

/// A line of a table.
#[derive(Serialize)]
pub struct Cost {
    /// The compression function, by its name in tables.
    pub compression: &'static str,
    /// The backend's name.
    pub backend: &'static str,
    /// The number of its lanes.
    pub lanes: usize,
    /// Whether all lanes read from the same place of a page each.
    pub collides: bool,
    /// Picoseconds for one block in each lane.
    pub step_ps: u64,
    /// Whether that is the median of quiet samples, or else of all.
    pub by_quiet: bool,
    /// Calls in each sample.
    pub calls_per_sample: u64,
    /// All samples, in the order they were taken.
    pub samples: Vec<Sample>,
}

/// Returns the algorithm of each compression function that is not truncated.
pub fn algorithms() -> impl Iterator<Item = AnyAlgorithm> {
    AnyAlgorithm::ALL.iter().copied().filter(|algorithm| algorithm.hashlib_name() == algorithm.compression_function())
}

/// Measures every backend that this CPU can run with the compression function of an algorithm, in
/// turns; those of many lanes also where these collide.
pub fn costs(algorithm: AnyAlgorithm, probe: Option<Probe>, effort: Effort) -> Result<Vec<Cost>> {
    algorithm.with(Steps { algorithm, probe, effort })
}

/// What is measured.
struct Turn {
    backend: Backend,
    lanes: usize,
    collides: bool,
}

struct Steps {
    algorithm: AnyAlgorithm,
    probe: Option<Probe>,
    effort: Effort,
}

impl ForAlgorithm for Steps {
    type Output = Result<Vec<Cost>>;

    fn run<A: Algorithm>(self) -> Result<Vec<Cost>> {
        let mut backends = Backend::supported();
        backends.retain(Backend::supports::<A>);
        // The tables' order: scalar code, lanes from narrow to wide, instructions for rounds.
        backends.sort_by_key(Backend::kind);
        let lanes = |backend: Backend| backend.lanes_of::<A>().expect("it supports the algorithm");
        let turn = |backend: Backend, collides: bool| Turn { backend, lanes: lanes(backend), collides };
        let mut turns: Vec<Turn> = backends.iter().map(|backend| turn(*backend, false)).collect();
        turns.extend(backends.iter().filter(|backend| lanes(**backend) > WAYS).map(|backend| turn(*backend, true)));
        let most = turns.iter().map(|turn| turn.lanes).max().unwrap_or(0);
        let buffer = Buffer::new(most * STRIDE_BYTES, 1)?;
        let places = [STRIDE_BYTES, MESSAGE_BYTES].map(|stride| {
            let messages: Vec<&[u8]> = buffer.bytes().chunks_exact(stride).map(|chunk| &chunk[..MESSAGE_BYTES]).collect();
            let expected: Vec<A::Digest> = messages.iter().map(|message| hash::<A>(message)).collect();
            (messages, expected)
        });
        let messages = |turn: &Turn| &places[usize::from(turn.collides)].0[..turn.lanes];
        let call = |turn: &Turn| turn.backend.hash_many::<A>(black_box(messages(turn)));
        let is_right = |turn: &Turn| Ok(call(turn)? == places[usize::from(turn.collides)].1[..turn.lanes]);
        self.measure(&turns, &|turn| drop(black_box(call(turn))), &is_right)
    }
}

impl Steps {
    /// Measures calls of all backends in turns: once for all algorithms, so that there is one copy of this code.
    fn measure(&self, turns: &[Turn], call: &dyn Fn(&Turn), is_right: &dyn Fn(&Turn) -> Result<bool>) -> Result<Vec<Cost>> {
        let verify = |turn: &Turn| {
            let (name, backend) = (self.algorithm.name(), turn.backend);
            ensure!(is_right(turn)?, "{name}: {backend} hashes to something else than one message after the other");
            Ok(())
        };
        turns.iter().try_for_each(verify)?;
        let calls: Vec<u64> = turns.iter().map(|turn| timing::calls_per_sample(self.effort.sample, || call(turn))).collect();
        let mut samples: Vec<(usize, Vec<Sample>)> = (0..turns.len()).map(|turn| (turn, Vec::new())).collect();
        let sample = |(turn, samples): &mut (usize, Vec<Sample>), round| {
            samples.push(timing::sample(self.probe, calls[*turn], round, || call(&turns[*turn])));
        };
        timing::rounds(self.effort, &mut samples, sample, |_| false);
        turns.iter().try_for_each(verify)?;

        let blocks = self.algorithm.blocks(MESSAGE_BYTES as u64);
        let costs = samples.into_iter().map(|(turn, samples)| {
            let quiet = samples.iter().filter(|sample| sample.is_quiet()).map(|sample| sample.call_ns);
            let by_quiet = quiet.clone().count() >= FEWEST_QUIET;
            let median = if by_quiet { timing::median(quiet) } else { timing::median(samples.iter().map(|sample| sample.call_ns)) };
            Cost {
                compression: self.algorithm.compression_function(),
                backend: turns[turn].backend.name(),
                lanes: turns[turn].lanes,
                collides: turns[turn].collides,
                step_ps: three_digits(median.expect("every backend has a sample") * 1000.0 / blocks as f64),
                by_quiet,
                calls_per_sample: calls[turn],
                samples,
            }
        });
        Ok(costs.collect())
    }
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

/// Writes a line of a table.
fn write_line(out: &mut dyn Write, cost: &Cost) -> io::Result<()> {
    let doubt = if cost.by_quiet { "" } else { " // too few quiet samples: median of all" };
    writeln!(out, "(\"{}\", \"{}\", {}),{doubt}", cost.compression, cost.backend, rust_literal(cost.step_ps))
}

/// Writes costs as lines of a table, and under which circumstances they were measured.
pub fn write_table(out: &mut dyn Write, cpu: &str, costs: &[Cost]) -> io::Result<()> {
    let samples: Vec<&Sample> = costs.iter().flat_map(|cost| &cost.samples).collect();
    let quiet: Vec<&Sample> = samples.iter().copied().filter(|sample| sample.is_quiet()).collect();
    let clock = timing::median(quiet.iter().filter_map(|sample| sample.clock_ghz));
    let clock = clock.map_or("clock not measured".into(), |clock| format!("{clock:.2} GHz"));
    writeln!(out, "// {cpu}; {clock}.")?;
    writeln!(out, "// Picoseconds for one block in each lane, 16 KiB messages in cache.")?;
    for cost in costs.iter().filter(|cost| !cost.collides) {
        write_line(out, cost)?;
    }
    let apart = |cost: &Cost| {
        let is_same = |one: &&Cost| !one.collides && (one.compression, one.backend) == (cost.compression, cost.backend);
        costs.iter().find(is_same).map_or(cost.step_ps, |one| one.step_ps)
    };
    let mut colliding = costs.iter().filter(|cost| cost.collides && cost.step_ps - cost.step_ps / COLLIDING_PART > apart(cost)).peekable();
    if colliding.peek().is_some() {
        writeln!(out, "// The same where lanes collide, if it is more.")?;
    }
    for cost in colliding {
        write_line(out, cost)?;
    }
    writeln!(out, "// {}", timing::Clocks { samples: samples.len(), quiet: &quiet })
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
        let measured: Vec<&str> = algorithms().map(AnyAlgorithm::compression_function).collect();
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
