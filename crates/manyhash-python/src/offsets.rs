//! Messages one after the other in one buffer, and the offsets where they begin and end.

use crate::buffer::{Buffer, Chunk, has_buffer, type_name};
use crate::messages::Limits;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// What errors say of how offsets must be.
const WANTED: &str = "it must be an array of int32, int64, uint32 or uint64 in the machine's byte order, such as \
                      array.array('q', offsets) or numpy.asarray(offsets, 'int64')";

/// The integers that offsets may be.
#[derive(Clone, Copy)]
enum Kind {
    Int32,
    Int64,
    Uint32,
    Uint64,
}

/// Message i is bytes `offsets[i]..offsets[i + 1]` of a buffer.
pub struct Offsets {
    values: Buffer,
    offsets: Buffer,
    kind: Kind,
    messages: usize,
}

impl Offsets {
    /// The messages that lie in `values` between `offsets`. A `TypeError` if one of the two is of
    /// another type.
    pub fn of(values: &Bound<'_, PyAny>, offsets: &Bound<'_, PyAny>) -> PyResult<Self> {
        let values = Buffer::of(values, || "messages, with offsets,".to_string())?;
        if !has_buffer(offsets) {
            return Err(PyTypeError::new_err(format!("offsets is {}: {WANTED}", type_name(offsets))));
        }
        let offsets = Buffer::of(offsets, || "offsets".to_string())?;
        let kind = kind(&offsets).ok_or_else(|| {
            let format = String::from_utf8_lossy(offsets.format()).into_owned();
            PyTypeError::new_err(format!("offsets has items of format {format:?}: {WANTED}"))
        })?;
        let messages = (offsets.bytes().len() / offsets.item_bytes()).saturating_sub(1);
        Ok(Self { values, offsets, kind, messages })
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Lends the messages from `first` on that the limits allow. Every offset is checked once it is
    /// read, and then used as it was read. A `ValueError` if one is out of range.
    pub fn lend<'a>(&'a self, first: usize, limits: Limits, chunk: &mut Chunk<'a, '_>) -> PyResult<()> {
        if first == self.messages {
            return Ok(());
        }
        let values = self.values.bytes();
        let (mut start, mut bytes) = (self.offset(first, values.len())?, 0);
        for i in first..self.messages.min(first.saturating_add(limits.messages)) {
            let end = self.offset(i + 1, values.len())?;
            let Some(message) = values.get(start..end) else {
                return Err(PyValueError::new_err(format!("offsets[{}] is {end}, less than offsets[{i}], which is {start}", i + 1)));
            };
            chunk.lend(message);
            bytes += message.len();
            if bytes >= limits.bytes {
                break;
            }
            start = end;
        }
        Ok(())
    }

    /// Offset `i`, or a `ValueError` if it is negative or more than `values_bytes`.
    fn offset(&self, i: usize, values_bytes: usize) -> PyResult<usize> {
        let bytes = self.offsets.bytes();
        let offset = match self.kind {
            Kind::Int32 => item(bytes, i).map(|bytes| i128::from(i32::from_ne_bytes(bytes))),
            Kind::Int64 => item(bytes, i).map(|bytes| i128::from(i64::from_ne_bytes(bytes))),
            Kind::Uint32 => item(bytes, i).map(|bytes| i128::from(u32::from_ne_bytes(bytes))),
            Kind::Uint64 => item(bytes, i).map(|bytes| i128::from(u64::from_ne_bytes(bytes))),
        };
        let offset = offset.ok_or_else(|| PyValueError::new_err(format!("offsets[{i}] is missing")))?;
        match usize::try_from(offset) {
            Ok(place) if place <= values_bytes => Ok(place),
            Ok(_) => Err(PyValueError::new_err(format!("offsets[{i}] is {offset}, past the end of the {values_bytes} bytes of messages"))),
            Err(_) => Err(PyValueError::new_err(format!("offsets[{i}] is {offset}: it must not be negative"))),
        }
    }
}

/// Item `i` of items of `N` bytes.
fn item<const N: usize>(bytes: &[u8], i: usize) -> Option<[u8; N]> {
    bytes.as_chunks().0.get(i).copied()
}

/// The integers that a buffer's format says its items are; nothing if they may not be offsets.
fn kind(buffer: &Buffer) -> Option<Kind> {
    let letter = match buffer.format() {
        [letter] | [b'@' | b'=', letter] => *letter,
        [b'<', letter] if cfg!(target_endian = "little") => *letter,
        [b'>' | b'!', letter] if cfg!(target_endian = "big") => *letter,
        _ => return None,
    };
    match (letter, buffer.item_bytes()) {
        (b'i' | b'l' | b'q' | b'n', 4) => Some(Kind::Int32),
        (b'i' | b'l' | b'q' | b'n', 8) => Some(Kind::Int64),
        (b'I' | b'L' | b'Q' | b'N', 4) => Some(Kind::Uint32),
        (b'I' | b'L' | b'Q' | b'N', 8) => Some(Kind::Uint64),
        _ => None,
    }
}
