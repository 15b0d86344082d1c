# SPDX-License-Identifier: BSD-2-Clause
"""Histograms and traces of a system, as NumPy arrays.

    from limpet import hist, trace

    for histogram in hist():
        print(histogram.label, histogram.percentile_99, histogram.unit)
    recorded = trace(seconds=1)
    marks = recorded.marks[recorded.marks["name"] == "timer"]

The package itself does not need NumPy. hist() and trace() raise ImportError with a sentence if it is missing.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .program import command, objects

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_Rows = list[tuple[Any, ...]]


def _numpy() -> Any:
    """Returns NumPy. It is loaded when an array is made, because it is slow to load and optional."""
    try:
        import numpy        # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise ImportError(f"histograms and traces are NumPy arrays, and NumPy cannot be loaded ({error}): install "
                          "Debian's package python3-numpy") from None
    return numpy


@dataclasses.dataclass(frozen=True)
class Histogram:
    """The sum of all reports of one case and subject, as `limpet hist` draws it."""

    label: str                              #: case and subject, such as "timer limpet"
    unit: str                               #: "ns", or "ticks" of the time stamp
    reports: int
    values: int
    median: int | None                      #: minimum of the bucket with it; None without a value
    percentile_99: int | None               #: the same for 99 percent of the values
    maximum: int | None                     #: minimum of the highest bucket
    floors: NDArray[numpy.uint64]           #: the minimum of each bucket, ascending
    counts: NDArray[numpy.uint64]           #: the number of values in each bucket


def hist(log: str | PathLike[str] | None = None, *, ticks: bool = False,
         system: str | int | None = None) -> list[Histogram]:
    """Returns the histograms that components printed, one for each case and subject.

    `log` is a file with such lines, by default the log since boot. Values are in nanoseconds by the clock of the
    machine that wrote the log. With `ticks` they are in ticks of the time stamp. Raises LimpetError if the log has no
    histogram or an invalid one, and ImportError if NumPy is missing.
    """
    numpy = _numpy()
    options = [*(["--ticks"] if ticks else []), *([] if log is None else [Path(log).absolute()])]
    result = []
    for value in objects("hist", *options, system=system):
        buckets = numpy.array(value["buckets"], dtype=numpy.uint64).reshape(-1, 2)
        result.append(Histogram(value["label"], value["unit"], value["reports"], value["values"], value.get("median"),
                                value.get("percentile_99"), value.get("maximum"), buckets[:, 0], buckets[:, 1]))
    return result


@dataclasses.dataclass(frozen=True)
class Trace:
    """The events of a recording, with times in microseconds since its first event.

    `slices` are the times in which a thread had a CPU (`thread` is -1, `name` is the thread, "kernel" or "Linux") or was
    in a component (`thread` is its id, `name` the component, `depth` the number of slices around this one). Its fields
    are `cpu`, `thread`, `name`, `depth`, `begin` and `end`. They are in the order of their ends.

    `marks` are the other events, in their order, with the fields `cpu`, `thread` (-1 if it is unknown), `name`, `time`
    and `value`, which is 0 for a kind without an argument. limpet-trace(1) lists the kinds and their arguments. A mark
    "events lost" has the number of events that were overwritten before they were read.
    """

    slices: NDArray[numpy.void]
    marks: NDArray[numpy.void]
    threads: dict[tuple[int, int], str]     #: CPU and id of a thread -> its name

    @property
    def lost(self) -> int:
        """The number of events that were lost where the recording shows it."""
        return int(self.marks["value"][self.marks["name"] == "events lost"].sum())


def trace(seconds: int = 1, *, events: str | None = None, system: str | int | None = None) -> Trace:
    """Records the events of a system for a time in whole seconds, at least 1, and returns them.

    `events` are the kinds to record, separated by commas, by default all but kernel calls. Only one program at a time
    can record. Raises LimpetError if another one records, or if no system runs, and ImportError if NumPy is missing.
    """
    _numpy()
    if seconds < 1:
        raise ValueError(f"seconds is {seconds}: a recording takes at least 1 second")
    with tempfile.TemporaryDirectory() as folder:
        command("trace", "--seconds", seconds, "--format", "json", "--output", folder,
                *([] if events is None else ["--events", events]), system=system)
        return read_trace(Path(folder) / "trace.json")


def read_trace(path: str | PathLike[str]) -> Trace:
    """Returns the trace in a file that `limpet trace --format json` has written.

    Raises OSError if the file cannot be read, ValueError if it is not such a file, and ImportError if NumPy is missing.
    """
    numpy = _numpy()
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))["traceEvents"]
        slices, marks, threads = _sorted(found)
    except (KeyError, TypeError, IndexError, json.JSONDecodeError):
        raise ValueError(f"{path}: not a trace of `limpet trace --format json`") from None
    return Trace(numpy.array(slices, dtype=[("cpu", "u2"), ("thread", "i4"), ("name", "U64"), ("depth", "u2"),
                                            ("begin", "f8"), ("end", "f8")]),
                 numpy.array(marks, dtype=[("cpu", "u2"), ("thread", "i4"), ("name", "U64"), ("time", "f8"),
                                           ("value", "u8")]), threads)


def _sorted(found: list[dict[str, Any]]) -> tuple[_Rows, _Rows, dict[tuple[int, int], str]]:
    """Sorts events of Chrome's format into slices, marks, and names of threads. Track 0 is the CPU's own."""
    slices: _Rows = []
    marks: _Rows = []
    threads: dict[tuple[int, int], str] = {}
    open_slices: dict[tuple[int, int], list[tuple[str, float]]] = {}
    for event in found:
        cpu, track, kind = event["pid"], event["tid"], event["ph"]
        if kind == "B":
            open_slices.setdefault((cpu, track), []).append((event["name"], event["ts"]))
        elif kind == "E":
            stack = open_slices[cpu, track]
            name, begin = stack.pop()
            slices.append((cpu, track - 1, name, len(stack), begin, event["ts"]))
        elif kind == "i":
            marks.append((cpu, track - 1, event["name"], event["ts"], *event.get("args", {"": 0}).values()))
        elif event["name"] == "thread_name" and track:
            threads[cpu, track - 1] = event["args"]["name"]
    return slices, marks, threads
