"""What every adapter promises, on any version of its engine: `make test-python-oldest` runs this with the
oldest ones that the extras allow, and `make test-python` with those of today.
"""

from __future__ import annotations

import datetime
import decimal

import pytest
from adapter_reference import BYTES, KEY, OUTPUTS, TEXTS, digests, engine, row_message

pa = engine("pyarrow")

import manyhash.arrow  # noqa: E402

TABLE = pa.table(
    {
        "email": ["a@example.com", None, "", "Grüße@example.com"],
        "photo": [b"\xff\xd8", b"", None, b"\0"],
        "count": pa.array([1, -1, None, 2**62]),
        "score": pa.array([1.5, -0.25, 0.0, None]),
        "paid": [True, False, None, True],
        "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-0.01"), decimal.Decimal("9.99")], pa.decimal128(10, 2)),
        "day": [datetime.date(2020, 2, 29), None, datetime.date(1970, 1, 1), datetime.date(1900, 1, 1)],
        "seen": pa.array([datetime.datetime(2020, 1, 1, 1, 2, 3, 4), None, *[datetime.datetime(1969, 1, 1)] * 2], pa.timestamp("us")),
    }
)
ROWS = [row_message(row.values()) for row in TABLE.to_pylist()]
OPTIONS = [{}, {"key": KEY}, {"prefix": b"salt", "truncate": 7}]


def same(found, expected):
    assert list(found) == list(expected)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " and ".join(options))
class TestEngines:
    def test_arrow(self, output, options):
        for values in (TEXTS, BYTES):
            same(pa.array(manyhash.arrow.hash(pa.array(values), "sha512", output, **options)).to_pylist(), digests(values, "sha512", output, **options))
        (batch,) = TABLE.to_batches()
        same(pa.array(manyhash.arrow.hash_rows(batch, output=output, **options)).to_pylist(), digests(ROWS, output=output, **options))
        # PyArrow exports tables, and chunked arrays, from version 15 and 16 on.
        if hasattr(TABLE, "__arrow_c_stream__"):
            same(pa.chunked_array(manyhash.arrow.hash_rows(TABLE, output=output, **options)).to_pylist(), digests(ROWS, output=output, **options))

    def test_polars(self, output, options):
        pl = engine("polars")
        import manyhash.polars

        frame = pl.DataFrame({"text": TEXTS, "bytes": BYTES}).with_columns(category=pl.col("text").cast(pl.Categorical))
        names = {"text": TEXTS, "bytes": BYTES, "category": TEXTS}
        for lazy in (False, True):
            query = (frame.lazy() if lazy else frame).select(pl.col(*names).manyhash.sha256(output, **options))
            done = query.collect() if lazy else query
            for name, values in names.items():
                same(done[name].to_list(), digests(values, output=output, **options))
        rows = pl.from_arrow(TABLE).select(manyhash.polars.hash_rows(output=output, **options)).to_series()
        same(rows.to_list(), digests(ROWS, output=output, **options))

    def test_pandas(self, output, options):
        pd = engine("pandas")
        import manyhash.pandas

        dtypes = [(object, TEXTS), ("string", TEXTS), ("category", TEXTS), (pd.ArrowDtype(pa.string()), TEXTS), (object, BYTES), ("category", BYTES)]
        for dtype, values in dtypes:
            if dtype == "category":
                # Pandas 2.2 takes "\0" for "" when it makes categories.
                values = [value for value in values if value != "\0"]
            found = pd.Series(values, dtype=dtype).manyhash.sha256(output, **options)
            same([None if pd.isna(value) else value for value in found], digests(values, output=output, **options))
        frame = TABLE.to_pandas(types_mapper=pd.ArrowDtype)
        same(manyhash.pandas.hash_rows(frame, output=output, **options), digests(ROWS, output=output, **options))

    def test_duckdb(self, output, options):
        duckdb = engine("duckdb")
        import manyhash.duckdb

        if output == "base64":
            return
        people = pa.table({"text": TEXTS, "bytes": BYTES})
        ending = "_hex" if output == "hex" else ""
        with duckdb.connect() as connection:
            manyhash.duckdb.register(connection, name="ours", **options)
            connection.register("people", people)
            connection.register("every_type", TABLE)
            found = connection.sql(f"SELECT ours{ending}(text), ours{ending}(bytes) FROM people").fetchall()
            for place, values in enumerate((TEXTS, BYTES)):
                same([row[place] for row in found], digests(values, output=output, **options))
            found = connection.sql(f"SELECT ours_rows{ending}({', '.join(TABLE.column_names)}) FROM every_type").fetchall()
            same([row[0] for row in found], digests(ROWS, output=output, **options))
