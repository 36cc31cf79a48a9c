//! Objects like hashlib's.

use crate::algorithm::{by_name, check_backend};
use crate::buffer::Data;
use crate::compute::detached;
use crate::output::hex;
use manyhash::{AnyAlgorithm, AnyHasher};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The fewest bytes for which other threads of Python may run meanwhile: fewer are hashed sooner
/// than that takes.
const DETACHING_BYTES: usize = 2048;

/// The digest of a message that comes in pieces, like hashlib's objects. Any number of threads may
/// use it.
#[pyclass(frozen, module = "manyhash")]
pub struct Hash {
    algorithm: AnyAlgorithm,
    hasher: Mutex<AnyHasher>,
}

impl Hash {
    fn of(algorithm: AnyAlgorithm, data: MaybeData<'_>) -> PyResult<Self> {
        check_backend(algorithm)?;
        let hash = Self { algorithm, hasher: Mutex::new(algorithm.hasher()) };
        if let MaybeData::Given(data) = data {
            hash.update(data.py(), data)?;
        }
        Ok(hash)
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, AnyHasher> {
        self.hasher.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Hash {
    /// Appends the bytes of a bytes-like object to the message.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: Bound<'_, PyAny>) -> PyResult<()> {
        let data = Data::of(data)?;
        let bytes = data.bytes()?;
        let mut hasher = self.lock(py);
        if bytes.len() < DETACHING_BYTES {
            hasher.update(bytes);
            return Ok(());
        }
        let hasher = &mut *hasher;
        detached(py, || hasher.update(bytes))
    }

    /// The digest of the message so far.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let hasher = self.lock(py).clone();
        PyBytes::new(py, &hasher.finalize())
    }

    /// The digest of the message so far, in hexadecimal.
    fn hexdigest<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let hasher = self.lock(py).clone();
        hex(py, &hasher.finalize())
    }

    /// Another object with the same message so far.
    fn copy(&self, py: Python<'_>) -> Self {
        Self { algorithm: self.algorithm, hasher: Mutex::new(self.lock(py).clone()) }
    }

    /// The algorithm's name, as hashlib spells it.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.hashlib_name()
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_bytes()
    }

    /// Bytes of the algorithm's blocks.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_bytes()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("<{} manyhash.Hash object at {:p}>", slf.get().algorithm.hashlib_name(), slf.as_ptr())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("cannot pickle 'manyhash.Hash' object"))
    }
}

/// The argument `data`, which may be left out, but not be `None`.
pub enum MaybeData<'py> {
    Absent,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for MaybeData<'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self::Given(object.to_owned()))
    }
}

/// A new object that hashes with the algorithm of that name, in any spelling, and begins with data.
///
/// usedforsecurity: for hashlib's sake, without effect.
#[pyfunction]
#[pyo3(signature = (name, data = MaybeData::Absent, *, usedforsecurity = true))]
#[pyo3(text_signature = "(name, data=b'', *, usedforsecurity=True)")]
pub fn new(name: &str, data: MaybeData<'_>, usedforsecurity: bool) -> PyResult<Hash> {
    let _ = usedforsecurity;
    Hash::of(by_name(name)?, data)
}

/// Python pickles functions by their names, so each algorithm needs one of its own: its type's name
/// in lower case, which a test compares with that of hashlib.
macro_rules! constructors { ([] $($Algorithm:ident)*) => { pastey::paste! {
    $(
        #[doc = "A new " [<$Algorithm:lower>] " object like hashlib's, which begins with data."]
        ///
        /// usedforsecurity: for hashlib's sake, without effect.
        #[pyfunction]
        #[pyo3(signature = (data = MaybeData::Absent, *, usedforsecurity = true))]
        #[pyo3(text_signature = "(data=b'', *, usedforsecurity=True)")]
        fn [<$Algorithm:lower>](data: MaybeData<'_>, usedforsecurity: bool) -> PyResult<Hash> {
            let _ = usedforsecurity;
            Hash::of(AnyAlgorithm::$Algorithm, data)
        }
    )*

    /// Adds the constructor of every algorithm to the module.
    pub fn add_constructors(module: &Bound<'_, PyModule>) -> PyResult<()> {
        $(module.add_function(wrap_pyfunction!([<$Algorithm:lower>], module)?)?;)*
        Ok(())
    }
} } }
manyhash::for_each_algorithm!(constructors []);
