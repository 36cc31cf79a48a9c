//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly")]
pub mod mmx;
pub mod scalar;
