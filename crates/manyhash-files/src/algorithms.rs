//! Several algorithms over the same bytes.

use manyhash::{AnyAlgorithm, AnyHasher};

/// A set of algorithms, in the engine's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithms(u32);

impl Algorithms {
    /// The set without an algorithm.
    pub const NONE: Self = Self(0);

    /// The set of the algorithms of a list.
    pub fn of(list: &[AnyAlgorithm]) -> Self {
        Self(list.iter().fold(0, |set, &algorithm| set | 1 << algorithm as u32))
    }

    /// The algorithms of the set, in the engine's order.
    pub fn iter(self) -> impl Iterator<Item = AnyAlgorithm> {
        AnyAlgorithm::ALL.iter().copied().filter(move |&algorithm| self.contains(algorithm))
    }

    /// Whether `algorithm` is in the set.
    pub fn contains(self, algorithm: AnyAlgorithm) -> bool {
        self.0 & (1 << algorithm as u32) != 0
    }

    /// The algorithm of a set of one; nothing for any other set.
    pub fn only(self) -> Option<AnyAlgorithm> {
        let mut iter = self.iter();
        iter.next().filter(|_| iter.next().is_none())
    }

    /// The digests of each of `messages`, in the order of the messages.
    pub fn hash_many(self, messages: &[&[u8]]) -> Vec<Digests> {
        let mut digests = vec![Vec::new(); messages.len()];
        for algorithm in self.iter() {
            let hashed = hash_each(algorithm, messages);
            for (bytes, digest) in digests.iter_mut().zip(hashed.chunks_exact(algorithm.digest_bytes())) {
                bytes.extend_from_slice(digest);
            }
        }
        digests.into_iter().map(|bytes| Digests { algorithms: self, bytes: bytes.into() }).collect()
    }

    /// Hashers of one message in pieces with all algorithms of the set.
    pub fn hashers(self) -> Hashers {
        Hashers { algorithms: self, hashers: self.iter().map(AnyAlgorithm::hasher).collect() }
    }
}

impl From<AnyAlgorithm> for Algorithms {
    fn from(algorithm: AnyAlgorithm) -> Self {
        Self::of(&[algorithm])
    }
}

/// The digests of one file, one for each of some algorithms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    algorithms: Algorithms,
    /// The digests one after the other, in the order of the set.
    bytes: Box<[u8]>,
}

impl Digests {
    /// Digests from their bytes, one after the other in the order of the set. Nothing if `bytes`
    /// has another length than these digests.
    pub fn new(algorithms: Algorithms, bytes: impl Into<Box<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        let expected: usize = algorithms.iter().map(AnyAlgorithm::digest_bytes).sum();
        (bytes.len() == expected).then_some(Self { algorithms, bytes })
    }

    /// The digest of one message by the only algorithm of a set.
    pub(crate) fn of_message(algorithms: Algorithms, digest: &[u8]) -> Self {
        Self { algorithms, bytes: digest.into() }
    }

    /// What a function made of a file's contents: see
    /// [`Hashing::Contents`](crate::Hashing::Contents).
    pub fn of_contents(bytes: Vec<u8>) -> Self {
        Self { algorithms: Algorithms::NONE, bytes: bytes.into() }
    }

    /// The algorithms of which there are digests.
    pub fn algorithms(&self) -> Algorithms {
        self.algorithms
    }

    /// All digests, one after the other in the order of the set.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digest of `algorithm`.
    ///
    /// # Panics
    /// If there is no digest of it.
    #[expect(clippy::indexing_slicing, reason = "as many bytes as the digests of the set have are there from the beginning")]
    pub fn of(&self, algorithm: AnyAlgorithm) -> &[u8] {
        assert!(self.algorithms.contains(algorithm), "{algorithm} was not asked for");
        let before = self.algorithms.iter().take_while(|&other| other != algorithm);
        let start: usize = before.map(AnyAlgorithm::digest_bytes).sum();
        &self.bytes[start..][..algorithm.digest_bytes()]
    }
}

/// A message in pieces, hashed with several algorithms.
pub struct Hashers {
    algorithms: Algorithms,
    hashers: Vec<AnyHasher>,
}

impl Hashers {
    /// Appends to the message.
    pub fn update(&mut self, piece: &[u8]) {
        for hasher in &mut self.hashers {
            hasher.update(piece);
        }
    }

    /// The digests of the message.
    pub fn finalize(self) -> Digests {
        let mut bytes = Vec::new();
        for hasher in self.hashers {
            bytes.extend(hasher.finalize());
        }
        Digests { algorithms: self.algorithms, bytes: bytes.into() }
    }
}

/// Hashes messages together, and gives their digests one after the other.
pub fn hash_each(algorithm: AnyAlgorithm, messages: &[&[u8]]) -> Vec<u8> {
    let mut digests = vec![0; messages.len() * algorithm.digest_bytes()];
    algorithm.hash_many_into(messages, &mut digests);
    digests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_digest_is_found_among_several() {
        let all = Algorithms::of(AnyAlgorithm::ALL);
        let mut hashers = all.hashers();
        hashers.update(b"a");
        hashers.update(b"bc");
        let digests = hashers.finalize();
        for &algorithm in AnyAlgorithm::ALL {
            let alone = Algorithms::from(algorithm).hash_many(&[b"abc"]);
            assert_eq!(digests.of(algorithm), alone[0].bytes(), "{algorithm}");
            assert_eq!(Algorithms::from(algorithm).only(), Some(algorithm));
        }
        assert_eq!(all.only(), None);
        assert_eq!(all.iter().collect::<Vec<_>>(), AnyAlgorithm::ALL);
        assert_eq!(Digests::new(all, digests.bytes()), Some(digests.clone()));
        assert_eq!(Digests::new(all, &digests.bytes()[1..]), None);
    }
}
