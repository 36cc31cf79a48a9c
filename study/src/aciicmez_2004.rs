//! Aciicmez 2004: "Fast hashing on Pentium SIMD architecture". A file for each figure.

pub mod scalar;
