"""`manyhash.datafusion` in real DataFusion, by SQL and expressions, against hashlib, hmac and its
own functions.
"""

from __future__ import annotations

from collections import Counter

import pytest
import support
from adapter_reference import BYTES, KEY, TEXTS, digests, engine

datafusion = engine("datafusion")
pa = engine("pyarrow")

from datafusion import col, literal  # noqa: E402

import manyhash.datafusion  # noqa: E402

TEXT_TYPES = {str(kind): kind for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))}
BINARY_TYPES = {str(kind): kind for kind in (pa.binary(), pa.large_binary(), pa.binary_view())}


def array(values, kind):
    """pyarrow casts to a dictionary, but makes none."""
    return pa.array(values, kind.value_type).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(values, kind)


@pytest.fixture
def context():
    context = datafusion.SessionContext()
    manyhash.datafusion.register(context)
    columns = {
        "number": pa.array(range(len(TEXTS))),
        "text": pa.array(TEXTS),
        "bytes": pa.array(BYTES),
        **{name: array(TEXTS, kind) for name, kind in TEXT_TYPES.items()},
        **{name: array(BYTES, kind) for name, kind in BINARY_TYPES.items()},
    }
    table = pa.table(columns)
    # Batches of several lengths, and slices.
    context.register_record_batches("rows", [[table[:5].to_batches()[0], table[5:6].to_batches()[0]], table[6:].to_batches()])
    return context


def column(context, sql):
    """The first column of a query's result."""
    table = context.sql(sql).to_arrow_table()
    return table.column(0).to_pylist()


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_every_algorithm_is_hashlibs(context, algorithm):
    assert column(context, f"SELECT manyhash_{algorithm}(text) FROM rows ORDER BY number") == digests(TEXTS, algorithm)
    assert column(context, f"SELECT manyhash_{algorithm}_hex(text) FROM rows ORDER BY number") == digests(TEXTS, algorithm, "hex")
    assert column(context, f"SELECT manyhash_{algorithm}_of_binary(bytes) FROM rows ORDER BY number") == digests(BYTES, algorithm)
    assert column(context, f"SELECT manyhash_{algorithm}_of_binary_hex(bytes) FROM rows ORDER BY number") == digests(
        BYTES, algorithm, "hex"
    )


@pytest.mark.parametrize("name", TEXT_TYPES)
def test_every_type_of_text(context, name):
    assert column(context, f'SELECT manyhash_sha256("{name}") FROM rows ORDER BY number') == digests(TEXTS)


@pytest.mark.parametrize("name", BINARY_TYPES)
def test_every_type_of_bytes(context, name):
    assert column(context, f'SELECT manyhash_sha256_of_binary("{name}") FROM rows ORDER BY number') == digests(BYTES)


def test_bytes_where_text_belongs_are_an_error_and_never_another_digest(context):
    with pytest.raises(Exception, match="non UTF-8 data"):
        column(context, "SELECT manyhash_sha256(bytes) FROM rows")
    with pytest.raises(Exception, match="BinaryView"):
        column(context, "SELECT manyhash_sha256_of_binary(text) FROM rows")


@pytest.mark.parametrize("algorithm", ["md5", "sha224", "sha256", "sha384", "sha512"])
def test_digests_are_what_datafusions_own_functions_say(context, algorithm):
    own = "md5(text)" if algorithm == "md5" else f"encode({algorithm}(text), 'hex')"
    assert column(context, f"SELECT count(*) FROM rows WHERE manyhash_{algorithm}_hex(text) = {own}") == [len(TEXTS) - TEXTS.count(None)]
    if algorithm != "md5":
        sql = f"SELECT count(*) FROM rows JOIN (SELECT DISTINCT {algorithm}(text) AS d FROM rows) ON d = manyhash_{algorithm}(text)"
        assert column(context, sql) == [len(TEXTS) - TEXTS.count(None)]


def test_functions_of_expressions(context):
    sha256, base64 = manyhash.datafusion.udf("SHA-256"), manyhash.datafusion.udf("sha1", "base64")
    table = (
        context.table("rows").sort(col("number")).select(sha256(col("text")).alias("d"), base64(col("text")).alias("t")).to_arrow_table()
    )
    assert table["d"].to_pylist() == digests(TEXTS) and table["t"].to_pylist() == digests(TEXTS, "sha1", "base64")
    assert table.schema.types == [pa.binary(), pa.string()]
    assert context.table("rows").select(sha256(literal("a")).alias("d")).to_pydict()["d"] == digests(["a"] * len(TEXTS))


def test_functions_of_another_input_type():
    context = datafusion.SessionContext()
    batch = pa.record_batch({"code": pa.array([b"abcd", None, b"\0\0\0\0"], pa.binary(4))})
    context.register_record_batches("codes", [[batch]])
    context.register_udf(manyhash.datafusion.udf("sha256", name="code_digest", input_type=pa.binary(4)))
    assert column(context, "SELECT code_digest(code) FROM codes") == digests(batch["code"].to_pylist())
    with pytest.raises(TypeError, match="Int64"):
        manyhash.datafusion.udf("sha256", input_type=pa.int64())


def test_key_prefix_and_truncate_under_a_name_of_their_own(context):
    names = manyhash.datafusion.register(context, "sha512", name="pseudonym", key=bytearray(KEY), prefix=b"v1:", truncate=16)
    assert names == ["pseudonym", "pseudonym_hex", "pseudonym_of_binary", "pseudonym_of_binary_hex"]
    assert column(context, "SELECT pseudonym(text) FROM rows ORDER BY number") == digests(TEXTS, "sha512", "binary", KEY, b"v1:", 16)
    assert column(context, "SELECT pseudonym_of_binary_hex(bytes) FROM rows ORDER BY number") == digests(
        BYTES, "sha512", "hex", KEY, b"v1:", 16
    )


def test_plain_names_are_for_plain_digests(context):
    with pytest.raises(ValueError, match="functions with key need a name of their own"):
        manyhash.datafusion.register(context, key=KEY)
    with pytest.raises(ValueError, match="functions with prefix and truncate need a name of their own"):
        manyhash.datafusion.udf("sha256", prefix=b"v1:", truncate=8)
    with pytest.raises(ValueError, match="one algorithm, not of 2"):
        manyhash.datafusion.register(context, ["sha1", "sha256"], name="pseudonym", key=KEY)


def test_wrong_arguments_leave_the_context_as_it_was():
    context = datafusion.SessionContext()
    with pytest.raises(ValueError, match="sha512_256"):
        manyhash.datafusion.register(context, ["sha256", "sha3"])
    with pytest.raises(TypeError, match="key is a str, not bytes"):
        manyhash.datafusion.register(context, name="pseudonym", key="text")
    with pytest.raises(Exception, match="manyhash_sha256"):
        context.sql("SELECT manyhash_sha256('a')")


def test_a_key_is_in_no_plan(context):
    manyhash.datafusion.register(context, name="pseudonym", key=b"hunter2")
    plan = str(context.sql("EXPLAIN VERBOSE SELECT pseudonym(text) FROM rows").to_pylist())
    function = manyhash.datafusion.udf("sha256", name="pseudonym", key=b"hunter2")
    assert "pseudonym" in plan and "hunter2" not in plan and "hunter2" not in repr(function)


def test_literals_nulls_and_no_rows(context):
    assert column(context, "SELECT manyhash_sha256('a')") == digests(["a"])
    assert column(context, "SELECT manyhash_sha256(NULL)") == [None]
    assert column(context, "SELECT manyhash_sha256_hex(text) FROM rows WHERE false") == []


def test_a_number_is_hashed_as_its_text_as_the_page_says(context):
    assert column(context, "SELECT manyhash_sha256(number) FROM rows ORDER BY number") == digests(str(i) for i in range(len(TEXTS)))


def test_groups_are_those_of_the_texts(context):
    table = context.sql("SELECT manyhash_sha256(text) AS digest, count(*) AS rows FROM rows GROUP BY 1").to_arrow_table()
    assert dict(zip(table["digest"].to_pylist(), table["rows"].to_pylist(), strict=True)) == Counter(digests(TEXTS))


def test_rows_are_hashed_injectively():
    context = datafusion.SessionContext()
    batch = pa.record_batch({"a": ["ab", "a", None, "", "ab"], "b": ["c", "bc", "", None, "c"]})
    context.register_record_batches("pairs", [[batch]])
    context.register_udf(manyhash.datafusion.rows_udf(batch.schema.types))
    context.register_udf(manyhash.datafusion.rows_udf(batch.schema.types, "sha256", "hex", name="pseudonym_rows", key=KEY))
    rows = column(context, "SELECT manyhash_sha256_rows(a, b) FROM pairs")
    assert None not in rows and len(set(rows)) == 4 and rows[0] == rows[4]
    assert rows[0] not in column(context, "SELECT manyhash_sha256_rows(b, a) FROM pairs")
    assert [len(row) for row in column(context, "SELECT pseudonym_rows(a, b) FROM pairs")] == [64] * 5


def test_rows_of_nothing_or_of_nested_columns_are_refused_at_once():
    with pytest.raises(ValueError, match="input_types is empty"):
        manyhash.datafusion.rows_udf([])
    with pytest.raises(TypeError, match="argument 2"):
        manyhash.datafusion.rows_udf([pa.string(), pa.list_(pa.string())])


@pytest.mark.parametrize("output", ["binary", "hex", "base64"])
def test_dictionaries_are_hashed_in_a_query(output):
    context = datafusion.SessionContext()
    context.register_record_batches("rows", [[pa.record_batch({"text": pa.array(TEXTS).dictionary_encode()})]])
    dictionary = pa.dictionary(pa.int32(), pa.string())
    context.register_udf(manyhash.datafusion.udf("sha256", output, name="of_dictionary", input_type=dictionary))
    assert column(context, "SELECT of_dictionary(text) FROM rows") == digests(TEXTS, "sha256", output)
