//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

pub mod basic_blocks;
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "assembly"))]
mod core_cycles;
pub mod counting;
pub mod instructions;
pub mod metrics;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly")]
pub mod mmx;
pub mod one_message;
pub mod scalar;
