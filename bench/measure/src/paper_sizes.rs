//! The sizes of the files that Gueron & Krasnov 2012 hashed.

use anyhow::{Context, Result};
use serde::Deserialize;

/// What `vectors/paper-file-sizes.json` has, which names its source.
#[derive(Deserialize)]
pub struct PaperSizes {
    /// How table 1 was read.
    pub note: String,
    /// The files of one size.
    pub uniform: Uniform,
    /// Those of table 1, in its order, in bytes.
    pub diverse_bytes: Vec<usize>,
}

/// Files of one size.
#[derive(Deserialize)]
pub struct Uniform {
    /// How many.
    pub files: usize,
    /// Of each, in bytes.
    pub bytes_each: usize,
}

impl PaperSizes {
    /// Reads them.
    pub fn read() -> Result<Self> {
        serde_json::from_str(include_str!("paper-file-sizes.json")).context("vectors/paper-file-sizes.json")
    }
}
