//! Runs one kernel between two lines of output, for `vectors/modelled_costs.py`, which follows it
//! instruction by instruction. It needs nothing but the engine, so that it can be built for an
//! architecture that is only emulated. Nothing is measured.
//!
//! `step ALGORITHM BACKEND BLOCKS` runs a kernel. `step` prints a line for each kernel there is:
//! its compression function, an algorithm that has it, the backend, its features with commas, and
//! how it computes.

use manyhash::backend::Backend;
use manyhash::hazmat::{Blocks, Kernel};
use manyhash::{Algorithm, AnyAlgorithm, ForAlgorithm};
use std::error::Error;
use std::io::{self, Write};

struct Step {
    backend: Backend,
    blocks: usize,
}

impl ForAlgorithm for Step {
    type Output = Result<(), Box<dyn Error>>;
    fn run<A: Algorithm>(self) -> Self::Output {
        let kernel = Kernel::<A>::of(self.backend)?;
        let mut states = kernel.states();
        let message = vec![0; self.blocks * A::BLOCK_BYTES];
        let blocks = Blocks::new(kernel.lanes(), message.len(), |_| &message);
        let mut out = io::stdout().lock();
        writeln!(out, "begin")?;
        kernel.update(&mut states, &blocks);
        writeln!(out, "end")?;
        Ok(())
    }
}

/// Returns whether a backend has a kernel for an algorithm.
struct Has(Backend);

impl ForAlgorithm for Has {
    type Output = bool;
    fn run<A: Algorithm>(self) -> bool {
        self.0.lanes_of::<A>().is_some()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => {
            for algorithm in AnyAlgorithm::ALL {
                for backend in Backend::known().iter().filter(|backend| algorithm.with(Has(**backend))) {
                    let (features, kind) = (backend.features().join(","), backend.kind());
                    println!("{} {} {backend} {features} {kind}", algorithm.compression_function(), algorithm.name());
                }
            }
            Ok(())
        }
        [algorithm, backend, blocks] => {
            let algorithm: AnyAlgorithm = algorithm.parse()?;
            algorithm.with(Step { backend: Backend::by_name(backend)?, blocks: blocks.parse()? })
        }
        _ => Err("step [ALGORITHM BACKEND BLOCKS]".into()),
    }
}
