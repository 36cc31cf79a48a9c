"""One table in every engine: the same rows have the same digests, column by column and over the
whole row.
"""

from __future__ import annotations

import datetime
import decimal

import pytest
from adapter_reference import KEY, digests, engine, row_message

pa = engine("pyarrow")
pl = engine("polars")
pd = engine("pandas")
duckdb = engine("duckdb")
datafusion = engine("datafusion")

import manyhash.arrow  # noqa: E402
import manyhash.datafusion  # noqa: E402
import manyhash.duckdb  # noqa: E402
import manyhash.pandas  # noqa: E402
import manyhash.polars  # noqa: E402

TABLE = pa.table(
    {
        "email": ["a@example.com", None, "", "Grüße@example.com"],
        "photo": [b"\xff\xd8", b"", None, b"\0"],
        "count": pa.array([1, -1, None, 2**62]),
        "small": pa.array([1, 2, 3, None], pa.int16()),
        "score": pa.array([1.5, -0.25, 0.0, None]),
        "paid": [True, False, None, True],
        "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-0.01"), decimal.Decimal("9.99")], pa.decimal128(10, 2)),
        "day": [datetime.date(2020, 2, 29), None, datetime.date(1970, 1, 1), datetime.date(1900, 1, 1)],
        "seen": pa.array([datetime.datetime(2020, 1, 1, 1, 2, 3, 4), None, *[datetime.datetime(1969, 1, 1)] * 2], pa.timestamp("us")),
    }
)
NAMES = TABLE.column_names


def by_arrow(output, key):
    rows = manyhash.arrow.hash_rows(TABLE, None, "sha256", output, key=key)
    return pa.chunked_array(manyhash.arrow.hash(TABLE["email"], "sha256", output, key=key)).to_pylist(), pa.chunked_array(rows).to_pylist()


def by_polars(output, key):
    frame = pl.from_arrow(TABLE)
    frame = frame.select(pl.col("email").manyhash.sha256(output, key=key), rows=manyhash.polars.hash_rows(pl.all(), output=output, key=key))
    return frame["email"].to_list(), frame["rows"].to_list()


def by_pandas(output, key):
    frame = TABLE.to_pandas(types_mapper=pd.ArrowDtype)
    columns = frame["email"].manyhash.sha256(output, key=key), manyhash.pandas.hash_rows(frame, output=output, key=key)
    return tuple([None if pd.isna(value) else value for value in column] for column in columns)


def by_duckdb(output, key):
    with duckdb.connect() as connection:
        manyhash.duckdb.register(connection, name="plain", key=key)
        last = "_hex" if output == "hex" else ""
        connection.register("people", TABLE)
        found = connection.sql(
            f"SELECT plain{last}(email), plain_rows{last}(COLUMNS(*)) FROM people".replace("COLUMNS(*)", ", ".join(NAMES))
        )
        return tuple(list(column) for column in zip(*found.fetchall(), strict=True))


def by_datafusion(output, key):
    context = datafusion.SessionContext()
    context.register_record_batches("people", [TABLE.to_batches()])
    column = manyhash.datafusion.udf("sha256", output, name="column_digest", key=key)
    rows = manyhash.datafusion.rows_udf(TABLE.schema.types, "sha256", output, name="row_digest", key=key)
    table = context.table("people").select(column(datafusion.col("email")), rows(*map(datafusion.col, NAMES))).to_arrow_table()
    return table.column(0).to_pylist(), table.column(1).to_pylist()


@pytest.mark.parametrize("by_engine", [by_arrow, by_polars, by_pandas, by_duckdb, by_datafusion])
@pytest.mark.parametrize("output", ["binary", "hex"])
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "key"])
def test_every_engine_has_hashlibs_digests_of_the_same_messages(by_engine, output, key):
    column, rows = by_engine(output, key)
    messages = [row_message(row.values()) for row in TABLE.to_pylist()]
    assert column == digests(TABLE["email"].to_pylist(), "sha256", output, key)
    assert rows == digests(messages, "sha256", output, key)
