//! Gueron & Krasnov 2012: "Simultaneous hashing of multiple messages". A file for each figure, and Algorithm 1.

pub mod algorithm_1;
mod contestants;
