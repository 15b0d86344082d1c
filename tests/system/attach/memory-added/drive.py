# SPDX-License-Identifier: GPL-2.0
"""Plugs the memory that run.sh requests."""


def drive(guest):
    """Plugs 128 MiB at each address that run.sh requests."""
    for number in range(2):
        assert guest.wait_record("memory", number), "run.sh asked for no memory"
        address = next(record["at"] for record in guest.records if record.get("memory") == number)
        guest.monitor.human(f"object_add memory-backend-ram,id=memory{number},size=128M")
        answer = guest.monitor.human(f"device_add pc-dimm,id=dimm{number},memdev=memory{number},addr={address}")
        assert not answer.strip(), answer
