# SPDX-License-Identifier: BSD-2-Clause
"""Resources of the machine that components get: ports, memory, interrupts and PCI functions."""

import re
from dataclasses import dataclass

from . import component
from .contract import VALUES
from .errors import Mistakes

PAGE = VALUES["LIMPET_PAGE"]
KINDS = ("ports", "memory", "interrupts", "pci")
NUMBER = r"(0x[0-9a-fA-F]{1,16}|\d{1,18})"
RANGE = re.compile(rf"{NUMBER}(?:-{NUMBER})?")
MEMORY = re.compile(rf"{NUMBER}-{NUMBER}( shown)?")
LINE = re.compile(r"(\d{1,18})(?: (edge|level))?")
PCI = re.compile(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}):([01][0-9a-fA-F])\.([0-7])")
LINES = {"linux": VALUES["LIMPET_LINE_LINUX"], "message": VALUES["LIMPET_LINE_MESSAGE"]}
LEVEL, SHOWN = VALUES["LIMPET_RESOURCE_LEVEL"], VALUES["LIMPET_RESOURCE_SHOWN"]
ISA_LINES = 16  # lower lines are those of legacy devices: edge triggered
MEMORY_MAX, MEMORY_END = VALUES["LIMPET_DEVICE_MEMORY_MAX"], VALUES["LIMPET_DEVICE_MEMORY_END"]
OWN_MAX, ALL_MAX = VALUES["LIMPET_INFO_RESOURCES"], VALUES["LIMPET_RESOURCES_MAX"]

# Ports and memory that are harmful in a component's hands: (first, last, name).
PORTS_REFUSED = (
    (0x20, 0x21, "an interrupt controller, which masks all of Linux's interrupts"),
    (0x40, 0x43, "the interval timer, by which Linux keeps time"),
    (0x61, 0x61, "the interval timer's gate and the reasons of NMIs"),
    (0x64, 0x64, "the keyboard controller, which resets the processor"),
    (0x92, 0x92, "system control port A, which resets the processor"),
    (0xa0, 0xa1, "an interrupt controller, which masks all of Linux's interrupts"),
    (0xcf8, 0xcff, "the way to all PCI functions, and to the machine's reset"))
MEMORY_REFUSED = (
    (0xfec00000, 0xfec00fff, "an I/O APIC, which sends every interrupt anywhere"),
    (0xfee00000, 0xfee00fff, "the local APICs, which interrupt and reset processors"))


@dataclass(frozen=True)
class Resource:
    """A record of the image. `text` is its form for people."""

    kind: int
    first: int
    count: int
    text: str
    flags: int = 0

    @property
    def parts(self):
        return VALUES["LIMPET_PCI_PARTS"] if self.kind == VALUES["LIMPET_RESOURCE_PCI"] else 1

    @property
    def shared(self):
        """True if several components may have it."""
        return self.kind == VALUES["LIMPET_RESOURCE_INTERRUPT"] and self.first in LINES.values()

    def meets(self, other):
        return (self.kind == other.kind and not self.shared and
                self.first < other.first + other.count and other.first < self.first + self.count)


def check_harm(t, key, text, first, last, refused):
    for low, high, what in refused:
        if first <= high and low <= last:
            t.refuse(key, f"'{text}' contains {low:#x}, {what}. No component can own it. Remove it.")


def read_range(t, key, text, pattern, form):
    """Returns (first, last, match) of "FIRST-LAST"."""
    match = pattern.fullmatch(text) if isinstance(text, str) else None
    if not match:
        t.refuse(key, f"'{str(text)[:60]}' is not a range. Numbers are hexadecimal or decimal. Write "
                 f'{key} = ["{form}"].')
    first = int(match[1], 0 if match[1].startswith("0x") else 10)
    last = first if match[2] is None else int(match[2], 0 if match[2].startswith("0x") else 10)
    if last < first:
        t.refuse(key, f"'{text}' ends before it starts. A range has the form FIRST-LAST. Swap the numbers.")
    return first, last, match


def read_ports(t, key, text):
    first, last, _ = read_range(t, key, text, RANGE, "0x2f8-0x2ff")
    if last > 0xffff:
        t.refuse(key, f"'{text}' is out of range. Ports are 0 to 0xffff. Correct it.")
    check_harm(t, key, text, first, last, PORTS_REFUSED)
    name = f"{first:#x}-{last:#x}" if last > first else f"{first:#x}"
    return Resource(VALUES["LIMPET_RESOURCE_PORTS"], first, last - first + 1, name)


def read_memory(t, key, text):
    """Reads whole pages, because the processor cannot protect less."""
    first, last, match = read_range(t, key, text, MEMORY, "0xfed00000-0xfed003ff")
    first, end = first - first % PAGE, last + PAGE - last % PAGE
    if end > MEMORY_END:
        t.refuse(key, f"'{text}' is out of range. Physical addresses are below {MEMORY_END:#x}. Correct it.")
    if end - first > MEMORY_MAX:
        t.refuse(key, f"'{text}' is too large. A range has at most {MEMORY_MAX >> 20}M. Name only the registers.")
    check_harm(t, key, text, first, end - 1, MEMORY_REFUSED)
    return Resource(VALUES["LIMPET_RESOURCE_MEMORY"], first, end - first,
                    f"{first:#x}-{end - 1:#x}", SHOWN if match[3] else 0)


def read_interrupt(t, key, value):
    if isinstance(value, str) and value in LINES:
        return Resource(VALUES["LIMPET_RESOURCE_INTERRUPT"], LINES[value], 1, value)
    number = isinstance(value, int) and not isinstance(value, bool)
    match = LINE.fullmatch(str(value)) if number or isinstance(value, str) else None
    if not match:
        t.refuse(key, f"'{str(value)[:60]}' is not an interrupt. An interrupt is the number of a line, also with edge "
                 'or level, or "linux" or "message". Write interrupts = [3, "20 edge"].')
    line = int(match[1])
    if line >= VALUES["LIMPET_LINES_MAX"]:
        t.refuse(key, f"{line} is out of range. Lines are 0 to {VALUES['LIMPET_LINES_MAX'] - 1}. Correct it.")
    level = match[2] == "level" if match[2] else line >= ISA_LINES
    return Resource(VALUES["LIMPET_RESOURCE_INTERRUPT"], line, 1,
                    f"{line} {'level' if level else 'edge'}", LEVEL if level else 0)


def read_pci(t, key, text):
    match = PCI.fullmatch(text) if isinstance(text, str) else None
    if not match:
        t.refuse(key, f"'{str(text)[:60]}' is not a PCI function. A PCI function is bus, device and function as "
                 'lspci prints them. Write pci = ["00:03.0"].')
    domain, bus, device, function = (int(part or "0", 16) for part in match.groups())
    return Resource(VALUES["LIMPET_RESOURCE_PCI"],
                    domain << 16 | bus << 8 | device << 3 | function, 1,
                    f"{domain:04x}:{bus:02x}:{device:02x}.{function}")


READERS = dict(zip(KINDS, (read_ports, read_memory, read_interrupt, read_pci)))


def read(t, definition, priority):
    """Returns [(key, Resource)] of one component."""
    found = []
    for key, reader in READERS.items():
        values = t.get(key, list, "[...]", [])
        if values and component.DEVICES not in definition.privileges:
            t.refuse(key, f"is given, but {definition.name} has no privilege for parts of the "
                     f"machine. Remove it or add 'devices' to privileges of {definition.file}.")
        if values and key == "interrupts" and not priority:
            t.refuse(key, f"is given, but {definition.name} has no thread that could wait for interrupts. Give it a "
                     "priority, or remove the key.")
        found += [(key, reader(t, key, value)) for value in values]
    total = sum(r.parts for _, r in found)
    if total > OWN_MAX:
        t.refuse(found[-1][0], f"makes {total} resources, including all parts of PCI functions. A "
                 f"component gets at most {OWN_MAX}. Remove some.")
    return found


def check_one(instance, key, resource, seen):
    """Refuses a resource that was assigned before."""
    for other, before in seen:
        twice = other is instance and resource.text == before.text == "linux"
        if twice or resource.meets(before):
            refuse_overlap(instance, key, resource, other, before)


def check_apart(system):
    """Checks that no resource is assigned twice, in the order of the file, so that the later assignment is reported."""
    seen, mistakes = [], Mistakes()
    for instance in system.instances:
        for key, resource in instance.resources:
            mistakes.of(check_one, instance, key, resource, seen)
            seen.append((instance, resource))
    mistakes.end()


def refuse_overlap(instance, key, resource, other, before):
    whose = "This component" if other is instance else f"'{other.name}'"
    what = f"'{resource.text}' and '{before.text}' overlap"
    if resource.text == before.text:
        what = f"'{resource.text}' is given twice"
    pages = " in whole pages" if key == "memory" else ""
    instance.table.refuse(key, f"{what}{pages}. {whose} has it already. A part of the machine belongs to one "
                          "component. Remove one.")


def check(top, system):
    check_apart(system)
    total = sum(r.parts for i in system.instances for _, r in i.resources)
    if total > ALL_MAX:
        top.refuse("component", f"The components have {total} resources, including all parts of PCI functions. An "
                   f"image has at most {ALL_MAX}. Remove some.")
