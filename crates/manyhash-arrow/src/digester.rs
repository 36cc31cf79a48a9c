//! An algorithm, a key and a prefix, made ready once for all rows.

use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, Batch, ForAlgorithm};
use std::fmt::Debug;

/// Digests messages, whatever the algorithm.
pub(crate) trait Digester: Debug + Send + Sync {
    /// Writes the digest of each message, one after the other.
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]);
}

impl<A: Algorithm> Digester for Batch<A> {
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]) {
        self.hash_into(messages, A::digests_in(digests));
    }
}

/// What digests an algorithm's messages under `key` and after `prefix`, and those bytes of the prefix that have to be put before each
/// message: whole blocks of it are absorbed here, unless there is a key. Short messages that are copied together with the rest of a prefix
/// take less time than those that the schedule would put it before.
pub(crate) fn digester<'p>(algorithm: AnyAlgorithm, key: Option<&[u8]>, prefix: &'p [u8]) -> (Box<dyn Digester>, &'p [u8]) {
    struct Make<'a, 'p>(Option<&'a [u8]>, &'p [u8]);
    impl<'p> ForAlgorithm for Make<'_, 'p> {
        type Output = (Box<dyn Digester>, &'p [u8]);
        fn run<A: Algorithm>(self) -> Self::Output {
            let Self(key, prefix) = self;
            let batch = Batch::<A>::new();
            if let Some(key) = key {
                return (Box::new(batch.key(&Key::new(key))), prefix);
            }
            let (blocks, head) = prefix.split_at(prefix.len() - prefix.len() % A::BLOCK_BYTES);
            (Box::new(batch.prefix(blocks)), head)
        }
    }
    algorithm.with(Make(key, prefix))
}
