//! `batcher`: threads that share one `Batcher`, beside threads that call OpenSSL for each message;
//! and what waiting adds at low load.

use std::collections::VecDeque;
use std::ffi::CString;
use std::hint::black_box;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use manyhash::Algorithm;
use manyhash::batcher::{Batcher, Pending, Settings};
use manyhash::hmac::Key;
use serde::{Serialize, Serializer};

use crate::hmac::secrets;
use crate::peers::evp_mac::EvpMac;
use crate::peers::hmac::{self, ForTagLineup, Secret, TagLineup};
use crate::peers::openssl::EvpDigest;
use crate::report::Table;
use crate::run::{Run, RunArguments};
use manyhash_measure::Random;
use manyhash_measure::timing;

/// The options of the mode.
#[derive(clap::Args)]
pub struct BatcherArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Messages that each thread keeps in flight; beside it, one is always measured.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = crate::at_least_one)]
    window: usize,
    /// Numbers of threads that ask.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 4, 8], value_parser = crate::at_least_one)]
    threads: Vec<usize>,
    /// Threads of the batcher: as many as there are CPUs, if not given.
    #[arg(long, value_name = "N", default_value_t = Settings::default().workers, value_parser = crate::at_least_one)]
    workers: usize,
    /// The batcher's longest wait, in microseconds.
    #[arg(long, value_name = "US", default_value_t = 50)]
    longest_wait_us: u64,
}

const MESSAGE_BYTES: [usize; 3] = [64, 256, 4096];
/// Each thread's own, over and over.
const MESSAGES_PER_THREAD: usize = 64;
/// Threads are counted so long for a sample.
const SAMPLE: Duration = Duration::from_millis(100);
const QUICK_SAMPLE: Duration = Duration::from_millis(5);
/// At low load one request is made in each interval.
const INTERVAL: Duration = Duration::from_millis(1);
/// How many requests are made of one kind, and then of the other.
const TURN_REQUESTS: usize = 200;
/// How many turns each kind has.
const TURNS: usize = 10;
const QUICK_TURN_REQUESTS: usize = 5;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Work {
    Hash,
    Tag,
}

impl Work {
    const ALL: [Self; 2] = [Self::Hash, Self::Tag];

    fn of(self, algorithm: &str) -> String {
        match self {
            Self::Hash => algorithm.to_string(),
            Self::Tag => format!("HMAC-{algorithm}"),
        }
    }
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// OpenSSL, in the thread that asks, fetched once for each thread.
    OpenSsl,
    /// The batcher, with this number of messages in flight for each thread.
    Batcher { window: usize },
}

impl Serialize for Way {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&match self {
            Self::OpenSsl => "openssl".to_string(),
            Self::Batcher { window } => format!("batcher, {window} in flight"),
        })
    }
}

/// Messages a second, all threads together.
#[derive(Serialize)]
struct Row {
    way: Way,
    samples: Vec<f64>,
    median: f64,
    /// What the batcher says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<Batches>,
}

/// How a batcher's batches were, on average.
#[derive(Clone, Copy, Debug, Serialize)]
struct Batches {
    messages: f64,
    /// Of the lanes, 1 if none was ever idle.
    occupancy: f64,
}

#[derive(Serialize)]
struct Throughput {
    algorithm: String,
    bytes: usize,
    threads: usize,
    rows: Vec<Row>,
}

/// In nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
struct Latency {
    median_ns: f64,
    p99_ns: f64,
    max_ns: f64,
}

impl Latency {
    fn of(times_ns: &[f64]) -> Self {
        let quantile = |share| timing::quantile(times_ns.to_vec(), share).unwrap_or(f64::NAN);
        Self { median_ns: quantile(0.5), p99_ns: quantile(0.99), max_ns: quantile(1.0) }
    }
}

#[derive(Serialize)]
struct LowLoad {
    algorithm: String,
    bytes: usize,
    requests: usize,
    batcher: Latency,
    openssl: Latency,
}

#[derive(Default, Serialize)]
struct Measured {
    throughput: Vec<Throughput>,
    low_load: Vec<LowLoad>,
}

/// Runs the mode.
pub fn run(arguments: &BatcherArguments) -> Result<()> {
    let algorithms = arguments.run.algorithms_or(&[manyhash::Sha256::NAME])?;
    let run = Run::begin_on_all_cpus(&arguments.run, SAMPLE, Duration::from_secs(60))?;
    let out = &mut io::stdout().lock();
    run.header(out)?;
    let cpus = thread::available_parallelism().context("asking how many CPUs are allowed")?;
    let (workers, wait) = (arguments.workers, arguments.longest_wait_us);
    writeln!(out, "\n{cpus} CPUs; the batcher has {workers} worker(s) and waits at most {wait} us")?;
    let mut measured = Measured::default();
    for algorithm in algorithms {
        let part = hmac::with(algorithm, Measure { arguments, samples: run.effort.samples, sink: out })?;
        measured.throughput.extend(part.throughput);
        measured.low_load.extend(part.low_load);
    }
    run.finish(out, "batcher", &measured)
}

type Message = &'static [u8];

/// What every thread needs to ask.
struct Bench<A: Algorithm> {
    secret: Secret,
    key: Arc<Key<A>>,
    settings: Settings,
    /// OpenSSL's name of the digest.
    digest: CString,
}

/// OpenSSL as one thread has it.
struct OpenSsl {
    digest: EvpDigest,
    mac: EvpMac,
}

impl OpenSsl {
    fn answer<const N: usize>(&mut self, work: Work, message: &[u8]) -> [u8; N] {
        match work {
            Work::Hash => self.digest.hash(message),
            Work::Tag => self.mac.tag(&[message]),
        }
    }
}

impl<A: Algorithm<Digest = [u8; N]>, const N: usize> Bench<A> {
    fn openssl(&self) -> Result<OpenSsl> {
        Ok(OpenSsl { digest: EvpDigest::new(A::NAME)?, mac: EvpMac::new(&self.digest, &self.secret)? })
    }

    fn batcher(&self) -> Result<Batcher<A, Message>> {
        Batcher::new(self.settings).context("starting a batcher")
    }

    fn ask(&self, batcher: &Batcher<A, Message>, work: Work, message: Message) -> Pending<A, Message> {
        match work {
            Work::Hash => batcher.hash(message),
            Work::Tag => batcher.tag(&self.key, message),
        }
    }

    /// Compares both ways' answers with another library's.
    fn verify(&self, lineup: &TagLineup<N>, work: Work, batcher: &Batcher<A, Message>, messages: &[Message]) -> Result<()> {
        let mut openssl = self.openssl()?;
        let pending: Vec<_> = messages.iter().map(|message| self.ask(batcher, work, message)).collect();
        for (message, pending) in messages.iter().zip(pending) {
            let expected = match work {
                Work::Hash => (lineup.digest_reference)(message),
                Work::Tag => (lineup.reference)(&self.secret, message),
            };
            let of = || format!("{} of {} bytes", work.of(A::NAME), message.len());
            ensure!(openssl.answer::<N>(work, message) == expected, "openssl: wrong {}", of());
            ensure!(pending.wait().with_context(of)? == expected, "batcher: wrong {}", of());
        }
        Ok(())
    }

    /// Messages a second that threads, one for each list of messages, got answers for.
    fn sample(&self, way: Way, work: Work, batcher: &Batcher<A, Message>, messages: &[Vec<Message>], sample: Duration) -> Result<f64> {
        let (start, stop) = (&Barrier::new(messages.len() + 1), &AtomicBool::new(false));
        thread::scope(|scope| {
            let asking: Vec<_> = messages
                .iter()
                .map(|messages| {
                    scope.spawn(move || {
                        let openssl = self.openssl();
                        start.wait();
                        match way {
                            Way::OpenSsl => Ok(call_by_call::<N>(openssl?, work, messages, stop)),
                            Way::Batcher { window } => self.in_flight(window, work, batcher, messages, stop),
                        }
                    })
                })
                .collect();
            start.wait();
            let begin = Instant::now();
            thread::sleep(sample);
            stop.store(true, Ordering::Relaxed);
            let elapsed = begin.elapsed();
            let answers = asking.into_iter().map(|thread| thread.join().expect("a thread that asks does not panic"));
            Ok(answers.sum::<Result<u64>>()? as f64 / elapsed.as_secs_f64())
        })
    }

    /// Keeps `window` messages in flight, and counts the answers.
    fn in_flight(&self, window: usize, work: Work, batcher: &Batcher<A, Message>, messages: &[Message], stop: &AtomicBool) -> Result<u64> {
        let mut messages = messages.iter().cycle();
        let mut next = || messages.next().map(|message| self.ask(batcher, work, message)).expect("messages go on");
        let mut in_flight: VecDeque<_> = (0..window).map(|_| next()).collect();
        let mut answers = 0;
        while !stop.load(Ordering::Relaxed) {
            let oldest = in_flight.pop_front().expect("a window of at least one");
            black_box(oldest.wait()?);
            answers += 1;
            in_flight.push_back(next());
        }
        Ok(answers)
    }
}

/// Counts what OpenSSL answers.
fn call_by_call<const N: usize>(mut openssl: OpenSsl, work: Work, messages: &[Message], stop: &AtomicBool) -> u64 {
    let mut answers = 0;
    for message in messages.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        black_box(openssl.answer::<N>(work, message));
        answers += 1;
    }
    answers
}

/// `count` lists of messages, of which a batcher can take what it likes: they stay until the
/// process ends.
fn messages(count: usize, bytes: usize) -> Vec<Vec<Message>> {
    let mut random = Random::new(bytes as u64);
    let mut message = || {
        let mut message = vec![0; bytes];
        random.fill(&mut message);
        &*message.leak()
    };
    (0..count).map(|_| (0..MESSAGES_PER_THREAD).map(|_| message()).collect()).collect()
}

struct Measure<'a> {
    arguments: &'a BatcherArguments,
    samples: usize,
    sink: &'a mut dyn Write,
}

impl ForTagLineup for Measure<'_> {
    type Output = Measured;
    fn run<A: Algorithm<Digest = [u8; N]>, const N: usize>(self, lineup: TagLineup<N>) -> Result<Measured> {
        let Self { arguments, samples, sink } = self;
        let [secret] = secrets(1)[..] else { unreachable!("asked for one") };
        let longest_wait = Duration::from_micros(arguments.longest_wait_us);
        let bench = Bench::<A> {
            secret,
            key: Arc::new(Key::new(&secret)),
            settings: Settings { workers: arguments.workers, longest_wait, ..Settings::default() },
            digest: CString::new(A::NAME).context("a name of OpenSSL's")?,
        };
        let most_threads = arguments.threads.iter().copied().max().unwrap_or(1);
        let quick = arguments.run.quick;
        let mut measured = Measured::default();
        for work in Work::ALL {
            for bytes in MESSAGE_BYTES {
                let messages = messages(most_threads, bytes);
                let batcher = bench.batcher()?;
                messages.iter().try_for_each(|messages| bench.verify(&lineup, work, &batcher, messages))?;
                let first = measured.throughput.len();
                for &threads in &arguments.threads {
                    let ways = ways(arguments.window);
                    let rows = throughput(&bench, &ways, work, &messages[..threads], (samples, if quick { QUICK_SAMPLE } else { SAMPLE }))?;
                    measured.throughput.push(Throughput { algorithm: work.of(A::NAME), bytes, threads, rows });
                }
                throughput_table(sink, &measured.throughput[first..])?;
                let low_load = low_load(&bench, work, &batcher, &messages[0], if quick { QUICK_TURN_REQUESTS } else { TURN_REQUESTS })?;
                low_load_line(sink, &low_load)?;
                sink.flush()?;
                measured.low_load.push(low_load);
                messages.iter().try_for_each(|messages| bench.verify(&lineup, work, &batcher, messages))?;
            }
        }
        Ok(measured)
    }
}

fn ways(window: usize) -> Vec<Way> {
    let mut ways = vec![Way::OpenSsl, Way::Batcher { window }, Way::Batcher { window: 1 }];
    ways.dedup();
    ways
}

/// Rounds in which each way has one sample, another one first each time. `effort`: rounds, and how
/// long a sample is.
fn throughput<A: Algorithm<Digest = [u8; N]>, const N: usize>(
    bench: &Bench<A>,
    ways: &[Way],
    work: Work,
    messages: &[Vec<Message>],
    effort: (usize, Duration),
) -> Result<Vec<Row>> {
    let (rounds, sample) = effort;
    let batchers = ways.iter().map(|_| bench.batcher()).collect::<Result<Vec<_>>>()?;
    let mut samples: Vec<Vec<f64>> = ways.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for turn in timing::turns(round, ways.len()) {
            samples[turn].push(bench.sample(ways[turn], work, &batchers[turn], messages, sample)?);
        }
    }
    let row = |((&way, batcher), samples): ((&Way, &Batcher<A, Message>), Vec<f64>)| Row {
        way,
        median: timing::median(samples.iter().copied()).unwrap_or(f64::NAN),
        samples,
        batches: matches!(way, Way::Batcher { .. }).then(|| {
            let metrics = batcher.metrics();
            Batches { messages: metrics.messages as f64 / metrics.batches.max(1) as f64, occupancy: metrics.occupancy() }
        }),
    };
    Ok(ways.iter().zip(&batchers).zip(samples).map(row).collect())
}

/// As a runtime does with a task: asks, sleeps until it is woken, and asks again. `Pending::wait`
/// would hash the message itself.
fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match Pin::new(&mut future).poll(&mut std::task::Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// One request every millisecond from one thread, answered by the batcher and by OpenSSL in turns.
fn low_load<A: Algorithm<Digest = [u8; N]>, const N: usize>(
    bench: &Bench<A>,
    work: Work,
    batcher: &Batcher<A, Message>,
    messages: &[Message],
    turn_requests: usize,
) -> Result<LowLoad> {
    let mut openssl = bench.openssl()?;
    let (mut of_batcher, mut of_openssl) = (Vec::new(), Vec::new());
    let mut due = Instant::now();
    let mut messages_again = messages.iter().copied().cycle();
    let mut next = || {
        due += INTERVAL;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        messages_again.next().expect("messages go on")
    };
    for _ in 0..TURNS {
        for _ in 0..turn_requests {
            let message = next();
            let begin = Instant::now();
            black_box(block_on(bench.ask(batcher, work, message))?);
            of_batcher.push(begin.elapsed().as_nanos() as f64);
        }
        for _ in 0..turn_requests {
            let message = next();
            let begin = Instant::now();
            black_box(openssl.answer::<N>(work, message));
            of_openssl.push(begin.elapsed().as_nanos() as f64);
        }
    }
    let bytes = messages.first().map_or(0, |message| message.len());
    let requests = of_batcher.len();
    Ok(LowLoad { algorithm: work.of(A::NAME), bytes, requests, batcher: Latency::of(&of_batcher), openssl: Latency::of(&of_openssl) })
}

/// A line for every number of threads.
fn throughput_table(out: &mut dyn Write, cells: &[Throughput]) -> io::Result<()> {
    let Some(first) = cells.first() else {
        return Ok(());
    };
    writeln!(
        out,
        "\n{}, messages of {} B: million messages a second, times those of OpenSSL, messages in a batch",
        first.algorithm, first.bytes
    )?;
    let mut table = Table::default();
    let mut heading = vec!["threads".to_string()];
    for row in &first.rows {
        match row.way {
            Way::OpenSsl => heading.push("openssl".into()),
            Way::Batcher { window } => heading.extend([format!("batcher, {window} in flight"), "ratio".into(), "a batch".into()]),
        }
    }
    table.row(heading);
    for cell in cells {
        let mut line = vec![cell.threads.to_string()];
        let openssl = cell.rows.iter().find(|row| row.way == Way::OpenSsl).map_or(f64::NAN, |row| row.median);
        for row in &cell.rows {
            line.push(format!("{:.3}", row.median / 1e6));
            if let Some(batches) = row.batches {
                line.extend([format!("{:.2}", row.median / openssl), format!("{:.1}", batches.messages)]);
            }
        }
        table.row(line);
    }
    table.write(out)
}

fn low_load_line(out: &mut dyn Write, low_load: &LowLoad) -> io::Result<()> {
    let text = |latency: Latency| {
        let [median, p99, max] = [latency.median_ns, latency.p99_ns, latency.max_ns].map(|ns| ns / 1e3);
        format!("{median:.1} / {p99:.1} / {max:.1}")
    };
    let LowLoad { batcher, openssl, requests, .. } = *low_load;
    let added_us = (batcher.p99_ns - openssl.p99_ns) / 1e3;
    writeln!(
        out,
        "one request a millisecond ({requests} of each), median / p99 / max in us: batcher {}, openssl {}",
        text(batcher),
        text(openssl)
    )?;
    writeln!(out, "added p99: {added_us:.1} us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_one_is_measured_once() {
        assert_eq!(ways(64), [Way::OpenSsl, Way::Batcher { window: 64 }, Way::Batcher { window: 1 }]);
        assert_eq!(ways(1), [Way::OpenSsl, Way::Batcher { window: 1 }]);
    }

    #[test]
    fn every_thread_has_messages_of_its_own() {
        let messages = messages(3, 16);
        assert_eq!(messages.iter().map(Vec::len).collect::<Vec<_>>(), [MESSAGES_PER_THREAD; 3]);
        assert!(messages[0][0] != messages[1][0] && messages[0][0] != messages[0][1]);
    }

    #[test]
    fn tails_are_told_apart() {
        let times: Vec<f64> = (1..=1000).map(f64::from).collect();
        let latency = Latency::of(&times);
        assert_eq!((latency.median_ns, latency.p99_ns, latency.max_ns), (500.0, 990.0, 1000.0));
    }
}
