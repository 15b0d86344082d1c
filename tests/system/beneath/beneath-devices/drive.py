# SPDX-License-Identifier: GPL-2.0
"""Reads the components' serial port, especially after Linux's death."""

import re
import time

#: Maximum wait for the components' output after Linux's death, and the number of their reports.
PATIENCE, FIGURES = 120, 6


class Voice:
    """All output of the serial port since the start."""

    def __init__(self, guest) -> None:
        self.guest, self.text = guest, ""

    def __call__(self) -> str:
        self.text += self.guest.monitor.execute("ringbuf-read", device="voice", size=1 << 22)
        return self.text


def drive(guest):
    """Waits until the second Linux has finally died. Checks that components still report afterwards."""
    voice = Voice(guest)
    assert guest.wait(lambda: any("last words" in line for line in guest.lines)), "no last words"
    end = time.monotonic() + PATIENCE
    while (parts := voice().split("host: Linux has ended"))[2:] == [] or \
            parts[2].count('"figure"') < FIGURES:
        assert time.monotonic() < end, f"silent when Linux is dead: ...{voice.text[-500:]!r}"
        guest.follow(0.5)
    guest.monitor.execute("system_reset")
    said = re.findall(r"^host: (.*)\r?$", voice.text, re.MULTILINE)
    assert [line.split(",")[0] for line in said] == \
        ["Linux has ended", "Linux begins", "Linux has ended"], said
    assert not re.search(r"^edu: wrong", voice.text, re.MULTILINE), "a wrong factorial"
    for who in ("control", "hpet", "edu"):
        assert f"\n{who}: " in parts[2], f"{who} is silent when Linux is dead"
