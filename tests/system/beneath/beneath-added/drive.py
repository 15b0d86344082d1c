# SPDX-License-Identifier: GPL-2.0
"""Adds a processor to the machine when run.sh asks for it."""


def drive(guest):
    """Once."""
    assert guest.wait_record("add"), "run.sh asked for no processor"
    said = guest.monitor.human("device_add max-x86_64-cpu,socket-id=1,core-id=0,thread-id=0")
    assert not said.strip(), said
