//! The traits of the crate `digest` for [`Hasher`], so that it fits where RustCrypto's hashers do.

use crate::algorithms::Algorithm;
use crate::hash::Hasher;
use digest::array::AssocArraySize;
use digest::common::BlockSizeUser;
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

impl<A: Algorithm<Digest: AssocArraySize>> OutputSizeUser for Hasher<A> {
    type OutputSize = <A::Digest as AssocArraySize>::Size;
}

/// HMAC needs the block size: `hmac::SimpleHmac<Hasher<A>>` and `hkdf::SimpleHkdf<Hasher<A>>` take
/// this hasher.
impl<A: Algorithm<Block: AssocArraySize>> BlockSizeUser for Hasher<A> {
    type BlockSize = <A::Block as AssocArraySize>::Size;
}

impl<A: Algorithm> HashMarker for Hasher<A> {}

impl<A: Algorithm> Update for Hasher<A> {
    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }
}

impl<A: Algorithm<Digest: AssocArraySize>> FixedOutput for Hasher<A> {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        out.copy_from_slice(self.finish().as_ref());
    }
}

impl<A: Algorithm> Reset for Hasher<A> {
    fn reset(&mut self) {
        self.reset();
    }
}

impl<A: Algorithm<Digest: AssocArraySize>> FixedOutputReset for Hasher<A> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        out.copy_from_slice(self.finish().as_ref());
        self.reset();
    }
}
