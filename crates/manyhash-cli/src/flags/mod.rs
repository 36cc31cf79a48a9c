//! Options of the command line. A file for each command has its options, their defaults, and the
//! text below the options in `--help` and manual pages, whose indented lines are shown as they are.

mod b3sum;
mod check;
mod drop_ins;
mod dups;
pub(crate) mod gnu;
mod merkle;
mod sum;
mod tree;
mod verity;

use crate::progress::ProgressWhen;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command as ClapCommand, Parser, Subcommand};
use clap_complete::Shell;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{FileSystems, Links, Options, Patterns, patterns};
use manyhash_files::{MAX_WORKERS, all_cores};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::str::FromStr;

pub(crate) use self::b3sum::B3sumArguments;
pub(crate) use self::check::CheckArguments;
pub(crate) use self::drop_ins::DropIn;
pub(crate) use self::dups::{Chunking, DupsArguments};
pub(crate) use self::merkle::*;
pub(crate) use self::sum::SumArguments;
pub(crate) use self::tree::*;
pub(crate) use self::verity::*;

/// The text below the list of commands, in which `DROP-INS` stands for the names of drop-ins.
const EXAMPLES: &str = "\
Examples:
  manyhash sum -r photos -o photos.sha256
  manyhash check photos.sha256

Drop-ins:
  DROP-INS
  as `manyhash NAME ...`, or by a link of that name; with GNU's options.

Exit codes:
  0 fine, 1 a file could not be read or a check failed, 2 wrong usage.

Environment:
  MANYHASH_BACKEND=NAME  hash with that backend
  MANYHASH_WITHOUT=SETS  hash without these instruction sets: avx512,sha
  MANYHASH_LOG=1         the same as --verbose";

/// Checksums of many files at once
#[derive(Debug, Parser)]
#[command(name = "manyhash", version, after_help = after_help(), disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// Say on stderr which backend hashes, and what is skipped in folders (also: MANYHASH_LOG=1)
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Sum(SumArguments),
    Check(CheckArguments),
    Dups(DupsArguments),
    Tree(TreeArguments),
    Verity(VerityArguments),
    Bench(BenchArguments),
    Man(ManArguments),
    Completions(CompletionsArguments),
}

/// Measure what this machine does: GB/s of one thread, by algorithm, backend and batch
#[derive(Args, Debug)]
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Algorithm; may be given more than once [default: all]
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName)]
    pub(crate) algorithms: Vec<AnyAlgorithm>,

    /// Print instead what a step of every backend takes, as lines for the library's tables of costs
    #[arg(long)]
    pub(crate) calibrate: bool,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  manyhash bench
  manyhash bench -a sha256 -a sha512
  manyhash bench --calibrate

Calibration:
  The library chooses backends by tables of what their steps cost, one for each family of CPUs. For
  a table, calibrate several times on a quiet machine, and take the least of each line.";

/// Print the manual page, of manyhash or of one of its commands
#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArguments {
    /// One of the commands, and perhaps one of its own
    #[arg(value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  Read a page:
      manyhash man sum | man -l -
  Install the pages:
      manyhash man > manyhash.1
      manyhash man sum > manyhash-sum.1";

/// Print what a shell needs to complete commands and options
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  manyhash completions bash > ~/.local/share/bash-completion/completions/manyhash
  manyhash completions zsh > ~/.zfunc/_manyhash
  manyhash completions fish > ~/.config/fish/completions/manyhash.fish";

/// How to go through folders.
#[derive(Args, Debug)]
pub(crate) struct WalkArguments {
    /// Follow links in folders; one that leads back to a folder it is in is reported, not entered
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,

    /// Do not enter folders on other file systems than the PATH they are in
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// In folders, only files that match GLOB, as in .gitignore, or are in a folder that does; may be given again
    #[arg(long, value_name = "GLOB", value_parser = patterns::parse)]
    pub(crate) include: Vec<String>,

    /// In folders, nothing that matches GLOB, as in .gitignore: *.o, /docs/*.md, target/ (a folder); may be given again
    #[arg(long, value_name = "GLOB", value_parser = patterns::parse)]
    pub(crate) exclude: Vec<String>,
}

impl WalkArguments {
    /// Returns the options in the walk's form. Fails if the patterns together are too much.
    pub(crate) fn options(&self) -> Result<Options, String> {
        Ok(Options {
            links: if self.follow { Links::Followed } else { Links::Skipped },
            file_systems: if self.one_file_system { FileSystems::One } else { FileSystems::All },
            patterns: Patterns::new(&self.include, &self.exclude)?,
        })
    }
}

/// How to go about it.
#[derive(Args, Clone, Debug)]
pub(crate) struct WorkArguments {
    /// Threads that hash [default: all cores]; 1 reads one file after the other, for disks with moving parts
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_WORKERS as i64))]
    pub(crate) threads: Option<u16>,

    /// Show progress on stderr: auto (on a terminal, after a second), always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) progress: ProgressWhen,
}

impl WorkArguments {
    /// Returns the number of threads that hash.
    pub(crate) fn workers(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

/// Where digests are kept from run to run. CACHE.md says how.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CacheArguments {
    /// Keep digests in FILE, and reuse those of files with the same file system, inode, size, mtime and ctime
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,

    /// Read PERCENT of the files known from the cache [default: 5] all the same, others in each run, and fail if a digest differs
    #[arg(long, value_name = "PERCENT", requires = "cache", num_args = 0..=1, require_equals = true, default_missing_value = "5")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) verify_cache: Option<u8>,
}

/// Takes an algorithm's name in any spelling; help and completions show one.
#[derive(Clone, Debug)]
pub(crate) struct AlgorithmName;

impl TypedValueParser for AlgorithmName {
    type Value = AnyAlgorithm;

    fn parse_ref(&self, command: &ClapCommand, argument: Option<&Arg>, name: &OsStr) -> Result<AnyAlgorithm, clap::Error> {
        <AnyAlgorithm as FromStr>::from_str.parse_ref(command, argument, name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(AnyAlgorithm::ALL.iter().map(|algorithm| PossibleValue::new(algorithm.to_string()))))
    }
}

fn after_help() -> String {
    let commands: Vec<_> = DropIn::names().collect();
    EXAMPLES.replace("DROP-INS", &commands.join(" "))
}
