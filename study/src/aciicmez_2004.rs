//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

pub mod alignment;
pub mod basic_blocks;
pub mod counting;
pub mod figure_4_1;
pub mod figure_4_2;
pub mod instructions;
pub mod libraries;
pub mod metrics;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly")]
pub mod mmx;
pub mod one_message;
#[allow(unsafe_code, reason = "libraries in C and C++")]
pub mod public;
pub mod streams;
pub mod subject;
