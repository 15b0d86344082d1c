# SPDX-License-Identifier: GPL-2.0
"""Boots a kernel under Bochs, which emulates features that QEMU's TCG lacks: VMX, PCID, IBT, shadow stacks.

    machine = Machine(kernel="6.1", cpus=2, emulator="bochs", cpu="corei7_skylake_x")
    with open_guest(machine, initramfs, "name") as guest: ...

`BochsGuest` is a `Guest` with the same console, verdicts, time limit, slot and way of ending. It has
no input, no monitor, no counted time and no network card. Bochs and its libraries are Debian 13's on
each machine, and stay in the cache. Delete the folder to fetch them again.

    python3 -m tests.harness.bochs             prints the folder of Bochs
"""

import os
import re
import sys
from pathlib import Path

from .bochs_tlb import bochs_tlb
from .cache import command
from .machine import Machine
from .qemu import Guest
from .suites import Suites, loader, unpacked

PACKAGES = ["bochs", "bochsbios", "vgabios", "bochs-term", "isolinux", "syslinux-common", "xorriso"]

#: Factor for the time limit of a boot, compared with QEMU.
BOCHS_FACTOR = 3

#: Instructions in a second of the guest's time. The time-stamp counter ticks once for each instruction.
INSTRUCTIONS = 50_000_000

#: Time follows the count of instructions. The display `rfb` listens on every address without a password, so
#: Bochs runs in a network namespace of its own. A triple fault ends Bochs, which then logs the registers.
SETTINGS = """\
config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file={share}/bochs/BIOS-bochs-latest
vgaromimage: file={share}/bochs/VGABIOS-lgpl-latest
megs: {memory}
cpu: model={cpu}, count={cpus}, ips={instructions}, reset_on_triple_fault=0, ignore_bad_msrs=1
clock: sync=none, time0=1767225600
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path={folder}/cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev={folder}/console.out
com2: enabled=1, mode=file, dev={folder}/verdicts.out
vga: extension=vbe, update_freq=1, realtime=0
mouse: enabled=0
log: {folder}/bochs.log
panic: action=fatal
error: action=ignore
info: action=report
debug: action=ignore
"""

LOADER = """\
serial 0 115200
prompt 0
default linux
label linux
  kernel /vmlinuz
  initrd /initramfs
  append {append}
"""


def bochs_root() -> Path:
    """Returns the folder with Bochs and the tools that make its CDs; downloads it if it is missing."""
    return unpacked("bochs", Suites("trixie"), PACKAGES)


class BochsLog:
    """The log of Bochs, with the functions of QEMU's monitor that a `Guest` calls."""

    #: Patterns in the log, and the reasons that QEMU reports for such a stop.
    ENDS = ((r"ACPI control: soft power off", "guest-shutdown"),
            (r"3rd \(\d+\) exception with no resolution", "guest-reset"))
    RESET = r"bx_pc_system_c::Reset\((HARDWARE|SOFTWARE)\) called"

    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self) -> str:
        """Returns the whole log so far."""
        return self.path.read_text(errors="replace") if self.path.exists() else ""

    def poll(self) -> None:
        """Does nothing, because the file is read on demand."""

    def shutdown(self) -> str | None:
        """Returns why the guest stopped, or None while it runs. The first reset is the start of the machine."""
        text = self.text()
        for pattern, end in self.ENDS:
            if re.search(pattern, text):
                return end
        return "guest-reset" if len(re.findall(self.RESET, text)) > 1 else None

    def human(self, line: str) -> str:
        """Raises RuntimeError, because Bochs has no monitor."""
        raise RuntimeError(f"Bochs has no monitor for {line!r}")


class BochsGuest(Guest):
    """A guest in Bochs."""

    def _prepare(self, folder: Path) -> None:
        self.root = bochs_root()
        self._write_cd(folder)
        (folder / "bochsrc").write_text(SETTINGS.format(
            folder=folder, share=self.root / "usr/share", memory=self.machine.memory,
            cpu=self.machine.cpu, cpus=self.machine.cpus, instructions=INSTRUCTIONS))

    def _start(self, folder: Path) -> None:
        self._open_streams(folder)
        self._launch(folder, self._command(folder))
        self.monitor = BochsLog(folder / "bochs.log")

    def _command(self, folder: Path) -> list[str]:
        alone = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
        plugins = f"LTDL_LIBRARY_PATH={self.root}/usr/lib/x86_64-linux-gnu/bochs/plugins"
        program = [str(bochs_tlb())] if self.machine.pcid else \
            ["env", plugins, *loader(self.root, "/usr/bin/bochs-bin")]
        return [*alone, *program, "-q", "-f", str(folder / "bochsrc")]

    def _write_cd(self, folder: Path) -> None:
        """Writes a CD that starts the kernel, because Bochs loads no kernel itself."""
        files = folder / "cd"
        (files / "isolinux").mkdir(parents=True)
        (folder / "initramfs").rename(files / "initramfs")
        (files / "vmlinuz").symlink_to(self.kernel.vmlinuz)
        (files / "isolinux/isolinux.bin").symlink_to(self.root / "usr/lib/ISOLINUX/isolinux.bin")
        (files / "isolinux/ldlinux.c32").symlink_to(self.root / "usr/lib/syslinux/modules/bios/ldlinux.c32")
        (files / "isolinux/isolinux.cfg").write_text(LOADER.format(append=self._command_line()))
        command(*loader(self.root, "/usr/bin/xorriso"), "-as", "mkisofs", "-quiet", "-f", "-o", folder / "cd.iso",
                "-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot",
                "-boot-load-size", "4", "-boot-info-table", files)

    def _command_line(self) -> str:
        """Adds parameters with which Linux does not calibrate its clocks, because that fails at this speed."""
        clocks = f"nokaslr tsc=reliable no_timer_check tsc_early_khz={INSTRUCTIONS // 1000}"
        return f"{self.machine.command_line()} {clocks}"

    def _registers(self) -> str:
        """Returns the registers that Bochs logs when it stops by itself, for example after a triple fault."""
        return "\n".join(re.findall(r"^\d+.\[CPU\d+ *\] .*", self.monitor.text(), re.M)[-200:])


def open_guest(machine: Machine, initramfs, name: str) -> Guest:
    """Returns a guest for the emulator that the machine names."""
    return (BochsGuest if machine.emulator == "bochs" else Guest)(machine, initramfs, name)


if __name__ == "__main__":
    try:
        print(bochs_root())
    except RuntimeError as error:
        sys.exit(f"no Bochs: {error}")
