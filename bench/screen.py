# SPDX-License-Identifier: GPL-2.0
"""Formats the screen at the end of `make run`."""

from . import histogram
from .results import find
from .tables import aligned

WIDTH = 100
BAR = 40
#: Shown only in the table of wake-up errors, because Linux has no comparable figure.
MISBEHAVING = {"limpet-irqs-off": "Limpet, Linux's interrupts off",
               "limpet-restart": "Limpet, Linux panics, boots again"}
EARLY = """
Limpet wakes an idle CPU before the deadline and waits for it; cyclictest does not. A Linux thread can
do the same: `make bench SUITE=table1` measures both with and without.
"""


def heading(text: str) -> str:
    """Returns a separator line with a title."""
    return f"\n── {text} {'─' * max(0, WIDTH - len(text) - 4)}\n"


def attached(release: str, cpus: int, mode: str, doctor: dict) -> str:
    """Describes the attachment: kernel, machine and mode."""
    bad = [check["name"] for check in doctor["checks"] if check["state"] == "refused"]
    return (f"Limpet is attached {mode} Linux {release}: Debian's own kernel, not changed, "
            f"{cpus} CPU{'s' * (cpus > 1)}.\n"
            f"limpet doctor: {len(doctor['checks'])} checks, "
            f"{'refused: ' + ', '.join(bad) if bad else 'none refused'}.\n"
            "All figures are instructions, counted by QEMU in this one boot: path length and\n"
            "blocking, no caches, no TLBs. The guest's clock counts them too: `sleep` is short.\n")


def components(ps: dict, system: dict) -> str:
    """Lists the components, their imports, and their threads."""
    imports = {component["name"]: sorted(set(component.get("imports", {}).values()))
               for component in system["component"]}
    rows = [["component", "is a", "may call", "its thread", "priority", "invocations", "faults"]]
    for component in ps["components"]:
        name = component["name"]
        thread = next((t for t in ps["threads"]
                       if t["home"] == name and t["cpu"] == component["cpu"]), None)
        rows.append([name, component["image"], ", ".join(imports.get(name, [])) or "-",
                     _thread(thread) if thread else "-", str(thread["priority"] or "-") if thread else "-",
                     f"{component['invocations']:,}", str(component["faults"])])
    return aligned(rows, right=(4, 5, 6))


def _thread(thread: dict) -> str:
    """Describes a thread. A thread that is invoking another component is in that one."""
    if thread["inside"] != thread["home"]:
        return f"is in {thread['inside']}"
    return thread["state"]


def restarted(ps: dict) -> str:
    """Returns whether this Linux is a different one from that in which the system was started."""
    if not ps.get("restarts"):
        return ""
    return (f"\nLinux was restarted {ps['restarts']} time{'s' * (ps['restarts'] > 1)}, the last time "
            f"because {ps['restarted_since']}. The system has kept running for {ps['uptime']:.1f} s.\n")


def round_trips(figures: list[dict]) -> str:
    """Draws medians as bars on one scale."""
    kinds = [("Limpet: invocation, 0 words", "invoke-0", "limpet"),
             ("Limpet: invocation, 4 words", "invoke-4", "limpet"),
             ("Limpet: invocation, 6 words", "invoke-6", "limpet"),
             ("Limpet: dispatch, one way", "dispatch", "limpet"),
             ("Linux: eventfd", "rpc", "eventfd"), ("Linux: futex", "rpc", "futex"),
             ("Linux: pipe", "rpc", "pipe"), ("Linux: Unix socket", "rpc", "unix")]
    found = [(words, figure["median"]) for words, *key in kinds
             if (figure := find(figures, *key))]
    if not found:
        return ""
    highest = max(median for _, median in found)
    lines = [f"{words:<29}{median:>8,.0f}  {histogram.bar(median / highest, BAR)}".rstrip()
             for words, median in found]
    return "\n".join(lines) + "\n"


def null_syscall(figures: list[dict]) -> str:
    """Describes the cost for Linux's own processes."""
    before, running = (find(figures, "null-syscall", name) for name in ("before", "running"))
    if not before or not running:
        return ""
    return (f"\nNull system call of any other Linux process: {before['median']:,} without Limpet, "
            f"{running['median']:,} while the system runs.\n")


def timer(figures: list[dict], histograms: list[dict]) -> str:
    """Shows medians, tails and histograms of wake-up errors."""
    rows = [["", "median", "p99", "max"]]
    for subject, words in (histogram.COLUMNS | MISBEHAVING).items():
        figure = find(figures, "timer", subject)
        if figure:
            rows.append([words, *(f"{figure[name]:,}" for name in ("median", "p99", "max"))])
    if len(rows) == 1:
        return ""
    return aligned(rows, right=(1, 2, 3)) + EARLY + "\n" + histogram.text(histograms)


def screen(release: str, cpus: int, records: dict, system: dict) -> str:
    """Returns the whole screen. `records`: mode, doctor, ps, figures, histograms."""
    name, figures = system["system"]["name"], records["figures"]
    parts = [heading("what is attached to what"),
             attached(release, cpus, records["mode"], records["doctor"]),
             heading(f"the system {name}: components and what each may call"),
             components(records["ps"], system), restarted(records["ps"]),
             heading("there and back between two address spaces, median"),
             round_trips(figures) + null_syscall(figures)]
    late = timer(figures, records["histograms"])
    if late:
        parts += [heading("how late a 1 kHz loop wakes up: Limpet's control, Linux's cyclictest"),
                  late]
    return "".join(parts)
