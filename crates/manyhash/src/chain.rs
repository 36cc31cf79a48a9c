//! Chains: digests that are hashed again and again, many chains at once, each as often as it wants.
//!
//! One chain is serial by design; many of them fill lanes. With SHA-1 and SHA-2, a digest that becomes
//! the next message does not leave the kernel, nor its registers if nothing else is in a message; with
//! other algorithms it goes through memory, link by link. Chains of one length are in proofs of history
//! and in hash-based signatures (Winternitz), which also count the links within each message.
//!
//! [`many`] hashes digests as they are. A [`Link`] says what else is in every message.
//! `hmac::pbkdf2_many` is a chain of tags.
//!
//! To make a proof of history is serial: each entry has so many links behind the one before it, and what it
//! records is mixed into the last. To verify one is not, as every entry says where it ends:
//!
//! ```
//! use manyhash::{Sha256, chain, hash, hash_many};
//! struct Entry { links: u64, recorded: [u8; 32], end: [u8; 32] }
//!
//! fn is_true(genesis: [u8; 32], history: &[Entry]) -> bool {
//!     let starts: Vec<[u8; 32]> = std::iter::once(genesis).chain(history.iter().map(|entry| entry.end)).take(history.len()).collect();
//!     let links: Vec<u64> = history.iter().map(|entry| entry.links - 1).collect();
//!     let before = chain::many::<Sha256>(&starts, &links);
//!     let mixed: Vec<[u8; 64]> = before.iter().zip(history).map(|(before, entry)| concat(before, &entry.recorded)).collect();
//!     hash_many::<Sha256>(&mixed).iter().zip(history).all(|(end, entry)| *end == entry.end)
//! }
//! # fn concat(one: &[u8; 32], other: &[u8; 32]) -> [u8; 64] { [*one, *other].as_flattened().try_into().unwrap() }
//!
//! let mut last = hash::<Sha256>(b"genesis");
//! let genesis = last;
//! let mut history: Vec<Entry> = Vec::new();
//! for (links, recorded) in [(800, [1; 32]), (20, [2; 32]), (12_500, [3; 32])] {
//!     let before = (1..links).fold(last, |value, _| hash::<Sha256>(&value));
//!     last = hash::<Sha256>(&concat(&before, &recorded));
//!     history.push(Entry { links, recorded, end: last });
//! }
//! assert!(is_true(genesis, &history));
//! history[1].recorded = [4; 32];
//! assert!(!is_true(genesis, &history));
//! ```

use crate::algorithm::CompressionOf;
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend};
use crate::kernel::chains::add;
use crate::kernel::start::Start as StartState;
use crate::many::hash_on;
use crate::schedule::chains::{Chains, Layout, Parts};
use crate::schedule::compiled::Compiled;
use crate::schedule::framed::absorbed_bytes;
use crate::schedule::messages::Slice;
use crate::schedule::mix::Mix;
use crate::threads;
use alloc::vec::Vec;
use std::ops::Range;

/// Hashes `values[i]` `links[i]` times: its digest, the digest of this, and so on. Returns the last
/// digest of each; of no links, the value.
///
/// # Panics
/// Panics if there are not as many numbers of links as values.
///
/// ```
/// use manyhash::{Sha256, chain, hash};
/// let seeds = [hash::<Sha256>(b"one"), hash::<Sha256>(b"two")];
/// let ends = chain::many::<Sha256>(&seeds, &[2, 1_000]);
/// assert_eq!(ends[0], hash::<Sha256>(&hash::<Sha256>(&seeds[0])));
/// ```
pub fn many<A: Algorithm>(values: &[A::Digest], links: &[u64]) -> Vec<A::Digest> {
    assert_eq!(values.len(), links.len(), "{} values and {} numbers of links", values.len(), links.len());
    let mut ends = values.to_vec();
    let start = |i: usize| Start { own: &[], value: &[], links: links[i] };
    Link::<A>::new().run(&start, values.len(), A::flattened(&mut ends));
    ends
}

/// Where a chain begins, and how long it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// The bytes of the chain's own in its messages: see [`Link::own_bytes`].
    pub own: &'a [u8],
    /// The first value: see [`Link::value_bytes`].
    pub value: &'a [u8],
    /// The number of links.
    pub links: u64,
}

/// How each value of a chain becomes the next one.
///
/// The message of a link is prefix || own bytes of the chain || value || suffix, and the next value is
/// the beginning of its digest. A message whose last part, behind the whole blocks of the prefix, is one
/// block with its padding stays in registers; others are hashed link by link, in memory.
///
/// A Winternitz chain of SLH-DSA-SHA2-128f (FIPS 205, section 11.2.1) has a key before it, an address of
/// 22 bytes whose last byte counts, and values of 16 bytes:
///
/// ```
/// use manyhash::{Sha256, chain, hash};
/// let key = [7; 64];
/// let link = chain::Link::<Sha256>::new().prefix(&key).own_bytes(22).count(18..22).value_bytes(16);
/// let start = chain::Start { own: &[0; 22], value: &[1; 16], links: 2 };
/// let end = link.many(&[start])[0];
///
/// let first = hash::<Sha256>(&[&key[..], &[0; 22], &[1; 16]].concat());
/// let mut address = [0; 22];
/// address[21] = 1;
/// let second = hash::<Sha256>(&[&key[..], &address, &first[..16]].concat());
/// assert_eq!(end[..16], second[..16]);
/// ```
#[derive(Clone, Debug)]
pub struct Link<A: Algorithm> {
    prefix: Vec<u8>,
    own_bytes: usize,
    count: Range<usize>,
    value_bytes: usize,
    suffix: Vec<u8>,
    backend: Option<Backend>,
    threads: usize,
    algorithm: std::marker::PhantomData<A>,
}

/// The chains that a thread takes at once.
const TOGETHER: usize = 4096;

impl<A: Algorithm> Link<A> {
    /// Describes messages that are whole digests and nothing else, on one thread.
    pub fn new() -> Self {
        Self {
            prefix: Vec::new(),
            own_bytes: 0,
            count: 0..0,
            value_bytes: A::DIGEST_BYTES,
            suffix: Vec::new(),
            backend: None,
            threads: 1,
            algorithm: std::marker::PhantomData,
        }
    }

    /// Puts these bytes before each message. Whole blocks of them are hashed once.
    #[must_use]
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.prefix = prefix.to_vec();
        self
    }

    /// Puts so many bytes between the prefix and the value, which are each chain's own: [`Start::own`].
    ///
    /// # Panics
    /// Panics if the bytes that [`count`](Self::count) are not among them.
    #[must_use]
    pub fn own_bytes(mut self, own_bytes: usize) -> Self {
        self.own_bytes = own_bytes;
        self.check();
        self
    }

    /// Has these bytes of a chain's own count links: they are a number, most significant byte first, to
    /// which each link adds one.
    ///
    /// # Panics
    /// Panics if a chain has not that many bytes of its own.
    #[must_use]
    pub fn count(mut self, count: Range<usize>) -> Self {
        self.count = count;
        self.check();
        self
    }

    /// Takes only the first `value_bytes` bytes of each digest for the next value.
    ///
    /// # Panics
    /// Panics if that is nothing, or more than a digest has.
    #[must_use]
    pub fn value_bytes(mut self, value_bytes: usize) -> Self {
        assert!((1..=A::DIGEST_BYTES).contains(&value_bytes), "value_bytes: {value_bytes}, and a digest has {}", A::DIGEST_BYTES);
        self.value_bytes = value_bytes;
        self
    }

    /// Puts these bytes after each message.
    #[must_use]
    pub fn suffix(mut self, suffix: &[u8]) -> Self {
        self.suffix = suffix.to_vec();
        self
    }

    /// Computes every block on one backend; lanes without a chain are idle.
    ///
    /// # Panics
    /// Panics if the backend has no kernel for `A`, or if this CPU lacks it: ask
    /// [`Backend::supports`] first.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        if let Err(error) = backend.mix::<A>() {
            panic!("backend: {error}");
        }
        self.backend = Some(backend);
        self
    }

    /// Uses up to `threads` threads, of which the caller's is one; 0 is one for each CPU. A chain is on
    /// one thread.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    fn check(&self) {
        let Range { start, end } = self.count;
        assert!(start <= end && end <= self.own_bytes || self.own_bytes == 0, "count: {start}..{end} of {} bytes", self.own_bytes);
    }

    /// Returns the last value of each chain: the first [`value_bytes`](Self::value_bytes) bytes, and zeros
    /// behind them.
    ///
    /// # Panics
    /// Panics if a chain has not as many bytes of its own, or as value, as the messages have; and if a
    /// chain has more links than the bytes that count have room for.
    pub fn many(&self, starts: &[Start<'_>]) -> Vec<A::Digest> {
        let mut values = vec![0; starts.len() * self.value_bytes];
        self.many_into(starts, &mut values);
        let mut digests = vec![A::ZERO; starts.len()];
        for (digest, value) in digests.iter_mut().zip(values.chunks_exact(self.value_bytes)) {
            digest.as_mut()[..value.len()].copy_from_slice(value);
        }
        digests
    }

    /// Writes the last value of each chain to `values`, one after the other.
    ///
    /// # Panics
    /// Panics as [`many`](Self::many) does, and if there is not exactly the room for the values.
    pub fn many_into(&self, starts: &[Start<'_>], values: &mut [u8]) {
        assert_eq!(values.len(), starts.len() * self.value_bytes, "bytes for {} values of {} bytes", starts.len(), self.value_bytes);
        for (i, (start, value)) in starts.iter().zip(values.chunks_exact_mut(self.value_bytes)).enumerate() {
            assert_eq!(start.own.len(), self.own_bytes, "bytes of its own that chain {i} has");
            assert_eq!(start.value.len(), self.value_bytes, "bytes of the value of chain {i}");
            let counts = self.counting_bytes(start).is_some();
            assert!(counts, "the number {:?} of chain {i} can't count {} links", &start.own[self.count.clone()], start.links);
            value.copy_from_slice(start.value);
        }
        let together = TOGETHER.min(starts.len().div_ceil(threads::count(self.threads)).max(1));
        let units = starts.chunks(together).zip(values.chunks_mut(together * self.value_bytes)).collect();
        threads::map(self.threads, units, |(starts, values)| self.run(&|i| starts[i], starts.len(), values));
    }

    /// Returns how many of the bytes that count change while a chain does so; `None` if they have no room
    /// for as many links.
    fn counting_bytes(&self, start: &Start<'_>) -> Option<usize> {
        let counted = &start.own[self.count.clone()];
        let mut carry = if counted.is_empty() { 0 } else { start.links.saturating_sub(1) };
        let mut bytes = 0;
        for byte in counted.iter().rev() {
            if carry == 0 {
                break;
            }
            carry = (carry >> 8) + (((carry & 0xFF) + u64::from(*byte)) >> 8);
            bytes += 1;
        }
        (carry == 0).then_some(bytes)
    }

    /// Goes on with `count` chains to their ends, on this thread. `values` has their first values, and then
    /// their last ones.
    fn run<'s>(&self, start: &dyn Fn(usize) -> Start<'s>, count: usize, values: &mut [u8]) {
        let mix = match &self.backend {
            Some(backend) => backend.mix::<A>().expect("checked when it was set"),
            None => backend::mix::<A>(),
        };
        let (absorbed, prefix) = self.prefix.split_at(absorbed_bytes::<CompressionOf<A>>(self.prefix.len()));
        let mut midstate = StartState::of::<A>();
        <CompressionOf<A>>::compress_alone(mix, &mut midstate.state, absorbed);
        midstate.bytes = absorbed.len() as u64;
        let counting = if self.count.is_empty() { 0 } else { (0..count).filter_map(|i| self.counting_bytes(&start(i))).max().unwrap_or(0) };
        let counting = self.count.end - counting..self.count.end;
        let parts = Parts { prefix, own_bytes: self.own_bytes, count: counting, value_bytes: self.value_bytes, suffix: &self.suffix };
        match Layout::new(&midstate, &parts) {
            Some(layout) => {
                let chains = Chains { layout: &layout, keys: None, own: &|i| start(i).own, links: &|i| start(i).links };
                <CompressionOf<A>>::run_chains(mix, &chains, values, None);
            }
            None => self.run_in_memory(mix, start, count, values),
        }
    }

    /// Does what [`run`](Self::run) does for messages of any length, link by link.
    fn run_in_memory<'s>(&self, mix: &Mix<CompressionOf<A>>, start: &dyn Fn(usize) -> Start<'s>, count: usize, values: &mut [u8]) {
        let value_at = self.prefix.len() + self.own_bytes;
        let message = |(i, value): (usize, &[u8])| [&self.prefix, start(i).own, value, &self.suffix].concat();
        let mut messages: Vec<Vec<u8>> = values.chunks_exact(self.value_bytes).enumerate().map(message).collect();
        let mut left: Vec<usize> = (0..count).collect();
        for link in 0.. {
            left.retain(|i| start(*i).links > link);
            if left.is_empty() {
                break;
            }
            let mut digests = vec![A::ZERO; left.len()];
            let parts: Vec<&[u8]> = left.iter().map(|i| &messages[*i][..]).collect();
            hash_on::<A>(mix, &Slice(&parts), &mut digests);
            for (i, digest) in left.iter().zip(&digests) {
                let message = &mut messages[*i];
                message[value_at..][..self.value_bytes].copy_from_slice(&digest.as_ref()[..self.value_bytes]);
                add(&mut message[self.prefix.len()..][self.count.clone()], 1);
            }
        }
        for (value, message) in values.chunks_exact_mut(self.value_bytes).zip(&messages) {
            value.copy_from_slice(&message[value_at..][..self.value_bytes]);
        }
    }
}

impl<A: Algorithm> Default for Link<A> {
    fn default() -> Self {
        Self::new()
    }
}
