# SPDX-License-Identifier: GPL-2.0
"""One pytest case per (property, kernel, cpus, mode); guests run ahead on threads."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.harness import record                    # noqa: E402
from tests.harness.property import MODES, discover, quick, wanted    # noqa: E402
from tests.harness.system import Case, Runner, groups   # noqa: E402


def pytest_configure(config):
    """Opens the record of `make test-all`, if LIMPET_RECORD names it."""
    config.limpet_record = record.of_this_tree()


def pytest_generate_tests(metafunc):
    """Makes the cases of all properties. KERNEL, CPUS and MODE select among the values that properties declare."""
    if "case" not in metafunc.fixturenames:
        return
    cases = [Case(found, kernel, int(cpus), mode)
             for kernel in wanted("KERNEL", "6.1 6.12")
             for cpus in wanted("CPUS", "1 2")
             for mode in wanted("MODE", " ".join(MODES))
             for found in discover()
             if chosen(found, kernel, int(cpus), mode)]
    metafunc.parametrize("case", cases, ids=str)


def chosen(found, kernel, cpus, mode):
    """Returns whether a property runs in this case."""
    return (found.runs_on(kernel) and cpus in found.cpus and mode in found.modes
            and (_everything() or quick(found, kernel, cpus, mode))
            and (not found.long or bool(os.environ.get("LIMPET_LONG"))))


def _everything():
    """Returns whether all properties run, because the user selected some values or `make test-all` runs."""
    return any(os.environ.get(name) for name in ("KERNEL", "CPUS", "MODE", "LIMPET_LONG"))


def pytest_collection_modifyitems(config, items):
    """Puts properties last, because their guests run ahead while other tests boot or build by themselves.

    Deselects cases that have passed with this tree in an earlier run of `make test-all`, and puts the rest in the
    order of their guests, because a case is recorded at its turn.
    """
    items.sort(key=lambda item: "case" in item.fixturenames)
    if config.limpet_record:
        done = [item for item in items if config.limpet_record.passed(item.nodeid)]
        config.hook.pytest_deselected(items=done)
        items[:] = [item for item in items if item not in done]
        runs = [str(case) for group in groups(_cases(items)) for case in group]
        items.sort(key=lambda item: runs.index(str(item.callspec.params["case"])) if _cases([item]) else -1)


def _cases(items):
    """Returns the cases of all items that are properties."""
    return [item.callspec.params["case"] for item in items
            if "case" in getattr(getattr(item, "callspec", None), "params", {})]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Records a finished case: a property with the seconds of its run.sh, another test with its own seconds."""
    made = (yield).get_result()
    if item.config.limpet_record and not made.skipped and (call.when == "call" or made.failed):
        seconds = dict(item.user_properties).get("seconds", made.duration)
        item.config.limpet_record.note(item.nodeid, made.passed, seconds)


def pytest_sessionfinish(session, exitstatus):
    """Returns success if `make test-all` has no cases left to run."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.limpet_record:
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture(scope="session", autouse=True)
def runner(request):
    """Starts the cases that pytest selected (-k works), before the first test of any kind."""
    running = Runner(_cases(request.session.items))
    yield running
    running.close()
