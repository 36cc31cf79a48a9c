//! The order of arguments of functions for many messages: the messages, the algorithm, and the rest by
//! name. What has another order, that of hashlib or hmac say, is an error that shows the right one.

use crate::buffer::type_name;
use manyhash::AnyAlgorithm;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::convert::Infallible;

/// The argument that names an algorithm or a function, which may be left out, but not be `None`.
pub enum Name<'py> {
    Default,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Name<'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self::Given(object.to_owned()))
    }
}

/// How a function is called, and the word for what comes after its messages.
#[derive(Clone, Copy)]
pub struct Order {
    pub right: &'static str,
    pub parameter: &'static str,
}

impl Order {
    /// The name in the place of the algorithm, or the default. A `TypeError` that shows the right call if messages are
    /// there, or the name of an algorithm is where messages should be.
    pub fn name(self, messages: &Bound<'_, PyAny>, name: Name<'_>, default: &str) -> PyResult<String> {
        let is_algorithm = |text: &Bound<'_, PyString>| text.extract::<String>().is_ok_and(|text| AnyAlgorithm::by_name(&text).is_some());
        if messages.cast::<PyString>().is_ok_and(is_algorithm) {
            return Err(self.wrong("the first argument is the name of an algorithm"));
        }
        let Name::Given(name) = name else { return Ok(default.to_string()) };
        if !name.is_instance_of::<PyString>() {
            let kind = type_name(&name);
            return Err(self.wrong(&format!("{} is {kind}: it must be str", self.parameter)));
        }
        name.extract()
    }

    /// The argument `key`. A `TypeError` that shows the right call if it is not given by its name, or if
    /// there are more arguments without one than there may be.
    pub fn key<'a, 'py>(self, key: Option<&'a Bound<'py, PyAny>>, rest: &Bound<'_, PyTuple>) -> PyResult<&'a Bound<'py, PyAny>> {
        match key {
            Some(key) if rest.is_empty() => Ok(key),
            Some(_) => Err(self.wrong("too many arguments without a name")),
            None => Err(self.wrong("key is given by its name")),
        }
    }

    fn wrong(self, what: &str) -> PyErr {
        PyTypeError::new_err(format!("{what}; the messages come first: {}", self.right))
    }
}
