# SPDX-License-Identifier: GPL-2.0
"""The other Linux comes up, with AMD-V to itself, until it finds no root; then ends the machine."""

import re


def drive(guest):
    """Its own words are the verdict."""
    guest.wait_console("Kernel command line:.*the-other-one", 150)
    guest.wait_console("VFS: Unable to mount root|Linux lives on", 100)
    said = "\n".join(guest.lines)
    guest.monitor.execute("system_reset")
    assert re.search("Kernel command line:.*the-other-one", said), "no other Linux"
    assert "VFS: Unable to mount root" in said, "it did not come up"
    assert "Linux lives on" not in said
