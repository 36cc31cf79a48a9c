"""`manyhash.duckdb` in real DuckDB: its SQL functions against hashlib, hmac and DuckDB's own."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
import support
from adapter_reference import BYTES, KEY, TEXTS, digests, engine

duckdb = engine("duckdb")
pa = engine("pyarrow")

import manyhash.duckdb  # noqa: E402


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        manyhash.duckdb.register(connection)
        connection.register("source", pa.table({"number": range(len(TEXTS)), "text": TEXTS, "bytes": BYTES}))
        connection.execute("CREATE TABLE rows AS FROM source")
        yield connection


def column(connection, sql):
    return [row[0] for row in connection.execute(sql).fetchall()]


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_every_algorithm_is_hashlibs(connection, algorithm):
    assert column(connection, f"SELECT manyhash_{algorithm}(text) FROM rows ORDER BY number") == digests(TEXTS, algorithm)
    assert column(connection, f"SELECT manyhash_{algorithm}(bytes) FROM rows ORDER BY number") == digests(BYTES, algorithm)
    assert column(connection, f"SELECT manyhash_{algorithm}_hex(text) FROM rows ORDER BY number") == digests(TEXTS, algorithm, "hex")
    assert column(connection, f"SELECT manyhash_{algorithm}_hex(bytes) FROM rows ORDER BY number") == digests(BYTES, algorithm, "hex")


def test_functions_have_the_types_they_promise(connection):
    found = connection.sql("SELECT manyhash_sha256(text), manyhash_sha256_hex(text), manyhash_sha256_rows(text, number) FROM rows").types
    assert [str(kind) for kind in found] == ["BLOB", "VARCHAR", "BLOB"]


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
def test_hex_is_what_duckdbs_own_functions_say(connection, algorithm):
    connection.execute("CREATE TABLE many AS SELECT CASE WHEN i % 7 > 0 THEN 'row ' || i END AS text FROM range(20_000) t(i)")
    sql = f"SELECT count(*), count(ours), count(*) FILTER (ours IS DISTINCT FROM {algorithm}(text))"
    assert connection.execute(f"{sql} FROM (SELECT text, manyhash_{algorithm}_hex(text) AS ours FROM many)").fetchall()[0] == (
        20_000,
        17_142,
        0,
    )


@pytest.mark.parametrize("threads", [1, 4])
def test_many_vectors_on_many_threads(connection, threads):
    connection.execute(f"SET threads = {threads}")
    connection.execute("CREATE TABLE many AS SELECT i, 'row ' || i AS text FROM range(100_000) t(i)")
    wrong = "count(*) FILTER (lower(hex(manyhash_sha256(text))) <> sha256(text))"
    assert connection.execute(f"SELECT {wrong}, count(DISTINCT manyhash_sha256(text)) FROM many").fetchall()[0] == (0, 100_000)


def test_key_prefix_and_truncate_under_a_name_of_their_own(connection):
    names = manyhash.duckdb.register(connection, "sha512", name="pseudonym", key=bytearray(KEY), prefix=b"v1:", truncate=16)
    assert names == ["pseudonym", "pseudonym_rows", "pseudonym_hex", "pseudonym_rows_hex"]
    assert column(connection, "SELECT pseudonym(text) FROM rows ORDER BY number") == digests(TEXTS, "sha512", "binary", KEY, b"v1:", 16)
    assert column(connection, "SELECT pseudonym_hex(text) FROM rows ORDER BY number") == digests(TEXTS, "sha512", "hex", KEY, b"v1:", 16)
    assert len(column(connection, "SELECT pseudonym_rows(text, 1) FROM rows LIMIT 1")[0]) == 16
    manyhash.duckdb.register(connection, name="pseudonym", key=KEY)
    assert column(connection, "SELECT pseudonym(text) FROM rows ORDER BY number") == digests(TEXTS, "sha256", key=KEY)


def test_a_key_is_in_no_plan(connection):
    manyhash.duckdb.register(connection, name="pseudonym", key=b"hunter2")
    connection.execute("CREATE VIEW pseudonyms AS SELECT pseudonym(text) AS pseudonym FROM rows")
    seen = connection.sql("EXPLAIN ANALYZE FROM pseudonyms").fetchall() + connection.sql("FROM duckdb_functions() f SELECT f").fetchall()
    assert "pseudonym" in str(seen) and "hunter2" not in str(seen)


def test_plain_names_are_for_plain_digests(connection):
    with pytest.raises(ValueError, match="functions with key and truncate need a name of their own"):
        manyhash.duckdb.register(connection, key=KEY, truncate=8)
    with pytest.raises(ValueError, match="one algorithm, not of 2"):
        manyhash.duckdb.register(connection, ["sha1", "sha256"], name="pseudonym", key=KEY)


def test_wrong_arguments_leave_the_connection_as_it_was():
    with duckdb.connect() as connection:
        with pytest.raises(ValueError, match="sha512_256"):
            manyhash.duckdb.register(connection, ["sha256", "sha3"])
        with pytest.raises(TypeError, match="key is a str, not bytes"):
            manyhash.duckdb.register(connection, name="pseudonym", key="text")
        with pytest.raises(duckdb.CatalogException):
            connection.sql("SELECT manyhash_sha256('a')")


def test_algorithms_in_any_spelling_have_one_name():
    with duckdb.connect() as connection:
        assert manyhash.duckdb.register(connection, "SHA-512/256")[0] == "manyhash_sha512_256"


def test_registering_again_is_allowed_and_cursors_have_the_functions(connection):
    manyhash.duckdb.register(connection)
    assert column(connection.cursor(), "SELECT manyhash_sha256('a')") == digests(["a"])


def test_literals_nulls_enums_and_no_rows(connection):
    assert column(connection, "SELECT manyhash_sha256('a') FROM range(3)") == digests(["a"] * 3)
    assert column(connection, "SELECT manyhash_sha256(NULL)") == [None]
    assert column(connection, "SELECT manyhash_sha256_hex(NULL::VARCHAR) FROM range(3)") == [None] * 3
    assert column(connection, "SELECT manyhash_sha256(text) FROM rows WHERE false") == []
    enums = "SELECT manyhash_sha256(x::ENUM('b', 'a', 'unused')) FROM (VALUES ('a'), (NULL), ('b'), ('a')) t(x)"
    assert column(connection, enums) == digests(["a", None, "b", "a"])


@pytest.mark.parametrize("value", ["1", "1.5", "true", "DATE '2020-01-01'", "['a']", "{'a': 'b'}"])
@pytest.mark.parametrize("rows", ["", " FROM rows"], ids=["literal", "column"])
def test_other_types_are_errors_that_name_the_function_and_the_cast(connection, value, rows):
    with pytest.raises(duckdb.InvalidInputException, match=r"TypeError: manyhash_sha256_hex: .*CAST\(\.\.\. AS VARCHAR\)"):
        connection.execute(f"SELECT manyhash_sha256_hex({value}){rows}").fetchall()


def test_the_wrong_number_of_arguments_is_refused_by_duckdb(connection):
    for call in ("manyhash_sha256()", "manyhash_sha256('a', 'b')", "manyhash_sha256_rows()"):
        with pytest.raises(duckdb.BinderException):
            connection.sql(f"SELECT {call}")


def test_filters_groups_and_joins_on_a_digest(connection):
    connection.execute("CREATE TABLE digests AS SELECT DISTINCT text, manyhash_sha256(text) AS digest FROM rows WHERE text IS NOT NULL")
    joined = "SELECT count(*), count(*) FILTER (rows.text = digests.text) FROM rows JOIN digests ON digest = manyhash_sha256(rows.text)"
    here = len([text for text in TEXTS if text is not None])
    assert connection.execute(joined).fetchall()[0] == (here, here)
    groups = connection.sql("SELECT manyhash_sha256(text), count(*) FROM rows GROUP BY 1").fetchall()
    assert dict(groups) == Counter(digests(TEXTS))
    assert column(connection, "SELECT text FROM rows WHERE manyhash_sha256_hex(text) = sha256('Grüße')") == ["Grüße"]


def test_rows_are_hashed_injectively_over_any_number_of_columns(connection):
    values = "(VALUES ('ab', 'c'), ('a', 'bc'), (NULL, ''), ('', NULL), ('ab', 'c')) t(a, b)"
    rows = column(connection, f"SELECT manyhash_sha256_rows(a, b) FROM {values}")
    assert None not in rows and len(set(rows)) == 4 and rows[0] == rows[4]
    assert [row.hex() for row in rows] == column(connection, f"SELECT manyhash_sha256_rows_hex(a, b) FROM {values}")
    kinds = (
        "text, bytes, number, 1::HUGEINT, 1.5::DECIMAL(5, 2), 1.5::DOUBLE, true, DATE '2020-01-01', TIMESTAMP '2020-01-01', TIME '10:00'"
    )
    assert len(set(column(connection, f"SELECT manyhash_sha256_rows({kinds}, NULL, 'x') FROM rows"))) == len(TEXTS)
    assert len(column(connection, "SELECT manyhash_sha256_rows(text) FROM rows")) == len(TEXTS)


def test_rows_with_a_nested_column_are_an_error_that_names_its_place(connection):
    with pytest.raises(duckdb.InvalidInputException, match=r"manyhash_sha256_rows: .*argument 2"):
        connection.execute("SELECT manyhash_sha256_rows(text, [text]) FROM rows").fetchall()


@pytest.mark.parametrize("closed", ["cursor", "connection"])
@pytest.mark.parametrize("place", [":memory:shared", "file"])
def test_functions_outlive_the_connection_that_registered_them(closed, place, tmp_path):
    # In a process of its own: what is tested for is a crash.
    path = str(tmp_path / "test.db") if place == "file" else place
    program = f"""
import gc, duckdb, manyhash.duckdb
first = duckdb.connect({path!r})
second = first if {closed == "cursor"} else duckdb.connect({path!r})
registering = first.cursor() if {closed == "cursor"} else first
manyhash.duckdb.register(registering, "sha256")
registering.close()
del registering, first
gc.collect()
for i in range(50):
    others = [object() for _ in range(1000)]
    ours, own, rows = second.sql(f"SELECT manyhash_sha256_hex('b{{i}}'), sha256('b{{i}}'), manyhash_sha256_rows(1)").fetchall()[0]
    assert ours == own and len(rows) == 32
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, (run.returncode, run.stderr)


def test_another_connections_functions_are_a_clear_error_and_nothing_is_added(tmp_path):
    with duckdb.connect(tmp_path / "test.db") as first, duckdb.connect(tmp_path / "test.db") as second:
        manyhash.duckdb.register(first, "sha256")
        with pytest.raises(duckdb.CatalogException, match="manyhash_sha256 is registered by another connection"):
            manyhash.duckdb.register(second, ["md5", "sha256"])
        assert column(second, "SELECT manyhash_sha256('a')") == digests(["a"])
        with pytest.raises(duckdb.CatalogException):
            second.sql("SELECT manyhash_md5('a')")
        assert manyhash.duckdb.register(second, "md5") and manyhash.duckdb.register(first, "sha256")


def test_functions_can_be_registered_after_a_rollback():
    with duckdb.connect() as connection:
        connection.execute("BEGIN")
        manyhash.duckdb.register(connection, "sha256")
        connection.execute("ROLLBACK")
        for key in (b"k", KEY):
            manyhash.duckdb.register(connection, name="manyhash_sha256", key=key)
            assert column(connection, "SELECT manyhash_sha256('a')") == digests(["a"], key=key)


@pytest.mark.parametrize("name", ["manyhash_sha256", "manyhash_sha256_rows"])
def test_types_that_arrow_lacks_are_errors_that_name_them(connection, name):
    with pytest.raises(duckdb.InvalidInputException, match=rf"{name}: argument 1 is of DuckDB's type BIGNUM.*CAST"):
        connection.execute(f"SELECT {name}(12345678901234567890::BIGNUM)").fetchall()


def test_types_that_arrow_merges_differ_with_the_casts_that_the_module_names(connection):
    pairs = {
        "'01:00:00+02'::TIMETZ": "'01:00:00+00'::TIMETZ",
        "340282366920938463463374607431768211455::UHUGEINT": "(-1)::HUGEINT",
        "'0101'::BIT": "'00101'::BIT",
    }
    for first, second in pairs.items():
        hashed = [column(connection, f"SELECT manyhash_sha256_rows(CAST({value} AS VARCHAR))") for value in (first, second)]
        assert hashed[0] != hashed[1], first
    total = column(connection, "SELECT manyhash_sha256_rows(CAST(sum(i) AS BIGINT)) FROM range(4) t(i)")
    assert total == column(connection, "SELECT manyhash_sha256_rows(6::BIGINT)")
    for kind in ("TIMETZ", "UHUGEINT", "HUGEINT", "BIT", "BIGNUM"):
        assert f"- {kind}" in manyhash.duckdb.__doc__
