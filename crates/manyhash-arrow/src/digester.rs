//! An algorithm, a key and a prefix, made ready once for all rows.

use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm, Frame};
use std::fmt::Debug;

/// Digests messages.
pub(crate) trait Digester: Debug + Send + Sync {
    /// Writes the digest of each message, one after the other.
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]);
}

#[derive(Debug)]
struct Plain<A: Algorithm>(std::marker::PhantomData<A>);

#[derive(Debug)]
struct Keyed<A: Algorithm>(Key<A>);

/// After whole blocks.
struct After<A: Algorithm>(Frame<A>);

impl<A: Algorithm> Debug for After<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("After")
    }
}

impl<A: Algorithm> Digester for Plain<A> {
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]) {
        manyhash::hash_many_into::<A>(messages, A::digests_in(digests));
    }
}

impl<A: Algorithm> Digester for Keyed<A> {
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]) {
        self.0.tag_many_into(messages, A::digests_in(digests));
    }
}

impl<A: Algorithm> Digester for After<A> {
    fn digest(&self, messages: &[&[u8]], digests: &mut [u8]) {
        self.0.hash_many_into(messages, A::digests_in(digests));
    }
}

/// What digests an algorithm's messages under `key` and after `prefix`, and those bytes of the prefix that have to be put before each message:
/// whole blocks of it are absorbed here, unless there is a key.
pub(crate) fn digester<'p>(algorithm: AnyAlgorithm, key: Option<&[u8]>, prefix: &'p [u8]) -> (Box<dyn Digester>, &'p [u8]) {
    struct Make<'a, 'p>(Option<&'a [u8]>, &'p [u8]);
    impl<'p> ForAlgorithm for Make<'_, 'p> {
        type Output = (Box<dyn Digester>, &'p [u8]);
        fn run<A: Algorithm>(self) -> Self::Output {
            let Self(key, prefix) = self;
            if let Some(key) = key {
                return (Box::new(Keyed(Key::<A>::new(key))), prefix);
            }
            let (blocks, head) = prefix.split_at(prefix.len() - prefix.len() % A::BLOCK_BYTES);
            if blocks.is_empty() {
                return (Box::new(Plain::<A>(std::marker::PhantomData)), head);
            }
            (Box::new(After(Frame::<A>::new(blocks, b""))), head)
        }
    }
    algorithm.with(Make(key, prefix))
}
