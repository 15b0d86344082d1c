# SPDX-License-Identifier: GPL-2.0
"""Measures suites, in counted boots, for each kernel and number of CPUs.

    python3 -m bench.run --suite table1 --kernel 6.1 --cpus 1

Figures go to build/bench.jsonl and replace older ones of the same suite, kernel and number of CPUs. Exit code 1: a
run failed, or a figure is missing or does not meet its requirement.
"""

import argparse
import contextlib
import os
import sys

from tests.harness.kernels import FLAVOURS
from tests.harness.machine import accelerator
from tests.harness.qemu import Guest
from tests.harness.wire import Wire

from . import arrive, dead, guest, results, scale
from .musts import required, verdicts
from .published import report

#: The mode of each suite, and for each boot its script and systems. `measure` makes the systems of `scale`.
SUITES = {"table1": ("beside", {"table1": ["ping", "ping-pool", "control", "control-late", "control-quiet"]}),
          "table2": ("beside", {"table2": ["ferry", "call"]}), "host": ("beside", {"host": ["ping"]}),
          "sched": ("beside", {"sched": ["turns", "cost", "web-server-like", "control-edf"]}),
          "fault": ("beside", {"fault": ["fault", "restart"]}),
          "beneath": ("beneath", {"beneath": ["ping", "control"], "dead": ["outlive"],
                                  "restart": ["outlive"]}),
          "table2-beneath": ("beneath", {"table2": ["ferry", "call"]}),
          "trace": ("beside", {"trace": ["trace"]}),
          "table3": ("beside", {"table3": ["responder", "responder-tun"]}),
          "net": ("beside", {"net": ["net"]}),
          "rtlinux": ("beside", {"rtlinux": ["ferry", "rtlinux"]}),
          "rtlinux-beneath": ("beneath", {"rtlinux": ["ferry", "rtlinux"]}),
          "scale": ("beside", {"scale": []}),
          "exec": ("beside", {"exec": ["guest-probe", "guest-probes", "guest-batch", "guest-seen", "guest-sleep", "guest-schedule", "guest-stream",
                                       "guest-event", "guest-spaces"]})}


def measure(suite: str, kernel: str, cpus: int, quick: bool = False, long: bool = False) -> list[dict]:
    """Runs a suite in guests of its own. Returns its figures. `quick`: fewer samples of long measurements; figures of
    earlier runs stay in the file. `long`: 50 times as many periods in beneath mode. Raises RuntimeError if the run fails,
    or if the accelerator does not count instructions.
    """
    if accelerator() != "tcg":
        raise RuntimeError(f"ACCEL={accelerator()}: the figures are instructions, which only tcg counts")
    mode, boots = SUITES[suite]
    where = {"suite": suite, "kernel": kernel, "mode": mode, "cpus": cpus,
             "unit": "instructions"}
    records = []
    for script, images in boots.items():
        print(f"{suite}: booting Linux {kernel}, {cpus} CPU, instructions counted", file=sys.stderr)
        made = scale.compose() if script == "scale" else []
        records += _boot_records(script, images + made, kernel, cpus, mode, quick, long)
    figures = results.figures(records, where)
    histograms = results.histograms(records, where)
    if not quick:
        results.replace(figures)
    if histograms and not quick:
        results.replace(histograms, results.HISTOGRAMS)
    return figures


def _boot_records(script: str, images: list[str], kernel: str, cpus: int, mode: str, quick: bool,
                  long: bool) -> list[dict]:
    """Returns the records of one boot."""
    root = guest.initramfs(kernel, script, images, mode, quick, long)
    machine = guest.machine(kernel, cpus, script, mode, long)
    # Published figures come from a machine that booted with all its files. A machine that starts from a saved state
    # has the same medians for Limpet, but Linux's fork and exec take up to 3 % more.
    machine.boot = not quick
    with contextlib.ExitStack() as opened:
        wire = opened.enter_context(Wire()) if script in guest.WIRED else None
        if wire:
            machine.qemu += wire.qemu
        running = opened.enter_context(Guest(machine, root, f"bench-{script}-{kernel}-{cpus}-{mode}"))
        guest.progress(running, sys.stderr)
        if script == "dead":
            return dead.follow(running)
        done = arrive.follow(running, wire) if wire else running.finish()
    if not done.ok:
        raise RuntimeError(done.report())
    return done.records


def options() -> argparse.ArgumentParser:
    """Returns the parser of the options. Lists are words separated by spaces or commas."""
    def words(text):
        return text.replace(",", " ").split()

    parser = argparse.ArgumentParser(prog="bench", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="all", choices=[*SUITES, "all"])
    parser.add_argument("--kernel", "--kernels", type=words, default=["6.1"])
    parser.add_argument("--cpus", type=words, default=["1"])
    return parser


def main(arguments: list[str]) -> int:
    """Measures, prints tables, and reports the requirements that are not met."""
    parser = options()
    want = parser.parse_args(arguments)
    for kernel in want.kernel:
        if kernel not in FLAVOURS:
            parser.error(f"no kernel {kernel!r}: {', '.join(FLAVOURS)}")
    suites = list(SUITES) if want.suite == "all" else [want.suite]
    failed = 0
    for kernel in want.kernel:
        for cpus in map(int, want.cpus):
            for suite in suites:
                failed += not _run(suite, kernel, cpus)
    return 1 if failed else 0


def _run(suite: str, kernel: str, cpus: int) -> bool:
    try:
        figures = measure(suite, kernel, cpus, long=bool(os.environ.get("LIMPET_LONG")))
    except (RuntimeError, guest.Missing) as error:
        print(error, file=sys.stderr)
        return False
    print(report(figures))
    found, number = verdicts(figures), required(suite, figures, quick=False)
    if len(found) != number:
        print(f"{suite}, Linux {kernel}, {cpus} CPU: {len(found)} of {number} requirements were checked: a figure is missing",
              file=sys.stderr)
    return len(found) == number and all(verdict.holds for verdict in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
