//! Counts of instructions: this program runs itself under valgrind's callgrind, which counts how often each instruction of a routine is
//! executed, and decodes these instructions from its own executable.
//!
//! Virtual machines have no performance counters; these counts need none and are the same on every run. Valgrind knows no AVX-512 and no
//! SHA extensions.

#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code, reason = "nothing is counted there"))]
pub mod callgrind;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod executable;
pub mod mix;
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "assembly"))]
mod requests;

use std::ffi::CString;

use anyhow::{Context, Result};

use crate::aciicmez_2004::{basic_blocks, metrics};
use crate::measured::Measured;
use crate::race::{Local, Rules, race};
use crate::session::Session;
pub use mix::Mix;

/// Something whose instructions are counted, and which is timed.
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
        basic_blocks::ID => Ok(basic_blocks::routines()),
        metrics::ID => Ok(metrics::routines()),
        _ => anyhow::bail!("--count-routines {set}: no such set"),
    }
}

/// The process under valgrind: calls each routine twice, and the second call is counted.
pub fn serve(set: &str) -> Result<()> {
    let routines = routines(set)?;
    requests::start_instrumentation();
    for mut routine in routines {
        let name = CString::new(routine.name).context("a routine's name")?;
        (routine.call)();
        requests::zero_counts();
        (routine.call)();
        requests::dump_counts(&name);
    }
    Ok(())
}

/// Times routines in turns, as if all hashed as many bytes as the first one. They compute different things; tests have verified them.
pub fn time(session: &Session, routines: Vec<Routine>) -> Result<Vec<Measured>> {
    let bytes = routines.first().map_or(0, |routine| routine.bytes);
    let contestant = |mut routine: Routine| Local::boxed(routine.name, move |_| (routine.call)());
    let mut contestants: Vec<_> = routines.into_iter().map(contestant).collect();
    race(session, Rules { bytes, expected: None, warm_up_calls: 100 }, &mut contestants)
}

/// What each routine of a set executes in a call; `Err`: why it cannot be told here.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub fn count(session: &Session, set: &str) -> Result<Result<Vec<Mix>, String>> {
    use std::process::{Command, Stdio};

    if let Err(why) = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        return Ok(Err(format!("counts of instructions: valgrind could not be run ({why}; Debian: valgrind)")));
    }
    let scratch = match session.scratch(64 << 20) {
        Ok(scratch) => scratch,
        Err(why) => return Ok(Err(format!("counts of instructions: {why:#}"))),
    };
    let counts = scratch.path().join("counts");
    let own = std::env::current_exe().context("finding this program")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--branch-sim=yes", "--instr-atstart=no"])
        .args(["--combine-dumps=yes", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(&own)
        .args(["--count-routines", set])
        .stdin(Stdio::null())
        .output()
        .context("running valgrind")?;
    if !output.status.success() {
        // An instruction that this version does not know, or a system that it does not fit.
        let stderr = String::from_utf8_lossy(&output.stderr);
        let why = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Ok(Err(format!("counts of instructions: valgrind ended with {}: {why}", output.status)));
    }
    let parts = callgrind::parse(&std::fs::read_to_string(&counts).context("reading what callgrind has counted")?)?;
    let content = std::fs::read(&own).context("reading this program")?;
    let mut executable = executable::Executable::new(&content).context("reading this program")?;
    Ok(Ok(parts.iter().map(|part| Mix::of(part, &own, &mut executable)).collect::<Result<_>>()?))
}

/// What each routine of a set executes in a call; `Err`: why it cannot be told here.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn count(_: &Session, _: &str) -> Result<Result<Vec<Mix>, String>> {
    Ok(Err("counts of instructions: made for x86-64 on Linux only".into()))
}
