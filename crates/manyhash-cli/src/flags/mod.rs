//! Options of the command line. A file for each command has its options, their defaults, and the
//! text below the options in `--help` and manual pages, whose indented lines are shown as they are.

mod b3sum;
mod bench;
mod check;
mod diff;
mod drop_ins;
mod dups;
pub(crate) mod gnu;
mod merkle;
mod sum;
mod tree;
mod verity;

use crate::colour::ColourWhen;
use crate::progress::ProgressWhen;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, Args, Command as ClapCommand, Parser, Subcommand};
use clap_complete::Shell;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{FileSystems, Links, Options, Patterns, patterns};
use manyhash_files::{MAX_WORKERS, all_cores};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::str::FromStr;

pub(crate) use self::b3sum::B3sumArguments;
pub(crate) use self::bench::BenchArguments;
pub(crate) use self::check::CheckArguments;
pub(crate) use self::diff::DiffArguments;
pub(crate) use self::drop_ins::DropIn;
pub(crate) use self::dups::{Chunking, DupsArguments};
pub(crate) use self::merkle::*;
pub(crate) use self::sum::SumArguments;
pub(crate) use self::tree::*;
pub(crate) use self::verity::*;

const EXAMPLES: &str = "\
Examples:
  manyhash sum -r photos -o photos.sha256
  manyhash check photos.sha256";

/// The text below the list of commands, in which `DROP-INS` stands for the names of drop-ins.
const DROP_INS: &str = "\
Drop-ins:
  DROP-INS
  as `manyhash NAME ...`, or by a link of that name; with GNU's options.

Exit codes:
  0 fine, 1 a file could not be read or a check failed, 2 wrong usage.

Environment:
  MANYHASH_BACKEND=NAME  hash with that backend
  MANYHASH_WITHOUT=SETS  hash without these instruction sets: avx512,sha
  MANYHASH_LOG=1, 2      the same as -v, -vv
  NO_COLOR=1             no colours, unless --color says always";

/// Checksums of many files at once
#[derive(Debug, Parser)]
#[command(name = "manyhash", version, after_help = EXAMPLES, after_long_help = after_long_help())]
pub(crate) struct Arguments {
    /// Say on stderr which backend hashes, and count what is passed over; -vv names it
    ///
    /// That is links and the like in folders, and with check all files that are missing. MANYHASH_LOG=1 and 2 do the same.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Colours: auto (on a terminal), always or never
    ///
    /// The variable NO_COLOR takes those of auto away.
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColourWhen,

    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Sum(SumArguments),
    #[command(visible_alias = "verify")]
    Check(CheckArguments),
    Diff(DiffArguments),
    Dups(DupsArguments),
    Tree(TreeArguments),
    Verity(VerityArguments),
    Bench(BenchArguments),
    Man(ManArguments),
    Completions(CompletionsArguments),
}

/// Print the manual page, of manyhash or of one of its commands
#[derive(Args, Debug)]
#[command(after_long_help = MAN_EXAMPLES)]
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
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
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
    /// Follow links in folders
    ///
    /// A link that leads back to a folder it is in is reported, and not entered.
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,

    /// Do not enter folders on other file systems than the PATH they are in
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// In folders, only files that match GLOB; may be given again
    ///
    /// Globs are as in .gitignore. What is in a folder that matches counts too.
    #[arg(long, value_name = "GLOB", value_parser = patterns::parse)]
    pub(crate) include: Vec<String>,

    /// In folders, nothing that matches GLOB; may be given again
    ///
    /// Globs are as in .gitignore: *.o, /docs/*.md, target/ (a folder).
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

/// How to go about it. Where a command has commands of its own, these options may stand before or
/// behind them.
#[derive(Args, Clone, Debug)]
pub(crate) struct WorkArguments {
    /// Threads that hash; 0 is all cores
    ///
    /// 1 reads one file after the other, for disks with moving parts.
    #[arg(short = 'j', long = "threads", value_name = "N", global = true, default_value = "0", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) workers: usize,

    /// Show progress on stderr: auto (on a terminal, after a second), always or never
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto", hide_possible_values = true)]
    pub(crate) progress: ProgressWhen,
}

/// Returns the number of threads that `text` asks for. More than can be used are as many as can.
fn threads(text: &str) -> Result<usize, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a number of threads is 0, for all cores, or more".to_string());
    }
    Ok(match text.parse().unwrap_or(usize::MAX) {
        0 => all_cores(),
        threads => threads.min(MAX_WORKERS),
    })
}

/// Where digests are kept from run to run. CACHE.md says how.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CacheArguments {
    /// Keep digests in FILE, and reuse those of unchanged files
    ///
    /// A file is unchanged if it has the same file system, inode, size, mtime and ctime.
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,

    /// Read PERCENT of the files known from the cache all the same [default: 5]
    ///
    /// Others are read in each run. It is a failure if a digest differs.
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

fn after_long_help() -> String {
    let commands: Vec<_> = DropIn::names().collect();
    format!("{EXAMPLES}\n\n{}", DROP_INS.replace("DROP-INS", &commands.join(" ")))
}
