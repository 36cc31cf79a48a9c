//! Keys of an algorithm that is known only at run time.

use crate::Status;
use crate::objects::Kind;
use crate::pointers::Bytes;
use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, Batch, with_algorithm};
use std::any::Any;

/// A key of any algorithm.
pub(crate) trait AnyKey: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn tag_bytes(&self) -> usize;
    /// Writes the tag of each message.
    fn tag_many(&self, messages: &[Bytes], tags: &mut [u8], threads: usize);
    /// Writes 1 for each tag that is right, and 0 for each other one.
    fn verify_many(&self, messages: &[Bytes], tags: &[Bytes], ok: &mut [u8]);
}

impl<A: Algorithm> AnyKey for Key<A> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn tag_bytes(&self) -> usize {
        A::DIGEST_BYTES
    }

    fn tag_many(&self, messages: &[Bytes], tags: &mut [u8], threads: usize) {
        Batch::<A>::new().key(self).threads(threads).hash_into(messages, A::digests_in(tags));
    }

    fn verify_many(&self, messages: &[Bytes], tags: &[Bytes], ok: &mut [u8]) {
        /// So many at a time: the right tags take memory, half a megabyte.
        const TOGETHER: usize = 4096;
        let groups = messages.chunks(TOGETHER).zip(tags.chunks(TOGETHER)).zip(ok.chunks_mut(TOGETHER));
        for ((messages, tags), ok) in groups {
            for (ok, found) in ok.iter_mut().zip(Key::verify_many(self, messages, tags)) {
                *ok = u8::from(found.is_ok());
            }
        }
    }
}

/// `manyhash_key`.
pub struct KeyContent(pub(crate) Box<dyn AnyKey>);

impl Kind for KeyContent {
    const MARK: u64 = 0x6D68_6B65_7920_C0DE;
}

impl KeyContent {
    pub(crate) fn new(algorithm: AnyAlgorithm, key: &[u8]) -> Result<Self, Status> {
        if !algorithm.has_hmac() {
            return Err(Status::BadArgument);
        }
        Ok(Self(with_algorithm!(algorithm, A => Box::new(Key::<A>::new(key)))))
    }
}
