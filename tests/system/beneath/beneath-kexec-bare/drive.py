# SPDX-License-Identifier: GPL-2.0
"""Waits until the other Linux, which has AMD-V for itself, has booted and found no root. Then ends the machine."""

import re


def drive(guest):
    """Checks the other Linux's own output."""
    guest.wait_console("Kernel command line:.*the-other-one", 150)
    guest.wait_console("VFS: Unable to mount root|Linux lives on", 100)
    said = "\n".join(guest.lines)
    guest.monitor.execute("system_reset")
    assert re.search("Kernel command line:.*the-other-one", said), "no other Linux"
    assert "VFS: Unable to mount root" in said, "it did not come up"
    assert "Linux lives on" not in said
