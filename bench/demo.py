# SPDX-License-Identifier: GPL-2.0
"""Implements `make run`: boots a stock Linux, attaches, runs a system, and shows its figures.

    python3 -m bench.demo --system demo --kernel 6.1 --cpus 1 --mode beside [--batch]
"""

import argparse
import dataclasses
import sys
import tomllib

from tests.harness.interact import interact
from tests.harness.kernels import FLAVOURS
from tests.harness.property import MODES
from tests.harness.qemu import Guest

from . import guest, page, results
from .screen import screen


def options() -> argparse.ArgumentParser:
    """Returns the parser of the options."""
    parser = argparse.ArgumentParser(prog="bench.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--system", default="demo")
    parser.add_argument("--kernel", default="6.1", choices=FLAVOURS)
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--mode", default="beside", choices=MODES)
    parser.add_argument("--batch", action="store_true", help="no shell at the end")
    return parser


def show(running: Guest, want: argparse.Namespace) -> None:
    """Prints the screen from the guest's records."""
    where = {"suite": "table1", "kernel": want.kernel, "mode": want.mode, "cpus": want.cpus,
             "unit": "instructions"}
    told: dict = {"mode": want.mode}
    for record in running.records:
        told.update({key: record[key] for key in ("doctor", "ps") if key in record})
    told["figures"] = results.figures(running.records, where)
    told["histograms"] = results.histograms(running.records, where)
    system = tomllib.loads((guest.TOP / f"systems/{want.system}.toml").read_text())
    print(screen(running.kernel.release, want.cpus, told, system), flush=True)


def main(arguments: list[str]) -> int:
    """Boots, follows the guest, and prints the screen. Then it shows a shell if there is a terminal and no --batch."""
    want = options().parse_args(arguments)
    found = page.find(want.system)
    if found:
        return page.show(want, found)
    shell = not want.batch and sys.stdin.isatty()
    print(f"booting Debian's Linux {want.kernel} under QEMU, instructions counted", flush=True)
    try:
        root = guest.initramfs(want.kernel, "demo", [want.system], want.mode)
    except guest.Missing as error:
        print(error, file=sys.stderr)
        return 1
    machine = dataclasses.replace(guest.machine(want.kernel, want.cpus, "demo", want.mode),
                                  append="limpet.shell" * shell)
    with Guest(machine, root, "demo") as running:
        guest.progress(running, sys.stdout)
        if shell and running.wait_record("shell"):
            runs = any("ps" in record for record in running.records)
            if runs:
                show(running, want)
            else:
                print("the system does not run: the lines above say where it stopped")
            if interact(running):
                return 0
            return 0 if runs and running.finish().reason == "poweroff" else 1
        result = running.finish()
        if not result.ok:
            print(result.report(), file=sys.stderr)
            return 1
        show(running, want)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
