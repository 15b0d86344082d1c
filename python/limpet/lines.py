# SPDX-License-Identifier: BSD-2-Clause
"""The log of a system: the lines that its components wrote to their console.

    from limpet import log

    for line in log(component="control", since="10m"):
        print(line.time, line.text)

The log outlives its system, up to the next boot.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

from .program import check, objects, start
from .system import take


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of the log."""

    time: str | None            #: local time at which the host process read it
    time_ns: int | None         #: the same in nanoseconds since 1970
    system: str | None
    component: str | None
    severity: str               #: emergency, alert, critical, error, warning, notice, info or debug
    text: str


def _words(lines: int | None, since: str | None, component: str | None, severity: str | None) -> tuple[object, ...]:
    options = (("--lines", lines), ("--since", since), ("--component", component), ("--severity", severity))
    return ("log", *(word for name, value in options if value is not None for word in (name, value)))


def log(system: str | int | None = None, *, lines: int | None = None, since: str | None = None,
        component: str | None = None, severity: str | None = None) -> list[Line]:
    """Returns the lines of the log, oldest first.

    `lines` keeps only the last ones, 1 to 1000000. `since` is an age such as "10s", "5m", "2h" or "1d", or a local time
    such as "2026-01-31 12:00:00". `component` keeps only the lines of this component, and `severity` only lines of
    this or a higher severity. Raises LimpetError if no system has run since boot.
    """
    return [take(Line, value) for value in objects(*_words(lines, since, component, severity), system=system)]


def follow(system: str | int | None = None, *, lines: int | None = None, since: str | None = None,
           component: str | None = None, severity: str | None = None) -> Iterator[Line]:
    """Yields the lines of the log, and then new lines as they are written, without an end.

    The arguments are those of log(). Closing the iterator ends the command that it reads from. Raises
    LimpetError as log() does.
    """
    words = (*_words(lines, since, component, severity), "--follow", "--json")
    with start(words, system) as process:
        try:
            assert process.stdout and process.stderr
            for text in process.stdout:
                yield take(Line, json.loads(text))
            errors = process.stderr.read()
            check(process.wait(), errors, words)
        finally:
            if process.poll() is None:
                process.terminate()
