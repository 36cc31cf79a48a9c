//! Gueron 2013: "A j-lanes tree hashing mode and j-lanes SHA-256". A file for each figure.

pub mod expecting;
pub mod figure_1;
pub mod figure_2;
pub mod figure_3;
pub mod figure_4;
pub mod figure_5;
pub mod over_linear;
pub mod presentation;
pub mod updates;
