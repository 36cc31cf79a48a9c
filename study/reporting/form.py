"""Reads study.json. What is in it say src/model.rs and src/session.rs, which are of the same repository: nothing is said twice here."""

import json
import re
from types import SimpleNamespace

# Neither HTML nor SVG may have these, and a failure's message may.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class FormError(Exception):
    """Why a file is no study of this version."""


class Record(SimpleNamespace):
    """An object of JSON, with its fields as attributes."""


class Number(Record):
    """A cell of a table: a value, and its digits after the point. What is not finite is null in JSON."""

    def __str__(self):
        return "-" if self.value is None else f"{self.value:.{self.digits}f}"


def read(path):
    """The study in a file."""
    try:
        text = path.read_bytes().decode("utf-8")
        if not text.strip():
            raise FormError("empty: the study was interrupted before it wrote its values")
        study = parse(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise FormError(f"not JSON: {error}") from None
    if not isinstance(study, Record):
        raise FormError("the whole file is not an object")
    return study


def parse(value):
    """JSON's values with objects as records."""
    if isinstance(value, str):
        return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [parse(one) for one in value]
    if isinstance(value, dict):
        return (Number if value.keys() == {"value", "digits"} else Record)(**{name: parse(one) for name, one in value.items()})
    return value
