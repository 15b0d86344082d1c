# SPDX-License-Identifier: GPL-2.0
"""Draws histograms of wake-up errors: with block characters for terminals, as a PNG for documents.

    python3 -m bench.histogram LOG... -o FILE.png      the sum of all reports in the output of `limpet log --plain`
"""

import argparse
import json
import math
import sys
from pathlib import Path

from . import results

BLOCKS = " ▏▎▍▌▋▊▉█"
STEPS = 2           # rows for each doubling
BAR = 12            # columns of a full bar

#: Linux's activity in the suite beneath, and its description; cyclictest's own case if it can run.
LOADS = {"cpu": "computes", "vm": "writes memory", "io": "writes files", "fork": "forks",
         "mix": "does several of these"}
ALONE = {"irqs-off": "spins, interrupts off", "dead": "is dead", "restart": "panics, and boots again"}

#: subject -> heading, in the order in which they are shown.
COLUMNS = {"limpet": "Limpet, deadlines", "cyclictest": "Linux",
           "limpet-idle": "Limpet, idle", "idle": "Limpet, idle", "cyclictest-idle": "Linux, idle",
           "limpet-loaded": "Limpet, loaded", "cyclictest-loaded": "Linux, loaded"}
for load in LOADS:
    COLUMNS |= {load: f"Limpet, {load}", f"cyclictest-{load}": f"Linux, {load}"}
COLUMNS |= {load: f"Limpet, {load}" for load in ALONE}
ABREAST = 4         # columns of a terminal

#: Linux's activity -> subject of the picture.
PANELS = {"is idle": ["limpet-idle", "idle", "cyclictest-idle", "limpet", "cyclictest"],
          "is loaded": ["limpet-loaded", "cyclictest-loaded"]}
PANELS |= {words: [load, f"cyclictest-{load}"] for load, words in (LOADS | ALONE).items()}
LIMIT = 1000        # the requirement beneath


def row_of(value: int) -> int:
    """Returns the row of a value."""
    return math.floor(STEPS * math.log2(max(value, 1)) + 1e-9)


def row_floor(row: int) -> int:
    """Returns the lowest value of a row."""
    return math.ceil(2 ** (row / STEPS) - 1e-9)


def shares(histogram: dict) -> dict[int, float]:
    """Returns row -> part of all values in it."""
    total = sum(count for _, count in histogram["buckets"])
    result: dict[int, float] = {}
    for floor, count in histogram["buckets"]:
        row = row_of(floor)
        result[row] = result.get(row, 0) + count / total
    return result


def bar(part: float, width: int = BAR) -> str:
    """Returns a bar for a part of 1. A part above 0 is always visible."""
    eighths = round(part * width * 8) or (1 if part > 0 else 0)
    full, rest = divmod(eighths, 8)
    return ("█" * full + BLOCKS[rest].strip()).ljust(width)


def percent(part: float) -> str:
    """Formats a part of 1 in seven columns."""
    if not part:
        return ""
    return f"{part:.1%}" if part >= 0.001 else "<0.1%"


def text(histograms: list[dict]) -> str:
    """Returns all subjects next to each other, with two rows for each doubling."""
    columns = [(heading, shares(found)) for subject, heading in COLUMNS.items()
               for found in histograms if found["subject"] == subject]
    blocks = [columns[i:i + ABREAST] for i in range(0, len(columns), ABREAST)]
    return "\n".join(map(_block, blocks))


def _block(columns: list[tuple[str, dict]]) -> str:
    rows = sorted({row for _, column in columns for row in column})
    lines = [" " * 22 + "  ".join(heading.ljust(BAR + 7) for heading, _ in columns)]
    for row in range(rows[0], rows[-1] + 1):
        cells = [bar(column.get(row, 0)) + percent(column.get(row, 0)).rjust(7)
                 for _, column in columns]
        lines.append(f"{row_floor(row):>9,} - {row_floor(row + 1):>9,} " + "  ".join(cells))
    return "\n".join(line.rstrip() for line in lines) + "\n"


class NoPlotter(Exception):
    """matplotlib is missing."""


def plotter():
    """Returns matplotlib's pyplot, which is slow to load and only needed for pictures. Raises NoPlotter."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise NoPlotter(f"a picture needs matplotlib ({error}): apt-get install python3-matplotlib") from None
    return pyplot


def png(histograms: list[dict], path: Path, title: str) -> None:
    """Draws a picture with a panel for each activity of Linux."""
    pyplot = plotter()
    found = {histogram["subject"]: histogram["buckets"] for histogram in histograms}
    panels = [words for words, subjects in PANELS.items() if found.keys() & set(subjects)]
    across = 1 if len(panels) < 3 else 3
    down = -(-len(panels) // across)
    highest = max(count for buckets in found.values() for _, count in buckets)
    figure, axes = pyplot.subplots(down, across, sharex=True, sharey=True, squeeze=False,
                                   figsize=(9 if across == 1 else 13, 3 * down))
    for axis, words in zip(axes.flat, panels):
        for subject in PANELS[words]:
            if subject in found:
                _draw(axis, found[subject], subject.startswith("cyclictest"))
        axis.set(xscale="log", yscale="log", ylim=(0.5, 3 * highest), title=f"Linux {words}")
        if histograms[0]["mode"] == "beneath":
            axis.axvline(LIMIT, color="black", linestyle=":", label="limit")
    for axis in axes.flat[len(panels):]:
        axis.axis("off")
    axes.flat[0].legend()
    for axis in axes[-1]:
        axis.set_xlabel(f"wake-up error in {histograms[0]['unit']}")
    for axis in axes[:, 0]:
        axis.set_ylabel("wake-ups")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _draw(axis, buckets: list, linux: bool) -> None:
    values, counts = zip(*buckets)
    axis.hist(values, bins=[2 ** (i / 4) for i in range(32, 90)], weights=counts,
              histtype="stepfilled", alpha=0.6, color="tab:orange" if linux else "tab:blue",
              label="cyclictest" if linux else "Limpet's 1 kHz loop")


def png_of_log(histograms: list[dict], path: Path) -> None:
    """Draws a picture with a panel for each case and subject."""
    pyplot = plotter()
    figure, axes = pyplot.subplots(len(histograms), 1, sharex=True, squeeze=False,
                                   figsize=(9, 3 * len(histograms)))
    for axis, histogram in zip(axes.flat, histograms):
        values, counts = zip(*histogram["buckets"])
        low, high = math.floor(4 * math.log2(max(values[0], 1))), 4 * math.log2(max(values[-1], 1)) + 2
        axis.hist(values, bins=[2 ** (i / 4) for i in range(low, math.ceil(high))], weights=counts)
        axis.set(xscale="log", yscale="log", title=f"{histogram['case']} {histogram['subject']}",
                 ylabel="values")
    axes.flat[-1].set_xlabel(histograms[0]["unit"])
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def of_log(lines) -> list[dict]:
    """Returns the histograms in components' output. Ignores the text before them in a line."""
    found = [json.loads(line[line.index('{"histogram"'):]) for line in lines if '{"histogram"' in line]
    units = {(part["case"], part["subject"]): part["unit"]
             for part in (record["histogram"] for record in found)}
    return [part | {"unit": units[part["case"], part["subject"]]}
            for part in results.histograms(found, {}) if part["buckets"]]


def main(arguments: list[str]) -> int:
    """Draws the histograms of logs."""
    parser = argparse.ArgumentParser(prog="bench.histogram", description=__doc__.splitlines()[0])
    parser.add_argument("log", nargs="+", type=Path)
    parser.add_argument("-o", dest="picture", required=True, type=Path)
    want = parser.parse_args(arguments)
    try:
        found = of_log(line for log in want.log for line in log.read_text().splitlines())
    except (OSError, ValueError, KeyError) as error:
        print(f"bench.histogram: {error}", file=sys.stderr)
        return 1
    if not found:
        print("bench.histogram: no histogram is there", file=sys.stderr)
        return 1
    try:
        png_of_log(found, want.picture)
    except (NoPlotter, OSError) as error:
        print(f"bench.histogram: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
