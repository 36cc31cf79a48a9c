//! Backends that are made wrong on purpose, for tests of what a user sees then. Only a build with debug
//! assertions has this file: no environment variable can make a release build wrong.
//!
//! A broken kernel computes nothing. Its self-test finds that, as it finds what a compiler or a CPU
//! makes wrong, so that digests stay right if one kernel is left that is not broken.

use super::Kernel;
use crate::algorithm::Compression;
use crate::isa::OnceLock;
#[cfg(feature = "std")]
use alloc::string::ToString;
use alloc::{string::String, vec::Vec};

/// The names of the broken backends. They are set before the first kernel is listed, or never.
static BROKEN: OnceLock<Vec<String>> = OnceLock::new();

/// Breaks the backends whose names are in a list with commas, or those of all names for `all`.
#[cfg(feature = "std")]
pub(crate) fn break_backends(names: &str) {
    BROKEN.get_or_init(|| names.split(',').map(|name| name.trim().to_string()).collect());
}

/// Returns the kernels with those broken that should be.
pub(crate) fn with_broken<C: Compression>(mut kernels: Vec<Kernel<C>>) -> Vec<Kernel<C>> {
    let broken = BROKEN.get_or_init(Vec::new);
    for kernel in kernels.iter_mut().filter(|kernel| broken.iter().any(|name| name == "all" || name == kernel.name)) {
        *kernel = kernel.broken();
    }
    kernels
}
