//! `tree rfc9162`: the root of a log, or a proof. All files are one log, each of them an entry, or
//! each of their lines.

use super::small_files::{self, Alone, Input, Mode};
use super::{Call, Report};
use crate::exit::{Failure, Outcome};
use crate::flags::Rfc9162Arguments;
use manyhash::tree::rfc9162::{self, Log};
use manyhash::{Hasher, Sha256};
use manyhash_files::read::open;
use manyhash_files::{Reading, Totals};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Digest = [u8; 32];

/// Bytes of lines that are hashed together, unless one alone has more.
const BATCH_BYTES: usize = 1 << 20;

pub(crate) fn run(call: &Call<'_>, arguments: Rfc9162Arguments) -> Outcome {
    let Rfc9162Arguments { lines, inclusion, consistency, files } = arguments;
    let wanted = match (inclusion, consistency) {
        (Some(index), _) => Wanted::Inclusion(index),
        (None, Some(size)) => Wanted::Consistency(size),
        (None, None) => Wanted::Root,
    };
    let merkle = rfc9162::merkle();
    // A proof needs all digests; the root alone needs a few of each level.
    let (mut tree, mut leaves) = (merkle.builder(), Vec::new());
    let mut add = |digests: &[Digest]| match wanted {
        Wanted::Root => tree.add(digests),
        _ => leaves.extend_from_slice(digests),
    };
    let (mut report, result) = if lines { of_lines(call, files, &mut add) } else { of_files(call, files, &mut add) };
    // If a file is missing, the root would be that of another log.
    if result.is_err() || !report.all_read {
        return report.finish(result);
    }
    let digests = match wanted {
        Wanted::Root => vec![tree.root().unwrap_or_else(rfc9162::empty_root)],
        Wanted::Inclusion(index) => {
            let log = Log::of_leaves(leaves);
            log.inclusion_proof(index, log.size()).ok_or_else(|| outside(format!("--inclusion: there is no entry {index}"), &log))?
        }
        Wanted::Consistency(size) => {
            let log = Log::of_leaves(leaves);
            log.consistency_proof(size, log.size()).ok_or_else(|| outside(format!("--consistency: there are no {size} entries"), &log))?
        }
    };
    let result = digests.iter().try_for_each(|digest| writeln!(report.output, "{}", const_hex::encode(digest)));
    report.finish(result)
}

#[derive(Clone, Copy)]
enum Wanted {
    Root,
    Inclusion(u64),
    Consistency(u64),
}

fn outside(what: String, log: &Log) -> Failure {
    Failure::failed(format!("{what}: the log has {}", log.size()))
}

/// Hashes files that are an entry each.
fn of_files<'a>(call: &Call<'a>, files: Vec<OsString>, add: &mut dyn FnMut(&[Digest])) -> (Report<'a>, io::Result<()>) {
    let items = call.inputs(files).into_iter().map(|file| small_files::item((), file.into()));
    small_files::hash(call, Arc::new(Entries), items, &mut |report, (), path, found| match found {
        Ok(found) => {
            let digest = found.and_then(|(digest, _)| Digest::try_from(digest).ok());
            digest.iter().for_each(|digest| add(&[*digest]));
            Ok(())
        }
        Err(error) => report.take(path, Err(error)),
    })
}

/// The mode whose results are digests of entries.
struct Entries;

impl Mode for Entries {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        rfc9162::merkle().hash_each_leaf(contents).iter().map(|digest| digest.to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let mut hasher = Hasher::<Sha256>::new();
        hasher.update(&[0]);
        let bytes = input.read(work, |piece| hasher.update(piece))?;
        Ok((hasher.finalize().to_vec(), bytes))
    }

    /// All files have one line, which is not made here.
    fn line(&self, _: &Path, _: u64, _: &[u8]) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// Hashes files whose lines are an entry each.
fn of_lines<'a>(call: &Call<'a>, files: Vec<OsString>, add: &mut dyn FnMut(&[Digest])) -> (Report<'a>, io::Result<()>) {
    let totals = Arc::<Totals>::default();
    let mut report = call.report(&totals);
    let result = call.inputs(files).into_iter().map(PathBuf::from).try_for_each(|path| {
        totals.found_file(0);
        let read = open(&path).and_then(|file| hash_lines(BufReader::new(file), &Reading::begin(&totals, &path, 0), add));
        totals.done();
        read.or_else(|error| report.take(&path, Err(error)))
    });
    (report, result)
}

fn hash_lines(mut file: impl BufRead, reading: &Reading, add: &mut dyn FnMut(&[Digest])) -> io::Result<()> {
    let merkle = rfc9162::merkle();
    let (mut text, mut ends) = (Vec::new(), Vec::new());
    loop {
        reading.check_stopped()?;
        let bytes = file.read_until(b'\n', &mut text)?;
        reading.read(bytes);
        if bytes > 0 {
            if text.last() == Some(&b'\n') {
                text.pop();
            }
            ends.push(text.len());
        }
        if bytes == 0 || text.len() + ends.len() >= BATCH_BYTES {
            let mut start = 0;
            let line = |end: &usize| text.get(std::mem::replace(&mut start, *end)..*end).unwrap_or_default();
            let lines: Vec<&[u8]> = ends.iter().map(line).collect();
            add(&merkle.hash_each_leaf(&lines));
            text.clear();
            ends.clear();
        }
        if bytes == 0 {
            return Ok(());
        }
    }
}
