"""One Spark for all tests of this folder: a master and two workers, whose executors are processes
of their own.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def skip(reason: str) -> NoReturn:
    """Skips, and fails where everything is to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"cannot be tested: {reason}")
    pytest.skip(f"SKIPPED: {reason}")


@pytest.fixture(scope="session")
def spark_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed Spark under another name: workers write beside it."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        skip("no java: install a JRE 17, such as openjdk-17-jre-headless")
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        skip("no pyspark: pip install pyspark")
    home = tmp_path_factory.mktemp("spark-home")
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(found.origin).parent / name)
    return home


@pytest.fixture(scope="session")
def spark(spark_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors with a core and 1 GiB each; the file system gate: is known."""
    os.environ["SPARK_HOME"] = str(spark_home)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable

    from pyspark.sql import SparkSession

    from manyhash.spark.hadoop import compile_java, write_jar

    session = (
        SparkSession.builder.appName("tests")
        .master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.hadoop.fs.gate.impl", "GateFileSystem")
        # What a file is can change between two tests.
        .config("spark.hadoop.fs.gate.impl.disable.cache", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    _, classes = compile_java(session, [Path(__file__).with_name("GateFileSystem.java").read_text()])
    jar = tmp_path_factory.mktemp("jars") / "gate.jar"
    write_jar(jar, classes)
    session.sparkContext._jsc.addJar(str(jar))
    jvm = session._jvm
    jvm.java.lang.Thread.currentThread().getContextClassLoader().addURL(jvm.java.net.URL(jar.as_uri()))
    yield session
    session.stop()


@pytest.fixture
def hadoop_setting(spark: SparkSession) -> Iterator[object]:
    """Sets settings of Hadoop's for one test."""
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    names = []

    def set_it(name: str, value: str) -> None:
        names.append(name)
        configuration.set(name, value)

    yield set_it
    for name in names:
        configuration.unset(name)
