//! `tree sha256tree`: the digest of a blob in the Remote Execution API.

use super::Call;
use super::small_files::{self, Alone, Input, Mode};
use crate::exit::Outcome;
use crate::flags::Sha256treeArguments;
use crate::text::lines::line;
use manyhash::tree::sha256tree;
use manyhash::{Sha256, hash};
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: Sha256treeArguments) -> Outcome {
    small_files::run(call, Arc::new(Blobs), arguments.files)
}

struct Blobs;

impl Mode for Blobs {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        sha256tree::digests(contents).iter().map(|digest| digest.to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let merkle = sha256tree::merkle();
        let mut tree = merkle.builder();
        let bytes = input.hash_leaves(&merkle, work, |leaves| tree.add(leaves))?;
        Ok((tree.root().unwrap_or_else(|| hash::<Sha256>(&[])).to_vec(), bytes))
    }

    fn line(&self, path: &Path, _: u64, digest: &[u8]) -> io::Result<Vec<u8>> {
        Ok(line(&const_hex::encode(digest), path))
    }
}
