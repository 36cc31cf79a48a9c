//! `manyhash._manyhash`: the part of the Python package `manyhash` that computes.
//!
//! All waiting and computing is detached from the interpreter, so that other threads of Python run
//! meanwhile.

#![deny(unsafe_code)]
// What input, the system or a lack of resources can cause is an error and no panic.
#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice, clippy::unreachable, clippy::unwrap_used)
)]

mod algorithm;
mod any_length;
mod arrow;
mod buffer;
mod command;
mod compute;
mod contained;
mod files;
mod hash_object;
mod integer;
mod many;
mod messages;
mod offsets;
mod order;
mod output;
mod parameters;
mod rows;
mod tree;
mod watch;

use pyo3::prelude::*;

/// The part of the package that computes.
#[pymodule(gil_used = false)]
mod _manyhash {
    #[pymodule_export]
    use crate::algorithm::backend;
    #[pymodule_export]
    use crate::any_length::{blake2_many, blake3_many, kmac_many, shake_many};
    #[pymodule_export]
    use crate::arrow::{hash_column, hash_rows};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::files::{file_digests, file_part_digests};
    #[pymodule_export]
    use crate::hash_object::{Hash, new};
    #[pymodule_export]
    use crate::many::{hash_many, hmac_many, verify_many};
    #[pymodule_export]
    use crate::parameters::{OutputHash, shake_128, shake_256};
    #[pymodule_export]
    use crate::tree::{
        tree_bittorrent_v2, tree_dm_verity, tree_files, tree_fs_verity, tree_glacier, tree_j_lanes, tree_j_pointers, tree_s3_composite,
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::hash_object::add_constructors(module)?;
        // In the place of those without parameters.
        module.add_function(wrap_pyfunction!(crate::parameters::blake2b, module)?)?;
        module.add_function(wrap_pyfunction!(crate::parameters::blake2s, module)?)?;
        module.add_function(wrap_pyfunction!(crate::parameters::blake3, module)?)?;
        module.add("algorithms", crate::algorithm::names(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
