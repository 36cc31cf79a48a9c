//! `manyhash bench`: its options.

use super::{AlgorithmName, threads};
use clap::Args;
use manyhash::AnyAlgorithm;

const EXAMPLES: &str = "\
Examples:
  What the library uses here:
      manyhash bench
  All that it could use, of two algorithms:
      manyhash bench --all -a sha256 -a sha512
  What all cores do together:
      manyhash bench -j 0
  For programs:
      manyhash bench --json | jq 'select(.messages == 64)'

Calibration:
  The library chooses backends by tables of what their steps cost, one for each family of CPUs. For
  a table, calibrate several times on a quiet machine, and take the least of each line.";

/// Measure what this machine does: GB/s by algorithm and batch
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Algorithm; may be given more than once [default: all]
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName)]
    pub(crate) algorithms: Vec<AnyAlgorithm>,

    /// Threads that hash at once, each messages of its own; 0 is all cores
    ///
    /// GB/s are those of all of them together.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: usize,

    /// Also measure each backend alone that this CPU can run
    #[arg(long)]
    pub(crate) all: bool,

    /// Print a JSON object a line
    ///
    /// One for each figure: cpu, algorithm, backend, lanes, is_chosen (whether the library uses it if left alone), threads, messages,
    /// message_bytes, gigabytes_per_second.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print what a step of every backend takes, for the library's tables
    ///
    /// The lines are those of the library's tables of costs.
    #[arg(long, conflicts_with_all = ["all", "json", "threads"])]
    pub(crate) calibrate: bool,
}
