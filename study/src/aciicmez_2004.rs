//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

pub mod alignment;
pub mod basic_blocks;
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "assembly"))]
mod core_cycles;
pub mod counting;
pub mod figure_4_1;
pub mod figure_4_2;
pub mod figure_4_3;
pub mod figure_4_8;
pub mod figures_4_6_and_4_7;
pub mod instructions;
pub mod metrics;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly")]
pub mod mmx;
pub mod one_message;
#[allow(unsafe_code, reason = "libraries in C and C++")]
pub mod public;
pub mod scalar;
mod streams;
pub mod subject;
