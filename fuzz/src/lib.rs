//! Fuzz targets: each module has a function `target`, which takes any bytes, does with them what
//! its name says, and panics if something is wrong.
//!
//! They are plain functions, so that stable Rust can replay a case that was found without a fuzzer:
//! `cargo test --package manyhash-fuzz` replays all of them, and each program of this package, when
//! it is built without a fuzzer, the files that it is given.
#![deny(unsafe_code)]

use manyhash::backend::{self, Backend};
use manyhash::{Algorithm, AnyAlgorithm};
use std::path::Path;
use std::sync::Once;

pub mod batcher;
pub mod caches;
pub mod chains;
mod choices;
#[allow(unsafe_code, reason = "columns that break the rules can't be made otherwise")]
pub mod columns;
pub mod hash_many;
pub mod hmac;
pub mod jobs;
pub mod manifests;
pub mod options;
pub mod readers;
pub mod superblocks;
pub mod trees;

#[cfg(test)]
mod seeds;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All targets, by the names of their modules and folders.
pub const TARGETS: &[(&str, Target)] = &[
    ("batcher", batcher::target),
    ("caches", caches::target),
    ("chains", chains::target),
    ("columns", columns::target),
    ("hash_many", hash_many::target),
    ("hmac", hmac::target),
    ("jobs", jobs::target),
    ("manifests", manifests::target),
    ("options", options::target),
    ("readers", readers::target),
    ("superblocks", superblocks::target),
    ("trees", trees::target),
];

/// Makes the program of a target: for libFuzzer if it is built for that, or else one that replays
/// the files that it is given.
#[macro_export]
macro_rules! program {
    ($target:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$target::target(data));

        #[cfg(not(fuzzing))]
        fn main() {
            std::env::args_os().skip(1).for_each(|path| $crate::replay($crate::$target::target, path.as_ref()));
        }
    };
}

/// Gives the content of a file to a target.
///
/// # Panics
/// Panics if the file can't be read, or if the target does.
pub fn replay(target: Target, path: &Path) {
    let data = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("{}: {} bytes", path.display(), data.len());
    target(&data);
}

/// Every backend of this CPU that has a kernel for `A`.
fn backends<A: Algorithm>() -> Vec<Backend> {
    Backend::supported().into_iter().filter(Backend::supports::<A>).collect()
}

/// The algorithms, but for those that a forced backend is not made for.
fn algorithms() -> Vec<AnyAlgorithm> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        backend::from_environment().unwrap_or_else(|error| panic!("{}: {error}", error.variable()));
    });
    AnyAlgorithm::ALL.iter().copied().filter(|algorithm| algorithm.backend().is_ok()).collect()
}

/// The reference's digest of a message.
fn reference<A: Algorithm>(message: &[u8]) -> Vec<u8> {
    reference::by_name(A::NAME).expect("the reference has every algorithm")(message)
}

/// Bytes of which none is where a neighbour would be: byte i is (seed + i * step) mod 251.
fn paint(seed: usize, bytes: usize) -> Vec<u8> {
    let step = 1 + seed / 251 % 250;
    (0..bytes).map(|i| ((seed + i * step) % 251) as u8).collect()
}
