//! Columns of every type, layout and length against digests of their values one by one.

use crate::support::{algorithms, reference, values};
use arrow_array::builder::{BinaryViewBuilder, StringDictionaryBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, Int64Array, LargeBinaryArray, LargeStringArray, NullArray,
    StringArray, UInt8Array, make_array,
};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use manyhash::AnyAlgorithm;
use manyhash_arrow::{Error, Hashing, Layout, Output, Progress};
use std::sync::Arc;

/// Values of every length around the ends of blocks and of views, some null, more than a chunk of
/// them.
fn texts(count: usize) -> Vec<Option<String>> {
    const LENGTHS: [usize; 14] = [0, 1, 4, 11, 12, 13, 16, 32, 55, 56, 64, 119, 128, 300];
    let text = |i: usize| (0..LENGTHS[i % LENGTHS.len()]).map(|j| char::from(b'a' + ((i * 7 + j * 3) % 26) as u8)).collect();
    (0..count).map(|i| (i % 5 != 3).then(|| text(i))).collect()
}

/// A column with these texts of every type there is for them.
fn columns(texts: &[Option<String>]) -> Vec<ArrayRef> {
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.as_deref().map(str::as_bytes)).collect();
    let mut views = StringViewBuilder::new().with_fixed_block_size(512);
    let mut binary_views = BinaryViewBuilder::new();
    for (text, bytes) in texts.iter().zip(&bytes) {
        views.append_option(text.as_deref());
        binary_views.append_option(*bytes);
    }
    vec![
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(views.finish()),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes)),
        Arc::new(binary_views.finish()),
    ]
}

fn expected(algorithm: AnyAlgorithm, texts: &[Option<String>]) -> Vec<Option<Vec<u8>>> {
    texts.iter().map(|text| text.as_ref().map(|text| reference(algorithm, text.as_bytes()))).collect()
}

#[test]
fn progress_counts_rows_and_bytes_and_stops_the_work() {
    let texts = texts(10_000);
    let bytes: usize = texts.iter().flatten().map(String::len).sum();
    for column in columns(&texts) {
        let progress = Arc::new(Progress::new());
        let hashing = Hashing::new(AnyAlgorithm::Sha256).threads(2).progress(Arc::clone(&progress));
        let (name, rows) = ([("texts", Arc::clone(&column))], column.len());
        hashing.hash(&column).unwrap();
        assert_eq!((progress.rows(), progress.bytes()), (rows as u64, bytes as u64), "{}", column.data_type());
        hashing.hash_rows(rows, &name).unwrap();
        assert_eq!(progress.rows(), 2 * rows as u64);
        assert!(progress.bytes() > 2 * bytes as u64, "rows are longer than their values");
        progress.stop();
        assert!(matches!(hashing.hash(&column), Err(Error::Stopped)));
        assert!(matches!(hashing.hash_rows(rows, &name), Err(Error::Stopped)));
        let stream = [Ok(Arc::clone(&column)), Ok(Arc::clone(&column)), Ok(column)];
        let result = hashing.hash_stream(stream.into_iter(), |hashing, array| hashing.hash(array));
        assert!(matches!(result, Err(Error::Array { array: 0, error }) if matches!(*error, Error::Stopped)));
    }
}

#[test]
fn every_type_gives_the_digests_of_its_values_and_null_for_null() {
    let texts = texts(5000);
    for algorithm in algorithms() {
        let expected = expected(algorithm, &texts);
        for column in columns(&texts) {
            let hashing = Hashing::new(algorithm);
            let digests = hashing.hash(&column).unwrap();
            assert_eq!(digests.data_type(), &DataType::FixedSizeBinary(algorithm.digest_bytes() as i32));
            assert_eq!(digests.data_type(), &hashing.data_type(column.data_type()).unwrap());
            assert_eq!(values(&digests), expected, "{algorithm} of {}", column.data_type());
        }
    }
}

#[test]
fn a_slice_is_hashed_as_if_it_were_all() {
    let texts = texts(300);
    let algorithm = algorithms().next().unwrap();
    for column in columns(&texts) {
        for (start, rows) in [(0, 0), (0, 7), (3, 1), (5, 250), (299, 1), (300, 0)] {
            let digests = Hashing::new(algorithm).hash(&column.slice(start, rows)).unwrap();
            assert_eq!(values(&digests), expected(algorithm, &texts[start..start + rows]), "{} {start} {rows}", column.data_type());
        }
    }
}

#[test]
fn rows_of_fixed_size_are_hashed_whole() {
    let rows: Vec<Option<[u8; 16]>> = (0..100u8).map(|i| (i % 7 != 2).then_some([i; 16])).collect();
    let column = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.iter().copied(), 16).unwrap();
    for algorithm in algorithms() {
        let expected: Vec<_> = rows[10..90].iter().map(|row| row.map(|row| reference(algorithm, &row))).collect();
        assert_eq!(values(&Hashing::new(algorithm).hash(&column.slice(10, 80)).unwrap()), expected);
    }
    let nothing = FixedSizeBinaryArray::try_new_with_len(0, Buffer::from_vec(Vec::<u8>::new()), None, 3).unwrap();
    let algorithm = algorithms().next().unwrap();
    assert_eq!(values(&Hashing::new(algorithm).hash(&nothing).unwrap()), vec![Some(reference(algorithm, b"")); 3]);
}

#[test]
fn texts_are_the_bytes_written_out_in_every_layout() {
    let texts = texts(4200);
    let column: ArrayRef = Arc::new(StringArray::from(texts.clone()));
    for algorithm in algorithms() {
        let digests = expected(algorithm, &texts);
        for layout in [Layout::Fixed, Layout::Offsets, Layout::Views] {
            for truncate in [1, 3, 12, algorithm.digest_bytes()] {
                let hashing = || Hashing::new(algorithm).layout(layout).truncate(truncate).unwrap();
                let written = |write: fn(&[u8]) -> String| -> Vec<_> {
                    let cut = |digest: &Option<Vec<u8>>| digest.as_ref().map(|digest| write(&digest[..truncate]).into_bytes());
                    digests.iter().map(cut).collect()
                };
                let cut: Vec<_> = digests.iter().map(|digest| digest.as_ref().map(|digest| digest[..truncate].to_vec())).collect();
                assert_eq!(values(&hashing().hash(&column).unwrap()), cut, "{layout:?} {truncate}");
                let hex = written(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect());
                assert_eq!(values(&hashing().output(Output::Hex).hash(&column).unwrap()), hex, "{layout:?} {truncate}");
                let base64 = written(base64_of);
                assert_eq!(values(&hashing().output(Output::Base64).hash(&column).unwrap()), base64, "{layout:?} {truncate}");
            }
        }
    }
}

/// Base64 (RFC 4648, section 4), made one digit at a time.
fn base64_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let three = |three: &[u8]| -> Vec<char> {
        let bits = three.iter().chain(&[0; 3][three.len()..]).fold(0usize, |bits, byte| bits << 8 | usize::from(*byte));
        let digit = |i: usize| if i <= three.len() { char::from(DIGITS[bits >> (18 - 6 * i) & 63]) } else { '=' };
        (0..4).map(digit).collect()
    };
    bytes.chunks(3).flat_map(three).collect()
}

#[test]
fn a_key_makes_tags_and_a_prefix_comes_before_every_row() {
    let texts = texts(600);
    let column: ArrayRef = Arc::new(StringArray::from(texts.clone()));
    let long: Vec<u8> = (0..=255).collect();
    for algorithm in algorithms() {
        for prefix in [&b""[..], b"salt", &long[..64], &long[..128], &long[..200]] {
            let prefixed = |text: &String| [prefix, text.as_bytes()].concat();
            let plain: Vec<_> = texts.iter().map(|text| text.as_ref().map(|text| reference(algorithm, &prefixed(text)))).collect();
            assert_eq!(values(&Hashing::new(algorithm).prefix(prefix).hash(&column).unwrap()), plain, "{algorithm} {}", prefix.len());
            if !algorithm.has_hmac() {
                continue;
            }
            let hmac = reference::Hmac::by_name(algorithm.name()).unwrap();
            let tags: Vec<_> = texts.iter().map(|text| text.as_ref().map(|text| hmac.tag(b"secret", &prefixed(text)))).collect();
            let hashing = Hashing::new(algorithm).key(b"secret").prefix(prefix);
            assert!(!format!("{hashing:?}").contains("115, 101"), "a key is shown");
            assert_eq!(values(&hashing.hash(&column).unwrap()), tags, "{algorithm} {}", prefix.len());
        }
    }
}

#[test]
fn values_of_a_dictionary_are_hashed_once_and_its_keys_kept() {
    let algorithm = algorithms().next().unwrap();
    let mut builder = StringDictionaryBuilder::<Int8Type>::new();
    for text in [Some("ab"), None, Some("cd"), Some("ab"), Some("")] {
        builder.append_option(text);
    }
    let column = builder.finish();
    let digests = Hashing::new(algorithm).hash(&column).unwrap();
    assert_eq!(digests.data_type(), &Hashing::new(algorithm).data_type(column.data_type()).unwrap());
    let digests = digests.as_dictionary::<Int8Type>();
    assert_eq!(digests.keys(), column.keys());
    assert_eq!(values(digests.values()), ["ab", "cd", ""].map(|text| Some(reference(algorithm, text.as_bytes()))));
}

#[test]
fn of_a_large_dictionary_only_values_that_rows_have_are_hashed() {
    let algorithm = algorithms().next().unwrap();
    let dictionary: ArrayRef = Arc::new(StringArray::from((0..1000).map(|i| i.to_string()).collect::<Vec<_>>()));
    let column = DictionaryArray::<UInt16Type>::try_new(vec![Some(7), None, Some(999)].into(), dictionary).unwrap();
    let digests = Hashing::new(algorithm).hash(&column).unwrap();
    let digests = values(digests.as_dictionary::<UInt16Type>().values());
    let is_wanted = |value: usize| [7, 999].contains(&value);
    let expected: Vec<_> = (0..1000).map(|i| is_wanted(i).then(|| reference(algorithm, i.to_string().as_bytes()))).collect();
    assert_eq!(digests, expected);
}

#[test]
fn no_rows_and_nothing_but_nulls_are_columns_too() {
    let algorithm = algorithms().next().unwrap();
    for (texts, nulls) in [(vec![], 0), (vec![None::<String>; 70], 70)] {
        for column in columns(&texts) {
            for layout in [Layout::Fixed, Layout::Offsets, Layout::Views] {
                let digests = Hashing::new(algorithm).layout(layout).hash(&column).unwrap();
                assert_eq!((digests.len(), digests.null_count()), (texts.len(), nulls), "{} {layout:?}", column.data_type());
            }
        }
    }
    let digests = Hashing::new(algorithm).hash(&NullArray::new(3)).unwrap();
    assert_eq!((digests.data_type(), digests.null_count()), (&DataType::FixedSizeBinary(algorithm.digest_bytes() as i32), 3));
}

#[test]
fn threads_change_nothing() {
    let texts = texts(3 * 4096 + 17);
    let algorithm = algorithms().next().unwrap();
    for column in columns(&texts) {
        for layout in [Layout::Fixed, Layout::Offsets, Layout::Views] {
            let hashing = || Hashing::new(algorithm).layout(layout);
            let alone = hashing().hash(&column).unwrap();
            for threads in [2, 3, 100] {
                assert_eq!(&hashing().threads(threads).hash(&column).unwrap(), &alone, "{threads} {layout:?}");
            }
        }
    }
}

#[test]
fn arrays_of_a_stream_keep_their_order_and_errors_their_number() {
    let arrays: Vec<ArrayRef> = (0..20).map(|i| Arc::new(StringArray::from(texts(300 * i))) as ArrayRef).collect();
    let hash = |hashing: &Hashing, array: &ArrayRef| hashing.hash(array);
    let mut wrong = arrays.clone();
    wrong.extend([7, 9].map(|i| Arc::new(Int64Array::from(vec![i])) as ArrayRef));
    for threads in [1, 3, 100] {
        let hashing = Hashing::new(AnyAlgorithm::Sha256).key(b"secret").prefix(b"salt").threads(threads);
        let found = hashing.hash_stream(arrays.iter().cloned().map(Ok), hash).unwrap();
        let expected: Vec<ArrayRef> = arrays.iter().map(|array| hashing.hash(array).unwrap()).collect();
        assert_eq!(found, expected, "{threads}");
        let error = hashing.hash_stream(wrong.iter().cloned().map(Ok), hash).unwrap_err();
        assert!(matches!(error, Error::Array { array: 20, .. }), "{threads}: {error}");
    }
}

#[test]
fn a_column_of_numbers_is_an_error_that_names_the_type() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let error = Hashing::new(AnyAlgorithm::Sha256).hash(&numbers).unwrap_err();
    assert!(matches!(&error, Error::Type(DataType::Int64)));
    assert!(error.to_string().contains("Int64") && error.to_string().contains("cast"), "{error}");
    assert!(Hashing::new(AnyAlgorithm::Sha256).data_type(&DataType::Int64).is_err());
}

#[test]
fn digests_are_not_truncated_to_nothing_or_more_than_there_is() {
    for bytes in [0, 33] {
        let error = Hashing::new(AnyAlgorithm::Sha256).truncate(bytes).unwrap_err();
        assert!(error.to_string().contains("1 to 32"), "{error}");
    }
}

#[test]
fn a_key_wants_an_algorithm_with_an_hmac() {
    let column: ArrayRef = Arc::new(StringArray::from(vec!["one", "two"]));
    let error = Hashing::new(AnyAlgorithm::Blake2s).key(b"secret").hash(&column).unwrap_err();
    assert_eq!(error.to_string(), "key: BLAKE2s has no HMAC");
}

/// A column as it might come from a producer that breaks the rules: nothing is checked when it is
/// made.
#[allow(unsafe_code, reason = "columns that break the rules can't be made otherwise")]
fn hostile(data_type: DataType, rows: usize, buffers: Vec<Buffer>) -> ArrayRef {
    let builder = ArrayData::builder(data_type).len(rows).buffers(buffers);
    // SAFETY: none of what this promises is true; the code under test is there to find that out,
    // and nothing else looks at values.
    make_array(unsafe { builder.build_unchecked() })
}

#[test]
fn offsets_out_of_range_are_found() {
    let values = Buffer::from_vec(b"abcdef".to_vec());
    for (offsets, row) in [(vec![0, 2, 7], 1), (vec![0, 4, 2], 1), (vec![-1, 2, 4], 0), (vec![3, 2, 6], 0), (vec![0, i32::MAX, 6], 0)] {
        let column = hostile(DataType::Utf8, 2, vec![Buffer::from_vec(offsets.clone()), values.clone()]);
        let error = Hashing::new(AnyAlgorithm::Sha256).hash(&column).unwrap_err();
        assert!(matches!(error, Error::Bounds { row: found } if found == row), "{offsets:?}: {error}");
        let offsets: Vec<_> = offsets.into_iter().map(i64::from).collect();
        let column = hostile(DataType::LargeBinary, 2, vec![Buffer::from_vec(offsets.clone()), values.clone()]);
        let error = Hashing::new(AnyAlgorithm::Sha256).hash(&column).unwrap_err();
        assert!(matches!(error, Error::Bounds { row: found } if found == row), "{offsets:?}: {error}");
    }
}

#[test]
fn views_out_of_range_are_found() {
    let view = |bytes: u32, buffer: u32, offset: u32| u128::from(bytes) | u128::from(buffer) << 64 | u128::from(offset) << 96;
    let values = Buffer::from_vec(vec![7u8; 100]);
    for bad in [view(101, 0, 0), view(20, 1, 0), view(20, 0, 81), view(u32::MAX, 0, u32::MAX), view(20, u32::MAX, 0)] {
        let views = Buffer::from_vec(vec![view(20, 0, 80), bad]);
        let column = hostile(DataType::BinaryView, 2, vec![views, values.clone()]);
        let error = Hashing::new(AnyAlgorithm::Sha256).hash(&column).unwrap_err();
        assert!(matches!(error, Error::Bounds { row: 1 }), "{bad:x}: {error}");
    }
}

#[test]
fn keys_out_of_range_are_found() {
    let dictionary = StringArray::from(vec!["one", "two"]).to_data();
    for (keys, row) in [(vec![0u8, 2], 1), (vec![255, 0], 0)] {
        let keys = UInt8Array::from(keys).to_data();
        let data_type = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Utf8));
        let builder = keys.into_builder().data_type(data_type).add_child_data(dictionary.clone());
        #[allow(unsafe_code, reason = "as above")]
        // SAFETY: none of it is true, as in `hostile`, and only the code under test looks at
        // values.
        let column = make_array(unsafe { builder.build_unchecked() });
        let error = Hashing::new(AnyAlgorithm::Sha256).hash(&column).unwrap_err();
        assert!(matches!(error, Error::Bounds { row: found } if found == row), "{error}");
        let error = Hashing::new(AnyAlgorithm::Sha256).hash_rows(2, &[("a", column)]).unwrap_err();
        assert_eq!(error.to_string(), format!("column \"a\": row {row}: its offsets, view or key point outside of the column's values"));
    }
}

#[test]
fn more_rows_than_offsets_can_count_are_an_error_before_anything_is_hashed() {
    let rows = i32::MAX as usize / 64 + 1;
    let column = FixedSizeBinaryArray::try_new_with_len(0, Buffer::from_vec(Vec::<u8>::new()), None, rows).unwrap();
    let hashing = Hashing::new(AnyAlgorithm::Sha256).output(Output::Hex);
    assert_eq!(hashing.most_rows(), rows - 1);
    assert!(matches!(hashing.hash(&column), Err(Error::TooManyRows { most }) if most == rows - 1));
}

#[test]
fn what_memory_does_not_hold_is_an_error() {
    let hashing = || Hashing::new(AnyAlgorithm::Sha256);
    assert!(matches!(hashing().hash(&NullArray::new(1 << 60)), Err(Error::Memory { .. })));
    let empty = FixedSizeBinaryArray::try_new_with_len(0, Buffer::from_vec(Vec::<u8>::new()), None, 1 << 58).unwrap();
    for layout in [Layout::Fixed, Layout::Views] {
        assert!(matches!(hashing().layout(layout).hash(&empty), Err(Error::Memory { .. })), "{layout:?}");
    }
    assert!(matches!(hashing().hash_rows(1 << 58, &[]), Err(Error::Memory { .. })));
}

#[test]
fn long_rows_are_joined_with_a_prefix_and_encoded_a_few_at_a_time() {
    // All rows are one buffer: 4096 copies of it would be 16 GiB.
    let values = Buffer::from_vec(vec![b'x'; 4 << 20]);
    let view = u128::from(4u32 << 20) | u128::from(u32::from_le_bytes(*b"xxxx")) << 32;
    let rows = 5;
    let column = hostile(DataType::Utf8View, rows, vec![Buffer::from_vec(vec![view; rows]), values.clone()]);
    let algorithm = algorithms().next().unwrap();
    let message = [b"salt", &values[..]].concat();
    let expected = vec![Some(reference(algorithm, &message)); rows];
    assert_eq!(crate::support::values(&Hashing::new(algorithm).prefix(b"salt").hash(&column).unwrap()), expected);
    let message = [&[1, 1, 1, 0x80, 0x80, 0x80, 2], &values[..]].concat();
    let expected = vec![Some(reference(algorithm, &message)); rows];
    assert_eq!(crate::support::values(&Hashing::new(algorithm).hash_rows(rows, &[("a", column)]).unwrap()), expected);
}
