//! What the modes that hash in memory share: options, the CPU held to, the header, and the JSON
//! file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use manyhash::{AnyAlgorithm, backend};
use serde::Serialize;

use crate::machine::Machine;
use crate::peers;
use crate::report;
use manyhash_measure::machine::pin;
use manyhash_measure::timing::{self, Effort, Probe};

/// The options of every such mode.
#[derive(clap::Args)]
pub struct RunArguments {
    /// Only these algorithms, as `SHA-256` or `sha256` [default: MD5,SHA-1,SHA-256,SHA-512].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    algorithm: Vec<String>,
    #[command(flatten)]
    common: CommonArguments,
    /// Samples of each peer; where messages add up to tens of megabytes, time ends them earlier,
    /// not before 7.
    #[arg(long, value_name = "N", default_value_t = 31, value_parser = crate::at_least_one)]
    samples: usize,
    /// One short sample of everything, less of it: shows that the bench works, nothing else.
    #[arg(long, conflicts_with = "samples")]
    pub quick: bool,
}

/// The options that every mode has, whatever its effort.
#[derive(clap::Args)]
pub struct CommonArguments {
    /// Also writes everything that was measured to this file.
    #[arg(long, value_name = "FILE", overrides_with = "json")]
    json: Option<PathBuf>,
    /// Stay on this CPU [default on Linux: the last CPU allowed].
    #[arg(long, value_name = "CPU")]
    pin: Option<usize>,
}

impl RunArguments {
    /// The algorithms asked for, or the usual ones; wrong names end the program.
    pub fn algorithms(&self) -> Result<Vec<&'static str>> {
        self.algorithms_or(&peers::USUAL)
    }

    /// The algorithms asked for, or these, in a mode that runs these unless told otherwise.
    pub fn algorithms_or(&self, unless_asked: &[&'static str]) -> Result<Vec<&'static str>> {
        let mut algorithms = self.algorithms_of(peers::ALGORITHMS)?;
        if self.algorithm.is_empty() {
            algorithms.retain(|algorithm| unless_asked.contains(algorithm));
        }
        Ok(algorithms)
    }

    /// The algorithms asked for, or all, in a mode that knows `all` of these.
    pub fn algorithms_of(&self, all: &[&'static str]) -> Result<Vec<&'static str>> {
        algorithms(&self.algorithm, all)
    }
}

/// The algorithms of `all` that are `asked` for, all of them if none is; wrong names end the
/// program.
pub fn algorithms(asked: &[String], all: &[&'static str]) -> Result<Vec<&'static str>> {
    let normal = |name: &str| AnyAlgorithm::by_name(name).map_or(name.replace('-', "").to_uppercase(), |algorithm| algorithm.to_string());
    let algorithms = crate::chosen("algorithm", asked, all, normal);
    backend::from_environment().map_err(|error| anyhow!("{}: {error}", error.variable()))?;
    for algorithm in algorithms.iter().filter_map(|name| AnyAlgorithm::by_name(name)) {
        algorithm.backend().context("MANYHASH_BACKEND")?;
    }
    Ok(algorithms)
}

#[derive(Serialize)]
struct Report<'a, T> {
    machine: &'a Machine,
    effort: Effort,
    quick: bool,
    window_probe_body_instructions: Option<usize>,
    quiet_overlap: f64,
    #[serde(flatten)]
    measured: &'a T,
}

/// A run that has begun.
pub struct Run {
    /// Where it takes place.
    pub machine: Machine,
    /// The window probe, if this CPU lets it work.
    pub probe: Option<Probe>,
    /// How much to measure.
    pub effort: Effort,
    quick: bool,
    json: Option<(PathBuf, File)>,
}

impl Run {
    /// Opens the JSON file, pins the process and calibrates the probe. Samples take `sample`, the
    /// rounds of a cell `cell`.
    pub fn begin(arguments: &RunArguments, sample: Duration, cell: Duration) -> Result<Self> {
        Ok(Self { quick: arguments.quick, ..Self::begin_with(&arguments.common, effort(arguments, sample, cell))? })
    }

    /// Begins a run whose effort is given.
    pub fn begin_with(common: &CommonArguments, effort: Effort) -> Result<Self> {
        let json = open_json(common)?;
        let machine = Machine::describe(pin(common.pin)?);
        Ok(Self { machine, probe: Probe::calibrate(), effort, quick: false, json })
    }

    /// Begins a run of a mode of several threads: on all CPUs unless `--pin` is given, and without
    /// a probe, which sees one core.
    pub fn begin_on_all_cpus(arguments: &RunArguments, sample: Duration, cell: Duration) -> Result<Self> {
        let json = open_json(&arguments.common)?;
        let pinned_to = arguments.common.pin.map_or(Ok(None), |cpu| pin(Some(cpu)))?;
        let machine = Machine::describe(pinned_to);
        Ok(Self { machine, probe: None, effort: effort(arguments, sample, cell), quick: arguments.quick, json })
    }

    /// Prints the header.
    pub fn header(&self, out: &mut dyn Write) -> io::Result<()> {
        report::header(out, &self.machine, self.probe)
    }

    /// Prints what `--quick` has to say, and writes the JSON file: `name` is the field with what
    /// was `measured`.
    pub fn finish(self, out: &mut dyn Write, name: &'static str, measured: &impl Serialize) -> Result<()> {
        self.finish_with(out, &BTreeMap::from([(name, measured)]))
    }

    /// Ends a run whose file has the fields of `measured`.
    pub fn finish_with(self, out: &mut dyn Write, measured: &impl Serialize) -> Result<()> {
        if self.quick {
            writeln!(out, "\n--quick: every digest was verified; the figures mean nothing.")?;
        }
        let Some((path, file)) = self.json else {
            return Ok(());
        };
        let report = Report {
            machine: &self.machine,
            effort: self.effort,
            quick: self.quick,
            window_probe_body_instructions: self.probe.map(Probe::body_instructions),
            quiet_overlap: timing::QUIET_OVERLAP,
            measured,
        };
        let mut file = io::BufWriter::new(file);
        let written = serde_json::to_writer(&mut file, &report).map_err(io::Error::from).and_then(|()| file.flush());
        written.with_context(|| path.display().to_string())
    }
}

/// Before anything else: an hour's figures must not be lost to a mistyped path.
fn open_json(common: &CommonArguments) -> Result<Option<(PathBuf, File)>> {
    let create = |path: &PathBuf| File::create(path).with_context(|| format!("--json {}", path.display()));
    common.json.as_ref().map(|path| create(path).map(|file| (path.clone(), file))).transpose()
}

fn effort(arguments: &RunArguments, sample: Duration, cell: Duration) -> Effort {
    let (samples, sample) = if arguments.quick { (1, Duration::from_micros(200)) } else { (arguments.samples, sample) };
    Effort { samples, most_samples: samples, sample, cell }
}
