# SPDX-License-Identifier: GPL-2.0
"""Figures as aligned tables."""

from .musts import verdicts

NUMBERS = ["n", "min", "median", "p99", "max", "mean", "stddev"]

#: The order of subjects, independent of the order of measurement.
CASES = ["invoke-0", "invoke-4", "invoke-6", "chain-25", "kernel-call", "dispatch", "block-dispatch",
         "lock", "rpc", "null-syscall", "context-switch", "timer", "job", "page", "page-free", "restart", "to-linux",
         "from-linux", "polled", "udp", "http", "http-close", "streams",
         "null", "served", "passed", "fault", "fault-batch", "switch", "build", "sleep", "sleep-slack", "event",
         "sleep-loaded", "sleep-slack-loaded", "event-loaded",
         *(f"{kind}-{pages}" for kind in ("call", "space", "call-walks", "space-walks")
           for pages in (0, 1, 4, 16, 64, 256, 1024)),
         *(f"{kind}-{stream}" for kind in ("stream", "stream-rate", "stream-jitter") for stream in range(4))]

#: The kinds of the cases KIND-N of the suite scale, in the order of the table.
SCALED = ["wake", "invoke", "dispatch", "lock", "memory", "start", "stop"]


def table(figures: list[dict]) -> str:
    """Returns a table of the figures of one suite, kernel and number of CPUs."""
    rules = {(v.case, v.subject): v for v in verdicts(figures)}
    rows = [["case", "subject", *NUMBERS, "must"]]
    for figure in sorted(figures, key=_place):
        rule = rules.get((figure["case"], figure["subject"]))
        rows.append([_case(figure, figures[0]["unit"]), figure["subject"],
                     *(number(figure[name]) for name in NUMBERS),
                     f"{'ok  ' if rule.holds else 'NOT '} {rule.must}" if rule else ""])
    return title(figures[0]) + aligned(rows, right=range(2, 2 + len(NUMBERS)))


def number(value: float) -> str:
    """Returns a number in full, except for thousands of millions, such as that of a boot."""
    return f"{round(value):,}" if value < 1e9 else f"{round(value / 1e6):,} M"


def side_by_side(figures: list[dict]) -> str:
    """Returns a table of suites that were measured on several kernels, with the same number of CPUs: median and
    maximum.
    """
    result = ""
    for group in groups(figures, "suite", "cpus"):
        kernels = list(dict.fromkeys(figure["kernel"] for figure in group))
        if len(kernels) > 1:
            first = group[0]
            result += (f"{first['suite']}: {first['cpus']} CPU{'s' * (first['cpus'] > 1)}, median and "
                       f"max in {first['unit']}, on each kernel\n" + _columns(group, kernels) + "\n")
    return result


def _columns(figures, kernels):
    rows = [["case", "subject", *(words for kernel in kernels for words in (kernel, "max"))]]
    found = {(f["case"], f["subject"], f["kernel"]): f for f in figures}
    for case, subject in dict.fromkeys((f["case"], f["subject"]) for f in sorted(figures, key=_place)):
        there = [found.get((case, subject, kernel)) for kernel in kernels]
        rows.append([case, subject, *(number(figure[name]) if figure else "-"
                                      for figure in there for name in ("median", "max"))])
    return aligned(rows, right=range(2, 2 + 2 * len(kernels)))


def title(figure: dict) -> str:
    """Returns the title of a table."""
    text = (f"{figure['suite']}: Linux {figure['kernel']}, {figure['mode']}, "
            f"{figure['cpus']} CPU{'s' * (figure['cpus'] > 1)}, in {figure['unit']}")
    if figure["unit"] == "instructions":
        text += " (path length and blocking; no caches, no TLBs)"
    return text + "\n"


def aligned(rows: list[list[str]], right=()) -> str:
    """Returns columns of text. Those in `right` are right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if i in right else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def groups(figures: list[dict], *keys: str) -> list[list[dict]]:
    """Yields the figures of each suite, kernel and number of CPUs, or of other fields."""
    result: dict[tuple, list] = {}
    for figure in figures:
        key = tuple(figure[name] for name in keys or ("suite", "kernel", "cpus"))
        result.setdefault(key, []).append(figure)
    return list(result.values())


def _case(figure, unit):
    """Returns the name of a case, with its unit if that differs from the table's."""
    return figure["case"] if figure["unit"] == unit else f"{figure['case']} ({figure['unit']})"


def _place(figure):
    """Returns a sort key with the known cases first, in the order of CASES.

    Cases of the suite scale are in the order of SCALED and N.
    """
    case = figure["case"]
    if figure["suite"] == "scale":
        kind, count = case.rsplit("-", 1)
        return SCALED.index(kind), int(count)
    return CASES.index(case) if case in CASES else len(CASES), 0
