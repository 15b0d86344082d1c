# SPDX-License-Identifier: BSD-2-Clause
"""Writes the report: aligned tables of the composed system."""

from .capabilities import spans
from .link import PAGE


def kib(size):
    return f"{size // 1024}K" if size % 1024 == 0 else str(size)


def table(head, rows, right=()):
    """Returns aligned columns. Those in `right` are right-aligned."""
    lines = [head] + [["-" if cell in (None, "") else str(cell) for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = ""
    for line in lines:
        cells = [cell.rjust(width) if column in right else cell.ljust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        text += "  " + "  ".join(cells).rstrip() + "\n"
    return text


def parts(component):
    """Returns the sizes of text, rodata and data."""
    sizes = {s["rights"]: s["size"] for s in component["segments"]}
    return [kib(sizes[rights]) if rights in sizes else None for rights in ("r-x", "r--", "rw-")]


def flags(component):
    return " ".join(component["privileges"] + (["fpu"] if component["fpu"] else [])
                    + (["branch-barrier"] if component["branch_barrier"] else []))


def stack(component):
    """Returns the size of a stack, and the number of the pool's stacks: "12K" or "12K x 4"."""
    size = kib(component["stack_size"])
    return f"{size} x {component['pool']}" if component["pool"] else size


def components(data):
    rows = [[c["index"], c["name"], c["image"], "each" if c["cpu"] is None else c["cpu"],
             c["thread"], c["priority"], f"{c['address']:#x}", *parts(c),
             kib(c["heap_size"]) if c["heap_size"] else None, stack(c), flags(c)]
            for c in data["components"]]
    return "Components\n\n" + table(
        ["#", "name", "image", "cpu", "thread", "priority", "address", "text", "rodata", "data",
         "heap", "stack", "privileges"], rows, right=(0, 3, 4, 5, 7, 8, 9, 10, 11))


def scheduling(data):
    """Returns the table of threads, by scheduler."""
    rows = [[c["name"], c["thread"], c["priority"], spans(c["spare_threads"]),
             c["scheduler"] or "none, it is the root"]
            for c in data["components"] if c["thread"] or c["spare_threads"]]
    return "Scheduling\n\n" + table(["component", "thread", "priority", "spare threads",
                                     "scheduler"], rows, right=(1, 2))


def faults(data):
    rows = [[c["name"], f["handler"], f["supervisor"], f["restart"], f["limit"] or None,
             f["backoff_ms"] or None, f["heartbeat_ms"] or None]
            for c in data["components"] if (f := c["faults"])]
    return "Faults\n\n" + table(["component", "handler", "supervisor", "restart", "limit",
                                 "back-off ms", "heartbeat ms"], rows,
                                right=(4, 5, 6)) if rows else ""


def guests(data):
    """Returns the table of executives that pass their guests to another one."""
    rows = [[c["name"], c["guest"]] for c in data["components"] if c["guest"]]
    return "Guests\n\n" + table(["executive", "passes guests to"], rows) if rows else ""


def wiring(data):
    rows = [[w["client"], w["import"], w["server"], w["interface"], w["badge"],
             f"{w['slot']}: {' '.join(w['functions'])}"] for w in data["imports"]]
    return "Wiring\n\n" + table(["client", "import", "server", "interface", "badge",
                                 "first slot: functions"], rows, right=(4,))


def capabilities(data):
    rows = [[c["name"] if not n else " ", entry["slots"], entry["what"]]
            for c in data["components"] for n, entry in enumerate(c["capabilities"])]
    return "Capabilities\n\n" + table(["component", "slots", "what"], rows)


def arguments(data):
    rows = [[c["name"] if not n else " ", name, str(value).replace("\n", "; ")]  # an environment has lines
            for c in data["components"] for n, (name, value) in enumerate(c["args"].items())]
    return "Arguments\n\n" + table(["component", "argument", "value"], rows) if rows else ""


def resources(data):
    """Returns the table of the machine's resources. Linux cannot use them while the system runs."""
    rows = [[r["component"], r["what"], r["which"], "reads" if r["shown"] else None]
            for r in data["resources"]]
    return "Resources\n\n" + table(["component", "what", "which", "linux"], rows) if rows else ""


def channels(data):
    """Returns the table of channels, which components share with Linux."""
    rows = [[c["node"], c["owner"], c["cpu"], c["number"], c["mode"], c["direction"],
             kib(c["size"]), c["access"], c["mtu"], c["mac"]] for c in data["channels"]]
    return "Channels\n\n" + table(["linux", "owner", "cpu", "number", "mode", "direction", "size",
                                   "access", "mtu", "address"], rows,
                                  right=(2, 3, 6, 8)) if rows else ""


def bridges(data):
    """Returns the table of topics of DDS, with the sizes of their messages."""
    rows = [[b["channel"], b["direction"], b["topic"], b["type"], b["reliability"], b["durability"],
             b["history"] if b["history"] == "keep_all" else f"{b['history']} {b['depth']}", b["size"]]
            for b in data["bridges"]]
    return "Bridges\n\n" + table(["channel", "direction", "topic", "type", "reliability", "durability", "history",
                                  "bytes"], rows, right=(7,)) if rows else ""


def memory(cpu):
    rows = [[p["name"], p["contents"], p["heap"] or None, p["stacks"], p["kernel"] or None,
             p["kept"] or None, p["total"], kib(p["quota"] * PAGE) if p["quota"] else None]
            for p in cpu["components"]]
    rows.append(["sum", "", "", "", "", "", cpu["needed"], ""])
    rows.append(["free", "", "", "", "", "", cpu["frames"] - cpu["needed"], ""])
    return (f"Memory of CPU {cpu['cpu']}: {cpu['needed']} of {cpu['frames']} frames of "
            f"{kib(PAGE)} are needed\n\n") + table(
                ["component", "contents", "heap", "stacks", "kernel objects", "checkpoints", "total",
                 "quota"], rows, right=(1, 2, 3, 4, 5, 6, 7))


def text(data):
    head = (f"System {data['name']}: {len(data['components'])} components on {data['cpus']} "
            f"CPU{'s' if data['cpus'] > 1 else ''}, image of {kib(data['size'])} with a ramdisk of "
            f"{data['ramdisk_size']} bytes, trace ring of {kib(data['trace'])}, "
            f"CRC {data['crc']:08x}\n")
    tables = [components(data), scheduling(data), faults(data), guests(data), wiring(data), capabilities(data), arguments(data),
              resources(data), channels(data), bridges(data)]
    tables += [memory(cpu) for cpu in data["memory"]]
    return "\n".join([head, *filter(None, tables)])
