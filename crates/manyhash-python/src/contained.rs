//! Panics of the Arrow library over malformed data, as errors.

use crate::compute::text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread becomes an error, so that stderr need not tell of it.
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or a `ValueError` if it panics. Arrays of other libraries come as pointers
/// with a promise, and the Arrow library panics where lengths and buffers can't be what they are
/// said to be.
///
/// When `work` panics, all that it had made is dropped, and never used.
pub fn contained<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            if !IS_CONTAINED.get() {
                hook(panicked);
            }
        }));
    });
    let before = IS_CONTAINED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINED.set(before);
    result.unwrap_or_else(|panic| Err(PyValueError::new_err(format!("malformed Arrow data: {}", text(&*panic)))))
}
