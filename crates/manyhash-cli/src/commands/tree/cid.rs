//! `tree cid`: the address of a file in IPFS.

use super::Call;
use super::small_files::{self, Alone, Input, Mode};
use crate::exit::Outcome;
use crate::flags::CidArguments;
use crate::text::lines::line;
use manyhash::tree::cid::{self, FileBuilder};
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: CidArguments) -> Outcome {
    small_files::run(call, Arc::new(Addresses), arguments.files)
}

/// The mode whose results are addresses as text.
struct Addresses;

impl Mode for Addresses {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        cid::cids(contents).iter().map(|cid| cid.to_string().into_bytes()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let mut file = FileBuilder::new();
        let bytes = input.hash_leaves(&cid::chunks(), work, |chunks| file.add(chunks))?;
        Ok((file.finish(bytes).to_string().into_bytes(), bytes))
    }

    fn line(&self, path: &Path, _: u64, address: &[u8]) -> io::Result<Vec<u8>> {
        Ok(line(&String::from_utf8_lossy(address), path))
    }
}
