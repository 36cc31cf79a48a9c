//! Hashes many messages at once.
//!
//! SHA-256 of one message is serial; SHA-256 of sixteen is a SIMD program. This library hashes up
//! to 32 messages side by side in one core's vector registers, refills a lane as soon as its
//! message ends, and returns the standard digests. With AVX-512 that is two to seven times as fast
//! as one message after the other.
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
//! | many with a salt or a key, on several threads, by a backend of your choice | [`Batch`] |
//! | many that are made by the thread that hashes them | [`threads::map`] |
//! | many files or sockets | [`Readers`] |
//! | one | [`hash`] |
//! | one, in pieces | [`Hasher`] |
//! | many, under secret keys (HMAC) | [`hmac`] |
//! | digests, hashed again and again | [`chain`] |
//! | many, in pieces from many sources; requests of a server | [`jobs`] |
//! | by BLAKE2 with a key, salt or another length | [`blake2`] |
//! | by BLAKE3 | [`blake3`] |
//! | with output of any length: SHAKE, TurboSHAKE, cSHAKE, KMAC, KangarooTwelve | [`xof`] |
//! | one, as a tree: j-lanes, fs-verity, dm-verity, BitTorrent v2 and others | [`tree`] |
//!
//! The algorithms are types, such as [`Sha256`], [`Sha3_256`], [`Blake2b`] and [`Sm3`]. [`Md5`] and [`Sha1`]
//! are broken, and are here for formats that still require them. [`AnyAlgorithm`] is an algorithm
//! that is known only at run time, and lists all of them; [`with_algorithm!`] gives its type. Which
//! instructions compute is decided at run time: see [`backend`].
//!
//! # Debug builds
//! Without optimisation a vector operation is a function call, and everything here is hundreds of
//! times slower: some 10 MB/s. Programs that hash in debug builds or tests should have this crate
//! optimised there too, in the `Cargo.toml` of their workspace:
//!
//! ```toml
//! [profile.dev.package.manyhash]
//! opt-level = 3
//! debug-assertions = false
//! ```
//!
//! Then SHA-256 of 2,000 messages of 4 KiB does 3.9 GB/s on Zen 4, where a program that is
//! optimised throughout does 4.2, and a message of 64 bytes among many takes 90 ns instead of 33.
//! The last line switches off the assertions of the standard library in the kernels' loads; without
//! it, it is 1.5 GB/s. All code that takes time is compiled in this crate, however the caller is
//! compiled.
//!
//! # Features
//! - `hmac` (on by default): [`hmac`]; brings the crates `ctutils`, which compares in constant
//!   time, and `zeroize`, which erases keys.
//! - `digest`: [`Hasher`] implements the traits of the crate `digest`; `DigestMany` is for code that is generic over
//!   them.
//! - `rayon`: [`Batch::threads`] and [`threads::map`] take the threads of the crate `rayon` and
//!   start none.
//! - `hazmat`: [`hazmat`], the parts beneath, for studies and without any promise.
//! - `std` (on by default): what needs threads, readers, or the CPU to be asked. Without it the library is `no_std` and wants `alloc`:
//!   see below.
//!
//! # Without the standard library
//! All that computes is there: batches, chains, jobs, trees, sponges and tags. What is missing is [`Readers`], [`batcher`], other
//! threads than the caller's, and the traits of `std::io`. Nobody asks the CPU what it can: its features are those that the program
//! was compiled with (`-C target-feature=+avx2`), and what it hands in by `backend::detect_by`.
#![deny(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
// What only those tests use that want the oracle.
#![cfg_attr(all(test, not(feature = "oracle")), allow(dead_code, unused_imports))]

// What has a path through `std` is in `core` where nothing is allocated, and imports from `alloc` say what is.
#[cfg_attr(not(feature = "std"), macro_use)]
extern crate alloc;
#[cfg(not(feature = "std"))]
extern crate core as std;

// The floors, from below: each folder uses only those that stand above it in this list
// (tests/engine/floors.rs).
#[allow(unsafe_code, reason = "instructions, and code that runs with an instruction set's features")]
mod isa;
#[macro_use]
mod algorithm;
mod kernel;
// Beside them: that every algorithm is its standard's, for all inputs.
#[cfg(all(test, feature = "oracle"))]
mod proof;
mod schedule;

// The doors, which callers use.
mod algorithms;
mod any_algorithm;
pub mod backend;
mod batch;
#[cfg(feature = "std")]
pub mod batcher;
pub mod blake2;
pub mod blake3;
pub mod chain;
#[cfg(feature = "digest")]
mod digest_many;
#[cfg(feature = "digest")]
mod digest_traits;
mod frame;
mod hash;
#[cfg(feature = "hazmat")]
pub mod hazmat;
#[cfg(feature = "hmac")]
pub mod hmac;
mod in_pieces;
pub mod jobs;
mod many;
#[cfg(feature = "std")]
mod readers;
pub mod threads;
pub mod tree;
pub mod xof;

pub use algorithm::names::*;
pub use algorithms::Algorithm;
pub use any_algorithm::{AnyAlgorithm, AnyHasher, ForAlgorithm, UnknownAlgorithm};
pub use batch::Batch;
#[cfg(feature = "digest")]
pub use digest_many::{DigestMany, OneByOne};
pub use hash::{Hasher, hash};
pub use many::{Offset, hash_contiguous, hash_contiguous_into, hash_many, hash_many_into};
#[cfg(feature = "std")]
pub use readers::{Lend, ReadAt, Readers};
