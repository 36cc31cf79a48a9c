"""The part of the package that computes."""

from collections.abc import Sequence

__version__: str
algorithms: tuple[str, ...]

def run_command(arguments: Sequence[str]) -> int: ...
