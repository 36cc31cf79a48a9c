//! The rows of a column as byte slices, where they lie.
//!
//! Nothing that a column says of itself is believed: arrays come from other libraries, through an
//! interface that does not even say how long buffers are. Offsets, views and keys are checked for
//! every row that is hashed, which costs less than a nanosecond a row.

use crate::Error;
use crate::room::affordable;
use arrow_array::{Array, cast::AsArray, downcast_integer_array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use std::ops::Range;

/// A column of strings or binaries.
pub(crate) struct Column<'a> {
    nulls: Option<&'a NullBuffer>,
    values: Values<'a>,
}

/// Where a column's values are.
enum Values<'a> {
    /// Row i is `values[offsets[i]..offsets[i + 1]]`.
    Offsets { offsets: &'a [i32], values: &'a [u8] },
    /// Row i is `values[offsets[i]..offsets[i + 1]]`, with offsets of 64 bits.
    LargeOffsets { offsets: &'a [i64], values: &'a [u8] },
    /// A row is a view of sixteen bytes: its length, and then its bytes, or its first four bytes,
    /// the number of a buffer and the position of the row in it.
    Views { views: &'a [u8], buffers: Vec<&'a [u8]> },
    /// Row i is the i-th `row_bytes` bytes of `values`.
    Fixed { row_bytes: usize, values: &'a [u8] },
    /// Every row is null.
    Nulls,
}

/// Bytes of a view.
pub(crate) const VIEW_BYTES: usize = 16;
/// Bytes of the longest row that lies in its view.
pub(crate) const INLINE_BYTES: usize = 12;

/// Whether a type is one of those whose rows are bytes.
pub(crate) fn is_bytes(data_type: &DataType) -> bool {
    is_text(data_type)
        || matches!(
            data_type,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) | DataType::Null
        )
}

/// Whether a type is one of text.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

impl<'a> Column<'a> {
    /// A column, whose rows are null where `nulls` says so, whatever `data` says of that.
    pub(crate) fn new(data: &'a ArrayData, nulls: Option<&'a NullBuffer>) -> Result<Self, Error> {
        let rows = data.offset()..data.offset() + data.len();
        let values = match data.data_type() {
            DataType::Utf8 | DataType::Binary => {
                let values = slice(buffer(data, 1)?)?;
                Values::Offsets { offsets: typed(data, offset_range(&rows))?, values }
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let values = slice(buffer(data, 1)?)?;
                Values::LargeOffsets { offsets: typed(data, offset_range(&rows))?, values }
            }
            DataType::Utf8View | DataType::BinaryView => {
                let views = slice(buffer(data, 0)?)?;
                let views = views.get(rows.start * VIEW_BYTES..rows.end * VIEW_BYTES).ok_or(TOO_SHORT)?;
                Values::Views { views, buffers: data.buffers()[1..].iter().map(slice).collect::<Result<_, _>>()? }
            }
            DataType::FixedSizeBinary(row_bytes) => {
                let row_bytes = usize::try_from(*row_bytes).map_err(|_| Error::Buffer("its rows have less than no bytes"))?;
                let values = slice(buffer(data, 0)?)?;
                Values::Fixed { row_bytes, values: values.get(rows.start * row_bytes..rows.end * row_bytes).ok_or(TOO_SHORT)? }
            }
            DataType::Null => Values::Nulls,
            other => return Err(Error::Type(other.clone())),
        };
        Ok(Self { nulls, values })
    }

    /// Whether a row, counted from the column's first one, has a value.
    #[inline]
    pub(crate) fn is_valid(&self, row: usize) -> bool {
        !matches!(self.values, Values::Nulls) && self.nulls.is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Appends those of `rows` that are not null.
    ///
    /// # Errors
    /// If a row points outside of the values.
    pub(crate) fn append_to(&self, messages: &mut Vec<&'a [u8]>, rows: Range<usize>) -> Result<(), Error> {
        match &self.values {
            Values::Offsets { offsets, values } => self.append(messages, rows, |row| between(offsets, values, row)),
            Values::LargeOffsets { offsets, values } => self.append(messages, rows, |row| between(offsets, values, row)),
            Values::Views { views, buffers } => self.append(messages, rows, |row| viewed(views, buffers, row)),
            Values::Fixed { row_bytes, values } => self.append(messages, rows, |row| values.get(row * row_bytes..(row + 1) * row_bytes)),
            Values::Nulls => Ok(()),
        }
    }

    #[inline(always)]
    fn append(&self, messages: &mut Vec<&'a [u8]>, rows: Range<usize>, message: impl Fn(usize) -> Option<&'a [u8]>) -> Result<(), Error> {
        let wanted = |row: &usize| self.nulls.is_none_or(|nulls| nulls.is_valid(*row));
        for row in rows.filter(wanted) {
            messages.push(message(row).ok_or(Error::Bounds { row })?);
        }
        Ok(())
    }

    /// The bytes of a row that is not null.
    ///
    /// # Errors
    /// If it points outside of the values.
    pub(crate) fn row(&self, row: usize) -> Result<&'a [u8], Error> {
        let message = match &self.values {
            Values::Offsets { offsets, values } => between(offsets, values, row),
            Values::LargeOffsets { offsets, values } => between(offsets, values, row),
            Values::Views { views, buffers } => viewed(views, buffers, row),
            Values::Fixed { row_bytes, values } => values.get(row * row_bytes..(row + 1) * row_bytes),
            Values::Nulls => None,
        };
        message.ok_or(Error::Bounds { row })
    }
}

const TOO_SHORT: Error = Error::Buffer("a buffer is shorter than its rows need");

/// The range of the offsets of some rows: one more than rows, but none for no rows, because a
/// column without rows may have no offset.
fn offset_range(rows: &Range<usize>) -> Range<usize> {
    if rows.is_empty() { 0..0 } else { rows.start..rows.end + 1 }
}

fn buffer(data: &ArrayData, index: usize) -> Result<&Buffer, Error> {
    data.buffers().get(index).ok_or(Error::Buffer("a buffer is missing"))
}

/// A buffer's bytes.
///
/// # Errors
/// If its length was made from a negative offset.
fn slice(buffer: &Buffer) -> Result<&[u8], Error> {
    if isize::try_from(buffer.len()).is_err() {
        return Err(Error::Buffer("its last offset is negative"));
    }
    Ok(buffer.as_slice())
}

/// A range of the first buffer's integers.
///
/// # Errors
/// If the buffer is missing, too short or not aligned.
fn typed<T: ArrowNativeType>(data: &ArrayData, range: Range<usize>) -> Result<&[T], Error> {
    let buffer = buffer(data, 0)?;
    slice(buffer)?;
    if buffer.as_ptr().align_offset(align_of::<T>()) != 0 {
        return Err(Error::Buffer("a buffer is not aligned"));
    }
    let whole = buffer.len() - buffer.len() % size_of::<T>();
    if whole == 0 {
        return if range.is_empty() { Ok(&[]) } else { Err(TOO_SHORT) };
    }
    // `typed_data` panics if a part of an integer is left over.
    let integers = if whole == buffer.len() { buffer.typed_data::<T>() } else { return Err(Error::Buffer("its offsets are cut off")) };
    integers.get(range).ok_or(TOO_SHORT)
}

/// The bytes between two offsets; nothing if they are out of range. A negative offset is past any
/// end.
#[inline(always)]
fn between<'a, T: ArrowNativeType>(offsets: &[T], values: &'a [u8], row: usize) -> Option<&'a [u8]> {
    let ends = offsets.get(row..row + 2)?;
    values.get(ends[0].to_usize()?..ends[1].to_usize()?)
}

#[inline(always)]
fn viewed<'a>(views: &'a [u8], buffers: &[&'a [u8]], row: usize) -> Option<&'a [u8]> {
    let view = views.get(row * VIEW_BYTES..(row + 1) * VIEW_BYTES)?;
    let word = |i: usize| u32::from_le_bytes([view[4 * i], view[4 * i + 1], view[4 * i + 2], view[4 * i + 3]]) as usize;
    let bytes = word(0);
    if bytes <= INLINE_BYTES {
        return view.get(4..4 + bytes);
    }
    buffers.get(word(2))?.get(word(3)..)?.get(..bytes)
}

/// For each row of a dictionary, the index of its value; of a null row, any index.
///
/// # Errors
/// If an index is not less than `values`, the number of values.
pub(crate) fn keys(keys: &dyn Array, values: usize) -> Result<Vec<usize>, Error> {
    affordable(keys.len(), size_of::<usize>())?;
    let nulls = keys.nulls();
    downcast_integer_array! {
        keys => {
            let key = |(row, key): (usize, &_)| match ArrowNativeType::to_usize(*key) {
                Some(key) if key < values => Ok(key),
                _ if nulls.is_some_and(|nulls| nulls.is_null(row)) => Ok(0),
                _ => Err(Error::Bounds { row }),
            };
            keys.values().iter().enumerate().map(key).collect()
        }
        other => Err(Error::Type(other.clone()))
    }
}

/// The array as a dictionary, if it is one.
pub(crate) fn dictionary(array: &dyn Array) -> Option<&dyn arrow_array::array::AnyDictionaryArray> {
    array.as_any_dictionary_opt()
}
