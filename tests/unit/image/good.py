# SPDX-License-Identifier: BSD-2-Clause
"""A small good image with everything in it, packed by the composer from parts made by hand."""

from types import SimpleNamespace

from tools.compose import contract, image, link, resource, wiring

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
                           priority=priority, flags=flags, index=index, wires=[], args={}, resources=[],
                           layout=layout)


def wire(client, server, name="echo"):
    slot = contract.VALUES["LIMPET_SLOT_FIRST"] + len(client.wires)
    client.wires.append(wiring.Wire(server, slot, name, "echo", "call"))


def part(kind, first, count=1, flags=0):
    """A resource as system files give it."""
    kind = contract.VALUES[f"LIMPET_RESOURCE_{kind}"]
    return "", resource.Resource(kind, first, count, "", flags)


def resources():
    """One of each kind, and lines that everybody may have."""
    values = contract.VALUES
    return [part("PORTS", 0x2f8, 8), part("PORTS", 0x70),
            part("MEMORY", 0xfed00000, 2 * PAGE, values["LIMPET_RESOURCE_SHOWN"]),
            part("INTERRUPT", 20, flags=values["LIMPET_RESOURCE_LEVEL"]),
            part("INTERRUPT", values["LIMPET_LINE_LINUX"]),
            part("INTERRUPT", values["LIMPET_LINE_MESSAGE"]), part("PCI", 3 << 3)]


def system(threads=0):
    """Two CPUs, five components, wires, arguments, resources; `threads` more components with threads."""
    parts = [component(0, "booter", flags=1), component(1, "sched", priority=255, flags=2),
             component(2, "sched1", cpu=1, priority=255, flags=10), component(3, "server", flags=36),
             component(4, "client", priority=7, heap=2)]
    wire(parts[3], parts[1])
    wire(parts[4], parts[3])
    wire(parts[4], parts[1], "sched")
    parts[4].args = {"period": -5, "mode": "fast", "x": 1}
    parts[1].resources, parts[3].resources = resources()[4:6], [part("MEMORY", 0xd0000000, PAGE)]
    parts[4].resources = resources() + [part("PORTS", 0x300 + n) for n in range(3)]  # the most
    parts += [component(n, f"t{n}", priority=1) for n in range(5, 5 + threads)]
    return SimpleNamespace(name="good", file="good.toml", frames=1024, cpus=2, restarts=0,
                           ramdisk=None, instances=parts)


def pack_resources(kinds):
    """Two for each of the components behind the five."""
    many = system(len(kinds))
    for i in many.instances:
        i.resources = []
    for n, kind in enumerate(kinds):
        many.instances[5 + n // 2].resources.append(part(kind, n))
    return image.pack_with(many, [], b"")[0]


def pack(threads=0, ramdisk=b"the ramdisk"):
    return image.pack_with(system(threads), [], ramdisk)[0]
