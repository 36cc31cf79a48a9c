//! The digests seen, in bounded memory.
//!
//! The first 16 bytes of each digest are kept. Among a trillion chunks, two different ones share
//! them with a probability below 10^-14. When the memory is spent, the set keeps only every second
//! digest, then every fourth and so on, and a repeat that is seen stands for 2, 4 and so on.
//! Digests are as good as random, so this is a fair sample, and the counts become estimates.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type Key = [u8; 16];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// The first of its kind, or a chunk that is not in the sample.
    New,
    /// A chunk seen before, which stands for this number of repeats.
    Repeat(u64),
}

/// The set of digests seen. It is in parts, so that growing never copies all of it.
#[derive(Debug)]
pub(crate) struct Seen {
    parts: Vec<HashSet<Key, BuildHasherDefault<OwnBits>>>,
    limit_bytes: usize,
    used_bytes: usize,
    /// One of 2 to this power digests is in the sample.
    sampled_bits: u32,
}

impl Seen {
    const PARTS: usize = 256;

    /// Creates a set that takes about `limit_bytes` at most.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { parts: (0..Self::PARTS).map(|_| HashSet::default()).collect(), limit_bytes, used_bytes: 0, sampled_bits: 0 }
    }

    /// Returns of how many digests one is kept.
    pub(crate) fn sampled(&self) -> u64 {
        1 << self.sampled_bits
    }

    #[expect(clippy::indexing_slicing, reason = "there is a part for each value of a byte")]
    pub(crate) fn take(&mut self, key: Key) -> Chunk {
        if !is_sampled(&key, self.sampled_bits) {
            return Chunk::New;
        }
        let part = &mut self.parts[usize::from(key[0])];
        if part.len() == part.capacity() {
            if part.contains(&key) {
                return Chunk::Repeat(self.sampled());
            }
            let before = memory_bytes(part.capacity());
            // A table grows to twice its size.
            if self.used_bytes + before.max(memory_bytes(3)) > self.limit_bytes {
                self.sample_less();
                return self.take(key);
            }
            part.reserve(1);
            self.used_bytes += memory_bytes(part.capacity()) - before;
        }
        if part.insert(key) { Chunk::New } else { Chunk::Repeat(self.sampled()) }
    }

    fn sample_less(&mut self) {
        self.sampled_bits += 1;
        let bits = self.sampled_bits;
        for part in &mut self.parts {
            part.retain(|key| is_sampled(key, bits));
            // This is needed also because a table counts the places of removed keys as taken.
            part.shrink_to_fit();
        }
        self.used_bytes = self.parts.iter().map(|part| memory_bytes(part.capacity())).sum();
    }
}

/// Whether a digest is in the sample. Its first byte chooses the part, and its last bytes the place
/// in the part, so the bytes between them decide this.
fn is_sampled(key: &Key, bits: u32) -> bool {
    let middle = u32::from_le_bytes([key[1], key[2], key[3], key[4]]);
    middle.trailing_zeros() >= bits
}

/// Returns the bytes that a table for `capacity` keys takes. It has a power of two of places, is at
/// most seven eighths full, and each place takes a key and a byte.
fn memory_bytes(capacity: usize) -> usize {
    if capacity == 0 { 0 } else { (capacity * 8 / 7).next_power_of_two() * (size_of::<Key>() + 1) }
}

/// A hasher that uses a digest's own bits as its hash.
#[derive(Debug, Default)]
struct OwnBits(u64);

impl Hasher for OwnBits {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last_chunk() {
            self.0 = u64::from_le_bytes(*last);
        }
    }

    // The set passes the length of the key here.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash::{Sha256, hash};

    fn key(number: u64) -> Key {
        *hash::<Sha256>(&number.to_le_bytes()).first_chunk().unwrap()
    }

    #[test]
    fn repeats_are_seen_and_first_ones_are_not() {
        let mut seen = Seen::new(usize::MAX);
        for number in 0..20_000 {
            assert_eq!(seen.take(key(number)), Chunk::New);
        }
        assert!((0..20_000).all(|number| seen.take(key(number)) == Chunk::Repeat(1)));
        let tables: usize = seen.parts.iter().map(|part| memory_bytes(part.capacity())).sum();
        assert_eq!(seen.used_bytes, tables);
    }

    #[test]
    fn when_memory_is_spent_repeats_are_estimated() {
        const NUMBERS: u64 = 100_000;
        let mut seen = Seen::new(1 << 20);
        let mut repeats = 0;
        for _ in 0..2 {
            for number in 0..NUMBERS {
                if let Chunk::Repeat(weight) = seen.take(key(number)) {
                    repeats += weight;
                }
            }
        }
        assert!(seen.sampled() > 1 && seen.used_bytes <= 1 << 20, "{}, {}", seen.sampled(), seen.used_bytes);
        // A megabyte holds some 50,000 digests when its tables are full, and at least half of that.
        assert!(seen.sampled() <= 8, "{}", seen.sampled());
        assert!(repeats.abs_diff(NUMBERS) < NUMBERS / 50, "{repeats}");
    }
}
