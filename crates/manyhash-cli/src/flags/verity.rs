//! `manyhash verity`: its options, which are those of `veritysetup`.

use super::WorkArguments;
use super::tree::{Salt, dm_verity_block, dm_verity_format, dm_verity_salt};
use crate::text::hexadecimal;
use crate::text::size;
use clap::{ArgAction, Args, Subcommand};
use manyhash::tree::dm_verity::Format;
use manyhash::{AnyAlgorithm, UnknownAlgorithm};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// The default length of a block in bytes.
const BLOCK_BYTES: usize = 4096;

const EXAMPLES: &str = "\
Examples:
  The root hash that a kernel is started with, and the hash device:
      manyhash verity format root.squashfs root.verity --root-hash-file root.hash
  Is all as it was:
      manyhash verity verify root.squashfs root.verity --root-hash-file root.hash
  What a hash device says of itself:
      manyhash verity dump root.verity";

/// Hash devices of dm-verity: make, verify and show them
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct VerityArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: VerityCommand,
}

/// What to do with hash devices.
#[derive(Debug, Subcommand)]
pub(crate) enum VerityCommand {
    Format(VerityFormatArguments),
    Verify(VerityVerifyArguments),
    Dump(VerityDumpArguments),
}

const FORMAT_EXAMPLES: &str = concat!(
    size::help!(),
    "

Examples:
  Into a file of its own:
      manyhash verity format root.squashfs root.verity
  Behind the data, in the same image of 512 MiB:
      manyhash verity format root.img root.img --hash-offset 512M
  The same device again, from its salt and its UUID:
      manyhash verity format root.squashfs again.verity --salt aabb --uuid 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
);

/// Write the hash device of a device or file, and print its root hash
#[derive(Args, Debug)]
#[command(after_long_help = FORMAT_EXAMPLES, disable_help_flag = true, args_override_self = true)]
pub(crate) struct VerityFormatArguments {
    /// What the device is like.
    #[command(flatten)]
    pub(crate) device: VerityDeviceArguments,

    /// Number of the device [default: random]
    #[arg(long, value_name = "UUID")]
    pub(crate) uuid: Option<Uuid>,

    /// Also write the root hash to FILE, in hexadecimal and without a newline
    #[arg(long, value_name = "FILE")]
    pub(crate) root_hash_file: Option<PathBuf>,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// Device or file to be hashed, of whole blocks
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,

    /// Where hashes go
    ///
    /// A device or file that is there is written in place, a new file appears when all is done.
    #[arg(value_name = "HASH")]
    pub(crate) hash: PathBuf,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  Silent if all is fine:
      manyhash verity verify root.squashfs root.verity $(cat root.hash)
  Without a superblock all must be said that it would say:
      manyhash verity verify --no-superblock --salt aabb root.squashfs root.verity --root-hash-file root.hash";

/// Verify a device or file and its hash device by the root hash
#[derive(Args, Debug)]
#[command(after_long_help = VERIFY_EXAMPLES, disable_help_flag = true, args_override_self = true)]
pub(crate) struct VerityVerifyArguments {
    /// What the device is like.
    #[command(flatten)]
    pub(crate) device: VerityDeviceArguments,

    /// The root hash is in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    pub(crate) root_hash_file: Option<PathBuf>,

    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// Device or file to be verified
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,

    /// Device or file with its hashes
    #[arg(value_name = "HASH")]
    pub(crate) hash: PathBuf,

    /// Root hash, in hexadecimal
    #[arg(value_name = "ROOT", required_unless_present = "root_hash_file")]
    pub(crate) root: Option<OsString>,
}

const DUMP_EXAMPLES: &str = "\
Examples:
  manyhash verity dump root.verity
  manyhash verity dump root.img --hash-offset 512M";

/// Print what a hash device says of itself
#[derive(Args, Debug)]
#[command(after_long_help = DUMP_EXAMPLES)]
pub(crate) struct VerityDumpArguments {
    /// Where the superblock is in HASH
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = hash_offset)]
    pub(crate) hash_offset: u64,

    /// Hash device, or a file with one
    #[arg(value_name = "HASH")]
    pub(crate) hash: PathBuf,
}

/// What a device is like. Where it has a superblock already, that says it all, and options that say something else are an error.
#[derive(Args, Debug)]
pub(crate) struct VerityDeviceArguments {
    /// Salt, up to 256 bytes; - is none
    ///
    /// Without it: 32 random bytes, and to verify without a superblock none.
    #[arg(short, long, value_name = "HEX", value_parser = dm_verity_salt)]
    pub(crate) salt: Option<Salt>,

    /// Algorithm [default: sha256]; -h is not help here, as in veritysetup
    ///
    /// For help there is --help.
    #[arg(short = 'h', long = "hash", value_name = "ALG")]
    pub(crate) algorithm: Option<HashName>,

    /// Type of hash device [default: 1]; 0 is that of Chrome OS
    #[arg(long, value_name = "0|1", value_parser = dm_verity_format)]
    pub(crate) format: Option<Format>,

    /// Bytes of a block of data: a power of two from 512 to 524288 [default: 4096]
    #[arg(long, value_name = "BYTES", value_parser = dm_verity_block)]
    pub(crate) data_block_size: Option<usize>,

    /// Bytes of a block of hashes: a power of two from 512 to 524288 [default: 4096]
    #[arg(long, value_name = "BYTES", value_parser = dm_verity_block)]
    pub(crate) hash_block_size: Option<usize>,

    /// Blocks of data; what comes after them is not looked at [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) data_blocks: Option<u64>,

    /// Where in HASH the superblock is, or without one the hashes
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = hash_offset)]
    pub(crate) hash_offset: u64,

    /// Hashes only: whoever uses the device must be told the rest
    #[arg(long)]
    pub(crate) no_superblock: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

impl VerityDeviceArguments {
    pub(crate) fn data_block_bytes(&self) -> usize {
        self.data_block_size.unwrap_or(BLOCK_BYTES)
    }

    pub(crate) fn hash_block_bytes(&self) -> usize {
        self.hash_block_size.unwrap_or(BLOCK_BYTES)
    }

    /// Fails if hashes cannot be at `--hash-offset`.
    pub(crate) fn check_hash_offset(&self) -> Result<(), String> {
        let block_bytes = self.hash_block_bytes();
        if self.no_superblock && !self.hash_offset.is_multiple_of(block_bytes as u64) {
            return Err(format!(
                "--hash-offset {}: without a superblock it must be a multiple of the hash block size, {block_bytes}",
                self.hash_offset
            ));
        }
        Ok(())
    }
}

/// An algorithm, and how it was typed.
#[derive(Clone, Debug)]
pub(crate) struct HashName {
    /// The algorithm.
    pub(crate) algorithm: AnyAlgorithm,
    /// Its name.
    pub(crate) typed: String,
}

impl FromStr for HashName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(Self { algorithm: name.parse().map_err(|unknown: UnknownAlgorithm| unknown.to_string())?, typed: name.to_string() })
    }
}

/// A UUID, and how it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uuid {
    /// Its bytes.
    pub(crate) bytes: [u8; 16],
    /// Its text.
    pub(crate) typed: String,
}

impl From<[u8; 16]> for Uuid {
    fn from(bytes: [u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, node @ ..] = bytes;
        let groups: [&[u8]; 5] = [&[a, b, c, d], &[e, f], &[g, h], &[i, j], &node];
        Self { bytes, typed: groups.map(const_hex::encode).join("-") }
    }
}

impl FromStr for Uuid {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let digits = typed.replace('-', "");
        let bytes = hexadecimal::decode(digits.as_bytes()).and_then(|bytes| <[u8; 16]>::try_from(&*bytes).ok());
        let uuid = bytes.map(Self::from).filter(|uuid| uuid.typed.eq_ignore_ascii_case(typed));
        let uuid = uuid.ok_or("a UUID is 32 hexadecimal digits, as 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0")?;
        Ok(Self { typed: typed.to_string(), ..uuid })
    }
}

/// Parses a multiple of a sector that is small enough that no sum with it overflows.
fn hash_offset(text: &str) -> Result<u64, String> {
    const SECTOR_BYTES: u64 = 512;
    let offset = size::parse(text)?;
    if !offset.is_multiple_of(SECTOR_BYTES) {
        return Err(format!("it must be a multiple of {SECTOR_BYTES}"));
    }
    if offset > i64::MAX as u64 { Err("more bytes than any file can have".to_string()) } else { Ok(offset) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_groups_of_digits_in_either_case() {
        let uuid: Uuid = "0F1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0".parse().unwrap();
        assert_eq!((uuid.bytes[..3].to_vec(), uuid.typed.as_str()), (vec![0x0f, 0x1e, 0x2d], "0F1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"));
        assert_eq!(Uuid::from(uuid.bytes).typed, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
        for wrong in ["", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f", "0f1e2d3c-4b5a-6978-8796a-5b4c3d2e1f0"]
        {
            assert!(wrong.parse::<Uuid>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn hash_offsets_are_whole_sectors() {
        assert_eq!((hash_offset("0"), hash_offset("1M")), (Ok(0), Ok(1 << 20)));
        for wrong in ["1", "1000", "-512", "x", "9223372036854775808", "16777216T"] {
            assert!(hash_offset(wrong).is_err(), "{wrong}");
        }
    }
}
