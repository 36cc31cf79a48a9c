"""Functions on columns, beside hashlib and Spark's own."""

from __future__ import annotations

import base64
import datetime
import decimal
import hashlib
import hmac
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from support import IN_HASHLIB, module, skipped

import manyhash
import manyhash.arrow

module("pyspark")

from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

import manyhash.spark as mhs  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Before PySpark 4.1 there are no Arrow UDFs, and so no digests of rows.
HAS_ROWS = hasattr(F, "arrow_udf")
TEXTS = [None, "", "a", "ä€😀", "x" * 55, "y" * 56, "z" * 1000, "a\0b"] + [f"user{n}@example.org" for n in range(500)]


@pytest.fixture(scope="module")
def texts(spark: SparkSession) -> DataFrame:
    frame = spark.createDataFrame(list(enumerate(TEXTS)), "number int, text string")
    return frame.withColumn("bytes", F.col("text").cast("binary")).repartition(5).cache()


def by_number(frame: DataFrame) -> list[object]:
    return [value for _, value in sorted(map(tuple, frame.collect()))]


@pytest.mark.parametrize("algorithm", IN_HASHLIB)
def test_each_algorithm_has_a_function_that_gives_what_hashlib_gives(texts: DataFrame, algorithm: str) -> None:
    digest = getattr(mhs, algorithm)
    expected = [None if text is None else hashlib.new(algorithm, text.encode()) for text in TEXTS]
    rows = sorted(texts.select("number", digest("text"), digest(F.col("bytes")), digest("text", "hex"), digest("text", "base64")).collect())
    assert [row[1] for row in rows] == [hash and hash.digest() for hash in expected]
    assert [row[2] for row in rows] == [hash and hash.digest() for hash in expected]
    assert [row[3] for row in rows] == [hash and hash.hexdigest() for hash in expected]
    assert [row[4] for row in rows] == [hash and base64.b64encode(hash.digest()).decode() for hash in expected]
    assert rows[0][1:] == (None,) * 4


def test_results_are_binary_and_string_columns(texts: DataFrame) -> None:
    frame = texts.select(
        mhs.sha256("text").alias("a"), mhs.sha256("text", "hex").alias("b"), mhs.sha256("text", output="base64").alias("c")
    )
    assert frame.dtypes == [("a", "binary"), ("b", "string"), ("c", "string")]


def test_hex_is_what_sparks_own_functions_give(texts: DataFrame) -> None:
    pairs = [(mhs.md5, F.md5), (mhs.sha1, F.sha1)]
    pairs += [(getattr(mhs, f"sha{bits}"), lambda column, bits=bits: F.sha2(column, bits)) for bits in (224, 256, 384, 512)]
    same = texts.select(*[ours("text", "hex").eqNullSafe(theirs("bytes")).alias(str(n)) for n, (ours, theirs) in enumerate(pairs)])
    assert {tuple(row) for row in same.collect()} == {(True,) * len(pairs)}


def test_a_key_makes_it_an_hmac(texts: DataFrame) -> None:
    found = by_number(texts.select("number", mhs.hash("text", "SHA-512/256", key=bytearray(b"key" * 50))))
    assert found == [None if text is None else hmac.digest(b"key" * 50, text.encode(), "sha512_256") for text in TEXTS]


def test_a_prefix_is_hashed_before_each_row_and_truncate_keeps_the_first_bytes(texts: DataFrame) -> None:
    found = by_number(texts.select("number", mhs.sha256("text", "hex", prefix=b"salt", truncate=8)))
    assert found == [None if text is None else hashlib.sha256(b"salt" + text.encode()).hexdigest()[:16] for text in TEXTS]


def test_a_column_of_no_type_is_null(spark: SparkSession) -> None:
    assert spark.range(3).select(mhs.sha256(F.lit(None))).distinct().collect() == [(None,)]


def test_large_arrow_types_change_nothing(spark: SparkSession, texts: DataFrame) -> None:
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        found = by_number(texts.select("number", mhs.sha256("text", "hex")))
        binary = by_number(texts.select("number", mhs.sha256("bytes")))
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")
    assert found == [None if text is None else hashlib.sha256(text.encode()).hexdigest() for text in TEXTS]
    assert binary == [None if text is None else hashlib.sha256(text.encode()).digest() for text in TEXTS]


def test_several_batches_of_a_partition_are_all_there(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    try:
        frame = spark.range(0, 1001, 1, 2).select(F.col("id").cast("string").alias("text"))
        assert frame.where(mhs.sha256("text", "hex") == F.sha2("text", 256)).count() == 1001
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_a_column_of_numbers_is_an_error_that_names_type_and_cast(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match=r"manyhash_sha256: the column is int64.*cast\('string'\)"):
        spark.range(3).select(mhs.sha256("id")).collect()


def test_functions_are_there_in_sql(spark: SparkSession, texts: DataFrame) -> None:
    names = mhs.register(spark)
    assert len(names) == (6 if HAS_ROWS else 3) * len(manyhash.algorithms)
    texts.createOrReplaceTempView("texts")
    same = spark.sql(
        """SELECT DISTINCT manyhash_sha256_hex(text) <=> sha2(text, 256), hex(manyhash_sha256(text)) <=> upper(sha2(bytes, 256)),
                  manyhash_sha256_base64(text) <=> base64(unhex(sha2(text, 256)))
           FROM texts"""
    )
    assert same.collect() == [(True, True, True)]
    if HAS_ROWS:
        assert spark.sql("SELECT count(DISTINCT manyhash_md5_rows(text, number)) FROM texts").collect() == [(len(TEXTS),)]


def test_functions_with_a_key_have_a_name_of_their_own_in_sql(spark: SparkSession) -> None:
    assert mhs.register(spark, ["sha256"], name="pseudonym", key=b"secret")[:2] == ["pseudonym_sha256", "pseudonym_sha256_hex"]
    assert spark.sql("SELECT pseudonym_sha256('a')").collect() == [(hmac.digest(b"secret", b"a", "sha256"),)]
    with pytest.raises(ValueError, match="name: with key"):
        mhs.register(spark, key=b"secret")
    with pytest.raises(ValueError, match="name: 'a b'"):
        mhs.register(spark, name="a b")


def test_a_key_is_in_no_plan_and_in_no_name(texts: DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    key = b"correct horse battery"
    column = mhs.sha256("text", key=key)
    frame = texts.select(column, *([mhs.hash_rows("text", "number", key=key)] if HAS_ROWS else []))
    for mode in ("simple", "extended", "codegen", "cost", "formatted"):
        frame.explain(mode=mode)
    plan = frame._jdf.queryExecution()
    shown = [capsys.readouterr().out, repr(column), str(frame.columns), repr(frame), plan.analyzed().toJSON(), plan.executedPlan().toJSON()]
    for form in (key.decode(), key.hex(), base64.b64encode(key).decode(), json.dumps(list(key)), ", ".join(map(str, key))):
        assert not any(form in text for text in shown)
    assert "manyhash_sha256" in shown[0]


@pytest.fixture
def no_rows_before_4_1() -> None:
    if not HAS_ROWS:
        with pytest.raises(NotImplementedError, match="hash_rows needs pyspark 4.1 or later"):
            mhs.hash_rows("a")
        skipped("this PySpark has no Arrow UDFs")


@pytest.mark.usefixtures("no_rows_before_4_1")
def test_rows_have_the_digests_of_the_same_rows_in_arrow(spark: SparkSession) -> None:
    table = pa.table(
        {
            "text": pa.array(["ab", "a", None, ""]),
            "bytes": pa.array([b"c", b"bc", b"", None]),
            "number": pa.array([1, -1, 2**62, None]),
            "real": pa.array([0.5, -0.0, None, 1e300]),
            "is": pa.array([True, False, None, True]),
            "day": pa.array([datetime.date(2026, 1, 2), None, datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
            "price": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-0.01"), None, decimal.Decimal("0.00")], pa.decimal128(10, 2)),
        }
    )
    expected = pa.array(manyhash.arrow.hash_rows(table.combine_chunks().to_batches()[0], layout="offsets")).to_pylist()
    frame = spark.createDataFrame(table)
    assert [row[0] for row in frame.select(mhs.hash_rows(*table.column_names)).collect()] == expected
    assert [row[0] for row in frame.select(mhs.hash_rows(*map(F.col, table.column_names), output="hex")).collect()] == [
        digest.hex() for digest in expected
    ]
    assert len(set(expected)) == 4


@pytest.mark.usefixtures("no_rows_before_4_1")
def test_rows_that_look_alike_differ(spark: SparkSession) -> None:
    rows = [("ab", "c"), ("a", "bc"), ("abc", ""), ("abc", None), (None, "abc"), (None, None), ("", "")]
    digests = [row[0] for row in spark.createDataFrame(rows, "a string, b string").select(mhs.hash_rows("a", "b")).collect()]
    assert len(set(digests)) == len(rows) and None not in digests


@pytest.mark.usefixtures("no_rows_before_4_1")
def test_a_nested_column_in_rows_is_an_error(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="manyhash_sha256_rows: .*column 2"):
        spark.range(1).select(mhs.hash_rows("id", F.array("id"))).collect()


def test_bad_arguments_are_errors_before_a_job_starts() -> None:
    with pytest.raises(ValueError, match="sha512_256"):
        mhs.hash("text", "sha3")
    with pytest.raises(ValueError, match="output: 'bytes' is none of binary, hex, base64"):
        mhs.sha256("text", "bytes")
    with pytest.raises(TypeError, match="key: str is not bytes") as error:
        mhs.sha256("text", key="secret")
    assert "secret" not in str(error.value)
    with pytest.raises(TypeError, match="prefix: int is not bytes"):
        mhs.sha256("text", prefix=1)
    with pytest.raises(ValueError, match="truncate: 33 is not from 1 to 32"):
        mhs.sha256("text", truncate=33)
    with pytest.raises(TypeError, match="truncate: float is not int"):
        mhs.sha256("text", truncate=1.0)
    with pytest.raises(ValueError, match="columns: at least one"):
        mhs.hash_rows()
    with pytest.raises(AttributeError, match="no attribute 'sha3'"):
        mhs.sha3  # noqa: B018
