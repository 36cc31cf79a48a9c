"""What each kind of Spark session can do."""

from __future__ import annotations

from typing import Any

CONNECT = (
    "needs a session in the driver itself: a Spark Connect session has no access to the JVM, where Hadoop's file systems are. Start it with"
    " spark-submit, or with --master and without SPARK_REMOTE. The functions on columns work with Spark Connect"
)


def require_jvm(spark: Any, what: str) -> None:
    """Raises NotImplementedError for a session that is not in the driver, and TypeError for
    anything that is no session.
    """
    module = type(spark).__module__
    if module.startswith("pyspark.sql.connect"):
        raise NotImplementedError(f"manyhash.spark.{what} {CONNECT}")
    if not hasattr(spark, "sparkContext"):
        raise TypeError(f"manyhash.spark.{what}: spark is {type(spark).__name__}, not a SparkSession")
