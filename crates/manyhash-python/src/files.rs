//! `file_digests` and `file_part_digests`.

use crate::algorithm::by_name;
use crate::compute::{Threads, detached, threads_argument};
use crate::integer::Integer;
use manyhash_files::{FileParts, Run};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

/// The time from one call of `progress` to the next.
pub const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What is known of a file: its size, its digest, and its error.
type Row = (Option<u64>, Option<Py<PyBytes>>, Option<String>);

/// What `manyhash.file_digests` gives for each path, without the path.
#[pyfunction]
pub fn file_digests(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    algorithm: &str,
    progress: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Vec<Row>> {
    let algorithm = by_name(algorithm)?;
    let threads = Threads::of(threads)?.count();
    let results = finished(py, Run::start(paths, algorithm, threads), progress)?;
    let row = |result| match result {
        Ok(manyhash_files::FileDigest { bytes, digest }) => (Some(bytes), Some(PyBytes::new(py, &digest).unbind()), None),
        Err(error) => (None, None, Some(error)),
    };
    Ok(results.into_iter().map(row).collect())
}

/// What is known of a file in parts: its size, the digests one after the other, and its error.
type PartsRow = (Option<u64>, Option<Vec<Py<PyBytes>>>, Option<String>);

/// What `manyhash.file_part_digests` gives for each path, without the path.
#[pyfunction]
pub fn file_part_digests(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    part_size: Integer,
    algorithm: &str,
    progress: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
) -> PyResult<Vec<PartsRow>> {
    let algorithm = by_name(algorithm)?;
    let threads = Threads::of(threads)?.count();
    let part_bytes = NonZeroU64::new(part_size.size("part_size")? as u64);
    let part_bytes = part_bytes.ok_or_else(|| PyValueError::new_err("part_size is 0: a part has at least one byte"))?;
    let results = finished(py, Run::start_parts(paths, part_bytes, algorithm, threads), progress)?;
    let row = |result: Result<FileParts, String>| match result {
        Ok(FileParts { bytes, digests }) => {
            (Some(bytes), Some(digests.iter().map(|digest| PyBytes::new(py, digest).unbind()).collect()), None)
        }
        Err(error) => (None, None, Some(error)),
    };
    Ok(results.into_iter().map(row).collect())
}

/// Waits for a run and calls `progress` meanwhile. An early return drops the run, which stops it.
fn finished<T: Send + 'static>(py: Python<'_>, mut run: Run<T>, progress: Option<Bound<'_, PyAny>>) -> PyResult<Vec<Result<T, String>>> {
    loop {
        let is_done = detached(py, || run.wait(PROGRESS_EVERY))?;
        py.check_signals()?;
        if let Some(progress) = &progress {
            progress.call1(run.counts())?;
        }
        if is_done {
            return run.finish().map_err(|error| PyRuntimeError::new_err(format!("internal error: {error}")));
        }
    }
}
