"""The page around the figures: what a template cannot say."""

from collections import Counter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError
from markupsafe import Markup

from . import pictures, style
from .form import FormError, Number


# By what the names of their figures begin with; spelled as keyboards have it.
PAPERS = {"2004": "Aciicmez 2004", "2012": "Gueron & Krasnov 2012", "2013": "Gueron 2013"}
# Told by a sign and by words, so that nobody needs colours.
VERDICTS = {"holds": ("✓", "holds"), "does-not": ("✗", "does not hold"), "not-measured": ("–", "not measured")}
# The place of a claim that is no paper's.
GOAL = "goal"
# The widest table that needs no scrolling, on a page of its full width (70rem).
WIDEST_REM = 67


def paper_of(figure):
    """Whose figure it is: by its place, what stands before the first comma, where it is none of the three."""
    return PAPERS.get(figure.id.split("-")[0], figure.place.split(",")[0])


def in_groups(figures):
    """Figures by paper, in the order of the file."""
    groups = {}
    for figure in figures:
        groups.setdefault(paper_of(figure), []).append(figure)
    return groups


def claims_of(figures, goals):
    """The claims of the papers, or our own goals, each with its figure."""
    return [(figure, claim) for figure in figures for claim in figure.claims if (claim.place == GOAL) == goals]


def counts(claims):
    return Counter(claim.verdict for _, claim in claims)


def is_number(cell):
    return isinstance(cell, Number)


def numeric_columns(table):
    """For each column, whether it is set to the right: if it has numbers or nothing; rows' names if all are numbers."""
    numeric = []
    for column in range(len(table.columns)):
        cells = [row[column] for row in table.rows]
        numbers = sum(map(is_number, cells))
        numeric.append(numbers == len(cells) if column == 0 else numbers > 0 or not any(cells))
    return numeric


def scrolls(table):
    """Whether the table is too wide for any window, by the longest word of each column: only what scrolls takes part in the keyboard's
    round of the page."""
    longest = [max(len(word) for cell in column for word in ["", *str(cell).split()]) for column in zip(table.columns, *table.rows)]
    return sum(max(4, 0.52 * characters) + 1.3 for characters in longest) > WIDEST_REM


def duration(seconds):
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def gigahertz(value):
    return "none" if value is None else f"{value:.3f} GHz"


def machine_line(machine):
    """What stands under every table, with a link to all of it."""
    frequencies = {"time-stamp counter": machine.tsc_ghz, "core": machine.clock_ghz}
    frequencies = ", ".join(f"{name} {gigahertz(value)}" for name, value in frequencies.items() if value is not None)
    ours = [f"manyhash {version}" for name, version in machine.versions if name == "manyhash"]
    ours += [f"cost table {table}" for name, table in machine.backends if name == "cost table"]
    return " · ".join(part for part in (machine.cpu, machine.date, frequencies, ", ".join(ours)) if part)


def page(study):
    """The whole report, as text. FormError where the study lacks something, or has something else instead."""
    try:
        return rendered(study)
    except (AttributeError, TypeError, ValueError, UndefinedError) as error:
        raise FormError(f"{error}; this file is of another version of manyhash-study, or of something else") from error


def rendered(study):
    """The template with what it asks for."""
    if twice := [name for name, times in Counter(figure.id for figure in study.figures).items() if times > 1]:
        raise FormError(f"{twice[0]}: there twice")
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["number"] = is_number
    plots = {}
    for figure in study.figures:
        plots[figure.id] = [Markup(pictures.draw(plot, study)) for plot in figure.plots]
    return environment.get_template("page.html").render(
        study=study,
        style=style,
        machine=study.machine,
        machine_line=machine_line(study.machine),
        papers=PAPERS,
        verdicts=VERDICTS,
        groups=in_groups(study.figures),
        plots=plots,
        anchors={figure.id: f"figure-{number}" for number, figure in enumerate(study.figures, 1)},
        claims_of=claims_of,
        counts=counts,
        goal=GOAL,
        scrolls=scrolls,
        numeric_columns=numeric_columns,
        duration=duration,
        gigahertz=gigahertz,
        seconds=sum(figure.seconds for figure in study.figures),
    )
