//! The vectors of AArch64, and its instructions for hash functions.
//!
//! What the instructions mean is in `manual.rs` and `instructions.rs` for every architecture: proofs of
//! the kernels that use them run anywhere.

#![allow(
    unknown_lints,
    inline_always_mismatching_target_features,
    reason = "a function of one instruction is inlined into a kernel first, which has the features; the lint came after Rust 1.89"
)]

pub(crate) mod instructions;
#[cfg(all(test, feature = "oracle"))]
pub(crate) mod manual;
#[cfg(all(test, feature = "oracle", target_arch = "aarch64"))]
mod meanings;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_sha3;
#[cfg(target_arch = "aarch64")]
mod operations;
#[cfg(target_arch = "aarch64")]
pub(crate) mod sha;
