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

/// What is behind an object: a message in pieces, whose digest has one length.
pub(crate) trait Message: Send + Sync {
    fn update(&mut self, piece: &[u8]);
    fn digest(&self) -> Vec<u8>;
    fn clone_boxed(&self) -> Box<dyn Message>;
}

impl Message for AnyHasher {
    fn update(&mut self, piece: &[u8]) {
        Self::update(self, piece);
    }

    fn digest(&self) -> Vec<u8> {
        self.clone().finalize()
    }

    fn clone_boxed(&self) -> Box<dyn Message> {
        Box::new(self.clone())
    }
}

/// The digest of a message that comes in pieces, like hashlib's objects. Any number of threads may
/// use it.
#[pyclass(frozen, module = "manyhash")]
pub struct Hash {
    algorithm: AnyAlgorithm,
    digest_bytes: usize,
    message: Mutex<Box<dyn Message>>,
}

impl Hash {
    fn of(algorithm: AnyAlgorithm, data: MaybeData<'_>) -> PyResult<Self> {
        Self::starting(algorithm, algorithm.digest_bytes(), Box::new(algorithm.hasher()), data)
    }

    /// A new object that begins with data.
    pub(crate) fn starting(algorithm: AnyAlgorithm, digest_bytes: usize, message: Box<dyn Message>, data: MaybeData<'_>) -> PyResult<Self> {
        check_backend(algorithm)?;
        let hash = Self { algorithm, digest_bytes, message: Mutex::new(message) };
        if let MaybeData::Given(data) = data {
            hash.update(data.py(), data)?;
        }
        Ok(hash)
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Box<dyn Message>> {
        self.message.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives bytes to a message. If they are many, other threads of Python run meanwhile.
pub(crate) fn append(py: Python<'_>, bytes: &[u8], update: impl FnOnce(&[u8]) + Send) -> PyResult<()> {
    if bytes.len() < DETACHING_BYTES {
        update(bytes);
        return Ok(());
    }
    detached(py, || update(bytes))
}

#[pymethods]
impl Hash {
    /// Appends the bytes of a bytes-like object to the message.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: Bound<'_, PyAny>) -> PyResult<()> {
        // Whoever gives the buffer, and gets it back, may use this object: it is not locked then.
        let data = Data::of(data)?;
        let bytes = data.bytes()?;
        let mut message = self.lock(py);
        let message = &mut **message;
        append(py, bytes, |bytes| message.update(bytes))
    }

    /// The digest of the message so far.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).digest())
    }

    /// The digest of the message so far, in hexadecimal.
    fn hexdigest<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        hex(py, &self.lock(py).digest())
    }

    /// Another object with the same message so far.
    fn copy(&self, py: Python<'_>) -> Self {
        let message = Mutex::new(self.lock(py).clone_boxed());
        Self { algorithm: self.algorithm, digest_bytes: self.digest_bytes, message }
    }

    /// The algorithm's name, as hashlib spells it.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.hashlib_name()
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.digest_bytes
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
