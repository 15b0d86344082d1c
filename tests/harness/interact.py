# SPDX-License-Identifier: GPL-2.0
"""Connects a terminal to the guest's console."""

import os
import select
import sys
import termios
import tty

from .qemu import Guest

QUIT = b"\x1d"     # Ctrl-]


def interact(guest: Guest) -> bool:
    """Joins this terminal to the guest's console. Returns True if Ctrl-] ended it."""
    guest.on_line = None
    guest.deadline = float("inf")
    print("\r\n(the guest's shell: `exit` or Ctrl-] ends it)", flush=True)
    guest.console.send("\n")     # the first prompt may already be in the past
    saved = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        while not guest.over():
            ready, _, _ = select.select([sys.stdin, guest.console], [], [], 0.2)
            if sys.stdin in ready:
                typed = os.read(sys.stdin.fileno(), 4096)
                if QUIT in typed or not typed:
                    return True
                guest.console.send(typed)
            guest.follow(0)
            os.write(sys.stdout.fileno(), guest.console.raw)
        return False
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)
