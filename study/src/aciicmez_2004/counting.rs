//! Counts of instructions: this program runs itself under valgrind's callgrind, which counts how often each instruction of a routine is
//! executed, and decodes these instructions from its own executable.
//!
//! Virtual machines have no performance counters; these counts need none and are the same on every run. Valgrind knows no AVX-512 and no
//! SHA extensions.

#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code, reason = "nothing is counted there"))]
mod callgrind;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod executable;

use std::ffi::CString;

use anyhow::{Context, Result};

use crate::aciicmez_2004::{basic_blocks, metrics};
use crate::measured::Measured;
use crate::model::Missing;
use crate::race::{Contestant, race};
use crate::session::Session;

/// Something whose instructions are counted, and which is timed.
pub struct Routine {
    pub name: String,
    /// Bytes and message blocks that a call hashes.
    pub bytes: usize,
    pub blocks: usize,
    pub call: Box<dyn FnMut()>,
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Mix {
    pub name: String,
    pub instructions: u64,
    /// Of them, those on 64-bit MMX registers, on 128-bit registers, and on wider ones.
    pub mmx: u64,
    pub xmm: u64,
    pub wider: u64,
    /// That read memory, and that write it.
    pub loads: u64,
    pub stores: u64,
    /// Conditional branches, and of them those that the simulated predictor got wrong.
    pub branches: u64,
    pub mispredicted: u64,
}

impl Mix {
    /// In percent of the instructions.
    pub fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.instructions.max(1) as f64
    }

    /// Branches predicted right, in percent; `None` without branches.
    pub fn predicted_percent(&self) -> Option<f64> {
        (self.branches > 0).then(|| 100.0 - 100.0 * self.mispredicted as f64 / self.branches as f64)
    }

    /// Of a part of callgrind's. What instructions of other files than `own` are is not known.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn of(part: &callgrind::Part, own: &std::path::Path, executable: &mut executable::Executable) -> Result<Self> {
        use executable::Class;
        let mut mix = Self { name: part.name.clone(), ..Self::default() };
        for cost in &part.costs {
            let [count, branches, mispredicted] = cost.counts;
            mix.instructions += count;
            mix.branches += branches;
            mix.mispredicted += mispredicted;
            if std::path::Path::new(&cost.object) != own {
                continue;
            }
            let kind = executable.kind_at(cost.address).with_context(|| format!("{:#x}: no instruction of this program", cost.address))?;
            match kind.class {
                Class::General => {}
                Class::Mmx => mix.mmx += count,
                Class::Xmm => mix.xmm += count,
                Class::Wider => mix.wider += count,
            }
            mix.loads += count * u64::from(kind.loads);
            mix.stores += count * u64::from(kind.stores);
        }
        Ok(mix)
    }
}

/// Sets of routines, by the figure's name.
fn routines(set: &str) -> Result<Vec<Routine>> {
    match set {
        basic_blocks::ID => Ok(basic_blocks::routines()),
        metrics::ID => Ok(metrics::routines()),
        _ => anyhow::bail!("--count-routines {set}: no such set"),
    }
}

/// "CT" in the upper half, as callgrind's requests begin (the macros of `callgrind.h`).
const ZERO_COUNTS: u64 = 0x4354_0001;
const DUMP_COUNTS: u64 = 0x4354_0003;
const START_INSTRUMENTATION: u64 = 0x4354_0004;

/// Asks something of valgrind: an instruction sequence that does nothing on a CPU.
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "assembly"))]
fn request(number: u64, argument: u64) {
    let question = [number, argument, 0, 0, 0, 0];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rotations of rdi that add up to 128 bits, and an exchange of rbx with itself; valgrind puts its answer into rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") question.as_ptr(), inout("rdx") 0u64 => _, out("rdi") _
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = question;
}

/// The process under valgrind: calls each routine twice, and the second call is counted.
pub fn serve(set: &str) -> Result<()> {
    let routines = routines(set)?;
    request(START_INSTRUMENTATION, 0);
    for mut routine in routines {
        let name = CString::new(routine.name).context("a routine's name")?;
        (routine.call)();
        request(ZERO_COUNTS, 0);
        (routine.call)();
        request(DUMP_COUNTS, name.as_ptr() as u64);
    }
    Ok(())
}

/// What is known of a routine.
pub struct Known {
    pub name: String,
    pub blocks: f64,
    pub time: Measured,
    pub mix: Option<Mix>,
}

impl Known {
    pub fn instructions_per_block(&self) -> Option<f64> {
        Some(self.mix.as_ref()?.instructions as f64 / self.blocks)
    }
}

/// Times routines in turns. They compute different things; tests have verified them.
pub fn time(session: &Session, routines: Vec<Routine>, counts: &[Mix]) -> Result<Vec<Known>> {
    let sizes: Vec<(f64, f64)> = routines.iter().map(|routine| (routine.bytes as f64, routine.blocks as f64)).collect();
    let contestant = |mut routine: Routine| Contestant::local(routine.name, move |_| (routine.call)());
    let mut contestants: Vec<_> = routines.into_iter().map(contestant).collect();
    let measured = race(session, 0, 100, &mut contestants)?;
    let known = |(measured, (bytes, blocks)): (Measured, (f64, f64))| {
        let mix = counts.iter().find(|mix| mix.name == measured.name).cloned();
        Known { name: measured.name.clone(), blocks, time: Measured { bytes, ..measured }, mix }
    };
    Ok(measured.into_iter().zip(sizes).map(known).collect())
}

/// What each routine of a set executes in a call.
///
/// # Errors
/// [`Missing`] where it cannot be told.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub fn count(session: &Session, set: &str) -> Result<Vec<Mix>> {
    use std::process::{Command, Stdio};

    let version = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.map_err(|why| Missing(format!("valgrind could not be run ({why}; Debian: valgrind)")))?;
    let scratch = session.scratch(64 << 20)?;
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
    // An instruction that this version does not know, or a system that it does not fit.
    let stderr = String::from_utf8_lossy(&output.stderr);
    let why = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    anyhow::ensure!(output.status.success(), Missing(format!("valgrind ended with {}: {why}", output.status)));
    let parts = callgrind::parse(&std::fs::read_to_string(&counts).context("reading what callgrind has counted")?)?;
    let content = std::fs::read(&own).context("reading this program")?;
    let mut executable = executable::Executable::new(&content).context("reading this program")?;
    parts.iter().map(|part| Mix::of(part, &own, &mut executable)).collect()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn count(_: &Session, _: &str) -> Result<Vec<Mix>> {
    Err(Missing("made for x86-64 on Linux only".into()).into())
}
