//! Integers as arguments.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// An integer as an argument; nothing if it does not fit 64 bits, with a sign or without. Python's integers are of any
/// size, and one that is too large is as wrong as any other number that is out of range.
#[derive(Clone, Copy)]
pub struct Integer(Option<i128>);

impl Integer {
    pub const ZERO: Self = Self(Some(0));
    pub const ONE: Self = Self(Some(1));

    /// The integer's value, or a `ValueError` that names the parameter.
    pub fn value(self, parameter: &str) -> PyResult<i64> {
        self.0.and_then(|value| value.try_into().ok()).ok_or_else(|| out_of_range(parameter))
    }

    /// The integer's value, or a `ValueError` that names the parameter if it is less than 0 or does not fit 64 bits.
    pub fn unsigned(self, parameter: &str) -> PyResult<u64> {
        self.0.and_then(|value| value.try_into().ok()).ok_or_else(|| out_of_range(parameter))
    }

    /// The integer's value, or a `ValueError` that names the parameter if it is less than 0 or does
    /// not fit 64 bits.
    pub fn size(self, parameter: &str) -> PyResult<usize> {
        let value = self.value(parameter)?;
        usize::try_from(value).map_err(|_| PyValueError::new_err(format!("{parameter} is {value}: it must not be negative")))
    }
}

fn out_of_range(parameter: &str) -> PyErr {
    PyValueError::new_err(format!("{parameter} is out of range: it does not fit 64 bits"))
}

impl<'py> FromPyObject<'_, 'py> for Integer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<i64>() {
            Ok(value) => Ok(Self(Some(value.into()))),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Ok(Self(object.extract::<u64>().ok().map(i128::from))),
            Err(error) => Err(error),
        }
    }
}
