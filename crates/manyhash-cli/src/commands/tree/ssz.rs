//! `tree ssz`: `hash_tree_root` of SimpleSerialize. A file is the serialized vector or list.

use super::Call;
use super::small_files::{self, Alone, Input, Mode};
use crate::exit::{Failure, Outcome};
use crate::flags::SszArguments;
use crate::text::lines::line;
use manyhash::tree::ssz;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: SszArguments) -> Outcome {
    let SszArguments { limit, element_bytes, files } = arguments;
    let list = match limit.map(|limit| limit.checked_mul(element_bytes)) {
        Some(None) => return Err(Failure::usage("--limit: lists of so many elements have more bytes than can be counted")),
        Some(Some(limit_bytes)) => Some(List { element_bytes, limit_bytes }),
        None => None,
    };
    small_files::run(call, Arc::new(Roots { list }), files)
}

/// The mode whose results are roots over chunks alone, without regard to the type.
struct Roots {
    /// The type, if it is a list and no vector.
    list: Option<List>,
}

struct List {
    element_bytes: u64,
    limit_bytes: u64,
}

impl Mode for Roots {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        ssz::merkle().roots(contents).into_iter().map(|root| root.unwrap_or_default().to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let merkle = ssz::merkle();
        let mut tree = merkle.builder();
        let bytes = input.hash_leaves(&merkle, work, |leaves| tree.add(leaves))?;
        Ok((tree.root().unwrap_or_default().to_vec(), bytes))
    }

    fn line(&self, path: &Path, bytes: u64, root: &[u8]) -> io::Result<Vec<u8>> {
        let root = root.try_into().map_err(io::Error::other)?;
        let chunks = |bytes: u64| bytes.div_ceil(ssz::CHUNK_BYTES as u64);
        let root = match self.list {
            None => ssz::root(Some(root), chunks(bytes), None).map_err(io::Error::other)?,
            Some(List { element_bytes, .. }) if !bytes.is_multiple_of(element_bytes) => {
                return Err(io::Error::other(format!("its {bytes} bytes are not whole elements of {element_bytes}")));
            }
            Some(List { element_bytes, limit_bytes }) if bytes > limit_bytes => {
                let (elements, limit) = (bytes / element_bytes, limit_bytes / element_bytes);
                return Err(io::Error::other(format!("{elements} elements: the limit is {limit}")));
            }
            Some(List { element_bytes, limit_bytes }) => {
                let root = ssz::root(Some(root), chunks(bytes), Some(chunks(limit_bytes))).map_err(io::Error::other)?;
                ssz::mix_in_length(root, bytes / element_bytes)
            }
        };
        Ok(line(&const_hex::encode(root), path))
    }
}
