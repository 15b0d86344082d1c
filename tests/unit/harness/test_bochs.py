# SPDX-License-Identifier: GPL-2.0
"""Tests Bochs guests without starting one: reading its log, and its configuration."""

import pytest

from tests.harness import bochs
from tests.harness.bochs import BochsGuest, BochsLog, open_guest
from tests.harness.machine import Machine
from tests.harness.qemu import Guest

START = "00000000000i[      ] bx_pc_system_c::Reset(HARDWARE) called\n"


@pytest.mark.parametrize("told, end", [
    ("", None),
    ("00712000000p[ACPI  ] >>PANIC<< ACPI control: soft power off\n", "guest-shutdown"),
    ("00712000000e[CPU0  ] exception(): 3rd (14) exception with no resolution, shutdown status is 00h\n",
     "guest-reset"),
    ("00712000000i[SYS   ] bx_pc_system_c::Reset(HARDWARE) called\n", "guest-reset"),
])
def test_end(tmp_path, told, end):
    """The first reset is the machine's start. A later reset, power-off or triple fault ends the run."""
    log = BochsLog(tmp_path / "bochs.log")
    assert log.shutdown() is None
    (tmp_path / "bochs.log").write_text(START + told)
    assert log.shutdown() == end


def test_emulator():
    """The guest has the class of the machine's emulator."""
    assert type(open_guest(Machine(kernel=None), None, "x")) is Guest
    assert type(open_guest(Machine(kernel=None, emulator="bochs", cpu="ryzen"), None, "x")) is BochsGuest


def test_pcid(monkeypatch, tmp_path):
    """A machine with pcid starts the Bochs that was built with the patch, and another machine Debian's."""
    monkeypatch.setattr(bochs, "bochs_tlb", lambda: tmp_path / "built")
    for pcid in (True, False):
        guest = BochsGuest(Machine(kernel=None, emulator="bochs", cpu="corei7_skylake_x", pcid=pcid), None, "x")
        guest.root = tmp_path / "debian"
        words = guest._command(tmp_path)
        assert (str(tmp_path / "built") in words) == pcid
        assert any(word.endswith("bochs-bin") for word in words) != pcid
