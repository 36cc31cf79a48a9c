"""The bridge to the JVM: Java sources beside this file, compiled by the Janino that Spark ships,
and sent to executors.
"""

from __future__ import annotations

import atexit
import importlib.resources
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark import RDD
from pyspark.errors import PySparkException
from pyspark.serializers import NoOpSerializer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The Java sources: each may use those before it.
SOURCES = ("Item.java", "Reading.java", "HadoopFiles.java")

# A task's Python side holds a batch of small files (records.py), its JVM side a few pieces.
PIECE_BYTES = 1 << 20
# This is what Spark itself reads in a task (spark.sql.files.maxPartitionBytes).
PARTITION_BYTES = 128 << 20
# At 30 ms a file, as object stores take, a task of small files ends after half a minute.
PARTITION_FILES = 1000

_lock = threading.Lock()
_class_loaders: dict[str, Any] = {}


# PySpark turns some Java exceptions into its own.
JVM_ERRORS = (Py4JJavaError, PySparkException)


def first_line(error: Py4JJavaError | PySparkException) -> str:
    """The first line of what a Java exception says, without its stack."""
    if isinstance(error, PySparkException):
        return str(error).splitlines()[0] if str(error) else type(error).__name__
    exception = error.java_exception
    message = exception.getMessage()
    name = exception.getClass().getSimpleName()
    return f"{name}: {message.splitlines()[0]}" if message else name


def hadoop_configuration(spark: SparkSession) -> Any:
    """The Hadoop configuration that the session reads and writes with, with settings made after its
    start.
    """
    session: Any = spark._jsparkSession
    return session.sessionState().newHadoopConf()


def compile_java(spark: SparkSession, sources: Sequence[str]) -> tuple[Any, dict[str, bytes]]:
    """A class loader of the driver with the classes of `sources`, and their byte code by name. Each
    source may use those before it.
    """
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    classes: dict[str, bytes] = {}
    for source in sources:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(loader)
        compiler.cook(source)
        bytecodes = compiler.getBytecodes()
        classes.update((str(name), bytes(bytecodes[name])) for name in bytecodes)
        loader = compiler.getClassLoader()
    return loader, classes


def write_jar(jar: Path, classes: dict[str, bytes]) -> None:
    """Writes a jar, which is a zip of classes."""
    with zipfile.ZipFile(jar, "w") as archive:
        for name, code in classes.items():
            archive.writestr(name.replace(".", "/") + ".class", code)


def _class_loader(spark: SparkSession) -> Any:
    """Compiles the Java classes once for each application, and sends them to its executors."""
    context = spark.sparkContext
    with _lock:
        loader = _class_loaders.get(context.applicationId)
        if loader is None:
            folder = importlib.resources.files("manyhash.spark")
            loader, classes = compile_java(spark, [folder.joinpath(name).read_text(encoding="utf-8") for name in SOURCES])
            # Every executor that starts fetches the jar from the driver, so it stays until the end.
            scratch = tempfile.mkdtemp(prefix="manyhash-spark-")
            atexit.register(shutil.rmtree, scratch, ignore_errors=True)
            jar = Path(scratch) / "manyhash-spark.jar"
            write_jar(jar, classes)
            java_context: Any = context._jsc
            java_context.addJar(str(jar))
            _class_loaders[context.applicationId] = loader
        return loader


class HadoopFiles:
    """A list of files of any Hadoop file systems, in the driver's JVM. The Java class of that name
    does the work.
    """

    def __init__(self, spark: SparkSession, excluded: str | None = None) -> None:
        """`excluded`: a folder that is left out when files are listed."""
        self._spark = spark
        gateway: Any = spark.sparkContext._gateway
        constructor = _class_loader(spark).loadClass("manyhash.spark.HadoopFiles").getConstructor(gateway.new_array(gateway.jvm.Class, 0))
        self._java = constructor.newInstance(gateway.new_array(gateway.jvm.Object, 0))
        self._java.configure(hadoop_configuration(spark), None)
        if excluded is not None:
            self._java.configure(hadoop_configuration(spark), self._java.qualified(excluded))

    def add_inputs(self, inputs: Sequence[str]) -> None:
        """Adds files, all files below folders, and what patterns match. FileNotFoundError or
        OSError names an input that is none.
        """
        if len(inputs) > 1 or any(character in path for path in inputs for character in "{[*?"):
            self._java.expectOverlaps()
        for path in inputs:
            try:
                is_there = self._java.add(path)
            except JVM_ERRORS as error:
                raise OSError(f"{path}: {first_line(error)}") from error
            if not is_there:
                raise FileNotFoundError(f"{path}: no such file, folder or pattern of them")

    def add_table(self, rows: DataFrame) -> None:
        """Adds rows with path, size, algorithm, digest and error. They pass through the driver
        partition by partition.
        """
        java_frame: Any = rows._jdf
        self._java.addTable(java_frame.toLocalIterator())

    def begin_audit(self) -> None:
        """From now on inputs are not to be read: files that are not in the list yet are `extra`."""
        self._java.beginAudit()

    def expect_overlaps(self) -> None:
        """From now on files are told apart by their paths."""
        self._java.expectOverlaps()

    def __len__(self) -> int:
        return int(self._java.count())

    def records(self, piece_bytes: int, partition_bytes: int, partition_files: int) -> RDD[bytes]:
        """The records of all files (see records.py), which executors read.

        piece_bytes: files larger than this are read in pieces of this number of bytes.
        partition_bytes, partition_files: the most bytes and files of small files that one task
            reads.
        """
        if not 1 <= piece_bytes <= 1 << 30:
            raise ValueError(f"piece_bytes: {piece_bytes} is not from 1 to 2^30")
        if not 1 <= partition_bytes < 1 << 63:
            raise ValueError(f"partition_bytes: {partition_bytes} is not from 1 to 2^63 - 1")
        if not 1 <= partition_files < 1 << 31:
            raise ValueError(f"partition_files: {partition_files} is not from 1 to 2^31 - 1")
        context = self._spark.sparkContext
        java_rdd = self._java.records(context._jsc, piece_bytes, partition_bytes, partition_files)
        return RDD(java_rdd, context, NoOpSerializer())
