//! Columns and tables of Arrow, through its PyCapsule interface.

use crate::algorithm;
use crate::buffer::Buffer;
use crate::compute::{Threads, threads_argument};
use crate::contained::contained;
use crate::integer::Integer;
use crate::watch::{Watch, detached};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use manyhash_arrow::{Error, Hashing, Layout, Output};
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyArray, PyChunkedArray};
use std::collections::HashMap;
use std::sync::Arc;

/// The digest of each value of a column. `manyhash.arrow.hash` says what the arguments are.
#[pyfunction]
#[pyo3(signature = (column, algorithm, output, *, key, prefix, truncate, layout, threads, progress = None))]
#[allow(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn hash_column<'py>(
    py: Python<'py>,
    column: &Bound<'py, PyAny>,
    algorithm: &str,
    output: &str,
    key: Option<&Bound<'py, PyAny>>,
    prefix: Option<&Bound<'py, PyAny>>,
    truncate: Option<Integer>,
    layout: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut hashing = hashing(algorithm, output, key, prefix, truncate, layout, threads)?;
    let watch = Watch::of(progress);
    if let Some(watch) = &watch {
        hashing = watch.counting(hashing);
    }
    let input = Input::new(column, "column", "an array or a column")?;
    let result = hashing.data_type(input.field.data_type()).map_err(to_python)?;
    let field = Arc::new(Field::new(input.field.name(), result, true));
    input.digests(py, field, &hashing, watch.as_ref(), |hashing, array| hashing.hash(array))
}

/// The digest of each row of a table. `manyhash.arrow.hash_rows` says what the arguments are.
#[pyfunction]
#[pyo3(signature = (table, columns, algorithm, output, *, key, prefix, truncate, layout, threads, progress = None))]
#[allow(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn hash_rows<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    columns: Option<&Bound<'py, PyAny>>,
    algorithm: &str,
    output: &str,
    key: Option<&Bound<'py, PyAny>>,
    prefix: Option<&Bound<'py, PyAny>>,
    truncate: Option<Integer>,
    layout: &str,
    #[pyo3(from_py_with = threads_argument)] threads: i64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut hashing = hashing(algorithm, output, key, prefix, truncate, layout, threads)?;
    let watch = Watch::of(progress);
    if let Some(watch) = &watch {
        hashing = watch.counting(hashing);
    }
    let input = Input::new(table, "table", "a table, a record batch or another stream of structs")?;
    let DataType::Struct(fields) = input.field.data_type() else {
        let message = format!("table is {} and not a table; for a single column there is hash()", input.field.data_type());
        return Err(PyTypeError::new_err(message));
    };
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let chosen = choose(&names, columns)?;
    let field = Arc::new(Field::new("digest", hashing.row_data_type(), false));
    input.digests(py, field, &hashing, watch.as_ref(), move |hashing, array| {
        let table = array.as_struct();
        if let Some(row) = (0..table.len()).find(|row| table.is_null(*row)) {
            return Err(Error::Value { row, reason: "the whole row is null" });
        }
        let columns: Vec<_> = chosen.iter().map(|(i, name)| (name.as_str(), table.column(*i).clone())).collect();
        hashing.hash_rows(table.len(), &columns)
    })
}

/// The indices and names of the columns of a table that are meant, in the order to hash them.
fn choose(names: &[String], columns: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(usize, String)>> {
    let Some(columns) = columns else { return Ok(names.iter().cloned().enumerate().collect()) };
    if columns.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("columns must be a list of names, not one name"));
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    names.iter().enumerate().for_each(|(i, name)| places.entry(name).or_default().push(i));
    let mut chosen = Vec::new();
    for column in columns.try_iter()? {
        let name: String = column?.extract().map_err(|_| PyTypeError::new_err("columns must be a list of names"))?;
        match places.get(name.as_str()).map(Vec::as_slice) {
            Some([place]) => chosen.push((*place, name)),
            Some(_) => return Err(PyValueError::new_err(format!("the table has more than one column {name:?}"))),
            None => return Err(PyKeyError::new_err(format!("the table has no column {name:?}; it has: {}", names.join(", ")))),
        }
    }
    Ok(chosen)
}

#[allow(clippy::too_many_arguments, reason = "Python's keywords")]
fn hashing(
    algorithm: &str,
    output: &str,
    key: Option<&Bound<'_, PyAny>>,
    prefix: Option<&Bound<'_, PyAny>>,
    truncate: Option<Integer>,
    layout: &str,
    threads: i64,
) -> PyResult<Hashing> {
    let mut hashing = Hashing::new(algorithm::by_name(algorithm)?)
        .output(match output {
            "binary" => Output::Binary,
            "hex" => Output::Hex,
            "base64" => Output::Base64,
            other => return Err(PyValueError::new_err(format!("unknown output {other:?}; these would do: binary, hex, base64"))),
        })
        .layout(match layout {
            "fixed" => Layout::Fixed,
            "offsets" => Layout::Offsets,
            "view" => Layout::Views,
            other => return Err(PyValueError::new_err(format!("unknown layout {other:?}; these would do: fixed, offsets, view"))),
        })
        .threads(Threads::of(threads)?.count());
    if let Some(key) = key {
        hashing = hashing.key(Buffer::of(key, || "key".to_string())?.bytes());
    }
    if let Some(prefix) = prefix {
        hashing = hashing.prefix(Buffer::of(prefix, || "prefix".to_string())?.bytes());
    }
    match truncate.map(|bytes| bytes.value("truncate")).transpose()? {
        // A negative number is as wrong as 0.
        Some(bytes) => hashing.truncate(usize::try_from(bytes).unwrap_or(0)).map_err(to_python),
        None => Ok(hashing),
    }
}

/// An array or a stream of arrays, as it was given.
struct Input {
    arrays: AnyArray,
    field: FieldRef,
}

impl Input {
    fn new(object: &Bound<'_, PyAny>, argument: &str, wanted: &str) -> PyResult<Self> {
        if !object.hasattr("__arrow_c_array__")? && !object.hasattr("__arrow_c_stream__")? {
            let given = object.get_type().name()?;
            let message = format!(
                "{argument} must be {wanted} of Arrow, an object with __arrow_c_array__ or __arrow_c_stream__, and not {given}; \
                 for lists there is manyhash.hash_many"
            );
            return Err(PyTypeError::new_err(message));
        }
        contained(|| {
            let arrays: AnyArray = object.extract()?;
            let field = arrays.field()?;
            Ok(Self { arrays, field })
        })
    }

    /// What `hash` makes of the input: an array of an array, a chunked array of a stream. It runs
    /// detached from the interpreter.
    fn digests<'py>(
        self,
        py: Python<'py>,
        field: FieldRef,
        hashing: &Hashing,
        watch: Option<&Watch>,
        hash: impl Fn(&Hashing, &ArrayRef) -> Result<ArrayRef, Error> + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.arrays {
            AnyArray::Array(array) => {
                let (array, _) = array.into_inner();
                let digests = detached(py, watch, || contained(|| hash(hashing, &array).map_err(to_python)))?;
                PyArray::new(digests, field).into_arro3(py)
            }
            AnyArray::Stream(stream) => {
                let mut interrupted = None;
                let interruptible = stream.into_reader()?.map(|array| {
                    Python::attach(|py| py.check_signals()).map_err(|signal| {
                        interrupted = Some(signal);
                        ArrowError::ExternalError("interrupted".into())
                    })?;
                    array
                });
                let digests = detached(py, watch, || contained(|| Ok(hashing.hash_stream(interruptible, hash))))?;
                let digests = digests.map_err(|error| interrupted.unwrap_or_else(|| to_python(error)))?;
                PyChunkedArray::try_new(digests, field)?.into_arro3(py)
            }
        }
    }
}

fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match innermost(&error) {
        Error::Type(_) => PyTypeError::new_err(format!("{message} (PyArrow: column.cast(\"string\"), Polars: column.cast(pl.String))")),
        Error::Encoding(_) => PyTypeError::new_err(message),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::Backend(error) => PyRuntimeError::new_err(format!("{}: {message}", error.variable())),
        // This is what a stream's producer says. Its own exception does not come through the
        // interface.
        Error::Arrow(ArrowError::CDataInterface(_) | ArrowError::ExternalError(_)) => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// What is wrong, without the array of a stream or the column of a table that it is wrong with.
fn innermost(error: &Error) -> &Error {
    match error {
        Error::Array { error, .. } | Error::Column { error, .. } => innermost(error),
        other => other,
    }
}
