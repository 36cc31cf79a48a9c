//! The vectors of x86-64, a file for each instruction set, and the SHA extensions.

mod avx;
mod avx2;
mod avx512;
mod avx512_half;
mod avx512_quarter;
#[cfg(all(test, feature = "oracle"))]
pub(crate) mod manual;
#[cfg(all(test, feature = "oracle"))]
mod meanings;
mod operations;
pub(crate) mod sha;
mod sse2;
#[cfg(test)]
pub(crate) mod upper_halves;
