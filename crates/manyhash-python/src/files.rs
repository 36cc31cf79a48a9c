//! `file_digests`.

use crate::algorithm::by_name;
use crate::compute::{Threads, detached, threads_argument};
use manyhash_files::Run;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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
    // An early return drops the run, which stops it.
    let mut run = Run::start(paths, algorithm, threads);
    loop {
        let is_done = detached(py, || run.wait(PROGRESS_EVERY))?;
        py.check_signals()?;
        if let Some(progress) = &progress {
            progress.call1(run.counts())?;
        }
        if is_done {
            break;
        }
    }
    let results = run.finish().map_err(|error| PyRuntimeError::new_err(format!("internal error: {error}")))?;
    let row = |result| match result {
        Ok(manyhash_files::FileDigest { bytes, digest }) => (Some(bytes), Some(PyBytes::new(py, &digest).unbind()), None),
        Err(error) => (None, None, Some(error)),
    };
    Ok(results.into_iter().map(row).collect())
}
