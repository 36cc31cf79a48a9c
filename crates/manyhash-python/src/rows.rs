//! Numpy's arrays as messages: each row is one, and all have one width.

use crate::buffer::{Allowed, Buffer, Chunk};
use crate::messages::Limits;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows of one width, one after the other.
pub struct Rows {
    buffer: Buffer,
    width: usize,
    count: usize,
    padding: Padding,
}

/// How zeros at the end of a row are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// They are bytes of the message.
    Message,
    /// They are no bytes of the message, as numpy itself has it for the dtype `S`.
    Stripped,
}

/// An array of numpy as a source of messages.
pub enum Array {
    /// Its rows are messages.
    Rows(Rows),
    /// Its items are Python's objects, to be looked at one by one.
    Objects,
}

/// Whether `object` is an array of numpy. If numpy is not imported, it is not.
pub fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let modules = object.py().import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    match modules.get_item("numpy")? {
        // A module that another thread is importing has nothing yet, and None in its place has nothing at all.
        Some(numpy) => numpy.getattr_opt("ndarray")?.map_or(Ok(false), |kind| object.is_instance(&kind)),
        None => Ok(false),
    }
}

/// An array as a source of messages, or a `TypeError` that begins with `what` and says how to view
/// the array.
pub fn of_array(array: &Bound<'_, PyAny>, allowed: Allowed, what: &str) -> PyResult<Array> {
    let dtype = array.getattr("dtype")?;
    let kind: char = dtype.getattr("kind")?.extract()?;
    let width: usize = dtype.getattr("itemsize")?.extract()?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let wrong = |advice: &str| {
        let of = format!(
            "{what} is a {}-dimensional numpy array of dtype {}",
            shape.len(),
            dtype.str().map_or_else(|_| "?".into(), |s| s.to_string())
        );
        Err(PyTypeError::new_err(format!("{of}: {advice}")))
    };
    if array.hasattr("mask")? {
        return wrong("masked values have no bytes, so fill them first: .filled()");
    }
    let (width, count, padding) = match (kind, shape.as_slice()) {
        ('O' | 'T', [_]) => return Ok(Array::Objects),
        ('S', &[count]) if allowed == Allowed::BytesAndText => (width, count, Padding::Stripped),
        ('S', [_]) => return wrong("zeros at the end of its items would be lost, so view it as .view('V{itemsize}')"),
        ('V', &[count]) if dtype.getattr("names")?.is_none() => (width, count, Padding::Message),
        ('V', [_]) => return wrong("its fields may have padding between them, so view it as .view('V{itemsize}') if that is what to hash"),
        ('u', &[count, bytes]) if width == 1 => (bytes, count, Padding::Message),
        ('u', [_]) if width == 1 => return wrong("one message a row is .reshape(count, bytes), and messages of any lengths take offsets="),
        ('U', [_]) => return wrong("encode it as numpy.strings.encode(array, 'utf-8'), or give .tolist()"),
        (_, [_]) => return wrong("to hash the bytes of each item, view it as .view('V{itemsize}')"),
        _ => return wrong("give one dimension of bytes, or two of uint8, where each row is a message"),
    };
    let contiguous = array.py().import("numpy")?.call_method1("ascontiguousarray", (array,))?;
    let buffer = Buffer::of(&contiguous, || what.to_string())?;
    if width.checked_mul(count) != Some(buffer.bytes().len()) {
        return wrong("its buffer has not the bytes that its shape and dtype say");
    }
    Ok(Array::Rows(Rows { buffer, width, count, padding }))
}

impl Rows {
    /// The number of rows.
    pub fn messages(&self) -> usize {
        self.count
    }

    /// Lends the rows from `first` on that the limits allow.
    #[expect(clippy::indexing_slicing, reason = "the buffer has the bytes of so many rows, as was looked at in the beginning")]
    pub fn lend<'a>(&'a self, first: usize, limits: Limits, chunk: &mut Chunk<'a, '_>) {
        let most = limits.messages.min((limits.bytes / self.width.max(1)).max(1));
        let bytes = self.buffer.bytes();
        for i in first..self.count.min(first.saturating_add(most)) {
            chunk.lend(self.stripped(&bytes[i * self.width..][..self.width]));
        }
    }

    fn stripped<'a>(&self, row: &'a [u8]) -> &'a [u8] {
        match self.padding {
            Padding::Message => row,
            Padding::Stripped => {
                let mut message = row;
                while let [rest @ .., 0] = message {
                    message = rest;
                }
                message
            }
        }
    }
}
