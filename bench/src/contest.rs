//! One algorithm, one workload, one placement: verify everybody, time everybody in turns, verify
//! again.

use std::cell::RefCell;
use std::hint::black_box;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::peers::{Lineup, Peer, Standing};
use crate::workloads::{Placement, Workload};
use manyhash_measure::timing::{self, Effort, Probe, Sample};

/// The quiet samples of a process that their median needs.
const FEWEST_QUIET: usize = 3;
/// Two times of which the longer is less than this many times the other are close.
const CLOSE: f64 = 1.1;

/// The outcome of one contest.
#[derive(Serialize)]
pub struct Cell {
    /// "SHA-256".
    pub algorithm: &'static str,
    /// The workload's letters.
    pub workload: &'static str,
    /// What they stand for.
    pub description: &'static str,
    /// Where the messages lay.
    pub placement: Placement,
    /// The number of messages.
    pub messages: usize,
    /// The sum of their lengths.
    pub bytes: usize,
    /// In the order of the line-up.
    #[serde(serialize_with = "with_judgement")]
    pub rows: Vec<Row>,
}

/// The rows, each with the time it is judged by, so that no reader of the file judges by rules of
/// its own.
fn with_judgement<S: serde::Serializer>(rows: &[Row], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Judged<'a> {
        #[serde(flatten)]
        row: &'a Row,
        judged_ns: f64,
        by_quiet: bool,
    }
    serializer.collect_seq(rows.iter().map(|row| Judged { row, judged_ns: judged_ns(rows, row), by_quiet: by_quiet(rows) }))
}

/// What one peer did.
#[derive(Serialize, Deserialize)]
pub struct Row {
    /// The peer's name.
    pub peer: String,
    /// What the row counts for.
    pub standing: Standing,
    /// Calls in each sample of this process.
    pub calls_per_sample: u64,
    /// Process by process, in the order they were taken.
    pub samples: Vec<Sample>,
}

impl Row {
    fn processes(&self) -> impl Iterator<Item = &[Sample]> {
        self.samples.chunk_by(|a, b| a.process == b.process)
    }

    /// The median of the processes' medians, each over all samples, in nanoseconds a call.
    pub fn all_ns(&self) -> f64 {
        let of_process = |samples: &[Sample]| timing::median(samples.iter().map(|sample| sample.call_ns));
        timing::median(self.processes().filter_map(of_process)).expect("every row has a sample")
    }

    /// The median over the quiet samples of the processes with at least three; `None` if those are
    /// not more than half of all.
    pub fn quiet_ns(&self) -> Option<f64> {
        let of_process = |samples: &[Sample]| {
            let quiet: Vec<f64> = samples.iter().filter(|sample| sample.is_quiet()).map(|sample| sample.call_ns).collect();
            timing::median(quiet.iter().copied()).filter(|_| quiet.len() >= FEWEST_QUIET)
        };
        let medians: Vec<f64> = self.processes().filter_map(of_process).collect();
        timing::median(medians.iter().copied()).filter(|_| 2 * medians.len() > self.processes().count())
    }

    /// The median over all samples of the time on the CPU, in nanoseconds a call: other processes
    /// do not count. For one process.
    pub fn cpu_ns(&self) -> f64 {
        let times = self.samples.iter().map(|sample| sample.call_ns * sample.cpu_share.unwrap_or(1.0));
        timing::median(times).expect("every row has a sample")
    }

    /// How many samples were quiet.
    pub fn quiet_samples(&self) -> usize {
        self.samples.iter().filter(|sample| sample.is_quiet()).count()
    }
}

/// Whether `rows` are judged by quiet medians: manyhash left alone and every peer must have one, or
/// none counts.
pub fn by_quiet(rows: &[Row]) -> bool {
    rows.iter().filter(|row| matches!(row.standing, Standing::Ours | Standing::Peer)).all(|row| row.quiet_ns().is_some())
}

/// The time a row of `rows` is judged by.
pub fn judged_ns(rows: &[Row], row: &Row) -> f64 {
    row.quiet_ns().filter(|_| by_quiet(rows)).unwrap_or_else(|| row.all_ns())
}

impl Cell {
    /// The row of manyhash left alone, if it took part.
    pub fn ours(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.standing == Standing::Ours)
    }

    /// The rows to be beaten.
    fn peers(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.standing == Standing::Peer)
    }

    /// Whether the cell is judged by quiet medians.
    pub fn by_quiet(&self) -> bool {
        by_quiet(&self.rows)
    }

    /// The time a row is judged by.
    pub fn judged_ns(&self, row: &Row) -> f64 {
        judged_ns(&self.rows, row)
    }

    /// The fastest peer, by the median the cell is judged by: the one whose luck was best, when
    /// several are equal.
    pub fn best_peer(&self) -> Option<&Row> {
        self.peers().min_by(|a, b| self.judged_ns(a).total_cmp(&self.judged_ns(b)))
    }

    /// How many times as fast as `row` manyhash left alone was.
    pub fn ratio_to(&self, row: &Row) -> Option<f64> {
        self.ours().map(|ours| self.judged_ns(row) / self.judged_ns(ours))
    }
}

/// A peer at work.
struct Contestant<'a, const N: usize> {
    peer: &'a mut Peer<N>,
    messages: &'a [&'a [u8]],
    digests: Vec<[u8; N]>,
    calls_per_sample: u64,
    samples: Vec<Sample>,
}

impl<const N: usize> Contestant<'_, N> {
    fn call(&mut self) {
        self.peer.hash_many(black_box(self.messages), &mut self.digests);
        black_box(&mut self.digests);
    }

    /// Hashes into digests set to zero and compares every one.
    fn verify(&mut self, expected: &[[u8; N]], of: &str) -> Result<()> {
        self.peer.start()?;
        let expected = &expected[..self.messages.len()];
        self.digests.clear();
        self.digests.resize(expected.len(), [0; N]);
        self.call();
        if self.peer.standing == Standing::OtherDigest {
            return Ok(());
        }
        let name = &self.peer.name;
        ensure!(self.digests.len() == expected.len(), "{of}: {name} gave {} digests", self.digests.len());
        let wrong = self.digests.iter().zip(expected).position(|(digest, expected)| digest != expected);
        if let Some(i) = wrong {
            anyhow::bail!("{of}: {name}: wrong digest of message {i} ({} bytes)", self.messages[i].len());
        }
        Ok(())
    }
}

/// Runs the contest between the peers of `lineup` that take this number of messages.
pub fn run<const N: usize>(
    lineup: &mut Lineup<N>,
    workload: &Workload,
    placement: Placement,
    messages: &[&[u8]],
    probe: Option<Probe>,
    effort: Effort,
) -> Result<Cell> {
    let of = format!("{} {} {}", lineup.algorithm, workload.name, placement.name());
    let entries = lineup.peers.iter_mut().filter(|peer| peer.takes(messages)).map(|peer| (peer, messages.len()));
    let expected: Vec<[u8; N]> = messages.iter().map(|message| (lineup.reference)(message)).collect();
    Ok(Cell {
        algorithm: lineup.algorithm,
        workload: workload.name,
        description: workload.description,
        placement,
        messages: messages.len(),
        bytes: workload.bytes(),
        rows: rows(entries, messages, &expected, &of, probe, effort)?,
    })
}

/// Verifies, times in turns and verifies again; each entry is a peer and how many of `messages` it
/// hashes, `expected` are the digests. Errors begin with `of`.
pub fn rows<'a, const N: usize>(
    entries: impl Iterator<Item = (&'a mut Peer<N>, usize)>,
    messages: &'a [&'a [u8]],
    expected: &[[u8; N]],
    of: &str,
    probe: Option<Probe>,
    effort: Effort,
) -> Result<Vec<Row>> {
    rows_by(
        entries,
        (messages, expected, of),
        effort,
        |contestant| timing::calls_per_sample(effort.sample, || contestant.call()),
        |contestant, round| timing::sample(probe, contestant.calls_per_sample, round, || contestant.call()),
    )
}

/// A contest in which every call is timed alone and has `before` before it, which is given
/// the peer's name. `set`: messages, digests, and what errors begin with.
pub fn rows_after<'a, const N: usize>(
    entries: impl Iterator<Item = (&'a mut Peer<N>, usize)>,
    set: (&'a [&'a [u8]], &[[u8; N]], &str),
    probe: Option<Probe>,
    effort: Effort,
    before: &mut dyn FnMut(&str),
) -> Result<Vec<Row>> {
    let before = &RefCell::new(before);
    let prepare = move |name: &str| (before.borrow_mut())(name);
    rows_by(
        entries,
        set,
        effort,
        |contestant| {
            let name = contestant.peer.name.clone();
            timing::calls_per_sample(effort.sample, || {
                prepare(&name);
                contestant.call();
            })
        },
        |contestant, round| {
            let name = contestant.peer.name.clone();
            timing::sample_after(probe, contestant.calls_per_sample, round, || prepare(&name), || contestant.call())
        },
    )
}

/// A contest by two functions of a contestant: the calls of a sample, and the sample of a round.
fn rows_by<'a, const N: usize>(
    entries: impl Iterator<Item = (&'a mut Peer<N>, usize)>,
    (messages, expected, of): (&'a [&'a [u8]], &[[u8; N]], &str),
    effort: Effort,
    calls_per_sample: impl Fn(&mut Contestant<'a, N>) -> u64,
    sample: impl Fn(&mut Contestant<'a, N>, usize) -> Sample,
) -> Result<Vec<Row>> {
    let mut contestants: Vec<Contestant<'_, N>> = entries
        .map(|(peer, n)| Contestant { peer, messages: &messages[..n], digests: Vec::new(), calls_per_sample: 1, samples: Vec::new() })
        .collect();
    for contestant in &mut contestants {
        contestant.verify(expected, of)?;
        contestant.calls_per_sample = calls_per_sample(contestant);
    }
    let sample = |contestant: &mut Contestant<'a, N>, round| {
        let sample = sample(contestant, round);
        contestant.samples.push(sample);
    };
    timing::rounds(effort, &mut contestants, sample, are_in_doubt);
    for contestant in &mut contestants {
        contestant.verify(expected, of)?;
    }
    let row = |contestant: Contestant<'_, N>| Row {
        peer: contestant.peer.name.clone(),
        standing: contestant.peer.standing,
        calls_per_sample: contestant.calls_per_sample,
        samples: contestant.samples,
    };
    Ok(contestants.into_iter().map(row).collect())
}

/// Whether more samples may change who is faster: so far the fastest peer takes about as long as
/// manyhash left alone, or not all of them have enough quiet samples, although there is a probe.
fn are_in_doubt<const N: usize>(contestants: &[Contestant<'_, N>]) -> bool {
    let of = |standing: Standing| contestants.iter().filter(move |contestant| contestant.peer.standing == standing);
    let median = |contestant: &Contestant<'_, N>| timing::median(contestant.samples.iter().map(|sample| sample.call_ns));
    let fastest = |standing: Standing| of(standing).filter_map(median).min_by(f64::total_cmp);
    let are_close = |(ours, peer): (f64, f64)| ours < CLOSE * peer && peer < CLOSE * ours;
    let lacks_quiet = |contestant: &Contestant<'_, N>| {
        let has_probe = contestant.samples.iter().any(|sample| sample.overlap.is_some());
        has_probe && contestant.samples.iter().filter(|sample| sample.is_quiet()).count() < FEWEST_QUIET
    };
    fastest(Standing::Ours).zip(fastest(Standing::Peer)).is_some_and(are_close)
        || of(Standing::Ours).chain(of(Standing::Peer)).any(lacks_quiet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn row(peer: &str, standing: Standing, samples: &[(f64, f64)]) -> Row {
        let samples = samples.iter().map(|&(call_ns, overlap)| Sample {
            process: 0,
            call_ns,
            overlap: Some(overlap),
            cpu_share: None,
            clock_ghz: None,
        });
        Row { peer: peer.into(), standing, calls_per_sample: 1, samples: samples.collect() }
    }

    fn cell(rows: Vec<Row>) -> Cell {
        Cell { algorithm: "SHA-256", workload: "b", description: "", placement: Placement::Aligned, messages: 1, bytes: 1, rows }
    }

    const QUIET: f64 = 1.5;
    const SHARED: f64 = 0.9;

    #[test]
    fn quiet_samples_are_judged_apart() {
        let cell = cell(vec![
            row("manyhash", Standing::Ours, &[(10.0, QUIET), (10.0, QUIET), (11.0, QUIET), (90.0, SHARED), (90.0, SHARED)]),
            row("slow", Standing::Peer, &[(40.0, QUIET); 5]),
            row("fast", Standing::Peer, &[(30.0, QUIET); 5]),
            row("other digest", Standing::OtherDigest, &[(1.0, QUIET); 5]),
        ]);
        assert!(cell.by_quiet());
        assert_eq!(cell.ours().unwrap().quiet_ns(), Some(10.0));
        assert_eq!(cell.ours().unwrap().all_ns(), 11.0);
        assert_eq!(cell.best_peer().unwrap().peer, "fast");
        assert_eq!(cell.ratio_to(cell.best_peer().unwrap()), Some(3.0));
    }

    #[test]
    fn too_few_quiet_samples_of_one_and_all_are_judged_by_everything() {
        let cell = cell(vec![
            row("manyhash", Standing::Ours, &[(10.0, QUIET), (20.0, SHARED), (20.0, SHARED)]),
            row("peer", Standing::Peer, &[(30.0, QUIET), (30.0, QUIET), (30.0, QUIET)]),
        ]);
        assert!(!cell.by_quiet());
        assert_eq!(cell.ratio_to(cell.best_peer().unwrap()), Some(1.5));
    }

    #[test]
    fn time_on_the_cpu_leaves_out_other_processes() {
        let mut row = row("peer", Standing::Peer, &[(10.0, QUIET), (40.0, QUIET), (12.0, SHARED)]);
        assert_eq!((row.all_ns(), row.cpu_ns()), (12.0, 12.0));
        row.samples[1].cpu_share = Some(0.25);
        row.samples[2].cpu_share = Some(0.5);
        assert_eq!(row.cpu_ns(), 10.0);
    }

    #[test]
    fn processes_are_judged_by_the_median_of_their_medians() {
        let mut pooled = row("peer", Standing::Peer, &[(10.0, QUIET), (10.0, QUIET), (10.0, QUIET), (99.0, SHARED), (99.0, SHARED)]);
        for (process, call_ns) in [(1, 20.0), (2, 30.0)] {
            let samples = row("peer", Standing::Peer, &[(call_ns, QUIET); 9]).samples;
            pooled.samples.extend(samples.into_iter().map(|sample| Sample { process, ..sample }));
        }
        assert_eq!((pooled.quiet_ns(), pooled.all_ns()), (Some(20.0), 20.0));
        pooled.samples.iter_mut().filter(|sample| sample.process == 2).for_each(|sample| sample.overlap = Some(SHARED));
        assert_eq!(pooled.quiet_ns(), Some(15.0), "two of three processes were quiet");
        pooled.samples.iter_mut().filter(|sample| sample.process == 1).for_each(|sample| sample.overlap = Some(SHARED));
        assert_eq!(pooled.quiet_ns(), None, "one of three");
    }

    fn lineup(digest: [u8; 1]) -> Lineup<1> {
        Lineup {
            algorithm: "first byte",
            peers: vec![Peer::for_test("constant", move |_, digests| digests.fill(digest))],
            reference: |message| [message[0]],
        }
    }

    #[test]
    fn a_wrong_digest_stops_the_contest() {
        let workload = crate::workloads::all(true).unwrap().remove(0);
        let effort = Effort { samples: 2, most_samples: 2, sample: Duration::from_nanos(1), cell: Duration::ZERO };
        let messages: Vec<&[u8]> = vec![&[7, 1], &[7, 2]];
        let run = |digest| run(&mut lineup(digest), &workload, Placement::Aligned, &messages, None, effort);
        let cell = run([7]).unwrap();
        assert_eq!(cell.rows[0].samples.len(), 2);
        let error = run([8]).err().unwrap().to_string();
        assert_eq!(error, "first byte a aligned: constant: wrong digest of message 0 (2 bytes)");
    }
}
