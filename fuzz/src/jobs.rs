//! Messages that arrive in pieces: traces of calls, against the reference.

use crate::choices::Choices;
use crate::{paint, reference};
use manyhash::hmac::Key;
use manyhash::jobs::{Job, Jobs};
use manyhash::{Algorithm, with_algorithm};

/// The most bytes that the messages of a case have together.
const MOST_BYTES: usize = 200_000;

/// Opens, feeds, finishes and drops jobs in any order, and computes in between.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    with_algorithm!(choices.algorithm(), A => trace::<A>(choices));
}

/// A message, and what became of it.
struct Message {
    bytes: Vec<u8>,
    key: Option<Vec<u8>>,
    is_finished: bool,
    is_handed_over: bool,
}

/// A handle and its job.
type Open<A> = (usize, Job<A, usize, Vec<u8>>);

struct Trace<A: Algorithm> {
    jobs: Jobs<A, usize, Vec<u8>>,
    open: Vec<Open<A>>,
    messages: Vec<Message>,
    bytes: usize,
}

fn trace<A: Algorithm>(choices: &mut Choices) {
    let mut trace = Trace::<A> { jobs: Jobs::new(), open: Vec::new(), messages: Vec::new(), bytes: 0 };
    // Rounds of the same step for many jobs fill lanes with few bytes of a case.
    while !choices.is_empty() {
        match choices.between(0, 11) {
            0 => trace.open(None),
            1 => (0..choices.between(1, 40)).for_each(|_| trace.open(None)),
            2 => {
                let key = paint(3, choices.length().min(300));
                (0..choices.between(1, 5)).for_each(|_| trace.open(Some(&key)));
            }
            3..=5 => {
                let (which, bytes) = (choices.any::<u8>().into(), choices.length());
                trace.feed(which, bytes);
            }
            6 => {
                let (bytes, more) = (choices.length(), choices.between(0, 9));
                (0..trace.open.len()).for_each(|which| trace.feed(which, bytes + which * more % 70));
            }
            7 => trace.take(choices.any::<u8>().into(), true),
            8 => (0..choices.between(1, 40)).for_each(|which| trace.take(which, true)),
            9 => trace.take(choices.any::<u8>().into(), false),
            10 => trace.compute(false),
            _ => trace.compute(true),
        }
    }
    trace.compute(true);
    assert!(trace.messages.iter().all(|message| message.is_finished == message.is_handed_over), "a finished job has no digest");
    assert_eq!(trace.jobs.ready_jobs(), 0, "a flush leaves nothing to compute");
    trace.open.clear();
    assert_eq!((trace.jobs.open_jobs(), trace.jobs.waiting_bytes()), (0, 0), "no job is open");
}

impl<A: Algorithm> Trace<A> {
    fn open(&mut self, key: Option<&[u8]>) {
        let key = key.filter(|_| A::HAS_HMAC);
        let handle = self.messages.len();
        let job = match key {
            Some(key) => self.jobs.open_tagged(handle, &Key::new(key)),
            None => self.jobs.open(handle),
        };
        self.open.push((handle, job));
        self.messages.push(Message { bytes: Vec::new(), key: key.map(<[u8]>::to_vec), is_finished: false, is_handed_over: false });
    }

    fn feed(&mut self, which: usize, bytes: usize) {
        let count = self.open.len();
        if count == 0 || self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        let (handle, job) = &mut self.open[which % count];
        let message = &mut self.messages[*handle].bytes;
        let piece = paint(*handle + message.len(), bytes);
        message.extend_from_slice(&piece);
        job.feed(piece);
    }

    /// Finishes a job, or gives its message up.
    fn take(&mut self, which: usize, is_finished: bool) {
        if self.open.is_empty() {
            return;
        }
        let (handle, job) = self.open.swap_remove(which % self.open.len());
        self.messages[handle].is_finished = is_finished;
        if is_finished { job.finish() } else { drop(job) }
    }

    fn compute(&mut self, all: bool) {
        let Self { jobs, messages, .. } = self;
        let finished = |handle: usize, digest: A::Digest| {
            let message = &mut messages[handle];
            assert!(message.is_finished && !message.is_handed_over, "job {handle} has a digest too early, or twice");
            message.is_handed_over = true;
            let expected = match &message.key {
                Some(key) => reference::Hmac::by_name(A::NAME).expect("the reference has every HMAC").tag(key, &message.bytes),
                None => reference::<A>(&message.bytes),
            };
            assert_eq!(digest.as_ref(), expected, "{} job {handle} of {} bytes", A::NAME, message.bytes.len());
        };
        if all {
            jobs.flush(finished)
        } else {
            jobs.run_full_lanes(finished)
        }
        assert_eq!(jobs.open_jobs(), self.open.len(), "open jobs");
    }
}
