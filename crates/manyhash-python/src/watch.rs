//! Telling Python how much of a column is hashed, while it is.

use crate::compute::text;
use crate::files::PROGRESS_EVERY;
use manyhash_arrow::{Hashing, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

/// Who wants to know, and what there is to know.
pub struct Watch {
    callback: Py<PyAny>,
    done: Arc<Progress>,
}

impl Watch {
    /// Nobody, if there is no callback.
    pub fn of(callback: Option<&Bound<'_, PyAny>>) -> Option<Self> {
        callback.map(|callback| Self { callback: callback.clone().unbind(), done: Arc::new(Progress::new()) })
    }

    /// Lets what `hashing` does be counted.
    pub fn counting(&self, hashing: Hashing) -> Hashing {
        hashing.progress(Arc::clone(&self.done))
    }

    /// Does `work` on a thread of its own, and meanwhile calls back from this one. An exception of
    /// the callback, or a signal's, stops the work, and is what comes back.
    fn over<T: Send>(&self, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
        thread::scope(|scope| {
            let (is_working, ended) = mpsc::channel::<()>();
            let work = move || {
                let _is_working = is_working;
                work()
            };
            let worker = thread::Builder::new().name("columns".to_string()).spawn_scoped(scope, work);
            let worker = worker.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
            while ended.recv_timeout(PROGRESS_EVERY) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = self.tell() {
                    self.done.stop();
                    // What it has made is of no use any more.
                    let _ = worker.join();
                    return Err(error);
                }
            }
            let result = worker.join().map_err(|panic| PyRuntimeError::new_err(format!("internal error: {}", text(&*panic))))??;
            self.tell()?;
            Ok(result)
        })
    }

    fn tell(&self) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            self.callback.call1(py, (self.done.rows(), self.done.bytes())).map(drop)
        })
    }
}

/// Does `work` detached from the interpreter, watched if somebody watches.
pub fn detached<T: Send>(py: Python<'_>, watch: Option<&Watch>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| match watch {
        Some(watch) => watch.over(work),
        None => work(),
    })
}
