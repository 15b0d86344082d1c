# SPDX-License-Identifier: GPL-2.0
"""Observes the parallel port from outside, and raises its interrupts."""

import re
import time
import tomllib
from pathlib import Path

PROGRAMS = Path(__file__).parent / "expected/programs.toml"
DATA, STATUS, CONTROL = 0x378, 0x379, 0x37a
#: Values of the control register. ENABLED enables the interrupt. RAISED also selects the printer, and raises the
#: interrupt.
ENABLED, RAISED = 0x10, 0x1c
#: A value that no module writes, and the maximum time for a program in seconds.
OTHER, PATIENCE = 0x55, 60


class Port:
    """The registers of the port."""

    def __init__(self, guest) -> None:
        self.guest = guest

    def read(self, register: int) -> int:
        """Returns the value of a register."""
        said = self.guest.monitor.human(f"i /xb {register:#x}")
        return int(re.search(r"= (0x[0-9a-f]+)", said)[1], 16)

    def write(self, register: int, value: int) -> None:
        """Writes a register."""
        self.guest.monitor.human(f"o /b {register:#x} {value:#x}")

    def wait(self, value: int, end: float) -> None:
        """Waits until the data register has a value."""
        while self.read(DATA) != value:
            assert time.monotonic() < end, f"the data register is {self.read(DATA):#x}, not {value:#x}"
            self.guest.follow(0.02)


def observe(port: Port, values: list[int], changes: int) -> None:
    """Waits until the data register has changed `changes` times. All its values must be in the list."""
    end = time.monotonic() + PATIENCE
    while port.read(DATA) == OTHER:
        assert time.monotonic() < end, "the module writes nothing"
        port.guest.follow(0.02)
    last, count = None, 0
    while count <= changes:
        value = port.read(DATA)
        assert value in values, f"the module writes {value:#x}, not {values}"
        count += value != last
        last = value
        assert time.monotonic() < end, f"{count - 1} changes, not {changes}"
        port.guest.follow(0.005)


def interrupt(port: Port, values: list[int]) -> None:
    """Raises an interrupt for each value, which the handler then writes.

    A read of the status lowers the interrupt. Until then, QEMU raises it again with each write of a register. Therefore
    the guest is stopped meanwhile.
    """
    monitor = port.guest.monitor
    port.write(CONTROL, ENABLED)
    for number, value in enumerate(values):
        assert port.read(DATA) != value, f"the data register is {value:#x} before interrupt {number}"
        monitor.execute("stop")
        port.write(CONTROL, RAISED)
        port.read(STATUS)
        monitor.execute("cont")
        port.wait(value, time.monotonic() + PATIENCE)


def reported(guest, key: str, name: str) -> bool:
    """Waits until the guest has reported this record."""
    return guest.wait(lambda: any(record.get(key) == name for record in guest.records))


def drive(guest):
    """Follows the guest from program to program. It reports each one before it starts it, and after it is loaded."""
    port = Port(guest)
    for program in tomllib.loads(PROGRAMS.read_text())["program"]:
        name = program["file"].removesuffix(".c").replace("/", ".")
        assert reported(guest, "loads", name), f"{name} is not loaded"
        port.write(DATA, OTHER)
        assert reported(guest, "loaded", name), f"{name} does not start"
        try:
            if "values" in program:
                observe(port, program["values"], program["changes"])
            if "interrupts" in program:
                interrupt(port, program["interrupts"])
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
