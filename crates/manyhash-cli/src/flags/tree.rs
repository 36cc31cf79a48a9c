//! `manyhash tree`: its options.

use super::merkle::{BitcoinArguments, CidArguments, GitArguments, NarArguments, Rfc9162Arguments, Sha256treeArguments, SszArguments};
use super::{AlgorithmName, CacheArguments, WalkArguments, WorkArguments};
use crate::text::hexadecimal;
use crate::text::size;
use clap::{Args, Subcommand, ValueEnum};
use manyhash::AnyAlgorithm;
use manyhash::tree::{LANES, bittorrent_v2, dm_verity, fs_verity};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Which mode:
  j-lanes, j-pointers, files   fast digests of our own, where both sides use them
  fs-verity, dm-verity         what Linux checks files and devices by
  bittorrent-v2                what is in a torrent
  s3, glacier                  what Amazon's stores say of an object
  sha256tree                   what Bazel's caches may name a blob by
  rfc9162, ssz, bitcoin        logs of certificates, Ethereum, Bitcoin
  git, nar, cid                what Git, Nix and IPFS call files and folders
  None of them is the digest that `manyhash sum` prints of a file.

Examples:
  manyhash tree fs-verity *.deb
  manyhash man tree fs-verity | man -l -";

/// Print digests of digests: j-lanes, fs-verity, dm-verity, BitTorrent v2, S3 and others
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct TreeArguments {
    /// How to go about it.
    #[command(flatten)]
    pub(crate) work: WorkArguments,

    /// Which digest of digests.
    #[command(subcommand)]
    pub(crate) mode: TreeMode,
}

/// The modes.
#[derive(Debug, Subcommand)]
pub(crate) enum TreeMode {
    /// Words of each file dealt out to lanes: the fastest digest of one file
    #[command(after_long_help = J_LANES_EXAMPLES)]
    JLanes(LanesArguments),
    /// Ranges of each file, one a lane
    #[command(after_long_help = J_POINTERS_EXAMPLES)]
    JPointers(LanesArguments),
    Files(FilesArguments),
    FsVerity(FsVerityArguments),
    DmVerity(DmVerityArguments),
    BittorrentV2(BittorrentV2Arguments),
    S3(S3Arguments),
    Glacier(GlacierArguments),
    Sha256tree(Sha256treeArguments),
    Rfc9162(Rfc9162Arguments),
    Ssz(SszArguments),
    Bitcoin(BitcoinArguments),
    Git(GitArguments),
    Nar(NarArguments),
    Cid(CidArguments),
}

const J_LANES_EXAMPLES: &str = "\
Examples:
  Of a large image, on all cores:
      manyhash tree j-lanes -l 32 disk.img
  Of a stream, so that no message has the same digest in another mode:
      tar c photos | manyhash tree j-lanes --separated -a sha512";

const J_POINTERS_EXAMPLES: &str = "\
Examples:
  manyhash tree j-pointers -l 16 disk.img";

/// What `tree j-lanes` and `tree j-pointers` take.
#[derive(Args, Debug)]
pub(crate) struct LanesArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) algorithm: AnyAlgorithm,

    /// Lanes, 1 to 1024; another number is another digest
    #[arg(short, long, value_name = "LANES", default_value_t = 16, value_parser = lanes)]
    pub(crate) lanes: usize,

    /// Take initial values of their own for this mode and number of lanes
    ///
    /// Then no digest is one of another mode.
    #[arg(long)]
    pub(crate) separated: bool,

    /// Files; for j-lanes - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const FILES_EXAMPLES: &str = "\
Examples:
  One digest of a release, whatever the names are:
      manyhash tree files dist/*.tar.gz
  The same with other tools:
      sha256sum dist/*.tar.gz | cut -c -64 | xxd -r -p | sha256sum
  One digest of a folder, with the names in it:
      cd photos && manyhash tree files -r --names .
  The same once more, reading only what has changed:
      manyhash tree files -r --names --cache ~/photos.cache .";

/// One digest of all files, in the order given
#[derive(Args, Debug)]
#[command(after_long_help = FILES_EXAMPLES, mut_group("WalkArguments", |group| group.requires("recursive")))]
pub(crate) struct FilesArguments {
    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) algorithm: AnyAlgorithm,

    /// Go into folders: their regular files in byte order of the paths
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// What of folders.
    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    /// Of the files' names too, as sum prints them
    #[arg(long)]
    pub(crate) names: bool,

    /// Take initial values of their own for this mode and number of files
    ///
    /// Then no digest is one of another mode. Folders and lists are gone through twice, because the number comes first.
    #[arg(long, conflicts_with = "cache")]
    pub(crate) separated: bool,

    /// Also write the digest of each file to LIST, as sum does
    #[arg(long, value_name = "LIST")]
    pub(crate) out_digests: Option<PathBuf>,

    /// Where digests are kept.
    #[command(flatten)]
    pub(crate) cache: CacheArguments,

    /// Also the files that FILE names, one a line; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// The names in --files-from end with NUL, not newline
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "PATH")]
    pub(crate) files: Vec<OsString>,
}

const FS_VERITY_EXAMPLES: &str = "\
Examples:
  As `fsverity digest` prints it:
      manyhash tree fs-verity *.apk
  The tree and the descriptor too:
      manyhash tree fs-verity --out-merkle-tree f.tree --out-descriptor f.descriptor f";

/// The file digest of Linux' fs-verity, as `fsverity digest` prints it
#[derive(Args, Debug)]
#[command(after_long_help = FS_VERITY_EXAMPLES)]
pub(crate) struct FsVerityArguments {
    /// Algorithm
    #[arg(long, value_name = "ALG", default_value = "sha256")]
    pub(crate) hash_alg: FsVerityHash,

    /// Bytes of a block: a power of two from 1024 to 65536
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = fs_verity_block)]
    pub(crate) block_size: usize,

    /// Salt, up to 32 bytes
    #[arg(long, value_name = "HEX", default_value = "", hide_default_value = true, value_parser = fs_verity_salt)]
    pub(crate) salt: Salt,

    /// Print the digest alone
    #[arg(long)]
    pub(crate) compact: bool,

    /// Print what is to be signed for the kernel's own check of signatures
    #[arg(long)]
    pub(crate) for_builtin_sig: bool,

    /// Write the Merkle tree to TREE; of one FILE only
    #[arg(long, value_name = "TREE")]
    pub(crate) out_merkle_tree: Option<PathBuf>,

    /// Write the descriptor to DESCRIPTOR; of one FILE only
    #[arg(long, value_name = "DESCRIPTOR")]
    pub(crate) out_descriptor: Option<PathBuf>,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

/// An algorithm of fs-verity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FsVerityHash {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

const DM_VERITY_EXAMPLES: &str = "\
Examples:
  The root hash of an image, without its hash device:
      manyhash tree dm-verity --salt - root.squashfs";

/// The root hash of dm-verity, as `veritysetup format` prints it
#[derive(Args, Debug)]
#[command(after_long_help = DM_VERITY_EXAMPLES)]
pub(crate) struct DmVerityArguments {
    /// Algorithm
    #[arg(long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) hash: AnyAlgorithm,

    /// Salt, up to 256 bytes; - is none
    #[arg(long, value_name = "HEX", default_value = "-", value_parser = dm_verity_salt)]
    pub(crate) salt: Salt,

    /// Type of hash device: 1, or 0 of Chrome OS
    #[arg(long, value_name = "N", default_value = "1", value_parser = dm_verity_format)]
    pub(crate) format: dm_verity::Format,

    /// Bytes of a block of data: a power of two from 512 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = dm_verity_block)]
    pub(crate) data_block_size: usize,

    /// Bytes of a block of digests: a power of two from 512 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = dm_verity_block)]
    pub(crate) hash_block_size: usize,

    /// Files and block devices
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<OsString>,
}

const BITTORRENT_V2_EXAMPLES: &str = concat!(
    size::help!(),
    "

Examples:
  Pieces roots:
      manyhash tree bittorrent-v2 *.iso
  Piece layers too, for programs:
      manyhash tree bittorrent-v2 --json --piece-length 4M big.iso | jq .piece_layers"
);

/// `pieces root` and `piece layers` of BitTorrent v2 (BEP 52)
#[derive(Args, Debug)]
#[command(after_long_help = BITTORRENT_V2_EXAMPLES)]
pub(crate) struct BittorrentV2Arguments {
    /// Bytes of a piece, a power of two from 16K on
    ///
    /// Piece layers depend on it, the root does not.
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = piece_length)]
    pub(crate) piece_length: u64,

    /// Print a JSON object a line
    ///
    /// Its keys: path (path_hex if it is not UTF-8), bytes, pieces_root, piece_length, piece_layers.
    #[arg(long)]
    pub(crate) json: bool,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const S3_EXAMPLES: &str = concat!(
    size::help!(),
    "

Examples:
  The composite SHA-256 of an upload in parts of 8 MiB:
      manyhash tree s3 backup.tar
  The ETag of an upload in parts of 64 MiB:
      manyhash tree s3 --etag --part-size 64M backup.tar"
);

/// The checksum that S3 has of an object uploaded in parts
#[derive(Args, Debug)]
#[command(after_long_help = S3_EXAMPLES)]
pub(crate) struct S3Arguments {
    /// Bytes of a part, as whoever uploaded chose them
    #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = part_size)]
    pub(crate) part_size: u64,

    /// Algorithm
    #[arg(short, long, value_name = "ALG", value_parser = AlgorithmName, default_value_t = AnyAlgorithm::Sha256)]
    pub(crate) algorithm: AnyAlgorithm,

    /// Print the ETag of a multipart upload instead: MD5, in hexadecimal
    #[arg(long, conflicts_with = "algorithm")]
    pub(crate) etag: bool,

    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

const GLACIER_EXAMPLES: &str = "\
Examples:
  manyhash tree glacier archive.zip";

/// The tree hash of Amazon S3 Glacier
#[derive(Args, Debug)]
#[command(after_long_help = GLACIER_EXAMPLES)]
pub(crate) struct GlacierArguments {
    /// Files; - is stdin, and so is nothing at all
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

/// The bytes of a salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Salt(pub(crate) Box<[u8]>);

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
