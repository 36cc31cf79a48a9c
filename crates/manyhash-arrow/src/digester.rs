//! An algorithm, a key and a prefix, made ready once for all rows.

use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, Batch, with_algorithm};

/// Writes the digest of each message, one after the other, whatever the algorithm.
pub(crate) type Digester = Box<dyn Fn(&[&[u8]], &mut [u8]) + Send + Sync>;

/// What digests an algorithm's messages under `key` and after `prefix`, and those bytes of the
/// prefix that have to be put before each message. Without a key, whole blocks of the prefix are
/// absorbed here. Short messages that are copied together with the rest of a prefix take less time
/// than those that the schedule would put it before.
pub(crate) fn digester<'p>(algorithm: AnyAlgorithm, key: Option<&[u8]>, prefix: &'p [u8]) -> (Digester, &'p [u8]) {
    let absorbed_bytes = if key.is_some() { 0 } else { prefix.len() - prefix.len() % algorithm.block_bytes() };
    let (absorbed, rest) = prefix.split_at(absorbed_bytes);
    (with_algorithm!(algorithm, A => of::<A>(key, absorbed)), rest)
}

fn of<A: Algorithm>(key: Option<&[u8]>, prefix: &[u8]) -> Digester {
    let batch = Batch::<A>::new().prefix(prefix);
    let batch = match key {
        Some(key) => batch.key(&Key::new(key)),
        None => batch,
    };
    Box::new(move |messages, digests| batch.hash_into(messages, A::digests_in(digests)))
}
