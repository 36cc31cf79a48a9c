//! `tree j-pointers`: ranges of each file, one a lane, and the digest of their digests.

use super::Call;
use super::ranges::{self, Fold, Mode};
use crate::exit::Outcome;
use crate::flags::LanesArguments;
use manyhash::tree::JPointers;
use manyhash::{Algorithm, AnyAlgorithm, with_algorithm};
use manyhash_files::Hashing;
use std::ops::Range;
use std::sync::Arc;

pub(crate) fn run(call: &Call<'_>, arguments: LanesArguments) -> Outcome {
    with_algorithm!(arguments.algorithm, A => print::<A>(call, arguments))
}

fn print<A: Algorithm>(call: &Call<'_>, arguments: LanesArguments) -> Outcome {
    let LanesArguments { algorithm, lanes, separated, files } = arguments;
    let mode = JPointers::<A>::new(lanes)?;
    let mode = if separated { mode.separated() } else { mode };
    let slices = Slices { algorithm, mode, lanes, digests: Vec::new() };
    ranges::run(call, Arc::new(slices), files)
}

/// The mode of j-pointers, whose ranges are slices.
#[derive(Clone)]
struct Slices<A: Algorithm> {
    algorithm: AnyAlgorithm,
    mode: JPointers<A>,
    lanes: usize,
    digests: Vec<A::Digest>,
}

impl<A: Algorithm> Slices<A> {
    /// Returns the digest of an empty slice.
    #[expect(clippy::expect_used, reason = "one message is read, from memory, which cannot fail")]
    fn of_nothing(&self) -> A::Digest {
        let mut digest = None;
        self.mode.readers().hash([(&[][..], 0)], |_, result| digest = result.ok());
        digest.expect("nothing can be read without an error")
    }
}

impl<A: Algorithm> Mode for Slices<A> {
    fn algorithm(&self) -> AnyAlgorithm {
        self.algorithm
    }

    fn hashing(&self) -> Hashing {
        Hashing::Readers(Arc::new(self.mode.readers()))
    }

    /// Returns the first slice, and all others that are not empty. The empty ones come last.
    fn ranges(&self, file_bytes: u64) -> Box<dyn Iterator<Item = Range<u64>> + Send> {
        Box::new(self.mode.slices(file_bytes).enumerate().filter(|(index, slice)| *index == 0 || !slice.is_empty()).map(|(_, slice)| slice))
    }

    fn part_bytes(&self) -> Option<u64> {
        None
    }

    fn fold(&self) -> Box<dyn Fold + '_> {
        Box::new(self.clone())
    }
}

impl<A: Algorithm> Fold for Slices<A> {
    fn add(&mut self, digest: &[u8]) {
        // A digest of any algorithm can be made from bytes in no other way.
        let mut copy = manyhash::hash::<A>(&[]);
        copy.as_mut().copy_from_slice(digest);
        self.digests.push(copy);
    }

    fn finish(mut self: Box<Self>) -> String {
        if self.digests.len() < self.lanes {
            let of_nothing = self.of_nothing();
            self.digests.resize(self.lanes, of_nothing);
        }
        const_hex::encode(self.mode.wrap(&self.digests).as_ref())
    }
}
