//! `manyhash tree`: the options of modes that are trees of other worlds.

use super::AlgorithmName;
use clap::{Args, ValueEnum};
use manyhash::AnyAlgorithm;
use std::ffi::OsString;

const SHA256TREE_EXAMPLES: &str = "\
Examples:
  manyhash tree sha256tree bazel-out/bin/server";

/// SHA256TREE of the Remote Execution API, by which Bazel's caches may name blobs
#[derive(Args, Debug)]
#[command(after_long_help = SHA256TREE_EXAMPLES)]
pub(crate) struct Sha256treeArguments {
    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const RFC9162_EXAMPLES: &str = "\
Examples:
  The root of a log, each file an entry:
      manyhash tree rfc9162 entries/*
  The same of a log whose entries are lines, and the proof that line 17 is one of them:
      manyhash tree rfc9162 --lines log.txt
      manyhash tree rfc9162 --lines --inclusion 16 log.txt
  The proof that what has been appended since there were 100 entries is all that has changed:
      manyhash tree rfc9162 --lines --consistency 100 log.txt";

/// The root of a log as of Certificate Transparency (RFC 9162 and RFC 6962), or a proof
#[derive(Args, Debug)]
#[command(after_long_help = RFC9162_EXAMPLES)]
pub(crate) struct Rfc9162Arguments {
    /// Take each line of the files, without its end, for an entry; otherwise each file is one
    #[arg(long)]
    pub(crate) lines: bool,

    /// Print the proof that entry INDEX, counted from 0, is in the log, a digest a line
    #[arg(long, value_name = "INDEX", conflicts_with = "consistency")]
    pub(crate) inclusion: Option<u64>,

    /// Print the proof that the log begins with what it was when it had SIZE entries, a digest a
    /// line
    #[arg(long, value_name = "SIZE")]
    pub(crate) consistency: Option<u64>,

    /// Files, all of them one log; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const SSZ_EXAMPLES: &str = "\
Examples:
  Of a ByteVector, or of a Vector of numbers in little-endian order:
      manyhash tree ssz vector.bin
  Of a ByteList[1073741824]:
      manyhash tree ssz --limit 1073741824 transaction.bin
  Of a List[uint64, 1099511627776]:
      manyhash tree ssz --element-bytes 8 --limit 1099511627776 balances.bin";

/// hash_tree_root of Ethereum's SimpleSerialize
#[derive(Args, Debug)]
#[command(after_long_help = SSZ_EXAMPLES)]
pub(crate) struct SszArguments {
    /// The most elements of a list, whose length is mixed in; otherwise a file is a vector
    #[arg(long, value_name = "ELEMENTS")]
    pub(crate) limit: Option<u64>,

    /// Bytes of an element of the list: 1, 2, 4, 8, 16 or 32
    #[arg(long, value_name = "BYTES", default_value = "1", requires = "limit", value_parser = element_bytes)]
    pub(crate) element_bytes: u64,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

fn element_bytes(text: &str) -> Result<u64, String> {
    let bytes = text.parse().ok().filter(|bytes: &u64| bytes.is_power_of_two() && *bytes <= 32);
    bytes.ok_or_else(|| "it must be 1, 2, 4, 8, 16 or 32".to_string())
}

const BITCOIN_EXAMPLES: &str = "\
Examples:
  bitcoin-cli getblock HASH | jq -r .tx[] | manyhash tree bitcoin";

/// The Merkle root of a block of Bitcoin, from the ids of its transactions
#[derive(Args, Debug)]
#[command(after_long_help = BITCOIN_EXAMPLES)]
pub(crate) struct BitcoinArguments {
    /// Files with an id a line, in hexadecimal as programs print it; - is stdin, and so is nothing
    /// at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const GIT_EXAMPLES: &str = "\
Examples:
  As `git hash-object --no-filters` prints it:
      manyhash tree git src/*.c
  As `git write-tree` prints it, once all files are added:
      manyhash tree git src";

/// Ids by which Git knows files and folders
#[derive(Args, Debug)]
#[command(after_long_help = GIT_EXAMPLES)]
pub(crate) struct GitArguments {
    /// Algorithm of the repository
    #[arg(long, value_name = "ALG", default_value = "sha1")]
    pub(crate) object_format: ObjectFormat,

    /// Files, whose blobs are meant, and folders, whose trees are; - is stdin, and so is nothing at
    /// all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

/// An algorithm of Git.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectFormat {
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

const NAR_EXAMPLES: &str = "\
Examples:
  As `nix-hash --type sha256` prints it:
      manyhash tree nar result
  As `nix hash path` prints it, and as store paths have it:
      manyhash tree nar --sri result
      manyhash tree nar --base32 /nix/store/*-hello-*";

/// Hashes of Nix archives, by which Nix knows files and folders
#[derive(Args, Debug)]
#[command(after_long_help = NAR_EXAMPLES)]
pub(crate) struct NarArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) algorithm: AnyAlgorithm,

    /// Print hashes in Nix' own Base32
    #[arg(long, conflicts_with = "sri")]
    pub(crate) base32: bool,

    /// Print hashes as ALG-BASE64
    #[arg(long)]
    pub(crate) sri: bool,

    /// Files, folders and links, which are not followed
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<OsString>,
}

const CID_EXAMPLES: &str = "\
Examples:
  As `ipfs add --cid-version=1 --only-hash` prints it:
      manyhash tree cid video.mp4";

/// The address of a file in IPFS: a CID of version 1, with raw leaves of 256 KiB
#[derive(Args, Debug)]
#[command(after_long_help = CID_EXAMPLES)]
pub(crate) struct CidArguments {
    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_basic_types() {
        for bytes in [1, 2, 4, 8, 16, 32] {
            assert_eq!(element_bytes(&bytes.to_string()), Ok(bytes));
        }
        for wrong in ["0", "3", "64", "-1", "", "x"] {
            assert!(element_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
