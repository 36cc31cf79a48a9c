"""`manyhash.pandas` on real pandas: every dtype of text and bytes, against hashlib and hmac."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path

import pytest
import support
from adapter_reference import BYTES, KEY, OUTPUTS, TEXTS, digests, engine

pd = engine("pandas")
pa = engine("pyarrow")

import numpy as np  # noqa: E402

import manyhash.pandas  # noqa: E402

DTYPES = {
    "str": ("str", TEXTS),
    "string": ("string", TEXTS),
    "string[python]": ("string[python]", TEXTS),
    "object of str": (object, TEXTS),
    "object of bytes": (object, BYTES),
    **{str(kind): (pd.ArrowDtype(kind), TEXTS) for kind in support.arrow_types("string", "large_string", "string_view")},
    **{str(kind): (pd.ArrowDtype(kind), BYTES) for kind in support.arrow_types("binary", "large_binary", "binary_view")},
    "category": ("category", TEXTS),
    "category of bytes": ("category", BYTES),
}


def as_list(series):
    """The values, None where pandas calls one missing."""
    return [None if pd.isna(value) else value for value in series]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", DTYPES)
def test_every_dtype_of_text_and_bytes_is_hashlibs(kind, output):
    dtype, values = DTYPES[kind]
    series = pd.Series(values, dtype=dtype, name="email", index=[f"row {i}" for i in range(len(values))])
    result = manyhash.pandas.hash(series, "sha256", output)
    assert as_list(result) == digests(values, "sha256", output)
    assert result.name == "email" and result.index.equals(series.index)
    if output == "binary":
        assert result.dtype == pd.ArrowDtype(pa.binary())
    elif isinstance(series.dtype, pd.ArrowDtype):
        assert result.dtype == pd.ArrowDtype(pa.string())
    else:
        assert result.dtype == (series.dtype if isinstance(series.dtype, pd.StringDtype) else "str")


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_every_algorithm_is_a_method_of_the_accessor(algorithm):
    series = pd.Series(TEXTS)
    assert as_list(getattr(series.manyhash, algorithm)("hex")) == digests(TEXTS, algorithm, "hex")
    if algorithm in support.WITH_HMAC:
        assert as_list(series.manyhash.hash(algorithm, key=KEY)) == digests(TEXTS, algorithm, key=KEY)


def test_key_prefix_and_truncate_are_those_of_the_hmac_module():
    series = pd.Series(BYTES)
    result = series.manyhash.sha512("base64", key=KEY, prefix=b"v1:", truncate=20)
    assert as_list(result) == digests(BYTES, "sha512", "base64", KEY, b"v1:", 20)


def test_fixed_width_bytes():
    values = [b"abcd", None, b"\0\0\0\0"]
    assert as_list(pd.Series(values, dtype=pd.ArrowDtype(pa.binary(4))).manyhash.sha256()) == digests(values)


def test_an_object_column_may_mix_text_and_bytes_and_ways_to_be_missing():
    values = ["a", b"\xff", None, np.nan, pd.NA, bytearray(b"b"), np.str_("c"), float("nan")]
    result = pd.Series(values, dtype=object).manyhash.sha256()
    assert as_list(result) == digests(["a", b"\xff", None, None, None, b"b", "c", None])


@pytest.mark.parametrize(
    "value", [1, 1.5, True, ["a"], ("a",), datetime.date(2020, 1, 1), {"a": 1}], ids=lambda value: type(value).__name__
)
@pytest.mark.parametrize("others", [["a", "b"], [b"a", "b"], [None, None]], ids=["text", "mixed", "missing"])
def test_anything_else_in_an_object_column_is_a_type_error_that_names_the_row(value, others):
    series = pd.Series([*others, value], dtype=object, name="email", index=["x", "y", "z"])
    with pytest.raises(TypeError, match=rf"series 'email', row 'z': {type(value).__name__} is neither str nor bytes"):
        series.manyhash.sha256()


@pytest.mark.parametrize("others", [["a"], [b"a"]], ids=["text", "mixed"])
def test_a_lone_surrogate_is_an_error_that_names_the_row(others):
    series = pd.Series([*others, "\ud800"], dtype=object, name="email", index=["x", "y"])
    with pytest.raises(UnicodeEncodeError, match="series 'email', row 'y': text with a lone surrogate"):
        series.manyhash.sha256()


@pytest.mark.parametrize(
    "values", [[1], [1.5], [True], pd.to_datetime(["2020"]), pd.Categorical([1, 2])], ids=["int", "float", "bool", "time", "category"]
)
def test_other_dtypes_are_type_errors_that_name_the_cast(values):
    with pytest.raises(TypeError, match=r"has dtype .*astype\('str'\)"):
        pd.Series(values, name="amount").manyhash.sha256()


def test_what_is_no_series_is_a_type_error():
    with pytest.raises(TypeError, match="list and no pandas Series"):
        manyhash.pandas.hash(["a"])
    with pytest.raises(TypeError, match="Series and no pandas DataFrame"):
        manyhash.pandas.hash_rows(pd.Series(["a"]))


def test_wrong_arguments_are_value_errors():
    with pytest.raises(ValueError, match="sha512_256"):
        pd.Series(["a"]).manyhash.hash("sha3")
    with pytest.raises(TypeError, match="key is a str, not bytes"):
        pd.Series(["a"]).manyhash.sha256(key="text")


@pytest.mark.parametrize("dtype", ["str", object, "category", pd.ArrowDtype(pa.string())], ids=str)
@pytest.mark.parametrize("values", [[], [None, None]], ids=["empty", "missing"])
def test_empty_and_missing_columns(values, dtype):
    series = pd.Series(values, dtype=dtype)
    assert as_list(series.manyhash.sha256()) == values == as_list(series.manyhash.sha256("hex"))
    assert series.manyhash.sha256().dtype == pd.ArrowDtype(pa.binary())


def test_slices_filters_and_chunks():
    series = pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string()))
    assert as_list(series[5:20].manyhash.sha256()) == digests(TEXTS[5:20])
    assert as_list(series[::-2].manyhash.sha256()) == digests(TEXTS[::-2])
    chunked = pd.concat([series, series[3:9], series[:0]])
    result = chunked.manyhash.sha256()
    assert as_list(result) == digests(TEXTS + TEXTS[3:9]) and result.index.equals(chunked.index)


def test_columns_longer_than_a_piece(monkeypatch):
    series = pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string()))
    frame = pd.DataFrame({"text": series, "number": range(len(TEXTS))})
    rows = list(manyhash.pandas.hash_rows(frame))
    monkeypatch.setattr(manyhash.pandas, "_PIECE_ROWS", 7)
    assert as_list(series.manyhash.sha256()) == digests(TEXTS)
    assert as_list(series.astype("category").manyhash.sha256("hex")) == digests(TEXTS, "sha256", "hex")
    assert list(manyhash.pandas.hash_rows(frame)) == rows


@pytest.mark.parametrize("dtype", ["str", pd.ArrowDtype(pa.string())], ids=str)
def test_dtypes_of_arrow_are_hashed_where_they_lie(dtype):
    series = pd.Series(TEXTS, dtype=dtype)
    addresses = [
        [buffer.address for buffer in array.chunk(0).buffers()] for array in (pa.chunked_array(series), manyhash.pandas._arrow(series))
    ]
    assert addresses[0] == addresses[1]


def test_digests_can_be_merged_grouped_and_stored(tmp_path: Path):
    frame = pd.DataFrame({"text": ["a", "b", None, "a"], "number": [1, 2, 3, 4]})
    frame["digest"] = frame["text"].manyhash.sha256()
    others = pd.DataFrame({"digest": pd.Series(["b", "a"]).manyhash.sha256(), "city": ["Bern", "Aarau"]})
    assert frame.merge(others, on="digest", how="left")["city"].fillna("-").tolist() == ["Aarau", "Bern", "-", "Aarau"]
    assert frame.groupby("digest")["number"].sum().to_dict() == {digests(["a"])[0]: 5, digests(["b"])[0]: 2}
    assert frame.drop_duplicates("digest")["number"].tolist() == [1, 2, 3]
    frame.to_parquet(tmp_path / "frame.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "frame.parquet"), frame)


def test_rows_are_hashed_injectively_under_the_frames_index():
    frame = pd.DataFrame({"a": ["ab", "a", None, "", "ab"], "b": ["c", "bc", "", None, "c"]}, index=[5, 4, 3, 2, 1])
    rows = manyhash.pandas.hash_rows(frame)
    assert rows.notna().all() and rows.nunique() == 4 and rows[5] == rows[1] and rows.index.equals(frame.index)
    assert rows.name == "row_digest" and rows.dtype == pd.ArrowDtype(pa.binary())
    assert list(manyhash.pandas.hash_rows(frame, ["a", "b"])) == list(rows)
    assert manyhash.pandas.hash_rows(frame, ["b", "a"])[5] not in set(rows)
    assert manyhash.pandas.hash_rows(frame, output="hex", key=KEY).str.len().tolist() == [64] * 5


def test_rows_are_the_same_whatever_dtype_values_are_kept_in():
    texts, numbers = ["x", None, "y", "x"], [1, 2, 3, 4]
    frame = pd.DataFrame({"text": pd.Series(texts, dtype=object), "number": numbers})
    expected = list(manyhash.pandas.hash_rows(frame))
    for dtype in ("str", "string", "string[python]", "category", pd.ArrowDtype(pa.large_string())):
        assert list(manyhash.pandas.hash_rows(frame.assign(text=pd.Series(texts, dtype=dtype)))) == expected, dtype
    assert list(manyhash.pandas.hash_rows(frame.assign(number=pd.Series(numbers, dtype="Int64")))) == expected
    table = pa.table({"text": texts, "number": numbers})
    assert pa.array(pa.chunked_array(manyhash.arrow.hash_rows(table)).to_pylist()).to_pylist() == expected


def test_rows_with_decimals_and_dates_in_object_columns():
    frame = pd.DataFrame({"price": [decimal.Decimal("1.50"), None], "day": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]})
    assert manyhash.pandas.hash_rows(frame).nunique() == 2


def test_rows_of_two_columns_of_one_name():
    frame = pd.DataFrame([["a", "b"], ["b", "a"]], columns=["x", "x"])
    assert manyhash.pandas.hash_rows(frame).nunique() == 2


def test_rows_with_a_column_of_several_types_are_a_type_error_that_names_it():
    with pytest.raises(TypeError, match="mixed"):
        manyhash.pandas.hash_rows(pd.DataFrame({"fine": [1, 2], "mixed": ["a", 1]}))
    with pytest.raises(TypeError, match="huge"):
        manyhash.pandas.hash_rows(pd.DataFrame({"huge": [2**70, 1]}))
    with pytest.raises(KeyError, match="absent"):
        manyhash.pandas.hash_rows(pd.DataFrame({"a": [1]}), ["absent"])


def test_rows_of_an_empty_frame():
    rows = manyhash.pandas.hash_rows(pd.DataFrame({"a": pd.Series([], dtype="str")}))
    assert len(rows) == 0 and rows.dtype == pd.ArrowDtype(pa.binary())


@pytest.mark.parametrize(
    "values",
    [
        [b"b", "a"],
        [1, 1.5],
        [1, True],
        [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)],
        [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)],
        [datetime.time(1, tzinfo=datetime.UTC)],
        [pd.Timestamp(1)],
    ],
    ids=str,
)
def test_rows_of_objects_that_arrow_would_change_are_type_errors_that_name_column_and_types(values):
    with pytest.raises(TypeError, match=rf"column 'x' has objects of .*{type(values[0]).__name__}"):
        manyhash.pandas.hash_rows(pd.DataFrame({"x": pd.Series(values, dtype=object)}))


def test_rows_of_categories_of_several_types_are_type_errors():
    with pytest.raises(TypeError, match="column 'x' has objects of bytes and str"):
        manyhash.pandas.hash_rows(pd.DataFrame({"x": pd.Categorical([b"b", "a"])}))


def test_columns_given_as_one_string_are_a_type_error():
    with pytest.raises(TypeError, match=r"columns is a str, not a list of names: \['ab'\]"):
        manyhash.pandas.hash_rows(pd.DataFrame({"ab": [1], "a": [2], "b": [3]}), "ab")


@pytest.mark.parametrize("categories", [False, True], ids=["periods", "categories"])
def test_rows_of_periods_are_a_type_error_and_never_bare_ordinals(categories):
    periods = pd.Series(pd.period_range("2020", periods=2, freq="D"))
    with pytest.raises(TypeError, match=r"column 'x' has dtype period\[D\]"):
        manyhash.pandas.hash_rows(pd.DataFrame({"x": periods.astype("category") if categories else periods}))


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": [1, 2, 3]}, index=[3, 2, 1])[[]], pd.DataFrame()], ids=["rows", "no rows"])
def test_rows_without_columns_have_a_digest_each(frame):
    for columns in (None, []):
        rows = manyhash.pandas.hash_rows(frame, columns)
        assert rows.index.equals(frame.index) and rows.nunique() == min(1, len(frame))


@pytest.mark.parametrize("output", OUTPUTS)
def test_dictionaries_of_arrow_are_hashlibs(output):
    column = pa.chunked_array([pa.array(TEXTS).dictionary_encode()])
    series = pd.Series(pd.ArrowDtype(column.type).__from_arrow__(column))
    assert as_list(series.manyhash.sha256(output)) == digests(TEXTS, "sha256", output)


def test_a_lone_surrogate_in_a_python_string_dtype_names_the_row():
    series = pd.Series(["a", "\ud800"], dtype="string[python]", name="email", index=["x", "y"])
    for hashed in (lambda: series.manyhash.sha256(), lambda: manyhash.pandas.hash_rows(series.to_frame())):
        with pytest.raises(UnicodeEncodeError, match="series 'email', row 'y': text with a lone surrogate"):
            hashed()


def test_a_sparse_series_is_a_type_error_that_names_the_cast():
    series = pd.Series([1, 0], dtype="Sparse[int]", name="x")
    for hashed in (lambda: series.manyhash.sha256(), lambda: manyhash.pandas.hash_rows(series.to_frame())):
        with pytest.raises(TypeError, match=r"series 'x' has dtype Sparse.*to_dense"):
            hashed()


def test_columns_whose_names_are_bool_are_columns() -> None:
    frame = pd.DataFrame({True: ["a", "b"], False: ["c", "d"]})
    named = pd.DataFrame({"true": ["a", "b"], "false": ["c", "d"]})
    for columns, names in (([True], ["true"]), ([False, True], ["false", "true"])):
        assert list(manyhash.pandas.hash_rows(frame, columns)) == list(manyhash.pandas.hash_rows(named, names))
    with pytest.raises(KeyError, match="False"):
        manyhash.pandas.hash_rows(frame.iloc[:, :1], [False])
