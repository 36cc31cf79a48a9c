//! Digests as Python wants them.

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString};

/// The most bytes of a digest whose length is not asked for.
const MOST_DIGEST_BYTES: usize = 64;

/// The digests so far, in the form that the caller wants.
pub enum Output<'py> {
    /// Each digest by itself, for a list of `bytes`. A list made at the end is faster than one that
    /// grows.
    List(Vec<Bound<'py, PyBytes>>),
    /// Each digest by itself in hexadecimal, for a list of `str`.
    Hex(Vec<Bound<'py, PyString>>),
    /// Digests one after the other, for one `bytes`.
    Bytes(Vec<u8>),
    /// The module numpy, and digests one after the other for an array of it.
    Numpy(Bound<'py, PyModule>, Vec<u8>),
}

impl<'py> Output<'py> {
    /// No digests so far, in the form called `kind`, with room for `digests` digests of
    /// `digest_bytes` bytes if their number is known. A `ValueError` if there is no such form, a `MemoryError` if
    /// there is no room.
    pub fn of(py: Python<'py>, kind: &str, digests: Option<usize>, digest_bytes: usize) -> PyResult<Self> {
        let digests = digests.unwrap_or(0);
        let room = || with_room(digests.saturating_mul(digest_bytes));
        match kind {
            "list" => Ok(Self::List(with_room(digests)?)),
            "hex" => Ok(Self::Hex(with_room(digests)?)),
            "bytes" => Ok(Self::Bytes(room()?)),
            "numpy" => Ok(Self::Numpy(py.import("numpy")?, room()?)),
            _ => Err(PyValueError::new_err(format!("output is {kind:?}: it must be \"list\", \"hex\", \"bytes\" or \"numpy\""))),
        }
    }

    /// Appends digests.
    pub fn push<'a>(&mut self, py: Python<'py>, digests: impl Iterator<Item = &'a [u8]>) {
        match self {
            Self::List(list) => list.extend(digests.map(|digest| PyBytes::new(py, digest))),
            Self::Hex(list) => list.extend(digests.map(|digest| hex(py, digest))),
            Self::Bytes(bytes) | Self::Numpy(_, bytes) => digests.for_each(|digest| bytes.extend_from_slice(digest)),
        }
    }

    /// All digests, as Python's object.
    pub fn finish(self, py: Python<'py>, digest_bytes: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::List(list) => Ok(PyList::new(py, list)?.into_any()),
            Self::Hex(list) => Ok(PyList::new(py, list)?.into_any()),
            Self::Bytes(bytes) => Ok(PyBytes::new(py, &bytes).into_any()),
            Self::Numpy(numpy, bytes) => {
                let shape = (bytes.len() / digest_bytes, digest_bytes);
                // The array is over a bytearray, so that it may be written to.
                let flat = numpy.call_method1("frombuffer", (PyByteArray::new(py, &bytes), numpy.getattr("uint8")?))?;
                flat.call_method1("reshape", (shape,))
            }
        }
    }
}

/// An empty list with room for `count` items, or a `MemoryError`.
fn with_room<T>(count: usize) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    let no_room = |_| PyMemoryError::new_err(format!("there is no memory for {count} items of the output"));
    list.try_reserve_exact(count).map_err(no_room)?;
    Ok(list)
}

/// A digest in lower-case hexadecimal digits, which are written to `text`.
#[expect(clippy::expect_used, clippy::indexing_slicing, reason = "the only caller has fewer bytes, and each of them has two digits")]
fn hexadecimal<'a>(digest: &[u8], text: &'a mut [u8; 2 * MOST_DIGEST_BYTES]) -> &'a str {
    const_hex::encode_to_str(digest, &mut text[..2 * digest.len()]).expect("two digits a byte")
}

/// A digest in lower-case hexadecimal digits, as Python's text.
pub fn hex<'py>(py: Python<'py>, digest: &[u8]) -> Bound<'py, PyString> {
    if digest.len() > MOST_DIGEST_BYTES {
        return PyString::new(py, &const_hex::encode(digest));
    }
    PyString::new(py, hexadecimal(digest, &mut [0; 2 * MOST_DIGEST_BYTES]))
}
