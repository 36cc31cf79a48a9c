//! Cycles of the core: what a call takes, over what a chain of dependent multiplications takes right before and after it.
//!
//! The time-stamp counter, which the papers count by, runs at a rate of its own; a ratio of two times on the same core does not depend
//! on any.

use std::time::Instant;

use manyhash_measure::timing::median;

use crate::session::Session;

/// What one call of something takes.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    /// Cycles of the core, the median of the quiet samples; `None` where there is no chain for this architecture.
    pub core: Option<f64>,
    /// Nanoseconds, the median.
    pub median_ns: f64,
}

impl Cycles {
    /// The same for one of `count` things that the call does.
    pub fn per(self, count: f64) -> Self {
        Self { core: self.core.map(|cycles| cycles / count), median_ns: self.median_ns / count }
    }
}

/// Takes the samples of `session.effort`, each of one `call`, which should last about ten microseconds or longer.
pub fn measure(session: &Session, mut call: impl FnMut()) -> Cycles {
    let mut samples = Vec::new();
    // Code and data come to the caches first.
    call();
    for _ in 0..session.effort.samples {
        let before = cycle_ns();
        let start = Instant::now();
        call();
        let call_ns = start.elapsed().as_nanos() as f64;
        samples.push((call_ns, before.zip(cycle_ns())));
    }
    // Where the chains before and after a call took different times, somebody else was there, or the clock changed.
    let is_quiet = |(_, chains): &&(f64, Option<(f64, f64)>)| chains.is_some_and(|(before, after)| (before / after - 1.0).abs() < 0.01);
    let quiet: Vec<_> = samples.iter().filter(is_quiet).copied().collect();
    let samples = if quiet.len() >= 3 { quiet } else { samples };
    let median_ns = median(samples.iter().map(|(ns, _)| *ns)).expect("there is a sample");
    let core = median(samples.iter().filter_map(|(ns, chains)| chains.map(|(before, after)| ns / before.min(after))));
    Cycles { core, median_ns }
}

/// How long a cycle is, from a chain of multiplications: each takes three cycles on Intel since Sandy Bridge and on AMD since Zen.
#[cfg(target_arch = "x86_64")]
fn cycle_ns() -> Option<f64> {
    const REPEATS: u64 = 400;
    const CHAIN: usize = 40;
    let start = Instant::now();
    // SAFETY: arithmetic on registers named as operands.
    unsafe {
        std::arch::asm!(
            "2:", ".rept {chain}", "imul {x}, {x}", ".endr", "dec {n}", "jnz 2b",
            chain = const CHAIN, x = inout(reg) 3u64 => _, n = inout(reg) REPEATS => _, options(nomem, nostack)
        );
    }
    Some(start.elapsed().as_nanos() as f64 / (3 * REPEATS as usize * CHAIN) as f64)
}

/// Not known elsewhere.
#[cfg(not(target_arch = "x86_64"))]
fn cycle_ns() -> Option<f64> {
    None
}
