"""What holds for all adapters: engines are optional, methods are those of the package's algorithms,
and stubs say the same.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import manyhash
import manyhash.arrow
from manyhash import _column_methods
from manyhash._column_digest import ColumnDigest
from manyhash.arrow import Options

# What is taken away, and what `pip` is told to install then.
NEEDED = {"polars": "polars", "pandas": "pandas", "duckdb": "duckdb", "datafusion": "datafusion"}


@pytest.mark.parametrize("module", NEEDED)
@pytest.mark.parametrize("absent", ["its engine", "pyarrow"])
def test_without_its_engine_an_adapter_says_what_to_install(module, absent):
    if module == "polars" and absent == "pyarrow":
        # The one that needs none.
        use = "import polars as pl, manyhash.polars; pl.Series(['a']).manyhash.sha256(); print('fine')"
        script, expected = f"import sys; sys.modules['pyarrow'] = None; {use}", "fine"
    else:
        name = module if absent == "its engine" else absent
        script = f"import sys; sys.modules[{name!r}] = None\ntry: import manyhash.{module}\nexcept ImportError as error: print(error)"
        expected = f"pip install '.[{NEEDED[module]}]' in a checkout of manyhash"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert expected in found.stdout, found


def test_nothing_tells_pip_to_look_for_manyhash_in_an_index():
    # It is in none: whoever took the name there would be trusted.
    package = Path(__file__).parents[2]
    texts = [package.parents[1] / "README.md", *package.glob("*.md"), *package.glob("docs/*.md"), *package.glob("python/**/*.py")]
    asks = re.compile(r"pip install\s+(-\S+\s+)*['\"]?manyhash\b")
    assert len(texts) > 10
    assert [(text.name, found[0]) for text in texts for found in asks.finditer(text.read_text())] == []


def test_the_package_imports_no_engine():
    script = "import sys, manyhash; print(sorted({'polars', 'pandas', 'duckdb', 'datafusion', 'pyarrow'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_methods_are_those_of_the_algorithms_and_options_those_of_a_digest():
    class Methods(_column_methods.ColumnMethods):
        def hash(self, *arguments, **options):
            return arguments, options

    options = {name: name for name in Options.__annotations__}
    for algorithm in manyhash.algorithms:
        method = getattr(Methods(), algorithm)
        assert method() == ((algorithm, "binary"), {})
        assert method("hex", **options) == ((algorithm, "hex"), options)
        assert method.__name__ == algorithm and algorithm in method.__doc__
    assert set(options) == {field.name for field in dataclasses.fields(ColumnDigest)} - {"algorithm", "output"}
    arguments = inspect.signature(manyhash.arrow.hash).parameters.values()
    assert {argument.name for argument in arguments if argument.kind is argument.KEYWORD_ONLY} == set(options) | {"layout", "progress"}


def test_an_option_that_is_none_is_a_type_error():
    with pytest.raises(TypeError, match="salt"):
        ColumnDigest("sha256", "hex", salt=b"x")
