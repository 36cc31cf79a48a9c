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
    /// Cycles of the core, the median of the samples; `None` where there is no chain for this architecture.
    pub core: Option<f64>,
    /// Cycles of the time-stamp counter, by the median; `None` where there is no such counter.
    pub tsc: Option<f64>,
    /// Nanoseconds, the median.
    pub median_ns: f64,
}

impl Cycles {
    /// The same for one of `count` things that the call does.
    pub fn per(self, count: f64) -> Self {
        Self { core: self.core.map(|cycles| cycles / count), tsc: self.tsc.map(|cycles| cycles / count), median_ns: self.median_ns / count }
    }
}

/// Takes the samples of `session.effort`, each of one `call`, which should last about ten microseconds or longer.
pub fn measure(session: &Session, mut call: impl FnMut()) -> Cycles {
    let (mut ns, mut core) = (Vec::new(), Vec::new());
    // Code and data come to the caches first.
    call();
    for _ in 0..session.effort.samples {
        let before = cycle_ns();
        let start = Instant::now();
        call();
        let call_ns = start.elapsed().as_nanos() as f64;
        ns.push(call_ns);
        // The faster chain of the two was not interrupted.
        core.extend(before.zip(cycle_ns()).map(|(before, after)| call_ns / before.min(after)));
    }
    let median_ns = median(ns).expect("there is a sample");
    Cycles { core: median(core), tsc: session.tsc_ghz.map(|ghz| median_ns * ghz), median_ns }
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
