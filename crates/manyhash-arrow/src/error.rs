//! What can be wrong with a column.

use arrow_schema::{ArrowError, DataType};
use manyhash::backend::BackendError;
use std::fmt;

/// Why a column or a table is not hashed.
#[derive(Debug)]
pub enum Error {
    /// The values of a column of this type are no bytes.
    Type(DataType),
    /// Values of this type have no encoding in rows.
    Encoding(DataType),
    /// An offset, a view or a key points outside of what it should point into, or backwards.
    Bounds {
        /// The row's index, from 0.
        row: usize,
    },
    /// A buffer is missing, too short or not aligned.
    Buffer(&'static str),
    /// The value of a row can't be encoded.
    Value {
        /// The row's index, from 0.
        row: usize,
        /// What is wrong with the value.
        reason: &'static str,
    },
    /// Something is wrong with a column of a table.
    Column {
        /// The column's name.
        column: String,
        /// What is wrong with the column.
        error: Box<Error>,
    },
    /// Columns of a table have different numbers of rows.
    Lengths {
        /// The column's name.
        column: String,
        /// The column's number of rows.
        rows: usize,
        /// The table's number of rows.
        expected: usize,
    },
    /// Something is wrong with one of several arrays.
    Array {
        /// The array's index, from 0.
        array: usize,
        /// What is wrong with the array.
        error: Box<Error>,
    },
    /// Digests can't be truncated to this number of bytes.
    Truncate {
        /// Bytes asked for.
        bytes: usize,
        /// Bytes a digest has.
        most: usize,
    },
    /// Offsets of 32 bits can't count the output's bytes.
    TooManyRows {
        /// The most rows that can be hashed at once.
        most: usize,
    },
    /// Memory is short.
    Memory {
        /// Bytes that were asked for, or as many as can be counted.
        bytes: usize,
    },
    /// A backend is forced that has no kernel for the algorithm.
    Backend(BackendError),
    /// A key is given for an algorithm that has no HMAC.
    Key {
        /// The algorithm's name.
        algorithm: &'static str,
    },
    /// [`Progress::stop`](crate::Progress::stop) was called.
    Stopped,
    /// Arrow's own library refuses an array or a stream.
    Arrow(ArrowError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(data_type) => {
                write!(f, "a column of {data_type} can't be hashed: cast it to a type of strings or binaries (Utf8, Binary) first")
            }
            Self::Encoding(data_type) => {
                write!(f, "values of {data_type} can't be part of a row's digest: cast them to Utf8, Binary or another simple type first")
            }
            Self::Bounds { row } => write!(f, "row {row}: its offsets, view or key point outside of the column's values"),
            Self::Buffer(what) => write!(f, "malformed column: {what}"),
            Self::Value { row, reason } => write!(f, "row {row}: {reason}"),
            Self::Column { column, error } => write!(f, "column {column:?}: {error}"),
            Self::Memory { bytes } => write!(f, "out of memory: {bytes} bytes can't be had"),
            Self::Lengths { column, rows, expected } => write!(f, "column {column:?} has {rows} rows and the first one {expected}"),
            Self::Array { array, error } => write!(f, "chunk {array}: {error}"),
            Self::Truncate { bytes, most } => write!(f, "can't truncate digests to {bytes} bytes; 1 to {most} can be had"),
            Self::TooManyRows { most } => {
                write!(f, "too many rows for offsets of 32 bits: at most {most} in one array; split it into chunks or ask for views")
            }
            Self::Backend(error) => error.fmt(f),
            Self::Key { algorithm } => write!(f, "key: {algorithm} has no HMAC"),
            Self::Stopped => f.write_str("stopped"),
            Self::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Backend(error) => Some(error),
            Self::Arrow(error) => Some(error),
            Self::Array { error, .. } | Self::Column { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<BackendError> for Error {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}
