//! `tree nar`: hashes of Nix archives (NAR), without an archive.
//!
//! An archive is one message, so that the archives of several paths share the lanes.

mod archive;

use super::Call;
use crate::exit::Outcome;
use crate::flags::NarArguments;
use crate::text::lines::line;
use archive::Archive;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manyhash::{Algorithm, Batch, with_algorithm};
use manyhash_files::Totals;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: NarArguments) -> Outcome {
    with_algorithm!(arguments.algorithm, A => print::<A>(call, arguments))
}

fn print<A: Algorithm>(call: &Call<'_>, arguments: NarArguments) -> Outcome {
    let NarArguments { base32, sri, paths, .. } = arguments;
    let text = move |digest: A::Digest| match (base32, sri) {
        (true, _) => base_32(digest.as_ref()),
        (_, true) => format!("{}-{}", sri_name(A::NAME), STANDARD.encode(digest)),
        _ => const_hex::encode(digest),
    };
    let totals = Arc::<Totals>::default();
    let mut report = call.report(&totals);
    let of_readers = Arc::clone(&totals);
    let readers = paths.into_iter().enumerate().map(move |(index, path)| {
        of_readers.found_file(0);
        (Archive::new(index, path.into(), Arc::clone(&of_readers)), 0)
    });
    let mut results = Vec::new();
    Batch::<A>::new().threads(call.workers()).hash_readers(readers, |archive: Archive, digest| {
        totals.done();
        results.push((archive, digest));
    });
    results.sort_by_key(|(archive, _)| archive.index());
    let result = results.into_iter().try_for_each(|(archive, digest)| match digest {
        Ok(digest) => report.take(archive.path(), Ok(line(&text(digest), archive.path()))),
        // What could not be read may be anywhere below the path.
        Err(error) => report.take(archive.place(), Err(error)),
    });
    report.finish(result)
}

/// Returns the name of an algorithm as Nix has it: `sha256` of SHA-256.
fn sri_name(standard_name: &str) -> String {
    standard_name.to_lowercase().replacen('-', "", 1)
}

/// The digits of Nix' Base32.
const DIGITS: &[u8; 32] = b"0123456789abcdfghijklmnpqrsvwxyz";

/// Returns bytes in Nix' Base32: the last five bits first.
fn base_32(bytes: &[u8]) -> String {
    let bit = |bit: usize| bytes.get(bit / 8).map_or(0, |byte| usize::from(byte >> (bit % 8) & 1));
    let digit = |first: usize| (0..5).fold(0, |value, i| value | bit(first + i) << i);
    let digits = (bytes.len() * 8).div_ceil(5);
    (0..digits).rev().filter_map(|place| DIGITS.get(digit(place * 5))).map(|digit| char::from(*digit)).collect()
}
