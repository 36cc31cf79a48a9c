//! Options and arguments of `manyhash`. The drop-ins have their own: [`crate::commands::drop_in`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::algorithm::AnyAlgorithm;
use crate::pipeline::{MAX_WORKERS, all_cores};

/// Checksums of many files at once
#[derive(Debug, Parser)]
#[command(name = "manyhash", version, after_help = after_help(), disable_help_subcommand = true)]
pub struct Arguments {
    /// Say on stderr which backend hashes, and what is skipped in folders (also: MANYHASH_LOG=1)
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the digests of files, in the order given
    Sum(SumArguments),
    /// Check that files have the digests that manifests say
    Check(CheckArguments),
    /// Measure what this machine does: GB/s of one thread, by algorithm, backend and batch
    Bench(BenchArguments),
}

/// What `bench` takes.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Algorithm; may be given more than once [default: all]
    #[arg(short, long = "algorithm", value_name = "ALG")]
    pub algorithms: Vec<AnyAlgorithm>,
}

/// What `sum` takes.
#[derive(Args, Debug)]
pub struct SumArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", default_value_t = AnyAlgorithm::Sha256)]
    pub algorithm: AnyAlgorithm,

    /// Go into folders: their regular files in byte order of the paths, links not followed
    #[arg(short, long)]
    pub recursive: bool,

    /// Print BSD-style lines: SHA256 (PATH) = DIGEST
    #[arg(long)]
    pub tag: bool,

    /// Print a JSON object a line: path (path_hex if it is not UTF-8), bytes, algorithm, digest
    #[arg(long, conflicts_with_all = ["tag", "zero"])]
    pub json: bool,

    /// End lines with NUL, not newline, and do not escape names
    #[arg(short, long)]
    pub zero: bool,

    /// Write to FILE, which appears when all is done; in folders FILE itself is left out
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Threads that hash [default: all cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_WORKERS as i64))]
    pub threads: Option<u16>,

    /// Show progress on stderr; auto: on a terminal, after a second
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: ProgressWhen,

    /// Files; - or nothing is stdin
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
}

impl SumArguments {
    /// Threads that hash.
    pub fn workers(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// On a terminal, if it takes more than a second.
    Auto,
    /// From the beginning, terminal or not.
    Always,
    /// Not at all.
    Never,
}

/// What `check` takes.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Algorithm; without it lines tell by their tag or the length of the digest
    #[arg(short, long, value_name = "ALG")]
    pub algorithm: Option<AnyAlgorithm>,

    /// Folder that names in manifests are relative to
    #[arg(short = 'C', long, value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Fail if a line is malformed
    #[arg(long)]
    pub strict: bool,

    /// Pass over files that are not there, as long as one is
    #[arg(long)]
    pub ignore_missing: bool,

    /// Print nothing for files that are as they should be
    #[arg(long, conflicts_with = "status")]
    pub quiet: bool,

    /// Print nothing, the exit code says it all
    #[arg(long, conflicts_with = "json")]
    pub status: bool,

    /// Say which lines are malformed
    #[arg(short, long)]
    pub warn: bool,

    /// Print a JSON object a file: manifest, line, path (path_hex if it is not UTF-8), algorithm, status and more
    #[arg(long)]
    pub json: bool,

    /// Manifests; - is stdin
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<OsString>,
}

fn after_help() -> String {
    let commands: Vec<_> = AnyAlgorithm::ALL.iter().filter_map(|algorithm| algorithm.command()).collect();
    format!(
        "Drop-ins, as `manyhash COMMAND ...` or by a link of that name, with GNU's options:\n  {}\n\n\
         Exit codes: 0 fine, 1 a file could not be read or a check failed, 2 wrong usage.\n\
         MANYHASH_BACKEND=NAME hashes with that backend.",
        commands.join(" ")
    )
}
