"""What an index would show of the package, and what its extras ask for."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import manyhash

FOLDER = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]


def test_the_page_of_an_index_has_absolute_links_alone() -> None:
    page = (FOLDER / PROJECT["readme"]).read_text()
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links and all(link.startswith("https://") for link in links)
    # They are of files of the repository.
    for link in links:
        path = link.split("/main/", 1)[1]
        assert (FOLDER.parents[1] / path).exists(), link


def test_the_metadata_are_complete() -> None:
    metadata = importlib.metadata.metadata("manyhash")
    assert metadata["Version"] == manyhash.__version__
    assert metadata["Author"] == "The manyhash developers"
    assert metadata["License-Expression"] == "Apache-2.0 OR MIT"
    assert {"LICENSE-APACHE", "LICENSE-MIT"} <= set(metadata.get_all("License-File", []))
    assert {url.split(",")[0] for url in metadata.get_all("Project-URL", [])} >= {"Source", "Documentation", "Changelog", "Issues"}
    assert metadata["Summary"] and metadata["Description-Content-Type"].startswith("text/markdown")


def test_the_oldest_versions_that_are_tested_are_those_that_the_extras_ask_for() -> None:
    lines = (FOLDER / "tests" / "requirements-oldest.txt").read_text().splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    for extra, needs in PROJECT["optional-dependencies"].items():
        for need in needs:
            name, version = need.split(">=")
            if extra == "datafusion":
                continue
            assert tested[name] == version or tested[name].startswith(version + "."), need
