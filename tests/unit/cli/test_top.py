# SPDX-License-Identifier: GPL-2.0
"""Tests the screen of `limpet top` in a terminal that tmux emulates."""

import os
import subprocess
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
PROGRAM = TOP / "build/cli/test/top_screen"


class Terminal:
    """A separate tmux server with one window."""

    def __init__(self, folder, command, size=(100, 24)):
        self.base = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), f"{command}; exec sleep 60")

    def tmux(self, *words):
        return subprocess.run([*self.base, *words], capture_output=True, text=True, check=True,
                              timeout=20, env=os.environ | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def until(self, holds):
        """Returns the screen as soon as `holds` accepts it, or the last one. The screen may be read while it is drawn.
        `holds` must therefore also check the part that is drawn last.
        """
        for _ in range(200):
            screen = self.screen()
            if holds(screen):
                return screen
            time.sleep(0.05)
        return screen


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def open_one(command, **how):
        opened.append(Terminal(tmp_path, command, **how))
        return opened[-1]

    yield open_one
    for one in opened:
        one.tmux("kill-server")


def threads(screen):
    """Returns the ids of the threads in the order of the screen."""
    lines = screen.splitlines()
    first = next((i for i, line in enumerate(lines) if "THREAD OF" in line), len(lines))
    return [line.split()[1] for line in lines[first + 1:first + 3] if line.startswith("  0 ")]


def test_live(terminal):
    window = terminal(f"{PROGRAM} 1000000")
    screen = window.until(lambda text: "over 1.0 s, by cpu" in text and threads(text) == ["2", "1"] and
                          " 50.00 " in text and text.splitlines()[-1].startswith("sort: c cpu"))
    lines = screen.splitlines()
    assert lines[0].startswith("?: running beside Linux for ") and "over 1.0 s, by cpu" in lines[0]
    assert "  0     0   50.00        1000.0     123.0" in lines[3]
    assert threads(screen) == ["2", "1"]
    assert any(line.split() == ["0", "?", "1000.0", f"{line.split()[3]}", "0", "9"]
               for line in lines if line.startswith("  0 ?"))
    assert lines[-1].startswith("sort: c cpu")
    window.tmux("send-keys", "m")
    screen = window.until(lambda text: "by misses" in text and threads(text) == ["1", "2"])
    assert "by misses" in screen and threads(screen) == ["1", "2"] and " 77 " in screen
    window.tmux("send-keys", "c")
    screen = window.until(lambda text: "by cpu" in text and threads(text) == ["2", "1"])
    assert "by cpu" in screen and threads(screen) == ["2", "1"]
    window.tmux("send-keys", "x")      # no key: nothing happens
    window.tmux("send-keys", "q")
    assert "THREAD" not in window.until(lambda text: "THREAD" not in text)


def test_small(terminal):
    """Lines that do not fit are not shown, and no line wraps."""
    window = terminal(f"{PROGRAM} 1000000", size=(30, 5))
    screen = window.until(lambda text: "CPU LINUX" in text and "sort:" in text)
    assert len([line for line in screen.splitlines() if line]) <= 5
    window.tmux("send-keys", "q")


def test_end(terminal):
    window = terminal(f"{PROGRAM} 3")
    assert "limpet top: The system has ended." in window.until(lambda text: "has ended" in text)


def refused(terminal, **how):
    """Returns the line of a refusal of the screen."""
    done = subprocess.run([PROGRAM, "1000"], capture_output=True, text=True, timeout=20, env={"TERM": terminal}, **how)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_input_is_no_terminal():
    """At the end of a file each look for a key returns immediately."""
    with open(__file__, encoding="utf-8") as file:
        for source in (subprocess.DEVNULL, file):
            assert "stdin is not a terminal. Use --batch." in refused("xterm", stdin=source)


def test_unknown_terminal():
    ours, theirs = os.openpty()
    line = refused("none-such", stdin=theirs)
    os.close(ours)
    os.close(theirs)
    assert "TERM=none-such" in line and "--batch" in line
