"""The build backend of the repository's root: maturin's, run in this folder, where the package is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin

ConfigSettings = Mapping[str, Any] | None

# Frontends call hooks in the root, each in a process of its own. The folders they name are looked at from there.
_ROOT = Path.cwd()
os.chdir(Path(__file__).resolve().parent)


def build_wheel(wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None) -> str:
    return maturin.build_wheel(str(_ROOT / wheel_directory), config_settings, _absolute(metadata_directory))


def build_editable(wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None) -> str:
    return maturin.build_editable(str(_ROOT / wheel_directory), config_settings, _absolute(metadata_directory))


def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    return maturin.build_sdist(str(_ROOT / sdist_directory), config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: ConfigSettings = None) -> str:
    return maturin.prepare_metadata_for_build_wheel(str(_ROOT / metadata_directory), config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist


def _absolute(directory: str | None) -> str | None:
    return None if directory is None else str(_ROOT / directory)
