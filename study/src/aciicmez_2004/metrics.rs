//! The appendix: performance metrics of the scalar, MMX and XMM code.

use std::hint::black_box;
use std::path::Path;

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::hazmat::{Blocks, Kernel};

use super::counting::{self, Known, Mix, Routine};
use crate::claims::Metrics;
use crate::messages::{Layout, Messages};
use crate::model::{Figure, Source};
use crate::rows::Kind;
use crate::session::Session;
use manyhash_scalar::{Sha1, Sha256, Sha512, Sha512Pairs, Variants};

pub const ID: &str = "2004-appendix";
/// Message blocks of each lane in a call.
const BLOCKS: usize = 64;

const FUNCTIONS: [&str; 3] = ["SHA-1", "SHA-256", "SHA-512"];
/// Those of the paper.
const CODES: [&str; 3] = ["scalar", "MMX", "XMM"];
const CYCLES: &str = "cycles per instruction (here: core cycles)";
const OWN: &str = "% of the instructions on the registers that the code is for";
const PREDICTED: &str = "% of the branches predicted";
/// What the text of the paper that we have lacks.
const CUT_OFF: [f64; 3] = [f64::NAN; 3];
/// The paper's values, by function and code. What follows on cycles per micro-op are VTune's "performance impacts".
const PAPER: [(&str, [[f64; 3]; 3]); 9] = [
    (CYCLES, [[0.8158, 0.8552, 1.5375], [0.7239, 0.7520, 1.2250], [0.5377, 0.7510, 1.2130]]),
    (OWN, [[100.0, 50.96, 75.76], [100.0, 53.32, 66.01], [100.0, 53.06, 57.28]]),
    (PREDICTED, [[98.94, 98.96, 98.88], [97.68, 98.24, 98.22], [98.44, 98.66, 98.21]]),
    ("cycles per micro-op", [[0.8052, 0.7486, 0.5715], [0.7189, 0.6870, 0.5994], [0.4462, 0.6889, 0.5926]]),
    ("VTune's impact of mispredicted branches", [[0.034, 0.024, 0.014], [1.741, 0.828, 0.509], [0.638, 0.706, 0.529]]),
    ("VTune's impact of split loads", [[0.0, 1.133, 1.240], [0.0, 0.611, 0.743], [0.0, 0.484, 0.385]]),
    ("VTune's impact of split stores", [[0.0; 3], [0.0; 3], [0.0, 0.807, 0.0]]),
    ("VTune's impact of 64K aliasing", [[0.009, 0.908, 0.518], CUT_OFF, [0.245, 0.584, 0.460]]),
    ("VTune's impact of trace cache misses", [[0.012, 0.055, 0.039], CUT_OFF, [0.040, 0.015, 0.028]]),
];

/// All that this CPU can run: "SHA-256, XMM".
pub fn routines() -> Vec<Routine> {
    let mut routines = vec![
        scalar::<Sha1>("SHA-1", "scalar"),
        scalar::<Sha256>("SHA-256", "scalar"),
        scalar::<Sha512Pairs>("SHA-512", "scalar"),
        scalar::<Sha512>("SHA-512", "scalar, 64-bit"),
    ];
    #[cfg(target_arch = "x86_64")]
    routines.extend(super::mmx::ALL.into_iter().zip(FUNCTIONS).map(|(mmx, function)| {
        let (messages, mut state) = (messages(mmx.lanes, mmx.block_bytes), mmx.initial.to_vec());
        routine(function, "MMX", mmx.lanes, mmx.block_bytes, move || mmx.compress(black_box(&mut state), &messages.slices()))
    }));
    for (code, backend) in [("XMM", "sse2"), ("YMM", "avx2")] {
        routines.extend(lanes::<manyhash::Sha1>(code, backend));
        routines.extend(lanes::<manyhash::Sha256>(code, backend));
        routines.extend(lanes::<manyhash::Sha512>(code, backend));
    }
    routines
}

fn scalar<F: Variants>(function: &str, code: &str) -> Routine {
    let compress = F::unrolled().pop().expect("all rounds written out").compress;
    let (mut state, message) = (F::INITIAL, messages(1, F::BLOCK_BYTES).slices()[0].to_vec());
    routine(function, code, 1, F::BLOCK_BYTES, move || compress(black_box(&mut state), &message))
}

/// manyhash's lanes; `None` if this CPU lacks the instructions.
fn lanes<A: manyhash::Algorithm>(code: &str, backend: &str) -> Option<Routine> {
    let kernel = Kernel::<A>::of(Backend::by_name(backend).ok()?).ok()?;
    let lanes = kernel.lanes();
    let messages = messages(lanes, A::BLOCK_BYTES);
    let mut states = kernel.states();
    Some(routine(A::NAME, code, lanes, A::BLOCK_BYTES, move || {
        let slices = messages.slices();
        kernel.update(black_box(&mut states), &Blocks::new(lanes, slices[0].len(), |lane| slices[lane]));
    }))
}

/// Each of them begins on a cache line.
fn messages(lanes: usize, block_bytes: usize) -> Messages {
    Layout::equal(lanes, BLOCKS * block_bytes).fill().expect("a few kilobytes of memory")
}

fn routine(function: &str, code: &str, lanes: usize, block_bytes: usize, call: impl FnMut() + 'static) -> Routine {
    let blocks = lanes * BLOCKS;
    Routine { name: format!("{function}, {code}"), bytes: blocks * block_bytes, blocks, call: Box::new(call) }
}

const SET: &str = "Scalar, MMX, XMM and YMM code";

/// What is told of a routine in this code.
fn values(code: &str, known: &Known) -> [(&'static str, Option<f64>); 9] {
    let (mix, core_cycles) = (known.mix.as_ref(), known.time.core_cycles_per_byte());
    let per_byte = |of: fn(&Mix) -> u64| Some(of(mix?) as f64 / known.time.bytes);
    let on_own_registers = mix.map(|mix| match code {
        "MMX" => mix.percent(mix.mmx),
        "XMM" => mix.percent(mix.xmm),
        "YMM" => mix.percent(mix.wider),
        _ => mix.percent(mix.instructions - mix.mmx - mix.xmm - mix.wider),
    });
    let instructions_per_byte = per_byte(|mix| mix.instructions);
    [
        (CYCLES, core_cycles.zip(instructions_per_byte).map(|(cycles, instructions)| cycles / instructions)),
        (OWN, on_own_registers),
        (PREDICTED, mix.and_then(Mix::predicted_percent)),
        ("instructions per block", known.instructions_per_block()),
        ("instructions per byte", instructions_per_byte),
        ("loads per byte", per_byte(|mix| mix.loads)),
        ("stores per byte", per_byte(|mix| mix.stores)),
        ("core cycles per byte", core_cycles),
        ("TSC cycles per byte", known.time.tsc_cycles_per_byte()),
    ]
}

pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure::default();
    let counts = figure.unless_missing("counts of instructions", counting::count(session, ID))?.unwrap_or_default();
    figure.missing.push(format!(
        "cycles per micro-op and the impacts (split loads and stores, 64K aliasing, caches): they take performance counters, and {}",
        no_counters()
    ));
    for (i, function) in FUNCTIONS.into_iter().enumerate() {
        for (j, code) in CODES.into_iter().enumerate() {
            for (what, values) in PAPER {
                figure.put((SET, function), code, what, Source::Paper, Some(values[i][j]).filter(|value| value.is_finite()));
            }
            let micro_ops = PAPER[0].1[i][j] / PAPER[3].1[i][j];
            figure.put((SET, function), code, "micro-ops per instruction", Source::Paper, micro_ops);
        }
    }
    let measured = counting::time(session, routines(), &counts)?;
    for known in &measured {
        let (function, code) = known.name.split_once(", ").expect("a function and a code");
        values(code, known).into_iter().for_each(|(what, value)| figure.put((SET, function), code, what, Source::Ours, value));
    }
    if !["MMX", "XMM", "YMM"].iter().all(|code| measured.iter().any(|known| known.name.ends_with(code))) {
        figure.missing.push("code for registers that this CPU lacks".into());
    }
    if measured.iter().all(|known| known.time.core_cycles_per_byte().is_none()) {
        figure.missing.push("cycles of the core: the core's clock was not probed in this run".into());
    }
    figure.picture(SET, CYCLES, Kind::Bars, &[]);
    figure.metrics = metrics(|function, code| figure.value((SET, function), code, CYCLES));
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

/// By the cycles per instruction of functions and codes.
fn metrics(cycles: impl Fn(&str, &str) -> Option<f64>) -> Metrics {
    let mut metrics = Metrics::default();
    let ratio = |function: &str| Some(cycles(function, "XMM")? / cycles(function, "scalar")?);
    metrics.each("XMM over scalar", FUNCTIONS.map(|function| (function, ratio(function))));
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
            let ratio = |function: &str| Some(ratios?[FUNCTIONS.iter().position(|other| *other == function)?]);
            verdicts("2004-appendix", &metrics(|function, code| if code == "XMM" { ratio(function) } else { Some(1.0) }))
        };
        assert_eq!(judged(Some([1.9, 1.7, 2.3])), [Holds]);
        assert_eq!(judged(Some([1.9, 1.7, 0.8])), [DoesNot]);
        assert_eq!(judged(None), [NotMeasured]);
    }

    #[test]
    fn every_routine_has_a_name_of_its_own_and_whole_blocks() {
        let routines = routines();
        let names: std::collections::BTreeSet<&str> = routines.iter().map(|routine| routine.name.as_str()).collect();
        assert_eq!(names.len(), routines.len());
        assert!(routines.len() >= if cfg!(target_arch = "x86_64") { 10 } else { 4 });
        for mut routine in routines {
            assert_eq!(routine.bytes % routine.blocks, 0, "{}", routine.name);
            (routine.call)();
        }
    }
}
