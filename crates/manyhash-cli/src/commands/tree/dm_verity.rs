//! `tree dm-verity`: the root hash of each file or block device, without its hash device, which
//! `manyhash verity format` makes.

use super::small_files::{self, Alone, Input, Mode};
use super::{Call, changed};
use crate::commands::verity::whole_blocks;
use crate::exit::Outcome;
use crate::flags::DmVerityArguments;
use crate::text::lines::line;
use manyhash::tree::DmVerity;
use manyhash::{Algorithm, with_algorithm};
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: DmVerityArguments) -> Outcome {
    with_algorithm!(arguments.hash, A => print::<A>(call, arguments))
}

fn print<A: Algorithm>(call: &Call<'_>, arguments: DmVerityArguments) -> Outcome {
    let DmVerityArguments { salt, format, data_block_size, hash_block_size, files, .. } = arguments;
    let tree = DmVerity::<A>::new(format, data_block_size, hash_block_size, &salt.0)?;
    small_files::run(call, Arc::new(tree), files)
}

impl<A: Algorithm> Mode for DmVerity<A> {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        self.merkle().roots(contents).iter().map(|root| root.iter().flat_map(AsRef::as_ref).copied().collect()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let bytes = input.bytes()?.ok_or_else(|| io::Error::other("it must be a file or a block device"))?;
        whole_blocks(self.merkle().leaf_bytes(), bytes)?;
        let mut tree = self.merkle().builder();
        let hashed_bytes = input.hash_leaves(self.merkle(), work, |leaves| tree.add(leaves))?;
        let root = tree.root().filter(|_| hashed_bytes == bytes).ok_or_else(changed)?;
        Ok((root.as_ref().to_vec(), bytes))
    }

    fn line(&self, path: &Path, bytes: u64, root: &[u8]) -> io::Result<Vec<u8>> {
        whole_blocks(self.merkle().leaf_bytes(), bytes)?;
        Ok(line(&const_hex::encode(root), path))
    }
}
