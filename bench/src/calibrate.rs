//! `calibrate`: what a step of every backend takes on this CPU, as `manyhash bench --calibrate`
//! prints it, with the options of the other modes and every sample in the JSON file.

use std::io;
use std::time::Duration;

use anyhow::Result;
use manyhash::AnyAlgorithm;
use manyhash_measure::calibrate::{algorithms, costs, write_table};

use crate::run::{Run, RunArguments};

/// Runs the mode.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let names = arguments.algorithms_of(&algorithms().map(AnyAlgorithm::name).collect::<Vec<_>>())?;
    let run = Run::begin(arguments, Duration::from_millis(2), Duration::from_secs(20))?;
    let mut measured = Vec::new();
    for algorithm in names.into_iter().filter_map(AnyAlgorithm::by_name) {
        measured.extend(costs(algorithm, run.probe, run.effort)?);
    }
    let out = &mut io::stdout().lock();
    write_table(out, &run.machine.cpu, &measured)?;
    run.finish(out, "costs", &measured)
}
