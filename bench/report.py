# SPDX-License-Identifier: GPL-2.0
"""Tables, histograms and pictures of what was measured last, from build/bench.jsonl.

    python3 -m bench.report
"""

import sys

from . import histogram, results, scale
from .published import report
from .tables import groups, side_by_side


def main() -> int:
    """Print all tables and histograms; write the pictures to build/."""
    figures = results.read()
    if not figures:
        print(f"{results.FIGURES} is not there or empty: run `make bench`", file=sys.stderr)
        return 1
    for group in groups(figures):
        print(report(group))
        first = group[0]
        if first["suite"] == "scale":
            path = results.BUILD / f"scale-{first['kernel']}-{first['cpus']}.png"
            scale.plot(group, path)
            print(f"picture: {path}\n")
    print(side_by_side(figures))
    for group in groups(results.read(results.HISTOGRAMS)):
        first = group[0]
        where = f"Linux {first['kernel']}, {first['mode']}, {first['cpus']} CPU"
        print(f"wake-up error of a 1 kHz loop: {where}, in {first['unit']}")
        print(histogram.text(group))
        path = results.BUILD / f"timer-{first['suite']}-{first['kernel']}-{first['cpus']}.png"
        histogram.png(group, path, f"Wake-up error of a 1 kHz loop: {where}")
        print(f"picture: {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
