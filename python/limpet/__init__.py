# SPDX-License-Identifier: BSD-2-Clause
"""Use Limpet from Python: run and watch systems, and talk to their components.

system      run, stop, ps, stat, top: systems and their counters
lines       log, follow: what components wrote to their console
arrays      hist, trace, read_trace: histograms and traces as NumPy arrays
channel     Channel: messages, bytes and shared memory
call        Caller: calls of a component's functions
program     command: any other command of `limpet`

docs/reference/python.md lists all of them. Only `hist` and `trace` need NumPy.
"""

from .arrays import Histogram, Trace, hist, read_trace, trace
from .call import CallError, Caller
from .channel import Channel, Info, Mode
from .lines import Line, follow, log
from .program import LimpetError, command
from .system import (Activity, Component, ComponentActivity, Counters, CpuActivity, CpuCounters, System, Thread,
                     ThreadActivity, ps, run, stat, stop, top)

__all__ = ["Activity", "CallError", "Caller", "Channel", "Component", "ComponentActivity", "Counters", "CpuActivity",
           "CpuCounters", "Histogram", "Info", "LimpetError", "Line", "Mode", "System", "Thread", "ThreadActivity",
           "Trace", "command", "follow", "hist", "log", "ps", "read_trace", "run", "stat", "stop", "top", "trace"]
