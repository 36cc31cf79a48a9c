//! Messages of any source, a bounded chunk at a time. They are looked at while attached to the
//! interpreter, and hashed while detached from it.

use crate::buffer::{Allowed, Chunk, has_buffer, type_name};
use crate::offsets::Offsets;
use crate::rows::{self, Array, Rows};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString, PyTuple};

/// A source of messages, and how many of them have been taken.
pub struct Messages<'py> {
    source: Source<'py>,
    /// Index of the next message.
    next: usize,
    /// Whether the source has said that there are no more. It is not asked again: an iterator may
    /// begin anew then, and a list may have grown.
    ended: bool,
    allowed: Allowed,
    /// What messages are called in errors.
    what: &'static str,
}

enum Source<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    Iterator(Bound<'py, PyIterator>),
    Rows(Rows),
    Offsets(Offsets),
}

/// How much of a source to take at once.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The most messages.
    pub messages: usize,
    /// The most bytes of these messages together, without the last one.
    pub bytes: usize,
}

impl<'py> Messages<'py> {
    /// The messages of `object`, which errors call `what`: its items or, with `offsets`, its bytes
    /// between these.
    pub fn of(object: &Bound<'py, PyAny>, offsets: Option<&Bound<'py, PyAny>>, allowed: Allowed, what: &'static str) -> PyResult<Self> {
        let source = match offsets {
            Some(offsets) => Source::Offsets(Offsets::of(object, offsets)?),
            None => source(object, allowed, what)?,
        };
        Ok(Self { source, next: 0, ended: false, allowed, what })
    }

    /// The number of messages that have been taken.
    pub fn taken(&self) -> usize {
        self.next
    }

    /// The next messages, in the memory of `others`; none at the end.
    pub fn take<'a>(&'a mut self, limits: Limits, others: Chunk<'_, 'py>) -> PyResult<Chunk<'a, 'py>> {
        let mut chunk = others.emptied();
        if self.ended {
            return Ok(chunk);
        }
        let ended = match &self.source {
            Source::Rows(rows) => {
                rows.lend(self.next, limits, &mut chunk);
                false
            }
            Source::Offsets(offsets) => {
                offsets.lend(self.next, limits, &mut chunk)?;
                false
            }
            // Other threads may change a list meanwhile: it ends where there is no item, as for its
            // iterator.
            Source::List(list) => self.hold(limits, &mut chunk, |i| list.get_item(i).ok().map(Ok))?,
            Source::Tuple(tuple) => self.hold(limits, &mut chunk, |i| tuple.get_item(i).ok().map(Ok))?,
            Source::Iterator(iterator) => {
                let mut iterator = iterator.clone();
                self.hold(limits, &mut chunk, |_| iterator.next())?
            }
        };
        self.ended = ended;
        self.next += chunk.len();
        Ok(chunk)
    }

    /// Holds the objects that `next` gives by their indices, as many as the limits allow. Says
    /// whether there are no more.
    #[inline]
    fn hold(
        &self,
        limits: Limits,
        chunk: &mut Chunk<'_, 'py>,
        mut next: impl FnMut(usize) -> Option<PyResult<Bound<'py, PyAny>>>,
    ) -> PyResult<bool> {
        let mut bytes = 0;
        while chunk.len() < limits.messages && bytes < limits.bytes {
            let index = self.next + chunk.len();
            let Some(object) = next(index) else { return Ok(true) };
            bytes += chunk.hold(object?, self.allowed, || format!("{}[{index}]", self.what))?;
        }
        Ok(false)
    }

    /// The number of all messages, if it is known before the end.
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
    if object.is_instance_of::<PyString>() || has_buffer(object) {
        let kind = type_name(object);
        return Err(PyTypeError::new_err(format!("{what} is one {kind}: give a list or another iterable, or one buffer with offsets=")));
    }
    object.try_iter().map(Source::Iterator).map_err(|_| {
        let kind = type_name(object);
        PyTypeError::new_err(format!("{what} is {kind}: it must be an iterable, an array of numpy, or a buffer with offsets="))
    })
}
