//! `tree glacier`: the tree hash of Amazon S3 Glacier.

use super::Call;
use super::ranges::{self, Fold, Mode, parts};
use crate::exit::Outcome;
use crate::flags::GlacierArguments;
use manyhash::tree::{Builder, Merkle, glacier};
use manyhash::{AnyAlgorithm, Sha256, hash};
use std::ops::Range;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: GlacierArguments) -> Outcome {
    ranges::run(call, Arc::new(glacier::merkle()), arguments.files)
}

impl Mode for Merkle<Sha256> {
    fn algorithm(&self) -> AnyAlgorithm {
        AnyAlgorithm::Sha256
    }

    fn ranges(&self, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send> {
        parts(self.leaf_bytes() as u64, file_bytes)
    }

    fn part_bytes(&self) -> Option<u64> {
        Some(self.leaf_bytes() as u64)
    }

    fn fold(&self) -> Box<dyn Fold + '_> {
        Box::new(self.builder())
    }
}

impl Fold for Builder<'_, Sha256> {
    #[expect(clippy::expect_used, reason = "the digests are of the mode's algorithm, which is SHA-256")]
    fn add(&mut self, digest: &[u8]) {
        Builder::add(self, &[digest.try_into().expect("a digest of SHA-256")]);
    }

    fn finish(self: Box<Self>) -> String {
        const_hex::encode(self.root().unwrap_or_else(|| hash::<Sha256>(&[])))
    }
}
