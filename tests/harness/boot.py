# SPDX-License-Identifier: GPL-2.0
"""Boots one guest with the given files and script, from the command line.

    python3 -m tests.harness.boot --kernel 6.1 --file prog:/bin/prog --script run.sh
"""

import argparse
import json
import sys
from pathlib import Path

from . import guest_python
from .bochs import open_guest
from .console import of_kernel
from .initramfs import Initramfs
from .interact import interact
from .kernels import FLAVOURS, fetch
from .property import limpet_files
from .machine import Machine


def options() -> argparse.ArgumentParser:
    """Returns the parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--kernel", default="6.1", choices=FLAVOURS)
    add("--cpus", type=int, default=1)
    add("--counted", action="store_true", help="virtual time counts instructions")
    add("--timeout", type=float, default=120, metavar="SECONDS")
    add("--memory", type=int, default=1024, metavar="MIB")
    add("--append", default="", help="more words for the kernel command line")
    add("--loglevel", type=int, default=6)
    add("--pti", action="store_true", help="page-table isolation on")
    add("--no-watch", action="store_true", help="go on after a panic, warning or splat")
    add("--bochs", metavar="MODEL", help="run under Bochs with this processor model")
    add("--newer-qemu", action="store_true", help="newer_qemu.py's, not the installed one")
    add("--qemu", action="append", default=[], metavar="WORD", help="for QEMU, repeat")
    add("--file", action="append", default=[], metavar="HOST:GUEST", help="repeat")
    add("--program", action="append", default=[], metavar="NAME", help="with its libraries")
    add("--python", action="store_true", help="Python, and Limpet's package")
    add("--module", action="append", default=[], metavar="NAME", help="of the kernel's own")
    add("--limpet", action="store_true", help="Limpet's module and command")
    add("--image", action="append", default=[], metavar="FILE", help="to /limpet/images")
    add("--script", metavar="FILE", help="what the guest runs")
    add("--command", metavar="TEXT", help="or a line of shell to run")
    add("--shell", action="store_true", help="then a shell, if there is a terminal")
    add("--programs-only", action="store_true", help="show no line of the kernel's own")
    add("--name", default="boot", help="of the log, build/logs/NAME.log")
    add("--quiet", action="store_true", help="do not show the console")
    return parser


def main(arguments: list[str]) -> int:
    """Boots a guest. Returns 0 if the guest had no error and its script succeeded."""
    want = options().parse_args(arguments)
    kernel = fetch(want.kernel)
    initramfs = Initramfs()
    for pair in want.file:
        host, _, guest = pair.partition(":")
        initramfs.file(host, guest)
    for name in want.program:
        initramfs.program(name)
    if want.python:
        guest_python.add(initramfs)
    initramfs.modules(kernel, want.module)
    for guest, host in limpet_files(want.kernel).items() if want.limpet else ():
        initramfs.file(host, guest)
    for image in want.image:
        initramfs.file(image, f"/limpet/images/{Path(image).name}")
    if want.script:
        initramfs.text("/limpet/run.sh", open(want.script).read())
    elif want.command:
        initramfs.text("/limpet/run.sh", f"#!/bin/sh\n. /limpet/verdict.sh\n{want.command}\n")
    shell = want.shell and sys.stdin.isatty()
    machine = Machine(kernel=kernel, cpus=want.cpus, counted=want.counted, memory=want.memory,
                      emulator="bochs" if want.bochs else "qemu", cpu=want.bochs or "",
                      timeout=want.timeout, append=want.append + " limpet.shell" * shell, loglevel=want.loglevel,
                      pti=want.pti, watch=not want.no_watch, newer_qemu=want.newer_qemu,
                      qemu=tuple(want.qemu))
    with open_guest(machine, initramfs, want.name) as guest:
        if not want.quiet:
            guest.on_line = lambda line: _show(line, want.programs_only)
        if shell and guest.wait_record("shell") and interact(guest):
            return 0
        result = guest.finish()
    if not want.programs_only:
        for record in result.records:
            print(json.dumps(record))
    if not result.ok:
        print(result.report(), file=sys.stderr)
    print(f"{result.reason} after {result.elapsed:.1f} s", file=sys.stderr)
    return 0 if result.ok else 1


def _show(line: str, programs_only: bool) -> None:
    if not (programs_only and of_kernel(line)):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
