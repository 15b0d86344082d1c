# SPDX-License-Identifier: GPL-2.0
"""What to boot, and QEMU's words for it."""

import dataclasses
import os
from pathlib import Path

from . import vmlinux
from .kernels import Kernel
from .newer_qemu import newer_qemu

#: The same instructions in each run: no host time, no host randomness.
COUNTED = ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"]


@dataclasses.dataclass
class Machine:
    """What to boot, and on what."""

    kernel: str | Kernel = "6.1"
    cpus: int = 1
    counted: bool = False       # virtual time counts instructions
    timeout: float = 120        # seconds of wall time, from the start of QEMU
    memory: int = 1024          # MiB
    append: str = ""            # more words for the kernel command line
    loglevel: int = 6
    pti: bool = False           # page-table isolation forced on
    nopti: bool = True          # ... or ruled out
    watch: bool = True          # fail at a panic, oops, warning or splat
    emulator: str = "qemu"      # or "bochs": bochs.py
    cpu: str = ""               # the emulator's name of the processor model; QEMU's default is `max`
    boot: bool = False          # as the kernel ships: neither saved.py nor vmlinux.py
    loader: bool = False        # if it boots, then by the kernel's own loader: not vmlinux.py
    newer_qemu: bool = False    # of newer_qemu.py, not the installed one
    forward: tuple = ()         # "ADDRESS:PORT" on a network card's side, see Guest.forwarded()
    qemu: tuple = ()            # more words for QEMU

    def program(self) -> list[str]:
        """QEMU, and where its firmware is if that is not where QEMU looks."""
        return newer_qemu() if self.newer_qemu else ["qemu-system-x86_64"]

    def hardware(self) -> list[str]:
        """QEMU's words for the processors and the memory."""
        accel = accelerator()
        model = self.cpu or ("host" if accel == "kvm" else "max")
        words = ["-nodefaults", "-display", "none", "-cpu", model,
                 "-m", str(self.memory), "-smp", str(self.cpus)]
        if accel != "tcg":
            return [*words, "-accel", accel]
        # Counting needs one thread that runs all processors in turn. So does Linux when it
        # patches its own code under several, as for preempt notifiers: before QEMU 8.1
        # ("Always lock pages before translation") a processor can keep the int3 for ever.
        alone = self.cpus == 1 and not self.counted
        words += ["-accel", "tcg,thread=multi" if alone else "tcg,thread=single"]
        return words + (COUNTED if self.counted else [])

    def command_line(self) -> str:
        """The words for the kernel."""
        words = ["console=ttyS0", "panic=-1", "printk.time=1", f"loglevel={self.loglevel}"]
        if self.pti:
            words.append("pti=on")
        elif self.nopti:
            words.append("nopti")
        if self.counted and self.cpus > 1:
            # QEMU 7.2 gives the second processor no turn while Linux 6.1's
            # first one waits for it at boot: README, "Counted runs".
            words += ["maxcpus=1", f"limpet.online={self.cpus}", "tsc=reliable"]
        return " ".join([*words, self.append]).strip()

    def words(self, folder: Path) -> list[str]:
        """The whole command but what starts the guest; its pipes and its socket are in a folder."""
        # A guest that resets or powers off is paused, so that its registers
        # can still be read; the harness then ends QEMU.
        words = [*self.program(), *self.hardware(), "-no-reboot", "-no-shutdown"]
        for name in ("console", "verdicts"):
            words += ["-chardev", f"pipe,id={name},path={folder / name}"]
        words += ["-chardev", f"socket,id=qmp,path={folder / 'qmp'}"]
        words += ["-serial", "chardev:console", "-serial", "chardev:verdicts",
                  "-mon", "chardev=qmp,mode=control"]
        words += user_network(self.forward) if self.forward else []
        return [*words, *self.qemu]

    def boot_words(self, kernel: Kernel, initramfs: Path) -> list[str]:
        """The words for a guest that boots; with the kernel's own loader if it wants to boot in any case."""
        image = kernel.vmlinuz if self.boot or self.loader or os.environ.get("LIMPET_BOOT") else vmlinux.image(kernel)
        return ["-kernel", str(image), "-initrd", str(initramfs), "-append", self.command_line()]


def accelerator() -> str:
    """What executes the guest's code: tcg, unless ACCEL says otherwise."""
    return os.environ.get("ACCEL") or "tcg"


def user_network(forward) -> list[str]:
    """Words for QEMU: a card on a network of QEMU's own, 10.0.2.0/24, which nothing leaves but what comes in
    by ports that this machine's kernel chooses."""
    ports = "".join(f",hostfwd=tcp:127.0.0.1:0-{where}" for where in forward)
    return ["-netdev", f"user,id=user,restrict=on{ports}", "-device", "virtio-net-pci,netdev=user,romfile="]
