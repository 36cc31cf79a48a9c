"""`manyhash.polars` on real Polars: eager, lazy and streaming, against hashlib and hmac."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import support
from adapter_reference import BYTES, KEY, OUTPUTS, TEXTS, digests, engine

pl = engine("polars")

import manyhash.polars  # noqa: E402

ENGINES = ("in-memory", "streaming")


@pytest.fixture
def frame():
    return pl.DataFrame({"text": TEXTS, "bytes": BYTES, "number": range(len(TEXTS))})


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_algorithm_and_output_is_hashlibs(frame, algorithm, output):
    expression = getattr(pl.col("text").manyhash, algorithm)(output)
    assert frame.select(expression)["text"].to_list() == digests(TEXTS, algorithm, output)
    assert getattr(frame["bytes"].manyhash, algorithm)(output).to_list() == digests(BYTES, algorithm, output)


def test_key_prefix_and_truncate_are_those_of_the_hmac_module(frame):
    result = frame.select(
        keyed=pl.col("text").manyhash.sha512(key=KEY),
        prefixed=pl.col("text").manyhash.hash("sha256", "hex", prefix=b"v1:"),
        short=manyhash.polars.hash("bytes", "SHA-256", "base64", key=bytearray(KEY), truncate=16),
    )
    assert result["keyed"].to_list() == digests(TEXTS, "sha512", key=KEY)
    assert result["prefixed"].to_list() == digests(TEXTS, "sha256", "hex", prefix=b"v1:")
    assert result["short"].to_list() == digests(BYTES, "sha256", "base64", key=KEY, truncate=16)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_lazy_queries_have_their_schema_before_they_run(frame, engine_name):
    query = frame.lazy().select(binary=pl.col("text").manyhash.sha256(), text=pl.col("bytes").manyhash.md5("hex"))
    result = query.collect(engine=engine_name)
    assert query.collect_schema() == {"binary": pl.Binary, "text": pl.String} == result.schema
    assert result["binary"].to_list() == digests(TEXTS)
    assert result["text"].to_list() == digests(BYTES, "md5", "hex")


def test_streaming_calls_with_pieces_and_writes_parquet(tmp_path: Path):
    texts = [f"row {i}" if i % 7 else None for i in range(200_000)]
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "in.parquet", row_group_size=20_000)
    pieces: list[int] = []

    def counted(series):
        pieces.append(len(series))
        return series

    column = pl.col("text").map_batches(counted, return_dtype=pl.String, is_elementwise=True)
    query = pl.scan_parquet(tmp_path / "in.parquet").select("text", digest=column.manyhash.sha256())
    query.sink_parquet(tmp_path / "out.parquet", engine="streaming")
    assert len(pieces) > 1 and sum(pieces) == len(texts)
    assert pl.read_parquet(tmp_path / "out.parquet")["digest"].to_list() == digests(texts)


def test_filters_move_past_a_digest_and_unused_ones_are_not_made(frame):
    query = frame.lazy().with_columns(digest=pl.col("text").manyhash.sha256())
    plan = query.filter(pl.col("number") > 3).explain()
    assert plan.index("python_udf") < plan.index("FILTER"), plan
    assert "python_udf" not in query.select("number").explain()
    assert query.filter(pl.col("number") > 3).collect()["digest"].to_list() == digests(TEXTS[4:])


def test_chunked_sliced_and_empty_columns(frame):
    chunked = pl.concat([frame["text"], frame["text"].slice(2, 9), pl.Series("text", [], pl.String)], rechunk=False)
    assert chunked.manyhash.sha256().to_list() == digests(TEXTS + TEXTS[2:11])
    assert chunked.slice(5, 40).manyhash.sha256().to_list() == digests((TEXTS + TEXTS[2:11])[5:45])
    empty = frame.clear().select(pl.col("text").manyhash.sha256(), pl.col("bytes").manyhash.sha256("hex"))
    assert empty.shape == (0, 2) and empty.dtypes == [pl.Binary, pl.String]


def test_nulls_alone_and_nulls_without_a_type_stay_null():
    assert pl.Series(["a", None]).filter([False, True]).manyhash.sha256().to_list() == [None]
    nulls = pl.Series("nothing", [None, None]).manyhash.sha256("hex")
    assert nulls.dtype == pl.String and nulls.to_list() == [None, None]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["b", "a", "unused"])], ids=["Categorical", "Enum"])
def test_categories_are_hashed_as_their_text(dtype, output):
    values = ["a", None, "b", "a"]
    series = pl.Series("letter", values, dtype)
    result = series.manyhash.sha256(output)
    assert result.dtype == (pl.Binary if output == "binary" else pl.String)
    assert result.to_list() == digests(values, "sha256", output)
    assert pl.concat([series, series], rechunk=False).slice(1, 5).manyhash.sha256(output).to_list() == digests(
        (values * 2)[1:6], "sha256", output
    )


def test_group_by_and_over(frame):
    rows = frame.select("text", group=pl.col("number") % 3)
    grouped = rows.group_by("group", maintain_order=True).agg(pl.col("text").manyhash.sha256("hex"))
    for group, found in grouped.iter_rows():
        assert found == digests(TEXTS[group::3], "sha256", "hex")
    firsts = rows.select(pl.col("text").first().manyhash.sha256("hex").over("group")).to_series().to_list()
    assert firsts == [digests(TEXTS, "sha256", "hex")[i % 3] for i in range(len(TEXTS))]


@pytest.mark.parametrize("output", ["binary", "hex"])
def test_nothing_is_copied_on_either_side(frame, output):
    pa = engine("pyarrow")

    def addresses(column):
        return [buffer and buffer.address for buffer in pa.chunked_array(column).chunk(0).buffers()]

    assert addresses(frame["text"]) == addresses(frame["text"])
    digest = manyhash.polars.ColumnDigest(output=output).of_column(frame["text"], "view")
    assert addresses(pl.Series(digest)) == addresses(digest)


def test_a_literal_is_as_long_as_the_frame(frame):
    result = frame.select("number", pl.lit("a").manyhash.sha256().alias("digest"))
    assert result["digest"].to_list() == digests(["a"] * len(TEXTS))


def test_series_and_expressions_keep_their_name(frame):
    assert frame["text"].manyhash.sha256().name == "text"
    assert frame.select(pl.col("text", "bytes").manyhash.sha256()).columns == ["text", "bytes"]


def test_joins_on_a_digest(frame):
    left = frame.filter(pl.col("text").is_not_null()).unique("text").with_columns(digest=pl.col("text").manyhash.sha256())
    right = left.select("digest", theirs="text").reverse()
    joined = left.join(right, on="digest")
    assert joined.height == left.height and (joined["text"] == joined["theirs"]).all()


@pytest.mark.parametrize("values", [[1, 2], [1.5], [True], [["a"]], [{"a": "b"}]], ids=["int", "float", "bool", "list", "struct"])
@pytest.mark.parametrize("engine_name", ENGINES)
def test_other_dtypes_are_type_errors_that_name_the_column_and_the_cast(values, engine_name):
    query = pl.LazyFrame({"amount": values}).select(pl.col("amount").manyhash.sha256())
    with pytest.raises(TypeError, match=r"'amount' has dtype .*pl\.col\('amount'\)\.cast\(pl\.String\)"):
        query.collect(engine=engine_name)


def test_objects_are_type_errors():
    with pytest.raises(TypeError, match="'thing' has dtype Object"):
        pl.Series("thing", [object()], dtype=pl.Object).manyhash.sha256()


def test_wrong_arguments_fail_where_they_are_given_and_not_in_the_query():
    with pytest.raises(ValueError, match="sha512_256"):
        pl.col("text").manyhash.hash("sha3")
    with pytest.raises(ValueError, match="output"):
        pl.col("text").manyhash.sha256("base32")
    with pytest.raises(ValueError, match="truncate"):
        pl.col("text").manyhash.sha256(truncate=33)
    with pytest.raises(TypeError):
        pl.col("text").manyhash.sha256(key="text")
    with pytest.raises(TypeError):
        pl.col("text").manyhash.sha256(key=32)


def test_a_key_is_in_no_plan_and_no_repr(frame):
    expression = pl.col("text").manyhash.sha256(key=b"hunter2", prefix=b"salt-and-pepper")
    query = frame.lazy().select(expression)
    for text in (
        str(expression),
        repr(expression),
        query.explain(),
        query.explain(optimized=False),
        repr(manyhash.polars._OfColumn(manyhash.polars.ColumnDigest(key=b"hunter2", prefix=b"salt-and-pepper"))),
    ):
        assert "hunter2" not in text and "pepper" not in text, text


def test_a_key_that_changes_later_does_not_change_the_query(frame):
    key = bytearray(KEY)
    query = frame.lazy().select(pl.col("text").manyhash.sha256(key=key))
    key[0] ^= 1
    assert query.collect()["text"].to_list() == digests(TEXTS, key=KEY)


def test_what_a_query_calls_can_be_pickled(frame):
    called = pickle.loads(pickle.dumps(manyhash.polars._OfColumn(manyhash.polars.ColumnDigest("sha1", "hex", KEY))))
    assert called(frame["text"]).to_list() == digests(TEXTS, "sha1", "hex", key=KEY)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_rows_are_hashed_injectively_and_in_the_order_of_columns(engine_name):
    frame = pl.LazyFrame({"a": ["ab", "a", None, "", "ab"], "b": ["c", "bc", "", None, "c"]})
    digest_of = manyhash.polars.hash_rows
    query = frame.select(digest_of(), chosen=digest_of("a", pl.col("b")), turned=digest_of("b", "a"), hex=digest_of(output="hex", key=KEY))
    result = query.collect(engine=engine_name)
    assert query.collect_schema() == {"row_digest": pl.Binary, "chosen": pl.Binary, "turned": pl.Binary, "hex": pl.String} == result.schema
    rows = result["row_digest"]
    assert rows.null_count() == 0 and rows.n_unique() == 4 and rows[0] == rows[4]
    assert (rows == result["chosen"]).all() and not (rows == result["turned"]).any()
    assert result["hex"].str.len_chars().to_list() == [64] * 5


def test_rows_are_the_same_in_chunks_slices_and_categories():
    frame = pl.DataFrame({"a": ["x", "y", None, "x"] * 5, "n": range(20)})
    whole = frame.select(manyhash.polars.hash_rows()).to_series().to_list()
    chunked = pl.concat([frame[:7], frame[7:8], frame[8:]], rechunk=False)
    assert chunked.select(manyhash.polars.hash_rows()).to_series().to_list() == whole
    assert frame[3:11].select(manyhash.polars.hash_rows()).to_series().to_list() == whole[3:11]
    categories = frame.with_columns(pl.col("a").cast(pl.Categorical))
    assert categories.select(manyhash.polars.hash_rows()).to_series().to_list() == whole


def test_rows_with_a_column_of_no_type_are_those_with_nulls_of_one():
    nothing = pl.DataFrame({"a": ["x", "y"], "nothing": [None, None]})
    rows = nothing.select(manyhash.polars.hash_rows()).to_series().to_list()
    assert rows == nothing.cast({"nothing": pl.Int64}).select(manyhash.polars.hash_rows()).to_series().to_list()


def test_rows_with_a_nested_column_are_a_type_error_that_names_it():
    with pytest.raises(TypeError, match="tags"):
        pl.DataFrame({"a": ["x"], "tags": [["y"]]}).select(manyhash.polars.hash_rows())


def test_algorithms_are_those_of_the_package(frame):
    assert all(callable(getattr(pl.col("text").manyhash, name)) for name in manyhash.algorithms)


@pytest.mark.parametrize("dtype", [getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)], ids=str)
def test_rows_with_integers_that_arrow_lacks_are_type_errors_that_name_column_and_cast(dtype):
    frame = pl.DataFrame({"amount": pl.Series([1], dtype=dtype)})
    with pytest.raises(TypeError, match=r"column 'amount' has dtype U?Int128, which Arrow lacks: .*cast\(pl\.Decimal"):
        frame.select(manyhash.polars.hash_rows())


def test_a_serialized_plan_has_the_key_as_the_module_says():
    assert b"hunter2" in pl.col("text").manyhash.sha256(key=b"hunter2").meta.serialize()
    assert "clear text" in manyhash.polars.__doc__
