//! `manyhash check`: its options.

use super::{AlgorithmName, CacheArguments, WorkArguments};
use clap::Args;
use manyhash::AnyAlgorithm;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Say only what is not as it should be:
      manyhash check --quiet photos.sha256
  Names relative to another folder, digests from elsewhere:
      curl -s https://example.org/SHA256SUMS | manyhash check --ignore-missing -C downloads -
  What failed, for programs:
      manyhash check --json SHA256SUMS | jq -r 'select(.status != \"ok\") | .path'";

/// Check that files have the digests that manifests say
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Algorithm of all lines
    ///
    /// Without it lines tell by their tag, by the name of the manifest or the length of the digest.
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName)]
    pub(crate) algorithm: Option<AnyAlgorithm>,

    /// Folder that names in manifests are relative to
    ///
    /// Without it: the current one, and for a bag or a RECORD its own.
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Fail if a line is malformed
    #[arg(long)]
    pub(crate) strict: bool,

    /// Pass over files that are not there, as long as one of all is
    #[arg(long)]
    pub(crate) ignore_missing: bool,

    /// Also fail for files that are there but not listed
    ///
    /// Listed files that are missing are looked for under other names.
    #[arg(long)]
    pub(crate) audit: bool,

    /// Print nothing for files that are as they should be
    #[arg(short, long, conflicts_with = "status")]
    pub(crate) quiet: bool,

    /// Print nothing, the exit code says it all
    #[arg(long, conflicts_with = "json")]
    pub(crate) status: bool,

    /// Say which lines are malformed
    #[arg(short, long)]
    pub(crate) warn: bool,

    /// Print a JSON object a line
    ///
    /// One for each file: manifest, line, path (path_hex if it is not UTF-8), algorithm, status and more. The last one is the summary.
    #[arg(long)]
    pub(crate) json: bool,

    /// Where digests are kept.
    #[command(flatten)]
    pub(crate) cache: CacheArguments,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// Manifests of sha256sum and its like, sum --json, bags, Python's RECORD, dpkg, hashdeep, SPDX, CycloneDX, cargo vendor; - is stdin
    #[arg(value_name = "MANIFEST", required = true)]
    pub(crate) manifests: Vec<OsString>,
}
