# SPDX-License-Identifier: BSD-2-Clause
"""A small good image with everything in it, packed by the composer from parts made by hand."""

from types import SimpleNamespace

from tools.compose import contract, image, link, wiring

PAGE = 4096


def segment(address, data, rights, pages=1):
    return link.Segment(address, pages * PAGE, data, rights)


def component(index, name, cpu=0, priority=0, flags=0, heap=0):
    """A component with text; one has constants and data, too."""
    base = link.BASE + index * link.STRIDE
    parts = [segment(base, bytes(range(1, 100)), 5)]
    if index == 4:
        parts += [segment(base + PAGE, b"constants", 1), segment(base + 2 * PAGE, b"data", 3, 3)]
    layout = link.Layout(parts, {"__limpet_export_echo_call": base + 16}, base, base + 5 * PAGE,
                         base + 7 * PAGE if heap else 0, heap * PAGE, base + 64 * PAGE, 13)
    return SimpleNamespace(name=name, definition=SimpleNamespace(name="kind." + name[0]), cpu=cpu,
                           priority=priority, flags=flags, index=index, wires=[], args={},
                           layout=layout)


def wire(client, server, name="echo"):
    slot = contract.VALUES["LIMPET_SLOT_FIRST"] + len(client.wires)
    client.wires.append(wiring.Wire(server, slot, name, "echo", "call"))


def system(threads=0):
    """Two CPUs, five components, wires and arguments; `threads` more components with threads."""
    parts = [component(0, "booter", flags=1), component(1, "sched", priority=255, flags=2),
             component(2, "sched1", cpu=1, priority=255, flags=10), component(3, "server", flags=36),
             component(4, "client", priority=7, heap=2)]
    wire(parts[3], parts[1])
    wire(parts[4], parts[3])
    wire(parts[4], parts[1], "sched")
    parts[4].args = {"period": -5, "mode": "fast", "x": 1}
    parts += [component(n, f"t{n}", priority=1) for n in range(5, 5 + threads)]
    return SimpleNamespace(name="good", file="good.toml", frames=1024, cpus=2, restarts=0,
                           ramdisk=None, instances=parts)


def pack(threads=0, ramdisk=b"the ramdisk"):
    return image.pack_with(system(threads), [], ramdisk)[0]
