//! Hashes a lazily read list of files on all cores and gives the results back in the order of the
//! list.
//!
//! ```text
//! source thread:  tasks ──> window (bounded) ──> workers: many files at once in lanes, or one by one
//!                              │                    │
//! caller's thread:  sink <── results in order <─────┘   reads streams here, alone, in their turn
//! ```
//!
//! Memory is bounded whatever the number and the size of the files: the window by its limits, the
//! buffers by a budget that the workers share. So is the number of open files: the lanes of all
//! workers, or what the system allows if that is less.
//!
//! Where the system allows no thread for the workers, the caller's thread does their work when no
//! result is ready; where it allows none at all, that of the source too, a task at a time.
//!
//! Streams (standard input, fifos, terminals) are read one after another because whoever writes
//! them may count on that: two fifos of one writer, or stdin named twice.

mod feed;
mod in_order;
mod in_turns;
mod lanes;
pub mod leaves;
#[cfg(test)]
mod tests;

use crate::algorithms::Algorithms;
use crate::order::window::{Front, Job, Limits, Load, Turn, Window};
use crate::read::{Disk, lending, stream};
use crate::task::{Finished, Hashed, Keeper, Part, Sink, Task};
use crate::threads::{self, unpoisoned};
use crate::totals::Totals;
use manyhash::with_algorithm;
use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::panic;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

pub use in_turns::in_turns;

/// The most workers: more would take more memory than is promised, because their lanes need some
/// however small the budget is.
pub const MAX_WORKERS: usize = 128;

/// Buffer memory of all workers together; with the window and the program itself it stays well
/// below 64 MiB.
const BUFFER_BYTES: usize = 24 << 20;

/// What files are hashed as.
#[derive(Clone)]
pub enum Hashing {
    /// Messages, each file or part of a file one: in lanes, or by a lone worker one after the
    /// other.
    Messages,
    /// Messages in lanes, even if there is only one worker.
    InLanes,
    /// Messages in lanes, by clones of these [`Readers`](manyhash::Readers), which must be of the
    /// tasks' only algorithm. Streams cannot be hashed in this way.
    Readers(Arc<dyn Any + Send + Sync>),
    /// Contents: a function makes something of files that are in memory, many at once. The tasks
    /// have no algorithms then, and no file is larger than a worker's buffer.
    Contents(Arc<HashContents>),
}

/// A function that makes of the contents of some files what
/// [`Digests::bytes`](crate::Digests::bytes) gives for each.
pub type HashContents = dyn Fn(&[&[u8]]) -> Vec<Vec<u8>> + Send + Sync;

/// Settings of a run of [`hash_files`].
#[derive(Clone)]
pub struct Settings {
    /// The number of threads that hash.
    pub workers: usize,
    /// How far the source is read ahead of the results.
    pub limits: Limits,
    /// Buffer memory of all workers together.
    pub buffer_bytes: usize,
    /// What files are hashed as.
    pub hashing: Hashing,
    /// Whether large files that are in memory are hashed where the system has them, and not copied.
    pub is_lending: bool,
    /// Is told of each file as soon as it is hashed.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// The counts that the run keeps up to date.
    pub totals: Arc<Totals>,
}

impl Settings {
    /// Settings with `workers` threads, the usual window and the usual memory, for messages.
    pub fn new(workers: usize) -> Self {
        // A lone worker takes files in their order; several share them out better the largest
        // first.
        let batch_tasks = if workers == 1 { 1 } else { 1024 };
        let limits = Limits { tasks: 16 << 10, path_bytes: 4 << 20, batch_tasks };
        let (hashing, keeper, totals) = (Hashing::Messages, None, Arc::default());
        Self { workers, limits, buffer_bytes: BUFFER_BYTES, hashing, is_lending: lending::is_faster(), keeper, totals }
    }
}

/// One worker for each CPU, but no more than [`MAX_WORKERS`].
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS)
}

/// What the threads share.
struct Shared {
    settings: Settings,
    totals: Arc<Totals>,
    state: Mutex<State>,
    /// Signals that jobs came, or that none will come any more.
    jobs: Condvar,
    /// Signals that the window has room, or that nobody wants results any more.
    room: Condvar,
    /// Signals that results are ready, that they are urgent, or that no more will come.
    results: Condvar,
}

struct State {
    window: Window,
    first_found: Option<Instant>,
    /// Whether the source has no more tasks.
    all_found: bool,
    /// Whether the caller has its results or gave up: then every thread stops.
    stopped: bool,
    panicked: bool,
    started_workers: usize,
    /// How many of the started workers have no file, those included that are only just starting.
    idle_workers: usize,
    /// Whether the system allows no thread for a worker: then the caller's thread does the work,
    /// and no thread is asked for again.
    caller_works: bool,
    caller: Caller,
}

/// What the caller's thread does at the moment, so that it is not woken for nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// It gives results to the sink.
    Busy,
    /// It waits for the front of the window.
    Waiting,
    /// It lets results gather for a moment.
    Resting,
}

/// Does all tasks of `source`, which is read on a thread of its own no further ahead than the
/// window allows, and gives their results to `sink` in the same order.
///
/// # Errors
/// The sink's first error: it ends the run.
///
/// # Panics
/// If a thread of the run panicked. That is a defect of this program, which the thread has reported.
pub fn hash_files<T: Send + 'static>(
    source: impl Iterator<Item = Task<T>> + Send + 'static,
    settings: &Settings,
    sink: &mut impl Sink<T>,
) -> io::Result<()> {
    let labels = Arc::<Labels<T>>::default();
    let of_source = Arc::clone(&labels);
    let source = source.map(move |Task { label, path, work }| {
        unpoisoned(of_source.lock()).push_back(label);
        Task { label: (), path, work }
    });
    run(Box::new(source), settings, &mut Labelled { labels: &labels, sink })
}

/// Labels of tasks whose results are not yet given out. They keep their order, as results do, so
/// that the threads need not know of them and are compiled once for all kinds of labels.
type Labels<T> = Mutex<VecDeque<T>>;

/// A sink that gives results the labels of their tasks and hands them on to another sink.
struct Labelled<'a, T, S> {
    labels: &'a Labels<T>,
    sink: &'a mut S,
}

impl<T, S: Sink<T>> Sink<()> for Labelled<'_, T, S> {
    fn take(&mut self, Finished { path, outcome, .. }: Finished<()>) -> io::Result<()> {
        let label = unpoisoned(self.labels.lock()).pop_front();
        #[expect(clippy::expect_used, reason = "the label of a task is there before the task, and each task has one result")]
        let label = label.expect("each task has a label");
        self.sink.take(Finished { label, path, outcome })
    }

    fn idle(&mut self) -> io::Result<()> {
        self.sink.idle()
    }
}

type Source = Box<dyn Iterator<Item = Task<()>> + Send>;

/// [`hash_files`] for tasks without labels.
fn run(source: Source, settings: &Settings, sink: &mut dyn Sink<()>) -> io::Result<()> {
    let shared = Arc::new(Shared {
        settings: settings.clone(),
        totals: Arc::clone(&settings.totals),
        state: Mutex::new(State {
            window: Window::new(settings.limits),
            first_found: None,
            all_found: false,
            stopped: false,
            panicked: false,
            started_workers: 0,
            idle_workers: 0,
            caller_works: false,
            caller: Caller::Busy,
        }),
        jobs: Condvar::new(),
        room: Condvar::new(),
        results: Condvar::new(),
    });
    // Threads are not joined: when the sink fails, one may be waiting for input that never comes.
    let own_source = spawn(&shared, "source", source, find).err();
    if own_source.is_some() {
        shared.lock().caller_works = true;
    }
    let result = give_out(&shared, own_source, sink);
    let mut state = shared.lock();
    state.stopped = true;
    let has_panicked = state.panicked;
    drop(state);
    shared.jobs.notify_all();
    shared.room.notify_all();
    if has_panicked {
        // The panic goes on in this thread. The other one has said why.
        panic::resume_unwind(Box::new("a thread of the pipeline panicked"));
    }
    result
}

/// Starts a thread that does `body` with `what`, and whose panic ends the run. Gives `what` back if
/// the system allows no thread.
fn spawn<W: Send + 'static>(
    shared: &Arc<Shared>,
    name: &str,
    what: W,
    body: impl FnOnce(W, &Arc<Shared>) + Send + 'static,
) -> Result<(), W> {
    let shared = Arc::clone(shared);
    let body = move |what| {
        let _guard = threads::if_panicking(|| {
            shared.lock().panicked = true;
            shared.results.notify_all();
        });
        body(what, &shared);
    };
    threads::start(name, what, body).map(drop).map_err(|(what, _)| what)
}

/// Reads the source into the window, and starts workers as files turn up.
fn find(source: Source, shared: &Arc<Shared>) {
    let mut announced = Announced::new();
    for task in source {
        shared.totals.found(&task.work);
        let mut state = shared.lock();
        while !state.window.has_room() && !state.stopped {
            shared.announce(&state);
            state = unpoisoned(shared.room.wait(state));
        }
        if state.stopped {
            return;
        }
        state.window.push(task);
        state.first_found.get_or_insert_with(Instant::now);
        start_workers(shared, &mut state);
        if announced.is_due() {
            shared.announce(&state);
        }
    }
    shared.totals.found_all();
    let mut state = shared.lock();
    state.all_found = true;
    shared.announce(&state);
}

/// Decides when to tell the other threads of new tasks: telling of each alone would cost more than
/// hashing a small file.
struct Announced {
    tasks: usize,
    last: Option<Instant>,
}

impl Announced {
    const EVERY_TASKS: usize = 32;
    const EVERY: Duration = Duration::from_micros(200);

    fn new() -> Self {
        Self { tasks: 0, last: None }
    }

    fn is_due(&mut self) -> bool {
        self.tasks += 1;
        let is_due = self.tasks >= Self::EVERY_TASKS || self.last.is_none_or(|last| last.elapsed() >= Self::EVERY);
        if is_due {
            *self = Self { tasks: 0, last: Some(Instant::now()) };
        }
        is_due
    }
}

/// Starts as many workers as there are files that no idle worker will take.
fn start_workers(shared: &Arc<Shared>, state: &mut State) {
    if state.caller_works {
        return;
    }
    let wanted = state.window.waiting_jobs().saturating_sub(state.idle_workers);
    for _ in 0..wanted.min(shared.settings.workers - state.started_workers) {
        if spawn(shared, "worker", (), |(), shared| work(shared, shared.wait_for_job())).is_err() {
            // The system allows no more threads: those that run will do it all, or the caller's
            // will.
            state.caller_works = state.started_workers == 0;
            shared.tell_caller(state);
            return;
        }
        state.started_workers += 1;
        state.idle_workers += 1;
    }
}

/// Hashes files from `first` on until none are left; the caller's thread only until none is ready.
fn work(shared: &Shared, first: Option<Job>) {
    let mut next = first;
    let disk = Disk::default();
    // One that is used again and again need not be paged in again.
    let mut buffer = Vec::new();
    while let Some(job) = next {
        next = match job.algorithms.only() {
            Some(algorithm) if shared.is_for_lanes(&job, &disk) => {
                with_algorithm!(algorithm, A => lanes::serve::<A>(shared, algorithm, job, &disk))
            }
            _ => in_order::serve(shared, job, &disk, &mut buffer),
        };
    }
}

/// Gives results to the sink as long as there are any to come. Reads the source if no other thread
/// does.
fn give_out(shared: &Shared, mut own_source: Option<Source>, sink: &mut dyn Sink<()>) -> io::Result<()> {
    /// How long the caller's thread rests after each round, so that results come out together and
    /// not with a wake-up each.
    const REST: Duration = Duration::from_millis(1);
    /// The most results taken out of the window at once, so that there are never two windows full
    /// of them.
    const ROUND_TASKS: usize = 512;
    let mut turns = Vec::new();
    loop {
        let mut state = shared.lock();
        while state.window.front() != Front::Ready {
            if state.panicked || state.all_found && state.window.front() == Front::Empty {
                return Ok(());
            }
            state = if state.is_for_the_caller() {
                let job = state.window.take();
                state.caller = Caller::Busy;
                drop(state);
                work(shared, job);
                shared.lock()
            } else if let Some(source) = &mut own_source {
                drop(state);
                let task = source.next().inspect(|task| shared.totals.found(&task.work));
                let mut state = shared.lock();
                match task {
                    Some(task) => state.window.push(task),
                    None => {
                        shared.totals.found_all();
                        state.all_found = true;
                    }
                }
                state
            } else {
                state.caller = Caller::Waiting;
                shared.doze(&shared.results, state, |state| state.window.front() != Front::Ready && !state.is_for_the_caller())
            };
        }
        state.caller = Caller::Busy;
        turns.extend(std::iter::from_fn(|| state.window.pop()).take(ROUND_TASKS));
        drop(state);
        shared.room.notify_one();
        for turn in turns.drain(..) {
            match turn {
                Turn::Finished(finished) => sink.take(finished)?,
                Turn::Stream(path, algorithms) => {
                    sink.idle()?;
                    let outcome = Some(stream::hash(&path, algorithms, &shared.totals));
                    sink.take(Finished { label: (), path, outcome })?;
                }
            }
        }
        sink.idle()?;
        let mut state = shared.lock();
        if state.caller_works {
            continue;
        }
        state.caller = Caller::Resting;
        let may_rest = |state: &mut State| !state.is_urgent() && !state.is_for_the_caller();
        drop(unpoisoned(shared.results.wait_timeout_while(state, REST, may_rest)));
    }
}

impl State {
    /// Whether the caller should give out results now.
    fn is_urgent(&self) -> bool {
        self.panicked || self.window.is_urgent() || (self.all_found && self.window.is_hashed())
    }

    /// Whether a file waits for the caller's thread.
    fn is_for_the_caller(&self) -> bool {
        self.caller_works && self.window.waiting_jobs() > 0
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Waits for `condition`. Tasks that come soon after an announcement are not announced before
    /// the next one comes, so this wakes by itself once, later than any such task, and waits again
    /// only if it `is_in_vain` to go on.
    fn doze<'a>(&self, condition: &Condvar, state: MutexGuard<'a, State>, is_in_vain: impl Fn(&State) -> bool) -> MutexGuard<'a, State> {
        let (state, told) = unpoisoned(condition.wait_timeout(state, 4 * Announced::EVERY));
        if told.timed_out() && is_in_vain(&state) && !state.all_found && !state.panicked && !state.stopped {
            return unpoisoned(condition.wait(state));
        }
        state
    }

    /// Tells idle workers and the caller's thread that tasks came.
    fn announce(&self, state: &State) {
        if state.idle_workers > 0 {
            self.jobs.notify_all();
        }
        self.tell_caller(state);
    }

    /// Wakes the caller's thread if there is what it waits for.
    fn tell_caller(&self, state: &State) {
        let concerns_it = match state.caller {
            Caller::Busy => false,
            Caller::Waiting => match state.window.front() {
                Front::Ready => true,
                Front::Empty => state.all_found,
                Front::Waiting => state.is_for_the_caller(),
            },
            Caller::Resting => state.is_urgent() || state.is_for_the_caller(),
        };
        if concerns_it {
            self.results.notify_one();
        }
    }

    /// How many workers have no file now, and will have none of those that wait.
    fn free_workers(&self) -> usize {
        let state = self.lock();
        let without = self.settings.workers - state.started_workers + state.idle_workers;
        without.saturating_sub(state.window.waiting_jobs())
    }

    /// The bytes that one worker's buffers may take.
    fn buffer_bytes(&self) -> usize {
        self.settings.buffer_bytes / self.settings.workers
    }

    /// Whether this file is hashed in lanes, beside others. A lone worker has large files there as
    /// long as they do not have to wait for `disk`, and reads the rest one after the other: that is
    /// for disks with moving parts.
    fn is_for_lanes(&self, job: &Job, disk: &Disk) -> bool {
        job.algorithms.only().is_some()
            && match self.settings.hashing {
                Hashing::Messages => self.settings.workers > 1 || (job.size_bytes >= feed::LARGE_BYTES && !disk.may_be_slow()),
                Hashing::InLanes | Hashing::Readers(_) => true,
                Hashing::Contents(_) => false,
            }
    }

    /// How long files are gathered before the first one is hashed.
    const GATHERING: Duration = Duration::from_millis(1);

    /// Whether workers should wait until more is known of what there is to do. Otherwise the first
    /// of them would fill its lanes with the largest files before the others begin.
    fn is_gathering(&self, state: &State) -> bool {
        self.settings.workers > 1
            && !state.all_found
            && state.window.waiting_jobs() < self.settings.limits.tasks.min(64 * self.settings.workers)
            && state.first_found.is_some_and(|first_found| first_found.elapsed() < Self::GATHERING)
    }

    /// Waits for the next file for an idle worker, and gives it; nothing when all is done.
    fn wait_for_job(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if self.is_gathering(&state) {
                state = unpoisoned(self.jobs.wait_timeout(state, Self::GATHERING)).0;
                continue;
            }
            if let Some(job) = state.window.take() {
                state.idle_workers -= 1;
                return Some(job);
            }
            if state.all_found {
                return None;
            }
            state = self.doze(&self.jobs, state, |state| state.window.waiting_jobs() == 0);
        }
    }

    /// Waits for the next file for a worker that has just run out of files. The caller's thread
    /// gets nothing if it would have to wait: it has other things to do.
    fn wait_for_another_job(&self) -> Option<Job> {
        let mut state = self.lock();
        if state.caller_works {
            return None;
        }
        state.idle_workers += 1;
        drop(state);
        self.wait_for_job()
    }

    /// The next file for a worker that holds others, if there is one for the same algorithms that
    /// leaves the other workers their share.
    fn try_job(&self, algorithms: Algorithms, held: Load) -> Option<Job> {
        let mut state = self.lock();
        let all_found = state.all_found;
        if state.stopped { None } else { state.window.take_another(algorithms, held, self.settings.workers, all_found) }
    }

    /// Puts results of jobs in their places in the window, all at once, so that the caller is woken
    /// once.
    fn finish(&self, finished: Vec<(Job, io::Result<Hashed>)>) {
        for (job, result) in &finished {
            if job.part.is_first() {
                self.totals.done();
            }
            if let (Some(keeper), Ok(hashed), Part::Whole) = (&self.settings.keeper, result, job.part) {
                keeper.keep(&job.path, hashed);
            }
        }
        let mut state = self.lock();
        for (job, result) in finished {
            state.window.finish(job, result);
        }
        self.tell_caller(&state);
    }
}
