//! The batcher: threads that hand messages over, wait, ask, give up, panic, lie and close it.

use crate::choices::Choices;
use crate::{algorithms, paint, reference};
use manyhash::batcher::{Batcher, BatcherError, Pending, Settings};
use manyhash::hmac::Key;
use manyhash::{Algorithm, with_algorithm};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// More than is hashed by who hands it over, and more than is hashed with others.
const LARGE_BYTES: [usize; 2] = [70_000, 140_000];

/// The most bytes that the messages of a case have together, but for one large one.
const MOST_BYTES: usize = 300_000;

/// How long a future may take. Then its wake-up is lost.
const LOST: Duration = Duration::from_secs(30);

/// Lets some threads do what a case says: each outcome is there in the end, and right.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    let algorithms = algorithms();
    with_algorithm!(choices.one_of(&algorithms), A => check::<A>(choices));
}

/// A message's bytes, and what its owner does to the batcher.
struct Message {
    kind: Kind,
    bytes: Vec<u8>,
    calls: AtomicUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Right,
    /// It panics when it is asked for its bytes once more than so many times.
    Panics(usize),
    PanicsWhenDropped,
    /// It has other bytes each time.
    Lies,
}

/// What a panic on purpose carries. It is raised without the panic hook, which ends a fuzzer.
struct OnPurpose;

fn panic_on_purpose() -> ! {
    resume_unwind(Box::new(OnPurpose))
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.kind {
            Kind::Panics(before) if calls >= before => panic_on_purpose(),
            Kind::Lies if calls % 2 == 1 => &self.bytes[self.bytes.len() / 2..],
            _ => &self.bytes,
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        if self.kind == Kind::PanicsWhenDropped {
            panic_on_purpose();
        }
    }
}

/// Calls what may panic on purpose; `None` if it did. Other panics go on.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<OnPurpose>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Wakes a thread that sleeps, and panics if it should.
struct Alarm {
    thread: thread::Thread,
    woken: AtomicUsize,
    panics: bool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
        if self.panics {
            panic_on_purpose();
        }
    }
}

fn alarm(panics: bool) -> Arc<Alarm> {
    Arc::new(Alarm { thread: thread::current(), woken: AtomicUsize::new(0), panics })
}

fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// Asks when it is woken and no sooner, as an executor does, and never lends a hand.
fn block_on<F: Future + Unpin>(mut future: F, panics: bool) -> F::Output {
    let alarm = alarm(panics);
    let waker = alarm.clone().into();
    let begin = Instant::now();
    for polls in 0.. {
        if let Poll::Ready(output) = poll(&mut future, &waker) {
            return output;
        }
        while alarm.woken.load(Ordering::SeqCst) <= polls {
            assert!(begin.elapsed() < LOST, "nobody wakes who waits");
            thread::park_timeout(LOST);
        }
    }
    unreachable!()
}

/// What a thread does next. The numbers say which of its messages.
#[derive(Clone, Copy, Debug)]
enum Step {
    Hand { kind: Kind, bytes: usize, keyed: bool, tries: bool },
    Wait(usize),
    BlockOn(usize, bool),
    Ask(usize, bool),
    GiveUp(usize),
    Close,
}

fn step(choices: &mut Choices) -> Step {
    match choices.between(0, 15) {
        0..=7 => {
            let kind = match choices.between(0, 15) {
                0..=10 => Kind::Right,
                11..=12 => Kind::Panics(choices.between(0, 3)),
                13..=14 => Kind::PanicsWhenDropped,
                _ => Kind::Lies,
            };
            let is_large = choices.between(0, 15) == 15;
            let bytes = if is_large { choices.one_of(&LARGE_BYTES) } else { choices.length().min(2000) };
            Step::Hand { kind, bytes, keyed: choices.between(0, 3) == 3, tries: choices.any() }
        }
        8..=9 => Step::Wait(choices.any::<u8>().into()),
        10..=11 => Step::BlockOn(choices.any::<u8>().into(), choices.between(0, 3) == 3),
        12..=13 => Step::Ask(choices.any::<u8>().into(), choices.between(0, 3) == 3),
        14 => Step::GiveUp(choices.any::<u8>().into()),
        _ if choices.between(0, 3) == 3 => Step::Close,
        _ => Step::Wait(0),
    }
}

/// What all threads of a case know.
struct Case<A: Algorithm> {
    secret: Vec<u8>,
    key: Option<Arc<Key<A>>>,
    /// Set before the batcher is closed.
    is_closed: AtomicBool,
    /// Whether a message panics after it was found not to. Then that is the outcome for those beside it.
    may_spoil: bool,
}

/// A message that was handed over, and its future.
struct Flying<A: Algorithm> {
    kind: Kind,
    bytes: usize,
    expected: Vec<u8>,
    pending: Pending<A, Message>,
}

impl<A: Algorithm> Case<A> {
    fn check(&self, (kind, bytes, expected): (Kind, usize, &[u8]), outcome: Result<A::Digest, BatcherError>) {
        let is_right = match (kind, &outcome) {
            (_, Err(BatcherError::Closed)) => self.is_closed.load(Ordering::SeqCst),
            (Kind::Lies, _) => true,
            (Kind::Panics(0 | 1), Ok(_)) => false,
            (_, Ok(digest)) => digest.as_ref() == expected,
            (Kind::Panics(_), Err(BatcherError::Panicked)) => true,
            (_, Err(BatcherError::Panicked)) => self.may_spoil,
        };
        assert!(is_right, "{}: {kind:?} of {bytes} bytes: {outcome:?}, expected {expected:02x?}", A::NAME);
    }

    /// Waits for an outcome: in the thread, or as an executor does.
    fn finish(&self, Flying { kind, bytes, expected, pending }: Flying<A>, by_wait: bool, panics: bool) {
        // If the thread hashes its own message, what that does when it is dropped stays in the batcher; but a message that waits for
        // room is its own.
        let outcome = caught(|| if by_wait { pending.wait() } else { block_on(pending, panics) });
        match outcome {
            Some(outcome) => self.check((kind, bytes, &expected), outcome),
            None => assert_eq!(kind, Kind::PanicsWhenDropped, "{}: a panic reaches who waits", A::NAME),
        }
    }

    fn hand(
        &self,
        batcher: &Batcher<A, Message>,
        seed: usize,
        (kind, bytes): (Kind, usize),
        keyed: bool,
        tries: bool,
    ) -> Option<Flying<A>> {
        let content = paint(seed, bytes);
        let key = self.key.as_ref().filter(|_| keyed);
        let expected = match key {
            Some(_) => reference::Hmac::by_name(A::NAME).expect("the reference has every HMAC").tag(&self.secret, &content),
            None => reference::<A>(&content),
        };
        let message = Message { kind, bytes: content, calls: AtomicUsize::new(0) };
        let given = match (key, tries) {
            (None, false) => Ok(caught(|| batcher.hash(message))),
            (Some(key), false) => Ok(caught(|| batcher.tag(key, message))),
            (None, true) => caught(|| batcher.try_hash(message)).transpose(),
            (Some(key), true) => caught(|| batcher.try_tag(key, message)).transpose(),
        };
        match given {
            Ok(Some(pending)) => return Some(Flying { kind, bytes, expected, pending }),
            // A closed batcher drops the message in the hands of who has it.
            Ok(None) => assert_eq!(kind, Kind::PanicsWhenDropped, "{}: a panic reaches who hands over", A::NAME),
            Err(full) => {
                assert_eq!(full.0.kind, kind, "another message is given back");
                caught(|| drop(full));
            }
        }
        None
    }

    /// Does the steps of a thread. Its batcher may be the last.
    fn run(&self, batcher: Arc<Batcher<A, Message>>, number: usize, steps: &[Step]) {
        let mut flying: Vec<Flying<A>> = Vec::new();
        let mut has_closed = false;
        for (i, step) in steps.iter().enumerate() {
            let place = |which: usize| which.checked_rem(flying.len());
            match *step {
                Step::Hand { kind, bytes, keyed, tries } => {
                    let Some(handed) = self.hand(&batcher, number * 97 + i, (kind, bytes), keyed, tries) else { continue };
                    if has_closed {
                        let Flying { pending, .. } = handed;
                        let outcome = caught(|| block_on(pending, false));
                        assert!(!matches!(outcome, Some(Ok(_))), "{}: a closed batcher hashes", A::NAME);
                    } else {
                        flying.push(handed);
                    }
                }
                Step::Wait(which) => {
                    if let Some(at) = place(which) {
                        self.finish(flying.swap_remove(at), true, false);
                    }
                }
                Step::BlockOn(which, panics) => {
                    if let Some(at) = place(which) {
                        self.finish(flying.swap_remove(at), false, panics);
                    }
                }
                Step::Ask(which, panics) => {
                    let Some(at) = place(which) else { continue };
                    let Flying { kind, bytes, expected, mut pending } = flying.swap_remove(at);
                    match caught(|| poll(&mut pending, &alarm(panics).into())) {
                        Some(Poll::Ready(outcome)) => self.check((kind, bytes, &expected), outcome),
                        Some(Poll::Pending) => flying.push(Flying { kind, bytes, expected, pending }),
                        None => assert_eq!(kind, Kind::PanicsWhenDropped, "{}: a panic reaches who asks", A::NAME),
                    }
                }
                Step::GiveUp(which) => {
                    if let Some(at) = place(which) {
                        let gone = flying.swap_remove(at);
                        caught(|| drop(gone));
                    }
                }
                Step::Close => {
                    self.is_closed.store(true, Ordering::SeqCst);
                    batcher.close();
                    has_closed = true;
                }
            }
        }
        // The last one shuts the batcher down, while others still wait.
        let is_last = Arc::strong_count(&batcher) == 1;
        self.is_closed.store(true, Ordering::SeqCst);
        drop(batcher);
        for (i, flying) in flying.into_iter().enumerate() {
            if is_last {
                let Flying { kind, bytes, expected, mut pending } = flying;
                match caught(|| poll(&mut pending, Waker::noop())) {
                    Some(Poll::Ready(outcome)) => self.check((kind, bytes, &expected), outcome),
                    Some(Poll::Pending) => panic!("{}: {kind:?} of {bytes} bytes is not ready after the shutdown", A::NAME),
                    None => assert_eq!(kind, Kind::PanicsWhenDropped, "{}: a panic reaches who asks", A::NAME),
                }
            } else {
                self.finish(flying, i % 2 == 0, false);
            }
        }
    }
}

fn check<A: Algorithm>(choices: &mut Choices) {
    let settings = Settings {
        workers: choices.between(1, 3),
        queue_messages: choices.one_of(&[1, 2, 3, 7, 20, 4096]),
        longest_wait: Duration::from_micros(choices.one_of(&[0, 0, 10, 200])),
    };
    let secret = paint(11, choices.length().min(300));
    let key = A::HAS_HMAC.then(|| Arc::new(Key::new(&secret)));
    let threads = choices.between(1, 4);
    let mut all_bytes = 0;
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); threads];
    // A run of equal messages fills lanes with few bytes of a case.
    while !choices.is_empty() && all_bytes < MOST_BYTES {
        let thread = choices.between(0, threads - 1);
        let step = step(choices);
        let is_small = matches!(step, Step::Hand { bytes, .. } if bytes < LARGE_BYTES[0]);
        let times = if is_small && choices.between(0, 7) == 7 { choices.between(1, 40) } else { 1 };
        all_bytes += if let Step::Hand { bytes, .. } = step { bytes * times } else { 0 };
        steps[thread].extend(std::iter::repeat_n(step, times));
    }
    let is_late = |step: &Step| matches!(step, Step::Hand { kind: Kind::Panics(2..), .. });
    let may_spoil = steps.iter().flatten().any(is_late);
    let case = Case::<A> { secret, key, is_closed: AtomicBool::new(false), may_spoil };
    let batcher = Arc::new(Batcher::new(settings).expect("threads can be started"));
    thread::scope(|scope| {
        for (number, steps) in steps.iter().enumerate() {
            let (case, batcher) = (&case, batcher.clone());
            scope.spawn(move || case.run(batcher, number, steps));
        }
        drop(batcher);
    });
}
