# SPDX-License-Identifier: GPL-2.0
"""Histograms of wake-up errors: with block characters for terminals, as a PNG for documents."""

import math
from pathlib import Path

BLOCKS = " ▏▎▍▌▋▊▉█"
STEPS = 2           # rows for each doubling
BAR = 12            # columns of a full bar

#: subject -> heading, in the order in which they are shown.
COLUMNS = {"limpet-idle": "Limpet, idle", "cyclictest-idle": "Linux, idle",
           "limpet-loaded": "Limpet, loaded", "cyclictest-loaded": "Linux, loaded"}


def row_of(value: int) -> int:
    """The row that a value falls into."""
    return math.floor(STEPS * math.log2(max(value, 1)) + 1e-9)


def row_floor(row: int) -> int:
    """Least value of a row."""
    return math.ceil(2 ** (row / STEPS) - 1e-9)


def shares(histogram: dict) -> dict[int, float]:
    """Row -> part of all values that lie in it."""
    total = sum(count for _, count in histogram["buckets"])
    result: dict[int, float] = {}
    for floor, count in histogram["buckets"]:
        row = row_of(floor)
        result[row] = result.get(row, 0) + count / total
    return result


def bar(part: float, width: int = BAR) -> str:
    """A bar for a part of 1; whatever is more than nothing shows."""
    eighths = round(part * width * 8) or (1 if part > 0 else 0)
    full, rest = divmod(eighths, 8)
    return ("█" * full + BLOCKS[rest].strip()).ljust(width)


def percent(part: float) -> str:
    """A part of 1 in seven columns."""
    if not part:
        return ""
    return f"{part:.1%}" if part >= 0.001 else "<0.1%"


def text(histograms: list[dict]) -> str:
    """All subjects side by side, one row for each half of a doubling."""
    columns = [(heading, shares(found)) for subject, heading in COLUMNS.items()
               for found in histograms if found["subject"] == subject]
    if not columns:
        return ""
    rows = sorted({row for _, column in columns for row in column})
    lines = [" " * 22 + "  ".join(heading.ljust(BAR + 7) for heading, _ in columns)]
    for row in range(rows[0], rows[-1] + 1):
        cells = [bar(column.get(row, 0)) + percent(column.get(row, 0)).rjust(7)
                 for _, column in columns]
        lines.append(f"{row_floor(row):>9,} - {row_floor(row + 1):>9,} " + "  ".join(cells))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def png(histograms: list[dict], path: Path, title: str) -> None:
    """The same as a picture."""
    import matplotlib       # slow to load, and only needed here
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(9, 6))
    for axis, load in zip(axes, ("idle", "loaded")):
        for who, colour in (("limpet", "tab:blue"), ("cyclictest", "tab:orange")):
            for found in histograms:
                if found["subject"] == f"{who}-{load}":
                    values, counts = zip(*found["buckets"])
                    axis.hist(values, bins=[2 ** (i / 8) for i in range(72, 180)], weights=counts,
                              histtype="stepfilled", alpha=0.6, color=colour,
                              label="Limpet's 1 kHz loop" if who == "limpet" else "cyclictest")
        axis.set(xscale="log", yscale="log", ylabel=f"wake-ups, Linux {load}")
        axis.legend()
    axes[1].set_xlabel(f"wake-up error in {histograms[0]['unit']}")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
