//! The bytes behind Python's objects. This is the only file with unsafe code of the crate's own
//! making.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// Whether an object has the buffer protocol.
#[allow(unsafe_code, reason = "nothing safe asks only this")]
pub fn has_buffer(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the object lives, and this thread is attached to the interpreter.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
}

/// Returns the buffer of an object whose own does not say how it is laid out, because it is a scalar or an array of ctypes.
fn plain_buffer(object: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    let view = PyMemoryView::from(object)?;
    PyUntypedBuffer::get(&view).or_else(|_| PyUntypedBuffer::get(&view.call_method0("tobytes")?))
}

/// The memory of an object that has the buffer protocol. As long as this lives, the object neither
/// moves nor frees it.
pub struct Buffer {
    held: PyUntypedBuffer,
    item_bytes: usize,
}

impl Buffer {
    /// The memory of `object`. A `TypeError` that begins with `what` if the object has none, and a
    /// `BufferError` if it is not laid out as an array of C.
    pub fn of(object: &Bound<'_, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        let held = match PyUntypedBuffer::get(object) {
            Ok(held) => held,
            Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => plain_buffer(object).map_err(|_| error)?,
            Err(_) if !has_buffer(object) => {
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

    /// The bytes of the memory.
    #[allow(unsafe_code, reason = "no safe way to see a buffer's bytes while the interpreter goes on")]
    pub fn bytes(&self) -> &[u8] {
        let length = self.held.len_bytes();
        if length == 0 {
            return &[];
        }
        // SAFETY: the exporter keeps `length` bytes at this address valid and in place until the
        // buffer is released, which is when `self` is dropped; that it is C-contiguous means that
        // they follow each other. Another thread may write to them meanwhile, as to whatever
        // hashlib reads. Then the digest is of anything, and nothing else depends on these bytes:
        // no length and no index is read from them, but by `Offsets`, which reads every integer
        // once and checks what it read.
        unsafe { std::slice::from_raw_parts(self.held.buf_ptr().cast::<u8>(), length) }
    }

    /// Bytes of an item.
    pub fn item_bytes(&self) -> usize {
        self.item_bytes
    }

    /// The format of an item, in the letters of the module `struct`.
    pub fn format(&self) -> &[u8] {
        self.held.format().to_bytes()
    }
}

/// The object that keeps the bytes of a message, key or tag where they are, whatever becomes of the
/// list that it came from.
enum Owner<'py> {
    /// Bytes: the usual case, which needs no buffer protocol.
    Bytes(Bound<'py, PyBytes>),
    /// Text, whose bytes are its UTF-8.
    Text(Bound<'py, PyString>),
    /// Any other object with the buffer protocol.
    Buffer(Buffer),
}

impl<'py> Owner<'py> {
    /// The owner of bytes, or of anything that has the buffer protocol. Text is a `TypeError` that
    /// begins with `what`.
    #[inline]
    fn of_data(object: Bound<'py, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(error) => Ok(Self::Buffer(Buffer::of(&error.into_inner(), what)?)),
        }
    }

    /// The owner of bytes, of text, or of anything that has the buffer protocol. Anything else is a
    /// `TypeError` that begins with `what`.
    #[inline]
    fn of_data_or_text(object: Bound<'py, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        let object = match object.cast_into_exact::<PyBytes>() {
            Ok(bytes) => return Ok(Self::Bytes(bytes)),
            Err(error) => error.into_inner(),
        };
        match object.cast_into::<PyString>() {
            Ok(text) => Ok(Self::Text(text)),
            Err(error) => Ok(Self::Buffer(Buffer::of(&error.into_inner(), what)?)),
        }
    }

    /// The bytes. A `UnicodeEncodeError` that names `what` if text has a lone surrogate.
    #[inline]
    fn bytes(&self, what: impl FnOnce() -> String) -> PyResult<&[u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.as_bytes()),
            Self::Text(text) => text.to_str().map(str::as_bytes).map_err(|error| surrogates(text.py(), &error, &what())),
            Self::Buffer(buffer) => Ok(buffer.bytes()),
        }
    }
}

/// The argument `data` of hash objects.
pub struct Data<'py>(Owner<'py>);

impl<'py> Data<'py> {
    /// Data that is bytes, or anything that has the buffer protocol.
    pub fn of(object: Bound<'py, PyAny>) -> PyResult<Self> {
        Owner::of_data(object, || "data".to_string()).map(Self)
    }

    /// The bytes of the data.
    pub fn bytes(&self) -> PyResult<&[u8]> {
        self.0.bytes(|| "data".to_string())
    }
}

/// Whether text is allowed, and padding that cannot be told from bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// For messages: text stands for its UTF-8, and numpy's dtype `S` for the bytes that numpy
    /// gives.
    BytesAndText,
    /// For keys and tags: bytes alone.
    Bytes,
}

/// Successive messages, keys or tags. Their bytes stay where they are as long as this lives.
#[derive(Default)]
pub struct Chunk<'a, 'py> {
    /// The bytes of each, which are lent for `'a`, or belong to the objects of `owners` and live as
    /// long as these.
    slices: Vec<&'a [u8]>,
    owners: Vec<Owner<'py>>,
}

impl<'a, 'py> Chunk<'a, 'py> {
    /// An empty chunk in the memory of this one: new memory would cost more than hashing tiny
    /// messages does.
    pub fn emptied<'b>(self) -> Chunk<'b, 'py> {
        let Self { mut slices, mut owners } = self;
        slices.clear();
        owners.clear();
        Chunk { slices: slices.into_iter().map(|_| -> &[u8] { &[] }).collect(), owners }
    }

    /// Adds bytes that live longer than the chunk.
    #[inline]
    pub fn lend(&mut self, bytes: &'a [u8]) {
        self.slices.push(bytes);
    }

    /// Adds the bytes of an object, which errors call `what`, and gives their number.
    #[inline]
    #[allow(unsafe_code, reason = "objects do not move with what holds them, which no lifetime can say")]
    pub fn hold(&mut self, object: Bound<'py, PyAny>, allowed: Allowed, what: impl Fn() -> String) -> PyResult<usize> {
        let owner = match allowed {
            Allowed::BytesAndText => Owner::of_data_or_text(object, &what)?,
            Allowed::Bytes => Owner::of_data(object, &what)?,
        };
        let bytes: *const [u8] = owner.bytes(what)?;
        // SAFETY: `bytes` and `str` never change nor move, and have their bytes (`str` its UTF-8)
        // as long as they are; other owners are as `Buffer` says. `owners` has a reference from
        // here on and is private; it loses it together with the slice, in `emptied`; and `slices`
        // gives nothing that outlives `self`.
        self.slices.push(unsafe { &*bytes });
        self.owners.push(owner);
        Ok(bytes.len())
    }

    /// The bytes of each message, key or tag.
    pub fn slices(&self) -> &[&[u8]] {
        &self.slices
    }

    /// The number of messages, keys or tags.
    pub fn len(&self) -> usize {
        self.slices.len()
    }
}

/// The `UnicodeEncodeError` of a lone surrogate, with a note that it is in `what`.
fn surrogates(py: Python<'_>, error: &PyErr, what: &str) -> PyErr {
    let value = error.value(py);
    // Without the note, the error is still right.
    let _ = value.call_method1("add_note", (format!("{what} has a lone surrogate, which UTF-8 cannot encode"),));
    PyErr::from_value(value.clone().into_any())
}

/// The full name of the type of `object`.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().fully_qualified_name().map_or_else(|_| "an object".to_string(), |name| name.to_string())
}
