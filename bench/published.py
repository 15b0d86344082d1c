# SPDX-License-Identifier: GPL-2.0
"""Published figures of comparable systems, with their authors' words and machines. They were not measured here."""

from .tables import aligned, table

SOURCES = {
    "Kinebuchi": "Constructing a Multi-OS Platform with Minimal Engineering Cost",
    "Mehnert": "RTLinux with Address Spaces",
    "Leslie": "Wombat: A Portable User-Mode Linux for Embedded Systems",
}

#: Case of the suite beneath, system, figure, source.
FIGURES = [
    ("timer", "SPUMONE", "20 us: greatest error of a 1 ms task, 100,000 periods", "Kinebuchi", "4.3"),
    ("timer", "L4RTL", "85 us: worst case from the event to the thread's first instruction",
     "Mehnert", "3.2, table 1"),
    ("timer", "RTLinux", "68 us: the same, without protection", "Mehnert", "3.2, table 1"),
    ("job", "SPUMONE", "1.4 % more time to build Linux", "Kinebuchi", "4.1, table 2"),
    ("null-syscall", "Wombat; UML", "3.5 x native; 23 x", "Leslie", "6, table 1"),
    ("rpc", "Wombat; UML", "pipe: 1.75 x native; 13 x", "Leslie", "6, table 1"),
]


def published() -> str:
    """Returns a table that follows that of the suite beneath."""
    rows = [["case", "system", "published", "by"]]
    rows += [[case, system, figure, f"{author} et al., section {section}"]
             for case, system, figure, author, section in FIGURES]
    return ("published by others, on machines of their own, not measured here:\n" + aligned(rows) +
            "".join(f"{author} et al.: {title}\n" for author, title in SOURCES.items()))


def report(figures: list[dict]) -> str:
    """Returns the table of one run, and the published figures for it."""
    return table(figures) + ("\n" + published() if figures[0]["mode"] == "beneath" else "")
