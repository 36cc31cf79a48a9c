//! The metrics, beside the paper's.

use std::path::Path;

use anyhow::Result;

use super::ID;
use super::routines::{name, routines};
use crate::aciicmez_2004::counting::{self, Mix};
use crate::aciicmez_2004::subject;
use crate::claims::Metrics;
use crate::measured::Measured;
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;

const METHOD: &str = "64 blocks of each message in the first cache. Instructions are counted by callgrind, in a process of its own, and \
decoded from this program; branches are predicted by its simulated predictor, which starts anew; cycles are measured without it. The paper \
counted with VTune while files were hashed. Scalar and MMX are this study's code in the manner of the paper's (SHA-512, scalar: in \
32-bit registers), XMM and YMM are manyhash's backends sse2 and avx2; their digests are verified in figures 4.6 and 4.7.";

/// The paper's values, of its scalar, MMX and XMM code.
struct Paper {
    function: &'static str,
    cycles_per_instruction: [f64; 3],
    cycles_per_micro_op: [f64; 3],
    mmx_percent: f64,
    xmm_percent: f64,
    predicted_percent: [f64; 3],
    /// VTune's "performance impact": of mispredicted branches, split loads, split stores, 64K
    /// aliasing and trace cache misses. The text of the paper that we have lacks the last two of
    /// SHA-256.
    impacts: [Option<[f64; 3]>; 5],
}

const PAPER: [Paper; 3] = [
    Paper {
        function: "SHA-1",
        cycles_per_instruction: [0.8158, 0.8552, 1.5375],
        cycles_per_micro_op: [0.8052, 0.7486, 0.5715],
        mmx_percent: 50.96,
        xmm_percent: 75.76,
        predicted_percent: [98.94, 98.96, 98.88],
        impacts: [
            Some([0.034, 0.024, 0.014]),
            Some([0.0, 1.133, 1.240]),
            Some([0.0; 3]),
            Some([0.009, 0.908, 0.518]),
            Some([0.012, 0.055, 0.039]),
        ],
    },
    Paper {
        function: "SHA-256",
        cycles_per_instruction: [0.7239, 0.7520, 1.2250],
        cycles_per_micro_op: [0.7189, 0.6870, 0.5994],
        mmx_percent: 53.32,
        xmm_percent: 66.01,
        predicted_percent: [97.68, 98.24, 98.22],
        impacts: [Some([1.741, 0.828, 0.509]), Some([0.0, 0.611, 0.743]), Some([0.0; 3]), None, None],
    },
    Paper {
        function: "SHA-512",
        cycles_per_instruction: [0.5377, 0.7510, 1.2130],
        cycles_per_micro_op: [0.4462, 0.6889, 0.5926],
        mmx_percent: 53.06,
        xmm_percent: 57.28,
        predicted_percent: [98.44, 98.66, 98.21],
        impacts: [
            Some([0.638, 0.706, 0.529]),
            Some([0.0, 0.484, 0.385]),
            Some([0.0, 0.807, 0.0]),
            Some([0.245, 0.584, 0.460]),
            Some([0.040, 0.015, 0.028]),
        ],
    },
];

/// The paper has the first three.
const CODES: [&str; 5] = ["scalar", "MMX", "XMM", "YMM", "scalar, 64-bit"];

/// What is known of a routine.
struct Known {
    name: String,
    blocks: f64,
    time: Measured,
    mix: Option<Mix>,
}

impl Known {
    fn cycles_per_instruction(&self) -> Option<f64> {
        Some(self.time.core_cycles_per_byte()? * self.time.bytes / self.mix.as_ref()?.instructions as f64)
    }

    fn per_byte(&self, of: fn(&Mix) -> u64) -> Option<f64> {
        Some(of(self.mix.as_ref()?) as f64 / self.time.bytes)
    }

    /// Instructions on the registers that the code is for, in percent of all.
    fn on_own_registers(&self) -> Option<f64> {
        let mix = self.mix.as_ref()?;
        let code = self.name.split_once(", ")?.1;
        Some(mix.percent(match code {
            "MMX" => mix.mmx,
            "XMM" => mix.xmm,
            "YMM" => mix.wider,
            _ => mix.instructions - mix.mmx - mix.xmm - mix.wider,
        }))
    }
}

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { method: format!("{METHOD} {}", subject::effort(session)), ..Figure::default() };
    let counts = counting::count(session, ID)?.unwrap_or_else(|why| {
        figure.missing.push(why);
        Vec::new()
    });
    let known = time(session, counts)?;
    figure.missing.push(format!(
        "cycles per micro-op and the impacts (split loads and stores, 64K aliasing, caches): they take performance counters, and {}",
        no_counters()
    ));
    if !CODES[1..4].iter().all(|code| find(&known, "SHA-1", code).is_some()) {
        figure.missing.push("code for registers that this CPU lacks".into());
    }
    if known.iter().all(|known| known.time.core_cycles_per_byte().is_none()) {
        figure.missing.push("cycles of the core: the core's clock was not probed in this run".into());
    }
    publish(&mut figure, &known);
    figure.metrics = metrics(|function, code| find(&known, function, code)?.cycles_per_instruction());
    Ok(figure)
}

/// Why the performance counters that VTune read in 2004 were not used.
fn no_counters() -> &'static str {
    let devices = Path::new("/sys/bus/event_source/devices");
    if ["cpu", "cpu_core"].iter().any(|device| devices.join(device).exists()) {
        "the study does not read them, though this system has them (perf stat shows them)"
    } else if devices.exists() {
        "this system offers none (a virtual machine without them)"
    } else {
        "this system has no interface to them (perf_event_open of Linux)"
    }
}

/// All routines in turns, though their calls hash as many bytes as they like.
fn time(session: &Session, counts: Vec<Mix>) -> Result<Vec<Known>> {
    let routines = routines();
    let sizes: Vec<(usize, usize)> = routines.iter().map(|routine| (routine.bytes, routine.blocks)).collect();
    let known = |(time, (bytes, blocks)): (Measured, (usize, usize))| Known {
        blocks: blocks as f64,
        mix: counts.iter().find(|mix| mix.name == time.name).cloned(),
        name: time.name.clone(),
        time: Measured { bytes: bytes as f64, ..time },
    };
    Ok(counting::time(session, routines)?.into_iter().zip(sizes).map(known).collect())
}

fn find<'a>(known: &'a [Known], function: &str, code: &str) -> Option<&'a Known> {
    known.iter().find(|known| known.name == name(function, code))
}

/// Functions as cases, codes as who.
const SET: &str = "Scalar, MMX, XMM and YMM code";
const CYCLES: &str = "cycles per instruction (here: core cycles)";

fn publish(figure: &mut Figure, known: &[Known]) {
    for (paper, (i, code)) in PAPER.iter().flat_map(|paper| CODES.into_iter().enumerate().map(move |code| (paper, code))) {
        let at = (SET, paper.function);
        let here = find(known, paper.function, code);
        let mix = here.and_then(|known| known.mix.as_ref());
        let own = [100.0, paper.mmx_percent, paper.xmm_percent].get(i).copied();
        let three = |values: [f64; 3]| values.get(i).copied();
        for (what, in_paper, here) in [
            (CYCLES, three(paper.cycles_per_instruction), here.and_then(Known::cycles_per_instruction)),
            ("% of the instructions on the registers that the code is for", own, here.and_then(Known::on_own_registers)),
            ("% of the branches predicted", three(paper.predicted_percent), mix.and_then(Mix::predicted_percent)),
            ("instructions per block", None, here.zip(mix).map(|(known, mix)| mix.instructions as f64 / known.blocks)),
            ("instructions per byte", None, here.and_then(|known| known.per_byte(|mix| mix.instructions))),
            ("loads per byte", None, here.and_then(|known| known.per_byte(|mix| mix.loads))),
            ("stores per byte", None, here.and_then(|known| known.per_byte(|mix| mix.stores))),
            ("core cycles per byte", None, here.and_then(|known| known.time.core_cycles_per_byte())),
            ("TSC cycles per byte", None, here.and_then(|known| known.time.tsc_cycles_per_byte())),
            // What takes performance counters.
            ("cycles per micro-op", three(paper.cycles_per_micro_op), None),
            ("micro-ops per instruction", three([0, 1, 2].map(|i| paper.cycles_per_instruction[i] / paper.cycles_per_micro_op[i])), None),
        ] {
            figure.put(at, code, what, Source::Paper, in_paper);
            figure.put(at, code, what, Source::Ours, here);
        }
        let impacts = ["mispredicted branches", "split loads", "split stores", "64K aliasing", "trace cache misses"];
        for (what, impacts) in impacts.into_iter().zip(paper.impacts) {
            figure.put(at, code, format!("VTune's impact of {what}"), Source::Paper, impacts.and_then(three));
        }
    }
    figure.picture(SET, CYCLES, Kind::Bars, &[]);
}

/// By the cycles per instruction of functions and codes.
fn metrics(cycles: impl Fn(&str, &str) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    let ratio = |paper: &Paper| Some(cycles(paper.function, "XMM")? / cycles(paper.function, "scalar")?);
    metrics.each("XMM over scalar", PAPER.iter().map(|paper| (paper.function, ratio(paper))));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_follow_the_values() {
        let judged = |ratios: Option<[f64; 3]>| {
            let ratio = |function: &str| Some(ratios?[PAPER.iter().position(|paper| paper.function == function)?]);
            verdicts("2004-appendix", &metrics(|function, code| if code == "XMM" { ratio(function) } else { Some(1.0) }))
        };
        assert_eq!(judged(Some([1.9, 1.7, 2.3])), [Holds]);
        assert_eq!(judged(Some([1.9, 1.7, 0.8])), [DoesNot]);
        assert_eq!(judged(None), [NotMeasured]);
    }

    #[test]
    fn every_value_of_the_paper_has_a_row() {
        let mut figure = Figure::default();
        publish(&mut figure, &[]);
        // Of SHA-256, two impacts are cut off.
        assert_eq!(figure.rows.len(), 3 * 3 * (5 + 5) - 2 * 3);
    }
}
