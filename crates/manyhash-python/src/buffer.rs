//! The bytes behind Python's objects. This is the only file with unsafe code of the crate's own making.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The memory of an object that has the buffer protocol, held: as long as this is there, its owner neither moves nor frees it.
pub struct Buffer {
    held: PyUntypedBuffer,
    item_bytes: usize,
}

impl Buffer {
    /// The memory of `object`, if it has any; a `TypeError` or `BufferError` that begins with `what` if it does not have it as C arrays
    /// have it.
    pub fn of(object: &Bound<'_, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        let held = match PyUntypedBuffer::get(object) {
            Ok(held) => held,
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                let (what, kind) = (what(), type_name(object));
                let text = if object.is_instance_of::<PyString>() {
                    format!("{what} is str, which has no bytes until it is encoded: use .encode()")
                } else {
                    format!("{what} is {kind}: it must be bytes or another object with the buffer protocol")
                };
                return Err(PyTypeError::new_err(text));
            }
            Err(error) => return Err(error),
        };
        if !held.is_c_contiguous() {
            return Err(PyBufferError::new_err(format!("{} is not C-contiguous: copy it first", what())));
        }
        let item_bytes = held.item_size();
        Ok(Self { held, item_bytes })
    }

    /// What it holds.
    #[allow(unsafe_code, reason = "no safe way to see a buffer's bytes while the interpreter goes on")]
    pub fn bytes(&self) -> &[u8] {
        let length = self.held.len_bytes();
        if length == 0 {
            return &[];
        }
        // SAFETY: the exporter keeps `length` bytes at this address valid and in place until the buffer is released, which is when `self`
        // is dropped; that it is C-contiguous means that they follow each other. Another thread may write to them meanwhile, as to whatever
        // hashlib reads. Then the digest is of anything, and nothing else depends on these bytes: no length and no index is read from
        // them, but by `Offsets`, which reads every integer once and checks what it read.
        unsafe { std::slice::from_raw_parts(self.held.buf_ptr().cast::<u8>(), length) }
    }

    /// Bytes of an item.
    pub fn item_bytes(&self) -> usize {
        self.item_bytes
    }

    /// The format of items, as the module `struct` has them.
    pub fn format(&self) -> &[u8] {
        self.held.format().to_bytes()
    }
}

/// One message, key or tag, held: its bytes stay where they are, whatever becomes of the list it came from.
pub enum Held<'py> {
    /// The usual case, without the buffer protocol's detour.
    Bytes(Bound<'py, PyBytes>),
    /// Text, of which the bytes are its UTF-8.
    Text(Bound<'py, PyString>),
    /// Anything else.
    Buffer(Buffer),
}

impl<'py> Held<'py> {
    /// Bytes or whatever has the buffer protocol; text is an error that begins with `what`.
    #[inline]
    pub fn data(object: Bound<'py, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(error) => Ok(Self::Buffer(Buffer::of(&error.into_inner(), what)?)),
        }
    }

    /// As [`data`](Self::data), and text if it is made of characters: a lone surrogate is an error.
    #[inline]
    pub fn data_or_text(object: Bound<'py, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        let object = match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => return Ok(Self::Bytes(bytes)),
            Err(error) => error.into_inner(),
        };
        match object.cast_into::<PyString>() {
            Ok(text) => {
                text.to_str().map_err(|error| surrogates(text.py(), &error, &what()))?;
                Ok(Self::Text(text))
            }
            Err(error) => Ok(Self::Buffer(Buffer::of(&error.into_inner(), what)?)),
        }
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Text(text) => text.to_str().expect("it was text before, and strings do not change").as_bytes(),
            Self::Buffer(buffer) => buffer.bytes(),
        }
    }
}

/// The `UnicodeEncodeError` with a note of where.
fn surrogates(py: Python<'_>, error: &PyErr, what: &str) -> PyErr {
    let value = error.value(py);
    // A note more or less: the error is the same.
    let _ = value.call_method1("add_note", (format!("{what} has a lone surrogate, which UTF-8 cannot encode"),));
    PyErr::from_value(value.clone().into_any())
}

/// What the type of `object` is called.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().fully_qualified_name().map_or_else(|_| "an object".to_string(), |name| name.to_string())
}
