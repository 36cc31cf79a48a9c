//! Options of `b3sum`, those of the command of BLAKE3's authors.

use clap::Parser;
use std::ffi::OsString;

/// Print BLAKE3 hashes of files, or check them against a list
#[derive(Debug, Parser)]
#[command(name = "b3sum", version, after_help = AFTER)]
pub(crate) struct B3sumArguments {
    /// Hash under a key: the first 32 bytes of standard input, which must have no more
    #[arg(long, conflicts_with = "derive_key")]
    pub(crate) keyed: bool,

    /// Derive keys from the files, for the use that CONTEXT names
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) derive_key: Option<String>,

    /// Bytes of output for each file
    #[arg(short, long, value_name = "LEN", default_value_t = 32)]
    pub(crate) length: u64,

    /// The byte of the output to begin with
    #[arg(long, value_name = "SEEK", default_value_t = 0)]
    pub(crate) seek: u64,

    /// Threads that hash; 0 is one for each core
    #[arg(long, value_name = "NUM", default_value_t = 0)]
    pub(crate) num_threads: u16,

    /// Taken for the original's sake: files are mapped into memory only where that is faster
    #[arg(long)]
    pub(crate) no_mmap: bool,

    /// Print no names
    #[arg(long)]
    pub(crate) no_names: bool,

    /// Print bytes and not digits, of one file
    #[arg(long)]
    pub(crate) raw: bool,

    /// Print BSD-style lines
    #[arg(long)]
    pub(crate) tag: bool,

    /// The FILEs are lists of hashes: check what they name
    #[arg(short, long, conflicts_with_all = ["keyed", "derive_key", "length", "seek", "raw", "tag", "no_names"])]
    pub(crate) check: bool,

    /// With --check: no OK for each file that is right
    #[arg(long, requires = "check")]
    pub(crate) quiet: bool,

    /// Files; - or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const AFTER: &str = "\
Exit code: 0 fine, 1 a file could not be read or a check failed, 2 wrong usage.
Part of manyhash; behaves as the b3sum of BLAKE3's authors.";
