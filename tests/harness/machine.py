# SPDX-License-Identifier: GPL-2.0
"""Describes a machine to boot, and makes QEMU's arguments for it."""

import dataclasses
import os
from pathlib import Path

from . import vmlinux
from .kernels import Kernel
from .newer_qemu import newer_qemu

#: Options for the same instructions in each run: no host time, no host randomness.
COUNTED = ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"]
#: The same without a jump over idle time, for the machines of cable.py, which wait for each other.
PACED = ["-icount", "shift=0,sleep=on", *COUNTED[2:]]


@dataclasses.dataclass
class Machine:
    """A kernel to boot, and its machine."""

    kernel: str | Kernel = "6.1"
    cpus: int = 1
    counted: bool = False       # virtual time counts instructions
    paced: bool = False         # counted, but the virtual time is never ahead of real time
    timeout: float = 120        # seconds of wall time, from the start of QEMU
    memory: int = 1024          # MiB
    append: str = ""            # more parameters for the kernel command line
    loglevel: int = 6
    pti: bool = False           # page-table isolation forced on
    nopti: bool = True          # page-table isolation forced off
    watch: bool = True          # fail at a panic, oops, warning or splat
    emulator: str = "qemu"      # or "bochs": bochs.py
    cpu: str = ""               # the emulator's name of the processor model; empty: `max` under QEMU
    pcid: bool = False          # uses the Bochs of bochs_tlb.py
    boot: bool = False          # boots the shipped kernel image, without saved.py and vmlinux.py
    loader: bool = False        # a boot uses the kernel's own loader, without vmlinux.py
    firmware: bool = False      # its firmware prints to both serial ports before Linux starts
    newer_qemu: bool = False    # uses the QEMU of newer_qemu.py instead of the installed one
    forward: tuple = ()         # "ADDRESS:PORT" on a network card's side, see Guest.forwarded()
    cable: bool = False         # a network card whose cable leads to a machine of cable.py
    qemu: tuple = ()            # more arguments for QEMU

    def program(self) -> list[str]:
        """Returns the command of QEMU, with the folder of its firmware unless QEMU finds that by itself."""
        return newer_qemu() if self.newer_qemu else ["qemu-system-x86_64"]

    def hardware(self) -> list[str]:
        """Returns QEMU's arguments for the processors and the memory."""
        accel = accelerator()
        model = self.cpu or ("host" if accel == "kvm" else "max")
        words = ["-nodefaults", "-display", "none", "-cpu", model,
                 "-m", str(self.memory), "-smp", str(self.cpus)]
        if accel != "tcg":
            return [*words, "-accel", accel]
        # Counting needs one thread that runs all processors in turn. Linux needs that, too, when it patches its own
        # code with several processors, as for preempt notifiers: before QEMU 8.1 ("Always lock pages before
        # translation") a processor can keep the int3 permanently.
        alone = self.cpus == 1 and not self.counted and not self.paced
        words += ["-accel", "tcg,thread=multi" if alone else "tcg,thread=single"]
        return words + (PACED if self.paced else COUNTED if self.counted else [])

    def command_line(self) -> str:
        """Returns the kernel command line."""
        words = ["console=ttyS0", "panic=-1", "printk.time=1", f"loglevel={self.loglevel}"]
        if self.pti:
            words.append("pti=on")
        elif self.nopti:
            words.append("nopti")
        if self.counted and self.cpus > 1:
            # In QEMU 7.2 the second processor does not run while Linux 6.1's first one waits for it at boot: README,
            # "Counted runs".
            words += ["maxcpus=1", f"limpet.online={self.cpus}", "tsc=reliable"]
        return " ".join([*words, self.append]).strip()

    def words(self, folder: Path) -> list[str]:
        """Returns QEMU's command line except the arguments that start the guest.

        `folder` has the guest's pipes and sockets.
        """
        # A guest that resets or powers off is paused, so that its registers
        # can still be read; the harness then ends QEMU.
        words = [*self.program(), *self.hardware(), "-no-reboot", "-no-shutdown"]
        for name in ("console", "verdicts"):
            words += ["-chardev", f"pipe,id={name},path={folder / name}"]
        words += ["-chardev", f"socket,id=qmp,path={folder / 'qmp'}"]
        words += ["-serial", "chardev:console", "-serial", "chardev:verdicts",
                  "-mon", "chardev=qmp,mode=control"]
        words += user_network(self.forward) if self.forward else []
        words += cable_end(folder / "cable", folder / "far", 1) if self.cable else []
        return [*words, *self.qemu]

    def boot_words(self, kernel: Kernel, initramfs: Path) -> list[str]:
        """Returns QEMU's arguments for a guest that boots, with the kernel's own loader if that is wanted."""
        image = kernel.vmlinuz if self.boot or self.loader or os.environ.get("LIMPET_BOOT") else vmlinux.image(kernel)
        return ["-kernel", str(image), "-initrd", str(initramfs), "-append", self.command_line()]


def accelerator() -> str:
    """Returns QEMU's accelerator: the value of ACCEL, or tcg if ACCEL is not set."""
    return os.environ.get("ACCEL") or "tcg"


def user_network(forward) -> list[str]:
    """Returns QEMU's arguments for a network card on QEMU's own network 10.0.2.0/24.

    The network is closed except for one TCP port of this machine for each entry of `forward`. This
    machine's kernel chooses the port.
    """
    ports = "".join(f",hostfwd=tcp:127.0.0.1:0-{where}" for where in forward)
    return ["-netdev", f"user,id=user,restrict=on{ports}", "-device", "virtio-net-pci,netdev=user,romfile="]


def cable_end(here: Path, there: Path, number: int) -> list[str]:
    """Returns QEMU's arguments for a network card. Its cable leads from one socket of this machine to another."""
    return ["-netdev", f"dgram,id=cable,local.type=unix,local.path={here},remote.type=unix,remote.path={there}",
            "-device", f"virtio-net-pci,netdev=cable,mac=52:54:00:00:01:{number:02x},romfile="]
