//! Messages of any source, a bounded chunk at a time: looked at while attached to the interpreter, hashed while detached from it.

use std::borrow::Cow;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString, PyTuple};

use crate::buffer::{Held, type_name};
use crate::offsets::Offsets;
use crate::rows::{self, Allowed, Array, Rows};

/// Where messages come from, and how far we are.
pub struct Messages<'py> {
    source: Source<'py>,
    /// Index of the next one.
    next: usize,
    allowed: Allowed,
    /// What they are called in errors.
    what: &'static str,
}

enum Source<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    Iterator(Bound<'py, PyIterator>),
    Rows(Rows),
    Offsets(Offsets),
}

/// How much to take at once.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Messages.
    pub messages: usize,
    /// Bytes of these together, but for the last one.
    pub bytes: usize,
}

/// Successive messages, held.
pub enum Chunk<'a, 'py> {
    /// Each by itself.
    Held(Vec<Held<'py>>),
    /// All of them by their source.
    Slices(Vec<&'a [u8]>),
}

impl Chunk<'_, '_> {
    /// The messages.
    pub fn slices(&self) -> Cow<'_, [&[u8]]> {
        match self {
            Self::Held(held) => held.iter().map(Held::bytes).collect(),
            Self::Slices(slices) => Cow::Borrowed(slices),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Held(held) => held.len(),
            Self::Slices(slices) => slices.len(),
        }
    }
}

impl<'py> Messages<'py> {
    /// Those of `object`, which errors call `what`.
    pub fn of(object: &Bound<'py, PyAny>, offsets: Option<&Bound<'py, PyAny>>, allowed: Allowed, what: &'static str) -> PyResult<Self> {
        let source = match offsets {
            Some(offsets) => Source::Offsets(Offsets::of(object, offsets)?),
            None => source(object, allowed, what)?,
        };
        Ok(Self { source, next: 0, allowed, what })
    }

    /// How many have been taken.
    pub fn taken(&self) -> usize {
        self.next
    }

    /// The next ones; none at the end.
    pub fn take(&mut self, limits: Limits) -> PyResult<Chunk<'_, 'py>> {
        let first = self.next;
        let slices = match &self.source {
            Source::Rows(rows) => rows.slices(first, limits.messages, limits.bytes),
            Source::Offsets(offsets) => offsets.slices(first, limits.messages, limits.bytes)?,
            // A list may be changed by others meanwhile: its length is asked for each time, as its iterator does.
            Source::List(list) => {
                return hold(limits, &mut self.next, self.allowed, self.what, |i| (i < list.len()).then(|| list.get_item(i)));
            }
            Source::Tuple(tuple) => {
                return hold(limits, &mut self.next, self.allowed, self.what, |i| (i < tuple.len()).then(|| tuple.get_item(i)));
            }
            Source::Iterator(iterator) => {
                let mut iterator = iterator.clone();
                return hold(limits, &mut self.next, self.allowed, self.what, |_| iterator.next());
            }
        };
        self.next += slices.len();
        Ok(Chunk::Slices(slices))
    }

    /// How many there are in all, where that is known before the end.
    pub fn count(&self) -> Option<usize> {
        match &self.source {
            Source::List(list) => Some(list.len()),
            Source::Tuple(tuple) => Some(tuple.len()),
            Source::Iterator(_) => None,
            Source::Rows(rows) => Some(rows.messages()),
            Source::Offsets(offsets) => Some(offsets.messages()),
        }
    }
}

fn source<'py>(object: &Bound<'py, PyAny>, allowed: Allowed, what: &'static str) -> PyResult<Source<'py>> {
    if let Ok(list) = object.cast_exact::<PyList>() {
        return Ok(Source::List(list.clone()));
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return Ok(Source::Tuple(tuple.clone()));
    }
    if rows::is_array(object)? {
        return Ok(match rows::of_array(object, allowed, what)? {
            Array::Rows(rows) => Source::Rows(rows),
            Array::Objects => Source::Iterator(object.try_iter()?),
        });
    }
    // These can be iterated over too, but nobody wants a digest of every character or byte.
    if object.is_instance_of::<PyString>() || PyUntypedBuffer::get(object).is_ok() {
        let kind = type_name(object);
        return Err(PyTypeError::new_err(format!("{what} is one {kind}: give a list or another iterable, or one buffer with offsets=")));
    }
    object.try_iter().map(Source::Iterator).map_err(|_| {
        let kind = type_name(object);
        PyTypeError::new_err(format!("{what} is {kind}: it must be an iterable, an array of numpy, or a buffer with offsets="))
    })
}

/// Holds as many objects as `next` gives, by their indices, and the limits allow.
#[inline]
fn hold<'py, 'a>(
    limits: Limits,
    index: &mut usize,
    allowed: Allowed,
    what: &str,
    mut next: impl FnMut(usize) -> Option<PyResult<Bound<'py, PyAny>>>,
) -> PyResult<Chunk<'a, 'py>> {
    let (mut held, mut bytes) = (Vec::new(), 0);
    while held.len() < limits.messages && bytes < limits.bytes {
        let Some(object) = next(*index) else { break };
        let name = || format!("{what}[{index}]");
        let message = match allowed {
            Allowed::BytesAndText => Held::data_or_text(object?, name)?,
            Allowed::Bytes => Held::data(object?, name)?,
        };
        bytes += message.bytes().len();
        held.push(message);
        *index += 1;
    }
    Ok(Chunk::Held(held))
}
