#!/usr/bin/env python3
"""Loads the service with wrk on loopback, engine by engine in turns: requests per second, latencies, CPU time.

It writes load.json, the picture load.svg, and the table in README.md between its two markers; with --draw only the picture, of the
table that is there. Every run is a fresh process of the service, which must first accept a good signature and refuse a wrong
one. A run with any other answer than 200 is an error.
"""

import argparse
import datetime
import hashlib
import hmac
import json
import os
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECRET = "a secret of the load test"
HEADER = "X-Hub-Signature-256"
ENGINES = ["openssl", "openssl-sha256", "batcher"]
BEGIN, END = "<!-- load.py writes from here -->", "<!-- to here -->"
sys.path.insert(0, str(HERE.parents[1] / "bench"))
import style

# Our blue and two greys differ from each other in brightness, as in bench/pictures.
STYLES = {
    "openssl": {"color": "#e3e3e3", "hatch": "/////"},
    "openssl-sha256": {"color": "#a8a8a8"},
    "batcher": {"color": style.OURS},
}
SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["{header}"] = "{signature}"
local file = assert(io.open("{body}", "rb"))
wrk.body = file:read("*a")
file:close()
done = function(summary, latency, requests)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("\\nfigures %d %d %d %d %d\\n",
        summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)))
end
"""
# A run in which a request fails is worthless; one that was disturbed is repeated.
ATTEMPTS = 3


def fail(text):
    sys.exit(f"load.py: {text}")


def output_of(*command):
    """Returns the first line that a command prints, if the command exists."""
    if not shutil.which(command[0]):
        return "unknown"
    result = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return next(iter(result.stdout.splitlines()), "unknown")


def cpu_name():
    try:
        fields = dict(re.findall(r"^([^:\t]+)\t*: *(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
        return f"{fields['model name']}, family {fields['cpu family']} model {fields['model']}"
    except (OSError, KeyError):
        return platform.processor() or platform.machine()


def machine():
    return {
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "date": datetime.date.today().isoformat(),
        "manyhash": output_of("git", "describe", "--always", "--dirty"),
        "rustc": output_of("rustc", "--version"),
        "openssl": re.sub(r" \(.*", "", output_of("openssl", "version")),
        "wrk": re.sub(r" \[.*", "", output_of("wrk", "--version")),
    }


class Server:
    """The service in a process of its own, for one run."""

    def __init__(self, binary, engine, options):
        environment = os.environ | {"SIGNED_HTTP_GITHUB_SECRETS": SECRET}
        command = [binary, "--engine", engine, "--listen", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            fail(f"{' '.join(map(str, command))}: it did not start")
        self.url = line.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

    def status(self, body, signature):
        request = urllib.request.Request(f"{self.url}/github", data=body, headers={HEADER: signature})
        try:
            return urllib.request.urlopen(request, timeout=30).status
        except urllib.error.HTTPError as error:
            return error.code

    def metrics(self):
        """Returns the metrics by name. Those with labels are added up."""
        values = {}
        for line in urllib.request.urlopen(f"{self.url}/metrics", timeout=30).read().decode().splitlines():
            if not line.startswith("#"):
                name, value = re.sub(r"\{.*\}", "", line).split()
                values[name] = values.get(name, 0) + float(value)
        return values

    def stop(self):
        """Ends the service, and returns the seconds of CPU that it took."""
        self.process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            fail(f"the service ended with {self.process.returncode}")
        return usage.ru_utime + usage.ru_stime


def signed(body):
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def wrk(script, url, connections, seconds, threads):
    command = ["wrk", "--threads", str(threads), "--connections", str(connections), "--duration", f"{seconds}s", "--script", script, url]
    for _ in range(ATTEMPTS):
        result = subprocess.run(command, capture_output=True, text=True)
        figures = re.search(r"^figures (\d+) (\d+) (\d+) (\d+) (\d+)$", result.stdout, re.MULTILINE)
        if result.returncode != 0 or not figures:
            fail(f"wrk ended with {result.returncode}: {result.stderr or result.stdout}")
        requests, duration_us, failed, p50_us, p99_us = map(int, figures.groups())
        if requests and not failed:
            return {"requests_per_second": requests / duration_us * 1e6, "p50_us": p50_us, "p99_us": p99_us}
        print(f"{failed} of {requests} requests failed; once more", file=sys.stderr)
    fail(f"requests failed again and again:\n{result.stdout}")


def run(arguments, engine, body, connections, folder):
    """Runs one engine once, and returns the sample."""
    signature = signed(body)
    payload, script = folder / "body", folder / "script.lua"
    payload.write_bytes(body)
    script.write_text(SCRIPT.format(header=HEADER, signature=signature, body=payload))
    with Server(arguments.server, engine, arguments.option) as server:
        answers = server.status(body, signature), server.status(body + b"!", signature)
        if answers != (200, 401):
            fail(f"{engine}: a good request is answered with {answers[0]}, a bad one with {answers[1]}")
        if not arguments.quick:
            wrk(script, f"{server.url}/github", connections, 1, arguments.wrk_threads)
        sample = wrk(script, f"{server.url}/github", connections, arguments.seconds, arguments.wrk_threads)
        metrics = server.metrics()
        if metrics["signed_http_refused_total"] != 1:
            fail(f"{engine}: requests were refused: {metrics}")
        cpu_seconds = server.stop()
    sample["cpu_us_per_request"] = cpu_seconds * 1e6 / metrics["signed_http_requests_total"]
    if batches := metrics.get("signed_http_batcher_batches_total"):
        sample["messages_per_batch"] = metrics["signed_http_batcher_messages_total"] / batches
        sample["occupancy"] = metrics["signed_http_batcher_blocks_total"] / metrics["signed_http_batcher_lane_blocks_total"]
    return sample


def measure(arguments):
    """Returns cells of body size and connections, each with a sample of every engine a round."""
    cells = [
        {"body_bytes": size, "connections": connections, "engines": {engine: [] for engine in ENGINES}}
        for size in arguments.bodies
        for connections in arguments.connections
    ]
    with tempfile.TemporaryDirectory() as folder:
        for round_number in range(arguments.rounds):
            for cell in cells:
                body = random.Random(cell["body_bytes"]).randbytes(cell["body_bytes"])
                # Each engine is first, second and last nearly equally often.
                turn = round_number % len(ENGINES)
                for engine in ENGINES[turn:] + ENGINES[:turn]:
                    sample = run(arguments, engine, body, cell["connections"], Path(folder))
                    cell["engines"][engine].append(sample)
                    name = f"{of_bytes(len(body))}, {cell['connections']} connections, {engine}"
                    print(f"round {round_number + 1}: {name}: {sample['requests_per_second']:.0f} requests/s", file=sys.stderr)
    return cells


def of_bytes(value):
    return f"{value // 1024} KiB" if value >= 1024 else f"{value} B"


def counted(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def median(cell, engine, figure):
    return statistics.median(sample[figure] for sample in cell["engines"][engine])


def ratio(cell):
    """Returns the median over rounds of the batcher's requests by those of the better OpenSSL."""
    rate = lambda engine: [sample["requests_per_second"] for sample in cell["engines"][engine]]
    rounds = zip(rate("batcher"), rate("openssl"), rate("openssl-sha256"))
    return statistics.median(ours / max(theirs) for ours, *theirs in rounds)


def title(report):
    machine = report["machine"]
    return f"{style.cpu_name(machine['cpu'])}, {machine['cores']} cores, {machine['date']}"


def table(report):
    machine = report["machine"]
    settings = report["settings"]
    versions = [machine[name] for name in ("system", "openssl", "rustc", "wrk")]
    yield f"{title(report)}. {', '.join(versions)}, manyhash {machine['manyhash']}."
    if settings["option"]:
        yield f"Options of the service: `{' '.join(settings['option'])}`."
    rounds, threads = counted(settings["rounds"], "round"), counted(settings["wrk_threads"], "thread")
    yield f"Medians of {rounds} of {settings['seconds']} s; wrk, with {threads}, runs on the same cores."
    if report["quick"]:
        yield "**--quick: these figures mean nothing.**"
    yield ""
    heads = ["body", "connections", "engine", "requests/s", "p50, us", "p99, us", "CPU, us per request", "messages per batch"]
    heads.append("batcher : better OpenSSL")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for cell in report["cells"]:
        for engine in ENGINES:
            figure = lambda name: median(cell, engine, name)
            ours = engine == "batcher"
            columns = [
                of_bytes(cell["body_bytes"]),
                cell["connections"],
                f"`{engine}`",
                f"{figure('requests_per_second'):,.0f}",
                f"{figure('p50_us'):,.0f}",
                f"{figure('p99_us'):,.0f}",
                f"{figure('cpu_us_per_request'):.1f}",
                f"{figure('messages_per_batch'):.1f}" if ours else "",
                f"**{ratio(cell):.2f}**" if ours else "",
            ]
            yield f"| {' | '.join(map(str, columns))} |"
    yield ""
    yield "![Requests a second, latency and CPU time for each engine](load.svg)"


def write_table(path, report):
    """Replaces the text between the markers of a file that has them."""
    text = path.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        fail(f"{path}: no place for the table: {BEGIN} and {END}")
    path.write_text("\n".join([before + BEGIN, *table(report), END + after]))


def from_table(path):
    """Returns the report whose table a file has: one sample of each engine, its medians."""
    lines = path.read_text().partition(BEGIN)[2].partition(END)[0].strip().splitlines()
    cells = {}
    for line in lines:
        if found := re.match(r"\| (\d+) (B|KiB) \| (\d+) \| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|", line):
            body, unit, connections, engine, rate, p50, p99, cpu = found.groups()
            key = int(body) * (1024 if unit == "KiB" else 1), int(connections)
            cell = cells.setdefault(key, {"body_bytes": key[0], "connections": key[1], "engines": {}})
            count = lambda text: int(text.replace(",", ""))
            sample = {"requests_per_second": count(rate), "p50_us": count(p50), "p99_us": count(p99), "cpu_us_per_request": float(cpu)}
            cell["engines"][engine] = [sample]
    said = re.match(r"(.*), (\d+) cores, (\d{4}-\d\d-\d\d)\.", lines[0]) if lines else None
    if not cells or not said:
        fail(f"{path}: it has no table")
    machine = dict(zip(("cpu", "cores", "date"), said.groups()))
    return {"machine": machine, "quick": any("--quick" in line for line in lines), "cells": list(cells.values())}


def draw(path, report):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    plt.rcParams.update(style.settings())
    counts = list(dict.fromkeys(cell["connections"] for cell in report["cells"]))
    labels = ["requests a second", "latency, ms: p50 (dot) to p99", "CPU, us per request"]
    figure, axes = plt.subplots(len(labels), len(counts), squeeze=False, sharey="row", layout="constrained", figsize=(4 * len(counts), 7))
    for across, connections in enumerate(counts):
        cells = [cell for cell in report["cells"] if cell["connections"] == connections]
        rates, latencies, costs = axes[:, across]
        for i, engine in enumerate(ENGINES):
            places = [place + 0.27 * (i - 1) for place in range(len(cells))]
            figures = lambda name, unit=1: [unit * median(cell, engine, name) for cell in cells]
            bars = {"width": 0.27, "edgecolor": style.EDGE, "linewidth": 0.5, "label": engine} | STYLES[engine]
            rates.bar(places, figures("requests_per_second"), **bars)
            costs.bar(places, figures("cpu_us_per_request"), **bars)
            half, nearly_all = figures("p50_us", 1e-3), figures("p99_us", 1e-3)
            latencies.vlines(places, half, nearly_all, color=style.EDGE, linewidth=1)
            latencies.plot(places, nearly_all, "_", color=style.EDGE, markersize=8)
            latencies.plot(places, half, "o", color=STYLES[engine]["color"], markeredgecolor=style.EDGE, markeredgewidth=0.5, markersize=7)
        latencies.set_yscale("log")
        latencies.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        latencies.set_xlim(rates.get_xlim())
        for axis in rates, costs:
            axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        for axis in axes[:, across]:
            axis.set_xticks(range(len(cells)), [of_bytes(cell["body_bytes"]) for cell in cells])
            axis.tick_params(axis="x", length=0)
            axis.grid(axis="y")
        rates.set_title(f"{connections} connections", loc="left")
        costs.set_xlabel("bytes of the body")
    for axis, label in zip(axes[:, 0], labels):
        axis.set_ylabel(label)
    # This comes last, because it also sets the top, which all columns of a row share.
    for rates_or_costs in axes[0, 0], axes[2, 0]:
        rates_or_costs.set_ylim(bottom=0)
    lines = ["Signed requests over HTTP, by who computes their tags", title(report)]
    if report["quick"]:
        lines.append("--quick: these figures mean nothing")
    figure.suptitle("\n".join(lines), fontsize=9)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(ENGINES), frameon=False)
    style.save(figure, path)
    plt.close(figure)


def built():
    """Builds the release binary, and returns its path."""
    command = ["cargo", "build", "--release", "--message-format=json-render-diagnostics"]
    result = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        fail("the service can't be built")
    messages = map(json.loads, result.stdout.splitlines())
    return next(message["executable"] for message in messages if message.get("executable"))


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", help="the program to load; default: built with cargo, for release")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION", help="for the service: --option=--workers=2 and so on")
    parser.add_argument("--bodies", type=numbers, default=[256, 4096, 65536], metavar="BYTES,...", help="default: 256,4096,65536")
    parser.add_argument("--connections", type=numbers, default=[64, 512], metavar="N,...", help="default: 64,512")
    parser.add_argument("--rounds", type=int, default=6, metavar="N", help="default: 6")
    parser.add_argument("--seconds", type=int, default=5, metavar="N", help="of a run; default: 5")
    parser.add_argument("--wrk-threads", type=int, default=1, metavar="N", help="default: 1")
    parser.add_argument("--out", type=Path, metavar="DIR", help="with a README.md, where the results go; default: beside this program")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that all works")
    parser.add_argument("--draw", action="store_true", help="measure nothing: draw the picture of the table that is in README.md")
    arguments = parser.parse_args()
    if arguments.draw:
        draw((arguments.out or HERE) / "load.svg", from_table((arguments.out or HERE) / "README.md"))
        return
    if arguments.quick:
        if not arguments.out:
            parser.error("--quick: its figures are not for our README.md; say where they go with --out")
        arguments.rounds, arguments.seconds, arguments.connections = 1, 1, [8]
    if not shutil.which("wrk"):
        fail("wrk is not installed. Debian, Ubuntu: apt-get install wrk; macOS: brew install wrk; source: https://github.com/wg/wrk")
    try:
        import matplotlib  # noqa: F401 - before everything is measured
    except ImportError:
        fail("matplotlib is not installed. `make bench/.venv/installed` in the repository brings it, for bench/.venv/bin/python")
    out = arguments.out or HERE
    if not (out / "README.md").is_file():
        fail(f"{out / 'README.md'}: not there; the table is written to it")
    arguments.server = arguments.server or built()
    settings = {key: getattr(arguments, key) for key in ("rounds", "seconds", "wrk_threads", "option")}
    report = {"machine": machine(), "quick": arguments.quick, "settings": settings, "cells": measure(arguments)}
    (out / "load.json").write_text(json.dumps(report, indent=1) + "\n")
    draw(out / "load.svg", report)
    write_table(out / "README.md", report)
    print("\n".join(table(report)))


if __name__ == "__main__":
    main()
