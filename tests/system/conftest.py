# SPDX-License-Identifier: GPL-2.0
"""One pytest case per (property, kernel, cpus, mode); guests run ahead on threads."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.harness import record                    # noqa: E402
from tests.harness.property import MODES, discover, quick, wanted    # noqa: E402
from tests.harness.system import Case, Runner   # noqa: E402


def pytest_configure(config):
    """Opens the record of `make test-all`, if LIMPET_RECORD names it."""
    config.limpet_record = record.of_this_tree()


def pytest_generate_tests(metafunc):
    """Makes the cases of all properties. KERNEL, CPUS and MODE select among the values that properties declare.

    PROPERTIES selects properties by their whole names, unlike -k, which also finds parts of names.
    """
    if "case" not in metafunc.fixturenames:
        return
    properties = named(discover(), wanted("PROPERTIES", ""))
    numbers = sorted({cpus for found in properties for cpus in found.cpus})
    cases = [Case(found, kernel, int(cpus), mode)
             for kernel in wanted("KERNEL", "6.1 6.12")
             for cpus in wanted("CPUS", " ".join(map(str, numbers)))
             for mode in wanted("MODE", " ".join(MODES))
             for found in properties
             if chosen(found, kernel, int(cpus), mode)]
    if not cases:
        raise pytest.UsageError("KERNEL, CPUS, MODE and PROPERTIES select no case")
    metafunc.parametrize("case", cases, ids=str)


def named(properties, names):
    """Returns the properties with these names, or all if there are no names."""
    unknown = set(names) - {found.name for found in properties}
    if unknown:
        raise pytest.UsageError(f"PROPERTIES: no property {', '.join(sorted(unknown))}")
    return [found for found in properties if not names or found.name in names]


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

    Deselects cases that have passed with this tree in an earlier run of `make test-all`.
    """
    items.sort(key=lambda item: "case" in item.fixturenames)
    if config.limpet_record:
        done = [item for item in items if config.limpet_record.passed(item.nodeid)]
        config.hook.pytest_deselected(items=done)
        items[:] = [item for item in items if item not in done]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Records a finished test, unless it is a property that was recorded when its guest ended."""
    made = (yield).get_result()
    results = item.config.limpet_record
    if results and item.nodeid not in results.noted and not made.skipped and (call.when == "call" or made.failed):
        results.note(item.nodeid, made.passed, made.duration)


def pytest_sessionfinish(session, exitstatus):
    """Returns success if `make test-all` has no cases left to run."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.limpet_record:
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture(scope="session", autouse=True)
def runner(request):
    """Starts the cases that pytest selected (-k works), before the first test of any kind.

    A property is recorded as soon as its guest has ended, with the seconds of its run.sh. So an interrupted run loses
    only the properties that have not ended.
    """
    tests = {str(item.callspec.params["case"]): item for item in request.session.items
             if "case" in getattr(getattr(item, "callspec", None), "params", {})}
    results = request.config.limpet_record

    def ended(case, outcome):
        if results:
            results.note(tests[str(case)].nodeid, not outcome.faults, outcome.elapsed)

    running = Runner([item.callspec.params["case"] for item in tests.values()], ended=ended)
    yield running
    running.close()
