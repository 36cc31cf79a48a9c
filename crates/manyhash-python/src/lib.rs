//! `manyhash._manyhash`: the part of the Python package `manyhash` that computes.
//!
//! Whatever waits or computes does so detached from the interpreter, so that other threads of Python run meanwhile.

#![deny(unsafe_code)]

mod algorithm;
mod command;

use pyo3::prelude::*;

/// The part of the package that computes.
#[pymodule(gil_used = false)]
mod _manyhash {
    #[pymodule_export]
    use crate::command::run_command;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("algorithms", crate::algorithm::names(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
