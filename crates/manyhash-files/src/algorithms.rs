//! Several algorithms over the same bytes.

use manyhash::blake2::{self, Parameters};
use manyhash::{AnyAlgorithm, AnyHasher, Blake2b};
use std::borrow::Cow;

/// A set of algorithms, in the engine's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithms {
    set: u32,
    /// Bytes of a digest of BLAKE2b, which alone may have another length than usual.
    blake2b_bytes: u8,
}

impl Algorithms {
    /// The set without an algorithm.
    pub const NONE: Self = Self { set: 0, blake2b_bytes: BLAKE2B_BYTES };

    /// The set of the algorithms of a list.
    pub fn of(list: &[AnyAlgorithm]) -> Self {
        Self { set: list.iter().fold(0, |set, &algorithm| set | 1 << algorithm as u32), ..Self::NONE }
    }

    /// The set of one algorithm with digests of so many bytes; nothing if it has no such digests. BLAKE2b
    /// has digests of 1 to 64 bytes, and all others of one length.
    pub fn with_digest_bytes(algorithm: AnyAlgorithm, digest_bytes: usize) -> Option<Self> {
        let blake2b_bytes = match algorithm {
            AnyAlgorithm::Blake2b => u8::try_from(digest_bytes).ok().filter(|bytes| (1..=BLAKE2B_BYTES).contains(bytes))?,
            _ if digest_bytes == algorithm.digest_bytes() => BLAKE2B_BYTES,
            _ => return None,
        };
        Some(Self { blake2b_bytes, ..algorithm.into() })
    }

    /// The algorithms of the set, in the engine's order.
    pub fn iter(self) -> impl Iterator<Item = AnyAlgorithm> {
        AnyAlgorithm::ALL.iter().copied().filter(move |&algorithm| self.contains(algorithm))
    }

    /// Whether `algorithm` is in the set.
    pub fn contains(self, algorithm: AnyAlgorithm) -> bool {
        self.set & (1 << algorithm as u32) != 0
    }

    /// The algorithm of a set of one with digests of its usual length; nothing for any other set.
    pub fn only(self) -> Option<AnyAlgorithm> {
        let mut iter = self.iter();
        iter.next().filter(|_| iter.next().is_none() && self.blake2b_bytes == BLAKE2B_BYTES)
    }

    /// Bytes of a digest of one of its algorithms.
    pub fn digest_bytes(self, algorithm: AnyAlgorithm) -> usize {
        match algorithm {
            AnyAlgorithm::Blake2b => self.blake2b_bytes.into(),
            _ => algorithm.digest_bytes(),
        }
    }

    /// The name of one of its algorithms; with an unusual length of digests, the one that GNU's tools give
    /// it: `BLAKE2b-128`.
    pub fn name(self, algorithm: AnyAlgorithm) -> Cow<'static, str> {
        self.named(algorithm.name(), algorithm)
    }

    /// The tag of one of its algorithms in BSD-style lists: see [`name`](Self::name).
    pub fn tag(self, algorithm: AnyAlgorithm) -> Cow<'static, str> {
        self.named(algorithm.tag(), algorithm)
    }

    fn named(self, usual: &'static str, algorithm: AnyAlgorithm) -> Cow<'static, str> {
        match self.digest_bytes(algorithm) {
            bytes if bytes == algorithm.digest_bytes() => usual.into(),
            bytes => format!("{usual}-{}", 8 * bytes).into(),
        }
    }

    /// The parameters of an algorithm whose digests have an unusual length.
    fn parameters(self, algorithm: AnyAlgorithm) -> Option<Parameters<Blake2b>> {
        let is_unusual = self.digest_bytes(algorithm) != algorithm.digest_bytes();
        is_unusual.then(|| Parameters::new().digest_bytes(self.blake2b_bytes.into()).ok()).flatten()
    }

    /// The digests of each of `messages`, in the order of the messages.
    pub fn hash_many(self, messages: &[&[u8]]) -> Vec<Digests> {
        let mut digests = vec![Vec::new(); messages.len()];
        for algorithm in self.iter() {
            let hashed = match self.parameters(algorithm) {
                Some(parameters) => parameters.hash_many(messages),
                None => hash_each(algorithm, messages),
            };
            for (bytes, digest) in digests.iter_mut().zip(hashed.chunks_exact(self.digest_bytes(algorithm))) {
                bytes.extend_from_slice(digest);
            }
        }
        digests.into_iter().map(|bytes| Digests { algorithms: self, bytes: bytes.into() }).collect()
    }

    /// Hashers of one message in pieces with all algorithms of the set.
    pub fn hashers(self) -> Hashers {
        let hasher = |algorithm: AnyAlgorithm| match self.parameters(algorithm) {
            Some(parameters) => Hasher::Blake2b(Box::new(parameters.hasher())),
            None => Hasher::Usual(algorithm.hasher()),
        };
        Hashers { algorithms: self, hashers: self.iter().map(hasher).collect() }
    }
}

/// Bytes of a usual digest of BLAKE2b.
const BLAKE2B_BYTES: u8 = 64;

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
        let expected: usize = algorithms.iter().map(|algorithm| algorithms.digest_bytes(algorithm)).sum();
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
        let start: usize = before.map(|before| self.algorithms.digest_bytes(before)).sum();
        &self.bytes[start..][..self.algorithms.digest_bytes(algorithm)]
    }
}

/// A message in pieces, hashed with several algorithms.
pub struct Hashers {
    algorithms: Algorithms,
    hashers: Vec<Hasher>,
}

enum Hasher {
    Usual(AnyHasher),
    Blake2b(Box<blake2::Hasher<Blake2b>>),
}

impl Hashers {
    /// Appends to the message.
    pub fn update(&mut self, piece: &[u8]) {
        for hasher in &mut self.hashers {
            match hasher {
                Hasher::Usual(hasher) => hasher.update(piece),
                Hasher::Blake2b(hasher) => hasher.update(piece),
            }
        }
    }

    /// The digests of the message.
    pub fn finalize(self) -> Digests {
        let mut bytes = Vec::new();
        for hasher in self.hashers {
            bytes.extend(match hasher {
                Hasher::Usual(hasher) => hasher.finalize(),
                Hasher::Blake2b(hasher) => hasher.finalize(),
            });
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
    #[test]
    fn blake2b_has_digests_of_any_length() {
        let algorithm = AnyAlgorithm::Blake2b;
        for bytes in [1, 16, 63] {
            let short = Algorithms::with_digest_bytes(algorithm, bytes).unwrap();
            assert_eq!((short.only(), short.digest_bytes(algorithm)), (None, bytes));
            assert_eq!(short.name(algorithm), format!("BLAKE2b-{}", 8 * bytes));
            let mut hashers = short.hashers();
            hashers.update(b"abc");
            let digests = hashers.finalize();
            assert_eq!(short.hash_many(&[b"abc"]), std::slice::from_ref(&digests));
            assert_eq!(digests.of(algorithm), Parameters::<Blake2b>::new().digest_bytes(bytes).unwrap().hash(b"abc"));
            assert_eq!(Digests::new(short, digests.bytes()), Some(digests));
        }
        assert_eq!(Algorithms::with_digest_bytes(algorithm, 64), Some(algorithm.into()));
        assert_eq!(Algorithms::with_digest_bytes(algorithm, 64).unwrap().name(algorithm), "BLAKE2b");
        assert_eq!(Algorithms::with_digest_bytes(AnyAlgorithm::Sha256, 32), Some(AnyAlgorithm::Sha256.into()));
        for (algorithm, bytes) in [(algorithm, 0), (algorithm, 65), (algorithm, 320), (AnyAlgorithm::Sha256, 31)] {
            assert_eq!(Algorithms::with_digest_bytes(algorithm, bytes), None);
        }
    }
}
