# SPDX-License-Identifier: GPL-2.0
"""Figures as aligned tables."""

from .musts import verdicts

NUMBERS = ["n", "min", "median", "p99", "max", "mean", "stddev"]

#: In this order, whatever the order of measuring was.
CASES = ["invoke-0", "invoke-4", "invoke-6", "kernel-call", "dispatch", "rpc", "null-syscall",
         "timer", "job"]


def table(figures: list[dict]) -> str:
    """One table: the figures of one suite, kernel and number of CPUs."""
    rules = {(v.case, v.subject): v for v in verdicts(figures)}
    rows = [["case", "subject", *NUMBERS, "must"]]
    for figure in sorted(figures, key=_place):
        rule = rules.get((figure["case"], figure["subject"]))
        rows.append([figure["case"], figure["subject"],
                     *(f"{round(figure[name]):,}" for name in NUMBERS),
                     f"{'ok  ' if rule.holds else 'NOT '} {rule.must}" if rule else ""])
    return title(figures[0]) + aligned(rows, right=range(2, 2 + len(NUMBERS)))


def title(figure: dict) -> str:
    """What the table is of."""
    text = (f"{figure['suite']}: Linux {figure['kernel']}, {figure['mode']}, "
            f"{figure['cpus']} CPU{'s' * (figure['cpus'] > 1)}, in {figure['unit']}")
    if figure["unit"] == "instructions":
        text += " (path length and blocking; no caches, no TLBs)"
    return text + "\n"


def aligned(rows: list[list[str]], right=()) -> str:
    """Columns of text; those in `right` end together."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if i in right else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def groups(figures: list[dict]) -> list[list[dict]]:
    """The figures of each suite, kernel and number of CPUs."""
    result: dict[tuple, list] = {}
    for figure in figures:
        key = figure["suite"], figure["kernel"], figure["cpus"]
        result.setdefault(key, []).append(figure)
    return list(result.values())


def _place(figure):
    case = figure["case"]
    return CASES.index(case) if case in CASES else len(CASES)
