"""Hashes many messages at once: hashlib for lists, files and Arrow columns."""

from __future__ import annotations

from manyhash._manyhash import __version__, algorithms

__all__ = ["__version__", "algorithms"]
