//! Which lanes are busy when, on DIVERSE: Algorithm 1 as printed, whose end is serial, and the
//! schedule of manyhash.
//!
//! What Algorithm 1 did is heard from it while it works. A step's time, a block in each lane, is
//! measured for every kernel by itself.

use std::collections::BTreeMap;

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::hazmat::{self, Blocks, Kernel, updates};
use manyhash::{Algorithm, Sha256};
use serde_json::{Value, json};

use super::Folder;
use super::algorithm_1::{SCALAR_ROUNDS, SHash, serial_end};
use crate::contestants::{S_HASH, Who};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::race::{Contestant, race};
use crate::session::Session;

/// Blocks in each lane of a measured run: 16 KiB.
const BLOCKS: usize = 256;

/// Some blocks in each busy lane, without a break.
struct Stretch {
    /// Lanes of the kernel in use.
    lanes: usize,
    busy_lanes: usize,
    blocks: u64,
    /// The time of all of these blocks.
    ns: f64,
}

struct Course {
    name: String,
    stretches: Vec<Stretch>,
    /// The least time that its kernels allow.
    bound_ns: f64,
}

impl Course {
    fn ns(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.ns).sum()
    }

    /// On the average over time.
    fn mean(&self, of: impl Fn(&Stretch) -> f64) -> f64 {
        self.stretches.iter().map(|stretch| of(stretch) * stretch.ns).sum::<f64>() / self.ns()
    }

    /// The least time as a share of the time it takes.
    fn of_the_least_time(&self) -> f64 {
        self.bound_ns / self.ns()
    }

    /// What tables have of it, for messages of so many bytes.
    fn values(&self, bytes: f64) -> [(&'static str, f64); 9] {
        let of_lanes = |lanes: usize| self.mean(|stretch| f64::from(u8::from(stretch.lanes == lanes)));
        let lanes = self.stretches.iter().map(|stretch| stretch.lanes);
        let longest = lanes.max_by(|one, other| of_lanes(*one).total_cmp(&of_lanes(*other))).expect("a stretch");
        let busy_lanes = self.mean(|stretch| stretch.busy_lanes as f64);
        [
            ("rate reached, % of the most its kernels allow", 100.0 * self.of_the_least_time()),
            ("rate, MB/s", 1000.0 * bytes / self.ns()),
            ("time, ms", self.ns() / 1e6),
            ("steps", self.stretches.iter().map(|stretch| stretch.blocks).sum::<u64>() as f64),
            ("time with one message alone, %", 100.0 * self.mean(|stretch| f64::from(u8::from(stretch.busy_lanes == 1)))),
            ("busy lanes of the kernel in use, %", 100.0 * busy_lanes / self.mean(|stretch| stretch.lanes as f64)),
            ("busy lanes, mean over time", busy_lanes),
            ("lanes of the kernels in use longest", longest as f64),
            ("time in those kernels, %", 100.0 * of_lanes(longest)),
        ]
    }

    /// Milliseconds and busy lanes, wherever these change.
    fn points(&self) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut ms = 0.0;
        for stretch in &self.stretches {
            let busy_lanes = stretch.busy_lanes as f64;
            if points.last().is_none_or(|(_, last)| *last != busy_lanes) {
                points.push((ms, busy_lanes));
            }
            ms += stretch.ns / 1e6;
        }
        points.push((ms, 0.0));
        points
    }
}

/// Nanoseconds of a step of each kernel for SHA-256 that this CPU has, by its name.
fn step_ns(session: &Session) -> Result<BTreeMap<&'static str, (usize, f64)>> {
    let backends: Vec<Backend> = Backend::supported().into_iter().filter(Backend::supports::<Sha256>).collect();
    let most_lanes = backends.iter().filter_map(Backend::lanes_of::<Sha256>).max().expect("a backend");
    let bytes = BLOCKS * Sha256::BLOCK_BYTES;
    let messages = Layout::strided(most_lanes, bytes, bytes + 64).fill()?;
    let slices = messages.slices();
    let mut contestants = Vec::new();
    for backend in &backends {
        let kernel = Kernel::<Sha256>::of(*backend)?;
        let mut states = kernel.states();
        let blocks = Blocks::new(kernel.lanes(), bytes, |lane| slices[lane]);
        contestants.push(Contestant::local(backend.name(), move |_| kernel.update(&mut states, &blocks)));
    }
    // Kernels are verified by the figures they hash for; here they are only timed.
    let measured = race(session, bytes, 10, &mut contestants)?;
    let step = |(backend, measured): (&Backend, &crate::measured::Measured)| {
        (backend.name(), (backend.lanes_of::<Sha256>().expect("supported"), measured.median_ns() / BLOCKS as f64))
    };
    Ok(backends.iter().zip(&measured).map(step).collect())
}

/// The least time for messages of these lengths in blocks: all of them at the best rate, or the
/// longest by itself, whichever is more.
fn bound_ns<'a>(kernels: impl Iterator<Item = &'a (usize, f64)> + Clone, blocks: &[u64]) -> f64 {
    let best = |value: fn(&(usize, f64)) -> f64| kernels.clone().map(value).fold(f64::INFINITY, f64::min);
    let at_the_best_rate = blocks.iter().sum::<u64>() as f64 * best(|(lanes, ns)| ns / *lanes as f64);
    at_the_best_rate.max(*blocks.iter().max().expect("messages") as f64 * best(|(_, ns)| *ns))
}

/// What Algorithm 1 does on these backends; `Err` where one of them is not there.
fn algorithm_1(
    who: Who,
    sizes: &[usize],
    blocks: &[u64],
    steps: &BTreeMap<&'static str, (usize, f64)>,
) -> Result<Course, manyhash::backend::BackendError> {
    let Who::SHash(s_update, serial) = who else { unreachable!("{who:?} is not Algorithm 1") };
    let serial = if serial == SCALAR_ROUNDS { serial_end::<Sha256>() } else { serial };
    let s_hash = SHash::<Sha256>::with_serial(s_update, serial)?;
    let zeros = vec![0; *sizes.iter().max().expect("files")];
    let messages: Vec<&[u8]> = sizes.iter().map(|bytes| &zeros[..*bytes]).collect();
    let mut digests = vec![0; messages.len() * Sha256::DIGEST_BYTES];
    let mut stretches = Vec::new();
    s_hash.hash_observed(&messages, Sha256::digests_in(&mut digests), |advance| {
        let (_, step_ns) = steps[if advance.lanes == s_hash.lanes() { s_update } else { serial }];
        stretches.push(Stretch {
            lanes: advance.lanes,
            busy_lanes: advance.lanes,
            blocks: advance.blocks,
            ns: step_ns * advance.blocks as f64,
        });
    });
    let bound_ns = bound_ns([s_update, serial].iter().map(|name| &steps[name]), blocks);
    Ok(Course { name: who.name::<Sha256>(), stretches, bound_ns })
}

fn manyhash(sizes: &[usize], blocks: &[u64], steps: &BTreeMap<&'static str, (usize, f64)>) -> Course {
    // A run tells its lanes and not its kernel: the fastest with as many, as the schedule takes it.
    let step_ns = |lanes: usize| steps.values().filter(|(other, _)| *other == lanes).map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
    let stretch = |run: hazmat::Run| {
        let ns = step_ns(run.lanes) * run.blocks as f64;
        Stretch { lanes: run.lanes, busy_lanes: run.busy_lanes, blocks: run.blocks, ns }
    };
    let stretches: Vec<Stretch> = hazmat::schedule::<Sha256>(sizes).into_iter().map(stretch).collect();
    Course { name: Who::Manyhash.name::<Sha256>(), stretches, bound_ns: bound_ns(steps.values(), blocks) }
}

/// Measures the kernels, and draws the three.
pub fn measure(session: &Session) -> Result<Figure> {
    let sizes = Folder::Diverse.file_bytes(session.quick)?;
    let blocks: Vec<u64> = sizes.iter().map(|bytes| updates::<Sha256>(*bytes as u64)).collect();
    let steps = step_ns(session)?;
    let (mut courses, mut missing) = (Vec::new(), Vec::new());
    let wide = Who::SHash("avx512", SCALAR_ROUNDS);
    for who in [S_HASH, Who::SHash("avx2", SCALAR_ROUNDS), wide, Who::SHash("avx512", "sha-ni")] {
        match algorithm_1(who, &sizes, &blocks, &steps) {
            Ok(course) => courses.push((who, course)),
            Err(error) => missing.push(format!("{}: {error}", who.name::<Sha256>())),
        }
    }
    courses.push((Who::Manyhash, manyhash(&sizes, &blocks, &steps)));
    let of = |who| courses.iter().find(|(other, _)| *other == who).map(|(_, course)| course);

    let line = |course: &Course| {
        let name = format!("{}: {:.0} % of the rate its kernels allow", course.name, 100.0 * course.of_the_least_time());
        json!({"name": name, "source": Source::Ours, "points": course.points()})
    };
    let series: Vec<Value> = [S_HASH, wide, Who::Manyhash].into_iter().filter_map(of).map(line).collect();
    let plot = json!({
        "kind": "steps",
        "title": "SHA-256 of DIVERSE: busy lanes over time",
        "x_label": "milliseconds, by the measured time of a step",
        "y_label": "busy lanes",
        "series": series,
    });
    let mut figure = Figure { plots: vec![plot], missing, ..Figure::default() };
    let bytes = sizes.iter().sum::<usize>() as f64;
    for (_, course) in &courses {
        for (what, value) in course.values(bytes) {
            let at = ("DIVERSE by steps, each a block in all busy lanes, and the measured time of a step", "");
            figure.put(at, course.name.as_str(), what, Source::Ours, value);
        }
    }
    for (name, (lanes, ns)) in &steps {
        let at = ("Kernels in the cache: lanes, and the measured time of a step", "");
        figure.put(at, *name, "lanes", Source::Ours, *lanes as f64);
        figure.put(at, *name, "ns a step", Source::Ours, *ns);
        figure.put(at, *name, "MB/s", Source::Ours, 1000.0 * (lanes * Sha256::BLOCK_BYTES) as f64 / ns);
    }
    let reached = |who| of(who).map(|course| 100.0 * course.of_the_least_time());
    let (ours, printed) = (reached(Who::Manyhash), reached(wide).or(reached(S_HASH)));
    let both = ours.zip(printed);
    let label = both.map_or(String::new(), |(ours, printed)| format!("{ours:.0} % and {printed:.0} %"));
    figure.metrics.each("manyhash over S-HASH", [(label, both.map(|(ours, printed)| ours / printed))]);
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A course by lanes of the kernel, busy lanes, blocks and nanoseconds.
    fn course(stretches: &[(usize, usize, u64, f64)]) -> Course {
        let stretch = |&(lanes, busy_lanes, blocks, ns): &(usize, usize, u64, f64)| Stretch { lanes, busy_lanes, blocks, ns };
        Course { name: "one".into(), stretches: stretches.iter().map(stretch).collect(), bound_ns: 1e6 }
    }

    #[test]
    fn lanes_count_for_as_long_as_they_are_busy() {
        let course = course(&[(4, 4, 10, 1e6), (4, 2, 5, 1e6), (1, 1, 20, 2e6)]);
        assert_eq!(course.values(4e6).map(|(_, value)| value)[1..7], [1000.0, 4.0, 35.0, 50.0, 80.0, 2.0]);
        assert_eq!(course.points(), [(0.0, 4.0), (1.0, 2.0), (2.0, 1.0), (4.0, 0.0)]);
    }

    #[test]
    fn the_kernels_that_most_of_the_time_has_are_found() {
        let most_used = |stretches| course(stretches).values(1.0).map(|(_, value)| value)[7..].to_vec();
        assert_eq!(most_used(&[(4, 4, 10, 9e6), (4, 2, 5, 1e6)]), [4.0, 100.0]);
        assert_eq!(most_used(&[(16, 16, 10, 9e6), (1, 1, 5, 1e6)]), [16.0, 90.0]);
    }

    #[test]
    fn no_schedule_beats_the_bound() {
        let kernels = [(1, 10.0), (4, 20.0)];
        assert_eq!(bound_ns(kernels.iter(), &[4, 4, 4, 4]), 80.0);
        assert_eq!(bound_ns(kernels.iter(), &[100, 4]), 1000.0);
    }
}
