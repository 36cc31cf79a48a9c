//! `tree bitcoin`: the Merkle root of a block of Bitcoin, from a list of ids.

use super::Call;
use crate::exit::Outcome;
use crate::flags::BitcoinArguments;
use crate::text::hexadecimal;
use crate::text::lines::line;
use manyhash::tree::{Nodes, bitcoin};
use manyhash_files::read::open;
use manyhash_files::{Reading, Totals};
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// The ids that are read before they are hashed.
const BATCH_IDS: usize = 4096;
/// Bytes of a digest in hexadecimal.
const ID_DIGITS: usize = 64;

pub(crate) fn run(call: &Call<'_>, arguments: BitcoinArguments) -> Outcome {
    let totals = Arc::<Totals>::default();
    let mut report = call.report(&totals);
    let result = call.inputs(arguments.files).into_iter().map(PathBuf::from).try_for_each(|path| {
        totals.found_file(0);
        let root = open(&path).and_then(|file| root(BufReader::new(file), &Reading::begin(&totals, &path, 0)));
        totals.done();
        report.take(&path, root.map(|root| line(&const_hex::encode(bitcoin::displayed(root)), &path)))?;
        report.idle()
    });
    report.finish(result)
}

/// Returns the root over the ids in the lines of a list.
fn root(mut list: impl BufRead, reading: &Reading) -> io::Result<[u8; 32]> {
    let merkle = bitcoin::merkle();
    let (mut tree, mut ids, mut count) = (merkle.builder(), Vec::new(), 0_u64);
    let mut text = Vec::new();
    loop {
        text.clear();
        // What is longer than an id with the end of its line is none.
        let bytes = list.by_ref().take(ID_DIGITS as u64 + 3).read_until(b'\n', &mut text)?;
        reading.read(bytes);
        reading.check_stopped()?;
        if bytes == 0 || ids.len() == BATCH_IDS {
            tree.push(&ids, |nodes| refuse_repeats(nodes, u64::MAX))?;
            ids.clear();
        }
        if bytes == 0 {
            break;
        }
        count += 1;
        let digits = text.strip_suffix(b"\n").unwrap_or(&text);
        let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
        let id = hexadecimal::decode(digits).and_then(|id| <[u8; 32]>::try_from(&*id).ok());
        let id = id.ok_or_else(|| io::Error::other(format!("line {count}: an id is {ID_DIGITS} hexadecimal digits")))?;
        ids.push(bitcoin::displayed(id));
    }
    tree.finish(|nodes| refuse_repeats(nodes, count))?.ok_or_else(|| io::Error::other("there are no ids, and a block has at least one"))
}

/// Fails if two children of a node are equal, but for the last node over an odd number of them:
/// then the list repeats its end, and the root is that of another list (CVE-2012-2459). `ids` is
/// the number of ids.
fn refuse_repeats(nodes: Nodes<'_>, ids: u64) -> io::Result<()> {
    let children = (0..nodes.level).fold(ids, |children, _| children.div_ceil(2));
    let is_own_pair = |index: u64| children % 2 == 1 && index == children / 2;
    for (index, node) in (nodes.first..).zip(nodes.bytes.as_chunks::<64>().0) {
        let (left, right) = node.split_at(32);
        if left == right && !is_own_pair(index) {
            return Err(io::Error::other("it repeats ids at its end, as a list with the root of a shorter one does (CVE-2012-2459)"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(ids: &[[u8; 32]]) -> io::Result<[u8; 32]> {
        let list: String = ids.iter().map(|id| const_hex::encode(bitcoin::displayed(*id)) + "\n").collect();
        root(list.as_bytes(), &Reading::begin(&Arc::<Totals>::default(), Path::new("list"), 0))
    }

    #[test]
    fn lists_have_the_roots_of_their_ids_and_those_that_repeat_their_end_have_none() {
        let ids: Vec<[u8; 32]> = (0..10_000_u32).map(|i| manyhash::hash::<manyhash::Sha256>(&i.to_le_bytes())).collect();
        for count in [1, 2, 3, 4, 5, 6, 7, 9, 33, 4095, 4096, 4097, 8192, 8193, 10_000] {
            assert_eq!(of(&ids[..count]).ok(), bitcoin::root(&ids[..count]), "{count} ids");
        }
        for (count, repeated) in [(1, 1), (3, 1), (6, 2), (7, 1), (12, 4), (4095, 1), (4097, 1), (8194, 2), (9999, 1)] {
            let repeats = [&ids[..count], &ids[count - repeated..count]].concat();
            assert!(bitcoin::is_ambiguous(&repeats), "{count} ids");
            assert!(of(&repeats).unwrap_err().to_string().contains("CVE-2012-2459"), "{count} ids");
        }
    }
}
