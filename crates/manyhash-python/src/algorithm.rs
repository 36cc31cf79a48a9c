//! Algorithms by their names in Python. The list is the engine's: nothing here names an algorithm.

use manyhash::AnyAlgorithm;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The name as hashlib spells it: `sha512_256`.
pub fn name(algorithm: AnyAlgorithm) -> String {
    algorithm.to_string().replace('/', "_")
}

/// All names.
pub fn names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, AnyAlgorithm::ALL.iter().copied().map(name))
}

/// The algorithm of that name, in any spelling, once it is sure that it can be computed.
pub fn by_name(given: &str) -> PyResult<AnyAlgorithm> {
    let algorithm = AnyAlgorithm::by_name(given).ok_or_else(|| {
        let names: Vec<_> = AnyAlgorithm::ALL.iter().copied().map(name).collect();
        PyValueError::new_err(format!("unknown algorithm {given:?}; these would do: {}", names.join(", ")))
    })?;
    check_backend(algorithm)?;
    Ok(algorithm)
}

/// An error where the engine would panic: if `MANYHASH_BACKEND` names a backend that can't be used.
pub fn check_backend(algorithm: AnyAlgorithm) -> PyResult<()> {
    algorithm.backend().map_err(|error| PyRuntimeError::new_err(format!("MANYHASH_BACKEND: {error}")))?;
    Ok(())
}

/// The name of the backend that hashes many messages, and how many messages it advances together.
#[pyfunction]
pub fn backend(algorithm: &str) -> PyResult<(&'static str, usize)> {
    let (backend, lanes) = by_name(algorithm)?.backend().map_err(|error| PyRuntimeError::new_err(format!("MANYHASH_BACKEND: {error}")))?;
    Ok((backend.name(), lanes))
}
