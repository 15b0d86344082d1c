# SPDX-License-Identifier: GPL-2.0
"""Limits the number of emulators on a machine: at most two run at the same time.

An emulated machine uses whole processors. If more of them run than the machine has processors, they do not finish
sooner, but exceed their time limits. The locks are advisory files in /tmp, because sessions of different users and
checkouts share the machine. flock frees a slot when its holder dies.
"""

import contextlib
import fcntl
import os
import threading
import time

SLOTS = [f"/tmp/limpet-m.{number}.lock" for number in range(2)]
#: Its holder is the next one that gets a slot. Without it, a run that frees a slot would take it again before others look.
QUEUE = "/tmp/limpet-m.queue.lock"
#: Maximum number of slots of this process: LIMPET_JOBS.
JOBS = int(os.environ.get("LIMPET_JOBS") or len(SLOTS))
_jobs = threading.BoundedSemaphore(JOBS)


@contextlib.contextmanager
def slot():
    """Holds one of the slots. Waits without a time limit."""
    with _jobs:
        handles = [_handle(path) for path in SLOTS]
        try:
            queue = _handle(QUEUE)
            try:
                fcntl.flock(queue, fcntl.LOCK_EX)
                while not any(_taken(handle) for handle in handles):
                    time.sleep(0.2)
            finally:
                os.close(queue)
            yield
        finally:
            for handle in handles:
                os.close(handle)


def _handle(path: str) -> int:
    # /tmp is sticky: there Linux refuses O_CREAT on another user's file.
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
