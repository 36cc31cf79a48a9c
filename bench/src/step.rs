//! `step` and `call`: one run of a kernel, or one call of a function, between two lines of output, for
//! `vectors/modelled_costs.py` and `vectors/call_path.py`, which follow instructions one by one.
//! Nothing is measured.

use std::io::{self, Write};

use anyhow::{Context, Result};
use manyhash::backend::{self, Backend, BackendError};
use manyhash::hazmat::{Blocks, Kernel};
use manyhash::hmac::Key;
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

/// The call to make. The environment says on which backend, as for everybody.
#[derive(clap::Args)]
pub struct CallArguments {
    /// What is called.
    function: Function,
    /// The algorithm, as `sha256`.
    algorithm: String,
    /// Messages.
    messages: usize,
    /// Bytes of each.
    bytes: usize,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Function {
    /// Nothing, to know what the lines of output take.
    Nothing,
    /// `hash`, of the first message.
    Hash,
    /// `hash_many_into`.
    HashMany,
    /// `Key::tag`, of the first message.
    Tag,
}

/// Runs the mode.
pub fn call(arguments: CallArguments) -> Result<()> {
    backend::from_environment()?;
    let algorithm: AnyAlgorithm = arguments.algorithm.parse().ok().context("an algorithm's name")?;
    Ok(algorithm.with(Call(arguments))?)
}

struct Call(CallArguments);

impl ForAlgorithm for Call {
    type Output = io::Result<()>;
    fn run<A: Algorithm>(self) -> Self::Output {
        let CallArguments { function, messages, bytes, .. } = self.0;
        let values = vec![7; messages * bytes];
        let messages: Vec<&[u8]> = (0..messages).map(|i| &values[i * bytes..][..bytes]).collect();
        let mut digests = manyhash::hash_many::<A>(&messages);
        let key = Key::<A>::new(&[1; 32]);
        let mut call = || match function {
            Function::Nothing => {}
            Function::Hash => digests[0] = manyhash::hash::<A>(messages[0]),
            Function::HashMany => manyhash::hash_many_into::<A>(&messages, &mut digests),
            Function::Tag => digests[0] = key.tag(messages[0]),
        };
        // What is made once is made by now.
        call();
        call();
        let mut out = io::stdout().lock();
        writeln!(out, "begin")?;
        call();
        writeln!(out, "end")
    }
}
