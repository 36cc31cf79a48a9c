//! Arrow columns: valid ones with odd offsets, views, keys and nulls, against the reference; and
//! those whose offsets, views or keys point anywhere, which are errors.

use crate::choices::Choices;
use crate::paint;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, cast::AsArray, make_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use manyhash::AnyAlgorithm;
use manyhash_arrow::{Error, Hashing, Layout, Output};

/// The most rows of a column.
const MOST_ROWS: usize = 200;
/// Bytes of the longest row that lies in its view.
const INLINE_BYTES: u32 = 12;

/// Hashes a column, or the rows of a few.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    let settings = Settings::any(choices);
    let rows = choices.between(0, MOST_ROWS);
    match choices.between(0, 5) {
        0 => dictionary::<Int8Type>(choices, &settings, rows.min(100)),
        1 if choices.any() => dictionary::<UInt64Type>(choices, &settings, rows),
        1 => dictionary::<Int32Type>(choices, &settings, rows),
        2 => dictionary::<UInt16Type>(choices, &settings, rows),
        3 => table(choices, &settings, rows),
        _ => {
            let column = Column::any(choices, rows);
            column.check(&settings);
        }
    }
}

/// How columns are hashed.
struct Settings {
    algorithm: AnyAlgorithm,
    output: Output,
    layout: Layout,
    digest_bytes: usize,
    key: Option<Vec<u8>>,
    prefix: Vec<u8>,
    threads: usize,
}

impl Settings {
    fn any(choices: &mut Choices) -> Self {
        let algorithm = choices.algorithm();
        let digest_bytes = if choices.any() { algorithm.digest_bytes() } else { choices.between(1, algorithm.digest_bytes()) };
        let key = (choices.between(0, 3) == 0 && algorithm.has_hmac()).then(|| paint(1, choices.length().min(300)));
        let prefix = if choices.any() { Vec::new() } else { paint(2, choices.length().min(300)) };
        Self {
            algorithm,
            output: choices.one_of(&[Output::Binary, Output::Hex, Output::Base64]),
            layout: choices.one_of(&[Layout::Fixed, Layout::Offsets, Layout::Views]),
            digest_bytes,
            key,
            prefix,
            threads: choices.one_of(&[1, 1, 2]),
        }
    }

    fn hashing(&self) -> Hashing {
        let hashing = Hashing::new(self.algorithm).output(self.output).layout(self.layout).prefix(&self.prefix).threads(self.threads);
        let hashing = hashing.truncate(self.digest_bytes).expect("as many bytes as there are");
        match &self.key {
            Some(key) => hashing.key(key),
            None => hashing,
        }
    }

    /// What the column of digests has for a message.
    fn expected(&self, message: &[u8]) -> Vec<u8> {
        let message = [&self.prefix, message].concat();
        let name = self.algorithm.name();
        let mut digest = match &self.key {
            Some(key) => reference::Hmac::by_name(name).expect("the reference has every HMAC").tag(key, &message),
            None => reference::by_name(name).expect("the reference has every algorithm")(&message),
        };
        digest.truncate(self.digest_bytes);
        match self.output {
            Output::Binary => digest,
            Output::Hex => digest.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect(),
            Output::Base64 => base64(&digest),
        }
    }
}

/// Base64 (RFC 4648, section 4), made one digit at a time.
fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let three = |three: &[u8]| {
        let bits = three.iter().chain(&[0; 3][three.len()..]).fold(0usize, |bits, byte| bits << 8 | usize::from(*byte));
        (0..4)
            .map(move |i| (i, bits >> (18 - 6 * i) & 63))
            .map(|(i, digit)| if i <= three.len() { DIGITS[digit] } else { b'=' })
            .collect::<Vec<u8>>()
    };
    bytes.chunks(3).flat_map(three).collect()
}

/// A column, and the bytes of its rows.
struct Column {
    array: ArrayRef,
    /// The bytes of each row: `None` if it is null.
    rows: Vec<Option<Vec<u8>>>,
    /// The first row that is not null and points outside of the values.
    wrong_row: Option<usize>,
    /// Whether a row points outside of the values, null or not.
    is_wrong: bool,
    /// The tag of its values in the encoding of rows.
    tag: u8,
}

impl Column {
    fn any(choices: &mut Choices, rows: usize) -> Self {
        // Rows before those that are looked at, and behind them.
        let (before, behind) = (choices.between(0, 9), choices.between(0, 3));
        let all = before + rows + behind;
        let nulls = nulls(choices, all);
        let values: Vec<u8> = paint(choices.any::<u8>().into(), choices.between(0, 4000)).iter().map(|byte| b'A' + byte % 26).collect();
        let kind = choices.between(0, 6);
        let (data_type, buffers, found): (_, _, Vec<Option<Vec<u8>>>) = match kind {
            0 | 1 => {
                let offsets: Vec<i32> = offsets(choices, all, values.len()).into_iter().map(|offset| offset as i32).collect();
                let found = between(&offsets, &values);
                (one_of(kind == 0, DataType::Utf8, DataType::Binary), vec![Buffer::from_vec(offsets), Buffer::from_vec(values)], found)
            }
            2 | 3 => {
                let offsets = offsets(choices, all, values.len());
                let found = between(&offsets, &values);
                (
                    one_of(kind == 2, DataType::LargeUtf8, DataType::LargeBinary),
                    vec![Buffer::from_vec(offsets), Buffer::from_vec(values)],
                    found,
                )
            }
            4 | 5 => {
                let second: Vec<u8> = values.iter().rev().copied().take(300).collect();
                let (views, found) = views(choices, all, [&values, &second]);
                (
                    one_of(kind == 4, DataType::Utf8View, DataType::BinaryView),
                    vec![Buffer::from_vec(views), Buffer::from_vec(values), Buffer::from_vec(second)],
                    found,
                )
            }
            _ => {
                let row_bytes = choices.between(1, 40);
                let values = paint(9, all * row_bytes);
                let found = values.chunks(row_bytes).map(|row| Some(row.to_vec())).collect();
                (DataType::FixedSizeBinary(row_bytes as i32), vec![Buffer::from_vec(values)], found)
            }
        };
        let tag = if matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) { 1 } else { 2 };
        let is_valid = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
        let wanted = before..before + rows;
        let is_wrong = found.iter().any(Option::is_none);
        let wrong_row = wanted.clone().filter(is_valid).find(|row| found[*row].is_none()).map(|row| row - before);
        let found = wanted.map(|row| found[row].clone().filter(|_| is_valid(&row))).collect();
        let builder = ArrayData::builder(data_type).len(all).buffers(buffers).nulls(nulls);
        // SAFETY: what this promises of offsets and views may be false; nothing but the code under
        // test, which is there to find that out, looks at them.
        let array = make_array(unsafe { builder.build_unchecked() }).slice(before, rows);
        Self { array, rows: found, wrong_row, is_wrong, tag }
    }

    fn check(&self, settings: &Settings) {
        let result = settings.hashing().hash(&self.array);
        let context = || format!("{} of {} rows", self.array.data_type(), self.rows.len());
        match (result, self.wrong_row) {
            (Ok(digests), None) => {
                let data_type = settings.hashing().data_type(self.array.data_type()).expect("it was hashed");
                assert_eq!(*digests.data_type(), data_type, "{}", context());
                let expected: Vec<_> = self.rows.iter().map(|row| row.as_ref().map(|row| settings.expected(row))).collect();
                assert!(values(&digests) == expected, "wrong digests of {}", context());
            }
            (Ok(_), Some(row)) => panic!("row {row} of {} points outside, and has a digest", context()),
            (Err(Error::Bounds { row }), Some(wrong)) => assert!(row == wrong, "{}: row {wrong}, not {row}", context()),
            // Where no row that is wanted is wrong, the column as a whole may be.
            (Err(error), _) => assert!(self.is_wrong, "{error}: {}", context()),
        }
    }
}

fn one_of(is_first: bool, first: DataType, second: DataType) -> DataType {
    if is_first { first } else { second }
}

/// Which rows are null, if any are: bits that may begin anywhere in their buffer.
fn nulls(choices: &mut Choices, rows: usize) -> Option<NullBuffer> {
    let kind = choices.between(0, 3);
    let (seed, start) = (choices.any::<u8>(), choices.between(0, 70));
    let bits = match kind {
        0 | 1 => return None,
        2 => paint(seed.into(), (start + rows).div_ceil(8)),
        _ => vec![seed; (start + rows).div_ceil(8)],
    };
    Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), start, rows)))
}

/// One offset more than rows, into values of so many bytes. They need not begin with 0. Sometimes
/// one of them is any number.
fn offsets(choices: &mut Choices, rows: usize, values_bytes: usize) -> Vec<i64> {
    let first = choices.between(0, values_bytes.min(100));
    let mut offsets = vec![first as i64];
    let mut at = first;
    for _ in 0..rows {
        at = (at + choices.length().min(600)).min(values_bytes);
        offsets.push(at as i64);
    }
    if choices.between(0, 7) == 0 {
        let wrong = choices.between(0, rows);
        offsets[wrong] = match choices.between(0, 3) {
            0 => choices.any::<i32>().into(),
            1 => values_bytes as i64 + 1,
            2 => -1,
            _ => offsets[wrong] - 1,
        };
    }
    offsets
}

/// The rows between offsets; nothing in place of one that is not within the values.
fn between<T: ArrowNativeType>(offsets: &[T], values: &[u8]) -> Vec<Option<Vec<u8>>> {
    let row = |ends: &[T]| values.get(ends[0].to_usize()?..ends[1].to_usize()?).map(<[u8]>::to_vec);
    offsets.windows(2).map(row).collect()
}

/// Views into two buffers, which may overlap, and the rows; nothing in place of one that is not
/// within its buffer.
fn views(choices: &mut Choices, rows: usize, buffers: [&[u8]; 2]) -> (Vec<u128>, Vec<Option<Vec<u8>>>) {
    let (mut views, mut found) = (Vec::new(), Vec::new());
    let is_wild = choices.between(0, 3) == 0;
    for _ in 0..rows {
        let bytes = choices.length().min(600) as u32;
        let mut view = if bytes <= INLINE_BYTES {
            let mut view = [0; 16];
            view[0] = bytes as u8;
            view[4..4 + bytes as usize].fill(b'v');
            u128::from_le_bytes(view)
        } else {
            let number = choices.between(0, 1);
            let bytes = (bytes as usize).min(buffers[number].len()) as u32;
            let most = buffers[number].len() - bytes as usize;
            let at = choices.between(0, most.min(255));
            // What is cut to this length lies in its view, whose other bytes are the number and the place.
            u128::from(bytes) | (number as u128) << 64 | (at as u128) << 96
        };
        if is_wild && choices.between(0, 15) == 0 {
            view = match choices.between(0, 2) {
                0 => choices.any(),
                1 => view ^ 1 << choices.between(0, 127),
                _ => view | 0xff << 96,
            };
        }
        let row = |view: [u8; 16]| {
            let word = |i: usize| u32::from_le_bytes([view[4 * i], view[4 * i + 1], view[4 * i + 2], view[4 * i + 3]]) as usize;
            if word(0) <= INLINE_BYTES as usize {
                return Some(view[4..4 + word(0)].to_vec());
            }
            buffers.get(word(2))?.get(word(3)..word(3) + word(0)).map(<[u8]>::to_vec)
        };
        found.push(row(view.to_le_bytes()));
        views.push(view);
    }
    (views, found)
}

/// The values of a column of digests, whatever its layout.
fn values(column: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    let value = |row: usize| match column.data_type() {
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row).to_vec(),
        DataType::Binary => column.as_binary::<i32>().value(row).to_vec(),
        DataType::BinaryView => column.as_binary_view().value(row).to_vec(),
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes().to_vec(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes().to_vec(),
        other => panic!("digests as {other}"),
    };
    (0..column.len()).map(|row| column.is_valid(row).then(|| value(row))).collect()
}

/// A dictionary, some of whose keys may be out of range.
fn dictionary<K: ArrowDictionaryKeyType>(choices: &mut Choices, settings: &Settings, rows: usize)
where
    <K as ArrowPrimitiveType>::Native: ArrowNativeType,
{
    let dictionary = Column::any(choices, rows);
    if dictionary.is_wrong {
        return;
    }
    let keys_count = choices.between(0, MOST_ROWS);
    let nulls = nulls(choices, keys_count);
    let is_wild = choices.between(0, 3) == 0;
    let key = |choices: &mut Choices| match choices.any::<u8>() {
        0 if is_wild => choices.any::<u16>().into(),
        key => usize::from(key) % rows.max(1),
    };
    let keys: Vec<K::Native> = (0..keys_count).map(|_| K::Native::usize_as(key(choices))).collect();
    let is_valid = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
    let value_of = |row: usize| keys[row].to_usize().filter(|key| *key < rows);
    let wrong_row = (0..keys_count).filter(is_valid).find(|row| value_of(*row).is_none());
    let data_type = DataType::Dictionary(Box::new(K::DATA_TYPE), Box::new(dictionary.array.data_type().clone()));
    let builder = ArrayData::builder(data_type).len(keys_count).nulls(nulls.clone()).add_buffer(Buffer::from_vec(keys.clone()));
    // SAFETY: what this promises of keys may be false; nothing but the code under test, which is
    // there to find that out, looks at values by them.
    let column = make_array(unsafe { builder.add_child_data(dictionary.array.to_data()).build_unchecked() });
    match (settings.hashing().hash(&column), wrong_row) {
        (Ok(digests), None) => {
            let digests = digests.as_dictionary::<K>();
            assert_eq!(digests.keys().values()[..], keys, "keys change");
            let values = values(digests.values());
            for row in (0..keys_count).filter(is_valid) {
                let value = value_of(row).expect("no row is wrong");
                let expected = dictionary.rows[value].as_ref().map(|message| settings.expected(message));
                assert_eq!(values[value], expected, "row {row} of a dictionary of {}", dictionary.array.data_type());
            }
        }
        (Err(Error::Bounds { row }), Some(wrong)) => assert_eq!(row, wrong),
        (Ok(_), Some(row)) => panic!("the key of row {row} is out of range, and it has a digest"),
        (Err(error), _) => panic!("{error}: keys of {}", K::DATA_TYPE),
    }
}

/// The rows of a few columns, as ENCODING.md says.
fn table(choices: &mut Choices, settings: &Settings, rows: usize) {
    let columns: Vec<Column> = (0..choices.between(0, 3)).map(|_| Column::any(choices, rows)).collect();
    let named: Vec<(&str, ArrayRef)> = columns.iter().map(|column| ("column", column.array.clone())).collect();
    let is_wrong = columns.iter().any(|column| column.wrong_row.is_some());
    let digests = match settings.hashing().hash_rows(rows, &named) {
        Ok(digests) => digests,
        Err(error) => return assert!(columns.iter().any(|column| column.is_wrong), "{error}"),
    };
    assert!(!is_wrong, "a row points outside, and has a digest");
    let encoded = |row: usize| {
        let mut message = vec![1, columns.len() as u8];
        for column in &columns {
            let Some(value) = &column.rows[row] else {
                message.push(0);
                continue;
            };
            message.push(column.tag);
            let mut length = value.len();
            while length >= 0x80 {
                message.push(length as u8 | 0x80);
                length >>= 7;
            }
            message.push(length as u8);
            message.extend(value);
        }
        message
    };
    let expected: Vec<_> = (0..rows).map(|row| Some(settings.expected(&encoded(row)))).collect();
    assert!(values(&digests) == expected, "wrong digests of {rows} rows of {} columns", columns.len());
}
