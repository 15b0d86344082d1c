# SPDX-License-Identifier: GPL-2.0
"""Prints tables, histograms and pictures of the last measurements, from build/bench.jsonl.

    python3 -m bench.report
"""

import sys

from . import graphs, histogram, results, scale
from .published import report
from .tables import groups, side_by_side


def main() -> int:
    """Prints all tables and histograms, and writes the pictures to build/."""
    figures, histograms = results.read(), results.read(results.HISTOGRAMS)
    if not figures:
        print(f"{results.FIGURES} is not there or empty: run `make bench`", file=sys.stderr)
        return 1
    for group in groups(figures):
        print(report(group))
        first = group[0]
        if first["suite"] == "scale":
            path = results.BUILD / f"scale-{first['kernel']}-{first['cpus']}.png"
            scale.plot(group, path)
            _print_pictures(path)
        paths = graphs.write(group, _of_run(histograms, first))
        if paths:
            _print_pictures(*paths)
    print(side_by_side(figures))
    for group in groups(histograms):
        if group[0]["suite"] not in ("exec", *graphs.RTLINUX):
            _timer(group)
    return 0


def _print_pictures(*paths) -> None:
    print("".join(f"picture: {path}\n" for path in paths))


def _of_run(records: list[dict], first: dict) -> list[dict]:
    """Returns the records of the same suite, kernel and number of CPUs."""
    return [record for record in records
            if all(record[name] == first[name] for name in ("suite", "kernel", "cpus"))]


def _timer(group: list[dict]) -> None:
    """Prints the histograms of timers of one run, and writes their picture."""
    first = group[0]
    where = f"Linux {first['kernel']}, {first['mode']}, {first['cpus']} CPU"
    print(f"wake-up error of a 1 kHz loop: {where}, in {first['unit']}")
    print(histogram.text(group))
    path = results.BUILD / f"timer-{first['suite']}-{first['kernel']}-{first['cpus']}.png"
    histogram.png(group, path, f"Wake-up error of a 1 kHz loop: {where}")
    _print_pictures(path)


if __name__ == "__main__":
    sys.exit(main())
