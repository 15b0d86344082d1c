# SPDX-License-Identifier: GPL-2.0
"""Runs README's commands on fresh Debian releases, and the tests that can fail with a release's own tools.

$RELEASE names the releases (default: trixie). With $LIMPET_LONG the demo runs with its figures, and then
the checks and some system tests run.
"""

import os

import pytest

from tests.harness import fresh
from tests.harness.cache import locked

#: Each step has a name, a time limit in seconds and a command. A step needs the steps before it. The time limit
#: includes the wait for an emulator's slot.
QUICK = [
    ("deps", 900, "make deps"),
    ("product", 1800, "make -j2 product KERNEL=6.1"),
    ("try", 1800, "make try KERNEL=6.1"),
]
LONG = [
    ("deps", 900, "make deps"),
    ("run", 1800, "make run BATCH=1"),
    ("all", 1800, "make -j2 all KERNEL='6.1 6.12'"),
    ("check", 1800, "make check"),
    ("deb", 1800, "make deb"),
    ("system", 1800, "KERNEL=6.1 CPUS=1 /usr/bin/python3 -m pytest --import-mode=importlib -p no:cacheprovider -q"
     " tests/system -k 'boot-6 or attach-detach or channel-nodes or posix or beneath-run'"),
]
LAST = 60    # lines of a step's output that are printed
RELEASES = os.environ.get("RELEASE", "").split() or ["trixie"]


@pytest.fixture(scope="module", params=RELEASES)
def root(request):
    """Yields a release's root with this tree in it."""
    with locked(f"fresh-{request.param}"):
        root = fresh.root_of(request.param)
        fresh.copy_tree(root)
        yield root


@pytest.mark.parametrize("seconds, words", [
    pytest.param(*step, id=name) for name, *step in (LONG if os.environ.get("LIMPET_LONG") else QUICK)])
def test_step(root, seconds, words):
    """A step succeeds within its time limit."""
    status, said = fresh.enter(root, words, seconds)
    print("\n".join(said.splitlines()[-LAST:]))
    assert status == 0, f"`{words}` ended with {status}" + " (its time was over)" * (status in (124, 137))
