//! Options and arguments of `manyhash tree`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use manyhash::tree::{LANES, bittorrent_v2, dm_verity, fs_verity};
use manyhash_files::{MAX_WORKERS, all_cores};

use manyhash::AnyAlgorithm;

use super::AlgorithmName;
use crate::examples;
use crate::hexadecimal;
use crate::size;

use super::ProgressWhen;

/// What `tree` takes.
#[derive(Args, Debug)]
pub struct TreeArguments {
    /// How to go about it.
    #[command(flatten)]
    pub work: TreeWorkArguments,

    /// Which digest of digests.
    #[command(subcommand)]
    pub mode: TreeMode,
}

/// How to go about it. As [`super::WorkArguments`], but `-j` are lanes.
#[derive(Args, Clone, Debug)]
pub struct TreeWorkArguments {
    /// Threads that hash [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=MAX_WORKERS as i64))]
    pub threads: Option<u16>,

    /// Show progress on stderr: auto (on a terminal, after a second), always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, global = true)]
    pub progress: ProgressWhen,
}

impl TreeWorkArguments {
    /// Threads that hash.
    pub fn workers(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

/// The modes.
#[derive(Debug, Subcommand)]
pub enum TreeMode {
    /// Words of each file dealt out to lanes: the fastest digest of one file
    #[command(after_help = examples::TREE_J_LANES)]
    JLanes(LanesArguments),
    /// Ranges of each file, one a lane
    #[command(after_help = examples::TREE_J_POINTERS)]
    JPointers(LanesArguments),
    /// One digest of all files, in the order given
    #[command(after_help = examples::TREE_FILES)]
    Files(FilesArguments),
    /// The file digest of Linux' fs-verity, as `fsverity digest` prints it
    #[command(after_help = examples::TREE_FS_VERITY)]
    FsVerity(FsVerityArguments),
    /// The root hash of dm-verity, as `veritysetup format` prints it
    #[command(after_help = examples::TREE_DM_VERITY)]
    DmVerity(DmVerityArguments),
    /// `pieces root` and `piece layers` of BitTorrent v2 (BEP 52)
    #[command(after_help = examples::TREE_BITTORRENT_V2)]
    BittorrentV2(BittorrentV2Arguments),
    /// The checksum that S3 has of an object uploaded in parts
    #[command(after_help = examples::TREE_S3)]
    S3(S3Arguments),
    /// The tree hash of Amazon S3 Glacier
    #[command(after_help = examples::TREE_GLACIER)]
    Glacier(GlacierArguments),
}

/// What `tree j-lanes` and `tree j-pointers` take.
#[derive(Args, Debug)]
pub struct LanesArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub algorithm: AnyAlgorithm,

    /// Lanes, 1 to 1024; another number is another digest
    #[arg(short = 'j', long, value_name = "LANES", default_value_t = 16, value_parser = lanes)]
    pub lanes: usize,

    /// Take initial values of their own for this mode and number of lanes: then no digest is one of another mode
    #[arg(long)]
    pub separated: bool,

    /// Files; for j-lanes - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// What `tree files` takes.
#[derive(Args, Debug)]
pub struct FilesArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub algorithm: AnyAlgorithm,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// What `tree fs-verity` takes: options as `fsverity digest` has them.
#[derive(Args, Debug)]
pub struct FsVerityArguments {
    /// Algorithm
    #[arg(long, value_name = "ALG", default_value = "sha256")]
    pub hash_alg: FsVerityHash,

    /// Bytes of a block: a power of two from 1024 to 65536
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = fs_verity_block)]
    pub block_size: usize,

    /// Salt, up to 32 bytes
    #[arg(long, value_name = "HEX", default_value = "", hide_default_value = true, value_parser = fs_verity_salt)]
    pub salt: Salt,

    /// Print the digest alone
    #[arg(long)]
    pub compact: bool,

    /// Print what is to be signed for the kernel's own check of signatures
    #[arg(long)]
    pub for_builtin_sig: bool,

    /// Write the Merkle tree to TREE; of one FILE only
    #[arg(long, value_name = "TREE")]
    pub out_merkle_tree: Option<PathBuf>,

    /// Write the descriptor to DESCRIPTOR; of one FILE only
    #[arg(long, value_name = "DESCRIPTOR")]
    pub out_descriptor: Option<PathBuf>,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// An algorithm of fs-verity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FsVerityHash {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

/// What `tree dm-verity` takes: options as `veritysetup format` has them.
#[derive(Args, Debug)]
pub struct DmVerityArguments {
    /// Algorithm
    #[arg(long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub hash: AnyAlgorithm,

    /// Salt, up to 256 bytes; - is none
    #[arg(long, value_name = "HEX", default_value = "-", value_parser = dm_verity_salt)]
    pub salt: Salt,

    /// Type of hash device: 1, or 0 of Chrome OS
    #[arg(long, value_name = "N", default_value = "1", value_parser = dm_verity_format)]
    pub format: dm_verity::Format,

    /// Bytes of a block of data: a power of two from 512 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = dm_verity_block)]
    pub data_block_size: usize,

    /// Bytes of a block of digests: a power of two from 512 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = dm_verity_block)]
    pub hash_block_size: usize,

    /// Files and block devices
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<OsString>,
}

/// What `tree bittorrent-v2` takes.
#[derive(Args, Debug)]
pub struct BittorrentV2Arguments {
    /// Bytes of a piece, a power of two from 16K on; piece layers depend on it, the root does not
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = piece_length)]
    pub piece_length: u64,

    /// Print a JSON object a line: path (path_hex if it is not UTF-8), bytes, pieces_root, piece_length, piece_layers
    #[arg(long)]
    pub json: bool,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// What `tree s3` takes.
#[derive(Args, Debug)]
pub struct S3Arguments {
    /// Bytes of a part, as whoever uploaded chose them
    #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = part_size)]
    pub part_size: u64,

    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub algorithm: AnyAlgorithm,

    /// Print the ETag of a multipart upload instead: MD5, in hexadecimal
    #[arg(long, conflicts_with = "algorithm")]
    pub etag: bool,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// What `tree glacier` takes.
#[derive(Args, Debug)]
pub struct GlacierArguments {
    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// The bytes of a salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salt(pub Box<[u8]>);

impl Salt {
    fn parse(digits: &str, most_bytes: usize) -> Result<Self, String> {
        let bytes = hexadecimal::decode(digits.as_bytes()).ok_or("a salt is hexadecimal digits, two a byte")?;
        if bytes.len() > most_bytes {
            return Err(format!("{} bytes: it must be {most_bytes} at most", bytes.len()));
        }
        Ok(Self(bytes))
    }
}

fn fs_verity_salt(digits: &str) -> Result<Salt, String> {
    Salt::parse(digits, fs_verity::MOST_SALT_BYTES)
}

pub(super) fn dm_verity_salt(digits: &str) -> Result<Salt, String> {
    Salt::parse(if digits == "-" { "" } else { digits }, dm_verity::MOST_SALT_BYTES)
}

pub(super) fn dm_verity_format(number: &str) -> Result<dm_verity::Format, String> {
    number.parse().ok().and_then(dm_verity::Format::by_number).ok_or_else(|| "it must be 0 or 1".to_string())
}

fn lanes(text: &str) -> Result<usize, String> {
    let lanes = usize::from_str(text).ok().filter(|lanes| LANES.contains(lanes));
    lanes.ok_or_else(|| format!("it must be {} to {}", LANES.start(), LANES.end()))
}

fn power_of_two(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let bytes = size::parse(text)?;
    if bytes.is_power_of_two() && (least..=most).contains(&bytes) {
        return Ok(bytes);
    }
    let end = if most == u64::MAX { " on".to_string() } else { format!(" to {most}") };
    Err(format!("it must be a power of two from {least}{end}"))
}

fn fs_verity_block(text: &str) -> Result<usize, String> {
    let range = fs_verity::BLOCK_BYTES;
    power_of_two(text, *range.start() as u64, *range.end() as u64).map(|bytes| bytes as usize)
}

pub(super) fn dm_verity_block(text: &str) -> Result<usize, String> {
    let range = dm_verity::BLOCK_BYTES;
    power_of_two(text, *range.start() as u64, *range.end() as u64).map(|bytes| bytes as usize)
}

fn piece_length(text: &str) -> Result<u64, String> {
    power_of_two(text, bittorrent_v2::BLOCK_BYTES as u64, u64::MAX)
}

fn part_size(text: &str) -> Result<u64, String> {
    match size::parse(text)? {
        0 => Err("a part has at least one byte".to_string()),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salts_are_whole_bytes_and_not_too_many() {
        assert_eq!(fs_verity_salt("AAbb"), Ok(Salt([0xaa, 0xbb].into())));
        assert_eq!(fs_verity_salt(""), Ok(Salt([].into())));
        assert_eq!(dm_verity_salt("-"), dm_verity_salt(""));
        assert_eq!(fs_verity_salt(&"00".repeat(32)).unwrap().0.len(), 32);
        assert_eq!(dm_verity_salt(&"00".repeat(256)).unwrap().0.len(), 256);
        for wrong in ["a", "abc", "xx", "0x00", "-", " 00", &"00".repeat(33)] {
            assert!(fs_verity_salt(wrong).is_err(), "{wrong}");
        }
        assert!(dm_verity_salt(&"00".repeat(257)).is_err());
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for wrong in ["0", "512", "1000", "4095", "128K", "-1", "x", ""] {
            assert!(fs_verity_block(wrong).is_err(), "{wrong}");
        }
        assert_eq!((fs_verity_block("1024"), fs_verity_block("64K")), (Ok(1024), Ok(65536)));
        for wrong in ["0", "256", "513", "1M"] {
            assert!(dm_verity_block(wrong).is_err(), "{wrong}");
        }
        assert_eq!((dm_verity_block("512"), dm_verity_block("512K")), (Ok(512), Ok(524_288)));
        for wrong in ["0", "8K", "24K", "16T1"] {
            assert!(piece_length(wrong).is_err(), "{wrong}");
        }
        assert_eq!((piece_length("16K"), piece_length("8388608T")), (Ok(16 << 10), Ok(1 << 63)));
        for wrong in ["0", "1025", "-1", "1.5", ""] {
            assert!(lanes(wrong).is_err(), "{wrong}");
        }
        assert_eq!((lanes("1"), lanes("1024")), (Ok(1), Ok(1024)));
        assert!(part_size("0").is_err() && part_size("1") == Ok(1));
        assert!(dm_verity_format("2").is_err() && dm_verity_format("0") == Ok(dm_verity::Format::ChromeOs));
    }
}
