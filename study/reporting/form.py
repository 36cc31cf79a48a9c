"""The form of study.json, as src/model.rs and src/session.rs have it, and a reader that names the field it stumbles over.

A field too many is an error like a field too few: the file is then of another version of the study, and what the report would leave
out could be what matters.
"""

import json
import re
import types
import typing
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal

Pair = tuple[str, str]
Source = Literal["paper", "ours", "peer"]
Verdict = Literal["holds", "does-not", "not-measured"]


# Neither HTML nor SVG may have these, and a failure's message may.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class FormError(Exception):
    """Which field is not what it should be, and why."""


class Real:
    """A number as serde writes an `f64`: what is not finite is null there, and None here."""


@dataclass(frozen=True)
class Number:
    value: Real
    digits: int

    def __str__(self):
        return "-" if self.value is None else f"{self.value:.{self.digits}f}"


# A cell: a number, words, or nothing.
Cell = Number | str | None


@dataclass(frozen=True)
class Table:
    title: str
    columns: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Bars:
    name: str
    source: Source
    values: list[Real]


@dataclass(frozen=True)
class Line:
    name: str
    source: Source
    points: list[tuple[Real, Real]]


@dataclass(frozen=True)
class BarsPlot:
    title: str
    y_label: str
    categories: list[str]
    series: list[Bars]


@dataclass(frozen=True)
class LinesPlot:
    title: str
    x_label: str
    y_label: str
    x_powers_of_two: bool
    series: list[Line]


@dataclass(frozen=True)
class StepsPlot:
    title: str
    x_label: str
    y_label: str
    series: list[Line]


PLOTS = {"bars": BarsPlot, "lines": LinesPlot, "steps": StepsPlot}
Plot = BarsPlot | LinesPlot | StepsPlot


@dataclass(frozen=True)
class Claim:
    text: str
    place: str
    paper: str
    here: str
    verdict: Verdict


@dataclass(frozen=True)
class Figure:
    id: str
    title: str
    place: str
    method: str
    tables: list[Table]
    plots: list[Plot]
    still_holds: str
    changed: str
    claims: list[Claim]
    missing: list[str]
    failed: str | None
    seconds: float


@dataclass(frozen=True)
class Machine:
    date: str
    cpu: str
    platform: str
    features: list[str]
    pinned_to: int | None
    huge_pages: str | None
    tsc_ghz: float | None
    clock_ghz: float | None
    frequency: str
    backends: list[Pair]
    versions: list[Pair]


@dataclass(frozen=True)
class Study:
    machine: Machine
    quick: bool
    figures: list[Figure]


def read(path):
    """The study in a file. FormError names the field."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormError(f"not JSON: {error}") from None
    if not text.strip():
        raise FormError("empty: the study was interrupted before it wrote its values")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormError(f"not JSON: {error}") from None
    study = parse(Study, value, "")
    check(study)
    return study


def check(study):
    """What types cannot say."""
    seen = set()
    for i, figure in enumerate(study.figures):
        place = f"figures[{i}] ({figure.id})"
        if figure.id in seen:
            raise FormError(f"{place}: there twice")
        seen.add(figure.id)
        for t, table in enumerate(figure.tables):
            for r, row in enumerate(table.rows):
                if len(row) != len(table.columns):
                    raise FormError(f"{place}.tables[{t}].rows[{r}]: {len(row)} cells for {len(table.columns)} columns")
        for p, plot in enumerate(figure.plots):
            for s, series in enumerate(plot.series):
                if isinstance(plot, BarsPlot) and len(series.values) != len(plot.categories):
                    count = f"{len(series.values)} values for {len(plot.categories)} categories"
                    raise FormError(f"{place}.plots[{p}].series[{s}].values: {count}")


def parse(form, value, place):
    """`value` as one of the types of this file."""
    if form is str:
        return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", expect(isinstance(value, str), value, place, "words"))
    if form is bool:
        return expect(isinstance(value, bool), value, place, "true or false")
    if form is int:
        return expect(type(value) is int and value >= 0, value, place, "a whole number")
    if form is float:
        return float(expect(type(value) in (int, float) and -1e300 < value < 1e300, value, place, "a number"))
    if form is Real:
        return None if value is None else parse(float, value, place)
    if form == Cell:
        return parse(Number, value, place) if isinstance(value, dict) else parse(str | None, value, place)
    if form == Plot:
        return parse_plot(value, place)
    if is_dataclass(form):
        return parse_fields(form, value, place)
    of, inner = typing.get_origin(form), typing.get_args(form)
    if of is Literal:
        return expect(value in inner, value, place, "one of " + ", ".join(inner))
    if of is types.UnionType or of is typing.Union:
        (inner,) = (one for one in inner if one is not types.NoneType)
        return None if value is None else parse(inner, value, place)
    expect(isinstance(value, list), value, place, "a list")
    if of is tuple:
        expect(len(value) == len(inner), value, place, f"a list of {len(inner)}")
        return tuple(parse(one, item, f"{place}[{i}]") for i, (one, item) in enumerate(zip(inner, value)))
    assert of is list, form
    return [parse(inner[0], item, f"{place}[{i}]") for i, item in enumerate(value)]


def parse_plot(value, place):
    expect(isinstance(value, dict), value, place, "an object")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in PLOTS:
        raise FormError(f"{place}.kind: {shown(kind)} is not one of {', '.join(PLOTS)}")
    return parse_fields(PLOTS[kind], {name: item for name, item in value.items() if name != "kind"}, place)


def parse_fields(form, value, place):
    expect(isinstance(value, dict), value, place, "an object")
    hints = typing.get_type_hints(form)
    names = [field.name for field in fields(form)]
    dot = f"{place}." if place else ""
    for name in names:
        if name not in value:
            raise FormError(f"{dot}{name}: missing; this file is of another version of manyhash-study, or of something else")
    for name in value:
        if name not in names:
            raise FormError(f"{dot}{name}: unknown here; this file is of another version of manyhash-study")
    return form(**{name: parse(hints[name], value[name], f"{dot}{name}") for name in names})


def expect(is_so, value, place, what):
    if not is_so:
        raise FormError(f"{place or 'the whole file'}: {shown(value)} is not {what}")
    return value


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
