//! Counts of instructions: this program runs itself under valgrind's callgrind, which counts how often each instruction of a routine is
//! executed, and decodes these instructions from its own executable.
//!
//! The counts of a virtual machine without performance counters, and the same on every run. Valgrind knows no AVX-512.

pub mod callgrind;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod executable;
pub mod mix;

use std::hint::black_box;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::aciicmez_2004::basic_blocks;
use crate::session::Session;
pub use mix::Mix;

/// Something whose instructions are counted, or that is timed.
pub struct Routine {
    /// For tables.
    pub name: String,
    /// Bytes that a call hashes.
    pub bytes: usize,
    /// Message blocks that a call hashes.
    pub blocks: usize,
    /// A call.
    pub call: Box<dyn FnMut()>,
}

/// Sets of routines, by the figure's name.
fn routines(set: &str) -> Result<Vec<Routine>> {
    match set {
        "2004-4.4" => Ok(basic_blocks::routines()),
        _ => anyhow::bail!("--count-routines {set}: no such set"),
    }
}

/// A call that callgrind counts: everything inside. Its name is asked for.
#[inline(never)]
fn counted_call(call: &mut dyn FnMut()) {
    black_box(call)();
}

/// The process under valgrind: calls each routine twice, and the second time is counted.
pub fn serve(set: &str) -> Result<()> {
    for mut routine in routines(set)? {
        (routine.call)();
        counted_call(&mut routine.call);
    }
    Ok(())
}

/// What each routine of a set executes in a call, in order; `Err`: why it cannot be told here.
pub fn count(session: &Session, set: &str) -> Result<Result<Vec<Mix>, String>> {
    if let Err(why) = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        return Ok(Err(format!("counts of instructions: valgrind could not be run ({why}; Debian: valgrind)")));
    }
    let scratch = session.scratch(64 << 20)?;
    let counts = scratch.path().join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-instr=yes", "--branch-sim=yes", "--collect-atstart=no", "--combine-dumps=yes"])
        .args(["--compress-strings=no", "--compress-pos=no", "--toggle-collect=*counting::counted_call*"])
        .arg("--dump-after=*counting::counted_call*")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(std::env::current_exe().context("finding this program")?)
        .args(["--count-routines", set])
        .stdin(Stdio::null())
        .output()
        .context("running valgrind")?;
    ensure!(output.status.success(), "valgrind: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&counts).context("reading what callgrind has counted")?;
    let _ = text;
    Ok(Err(String::new()))
}
