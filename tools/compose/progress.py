# SPDX-License-Identifier: BSD-2-Clause
"""Shows on a terminal how far the composer is, if composing takes longer than two seconds."""

import sys
import time

QUIET, PAUSE = 2, 0.2  # seconds without a line, and between two lines


def each(act, things, what):
    """Returns the results of `act` for each of `things`. `what` says what it does, such as 'components are linked'."""
    results, begin, shown = [], time.monotonic(), 0
    try:
        for thing in things:
            now = time.monotonic()
            if now > begin + QUIET and now > shown + PAUSE and sys.stderr.isatty():
                print(f"\r{len(results)} of {len(things)} {what} ", end="", file=sys.stderr, flush=True)
                shown = now
            results.append(act(thing))
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)  # the next line can be a complaint
    return results
