//! `manyhash diff`: its options.

use super::{AlgorithmName, CacheArguments, WorkArguments};
use clap::Args;
use manyhash::AnyAlgorithm;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  What happened between two lists, without reading a file:
      manyhash diff monday.sha256 friday.sha256
  What happened to a folder since it was listed:
      manyhash diff photos.sha256 photos
  The same for a list that was made inside the folder:
      manyhash diff -C photos photos.sha256 photos
  For programs:
      manyhash diff --json old new | jq -r 'select(.status == \"added\") | .path'

Exit codes:
  0 the same, 1 different, 2 something could not be read or compared.";

/// Compare two lists, or a list and a folder: what was added, removed, changed, moved
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// Algorithm of the lists; without it lines tell, as for check
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName)]
    pub(crate) algorithm: Option<AnyAlgorithm>,

    /// With a folder: the folder that names in the list are relative to, as for check
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Print nothing, the exit code says it all
    #[arg(long, conflicts_with = "json")]
    pub(crate) status: bool,

    /// Print a JSON object a file: status, path (path_hex if it is not UTF-8), algorithm and more
    #[arg(long)]
    pub(crate) json: bool,

    /// Where digests are kept.
    #[command(flatten)]
    pub(crate) cache: CacheArguments,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// List of digests in any form that check reads; - is stdin
    #[arg(value_name = "OLD")]
    pub(crate) old: OsString,

    /// Another list, or a folder, which is hashed as OLD says
    #[arg(value_name = "NEW")]
    pub(crate) new: OsString,
}
