//! Computing while detached from the interpreter, on one thread or several.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::integer::Integer;
use crate::messages::Limits;

/// More threads than this are of no use to a batch of bounded memory.
const MOST_THREADS: usize = 128;
/// Of fewer messages or bytes, a thread takes longer to start than to work.
const LEAST_MESSAGES: usize = 256;
const LEAST_BYTES: usize = 64 << 10;

/// Does `work` while other threads of Python run. A panic, which is a defect of ours, becomes a `RuntimeError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|panic| PyRuntimeError::new_err(format!("internal error: {}", text(&*panic))))
}

/// What a panic says.
pub fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a thread panicked")
}

/// The argument `threads`, of a plain type so that signatures show its default.
pub fn threads_argument(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    object.extract::<Integer>()?.value("threads")
}

/// Threads of a call: `0` is one a core.
#[derive(Clone, Copy)]
pub struct Threads(usize);

impl Threads {
    /// As many as `threads` asks for.
    pub fn of(threads: i64) -> PyResult<Self> {
        match usize::try_from(threads) {
            Ok(0) => Ok(Self(thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS))),
            Ok(threads) => Ok(Self(threads.min(MOST_THREADS))),
            Err(_) => Err(PyValueError::new_err(format!("threads is {threads}: it must be a number of threads, or 0 for one a core"))),
        }
    }

    /// How many.
    pub fn count(self) -> usize {
        self.0
    }

    /// How much to compute at once: so little that memory is bounded, so much that threads and the interpreter's lock cost nothing.
    pub fn limits(self) -> Limits {
        Limits { messages: self.0 * (16 << 10), bytes: self.0 * (16 << 20) }
    }

    /// Computes `results[i]` for every message, each thread those of successive messages. `work` gets the index of the first of some,
    /// these messages, and the places of their results.
    pub fn share<R: Send>(self, messages: &[&[u8]], results: &mut [R], work: impl Fn(usize, &[&[u8]], &mut [R]) + Sync) {
        let bytes: usize = messages.iter().map(|message| message.len()).sum();
        let threads = self.0.min((messages.len() / LEAST_MESSAGES).max(bytes / LEAST_BYTES)).min(messages.len());
        if threads <= 1 {
            return work(0, messages, results);
        }
        let share = (bytes + messages.len() * MESSAGE_BYTES) / threads + 1;
        let mut shares = Vec::new();
        let (mut first, mut rest, mut places) = (0, messages, results);
        while !rest.is_empty() {
            let count = successive(rest, share);
            let (mine, later) = rest.split_at(count);
            let (my_places, later_places) = places.split_at_mut(count);
            shares.push((first, mine, my_places));
            (first, rest, places) = (first + count, later, later_places);
        }
        let others = shares.len() - 1;
        let shares = Mutex::new(shares.into_iter());
        let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work_on = || {
            while let Some((first, mine, my_places)) = next() {
                work(first, mine, my_places);
            }
        };
        thread::scope(|scope| {
            for _ in 0..others {
                // If the system allows no more threads, those that run do it all.
                if thread::Builder::new().spawn_scoped(scope, work_on).is_err() {
                    break;
                }
            }
            work_on();
        });
    }
}

/// What a message costs besides its bytes, in bytes.
const MESSAGE_BYTES: usize = 64;

/// How many messages make a share; one at least.
fn successive(messages: &[&[u8]], share: usize) -> usize {
    let mut bytes = 0;
    let is_in = |message: &&&[u8]| {
        bytes += message.len() + MESSAGE_BYTES;
        bytes <= share
    };
    messages.iter().take_while(is_in).count().max(1)
}
