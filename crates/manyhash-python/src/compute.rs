//! Computing while detached from the interpreter, and the number of threads of a call.

use crate::integer::Integer;
use crate::messages::Limits;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// The most threads of a call: more are of no use to batches of bounded memory.
const MOST_THREADS: usize = 128;

/// Does `work` while other threads of Python run. A panic, which is a defect of manyhash, becomes a
/// `RuntimeError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let (mut work, mut made) = (Some(work), None);
    call_detached(py, &mut || made = work.take().map(|work| work()))?;
    made.ok_or_else(|| PyRuntimeError::new_err("internal error: nothing was done"))
}

/// Does what `detached` does, once for all kinds of work.
#[inline(never)]
fn call_detached(py: Python<'_>, work: &mut (dyn FnMut() + Send)) -> PyResult<()> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)))
        .map_err(|panic| PyRuntimeError::new_err(format!("internal error: {}", text(&*panic))))
}

/// The message of a panic.
pub fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a thread panicked")
}

/// The argument `threads` as a plain integer, so that signatures show its default.
pub fn threads_argument(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    object.extract::<Integer>()?.value("threads")
}

/// The number of threads of a call.
#[derive(Clone, Copy)]
pub struct Threads(usize);

impl Threads {
    /// The number that `threads` asks for; 0 is one for each CPU. A `ValueError` if it is negative.
    pub fn of(threads: i64) -> PyResult<Self> {
        match usize::try_from(threads) {
            Ok(0) => Ok(Self(thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS))),
            Ok(threads) => Ok(Self(threads.min(MOST_THREADS))),
            Err(_) => Err(PyValueError::new_err(format!("threads is {threads}: it must be a number of threads, or 0 for one a core"))),
        }
    }

    /// The number of threads, at least 1.
    pub fn count(self) -> usize {
        self.0
    }

    /// How much to compute at once: little enough to bound memory, and enough for threads and the
    /// interpreter's lock to cost nothing.
    pub fn limits(self) -> Limits {
        Limits { messages: self.0 * (16 << 10), bytes: self.0 * (16 << 20) }
    }
}
