# SPDX-License-Identifier: GPL-2.0
"""Builds the cases of the Open POSIX Test Suite, each for Linux and for Limpet."""

import functools
import os
import re
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness.cache import locked                  # noqa: E402
from tests.harness.public import unpacked               # noqa: E402
from tests.system.lib import cases                      # noqa: E402

SUITE = "open-posix"
FLAGS = ("-std=c99", "-D_POSIX_C_SOURCE=200809L", "-D_XOPEN_SOURCE=700")
#: Cases that spin for seconds with PAUSE. A counted QEMU needs microseconds for each PAUSE, and so hours for a case.
SPINNING = {"pthread_spin_lock/1-1", "pthread_spin_lock/1-2", "pthread_spin_lock/3-1", "pthread_spin_lock/3-2",
            "pthread_spin_unlock/1-2"}
#: Minimum number of cases that are built with LIMPET_LONG.
CASES_MIN = 1287


def build(folder: Path) -> None:
    """Builds everything that is out of date into a folder. Raises tests.harness.public.Missing without the archive."""
    tree = unpacked(SUITE)
    objects = tree.parent / f"{tree.name}.objects-{cases.digest(Path(__file__))}"
    with locked(f"{SUITE}-objects"):
        built = cases.compiled(found(tree), objects)
    cases.require(built, set(quick()), CASES_MIN)
    cases.link(folder, built, objects)


def found(tree: Path) -> list[cases.Case]:
    """Returns each case that runs by itself, by name: FOLDER/NUMBER-NUMBER."""
    sources = sorted((tree / "conformance/interfaces").glob("*/*.c"))
    names = [(f"{path.parent.name}/{path.stem}", path) for path in sources if re.fullmatch(r"\d+-\d+", path.stem)]
    return [cases.Case(name, ((path, (*FLAGS, f"-I{tree}/include", f"-I{path.parent}")),))
            for name, path in names if chosen(name)]


def chosen(case: str) -> bool:
    """Returns whether a case runs: in `make test` only those of the file `quick`."""
    return case not in SPINNING and (bool(os.environ.get("LIMPET_LONG")) or case in quick())


@functools.cache
def quick() -> list[str]:
    """Returns the cases of `make test`."""
    return Path(__file__).with_name("quick").read_text().split()


if __name__ == "__main__":
    build(TOP / "build/system/program/open-posix")
