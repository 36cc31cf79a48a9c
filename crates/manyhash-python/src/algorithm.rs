//! Algorithms by their names in Python. The list is the engine's: nothing here names an algorithm.

use manyhash::AnyAlgorithm;
use manyhash::backend::{Backend, BackendError, from_environment, left_out};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The names of all algorithms, as hashlib spells them.
pub fn names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, AnyAlgorithm::ALL.iter().copied().map(AnyAlgorithm::hashlib_name))
}

/// The algorithm of that name, in any spelling. A `ValueError` if there is none, and a
/// `RuntimeError` if no backend can compute it.
pub fn by_name(given: &str) -> PyResult<AnyAlgorithm> {
    let algorithm = AnyAlgorithm::by_name(given).ok_or_else(|| {
        let names: Vec<_> = AnyAlgorithm::ALL.iter().copied().map(AnyAlgorithm::hashlib_name).collect();
        PyValueError::new_err(format!("unknown algorithm {given:?}; these would do: {}", names.join(", ")))
    })?;
    check_backend(algorithm)?;
    Ok(algorithm)
}

/// The backend that hashes with an algorithm, and its lanes. The first call does what the
/// environment says of backends. A `RuntimeError` if `MANYHASH_BACKEND` names a backend that can't
/// be used, or `MANYHASH_WITHOUT` what is no instruction set.
fn backend_of(algorithm: AnyAlgorithm) -> PyResult<(Backend, usize)> {
    static ENVIRONMENT: OnceLock<Result<(), BackendError>> = OnceLock::new();
    let environment = ENVIRONMENT.get_or_init(|| from_environment().map(drop));
    let backend = environment.clone().and_then(|()| algorithm.backend());
    log_left_out()?;
    backend.map_err(|error| PyRuntimeError::new_err(format!("{}: {error}", error.variable())))
}

/// Logs a warning for each backend that failed its test and is not used, once a process.
fn log_left_out() -> PyResult<()> {
    static LOGGED: AtomicUsize = AtomicUsize::new(0);
    let left_out = left_out();
    let logged = LOGGED.fetch_max(left_out.len(), Ordering::Relaxed);
    left_out.iter().skip(logged).try_for_each(|unhealthy| {
        Python::attach(|py| {
            let logger = py.import("logging")?.call_method1("getLogger", ("manyhash",))?;
            logger.call_method1("warning", (unhealthy.to_string(),)).map(drop)
        })
    })
}

/// A `RuntimeError` if `MANYHASH_BACKEND` names a backend that can't be used for the algorithm.
pub fn check_backend(algorithm: AnyAlgorithm) -> PyResult<()> {
    backend_of(algorithm).map(drop)
}

/// The name of the backend that hashes many messages, and how many messages it advances together.
#[pyfunction]
pub fn backend(algorithm: &str) -> PyResult<(&'static str, usize)> {
    let (backend, lanes) = backend_of(by_name(algorithm)?)?;
    Ok((backend.name(), lanes))
}
