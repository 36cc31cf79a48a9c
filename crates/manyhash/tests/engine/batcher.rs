//! The batcher under threads, tasks, panics, full queues and shutdowns.

use crate::support::{Random, paint};
use manyhash::batcher::{Batcher, BatcherError, Pending, Settings};
use manyhash::hmac::Key;
use manyhash::{Sha256, Sha512, hash};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

/// Returns from the test if the forced backend can't do it.
macro_rules! needs {
    ($Algorithm:ident) => {
        if crate::support::backends::forced_backend_lacks::<$Algorithm>() {
            return;
        }
    };
}

fn settings(workers: usize, queue_messages: usize, longest_wait_us: u64) -> Settings {
    Settings { workers, queue_messages, longest_wait: Duration::from_micros(longest_wait_us) }
}

/// More than is hashed by who hands it over.
const LARGE_BYTES: usize = 70_000;

/// A message that can hold a worker up, or harm it, but not who hands it over.
enum Message {
    Bytes(Vec<u8>),
    /// Says that a worker has it, and keeps it until the other end says so.
    Gate(AtomicUsize, Mutex<(Sender<()>, Receiver<()>)>),
    Panics(AtomicUsize),
    PanicsWhenDropped,
}

impl Message {
    /// With the ends to wait for the worker, and to let it go.
    fn gate() -> (Self, Receiver<()>, Sender<()>) {
        let (reached, is_reached) = channel();
        let (open, is_open) = channel();
        (Self::Gate(AtomicUsize::new(0), Mutex::new((reached, is_open))), is_reached, open)
    }

    fn panics() -> Self {
        Self::Panics(AtomicUsize::new(0))
    }

    /// So long that it is for the workers, however many there are.
    fn large(seed: usize) -> (Self, Vec<u8>) {
        let bytes = paint(seed, LARGE_BYTES);
        (Self::Bytes(bytes.clone()), bytes)
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Gate(calls, _) if calls.fetch_add(1, Ordering::SeqCst) == 0 => &[0; LARGE_BYTES],
            Self::Gate(_, ends) => {
                let (reached, is_open) = &*ends.lock().unwrap();
                let _ = reached.send(());
                let _ = is_open.recv();
                b"gate"
            }
            Self::Panics(calls) if calls.fetch_add(1, Ordering::SeqCst) == 0 => &[0; LARGE_BYTES],
            Self::Panics(_) => panic!("on purpose"),
            Self::PanicsWhenDropped => &[0; LARGE_BYTES],
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        assert!(!matches!(self, Self::PanicsWhenDropped), "on purpose");
    }
}

/// Wakers that count, and panic if they should.
struct Counter {
    woken: AtomicUsize,
    panics: bool,
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics, "on purpose");
    }
}

fn counter(panics: bool) -> (Arc<Counter>, Waker) {
    let counter = Arc::new(Counter { woken: AtomicUsize::new(0), panics });
    (counter.clone(), counter.into())
}

fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// A worker has the gate: until it opens, nobody else has.
fn held_up(batcher: &Batcher<Sha256, Message>) -> (Pending<Sha256, Message>, Sender<()>) {
    let (gate, is_reached, open) = Message::gate();
    let mut pending = batcher.hash(gate);
    assert!(poll(&mut pending, Waker::noop()).is_pending());
    is_reached.recv_timeout(Duration::from_secs(30)).expect("a worker takes it");
    (pending, open)
}

/// Asks when it is woken and no sooner, as an executor does, and never lends a hand.
fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(thread::Thread, AtomicUsize);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.unpark();
        }
    }
    let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
    let waker = unpark.clone().into();
    for polls in 0.. {
        if let Poll::Ready(output) = poll(&mut future, &waker) {
            return output;
        }
        while unpark.1.load(Ordering::SeqCst) <= polls {
            thread::park();
        }
    }
    unreachable!()
}

#[test]
fn threads_that_wait_get_their_own_digests_and_tags() {
    needs!(Sha256);
    for (workers, queue, wait_us) in [(1, 4096, 50), (2, 3, 0), (3, 64, 200), (1, 1, 10)] {
        let batcher = Batcher::<Sha256>::new(settings(workers, queue, wait_us)).unwrap();
        let keys: Vec<Arc<Key<Sha256>>> = (0..5).map(|i| Arc::new(Key::new(&paint(i, 20)))).collect();
        thread::scope(|scope| {
            for thread in 0..8 {
                let (batcher, keys) = (&batcher, &keys);
                scope.spawn(move || {
                    for i in 0..300 {
                        let message = paint(thread * 1000 + i, (i * 37 + thread) % 700);
                        if i % 3 == 0 {
                            let key = &keys[i % keys.len()];
                            assert_eq!(batcher.tag(key, message.clone()).wait(), Ok(key.tag(&message)));
                        } else {
                            assert_eq!(batcher.hash(message.clone()).wait(), Ok(hash::<Sha256>(&message)));
                        }
                    }
                });
            }
        });
        let metrics = batcher.metrics();
        assert_eq!((metrics.queued, metrics.messages), (0, 8 * 300));
        assert!(metrics.batches > 0 && metrics.occupancy() > 0.0 && metrics.occupancy() <= 1.0, "{metrics:?}");
        assert!(metrics.waited >= metrics.longest_wait, "{metrics:?}");
    }
}

#[test]
fn a_thread_may_have_many_in_flight_and_ask_for_them_in_any_order() {
    needs!(Sha512);
    let batcher = Batcher::<Sha512>::new(settings(2, 100, 50)).unwrap();
    let (seed, mut random) = Random::replayable(0xba7c);
    println!("MANYHASH_TEST_SEED={seed}");
    let mut flying: Vec<(Vec<u8>, Pending<_, _>)> = Vec::new();
    for i in 0..5000 {
        let message = paint(i, random.below(300));
        match random.below(4) {
            0 if !flying.is_empty() => {
                let (message, pending) = flying.swap_remove(random.below(flying.len()));
                assert_eq!(pending.wait(), Ok(hash::<Sha512>(&message)));
            }
            1 if !flying.is_empty() => drop(flying.swap_remove(random.below(flying.len()))),
            2 => {
                if let Ok(pending) = batcher.try_hash(message.clone()) {
                    flying.push((message, pending));
                }
            }
            _ => flying.push((message.clone(), batcher.hash(message))),
        }
        if flying.len() > 90 {
            // Those without room never become ready unless they are asked.
            let (message, pending) = flying.pop().unwrap();
            assert_eq!(pending.wait(), Ok(hash::<Sha512>(&message)));
        }
    }
    for (message, pending) in flying {
        assert_eq!(pending.wait(), Ok(hash::<Sha512>(&message)));
    }
}

#[test]
fn a_future_is_woken_once_its_digest_is_there_by_the_last_waker_it_was_given() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 10, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let mut second = batcher.hash(Message::large(1).0);
    let ((early, early_waker), (late, late_waker)) = (counter(false), counter(false));
    assert!(poll(&mut second, &early_waker).is_pending());
    assert!(poll(&mut second, &late_waker).is_pending());
    assert!(poll(&mut second, &late_waker).is_pending());
    drop(open);
    assert_eq!(first.wait(), Ok(hash::<Sha256>(b"gate")));
    while late.woken.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    assert_eq!(poll(&mut second, &early_waker), Poll::Ready(Ok(hash::<Sha256>(&Message::large(1).1))));
    assert_eq!((early.woken.load(Ordering::SeqCst), late.woken.load(Ordering::SeqCst)), (0, 1));
}

#[test]
fn a_full_queue_gives_messages_back_or_makes_them_wait_for_room() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 2, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let accepted: Vec<_> = (0..2).map(|i| batcher.try_hash(Message::large(i).0).unwrap()).collect();
    assert_eq!(batcher.metrics().queued, 2);
    let refused = batcher.try_hash(Message::Bytes(vec![77])).unwrap_err();
    assert!(matches!(&refused.0, Message::Bytes(bytes) if *bytes == [77]));
    let (woken, waker) = counter(false);
    let mut waiting: Vec<_> = (0..20).map(|i| batcher.hash(Message::large(100 + i).0)).collect();
    for pending in &mut waiting {
        assert!(poll(pending, &waker).is_pending());
        assert!(poll(pending, &waker).is_pending());
    }
    // Some give up.
    waiting.truncate(15);
    drop(open);
    assert_eq!(block_on(first), Ok(hash::<Sha256>(b"gate")));
    for (i, pending) in accepted.into_iter().enumerate() {
        assert_eq!(block_on(pending), Ok(hash::<Sha256>(&Message::large(i).1)));
    }
    assert!(woken.woken.load(Ordering::SeqCst) >= 20, "all of them are woken when there is room, once each");
    for (i, pending) in waiting.into_iter().enumerate() {
        assert_eq!(block_on(pending), Ok(hash::<Sha256>(&Message::large(100 + i).1)));
    }
}

#[test]
fn threads_that_wait_for_room_make_it() {
    needs!(Sha256);
    let batcher = Arc::new(Batcher::<Sha256, Message>::new(settings(1, 1, 0)).unwrap());
    let (first, open) = held_up(&batcher);
    let second = batcher.try_hash(Message::large(2).0).unwrap();
    let threads: Vec<_> = (0..6)
        .map(|i| {
            let batcher = batcher.clone();
            thread::spawn(move || assert_eq!(batcher.hash(Message::large(i).0).wait(), Ok(hash::<Sha256>(&Message::large(i).1))))
        })
        .collect();
    // The only worker is held up all the time.
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(second.wait(), Ok(hash::<Sha256>(&Message::large(2).1)));
    drop(open);
    first.wait().unwrap();
}

#[test]
fn tasks_are_woken_whoever_hashes_and_however_full_the_queue_is() {
    needs!(Sha256);
    for (workers, queue, wait_us) in [(1, 4096, 50), (2, 3, 0), (3, 20, 200), (1, 1, 10)] {
        let batcher = Batcher::<Sha256, Message>::new(settings(workers, queue, wait_us)).unwrap();
        thread::scope(|scope| {
            for thread in 0..6 {
                let batcher = &batcher;
                scope.spawn(move || {
                    for i in 0..150 {
                        let bytes = if i % 10 == thread { LARGE_BYTES } else { i };
                        let message = paint(thread * 1000 + i, bytes);
                        assert_eq!(block_on(batcher.hash(Message::Bytes(message.clone()))), Ok(hash::<Sha256>(&message)));
                    }
                });
            }
        });
    }
}

#[test]
fn a_shutdown_waits_for_those_who_help() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 100, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let (gate, is_reached, open_second) = Message::gate();
    let second = batcher.hash(gate);
    let helper = thread::spawn(move || second.wait());
    is_reached.recv_timeout(Duration::from_secs(30)).expect("who waits hashes");
    let shutdown = thread::spawn(move || batcher.shutdown());
    drop(open);
    assert_eq!(block_on(first), Ok(hash::<Sha256>(b"gate")));
    thread::sleep(Duration::from_millis(50));
    assert!(!shutdown.is_finished(), "a message that was accepted is not finished");
    drop(open_second);
    shutdown.join().unwrap();
    assert_eq!(helper.join().unwrap(), Ok(hash::<Sha256>(b"gate")));
}

#[test]
fn who_fills_the_lanes_with_small_messages_hashes_them() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256>::new(settings(1, 4096, 3_600_000_000)).unwrap();
    let most_lanes = manyhash::backend::Backend::known().iter().map(|backend| backend.lanes()).max().unwrap();
    let mut pending = Vec::new();
    while pending.len() < most_lanes {
        pending.push(batcher.hash(paint(pending.len(), 100)));
        if batcher.metrics().queued == 0 {
            break;
        }
    }
    assert_eq!((batcher.metrics().messages, batcher.metrics().queued), (pending.len() as u64, 0));
    for (i, mut pending) in pending.into_iter().enumerate() {
        assert_eq!(poll(&mut pending, Waker::noop()), Poll::Ready(Ok(hash::<Sha256>(&paint(i, 100)))));
    }
}

#[test]
fn a_task_alone_waits_no_longer_than_it_should() {
    needs!(Sha256);
    for workers in [1, 3] {
        let batcher = Batcher::<Sha256>::new(settings(workers, 4096, 1000)).unwrap();
        for i in 0..50 {
            assert_eq!(block_on(batcher.hash(paint(i, 100))), Ok(hash::<Sha256>(&paint(i, 100))));
        }
        let metrics = batcher.metrics();
        assert_eq!((metrics.messages, metrics.batches), (50, 50));
    }
}

#[test]
fn a_closed_batcher_finishes_what_it_accepted_and_refuses_the_rest() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 3, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let accepted: Vec<_> = (0..3).map(|i| batcher.hash(Message::large(i).0)).collect();
    let mut waiting = batcher.hash(Message::Bytes(vec![9]));
    let (woken, waker) = counter(false);
    assert!(poll(&mut waiting, &waker).is_pending());
    batcher.close();
    assert_eq!(woken.woken.load(Ordering::SeqCst), 1);
    assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Err(BatcherError::Closed)));
    assert_eq!(batcher.hash(Message::Bytes(vec![])).wait(), Err(BatcherError::Closed));
    drop(open);
    batcher.shutdown();
    assert_eq!(first.wait(), Ok(hash::<Sha256>(b"gate")));
    for (i, mut pending) in accepted.into_iter().enumerate() {
        assert_eq!(poll(&mut pending, Waker::noop()), Poll::Ready(Ok(hash::<Sha256>(&Message::large(i).1))));
    }
}

#[test]
fn a_panic_of_one_caller_harms_no_other() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 100, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let key = Arc::new(Key::<Sha256>::new(b"key"));
    let before = batcher.hash(Message::large(1).0);
    let (bad, bad_tag) = (batcher.hash(Message::panics()), batcher.tag(&key, Message::panics()));
    let dropped = batcher.hash(Message::PanicsWhenDropped);
    let mut woken = batcher.hash(Message::large(2).0);
    let (count, panicking) = counter(true);
    assert!(poll(&mut woken, &panicking).is_pending());
    drop(batcher.hash(Message::PanicsWhenDropped));
    let after = batcher.tag(&key, Message::large(3).0);
    drop(open);
    assert_eq!(first.wait(), Ok(hash::<Sha256>(b"gate")));
    assert_eq!(before.wait(), Ok(hash::<Sha256>(&Message::large(1).1)));
    assert_eq!(bad.wait(), Err(BatcherError::Panicked));
    assert_eq!(bad_tag.wait(), Err(BatcherError::Panicked));
    assert_eq!(dropped.wait(), Ok(hash::<Sha256>(&[0; LARGE_BYTES])));
    assert_eq!(after.wait(), Ok(key.tag(&Message::large(3).1)));
    while count.woken.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    assert_eq!(woken.wait(), Ok(hash::<Sha256>(&Message::large(2).1)));
    assert_eq!(count.woken.load(Ordering::SeqCst), 1);
    // It lives.
    assert_eq!(batcher.hash(Message::Bytes(vec![4])).wait(), Ok(hash::<Sha256>(&[4])));
}

#[test]
fn a_message_and_the_waker_of_its_caller_may_both_panic() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 100, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    let mut both = batcher.hash(Message::PanicsWhenDropped);
    let (count, panicking) = counter(true);
    assert!(poll(&mut both, &panicking).is_pending());
    let after = batcher.hash(Message::large(3).0);
    drop(open);
    // A panic while another is on its way would end the process.
    assert_eq!(first.wait(), Ok(hash::<Sha256>(b"gate")));
    assert_eq!(after.wait(), Ok(hash::<Sha256>(&Message::large(3).1)));
    assert_eq!(both.wait(), Ok(hash::<Sha256>(&[0; LARGE_BYTES])));
    assert_eq!(count.woken.load(Ordering::SeqCst), 1);
}

#[test]
fn a_message_that_panics_as_it_is_handed_over_is_told_so() {
    needs!(Sha256);
    /// Panics this number of times.
    struct Panics(AtomicUsize);
    impl AsRef<[u8]> for Panics {
        fn as_ref(&self) -> &[u8] {
            let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            assert!(left.is_err(), "on purpose");
            b"message"
        }
    }
    let message = |times| Panics(AtomicUsize::new(times));
    let key = Arc::new(Key::<Sha256>::new(b"key"));
    for workers in [1, 2] {
        let batcher = Batcher::<Sha256, Panics>::new(settings(workers, 100, 0)).unwrap();
        for times in [1, 2, 100] {
            assert_eq!(batcher.hash(message(times)).wait(), Err(BatcherError::Panicked));
            assert_eq!(batcher.tag(&key, message(times)).wait(), Err(BatcherError::Panicked));
            assert_eq!(block_on(batcher.try_hash(message(times)).unwrap()), Err(BatcherError::Panicked));
            assert_eq!(block_on(batcher.try_tag(&key, message(times)).unwrap()), Err(BatcherError::Panicked));
            assert_eq!(batcher.hash(message(0)).wait(), Ok(hash::<Sha256>(b"message")));
        }
        assert_eq!(batcher.metrics().messages, 3);
    }
}

#[test]
fn what_a_panic_carries_is_dropped() {
    needs!(Sha256);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::SeqCst);
            // That ends there, too.
            std::panic::panic_any(Payload);
        }
    }
    /// Panics once it was handed over.
    struct Panics(AtomicUsize);
    impl AsRef<[u8]> for Panics {
        fn as_ref(&self) -> &[u8] {
            if self.0.fetch_add(1, Ordering::SeqCst) > 0 {
                std::panic::panic_any(Payload);
            }
            b"message"
        }
    }
    let batcher = Batcher::<Sha256, Panics>::new(settings(1, 100, 0)).unwrap();
    for dropped in 1..=10 {
        assert_eq!(batcher.hash(Panics(AtomicUsize::new(0))).wait(), Err(BatcherError::Panicked));
        assert_eq!(DROPPED.load(Ordering::SeqCst), dropped);
    }
}

#[test]
fn what_nobody_waits_for_is_not_hashed() {
    needs!(Sha256);
    let batcher = Batcher::<Sha256, Message>::new(settings(1, 100, 0)).unwrap();
    let (first, open) = held_up(&batcher);
    (0..50).for_each(|_| drop(batcher.hash(Message::panics())));
    let last = batcher.hash(Message::Bytes(vec![]));
    drop(open);
    first.wait().unwrap();
    last.wait().unwrap();
    batcher.close();
    assert_eq!(batcher.metrics().messages, 2);
}

#[test]
fn a_worker_may_be_the_last_owner() {
    needs!(Sha256);
    struct Owner(Arc<Mutex<Option<Batcher<Sha256, Owner>>>>, Sender<()>);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            b"owner"
        }
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            let batcher = self.0.lock().unwrap().take();
            drop(batcher);
            let _ = self.1.send(());
        }
    }
    let place = Arc::new(Mutex::new(None));
    let (dropped, is_dropped) = channel();
    let batcher = Batcher::new(settings(1, 10, 1000)).unwrap();
    let pending = batcher.hash(Owner(place.clone(), dropped));
    *place.lock().unwrap() = Some(batcher);
    assert_eq!(block_on(pending), Ok(hash::<Sha256>(b"owner")));
    is_dropped.recv_timeout(Duration::from_secs(30)).expect("a worker that drops its batcher does not wait for itself");
}

#[test]
fn a_batcher_without_workers_or_room_is_an_error() {
    for (workers, queue) in [(0, 10), (1, 0)] {
        let error = Batcher::<Sha256>::new(settings(workers, queue, 0)).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}

#[test]
fn stress_of_tasks_that_come_and_go() {
    needs!(Sha256);
    let batcher = Arc::new(Batcher::<Sha256>::new(settings(2, 50, 20)).unwrap());
    let key = Arc::new(Key::<Sha256>::new(b"key"));
    let right = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (1..=6)
        .map(|seed| {
            let (batcher, key, right) = (batcher.clone(), key.clone(), right.clone());
            thread::spawn(move || {
                let (_, mut random) = Random::replayable(seed);
                let (_, waker) = counter(false);
                for i in 0..2000 {
                    let message = paint(i, random.below(200));
                    let mut pending = batcher.tag(&key, message.clone());
                    match random.below(6) {
                        0 => drop(pending),
                        1 => {
                            let _ = poll(&mut pending, &waker);
                        }
                        2..=3 => assert_eq!(block_on(pending), Ok(key.tag(&message))),
                        _ => {
                            assert_eq!(pending.wait(), Ok(key.tag(&message)));
                            right.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(right.load(Ordering::Relaxed) > 1000);
    Arc::into_inner(batcher).unwrap().shutdown();
}
