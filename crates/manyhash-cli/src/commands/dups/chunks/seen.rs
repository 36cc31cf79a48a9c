//! The digests seen, in bounded memory.
//!
//! Of each, the first 16 bytes are kept: two different chunks of a trillion share them with a probability below 10^-14. When the memory
//! is spent, the set keeps only every second digest, then every fourth and so on, and a repeat that is seen stands for as many. Digests
//! are as good as random, so this is a fair sample, and what is counted becomes an estimate.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// The first 16 bytes of a digest.
pub(crate) type Key = [u8; 16];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// The first of its kind, or one that is not in the sample.
    New,
    /// Seen before; it stands for so many.
    Repeat(u64),
}

/// The set. It is in parts so that never all of it is copied to grow.
#[derive(Debug)]
pub(crate) struct Seen {
    parts: Vec<HashSet<Key, BuildHasherDefault<OwnBits>>>,
    limit_bytes: usize,
    used_bytes: usize,
    /// Of 2 to this power digests one is in the sample.
    sampled_bits: u32,
}

impl Seen {
    const PARTS: usize = 256;

    /// A set of at most about `limit_bytes`.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { parts: (0..Self::PARTS).map(|_| HashSet::default()).collect(), limit_bytes, used_bytes: 0, sampled_bits: 0 }
    }

    /// Of how many digests one is kept.
    pub(crate) fn sampled(&self) -> u64 {
        1 << self.sampled_bits
    }

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
            // Also because a table counts the places of what was removed as taken.
            part.shrink_to_fit();
        }
        self.used_bytes = self.parts.iter().map(|part| memory_bytes(part.capacity())).sum();
    }
}

/// Whether a digest is in the sample. Its first byte chooses the part and its last bytes the place there: here is what is between.
fn is_sampled(key: &Key, bits: u32) -> bool {
    let middle = u32::from_le_bytes([key[1], key[2], key[3], key[4]]);
    middle.trailing_zeros() >= bits
}

/// What a table for so many keys takes: a power of two of places at most seven eighths full, each a key and a byte.
fn memory_bytes(capacity: usize) -> usize {
    if capacity == 0 { 0 } else { (capacity * 8 / 7).next_power_of_two() * (size_of::<Key>() + 1) }
}

/// A digest is its own hash.
#[derive(Debug, Default)]
struct OwnBits(u64);

impl Hasher for OwnBits {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last_chunk() {
            self.0 = u64::from_le_bytes(*last);
        }
    }

    // The length of the key.
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
        // A megabyte holds some 50,000 digests when its tables are full, and half of that at least.
        assert!(seen.sampled() <= 8, "{}", seen.sampled());
        assert!(repeats.abs_diff(NUMBERS) < NUMBERS / 50, "{repeats}");
    }
}
