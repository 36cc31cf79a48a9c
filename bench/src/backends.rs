//! `backends`: what every backend is made of and has for each algorithm, as JSON for scripts.
//! Nothing is measured.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use manyhash::backend::{self, Backend};
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm};
use serde::Serialize;

#[derive(Serialize)]
struct Backends {
    architecture: &'static str,
    cost_table: &'static str,
    backends: Vec<Shape>,
    algorithms: Vec<Lanes>,
}

#[derive(Serialize)]
struct Shape {
    name: &'static str,
    kind: String,
    vector_bits: Option<usize>,
    waves: usize,
    features: &'static [&'static str],
    is_supported: bool,
}

#[derive(Serialize)]
struct Lanes {
    name: &'static str,
    compression: &'static str,
    block_bytes: usize,
    /// The longest message that takes one block, in bytes.
    one_block_bytes: u64,
    /// By the backend's name; those without a kernel for the algorithm are not there.
    lanes: BTreeMap<&'static str, usize>,
}

/// Runs the mode.
pub fn run() -> Result<()> {
    let shape = |backend: &Backend| Shape {
        name: backend.name(),
        kind: backend.kind().to_string(),
        vector_bits: backend.vector_bits(),
        waves: backend.waves(),
        features: backend.features(),
        is_supported: backend.is_supported(),
    };
    let lanes = |&algorithm: &AnyAlgorithm| Lanes {
        name: algorithm.name(),
        compression: algorithm.compression_function(),
        block_bytes: algorithm.block_bytes(),
        one_block_bytes: (0..=algorithm.block_bytes() as u64).rfind(|bytes| algorithm.blocks(*bytes) == 1).unwrap_or_default(),
        lanes: algorithm.with(LanesOfBackends),
    };
    let known = Backends {
        architecture: std::env::consts::ARCH,
        cost_table: backend::cost_table(),
        backends: Backend::known().iter().map(shape).collect(),
        algorithms: AnyAlgorithm::ALL.iter().map(lanes).collect(),
    };
    let out = &mut io::stdout().lock();
    serde_json::to_writer_pretty(&mut *out, &known)?;
    writeln!(out)?;
    Ok(())
}

/// The lanes of every backend that has the algorithm.
struct LanesOfBackends;

impl ForAlgorithm for LanesOfBackends {
    type Output = BTreeMap<&'static str, usize>;
    fn run<A: Algorithm>(self) -> Self::Output {
        Backend::known().iter().filter_map(|backend| Some((backend.name(), backend.lanes_of::<A>()?))).collect()
    }
}
