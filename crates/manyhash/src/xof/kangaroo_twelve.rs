//! KangarooTwelve: KT128 and KT256 (RFC 9861, section 3).
//!
//! A message of more than a chunk is a tree of one level. Chunks of all messages of a batch are messages of one
//! batch, as far as memory for what they leave allows.

use super::customized::right_encoded;
use super::{Function, Turbo, room};
use crate::schedule::messages::Slice;
use alloc::vec::Vec;
use std::fmt;

/// Bytes of a chunk (3.2).
const CHUNK_BYTES: usize = 8192;

/// KT128, if `X` is [`TurboShake128`](super::TurboShake128), or KT256, if it is [`TurboShake256`](super::TurboShake256).
///
/// ```
/// use manyhash::xof::{KangarooTwelve, TurboShake128};
/// let output = KangarooTwelve::<TurboShake128>::new(b"").one(b"", 32);
/// assert_eq!(output[..4], [0x1a, 0xc2, 0xd4, 0x50]);
/// ```
#[derive(Clone)]
pub struct KangarooTwelve<X: Turbo> {
    /// What follows every message: the customization string and its length.
    suffix: Vec<u8>,
    /// For messages of one chunk, for chunks, and for the last node of a tree.
    only: Function<X>,
    leaf: Function<X>,
    last: Function<X>,
}

impl<X: Turbo> KangarooTwelve<X> {
    /// Bytes of what a chunk leaves: twice the strength.
    const VALUE_BYTES: usize = 200 - X::BLOCK_BYTES;

    /// Takes a customization string, which may be empty.
    pub fn new(customization: &[u8]) -> Self {
        let suffix = [customization, &right_encoded(customization.len(), 0)].concat();
        let of = |domain| Function::new().followed_by(domain);
        Self { suffix, only: of(0x07), leaf: of(0x0B), last: of(0x06) }
    }

    /// Returns `output_bytes` bytes for one message.
    ///
    /// # Panics
    /// Panics if `output_bytes` is 0, or if there is no memory for the output.
    pub fn one(&self, message: &[u8], output_bytes: usize) -> Vec<u8> {
        self.many(&[message], output_bytes)
    }

    /// Returns `output_bytes` bytes for each message, in the order of the messages, one after the other.
    ///
    /// # Panics
    /// Panics if `output_bytes` is 0, or if there is no memory for all of the output.
    pub fn many(&self, messages: &[impl AsRef<[u8]>], output_bytes: usize) -> Vec<u8> {
        let mut output = room::<X>(messages.len(), output_bytes);
        let is_only = |message: &[u8]| message.len() + self.suffix.len() <= CHUNK_BYTES;
        let (short, long): (Vec<usize>, Vec<usize>) = (0..messages.len()).partition(|i| is_only(messages[*i].as_ref()));

        let whole: Vec<&[u8]> = short.iter().map(|i| messages[*i].as_ref()).collect();
        let mut made = room::<X>(short.len(), output_bytes);
        self.only.framed_into(&Slice(&whole), &self.suffix, output_bytes, &mut made);
        let mut place = |i: usize, made: &[u8]| output[i * output_bytes..][..output_bytes].copy_from_slice(made);
        short.iter().zip(made.chunks(output_bytes)).for_each(|(i, made)| place(*i, made));

        for some in long.chunks(Self::TOGETHER) {
            let last_nodes = self.last_nodes(&some.iter().map(|i| messages[*i].as_ref()).collect::<Vec<_>>());
            let made = self.last.many(&last_nodes, output_bytes);
            some.iter().zip(made.chunks(output_bytes)).for_each(|(i, made)| place(*i, made));
        }
        output
    }

    /// How many messages of several chunks are taken together.
    const TOGETHER: usize = 64;

    /// Returns the last node of each message's tree.
    fn last_nodes(&self, messages: &[&[u8]]) -> Vec<Vec<u8>> {
        // The end of a message that is not whole chunks, with what follows it.
        let ends: Vec<Vec<u8>> = messages.iter().map(|message| [&message[whole(message)..], &self.suffix].concat()).collect();
        let chunks = |i: usize| messages[i][..whole(messages[i])].chunks(CHUNK_BYTES).chain(ends[i].chunks(CHUNK_BYTES));
        let leaves: Vec<&[u8]> = (0..messages.len()).flat_map(|i| chunks(i).skip(1)).collect();
        let values = self.leaf.many(&leaves, Self::VALUE_BYTES);
        let mut values = values.chunks(Self::VALUE_BYTES);
        (0..messages.len())
            .map(|i| {
                let leaves = chunks(i).count() - 1;
                let mut node = [chunks(i).next().expect("a chunk"), &[3, 0, 0, 0, 0, 0, 0, 0]].concat();
                values.by_ref().take(leaves).for_each(|value| node.extend_from_slice(value));
                node.extend(right_encoded(leaves, 0));
                node.extend([0xFF, 0xFF]);
                node
            })
            .collect()
    }
}

/// Returns the bytes of a message's whole chunks.
fn whole(message: &[u8]) -> usize {
    message.len() - message.len() % CHUNK_BYTES
}

impl<X: Turbo> fmt::Debug for KangarooTwelve<X> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KangarooTwelve").field("of", &X::NAME).finish_non_exhaustive()
    }
}
