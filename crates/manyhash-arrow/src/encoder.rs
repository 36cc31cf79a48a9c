//! Rows as messages: version 1 of the encoding, which `ENCODING.md` specifies.
//!
//! Columns are gone through one after the other twice: first to count the bytes of each row's
//! message, then to write them.

use crate::column::{self, Column, is_bytes, is_text};
use crate::{ENCODING_VERSION, Error};
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, cast::AsArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use std::ops::Range;
use std::slice;

mod tag {
    pub const NULL: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const FALSE: u8 = 3;
    pub const TRUE: u8 = 4;
    pub const INTEGER: u8 = 5;
    pub const UNSIGNED: u8 = 6;
    pub const FLOAT: u8 = 7;
    pub const DECIMAL: u8 = 8;
    pub const DATE: u8 = 9;
    pub const TIME: u8 = 10;
    pub const TIMESTAMP: u8 = 11;
    pub const INSTANT: u8 = 12;
    pub const DURATION: u8 = 13;
}

/// A column of a table, with what its values are read from.
pub(crate) struct TableColumn<'a> {
    pub(crate) name: &'a str,
    array: &'a ArrayRef,
    data: ArrayData,
    /// If the column is a dictionary: its values, and the index of each row's value.
    values: Option<(Box<TableColumn<'a>>, Vec<usize>)>,
}

impl<'a> TableColumn<'a> {
    pub(crate) fn new(name: &'a str, array: &'a ArrayRef) -> Result<Self, Error> {
        let values = match column::dictionary(array) {
            Some(dictionary) => {
                let values = Self::new(name, dictionary.values())?;
                let keys = column::keys(dictionary.keys(), values.array.len()).map_err(|error| values.named(error))?;
                Some((Box::new(values), keys))
            }
            None => None,
        };
        Ok(Self { name, array, data: array.to_data(), values })
    }

    /// The error, with the column's name.
    fn named(&self, error: Error) -> Error {
        Error::Column { column: self.name.to_string(), error: Box::new(error) }
    }

    fn encoder(&self) -> Result<Box<dyn Encode + '_>, Error> {
        if let Some((values, keys)) = &self.values {
            return Ok(Box::new(Looked { values: values.encoder()?, keys, nulls: self.array.nulls() }));
        }
        let array = self.array;
        Ok(match array.data_type() {
            DataType::Boolean => Box::new(Booleans { nulls: array.nulls(), values: array.as_boolean().values() }),
            DataType::Int8 => fixed::<Int8Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::Int16 => fixed::<Int16Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::Int32 => fixed::<Int32Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::Int64 => fixed::<Int64Type, 9>(array, |value| Ok(integer(value))),
            DataType::UInt8 => fixed::<UInt8Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::UInt16 => fixed::<UInt16Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::UInt32 => fixed::<UInt32Type, 9>(array, |value| Ok(integer(value.into()))),
            DataType::UInt64 => fixed::<UInt64Type, 9>(array, |value| Ok(unsigned(value))),
            DataType::Float16 => fixed::<Float16Type, 9>(array, |value| Ok(float(value.to_f64()))),
            DataType::Float32 => fixed::<Float32Type, 9>(array, |value| Ok(float(value.into()))),
            DataType::Float64 => fixed::<Float64Type, 9>(array, |value| Ok(float(value))),
            DataType::Decimal32(_, scale) => fixed::<Decimal32Type, 18>(array, |value| Ok(decimal(value.into(), *scale))),
            DataType::Decimal64(_, scale) => fixed::<Decimal64Type, 18>(array, |value| Ok(decimal(value.into(), *scale))),
            DataType::Decimal128(_, scale) => fixed::<Decimal128Type, 18>(array, |value| Ok(decimal(value, *scale))),
            DataType::Date32 => fixed::<Date32Type, 9>(array, |value| Ok(eight(tag::DATE, value.into()))),
            DataType::Date64 => fixed::<Date64Type, 9>(array, whole_days),
            DataType::Time32(TimeUnit::Second) => fixed::<Time32SecondType, 9>(array, |value| time(value.into(), 1_000_000_000)),
            DataType::Time32(_) => fixed::<Time32MillisecondType, 9>(array, |value| time(value.into(), 1_000_000)),
            DataType::Time64(TimeUnit::Microsecond) => fixed::<Time64MicrosecondType, 9>(array, |value| time(value, 1_000)),
            DataType::Time64(_) => fixed::<Time64NanosecondType, 9>(array, |value| time(value, 1)),
            DataType::Timestamp(unit, zone) => {
                let tag = if zone.is_some() { tag::INSTANT } else { tag::TIMESTAMP };
                match unit {
                    TimeUnit::Second => fixed::<TimestampSecondType, 13>(array, move |value| Ok(moment(tag, value, 1))),
                    TimeUnit::Millisecond => fixed::<TimestampMillisecondType, 13>(array, move |value| Ok(moment(tag, value, 1_000))),
                    TimeUnit::Microsecond => fixed::<TimestampMicrosecondType, 13>(array, move |value| Ok(moment(tag, value, 1_000_000))),
                    TimeUnit::Nanosecond => fixed::<TimestampNanosecondType, 13>(array, move |value| Ok(moment(tag, value, 1_000_000_000))),
                }
            }
            DataType::Duration(unit) => match unit {
                TimeUnit::Second => fixed::<DurationSecondType, 13>(array, |value| Ok(moment(tag::DURATION, value, 1))),
                TimeUnit::Millisecond => fixed::<DurationMillisecondType, 13>(array, |value| Ok(moment(tag::DURATION, value, 1_000))),
                TimeUnit::Microsecond => fixed::<DurationMicrosecondType, 13>(array, |value| Ok(moment(tag::DURATION, value, 1_000_000))),
                TimeUnit::Nanosecond => fixed::<DurationNanosecondType, 13>(array, |value| Ok(moment(tag::DURATION, value, 1_000_000_000))),
            },
            other if is_bytes(other) => {
                let tag = if is_text(other) { tag::TEXT } else { tag::BINARY };
                Box::new(Bytes { tag, column: Column::new(&self.data, self.data.nulls())? })
            }
            other => return Err(Error::Encoding(other.clone())),
        })
    }
}

/// The rows of a table, as messages.
pub(crate) struct Encoder<'a> {
    columns: &'a [TableColumn<'a>],
    encoders: Vec<Box<dyn Encode + 'a>>,
    /// What every message begins with: the prefix, the version and the number of columns.
    head: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(prefix: &[u8], columns: &'a [TableColumn<'a>]) -> Result<Self, Error> {
        let mut head = prefix.to_vec();
        head.push(ENCODING_VERSION);
        let mut count = [0; LONGEST_LENGTH];
        let bytes = write_length(&mut count, columns.len());
        head.extend_from_slice(&count[..bytes]);
        let encoder = |column: &'a TableColumn<'a>| column.encoder().map_err(|error| column.named(error));
        Ok(Self { columns, encoders: columns.iter().map(encoder).collect::<Result<_, _>>()?, head })
    }

    /// Calls `take` with the messages of successive rows until it has had those of all `rows`.
    ///
    /// # Errors
    /// If a value can't be encoded, a column is malformed, or memory is short.
    pub(crate) fn encode(&self, rows: Range<usize>, mut take: impl FnMut(&[&[u8]])) -> Result<(), Error> {
        let mut lengths = vec![self.head.len(); rows.len()];
        self.for_each(|column| column.add_lengths(rows.clone(), &mut lengths))?;
        let mut done = 0;
        while done < rows.len() {
            let (piece, bytes) = piece(&lengths[done..]);
            let lengths = &lengths[done..done + piece];
            let piece_rows = rows.start + done..rows.start + done + piece;
            done += piece;
            let mut message_bytes = Vec::new();
            message_bytes.try_reserve_exact(bytes).map_err(|_| Error::Memory { bytes })?;
            message_bytes.resize(bytes, 0);
            let mut places = Vec::with_capacity(piece);
            let mut start = 0;
            for length in lengths {
                places.push(start);
                put(&mut message_bytes, places.last_mut().expect("it was pushed"), &self.head);
                start += length;
            }
            self.for_each(|column| column.write(piece_rows.clone(), &mut message_bytes, &mut places))?;
            take(&split(&message_bytes, lengths.iter().copied()));
        }
        Ok(())
    }

    fn for_each(&self, mut work: impl FnMut(&dyn Encode) -> Result<(), Error>) -> Result<(), Error> {
        self.encoders.iter().zip(self.columns).try_for_each(|(encoder, column)| work(&**encoder).map_err(|error| column.named(error)))
    }
}

/// The number of messages that are made at once, the first ones of these lengths and at least one,
/// and their bytes together.
pub(crate) fn piece(lengths: &[usize]) -> (usize, usize) {
    const MOST_BYTES: usize = 1 << 20;
    let mut bytes = 0_usize;
    let fits = |length: &&usize| {
        let fits = bytes == 0 || bytes.saturating_add(**length) <= MOST_BYTES;
        bytes = if fits { bytes.saturating_add(**length) } else { bytes };
        fits
    };
    (lengths.iter().take_while(fits).count(), bytes)
}

/// Messages of these lengths that lie one after the other in `bytes`.
pub(crate) fn split(mut bytes: &[u8], lengths: impl Iterator<Item = usize>) -> Vec<&[u8]> {
    let next = |length| {
        let message;
        (message, bytes) = bytes.split_at(length);
        message
    };
    lengths.map(next).collect()
}

/// How a column's values get into the messages of their rows.
trait Encode: Sync {
    /// Adds the bytes of each row's value to `lengths`, whose first is that of the first of `rows`.
    fn add_lengths(&self, rows: Range<usize>, lengths: &mut [usize]) -> Result<(), Error>;
    /// Writes each row's value to its place in `bytes`, and moves the place behind the value.
    fn write(&self, rows: Range<usize>, bytes: &mut [u8], places: &mut [usize]) -> Result<(), Error>;
}

fn put(bytes: &mut [u8], place: &mut usize, value: &[u8]) {
    bytes[*place..*place + value.len()].copy_from_slice(value);
    *place += value.len();
}

fn is_valid(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_none_or(|nulls| nulls.is_valid(row))
}

/// Text or binaries.
struct Bytes<'a> {
    tag: u8,
    column: Column<'a>,
}

impl Encode for Bytes<'_> {
    fn add_lengths(&self, rows: Range<usize>, lengths: &mut [usize]) -> Result<(), Error> {
        for (row, length) in rows.zip(lengths) {
            *length += 1;
            if self.column.is_valid(row) {
                let bytes = self.column.row(row)?.len();
                *length += length_bytes(bytes) + bytes;
            }
        }
        Ok(())
    }

    fn write(&self, rows: Range<usize>, bytes: &mut [u8], places: &mut [usize]) -> Result<(), Error> {
        for (row, place) in rows.zip(places) {
            if !self.column.is_valid(row) {
                put(bytes, place, &[tag::NULL]);
                continue;
            }
            let value = self.column.row(row)?;
            put(bytes, place, &[self.tag]);
            *place += write_length(&mut bytes[*place..], value.len());
            put(bytes, place, value);
        }
        Ok(())
    }
}

struct Booleans<'a> {
    nulls: Option<&'a NullBuffer>,
    values: &'a BooleanBuffer,
}

impl Encode for Booleans<'_> {
    fn add_lengths(&self, _: Range<usize>, lengths: &mut [usize]) -> Result<(), Error> {
        lengths.iter_mut().for_each(|length| *length += 1);
        Ok(())
    }

    fn write(&self, rows: Range<usize>, bytes: &mut [u8], places: &mut [usize]) -> Result<(), Error> {
        for (row, place) in rows.zip(places) {
            let value = if self.values.value(row) { tag::TRUE } else { tag::FALSE };
            put(bytes, place, &[if is_valid(self.nulls, row) { value } else { tag::NULL }]);
        }
        Ok(())
    }
}

/// Values that take `N` bytes with their tag.
struct Fixed<'a, T: ArrowPrimitiveType, const N: usize, F> {
    nulls: Option<&'a NullBuffer>,
    values: &'a [T::Native],
    encode: F,
}

fn fixed<'a, T: ArrowPrimitiveType, const N: usize>(
    array: &'a ArrayRef,
    encode: impl Fn(T::Native) -> Result<[u8; N], &'static str> + Sync + 'a,
) -> Box<dyn Encode + 'a> {
    let array = array.as_primitive::<T>();
    Box::new(Fixed::<T, N, _> { nulls: array.nulls(), values: array.values(), encode })
}

impl<T: ArrowPrimitiveType, const N: usize, F: Fn(T::Native) -> Result<[u8; N], &'static str> + Sync> Encode for Fixed<'_, T, N, F> {
    fn add_lengths(&self, rows: Range<usize>, lengths: &mut [usize]) -> Result<(), Error> {
        for (row, length) in rows.zip(lengths) {
            *length += if is_valid(self.nulls, row) { N } else { 1 };
        }
        Ok(())
    }

    fn write(&self, rows: Range<usize>, bytes: &mut [u8], places: &mut [usize]) -> Result<(), Error> {
        for (row, place) in rows.zip(places) {
            if is_valid(self.nulls, row) {
                put(bytes, place, &(self.encode)(self.values[row]).map_err(|reason| Error::Value { row, reason })?);
            } else {
                put(bytes, place, &[tag::NULL]);
            }
        }
        Ok(())
    }
}

/// Values of a dictionary. They are looked up row by row, because the dictionary may have many that
/// no row has.
struct Looked<'a> {
    values: Box<dyn Encode + 'a>,
    keys: &'a [usize],
    nulls: Option<&'a NullBuffer>,
}

impl Looked<'_> {
    /// The value of a row, as a range of the dictionary's values; nothing for null.
    fn value(&self, row: usize) -> Option<Range<usize>> {
        is_valid(self.nulls, row).then(|| self.keys[row]..self.keys[row] + 1)
    }
}

/// Makes of an error of a dictionary's value the error of the row that has the value.
fn of_row(row: usize) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::Bounds { .. } => Error::Bounds { row },
        Error::Value { reason, .. } => Error::Value { row, reason },
        other => other,
    }
}

impl Encode for Looked<'_> {
    fn add_lengths(&self, rows: Range<usize>, lengths: &mut [usize]) -> Result<(), Error> {
        for (row, length) in rows.zip(lengths) {
            match self.value(row) {
                Some(value) => self.values.add_lengths(value, slice::from_mut(length)).map_err(of_row(row))?,
                None => *length += 1,
            }
        }
        Ok(())
    }

    fn write(&self, rows: Range<usize>, bytes: &mut [u8], places: &mut [usize]) -> Result<(), Error> {
        for (row, place) in rows.zip(places) {
            match self.value(row) {
                Some(value) => self.values.write(value, bytes, slice::from_mut(place)).map_err(of_row(row))?,
                None => put(bytes, place, &[tag::NULL]),
            }
        }
        Ok(())
    }
}

/// The most bytes of a length in LEB128.
const LONGEST_LENGTH: usize = usize::BITS.div_ceil(7) as usize;

/// Bytes of a length in LEB128.
fn length_bytes(length: usize) -> usize {
    (usize::BITS - (length | 1).leading_zeros()).div_ceil(7) as usize
}

/// Writes a length in LEB128, and gives the number of its bytes.
fn write_length(bytes: &mut [u8], mut length: usize) -> usize {
    let mut place = 0;
    while length >= 0x80 {
        bytes[place] = length as u8 | 0x80;
        length >>= 7;
        place += 1;
    }
    bytes[place] = length as u8;
    place + 1
}

fn eight(tag: u8, value: i64) -> [u8; 9] {
    let mut bytes = [tag; 9];
    bytes[1..].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn integer(value: i64) -> [u8; 9] {
    eight(tag::INTEGER, value)
}

fn unsigned(value: u64) -> [u8; 9] {
    eight(if i64::try_from(value).is_ok() { tag::INTEGER } else { tag::UNSIGNED }, value.cast_signed())
}

fn float(value: f64) -> [u8; 9] {
    // Adding +0 makes -0 positive. All NaNs are written as this one.
    let bits = if value.is_nan() { 0x7FF8_0000_0000_0000 } else { (value + 0.0).to_bits() };
    eight(tag::FLOAT, bits.cast_signed())
}

fn decimal(mut value: i128, mut scale: i8) -> [u8; 18] {
    if value == 0 {
        scale = 0;
    } else {
        while scale > i8::MIN && value % 10 == 0 {
            value /= 10;
            scale -= 1;
        }
    }
    let mut bytes = [tag::DECIMAL; 18];
    bytes[1] = scale.cast_unsigned();
    bytes[2..].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn whole_days(milliseconds: i64) -> Result<[u8; 9], &'static str> {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    if milliseconds % DAY != 0 {
        return Err("the date is not a whole day");
    }
    Ok(eight(tag::DATE, milliseconds / DAY))
}

fn time(value: i64, unit_nanoseconds: i64) -> Result<[u8; 9], &'static str> {
    Ok(eight(tag::TIME, value.checked_mul(unit_nanoseconds).ok_or("the time is not within a day")?))
}

fn moment(tag: u8, value: i64, units_a_second: i64) -> [u8; 13] {
    let nanoseconds = value.rem_euclid(units_a_second) * (1_000_000_000 / units_a_second);
    let mut bytes = [tag; 13];
    bytes[1..9].copy_from_slice(&value.div_euclid(units_a_second).to_le_bytes());
    bytes[9..].copy_from_slice(&u32::try_from(nanoseconds).expect("less than a second").to_le_bytes());
    bytes
}
