//! `manyhash sum`: its options.

use super::{AlgorithmName, CacheArguments, WalkArguments, WorkArguments};
use clap::Args;
use manyhash::AnyAlgorithm;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Lines as sha256sum prints them:
      manyhash sum *.iso
  A whole folder, into a manifest for `manyhash check` or `sha256sum -c`:
      manyhash sum -r photos -o photos.sha256
  Two algorithms, each file read once:
      manyhash sum -a sha256,sha512 *.tar
  The same list again later, reading what is new or changed since it was last brought up to date:
      manyhash sum --update photos.sha256 -r photos
  Source files only, and nothing that was built:
      manyhash sum -r --include '*.rs' --include '*.toml' --exclude target/ .
  Names from elsewhere, whatever characters are in them:
      find . -newer last -type f -print0 | manyhash sum -0 --files-from -
  For programs:
      manyhash sum --json -r data | jq -r 'select(.bytes > 1000000) | .path'";

/// Print the digests of files, in the order given
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, mut_group("WalkArguments", |group| group.requires("recursive")))]
pub(crate) struct SumArguments {
    /// Algorithm [default: sha256]; several with commas, or given again
    ///
    /// Of several, each file is read once, and lines are as with --tag or --json.
    #[arg(short, long = "algorithm", value_name = "ALG", value_parser = AlgorithmName, value_delimiter = ',')]
    pub(crate) algorithms: Vec<AnyAlgorithm>,

    /// Go into folders: their regular files in byte order of the paths
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// What of folders.
    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    /// Also the files that FILE names, one a line; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// The names in --files-from end with NUL, not newline
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,

    /// Print BSD-style lines: SHA256 (PATH) = DIGEST
    #[arg(long)]
    pub(crate) tag: bool,

    /// Print a JSON object a line
    ///
    /// Its keys: path (path_hex if it is not UTF-8), bytes, algorithm, digest.
    #[arg(long, conflicts_with_all = ["tag", "zero"])]
    pub(crate) json: bool,

    /// End lines with NUL, not newline, and do not escape names
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Write to FILE, which appears when all is done
    ///
    /// In folders FILE itself is left out.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Bring LIST up to date, in its own form and algorithm: what is new or changed is read, what is gone leaves it; digests are in LIST.cache, or where --cache says
    #[arg(long, value_name = "LIST", conflicts_with_all = ["output", "tag", "json", "zero"])]
    pub(crate) update: Option<PathBuf>,

    /// Where digests are kept.
    #[command(flatten)]
    pub(crate) cache: CacheArguments,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
}
