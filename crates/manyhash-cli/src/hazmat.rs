//! The parts beneath [`run`](crate::run), for fuzz targets: what reads manifests, command lines,
//! caches and superblocks, without files as far as possible. They need the feature `hazmat` and may
//! change in any version.

use crate::cache::hazmat as cache;
use crate::commands::verity;
use crate::flags::{Arguments, gnu};
use crate::text::lines::Format;
use crate::text::manifest::form::Parser as ManifestParser;
use crate::text::manifest::line;
use crate::text::manifest::line::{Dialect, Line as ManifestLine};
use crate::text::manifest::reader::Reader;
use clap::Parser;
use manyhash::AnyAlgorithm;
use manyhash_files::{Digests, Hashed};
use std::ffi::OsString;
use std::io::Cursor;
use std::path::Path;

pub use cache::{CachedFile, OpenCache, decoded_row, encoded_row, row_checksum};
pub use verity::hazmat::HashDevice;

/// The meaning of a line of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A file that should have a digest.
    Entry {
        /// The algorithm of the digest.
        algorithm: AnyAlgorithm,
        /// The digest.
        digest: Vec<u8>,
        /// The name of the file, with escapes resolved.
        name: Vec<u8>,
        /// The size of the file, if the line says it.
        size_bytes: Option<u64>,
    },
    /// The name of a file that belongs there, whatever its content.
    Unhashed(Vec<u8>),
    /// A comment.
    Comment,
    /// A line without a meaning.
    Malformed,
}

/// Returns the lines of the manifest `text` that are not empty, with their numbers; those that say
/// several things come as often. It is read as the command reads a manifest of that path, or as
/// GNU's commands do, which need an `algorithm`. Of a document that is wrong, there are no lines.
pub fn manifest_lines(path: &Path, is_gnu: bool, algorithm: Option<AnyAlgorithm>, text: &[u8]) -> Vec<(u64, Line)> {
    let mut parser = ManifestParser::new(if is_gnu { Dialect::Gnu } else { Dialect::Manyhash }, algorithm);
    parser.begin(path);
    let mut reader = Reader::of(Box::new(Cursor::new(text.to_vec())));
    let mut found = Vec::new();
    while let Ok(Some((number, line))) = reader.next(&mut parser) {
        found.push((
            number,
            match line {
                ManifestLine::Entry { entry: line::Entry { algorithm, digest, name }, size_bytes } => {
                    Line::Entry { algorithm, digest: digest.into(), name, size_bytes }
                }
                ManifestLine::Unhashed(name) => Line::Unhashed(name),
                ManifestLine::Comment => Line::Comment,
                ManifestLine::Malformed | ManifestLine::Wrong(_) | ManifestLine::Remark(_) => Line::Malformed,
            },
        ));
    }
    found
}

/// The style of a line that the command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `DIGEST  PATH`
    Text,
    /// `DIGEST *PATH`
    Binary,
    /// `SHA256 (PATH) = DIGEST`
    Tag,
    /// A JSON object.
    Json,
}

/// Returns the line that `sum` writes for a file of `bytes` bytes. Panics if the digest does not
/// have the algorithm's length.
pub fn sum_line(style: Style, name: &[u8], algorithm: AnyAlgorithm, digest: &[u8], bytes: u64) -> std::io::Result<Vec<u8>> {
    let style = match style {
        Style::Text => crate::text::lines::Style::Text,
        Style::Binary => crate::text::lines::Style::Binary,
        Style::Tag => crate::text::lines::Style::Tag,
        Style::Json => crate::text::lines::Style::Json,
    };
    let digests = Digests::new(algorithm.into(), digest).expect("a digest of the algorithm's length");
    Format::new(&[algorithm], style, false).lines(name, &Hashed { digests, bytes, stamp: None })
}

/// What becomes of a command line of GNU's `sha256sum` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GnuCommandLine {
    /// It is run.
    Run {
        /// The options that are on, written out.
        options: Vec<&'static str>,
        /// The arguments that are no options.
        operands: Vec<OsString>,
    },
    /// It asks for help.
    Help,
    /// It asks for the version.
    Version,
    /// It is wrong, and this message says why.
    Wrong(Vec<u8>),
}

/// Parses a command line as GNU's commands do, without the command's own name. The first operand
/// may end the options, as with `POSIXLY_CORRECT`.
pub fn gnu_command_line(arguments: Vec<OsString>, operands_end_options: bool) -> GnuCommandLine {
    let options = match gnu::parse_as(gnu::Tool::Sum(AnyAlgorithm::Sha256), arguments, operands_end_options) {
        gnu::Parsed::Run(options) => options,
        gnu::Parsed::Help => return GnuCommandLine::Help,
        gnu::Parsed::Version => return GnuCommandLine::Version,
        gnu::Parsed::Wrong(wrong) => return GnuCommandLine::Wrong(wrong.messages.concat()),
    };
    let gnu::Options { check, binary, tag, zero, ignore_missing, quiet, status, strict, warn, operands, .. } = options;
    let tag = tag == Some(true);
    let on = [
        (check, "--check"),
        (binary == Some(true) && !tag, "--binary"),
        (binary == Some(false), "--text"),
        (tag, "--tag"),
        (zero, "--zero"),
        (ignore_missing, "--ignore-missing"),
        (quiet, "--quiet"),
        (status, "--status"),
        (strict, "--strict"),
        (warn, "--warn"),
    ];
    GnuCommandLine::Run { options: on.into_iter().filter(|(is_on, _)| *is_on).map(|(_, option)| option).collect(), operands }
}

/// Parses a command line of `manyhash`, with the command's own name, and runs nothing.
///
/// # Errors
/// Returns the message that is printed in place of a run: what is wrong, or help.
pub fn check_command_line(arguments: Vec<OsString>) -> Result<(), String> {
    Arguments::try_parse_from(arguments).map(|_| ()).map_err(|error| error.to_string())
}

/// Returns what `verity dump` finds at `hash_offset` of a hash device, where these bytes are.
///
/// # Errors
/// Returns why the bytes are no superblock that the command knows.
pub fn hash_device(bytes: &[u8], hash_offset: u64) -> Result<HashDevice, String> {
    verity::hazmat::hash_device(bytes, hash_offset)
}
