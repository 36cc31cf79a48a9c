"""A study that was never run: every kind of value, every kind of plot, and texts that are markup where they are not escaped."""

MARKUP = "<b>&amp; \"quoted\" 'single' </svg></script> {{ braces }} $x_1$ ümläut"


def text(name):
    """Words that tell where they are from, with markup."""
    return f"{name} {MARKUP}"


def number(value, digits=2):
    return {"value": value, "digits": digits}


def machine():
    return {
        "date": "2026-01-31",
        "cpu": text("cpu"),
        "platform": "x86_64 linux",
        "features": ["avx2", "sha", text("feature")],
        "pinned_to": 3,
        "huge_pages": "always [madvise] never",
        "tsc_ghz": 2.0,
        "clock_ghz": 3.5,
        "frequency": text("frequency"),
        "backends": [["cost table", "zen-5"], ["supported", "portable avx2"], ["widest for SHA-256", text("backend")]],
        "versions": [["manyhash", "0.1.0"], ["OpenSSL", text("version")]],
    }


def claim(verdict, place="section 4.2, figure 2", name="claim"):
    return {"text": text(name), "place": place, "paper": "3.42 x", "here": text("here"), "verdict": verdict}


def bars():
    series = [
        {"name": "OpenSSL 1.0.1", "source": "paper", "values": [17.5, None]},
        {"name": text("ours"), "source": "ours", "values": [0.85, 1200.0]},
        {"name": "_underscored", "source": "peer", "values": [None, 0.0]},
    ]
    return {"kind": "bars", "title": text("bars"), "y_label": text("C/B"), "categories": ["16 KiB", text("category")], "series": series}


def lines(x_powers_of_two=True, x_label="bytes of the message"):
    series = [
        {"name": "n-SMS", "source": "paper", "points": [[2048, 11.0], [4096, 10.5], [131072, 10.0]]},
        {"name": text("ours"), "source": "ours", "points": [[2048, 3.0], [4096, None], [131072, 1.5]]},
        {"name": "peer", "source": "peer", "points": []},
    ]
    label = {"x_label": x_label, "y_label": text("C/B"), "x_powers_of_two": x_powers_of_two}
    return {"kind": "lines", "title": text("lines"), **label, "series": series}


def steps():
    series = [
        {"name": "Algorithm 1 as printed", "source": "paper", "points": [[0, 4], [10, 3], [25, 0]]},
        {"name": text("scheduler"), "source": "ours", "points": [[0, 16], [9, 15], [11, 0]]},
    ]
    return {"kind": "steps", "title": text("steps"), "x_label": text("time, Mcycles"), "y_label": "busy lanes", "series": series}


def figure(id="2012-2", **fields):
    table = {
        "title": text("table"),
        "columns": ["messages", text("column"), "words", "absent"],
        "rows": [
            [text("row"), number(3.14159), text("word"), None],
            [number(4096, 0), number(None), "plain", number(1e6, 0)],
        ],
    }
    whole = {
        "id": id,
        "title": text("title"),
        "place": "Gueron & Krasnov 2012, figure 2, page 322",
        "method": text("method") + "\nsecond line",
        "tables": [table],
        "plots": [bars(), lines(), lines(False, "threads"), steps()],
        "still_holds": text("still"),
        "changed": text("changed"),
        "claims": [claim("holds"), claim("does-not", name="another"), claim("not-measured", "goal", "third")],
        "missing": [text("missing")],
        "failed": None,
        "seconds": 61.25,
    }
    return whole | fields


def failed(id="2013-1"):
    """As main.rs leaves a figure that failed."""
    empty = {name: [] for name in ("tables", "plots", "claims", "missing")}
    return figure(id, **empty, method="", still_holds="", changed="", failed=text("failed"), seconds=0.5)


def study(*figures, quick=False):
    return {"machine": machine(), "quick": quick, "figures": list(figures)}


def full():
    """All of it."""
    return study(figure(), figure("2004-4.6", missing=[]), failed(), figure("1999-x", place="Somebody 1999, page 1"))
