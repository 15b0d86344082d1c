# SPDX-License-Identifier: GPL-2.0
"""Published figures of comparable systems, with their authors' words and machines. They were not measured here."""

from .tables import aligned, table

SOURCES = {
    "Kinebuchi": "Constructing a Multi-OS Platform with Minimal Engineering Cost",
    "Mehnert": "RTLinux with Address Spaces",
    "Leslie": "Wombat: A Portable User-Mode Linux for Embedded Systems",
}

#: Suite -> case, system, figure, source.
FIGURES = {"beneath": [
    ("timer", "SPUMONE", "20 us: maximum error of a 1 ms task, 100,000 periods", "Kinebuchi", "4.3"),
    ("timer", "L4RTL", "85 us: worst case from the event to the thread's first instruction",
     "Mehnert", "3.2, table 1"),
    ("timer", "RTLinux", "68 us: the same, without protection", "Mehnert", "3.2, table 1"),
    ("job", "SPUMONE", "1.4 % more time to build Linux", "Kinebuchi", "4.1, table 2"),
    ("null-syscall", "Wombat; UML", "3.5 x native; 23 x", "Leslie", "6, table 1"),
    ("rpc", "Wombat; UML", "pipe: 1.75 x native; 13 x", "Leslie", "6, table 1"),
], "rtlinux-beneath": [
    ("periodic-both", "L4RTL", "85 us at 800 MHz, 68,000 cycles: worst case from the event to the thread's first "
     "instruction, hbench and cache flooder", "Mehnert", "3.2, table 1"),
    ("periodic-both", "RTLinux", "68 us, 54,400 cycles: the same, without protection", "Mehnert", "3.2, table 1"),
]}


def published(suite: str) -> str:
    """Returns a table that follows that of a suite, or an empty text if nothing comparable was published."""
    found = FIGURES.get(suite)
    if not found:
        return ""
    rows = [["case", "system", "published", "by"]]
    rows += [[case, system, figure, f"{author} et al., section {section}"]
             for case, system, figure, author, section in found]
    authors = {author for _, _, _, author, _ in found}
    return ("\npublished by others, on machines of their own, not measured here:\n" + aligned(rows) +
            "".join(f"{author} et al.: {title}\n" for author, title in SOURCES.items() if author in authors))


def report(figures: list[dict]) -> str:
    """Returns the table of one run, and the published figures for it."""
    return table(figures) + published(figures[0]["suite"])
