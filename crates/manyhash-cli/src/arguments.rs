//! Options and arguments of `manyhash`. The drop-ins have their own: [`crate::commands::drop_in`].

mod tree;
mod verity;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command as ClapCommand, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use manyhash::AnyAlgorithm;
use manyhash_files::find::{FileSystems, Links, Options, Patterns, patterns};
use manyhash_files::{MAX_WORKERS, all_cores};

use crate::algorithm::command_of;
use crate::commands::dups::chunks::Chunking;
use crate::examples;
use crate::size;

pub use tree::*;
pub use verity::*;

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
    #[command(after_help = examples::SUM, mut_group("WalkArguments", |group| group.requires("recursive")))]
    Sum(SumArguments),
    /// Check that files have the digests that manifests say
    #[command(after_help = examples::CHECK)]
    Check(CheckArguments),
    /// Find files with the same content; nothing is ever deleted
    #[command(after_help = examples::DUPS)]
    Dups(DupsArguments),
    /// Print digests of digests: j-lanes, fs-verity, dm-verity, BitTorrent v2, S3 and others
    #[command(after_help = examples::TREE, disable_help_subcommand = true)]
    Tree(TreeArguments),
    /// Hash devices of dm-verity: make, verify and show them
    #[command(after_help = examples::VERITY, disable_help_subcommand = true)]
    Verity(VerityArguments),
    /// Measure what this machine does: GB/s of one thread, by algorithm, backend and batch
    #[command(after_help = examples::BENCH)]
    Bench(BenchArguments),
    /// Print the manual page, of manyhash or of one of its commands
    #[command(after_help = examples::MAN)]
    Man(ManArguments),
    /// Print what a shell needs to complete commands and options
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArguments),
}

/// What `man` takes.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// One of the commands, and perhaps one of its own
    #[arg(value_name = "COMMAND")]
    pub commands: Vec<String>,
}

/// What `completions` takes.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,
}

/// What `bench` takes.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Algorithm; may be given more than once [default: all]
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName)]
    pub algorithms: Vec<AnyAlgorithm>,
}

/// What `sum` takes.
#[derive(Args, Debug)]
pub struct SumArguments {
    /// Algorithm; for several, with commas or given again, each file is read once, and lines are as with --tag or --json
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName, value_delimiter = ',', default_values_t = [AnyAlgorithm::Sha256])]
    pub algorithms: Vec<AnyAlgorithm>,

    /// Go into folders: their regular files in byte order of the paths
    #[arg(short, long)]
    pub recursive: bool,

    /// What of folders.
    #[command(flatten)]
    pub walk: WalkArguments,

    /// Also the files that FILE names, one a line; - is stdin
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,

    /// The names in --files-from end with NUL, not newline
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,

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

    /// Where digests are kept.
    #[command(flatten)]
    pub cache: CacheArguments,

    /// How to go about it.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
}

/// How to go through folders.
#[derive(Args, Debug)]
pub struct WalkArguments {
    /// Follow links in folders; one that leads back to a folder it is in is reported, not entered
    #[arg(short = 'L', long)]
    pub follow: bool,

    /// Do not enter folders on other file systems than the PATH they are in
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// In folders, only files that match GLOB, as in .gitignore, or are in a folder that does; may be given again
    #[arg(long, value_name = "GLOB", value_parser = patterns::parse)]
    pub include: Vec<String>,

    /// In folders, nothing that matches GLOB, as in .gitignore: *.o, /docs/*.md, target/ (a folder); may be given again
    #[arg(long, value_name = "GLOB", value_parser = patterns::parse)]
    pub exclude: Vec<String>,
}

impl WalkArguments {
    /// As the walk takes them; or why the patterns together are too much.
    pub fn options(&self) -> Result<Options, String> {
        Ok(Options {
            links: if self.follow { Links::Followed } else { Links::Skipped },
            file_systems: if self.one_file_system { FileSystems::One } else { FileSystems::All },
            patterns: Patterns::new(&self.include, &self.exclude)?,
        })
    }
}

/// How to go about it.
#[derive(Args, Clone, Debug)]
pub struct WorkArguments {
    /// Threads that hash [default: all cores]; 1 reads one file after the other, for disks with moving parts
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_WORKERS as i64))]
    pub threads: Option<u16>,

    /// Show progress on stderr: auto (on a terminal, after a second), always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub progress: ProgressWhen,
}

impl WorkArguments {
    /// Threads that hash.
    pub fn workers(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

/// Where digests are kept from run to run. CACHE.md says how.
#[derive(Args, Clone, Debug, Default)]
pub struct CacheArguments {
    /// Keep digests in FILE, and reuse those of files with the same file system, inode, size, mtime and ctime
    #[arg(long, value_name = "FILE")]
    pub cache: Option<PathBuf>,

    /// Read PERCENT of the files known from the cache [default: 5] all the same, others in each run, and fail if a digest differs
    #[arg(long, value_name = "PERCENT", requires = "cache", num_args = 0..=1, require_equals = true, default_missing_value = "5")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub verify_cache: Option<u8>,
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
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName)]
    pub algorithm: Option<AnyAlgorithm>,

    /// Folder that names in manifests are relative to [default: the current one; for a bag or a RECORD its own]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Fail if a line is malformed
    #[arg(long)]
    pub strict: bool,

    /// Pass over files that are not there, as long as one of all is
    #[arg(long)]
    pub ignore_missing: bool,

    /// Also fail for files that are there but not listed; listed files that are missing are looked for under other names
    #[arg(long)]
    pub audit: bool,

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

    /// Where digests are kept.
    #[command(flatten)]
    pub cache: CacheArguments,

    /// How to go about it.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Manifests of sha256sum and its like, sum --json, bags, Python's RECORD, dpkg; - is stdin
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<OsString>,
}

/// What `dups` takes.
#[derive(Args, Debug)]
pub struct DupsArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub algorithm: AnyAlgorithm,

    /// Leave smaller files out; 0 takes empty ones in
    #[arg(long, value_name = "SIZE", default_value = "1", value_parser = size::parse)]
    pub min_size: u64,

    /// Leave larger files out
    #[arg(long, value_name = "SIZE", default_value_t = u64::MAX, hide_default_value = true, value_parser = size::parse)]
    pub max_size: u64,

    /// Say instead what de-duplication would save: chunks of SIZE bytes, or content-defined ones of SIZE on average
    #[arg(long, value_name = "fixed:SIZE|cdc:SIZE", conflicts_with = "zero")]
    pub chunks: Option<Chunking>,

    /// With --chunks: a line for folders up to N levels below each PATH
    #[arg(long, value_name = "N", default_value_t = 1, requires = "chunks")]
    pub depth: usize,

    /// With --chunks: memory for the digests of chunks; with more of them than fit, what is saved is estimated from a sample
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size::parse, requires = "chunks")]
    pub memory: u64,

    /// Print JSON, an object a line: groups, or with --chunks folders; the last one is the summary
    #[arg(long, conflicts_with = "zero")]
    pub json: bool,

    /// End names and groups with NUL, not newline, and do not escape names
    #[arg(short, long)]
    pub zero: bool,

    /// How to go about it.
    #[command(flatten)]
    pub work: WorkArguments,

    /// What of folders.
    #[command(flatten)]
    pub walk: WalkArguments,

    /// Files, and folders with all that is in them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<OsString>,
}

/// Takes an algorithm's name in any spelling; help and completions show one.
#[derive(Clone, Debug)]
pub struct AlgorithmName;

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
    let commands: Vec<_> = AnyAlgorithm::ALL.iter().copied().filter_map(command_of).collect();
    examples::MANYHASH.replace("DROP-INS", &commands.join(" "))
}
