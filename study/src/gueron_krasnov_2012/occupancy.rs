//! Which lanes are busy when, on DIVERSE: Algorithm 1 as printed, whose end is serial, and the schedule of manyhash.
//!
//! What Algorithm 1 did is heard from it while it works. A step's time, a block in each lane, is measured for every kernel by itself.

use std::collections::BTreeMap;

use anyhow::Result;
use manyhash::backend::Backend;
use manyhash::kernels::{self, Blocks, Kernel, updates};
use manyhash::{Algorithm, Sha256};

use super::Folder;
use super::algorithm_1::{N_SMS, SHash};
use super::contestants::{S_HASH, Who};
use crate::messages::Layout;
use crate::model::{Cell, Claim, Figure, Line, Plot, Source, Table};
use crate::race::{Local, Rules, race};
use crate::session::Session;

/// Blocks in each lane of a measured run: 16 KiB.
const BLOCKS: usize = 256;
/// The least a steady lane is busy for: below it, lanes stand idle for a good part of the time.
const MOSTLY: f64 = 0.9;

/// Some blocks in each busy lane, without a break.
struct Stretch {
    busy_lanes: usize,
    blocks: u64,
    /// Of all of them.
    ns: f64,
}

/// What one of the contestants does, from the first message to the last.
struct Course {
    name: String,
    /// Those of the widest kernel it has here.
    lanes: usize,
    stretches: Vec<Stretch>,
    /// The least time that its kernels allow.
    bound_ns: f64,
}

impl Course {
    fn ns(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.ns).sum()
    }

    fn steps(&self) -> u64 {
        self.stretches.iter().map(|stretch| stretch.blocks).sum()
    }

    /// Busy lanes, on the average over time.
    fn mean_busy_lanes(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.busy_lanes as f64 * stretch.ns).sum::<f64>() / self.ns()
    }

    fn occupancy(&self) -> f64 {
        self.mean_busy_lanes() / self.lanes as f64
    }

    /// The least time as a share of the time it takes.
    fn of_the_least_time(&self) -> f64 {
        self.bound_ns / self.ns()
    }

    /// The share of time in which one message goes on alone.
    fn alone(&self) -> f64 {
        let alone = |stretch: &&Stretch| stretch.busy_lanes == 1;
        // From zero: the sum of no numbers is -0.
        self.stretches.iter().filter(alone).fold(0.0, |sum, stretch| sum + stretch.ns) / self.ns()
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
        contestants.push(Local::boxed(backend.name(), move |_| kernel.update(&mut states, &blocks)));
    }
    // Kernels are verified by the figures they hash for; here they are only timed.
    let measured = race(session, Rules { bytes, expected: None, warm_up_calls: 10 }, &mut contestants)?;
    let step = |(backend, measured): (&Backend, &crate::measured::Measured)| {
        (backend.name(), (backend.lanes_of::<Sha256>().expect("supported"), measured.median_ns() / BLOCKS as f64))
    };
    Ok(backends.iter().zip(&measured).map(step).collect())
}

/// The least time for messages of so many blocks: all of them at the best rate, or the longest by itself, whichever is more.
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
    let s_hash = SHash::<Sha256>::with_serial(s_update, serial)?;
    let zeros = vec![0; *sizes.iter().max().expect("files")];
    let messages: Vec<&[u8]> = sizes.iter().map(|bytes| &zeros[..*bytes]).collect();
    let mut digests = vec![0; messages.len() * Sha256::DIGEST_BYTES];
    let mut stretches = Vec::new();
    s_hash.hash_observed(&messages, Sha256::digests_in(&mut digests), |advance| {
        let (_, step_ns) = steps[if advance.lanes == s_hash.lanes() { s_update } else { serial }];
        stretches.push(Stretch { busy_lanes: advance.lanes, blocks: advance.blocks, ns: step_ns * advance.blocks as f64 });
    });
    let bound_ns = bound_ns([s_update, serial].iter().map(|name| &steps[name]), blocks);
    Ok(Course { name: who.name::<Sha256>(), lanes: s_hash.lanes(), stretches, bound_ns })
}

/// What manyhash does, left alone.
fn manyhash(sizes: &[usize], blocks: &[u64], steps: &BTreeMap<&'static str, (usize, f64)>) -> Course {
    // A run tells its lanes and not its kernel: the fastest with so many, as the schedule takes it.
    let step_ns = |lanes: usize| steps.values().filter(|(other, _)| *other == lanes).map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
    let stretch =
        |run: kernels::Run| Stretch { busy_lanes: run.busy_lanes, blocks: run.blocks, ns: step_ns(run.lanes) * run.blocks as f64 };
    let stretches: Vec<Stretch> = kernels::schedule::<Sha256>(sizes).into_iter().map(stretch).collect();
    let lanes = stretches.iter().map(|stretch| stretch.busy_lanes).max().expect("files");
    Course { name: Who::Manyhash.name::<Sha256>(), lanes, stretches, bound_ns: bound_ns(steps.values(), blocks) }
}

/// Measures the kernels, and draws the three.
pub fn measure(session: &Session) -> Result<Figure> {
    let sizes = Folder::Diverse.file_bytes(session.quick)?;
    let blocks: Vec<u64> = sizes.iter().map(|bytes| updates::<Sha256>(*bytes as u64)).collect();
    let steps = step_ns(session)?;
    let (mut courses, mut missing) = (Vec::new(), Vec::new());
    let wide = Who::SHash("avx512", N_SMS);
    for who in [S_HASH, Who::SHash("avx2", N_SMS), wide, Who::SHash("avx512", "sha-ni")] {
        match algorithm_1(who, &sizes, &blocks, &steps) {
            Ok(course) => courses.push((who, course)),
            Err(error) => missing.push(format!("{}: {error}", who.name::<Sha256>())),
        }
    }
    courses.push((Who::Manyhash, manyhash(&sizes, &blocks, &steps)));
    let of = |who| courses.iter().find(|(other, _)| *other == who).map(|(_, course)| course);

    let bytes = sizes.iter().sum::<usize>() as f64;
    let columns = [
        "",
        "steps",
        "ms by its steps",
        "MB/s",
        "busy lanes, mean over time",
        "of its lanes, %",
        "time with one message alone, %",
        "least time over its time, %",
    ];
    let mut table = Table::new("DIVERSE: steps, each a block in all busy lanes", columns);
    for (_, course) in &courses {
        table.row([
            course.name.as_str().into(),
            Cell::number(course.steps() as f64, 0),
            Cell::number(course.ns() / 1e6, 1),
            Cell::number(1000.0 * bytes / course.ns(), 0),
            Cell::number(course.mean_busy_lanes(), 1),
            Cell::number(100.0 * course.occupancy(), 1),
            Cell::number(100.0 * course.alone(), 1),
            Cell::number(100.0 * course.of_the_least_time(), 1),
        ]);
    }
    let drawn = |who| of(who).map(|course| (who, course));
    let line = |(_, course): (Who, &Course)| Line {
        name: format!("{}: {:.0} % of its {} lanes busy", course.name, 100.0 * course.occupancy(), course.lanes),
        source: Source::Ours,
        points: course.points(),
    };
    let plot = Plot::Steps {
        title: "Busy lanes over time, DIVERSE, SHA-256".into(),
        x_label: "milliseconds, by the measured time of a step".into(),
        y_label: "busy lanes".into(),
        series: [S_HASH, wide, Who::Manyhash].into_iter().filter_map(drawn).map(line).collect(),
    };

    let (printed, ours) = (of(wide).or(of(S_HASH)), of(Who::Manyhash).expect("pushed above"));
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let busy = |course: Option<&Course>| course.map_or("not measured".into(), |course| percent(course.occupancy()));
    let claims = vec![
        Claim::new(
            "On DIVERSE, lanes of S-HASH with 4 buffers stand idle when one is consumed (fewer than 90 % busy over time)",
            "section 4.3",
            "a loss, without a value",
            format!("{} of 4 lanes busy, {} of 16", busy(of(S_HASH)), busy(of(wide))),
            of(S_HASH).map(|course| course.occupancy() < MOSTLY),
        ),
        Claim::new(
            "DIVERSE takes manyhash a time nearer to the least that its kernels allow than Algorithm 1 on the widest registers",
            "goal",
            "nearer",
            format!(
                "{} of the rate they allow; Algorithm 1: {}",
                percent(ours.of_the_least_time()),
                printed.map_or("not measured".into(), |course| percent(course.of_the_least_time()))
            ),
            printed.map(|course| ours.of_the_least_time() > course.of_the_least_time()),
        ),
    ];
    let still_holds = printed.map_or_else(String::new, |course| {
        let four = of(S_HASH).filter(|_| course.lanes > 4).map_or_else(String::new, |four| {
            let stops = if four.occupancy() < MOSTLY { "" } else { ": what it loses there it loses by stopping, not by idle lanes" };
            format!("With the paper's 4 buffers {} of the lanes are busy on DIVERSE{stops}. ", percent(four.occupancy()))
        });
        format!(
            "{four}With {} buffers it is {}: all lanes are busy until no message waits, and what is left is hashed one after the other, \
             which takes {} of the time.",
            course.lanes,
            busy(Some(course)),
            percent(course.alone())
        )
    });
    let changed = format!(
        "manyhash begins with the longest messages, so that they do not end last; idle lanes are not waited for, and when few messages are \
         left they go on in narrower, faster shapes, which leave lanes of the widest to nobody: {} of {} are busy, and it takes {:.2} \
         times the least time its kernels allow{}.",
        percent(ours.occupancy()),
        ours.lanes,
        ours.ns() / ours.bound_ns,
        printed.map_or_else(String::new, |course| format!(
            " (Algorithm 1 with {} lanes: {:.2})",
            course.lanes,
            course.ns() / course.bound_ns
        ))
    );
    let quick = if session.quick { " In this quick run files have a 32nd of their sizes." } else { "" };
    Ok(Figure {
        method: format!(
            "The 350 files in the paper's order. What Algorithm 1 does is recorded while it hashes; what manyhash does is its schedule, \
             recorded from shapes that compute nothing. The time of a step of each kernel is measured here ({BLOCKS} blocks in each lane, \
             in the cache), and the sum of all steps is the time shown: overhead between them is not in it, nor is memory. The least time: \
             all blocks at the best rate of these kernels, or the longest message alone, whichever is more. Not in the paper, which names \
             the loss and shows no lanes.{quick}"
        ),
        tables: vec![table],
        plots: vec![plot],
        claims,
        still_holds,
        changed,
        missing,
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(stretches: &[(usize, u64, f64)]) -> Course {
        let stretch = |&(busy_lanes, blocks, ns): &(usize, u64, f64)| Stretch { busy_lanes, blocks, ns };
        Course { name: "one".into(), lanes: 4, stretches: stretches.iter().map(stretch).collect(), bound_ns: 1e6 }
    }

    #[test]
    fn lanes_count_for_as_long_as_they_are_busy() {
        let course = course(&[(4, 10, 1e6), (4, 5, 1e6), (1, 20, 2e6)]);
        assert_eq!((course.steps(), course.ns()), (35, 4e6));
        assert_eq!((course.mean_busy_lanes(), course.occupancy(), course.alone()), (2.5, 0.625, 0.5));
        assert_eq!(course.points(), [(0.0, 4.0), (2.0, 1.0), (4.0, 0.0)]);
    }

    #[test]
    fn no_schedule_beats_the_bound() {
        let kernels = [(1, 10.0), (4, 20.0)];
        assert_eq!(bound_ns(kernels.iter(), &[4, 4, 4, 4]), 80.0);
        assert_eq!(bound_ns(kernels.iter(), &[100, 4]), 1000.0);
    }
}
