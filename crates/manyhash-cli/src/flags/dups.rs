//! `manyhash dups`: its options.

use super::{AlgorithmName, WalkArguments, WorkArguments};
use crate::text::size;
use clap::Args;
use fastcdc::v2020::{AVERAGE_MAX, AVERAGE_MIN};
use manyhash::AnyAlgorithm;
use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

const EXAMPLES: &str = concat!(
    size::help!(),
    "

Examples:
  Groups of names, an empty line between them:
      manyhash dups photos
  Only large files, for programs:
      manyhash dups --json --min-size 1M /home | jq -r 'select(.files) | .files[1:][].path'
  What a store of content-defined chunks would save, folder by folder:
      manyhash dups --chunks cdc:16K --depth 2 /srv/backup"
);

/// Find files with the same content; nothing is ever deleted
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
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

    /// Say instead what de-duplication would save
    ///
    /// Chunks have SIZE bytes, or are content-defined and have SIZE on average.
    #[arg(long, value_name = "fixed:SIZE|cdc:SIZE", conflicts_with = "zero")]
    pub(crate) chunks: Option<Chunking>,

    /// With --chunks: a line for folders up to N levels below each PATH
    #[arg(long, value_name = "N", default_value_t = 1, requires = "chunks")]
    pub(crate) depth: usize,

    /// With --chunks: memory for the digests of chunks
    ///
    /// With more of them than fit, what is saved is estimated from a sample.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size::parse, requires = "chunks")]
    pub(crate) memory: u64,

    /// Print a JSON object a line
    ///
    /// One for each group, or with --chunks for each folder. The last one is the summary.
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

/// How files are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunking {
    /// Chunks of this many bytes. The last chunk of a file is what is left.
    Fixed(usize),
    /// Chunks that the content defines, by FastCDC (its version of 2020). They have this many bytes
    /// on average, at least a quarter and at most four times that.
    ContentDefined(usize),
}

/// The sizes of fixed chunks, from a sector to a size of which buffers should hold several.
const FIXED_BYTES: RangeInclusive<usize> = 512..=16 << 20;

/// Writes the kind of chunks as users type it.
impl fmt::Display for Chunking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => write!(f, "fixed:{bytes}"),
            Self::ContentDefined(average_bytes) => write!(f, "cdc:{average_bytes}"),
        }
    }
}

impl FromStr for Chunking {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, size) = text.split_once(':').ok_or("chunks are fixed:SIZE or cdc:SIZE, as fixed:4096 or cdc:16K")?;
        let bytes = usize::try_from(size::parse(size)?).unwrap_or(usize::MAX);
        match kind {
            "fixed" if FIXED_BYTES.contains(&bytes) => Ok(Self::Fixed(bytes)),
            "fixed" => Err("fixed chunks have 512 bytes to 16M".to_string()),
            "cdc" if bytes.is_power_of_two() && (AVERAGE_MIN..=AVERAGE_MAX).contains(&bytes) => Ok(Self::ContentDefined(bytes)),
            "cdc" => Err("content-defined chunks have on average a power of two from 256 bytes to 4M".to_string()),
            _ => Err(format!("chunks are fixed:SIZE or cdc:SIZE, not {kind}:SIZE")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunkings_are_as_typed() {
        for (text, chunking) in [("fixed:4096", Chunking::Fixed(4096)), ("cdc:16384", Chunking::ContentDefined(16 << 10))] {
            assert_eq!((text.parse(), chunking.to_string()), (Ok(chunking), text.to_string()));
        }
        assert_eq!("fixed:1M".parse(), Ok(Chunking::Fixed(1 << 20)));
        for text in ["", "fixed", "4096", "fixed:", "fixed:511", "fixed:17M", "cdc:128", "cdc:48K", "cdc:8M", "rabin:4K"] {
            assert!(text.parse::<Chunking>().is_err(), "{text}");
        }
    }
}
