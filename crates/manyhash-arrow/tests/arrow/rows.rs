//! Digests of rows against the encoding written out by hand, and what the encoding promises.

use crate::support::{algorithms, reference, values};
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field};
use manyhash::AnyAlgorithm;
use manyhash_arrow::{Hashing, Layout, Output};
use proptest::prelude::*;
use std::sync::Arc;

fn algorithm() -> AnyAlgorithm {
    algorithms().next().expect("every backend has an algorithm")
}

fn digests(columns: &[ArrayRef]) -> Vec<Option<Vec<u8>>> {
    let named: Vec<_> = columns.iter().map(|column| ("column", column.clone())).collect();
    values(&Hashing::new(algorithm()).hash_rows(columns[0].len(), &named).unwrap())
}

/// Checks the digest of a column's first row, alone in a table, against its value's encoding.
fn check(column: impl Array + 'static, value: &[u8]) {
    let data_type = column.data_type().clone();
    let expected = reference(algorithm(), &[&[1, 1], value].concat());
    assert_eq!(digests(&[Arc::new(column)])[0], Some(expected), "{data_type}");
}

/// The encoding of a value: a tag, and eight bytes.
fn eight(tag: u8, value: i64) -> Vec<u8> {
    [&[tag][..], &value.to_le_bytes()].concat()
}

/// The encoding of a time: a tag, seconds and nanoseconds.
fn moment(tag: u8, seconds: i64, nanoseconds: u32) -> Vec<u8> {
    [&eight(tag, seconds)[..], &nanoseconds.to_le_bytes()].concat()
}

#[test]
fn the_example_of_the_specification_holds() {
    let columns: [ArrayRef; 3] =
        [Arc::new(StringArray::from(vec!["ab"])), Arc::new(NullArray::new(1)), Arc::new(Int16Array::from(vec![7]))];
    let message = [1, 3, 1, 2, b'a', b'b', 0, 5, 7, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(digests(&columns), [Some(reference(algorithm(), &message))]);
}

#[test]
fn every_type_is_encoded_as_specified() {
    check(StringArray::from(vec!["ab"]), b"\x01\x02ab");
    check(LargeStringArray::from(vec!["é"]), b"\x01\x02\xc3\xa9");
    check(StringViewArray::from(vec!["longer than a view can hold"]), b"\x01\x1blonger than a view can hold");
    check(BinaryArray::from(vec![&b"\xff\x00"[..]]), b"\x02\x02\xff\x00");
    check(LargeBinaryArray::from(vec![&b""[..]]), b"\x02\x00");
    check(BinaryViewArray::from(vec![&b"x"[..]]), b"\x02\x01x");
    check(FixedSizeBinaryArray::try_from_iter([[1u8, 2, 3]].iter()).unwrap(), b"\x02\x03\x01\x02\x03");
    check(BooleanArray::from(vec![false]), b"\x03");
    check(BooleanArray::from(vec![true]), b"\x04");
    check(Int8Array::from(vec![-1]), &eight(5, -1));
    check(Int16Array::from(vec![-300]), &eight(5, -300));
    check(Int32Array::from(vec![i32::MIN]), &eight(5, i32::MIN.into()));
    check(Int64Array::from(vec![i64::MIN]), &eight(5, i64::MIN));
    check(UInt8Array::from(vec![255]), &eight(5, 255));
    check(UInt16Array::from(vec![65535]), &eight(5, 65535));
    check(UInt32Array::from(vec![u32::MAX]), &eight(5, u32::MAX.into()));
    check(UInt64Array::from(vec![i64::MAX as u64]), &eight(5, i64::MAX));
    check(UInt64Array::from(vec![u64::MAX]), &eight(6, -1));
    check(Float64Array::from(vec![1.5]), &eight(7, 0x3FF8_0000_0000_0000));
    check(Float32Array::from(vec![1.5]), &eight(7, 0x3FF8_0000_0000_0000));
    check(Float64Array::from(vec![-0.0]), &eight(7, 0));
    check(Float64Array::from(vec![f64::from_bits(0xFFF0_0000_0000_0001)]), &eight(7, 0x7FF8_0000_0000_0000));
    check(Date32Array::from(vec![-1]), &eight(9, -1));
    check(Date64Array::from(vec![-86_400_000]), &eight(9, -1));
    check(Time32SecondArray::from(vec![1]), &eight(10, 1_000_000_000));
    check(Time32MillisecondArray::from(vec![1]), &eight(10, 1_000_000));
    check(Time64MicrosecondArray::from(vec![1]), &eight(10, 1_000));
    check(Time64NanosecondArray::from(vec![1]), &eight(10, 1));
    check(TimestampSecondArray::from(vec![-1]), &moment(11, -1, 0));
    check(TimestampMillisecondArray::from(vec![-1]), &moment(11, -1, 999_000_000));
    check(TimestampMicrosecondArray::from(vec![1_500_000]), &moment(11, 1, 500_000_000));
    check(TimestampNanosecondArray::from(vec![i64::MAX]), &moment(11, i64::MAX / 1_000_000_000, (i64::MAX % 1_000_000_000) as u32));
    check(TimestampSecondArray::from(vec![5]).with_timezone("Europe/Berlin"), &moment(12, 5, 0));
    check(TimestampMicrosecondArray::from(vec![5_000_000]).with_timezone("UTC"), &moment(12, 5, 0));
    check(DurationSecondArray::from(vec![-2]), &moment(13, -2, 0));
    check(DurationMillisecondArray::from(vec![2_001]), &moment(13, 2, 1_000_000));
    check(DurationMicrosecondArray::from(vec![2_000_001]), &moment(13, 2, 1_000));
    check(DurationNanosecondArray::from(vec![2_000_000_001]), &moment(13, 2, 1));
    check(DictionaryArray::<Int32Type>::from_iter(["ab", "ab"]), b"\x01\x02ab");
}

#[test]
fn decimals_of_one_value_are_encoded_alike() {
    let encoded = |scale: i8, value: i128| [&[8, scale.cast_unsigned()][..], &value.to_le_bytes()].concat();
    check(Decimal128Array::from(vec![150]).with_precision_and_scale(10, 2).unwrap(), &encoded(1, 15));
    check(Decimal128Array::from(vec![1500]).with_precision_and_scale(12, 3).unwrap(), &encoded(1, 15));
    check(Decimal64Array::from(vec![15]).with_precision_and_scale(10, 1).unwrap(), &encoded(1, 15));
    check(Decimal32Array::from(vec![-100]).with_precision_and_scale(5, 0).unwrap(), &encoded(-2, -1));
    check(Decimal128Array::from(vec![0]).with_precision_and_scale(38, 30).unwrap(), &encoded(0, 0));
    check(Decimal128Array::from(vec![1]).with_precision_and_scale(5, -2).unwrap(), &encoded(-2, 1));
}

#[test]
fn lengths_of_texts_take_as_many_bytes_as_they_need() {
    for (bytes, length) in [(127, &[0x7F][..]), (128, &[0x80, 1]), (16383, &[0xFF, 0x7F]), (16384, &[0x80, 0x80, 1])] {
        let text = "x".repeat(bytes);
        check(StringArray::from(vec![&text[..]]), &[&[1], length, text.as_bytes()].concat());
    }
}

#[test]
fn what_is_told_apart_has_different_digests() {
    let text =
        |one: &str, two: &str| -> Vec<ArrayRef> { vec![Arc::new(StringArray::from(vec![one])), Arc::new(StringArray::from(vec![two]))] };
    assert_ne!(digests(&text("ab", "c")), digests(&text("a", "bc")));
    assert_ne!(digests(&text("", "a")), digests(&text("a", "")));
    let nulls: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![None::<&str>])), Arc::new(StringArray::from(vec!["a"]))];
    assert_ne!(digests(&text("", "a")), digests(&nulls));
    assert_ne!(digests(&text("ab", "")[..1]), digests(&text("ab", "")));
    let binary: [ArrayRef; 1] = [Arc::new(BinaryArray::from(vec![&b"ab"[..]]))];
    assert_ne!(digests(&binary), digests(&text("ab", "")[..1]));
}

#[test]
fn chunks_slices_threads_layouts_and_dictionaries_change_nothing() {
    let rows = 9000;
    let texts: Vec<_> = (0..rows).map(|i| (i % 11 != 0).then(|| format!("text {}", i % 97))).collect();
    let numbers: Vec<_> = (0..rows).map(|i| (i % 13 != 0).then_some(i as i32)).collect();
    let columns: [ArrayRef; 2] = [Arc::new(StringArray::from(texts.clone())), Arc::new(Int32Array::from(numbers.clone()))];
    let others: [ArrayRef; 2] = [
        Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()),
        Arc::new(Int64Array::from(numbers.into_iter().map(|number| number.map(i64::from)).collect::<Vec<_>>())),
    ];
    let all = digests(&columns);
    assert_eq!(digests(&others), all);
    let part: Vec<_> = others.iter().map(|column| column.slice(4000, 1234)).collect();
    assert_eq!(digests(&part), all[4000..5234]);
    let named: Vec<_> = columns.iter().map(|column| ("column", column.clone())).collect();
    let threaded = Hashing::new(algorithm()).threads(3).layout(Layout::Views).hash_rows(rows, &named).unwrap();
    assert_eq!(values(&threaded), all);
}

#[test]
fn a_prefix_comes_before_the_row_and_a_key_makes_tags() {
    let column: ArrayRef = Arc::new(StringArray::from(vec!["ab"]));
    let message = |prefix: &[u8]| [prefix, &[1, 1, 1, 2, b'a', b'b']].concat();
    let long = [9; 200];
    for algorithm in algorithms() {
        for prefix in [&b"salt"[..], &long[..64], &long] {
            let plain = Hashing::new(algorithm).prefix(prefix).hash_rows(1, &[("a", column.clone())]).unwrap();
            assert_eq!(values(&plain)[0], Some(reference(algorithm, &message(prefix))));
            if !algorithm.has_hmac() {
                continue;
            }
            let keyed = Hashing::new(algorithm).prefix(prefix).key(b"key").hash_rows(1, &[("a", column.clone())]).unwrap();
            let hmac = reference::Hmac::by_name(algorithm.name()).unwrap();
            assert_eq!(values(&keyed)[0], Some(hmac.tag(b"key", &message(prefix))));
        }
    }
}

#[test]
fn a_table_without_columns_or_rows_has_digests_of_its_rows() {
    let none = Hashing::new(algorithm()).hash_rows(2, &[]).unwrap();
    assert_eq!(values(&none), vec![Some(reference(algorithm(), &[1, 0])); 2]);
    let empty: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    assert!(Hashing::new(algorithm()).output(Output::Hex).hash_rows(0, &[("a", empty)]).unwrap().is_empty());
}

#[test]
fn errors_name_the_column_or_the_row() {
    let list: ArrayRef = Arc::new(ListArray::new_null(Arc::new(Field::new("item", DataType::Int8, true)), 1));
    let error = Hashing::new(algorithm()).hash_rows(1, &[("tags", list)]).unwrap_err();
    assert!(error.to_string().starts_with("column \"tags\": values of List"), "{error}");
    let short: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let error = Hashing::new(algorithm()).hash_rows(2, &[("short", short)]).unwrap_err();
    assert!(error.to_string().contains("\"short\" has 1 rows"), "{error}");
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![86_400_000, 1]));
    let error = Hashing::new(algorithm()).hash_rows(2, &[("dates", dates)]).unwrap_err();
    assert_eq!(error.to_string(), "column \"dates\": row 1: the date is not a whole day");
}

#[test]
fn of_a_dictionary_only_values_that_rows_have_are_looked_at() {
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![0, 1, 86_400_000]));
    let good: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(vec![Some(2), None, Some(0)].into(), dates.clone()).unwrap());
    let plain: ArrayRef = Arc::new(Date32Array::from(vec![Some(1), None, Some(0)]));
    assert_eq!(digests(&[good]), digests(&[plain]));
    let bad: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(vec![Some(2), Some(1)].into(), dates).unwrap());
    let error = Hashing::new(algorithm()).hash_rows(2, &[("dates", bad)]).unwrap_err();
    assert_eq!(error.to_string(), "column \"dates\": row 1: the date is not a whole day");
}

proptest! {
    #[test]
    fn two_rows_have_one_digest_exactly_if_they_are_equal(
        one in prop::collection::vec(prop::option::of("[ab\u{1}\u{2}]{0,3}"), 2),
        two in prop::collection::vec(prop::option::of("[ab\u{1}\u{2}]{0,3}"), 2),
    ) {
        let columns: Vec<ArrayRef> =
            (0..2).map(|i| Arc::new(StringArray::from(vec![one[i].clone(), two[i].clone()])) as ArrayRef).collect();
        let digests = digests(&columns);
        prop_assert_eq!(digests[0] == digests[1], one == two);
    }
}
