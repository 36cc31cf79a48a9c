//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "assembly"))]
mod core_cycles;
pub mod instructions;
pub mod one_message;
pub mod scalar;
