//! `step`: one run of a kernel between two lines of output, for `vectors/modelled_costs.py`, which
//! follows its instructions one by one. Nothing is measured.

use std::io::{self, Write};

use anyhow::{Context, Result};
use manyhash::backend::{Backend, BackendError};
use manyhash::hazmat::{Blocks, Kernel};
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm};

/// The kernel to run.
#[derive(clap::Args)]
pub struct StepArguments {
    /// The algorithm, as `sha256`.
    algorithm: String,
    /// The backend's name.
    backend: String,
    /// Blocks in each lane.
    blocks: usize,
}

/// Runs the mode.
pub fn run(arguments: &StepArguments) -> Result<()> {
    let algorithm: AnyAlgorithm = arguments.algorithm.parse().ok().context("an algorithm's name")?;
    Ok(algorithm.with(Step { backend: Backend::by_name(&arguments.backend)?, blocks: arguments.blocks })??)
}

struct Step {
    backend: Backend,
    blocks: usize,
}

impl ForAlgorithm for Step {
    type Output = Result<io::Result<()>, BackendError>;
    fn run<A: Algorithm>(self) -> Self::Output {
        let kernel = Kernel::<A>::of(self.backend)?;
        let mut states = kernel.states();
        let message = vec![0; self.blocks * A::BLOCK_BYTES];
        let blocks = Blocks::new(kernel.lanes(), message.len(), |_| &message);
        let mut out = io::stdout().lock();
        Ok(writeln!(out, "begin").and_then(|()| {
            kernel.update(&mut states, &blocks);
            writeln!(out, "end")
        }))
    }
}
