//! `manyhash bench`: its options.

use super::AlgorithmName;
use clap::Args;
use manyhash::AnyAlgorithm;

const EXAMPLES: &str = "\
Examples:
  What the library uses here:
      manyhash bench
  All that it could use, of two algorithms:
      manyhash bench --all -a sha256 -a sha512
  For programs:
      manyhash bench --json | jq 'select(.messages == 64)'

Calibration:
  The library chooses backends by tables of what their steps cost, one for each family of CPUs. For
  a table, calibrate several times on a quiet machine, and take the least of each line.";

/// Measure what this machine does: GB/s of one thread, by algorithm and batch
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Algorithm; may be given more than once [default: all]
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName)]
    pub(crate) algorithms: Vec<AnyAlgorithm>,

    /// Also measure each backend alone that this CPU can run
    #[arg(long)]
    pub(crate) all: bool,

    /// Print a JSON object a line
    ///
    /// One for each figure: cpu, algorithm, backend, lanes, is_chosen (whether the library uses it if left alone), messages, message_bytes,
    /// gigabytes_per_second.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print what a step of every backend takes, for the library's tables
    ///
    /// The lines are those of the library's tables of costs.
    #[arg(long, conflicts_with_all = ["all", "json"])]
    pub(crate) calibrate: bool,
}
