# SPDX-License-Identifier: GPL-2.0
"""Checks that pages repeat the figures of README.md as they are there, and compute with these.

README's tables have the newest figures. A new figure is written there first, and the tests name the places to change.
"""

import re
from pathlib import Path

import pytest

from bench.musts import JOB_SLOWER, ONE_WAY

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()
FIGURE = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])")
TABLE = re.compile(r"^(\|.*)\n\|[-:|]+\n((?:\|.*\n)+)", re.M)
#: The columns of README that count periods.
COUNTS = {"periods"}
#: Name of a figure: the first heading of its table, its row without a remark in parentheses, its column.
SOURCES = {
    "call": ("beside mode", "protected call and back, no words", "Limpet"),
    "call_4": ("beside mode", "with 4 words", "Limpet"),
    "call_6": ("beside mode", "with 6 words", "Limpet"),
    "chain": ("beside mode", "through 25 components and back", "Limpet"),
    "traced": ("beside mode", "extra cost of a traced call", "Limpet"),
    "switch": ("beside mode", "switch to a thread of another component", "Limpet"),
    "block": ("beside mode", "switch by the scheduler, from a thread that blocks", "Limpet"),
    "lock": ("beside mode", "uncontended lock and unlock", "Limpet"),
    "page": ("beside mode", "page fault, handled by a component", "Limpet"),
    "crash": ("beside mode", "from a crash until the component serves again, 64 KiB of data", "Limpet"),
    "to": ("beside mode", "message to a waiting Linux process", "Limpet"),
    "to_pipe": ("beside mode", "message to a waiting Linux process", "Linux"),
    "of": ("beside mode", "message from a Linux process to a component", "Limpet"),
    "of_pipe": ("beside mode", "message from a Linux process to a component", "Linux"),
    "both": ("beside mode", "call of a component's function by a Linux process, and back", "Limpet"),
    "both_pipe": ("beside mode", "call of a component's function by a Linux process, and back", "Linux"),
    "udp": ("beside mode", "UDP datagram, from its interrupt to a component", "Limpet"),
    "udp_socket": ("beside mode", "UDP datagram, from its interrupt to a component", "Linux"),
    "tun": ("beside mode", "the same by `limpet tun`", "Limpet"),
    "null": ("beside mode", "null system call of another process, next to a running system", "Limpet"),
    "early": ("beside mode", "Limpet", "median, idle"),
    "early_loaded": ("beside mode", "Limpet", "99 %, loaded"),
    "late": ("beside mode", "Limpet, never early", "median, idle"),
    "late_loaded": ("beside mode", "Limpet, never early", "median, loaded"),
    "late_99": ("beside mode", "Limpet, never early", "99 %, loaded"),
    "cyclic": ("beside mode", "cyclictest", "median, idle"),
    "cyclic_loaded": ("beside mode", "cyclictest", "median, loaded"),
    "cyclic_99": ("beside mode", "cyclictest", "99 %, loaded"),
    "period": ("costs for Linux, beside mode", "instructions that a period of the loop takes from Linux, with the wait",
               "figure"),
    "period_cyclic": ("costs for Linux, beside mode", "instructions of a period of cyclictest", "figure"),
    "share": ("costs for Linux, beside mode",
              "interrupts a second of the share timer, on each CPU where components of a running system run", "figure"),
    "notifier": ("costs for Linux, beside mode",
                 "additional instructions of each context switch of Linux while a guest exists", "figure"),
    "below": ("Linux is", "idle", "Limpet, median"),
    "below_off": ("Linux is", "spinning with interrupts off, 100 ms at a time", "Limpet, max"),
    "below_restart": ("Linux is", "dead, and restarted", "Limpet, max"),
    "to_below": ("beneath mode", "message to a waiting Linux process", "Limpet"),
    "to_below_pipe": ("beneath mode", "message to a waiting Linux process", "Linux"),
    "of_below": ("beneath mode", "message from a Linux process to a component", "Limpet"),
    "of_below_pipe": ("beneath mode", "message from a Linux process to a component", "Linux"),
    "both_below": ("beneath mode", "call of a component's function by a Linux process, and back", "Limpet"),
    "both_below_pipe": ("beneath mode", "call of a component's function by a Linux process, and back", "Linux"),
    "job": ("costs for Linux, beside mode", "slowdown of a job of fork, exec and computing, with a running system",
            "figure"),
    "job_below": ("beneath mode", "slowdown of a job of fork, exec and computing", "Limpet"),
}
LOADS = ("computing", "busy with memory", "busy with files", "busy with fork", "busy with a mix")
#: Page, and text that it must contain, with names of figures.
PLACES = [
    ("docs/mode.md", "| from a deadline on an idle CPU until the thread runs, median | {early} | {below} |"),
    ("docs/mode.md", "maximum of five loads beneath | {early_loaded} | {below_loads} |"),
    ("docs/mode.md", "for 100 ms, maximum | not bounded | {below_off} |"),
    ("docs/mode.md", "dead and restarts, maximum | the system ends | {below_restart} |"),
    ("docs/mode.md", "| message to a waiting Linux process | {to} | {to_below} |"),
    ("docs/mode.md", "| message from a Linux process to a component | {of} | {of_below} |"),
    ("docs/mode.md", "by a Linux process, and back | {both} | {both_below} |"),
    ("docs/mode.md", "the median is {late} on an idle CPU, and the 99 % value under load is {late_99}. "
                     "cyclictest measures {cyclic} and {cyclic_99} in"),
    ("docs/mode.md", "| a null system call of another process | {null} instructions with and without a system |"),
    ("docs/mode.md", "| each context switch of Linux | {notifier} instructions while a guest exists |"),
    ("docs/mode.md", "| interrupts of the share timer | {share} a second on each CPU"),
    ("docs/mode.md", "a job of fork, exec and computing | {job} slower | {job_below} slower |"),
    ("docs/figures.md", "Limpet's median is {late_more} larger than cyclictest's on an idle CPU, and "
                        "{late_more_loaded} larger under load."),
    ("docs/figures.md", "each CPU where its components run {share} times a second"),
    ("docs/figures.md", "each context switch takes {notifier} instructions more"),
    ("docs/figures.md", "a job of fork, exec and computing takes at most {job_slower} more"),
    ("docs/reference/costs.md", "| invocation and return, 0 words | {call} | `table1`, `invoke-N` | "
                                "| with 4 words | {call_4} | | | with 6 words | {call_6} | |"),
    ("docs/reference/costs.md", "while `limpet trace` runs | {call_traced} |"),
    ("docs/reference/costs.md", "| switch to a thread of another component | {switch} |"),
    ("docs/reference/costs.md", "| invocations through 25 components, and returns | {chain} |"),
    ("docs/reference/costs.md", "until the thread runs, beside mode | {early} |"),
    ("docs/reference/costs.md", "| the same without early waking (`--early 0`, `lead-ns = 0`) | {late} |"),
    ("docs/reference/costs.md", "| the same, beneath mode | {below} |"),
    ("docs/reference/costs.md", "| from a thread that blocks to a thread of another component | {block} |"),
    ("docs/reference/costs.md", "| start of a period under `sched.edf`, idle CPU, beside mode | {early} |"),
    ("docs/reference/costs.md", "| mutex without contention | {lock} |"),
    ("docs/reference/costs.md", "| first touch of a reserved page | {page} |"),
    ("docs/reference/costs.md", "| a message to a Linux process that uses liblimpet | {to} | {to_below} |"),
    ("docs/reference/costs.md", "| a message from liblimpet to a component | {of} | {of_below} |"),
    ("docs/reference/costs.md", "| a call of a component's function by a Linux process | {both} | {both_below} |"),
    ("docs/reference/costs.md", "from a checkpoint of 64 KiB | {crash} |"),
    ("docs/reference/costs.md", "A 1 kHz loop takes {period} instructions a period from an ordinary Linux process. "
                                "cyclictest takes {period_cyclic} ("),
    ("docs/reference/costs.md", "| figure above | {to} | {of} | {both} |"),
    ("docs/reference/costs.md", "| smaller than the sum of the trace by | {to_less} | {of_less} | {both_less} |"),
    ("docs/reference/costs.md", "| a pipe, in the boot of the figure | {to_pipe} | {of_pipe} | {both_pipe} |"),
    ("docs/reference/costs.md", "| the figure relative to a pipe | {to_part} | {of_part} | {both_part} |"),
    ("docs/reference/costs.md", "| figure | {to_below_part} | {of_below_part} | {both_below_part} |"),
    ("docs/reference/costs.md", "| required at most | {to_must} | {of_must} | {both_must} |"),
    ("docs/guide/memory.md", "A repaired fault takes {page} instructions"),
    ("docs/guide/network.md", "({udp_socket} instructions on 6.1) | {udp_part} | {tun_part} |"),
    ("CAVEATS.md", "share timer interrupts each CPU where components run** {share} times a second."),
    ("CAVEATS.md", "each context switch of Linux takes {notifier} instructions more"),
]
#: The sums of the trace in docs/reference/costs.md.
TRACE = {"to": 3482, "of": 3323, "both": 7614}
#: Figures that have the same digits as one of README: a limit, and times of a pipe in other boots.
OTHERS = {("CAVEATS.md", "4,000"), ("docs/reference/costs.md", "4,333"), ("docs/reference/costs.md", "12,773")}


def cells(line):
    """Returns the cells of a table's line."""
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def tables(text):
    """Returns the cells of all tables by the first heading, the row without its remark, and the column."""
    found = {}
    for head, body in TABLE.findall(text):
        first, *columns = cells(head)
        for line in body.splitlines():
            row, *values = cells(line)
            row = re.sub(r" \(.*\)$", "", row)
            found.update({(first, row, column): value for column, value in zip(columns, values)})
    return found


def number(value):
    """Returns the number of a figure."""
    return float(value.replace(",", ""))


def percent(part, digits=0):
    """Returns a part of one as a text in per cent."""
    return f"{100 * part:.{digits}f} %"


def figures(readme):
    """Returns the text of each figure by its name: those of README.md, and those that are computed from them."""
    known = tables(readme)
    text = {name: known[key] for name, key in SOURCES.items()}

    def part(one, other):
        return number(text[one]) / number(text[other])

    text["below_loads"] = max((known["Linux is", load, "Limpet, max"] for load in LOADS), key=number)
    text["call_traced"] = f"{number(text['call']) + number(text['traced']):.0f}"
    text["late_more"] = percent(part("late", "cyclic") - 1)
    text["late_more_loaded"] = percent(part("late_loaded", "cyclic_loaded") - 1)
    text["udp_part"] = f"{part('udp', 'udp_socket'):.2f}"
    text["tun_part"] = f"{part('tun', 'udp_socket'):.2f}"
    for name in ("to", "of", "both", "to_below", "of_below", "both_below"):
        text[f"{name}_part"] = f"{part(name, f'{name}_pipe'):.2f}"
    for name, case in {"to": "to-linux", "of": "from-linux", "both": "call"}.items():
        text[f"{name}_must"] = str(ONE_WAY["beneath"][case])
    for name, trace in TRACE.items():
        text[f"{name}_less"] = percent(1 - number(text[name]) / trace)
    text["job_slower"] = percent(JOB_SLOWER, 1)
    return text


def flat(text):
    """Returns a text in one line."""
    return " ".join(text.split())


KNOWN = figures(README)


@pytest.mark.parametrize("page, place", PLACES)
def test_figure_is_that_of_readme(page, place):
    assert place.format_map(KNOWN) in flat((ROOT / page).read_text())


@pytest.mark.parametrize("page", sorted({page for page, _ in PLACES}))
def test_each_place_is_listed(page):
    """A page repeats a figure of README.md with more than three digits only at the places of the list."""
    rest = flat((ROOT / page).read_text())
    for place in (place for name, place in PLACES if name == page):
        rest = rest.replace(place.format_map(KNOWN), "")
    known = {figure for (_, _, column), value in tables(README).items() if column not in COUNTS
             for figure in FIGURE.findall(value)}
    assert len(known) > 30
    assert {figure for figure in FIGURE.findall(rest) if figure in known and (page, figure) not in OTHERS} == set()


def test_a_changed_figure_is_found():
    row = "| message to a waiting Linux process | "
    assert README.count(row + KNOWN["to"]) == 1
    other = figures(README.replace(row + KNOWN["to"], row + "1" + KNOWN["to"]))
    costs = "docs/reference/costs.md"
    page = flat((ROOT / costs).read_text())
    wrong = {place for name, place in PLACES if name == costs and place.format_map(other) not in page}
    assert len(wrong) == 4 and all("{to}" in place or "{to_part}" in place or "{to_less}" in place for place in wrong)
