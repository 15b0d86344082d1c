# SPDX-License-Identifier: GPL-2.0
"""Uses `limpet try --shell` on a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).parents[2]
#: Time limit in seconds. The guest may have to wait until other guests have ended.
LIMIT = 1500


def until(terminal, pattern, seen, end):
    """Reads the terminal until the text matches the pattern. Returns all text, which can also end before."""
    while not re.search(pattern, seen) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                seen += os.read(terminal, 4096).decode(errors="replace")
            except OSError:    # the other end is closed
                break
    return seen


def test_a_shell_finds_the_system_running(tmp_path):
    """A system of the kit runs in beneath mode. A command of the shell shows it, and `exit` ends the guest."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"LIMPET_CACHE": os.environ.get("LIMPET_CACHE") or str(Path.home() / ".cache/limpet")}
    command = [TOP / "build/cli/limpet", "try", TOP / "build/systems/demo.limpet", "--shell", "--beneath"]
    end = time.monotonic() + LIMIT
    done = subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
                            start_new_session=True)
    os.close(theirs)
    try:
        seen = until(ours, "ends it\\)[^$]*guest# ", "", end)
        os.write(ours, b"limpet ps | grep -o 'running for .* beneath Linux'; which limpet-top; exit\r")
        seen = until(ours, "\0", seen, end)
        status = done.wait(60)
    finally:
        if done.poll() is None:
            os.killpg(done.pid, signal.SIGKILL)
        os.close(ours)
    assert re.search(r"^running for [\d.]+ s, beneath Linux\r$", seen, re.M) and "\n/usr/bin/limpet-top\r" in seen, seen
    assert status == 0, seen
