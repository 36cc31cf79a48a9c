//! Jobs against a serial model: the same calls with a `Hasher`, and whole messages for the oracle.

use crate::support::{Random, expected, hex, paint};
use manyhash::hmac::Key;
use manyhash::jobs::{Job, Jobs};
use manyhash::{Algorithm, Sha256, Sha512, hash};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// A handle and its job.
type Open<A> = (usize, Job<A, usize, Vec<u8>>);

/// Jobs and what should come of them.
struct Model<A: Algorithm> {
    jobs: Jobs<A, usize, Vec<u8>>,
    open: VecDeque<Open<A>>,
    /// Of every job that was ever opened.
    messages: Vec<Vec<u8>>,
    keys: HashMap<usize, Key<A>>,
    complete: HashMap<usize, bool>,
}

impl<A: Algorithm> Model<A> {
    fn new() -> Self {
        let (open, messages) = (VecDeque::new(), Vec::new());
        Self { jobs: Jobs::new(), open, messages, keys: HashMap::new(), complete: HashMap::new() }
    }

    fn open(&mut self, key: Option<usize>) {
        let handle = self.messages.len();
        self.messages.push(Vec::new());
        let job = match key.filter(|_| A::HAS_HMAC) {
            Some(bytes) => {
                let key = Key::new(&paint(handle, bytes));
                let job = self.jobs.open_tagged(handle, &key);
                self.keys.insert(handle, key);
                job
            }
            None => self.jobs.open(handle),
        };
        self.open.push_back((handle, job));
    }

    fn feed(&mut self, which: usize, bytes: usize) {
        if self.open.is_empty() {
            return;
        }
        let which = which % self.open.len();
        let (handle, job) = &mut self.open[which];
        let piece = paint(*handle + self.messages[*handle].len(), bytes);
        self.messages[*handle].extend_from_slice(&piece);
        job.feed(piece);
    }

    fn finish(&mut self, which: usize) {
        if let Some((handle, job)) = self.take(which) {
            self.complete.insert(handle, false);
            job.finish();
        }
    }

    fn abandon(&mut self, which: usize) {
        drop(self.take(which));
    }

    fn take(&mut self, which: usize) -> Option<Open<A>> {
        let count = self.open.len().max(1);
        self.open.remove(which % count)
    }

    fn compute(&mut self, all: bool) {
        let Self { jobs, messages, keys, complete, .. } = self;
        let finished = |handle: usize, digest: A::Digest| {
            let given = complete.get_mut(&handle).expect("only complete jobs have a digest");
            assert!(!std::mem::replace(given, true), "job {handle} ended twice");
            let message = &messages[handle];
            let expected = match keys.get(&handle) {
                Some(key) => key.tag(message),
                None => hash::<A>(message),
            };
            assert_eq!(hex(digest.as_ref()), hex(expected.as_ref()), "{} job {handle}, {} bytes", A::NAME, message.len());
        };
        if all {
            jobs.flush(finished)
        } else {
            jobs.run_full_lanes(finished)
        }
        assert_eq!(jobs.open_jobs(), self.open.len());
    }

    fn end(mut self) {
        self.compute(true);
        let missing: Vec<_> = self.complete.iter().filter(|(_, given)| !**given).collect();
        assert!(missing.is_empty(), "no digest for {missing:?}");
        assert_eq!(self.jobs.ready_jobs(), 0);
        self.open.clear();
        self.compute(true);
        assert_eq!((self.jobs.open_jobs(), self.jobs.ready_jobs(), self.jobs.waiting_bytes()), (0, 0, 0));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Open(Option<usize>),
    Feed(usize, usize),
    Finish(usize),
    Abandon(usize),
    Poll,
    Flush,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let piece = prop_oneof![0..4usize, 50..70usize, 100..140usize, 250..260usize, 0..5000usize, Just(0), Just(64), Just(128)];
    let step = prop_oneof![
        4 => proptest::option::weighted(0.3, 0..200usize).prop_map(Step::Open),
        12 => (any::<usize>(), piece).prop_map(|(which, bytes)| Step::Feed(which, bytes)),
        3 => any::<usize>().prop_map(Step::Finish),
        1 => any::<usize>().prop_map(Step::Abandon),
        2 => Just(Step::Poll),
        1 => Just(Step::Flush),
    ];
    proptest::collection::vec(step, 0..400)
}

fn follow<A: Algorithm>(steps: Vec<Step>) {
    let mut model = Model::<A>::new();
    for step in steps {
        match step {
            Step::Open(key) => model.open(key),
            Step::Feed(which, bytes) => model.feed(which, bytes),
            Step::Finish(which) => model.finish(which),
            Step::Abandon(which) => model.abandon(which),
            Step::Poll => model.compute(false),
            Step::Flush => model.compute(true),
        }
    }
    model.end();
}

fn any_trace_is_what_a_serial_hasher_makes_of_it<A: Algorithm>() {
    proptest!(ProptestConfig::with_cases(60), |(steps in steps())| follow::<A>(steps));
}
manyhash::for_each_algorithm!(per_algorithm[any_trace_is_what_a_serial_hasher_makes_of_it]);

fn thousands_of_jobs<A: Algorithm>() {
    let (seed, mut random) = Random::replayable(0x10b5);
    println!("MANYHASH_TEST_SEED={seed}");
    let mut model = Model::<A>::new();
    for _ in 0..30_000 {
        match random.below(20) {
            0..=3 => model.open([None, Some(20)][random.below(2)]),
            4..=14 => {
                let bytes = random.one_of(&[0, 1, 63, 64, 65, 128, 300, 1500]);
                model.feed(random.below(1 << 20), bytes);
            }
            15..=17 => model.finish(random.below(1 << 20)),
            18 => model.abandon(random.below(1 << 20)),
            _ => model.compute(random.below(50) == 0),
        }
    }
    model.end();
}
manyhash::for_each_algorithm!(per_algorithm[thousands_of_jobs]);

fn every_split_in_two_and_three_around_the_edges_of_blocks<A: Algorithm>() {
    let edges = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 191, 192, 256];
    let mut splits = Vec::new();
    for first in edges {
        for second in edges {
            splits.push(vec![first, second]);
            // The trap: a whole block, then an end of no bytes.
            splits.push(vec![first, 0, second, 0]);
            splits.push(vec![first, second, 64]);
        }
    }
    for between in [false, true] {
        let jobs = Jobs::<A, usize, Vec<u8>>::new();
        let mut messages = Vec::new();
        let mut open: Vec<_> = (0..splits.len()).map(|i| jobs.open(i)).collect();
        for place in 0..4 {
            for (i, split) in splits.iter().enumerate() {
                if let Some(bytes) = split.get(place) {
                    open[i].feed(paint(i + place, *bytes));
                }
            }
            if between {
                jobs.flush(|_, _| panic!("none is complete"));
            }
        }
        for (i, split) in splits.iter().enumerate() {
            messages.push(split.iter().enumerate().flat_map(|(place, bytes)| paint(i + place, *bytes)).collect::<Vec<u8>>());
        }
        let expected = expected::<A>(&messages);
        open.into_iter().for_each(Job::finish);
        let mut count = 0;
        jobs.flush(|i, digest| {
            assert_eq!(hex(digest.as_ref()), hex(&expected[i]), "{} in {:?}, flushed between: {between}", A::NAME, splits[i]);
            count += 1;
        });
        assert_eq!(count, splits.len());
    }
}
manyhash::for_each_algorithm!(per_algorithm[every_split_in_two_and_three_around_the_edges_of_blocks]);

#[test]
fn a_poll_computes_full_waves_only_and_a_flush_the_rest() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    let lanes = manyhash::backend::Backend::in_use::<Sha256>().unwrap().lanes_of::<Sha256>().unwrap();
    let jobs = Jobs::<Sha256, usize, &[u8]>::new();
    let message = [7; 1000];
    let begin = |i: usize| {
        let mut job = jobs.open(i);
        job.feed(&message[..]);
        job.finish();
    };
    (1..lanes).for_each(begin);
    jobs.run_full_lanes(|_, _| panic!("a lane is idle"));
    begin(0);
    let mut ended = 0;
    jobs.run_full_lanes(|_, digest| {
        assert_eq!(digest, hash::<Sha256>(&message));
        ended += 1;
    });
    assert_eq!(ended, lanes);
    begin(1);
    let mut ended = 0;
    jobs.flush(|_, _| ended += 1);
    assert_eq!((ended, jobs.ready_jobs()), (1, 0));
}

#[test]
fn finished_may_use_the_jobs_and_what_it_leaves_comes_next_time() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    let jobs = Jobs::<Sha256, usize, &[u8]>::new();
    (0..5).for_each(|i| jobs.open(i).finish());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| jobs.flush(|_, _| panic!("on purpose"))));
    assert!(panicked.is_err());
    let order = RefCell::new(Vec::new());
    jobs.flush(|i, _| {
        order.borrow_mut().push(i);
        if i < 100 {
            let mut next = jobs.open(i + 100);
            next.feed(b"more");
            next.finish();
            drop(jobs.open(999));
        }
    });
    assert_eq!(order.borrow().len(), 4);
    jobs.flush(|i, digest| {
        assert_eq!(digest, hash::<Sha256>(b"more"));
        order.borrow_mut().push(i);
    });
    assert_eq!((order.borrow().len(), jobs.open_jobs()), (8, 0));
}

/// A piece that counts how many of its kind are alive, and may use the jobs when it is dropped.
struct Counted(Vec<u8>, Rc<Cell<usize>>);

impl Counted {
    fn new(bytes: usize, alive: &Rc<Cell<usize>>) -> Self {
        alive.set(alive.get() + 1);
        Self(vec![1; bytes], alive.clone())
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.set(self.1.get() - 1);
    }
}

#[test]
fn pieces_are_dropped_once_they_are_not_needed() {
    if crate::support::backends::forced_backend_lacks::<Sha512>() {
        return;
    }
    let alive = Rc::new(Cell::new(0));
    let jobs = Jobs::<Sha512, (), Counted>::new();
    let mut job = jobs.open(());
    job.feed(Counted::new(0, &alive));
    job.feed(Counted::new(100, &alive));
    assert_eq!((alive.get(), jobs.waiting_bytes(), jobs.ready_jobs()), (0, 100, 0), "less than a block is copied");
    job.feed(Counted::new(100, &alive));
    job.feed(Counted::new(1000, &alive));
    assert_eq!((alive.get(), jobs.waiting_bytes(), jobs.ready_jobs()), (2, 1200, 1));
    jobs.flush(|(), _| panic!("not complete"));
    assert_eq!((alive.get(), jobs.waiting_bytes(), jobs.ready_jobs()), (0, 1200 % 128, 0));
    job.feed(Counted::new(1000, &alive));
    let mut other = jobs.open(());
    other.feed(Counted::new(1000, &alive));
    drop(job);
    assert_eq!((alive.get(), jobs.waiting_bytes(), jobs.open_jobs(), jobs.ready_jobs()), (1, 1000, 1, 1), "a job given up half-fed");
    drop((other, jobs));
    assert_eq!(alive.get(), 0);
}

#[test]
fn a_piece_that_panics_in_a_run_makes_the_jobs_useless_and_says_so() {
    if crate::support::backends::forced_backend_lacks::<Sha256>() {
        return;
    }
    struct Trap(Cell<usize>);
    impl AsRef<[u8]> for Trap {
        fn as_ref(&self) -> &[u8] {
            self.0.set(self.0.get() + 1);
            if self.0.get() == 1 { &[0; 1000] } else { &[0; 10] }
        }
    }
    let jobs = Jobs::<Sha256, (), Trap>::new();
    let mut job = jobs.open(());
    job.feed(Trap(Cell::new(0)));
    let flush = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| jobs.flush(|(), _| {})));
    assert!(flush().is_err());
    let again = flush().unwrap_err();
    assert!(again.downcast_ref::<&str>().is_some_and(|text| text.contains("panicked")), "the second time, too");
    drop(job);
    assert_eq!((jobs.open_jobs(), jobs.ready_jobs()), (0, 0));
}

#[test]
fn debug_shows_counts_and_no_content() {
    let jobs = Jobs::<Sha256, &str, &[u8]>::new();
    let mut job = jobs.open("handle");
    job.feed(b"content");
    assert_eq!(format!("{jobs:?} {job:?}"), r#"Jobs { algorithm: "SHA-256", open: 1, ready: 0, .. } Job { algorithm: "SHA-256", .. }"#);
}
