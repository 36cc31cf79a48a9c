//! Hashes many messages at once.
//!
//! SHA-256 of one message is serial; SHA-256 of sixteen is a SIMD program. Message i goes into lane i of a vector register, a lane is
//! refilled the moment its message ends, and what comes out are the standard digests, with AVX-512 two to seven times as fast as
//! one message after the other.
//!
//! ```
//! use manyhash::{Sha256, hash, hash_many};
//! let digests = hash_many::<Sha256>(&["one message", "and another", "of any length"]);
//! assert_eq!(digests[1], hash::<Sha256>(b"and another"));
//! ```
//!
//! | messages | use |
//! |---|---|
//! | many, all in memory | [`hash_many`], [`hash_many_into`] |
//! | many, one after the other in one buffer | [`hash_contiguous`], [`hash_contiguous_into`] |
//! | many with a common prefix or suffix (a salt) | [`Frame`] |
//! | many files or sockets | [`Readers`] |
//! | one | [`hash`] |
//! | one, in pieces | [`Hasher`] |
//! | many, under secret keys (HMAC) | [`hmac`] |
//! | many, in pieces from many sources; requests of a server | [`jobs`] |
//! | one, as a tree: j-lanes, fs-verity, dm-verity, BitTorrent v2 and others | [`tree`] |
//!
//! The algorithms are types: [`Sha224`], [`Sha256`], [`Sha384`], [`Sha512`], [`Sha512_224`], [`Sha512_256`], and for what still asks for
//! them [`Md5`] and [`Sha1`], which are broken. One that is known only at run time is an [`AnyAlgorithm`].
//! Which instructions compute is decided at run time: [`backend`].
//!
//! # Debug builds
//! Without optimisation a vector operation is a function call, and everything here is hundreds of times slower: some 10 MB/s. Programs that
//! hash in debug builds or tests should have this crate optimised there too, in the `Cargo.toml` of their workspace:
//!
//! ```toml
//! [profile.dev.package.manyhash]
//! opt-level = 3
//! ```
//!
//! Then SHA-256 of 2,000 messages of 4 KiB does 1.1 GB/s on Zen 4, where a program that is optimised throughout does 4.2.
//!
//! # Features
//! - `hmac` (on by default): [`hmac`]; brings the crates `ctutils`, which compares in constant time, and `zeroize`, which erases keys.
//! - `digest`: [`Hasher`] implements the traits of the crate `digest`.
//! - `kernels`: [`kernels`], what is beneath; for studies, and without any promise.
#![deny(unsafe_code)]

#[macro_use]
mod algorithm;
mod any_algorithm;
pub mod backend;
mod cost;
#[cfg(feature = "digest")]
mod digest_traits;
mod frame;
#[cfg(feature = "hmac")]
pub mod hmac;
#[allow(unsafe_code, reason = "runs code with an instruction set's features, once it is detected")]
mod isa;
pub mod jobs;
#[cfg(feature = "kernels")]
pub mod kernels;
#[allow(unsafe_code, reason = "vector instructions")]
mod lanes;
mod many;
mod padding;
mod readers;
mod scheduler;
mod shape;
mod short;
#[allow(unsafe_code, reason = "SHA and vector instructions")]
mod solo;
mod start;
mod states;
mod stream;
pub mod tree;

pub use algorithm::{Algorithm, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
pub use any_algorithm::{AnyAlgorithm, ForAlgorithm, UnknownAlgorithm};
pub use frame::Frame;
pub use many::Offset;
pub use readers::Readers;
use start::Start;
pub use stream::{Hasher, hash};

/// The digest of each message, in the order of the messages.
///
/// A message's `as_ref` must give the same bytes every time. If it does not, digests are of anything, or this panics.
///
/// # Panics
/// If `MANYHASH_BACKEND` names a backend that can't be used: see [`backend`].
///
/// ```
/// use manyhash::{Sha512, hash, hash_many};
/// let messages = [vec![0u8; 1000], vec![], vec![1; 7]];
/// let digests = hash_many::<Sha512>(&messages);
/// assert_eq!(digests[2], hash::<Sha512>(&[1; 7]));
/// ```
pub fn hash_many<A: Algorithm>(messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    let mut digests = vec![A::zero_digest(); messages.len()];
    hash_many_into::<A>(messages, &mut digests);
    digests
}

/// Writes the digest of `messages[i]` to `digests[i]`.
///
/// # Panics
/// If the lengths differ, or if `MANYHASH_BACKEND` names a backend that can't be used: see [`backend`].
///
/// ```
/// use manyhash::{Sha1, hash_many_into};
/// let mut digests = [[0; 20]; 2];
/// hash_many_into::<Sha1>(&["abc", ""], &mut digests);
/// assert_eq!(digests[0][..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
pub fn hash_many_into<A: Algorithm>(messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
    many::hash_many_on::<A, _>(backend::plan::<A>(), (&Start::of::<A>()).into(), &many::Slice(messages), digests, None);
}

/// The digest of each of `offsets.len() - 1` messages that lie in one buffer: message i is `values[offsets[i]..offsets[i + 1]]`.
///
/// This is the layout of an Arrow column of strings or binaries.
///
/// # Panics
/// If an offset is less than the one before or past the end of `values`, or if `MANYHASH_BACKEND` names a backend that can't be used:
/// see [`backend`].
///
/// ```
/// use manyhash::{Sha256, hash, hash_contiguous};
/// let digests = hash_contiguous::<Sha256>(b"onetwothree", &[0, 3, 6, 11]);
/// assert_eq!(digests[2], hash::<Sha256>(b"three"));
/// ```
pub fn hash_contiguous<A: Algorithm>(values: &[u8], offsets: &[impl Offset]) -> Vec<A::Digest> {
    let mut digests = vec![A::zero_digest(); offsets.len().saturating_sub(1)];
    hash_contiguous_into::<A>(values, offsets, &mut digests);
    digests
}

/// As [`hash_contiguous`], with the digest of message i written to `digests[i]`.
///
/// # Panics
/// As [`hash_contiguous`], and if there are not as many digests as messages.
pub fn hash_contiguous_into<A: Algorithm>(values: &[u8], offsets: &[impl Offset], digests: &mut [A::Digest]) {
    many::hash_many_on::<A, _>(backend::plan::<A>(), (&Start::of::<A>()).into(), &many::Contiguous::new(values, offsets), digests, None);
}
