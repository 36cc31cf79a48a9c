//! SLH-DSA (FIPS 205, once SPHINCS+): signatures that are as safe as a hash function, by one that hashes in lanes.
//!
//! A signature of `SLH-DSA-SHA2-128f` is some 110,000 hashes of a block, and most of them need not wait for
//! one another. One message at a time is the worst way to compute them. Here whatever can be hashed at the
//! same time is: all chains of all trees of all layers, all leaves of all FORS trees, each level of all trees.
//! `manyhash` does the rest.
//!
//! ```
//! use slh_dsa_example::{Message, SHA2_128F, SigningKey};
//! let key = SigningKey::generate(SHA2_128F)?;
//! let message = Message::new(b"a message").context(b"letters");
//! let signature = key.sign(&message)?;
//! key.verifying_key().verify(&message, &signature)?;
//! assert!(key.verifying_key().verify(&Message::new(b"another"), &signature).is_err());
//! # Ok::<(), slh_dsa_example::Error>(())
//! ```
//!
//! To read, from below:
//!
//! | file | what | FIPS 205 |
//! |---|---|---|
//! | `parameters.rs` | the twelve sets | 11 |
//! | `address.rs` | where a hash is | 4.2, 4.3, 11.2 |
//! | `hashes.rs` | the hash functions, of many inputs | 4.1, 11 |
//! | `wots.rs` | chains that sign a node | 5 |
//! | `trees.rs` | Merkle trees | 6, 8 |
//! | `fors.rs` | trees that sign a digest | 8 |
//! | `hypertree.rs` | trees of chains that sign one another | 6, 7 |
//! | `message.rs` | what is signed | 10.2 |
//! | `lib.rs` | keys, and signatures as bytes | 9, 10 |
//!
//! It is an example: it is tested with NIST's vectors and beside another implementation, and nobody has audited it.
#![forbid(unsafe_code)]

mod address;
mod fors;
mod hashes;
mod hypertree;
mod message;
mod parameters;
mod trees;
mod wots;

pub use message::{Message, PreHash};
pub use parameters::*;

use hashes::{Hashes, Secret};
use std::fmt;
use wots::Place;
use zeroize::Zeroizing;

/// Why there is no signature, or why one is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A context has so many bytes, and 255 is the most.
    Context(usize),
    /// Something has another length than the parameter set says.
    Length {
        /// What has it.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// The bytes that it must have.
        wanted: usize,
    },
    /// The system has no random bytes.
    Random(getrandom::Error),
    /// The signature is not one of the message by the key.
    Signature,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(bytes) => write!(f, "a context of {bytes} bytes, and 255 is the most"),
            Self::Length { what, bytes, wanted } => write!(f, "{what} of {bytes} bytes in place of {wanted}"),
            Self::Random(error) => write!(f, "no random bytes: {error}"),
            Self::Signature => f.write_str("not a signature of the message by this key"),
        }
    }
}

impl std::error::Error for Error {}

fn check(what: &'static str, bytes: &[u8], wanted: usize) -> Result<(), Error> {
    if bytes.len() == wanted { Ok(()) } else { Err(Error::Length { what, bytes: bytes.len(), wanted }) }
}

fn random(bytes: usize) -> Result<Secret, Error> {
    let mut random = Secret::new(vec![0; bytes]);
    getrandom::fill(&mut random).map_err(Error::Random)?;
    Ok(random)
}

/// A key that signs. What is secret in it is erased when it is dropped.
#[derive(Clone)]
pub struct SigningKey {
    /// What all secrets of chains and leaves are made of (SK.seed).
    seed: Secret,
    /// The key of the randomizer (SK.prf).
    prf_key: Secret,
    verifying: VerifyingKey,
}

/// A key that verifies.
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    set: ParameterSet,
    hashes: Hashes,
    root: Vec<u8>,
}

/// Shows what is public.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("verifying", &self.verifying).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Makes a key of random bytes of the system.
    pub fn generate(set: ParameterSet) -> Result<Self, Error> {
        Self::of_seeds(set, &random(set.n)?, &random(set.n)?, &random(set.n)?)
    }

    /// Makes a key of three seeds (SK.seed, SK.prf and PK.seed), by growing the tree of the highest layer.
    pub fn of_seeds(set: ParameterSet, seed: &[u8], prf_key: &[u8], public_seed: &[u8]) -> Result<Self, Error> {
        for (what, seed) in [("a secret seed", seed), ("a randomizer's key", prf_key), ("a public seed", public_seed)] {
            check(what, seed, set.n)?;
        }
        let hashes = Hashes::new(&set, public_seed);
        let root = hypertree::root(&set, &hashes, seed);
        let verifying = VerifyingKey { set, hashes, root };
        Ok(Self { seed: Zeroizing::new(seed.to_vec()), prf_key: Zeroizing::new(prf_key.to_vec()), verifying })
    }

    /// Reads a key: the seeds and the root, one after the other. That the root is theirs is believed.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        check("a signing key", bytes, set.signing_key_bytes())?;
        let (secret, public) = bytes.split_at(2 * set.n);
        let (seed, prf_key) = secret.split_at(set.n);
        let verifying = VerifyingKey::from_bytes(set, public)?;
        Ok(Self { seed: Zeroizing::new(seed.to_vec()), prf_key: Zeroizing::new(prf_key.to_vec()), verifying })
    }

    /// Writes the key, which [`from_bytes`](Self::from_bytes) reads.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([&self.seed[..], &self.prf_key, &self.verifying.hashes.seed, &self.verifying.root].concat())
    }

    /// The key that verifies what this one signs.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Signs a message, with random bytes of the system: this is what to use.
    pub fn sign(&self, message: &Message<'_>) -> Result<Vec<u8>, Error> {
        self.sign_with(message, &random(self.verifying.set.n)?)
    }

    /// Signs a message, always in the same way. Who can disturb the computer and sees many signatures of
    /// one message may learn the key.
    pub fn sign_deterministically(&self, message: &Message<'_>) -> Result<Vec<u8>, Error> {
        self.sign_with(message, &self.verifying.hashes.seed)
    }

    /// Signs a message, with these random bytes: as many as a node has.
    pub fn sign_with(&self, message: &Message<'_>, randomness: &[u8]) -> Result<Vec<u8>, Error> {
        let VerifyingKey { set, hashes, root } = &self.verifying;
        check("randomness", randomness, set.n)?;
        let (mut signature, digest) = message.with_pieces(|pieces| {
            let randomizer = hashes.randomizer(&self.prf_key, randomness, pieces);
            let digest = Digest::new(set, hashes, &randomizer, root, pieces);
            (randomizer, digest)
        })?;
        signature.reserve_exact(set.signature_bytes() - signature.len());
        let fors_key = fors::sign(set, hashes, &self.seed, digest.place, &digest.bits, &mut signature);
        hypertree::sign(set, hashes, &self.seed, digest.place, &fors_key, &mut signature);
        Ok(signature)
    }
}

impl VerifyingKey {
    /// Reads a key: the seed and the root.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        check("a verifying key", bytes, set.verifying_key_bytes())?;
        let (seed, root) = bytes.split_at(set.n);
        Ok(Self { set, hashes: Hashes::new(&set, seed), root: root.to_vec() })
    }

    /// Writes the key, which [`from_bytes`](Self::from_bytes) reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.hashes.seed[..], &self.root].concat()
    }

    /// The numbers that it signs by.
    pub fn parameter_set(&self) -> &ParameterSet {
        &self.set
    }

    /// Says whether a signature is one of a message by this key.
    pub fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify_many(&[(message.clone(), signature)]).remove(0)
    }

    /// Verifies many signatures by this key at once, which takes less time than one by one: one signature
    /// must wait in each layer for the one below.
    pub fn verify_many(&self, signed: &[(Message<'_>, &[u8])]) -> Vec<Result<(), Error>> {
        let Self { set, hashes, root } = self;
        let digest = |(message, signature): &(Message<'_>, &[u8])| {
            let digest = message.with_pieces(|pieces| {
                check("a signature", signature, set.signature_bytes())?;
                Ok(Digest::new(set, hashes, &signature[..set.n], root, pieces))
            });
            digest.flatten()
        };
        let digests: Vec<Result<Digest, Error>> = signed.iter().map(digest).collect();
        let good = || digests.iter().zip(signed).filter_map(|(digest, (_, signature))| Some((digest.as_ref().ok()?, &signature[set.n..])));
        let (places, bits): (Vec<Place>, Vec<&[u8]>) = good().map(|(digest, _)| (digest.place, &digest.bits[..])).unzip();
        let (of_fors, of_layers): (Vec<&[u8]>, Vec<&[u8]>) = good().map(|(_, signature)| signature.split_at(set.fors_bytes())).unzip();
        let mut roots = Vec::new();
        if !places.is_empty() {
            let fors_keys = fors::keys_of_signatures(set, hashes, &places, &bits, &of_fors);
            roots = hypertree::roots_of_signatures(set, hashes, &places, fors_keys, &of_layers);
        }
        let mut roots = roots.chunks_exact(set.n);
        let verdict = |digest: Result<Digest, Error>| {
            digest?;
            if roots.next() == Some(root) { Ok(()) } else { Err(Error::Signature) }
        };
        digests.into_iter().map(verdict).collect()
    }
}

/// What the digest of a message says (FIPS 205, algorithm 19, lines 6 to 10).
struct Digest {
    /// The bits that FORS signs.
    bits: Vec<u8>,
    /// The WOTS+ key that signs the FORS key.
    place: Place,
}

impl Digest {
    fn new(set: &ParameterSet, hashes: &Hashes, randomizer: &[u8], root: &[u8], message: &[&[u8]]) -> Self {
        let fors_bytes = (set.fors_trees * set.fors_height as usize).div_ceil(8);
        let tree_bytes = set.tree_bits().div_ceil(8) as usize;
        let leaf_bytes = set.height.div_ceil(8) as usize;
        let bytes = hashes.digest(randomizer, root, message, fors_bytes + tree_bytes + leaf_bytes);
        let number = |bytes: &[u8], bits: u32| {
            let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            number & u64::MAX >> (64 - bits)
        };
        let (tree, leaf) = bytes[fors_bytes..].split_at(tree_bytes);
        let place = Place { layer: 0, tree: number(tree, set.tree_bits()), leaf: number(leaf, set.height) as u32 };
        Self { bits: bytes[..fors_bytes].to_vec(), place }
    }
}
