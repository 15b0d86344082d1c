# SPDX-License-Identifier: GPL-2.0
"""Runs the subscribers' machine, which does not know Limpet, and switches its power off once."""

from pathlib import Path

from tests.harness.cable import Pair

HOME = "/limpet/tests/bridge-machines"
#: Makes a subscriber without power count as lost after three seconds. After the default of ten, DDS would already have
#: stopped the bridge, and the component would have dropped numbers, because its channel was full.
LEASE = "<CycloneDDS><Domain><Discovery><LeaseDuration>3s</LeaseDuration></Discovery></Domain></CycloneDDS>"
SCRIPT = f"""#!/bin/sh
. /limpet/cable.sh
export CYCLONEDDS_URI='{LEASE}'
cd {HOME} && cable_up 10.9.0.2 && commands_serve
"""


def drive(guest):
    """Switches the machine off, and boots it, when the near guest requests it."""
    folder = Path(__file__).parent
    files = {"/limpet/cable.sh": folder.parents[1] / "lib/cable.sh",
             f"{HOME}/peer": folder.parents[3] / "build/system/channel/bridge-machines/peer"}
    with Pair(guest, files, SCRIPT) as pair:
        pair.wait_record("far", "off")
        pair.boot()
        pair.wait_record("far", "end")
