//! `manyhash dups`: its options.

use std::ffi::OsString;

use clap::Args;
use manyhash::AnyAlgorithm;

use crate::commands::dups::chunks::Chunking;
use crate::size;

use super::{AlgorithmName, WalkArguments, WorkArguments};

/// Below the options.
const EXAMPLES: &str = "\
Sizes:
  A number of bytes, or one with K, M, G or T behind it.

Examples:
  Groups of names, an empty line between them:
      manyhash dups photos
  Only large files, for programs:
      manyhash dups --json --min-size 1M /home | jq -r 'select(.files) | .files[1:][].path'
  What a store of content-defined chunks would save, folder by folder:
      manyhash dups --chunks cdc:16K --depth 2 /srv/backup";

/// Find files with the same content; nothing is ever deleted
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DupsArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) algorithm: AnyAlgorithm,

    /// Leave smaller files out; 0 takes empty ones in
    #[arg(long, value_name = "SIZE", default_value = "1", value_parser = size::parse)]
    pub(crate) min_size: u64,

    /// Leave larger files out
    #[arg(long, value_name = "SIZE", default_value_t = u64::MAX, hide_default_value = true, value_parser = size::parse)]
    pub(crate) max_size: u64,

    /// Say instead what de-duplication would save: chunks of SIZE bytes, or content-defined ones of SIZE on average
    #[arg(long, value_name = "fixed:SIZE|cdc:SIZE", conflicts_with = "zero")]
    pub(crate) chunks: Option<Chunking>,

    /// With --chunks: a line for folders up to N levels below each PATH
    #[arg(long, value_name = "N", default_value_t = 1, requires = "chunks")]
    pub(crate) depth: usize,

    /// With --chunks: memory for the digests of chunks; with more of them than fit, what is saved is estimated from a sample
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size::parse, requires = "chunks")]
    pub(crate) memory: u64,

    /// Print JSON, an object a line: groups, or with --chunks folders; the last one is the summary
    #[arg(long, conflicts_with = "zero")]
    pub(crate) json: bool,

    /// End names and groups with NUL, not newline, and do not escape names
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// What of folders.
    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    /// Files, and folders with all that is in them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<OsString>,
}
