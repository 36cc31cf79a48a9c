//! The engine's tests from outside, as one program: each of them would have to be linked with
//! kernels of its own.

#[macro_use]
mod support;

mod batcher;
mod batches;
mod blake2;
mod blake2_parallel;
mod blake3;
mod chains;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod constant_time;
mod contiguous;
mod derived_keys;
mod differential;
mod digest_traits;
mod environment;
mod floors;
mod frames;
#[cfg(target_os = "linux")]
mod guarded;
mod hazmat;
mod hmac;
mod hmac_vectors;
mod jobs;
mod jobs_memory;
mod merkle_trees;
mod readers;
mod sponge_vectors;
mod sponges;
mod tree_vectors;
mod trees;
mod vectors;
mod xof;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[test]
fn constant_time() {
    support::backends::say("SKIPPED: constant_time: written for x86-64 and Linux");
}

#[cfg(not(target_os = "linux"))]
#[test]
fn guarded() {
    support::backends::say("SKIPPED: guarded: written for Linux");
}
