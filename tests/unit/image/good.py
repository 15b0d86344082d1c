# SPDX-License-Identifier: BSD-2-Clause
"""A small valid image with parts of all kinds, which the composer packs from handmade parts."""

from types import SimpleNamespace

from tools.compose import channel, contract, image, link, policy, resource, wiring

PAGE = 4096


def segment(address, data, rights, pages=1):
    return link.Segment(address, pages * PAGE, data, rights)


def component(index, name, cpu=0, priority=0, flags=0, heap=0, pool=0):
    """Returns a component with text. One component also has constants, data, symbols and unwind records."""
    base = link.BASE + index * link.STRIDE
    parts = [segment(base, bytes(range(1, 100)), 5)]
    functions, unwinds = [(0, "start")], [(0, 8)]
    if index == 4:
        parts += [segment(base + PAGE, b"constants", 1), segment(base + 2 * PAGE, b"data", 3, 3)]
        functions += [(16, "f"), (40, "g" * 63)]
        unwinds += [(17, 16), (20, contract.VALUES["LIMPET_UNWIND_UNKNOWN"]), (40, 1 << 20)]
    symbols = {"__limpet_export_echo_call": base + 16, policy.SYMBOL: base + 32}
    stacks = (9, 1024, base + 256 * PAGE, 13) if pool else (13, 1024, 0, 0)
    layout = link.Layout(parts, symbols, base, base + 5 * PAGE, base + 11 * PAGE if heap else 0,
                         heap * PAGE, base + 64 * PAGE, *stacks, functions, unwinds)
    return SimpleNamespace(name=name, definition=SimpleNamespace(libc=None, name="kind." + name[0]), cpu=cpu,
                           priority=priority, flags=flags, index=index, wires=[], args={}, resources=[], channels=[],
                           layout=layout, threads=0, stacks=pool, scheduler=None, quota=256, faults=None,
                           supervisor=None, manager=None, guest=None, update=0,
                           policy=policy.Policy(None, "stop", 0, 0, 0))


def wire(client, server, name="echo"):
    slot = contract.VALUES["LIMPET_SLOT_FIRST"] + len(client.wires)
    client.wires.append(wiring.Wire(server, slot, name, "echo", "call"))


def part(kind, first, count=1, flags=0):
    """Returns a resource in the form of system files."""
    kind = contract.VALUES[f"LIMPET_RESOURCE_{kind}"]
    return "", resource.Resource(kind, first, count, "", flags)


def resources():
    """Returns one resource of each kind, and interrupt lines that every component may have."""
    values = contract.VALUES
    return [part("PORTS", 0x2f8, 8), part("PORTS", 0x70),
            part("MEMORY", 0xfed00000, 2 * PAGE, values["LIMPET_RESOURCE_SHOWN"]),
            part("INTERRUPT", 20, flags=values["LIMPET_RESOURCE_LEVEL"]),
            part("INTERRUPT", values["LIMPET_LINE_LINUX"]),
            part("INTERRUPT", values["LIMPET_LINE_MESSAGE"]), part("PCI", 3 << 3)]


def share(owner, name, number, mode="messages", to_linux=PAGE, to_component=PAGE):
    """Adds a channel in the form of system files."""
    network, nodeless = mode == "network", mode in ("network", "attached")
    owner.channels.append(channel.Channel(
        name, owner, mode, to_linux, to_component, 0 if nodeless else 0o640, 1500 if network else 0,
        channel.default_mac(name) if network else bytes(6), None, number))


def supervise(client, handler, supervisor, *rule):
    client.faults, client.supervisor = handler, supervisor
    client.policy = policy.Policy(handler.name, *rule)


def system(threads=0, spares=0):
    """Returns a system with two CPUs, seven components, wires, arguments, resources, a supervisor, and a nested
    scheduler with spare threads. It adds components until there are `threads` more threads.
    """
    parts = [component(0, "booter", flags=1), component(1, "sched", priority=255, flags=2),
             component(2, "sched1", cpu=1, priority=255, flags=10), component(3, "server", flags=36),
             component(4, "client", priority=7, heap=2, pool=2),
             component(5, "nested", priority=9, flags=2), component(6, "visor", flags=64)]
    wire(parts[3], parts[1])
    wire(parts[4], parts[3])
    wire(parts[4], parts[1], "sched")
    parts[4].args = {"period": -5, "mode": "fast", "x": 1}
    parts[1].resources, parts[3].resources = resources()[4:6], [part("MEMORY", 0xd0000000, PAGE)]
    parts[4].resources = resources() + [part("PORTS", 0x300 + n) for n in range(3)]  # the maximum
    share(parts[1], "sensor", 2)
    share(parts[2], "limpet0", 2, "network", 16 * PAGE, 16 * PAGE)
    share(parts[4], "text", 3, "bytes", 0)
    share(parts[4], "picture", 4, "shared", 63 * PAGE, 0)
    share(parts[5], "rtf7", 5, "fifo")
    share(parts[5], "picture", 3, "attached", 63 * PAGE, 0)
    parts[4].threads, parts[4].scheduler, parts[5].scheduler = 2, parts[5], parts[1]
    supervise(parts[3], parts[6], parts[6], "checkpoint", 10, 100, 1000)
    supervise(parts[4], parts[3], parts[6], "image", 3, 0, 0)
    parts[5].faults = parts[5]
    while threads > 0:
        parts.append(component(len(parts), f"t{len(parts)}", priority=1))
        parts[-1].threads, parts[-1].scheduler = min(threads - 1, spares), parts[1]
        threads -= 1 + parts[-1].threads
    return SimpleNamespace(name="good", file="good.toml", frames=1024, cpus=2, restarts=0,
                           trace=65536, depth=28, ramdisk=None, instances=parts)


def pack_chain(count):
    """Returns an image with `count` executives after the seven components. Each passes guests to the one before."""
    many = system(count)
    for before, i in zip(many.instances[7:], many.instances[8:]):
        i.guest = before
    return image.pack_with(many, [], b"")[0]


def pack_attached(times):
    """Returns an image in which a component has another component's buffer `times` times."""
    many = system()
    for _ in range(times - 1):
        share(many.instances[5], "picture", 3, "attached", 63 * PAGE, 0)
    return image.pack_with(many, [], b"")[0]


def pack_attached_before():
    """Returns an image in which a component has the buffer of a later one, so that its channel is before the other."""
    many = system()
    share(many.instances[4], "late", 7, "attached", PAGE, 0)
    share(many.instances[5], "late", 6, "shared", PAGE, 0)
    return image.pack_with(many, [], b"")[0]


def pack_update():
    """Returns an image in which a component can be replaced, but its parts do not have equal sizes."""
    many = system()
    many.instances[4].flags = contract.VALUES["LIMPET_COMPONENT_UPDATE"]
    return image.pack_with(many, [], b"")[0]


def pack_resources(kinds):
    """Adds two resources to each of the components after the seven."""
    many = system(len(kinds))
    for i in many.instances:
        i.resources = []
    for n, kind in enumerate(kinds):
        many.instances[7 + n // 2].resources.append(part(kind, n))
    return image.pack_with(many, [], b"")[0]


def pack_channels(name="x", one=16, other=0, mode="messages"):
    """Returns an image with `one` channels of one component, and `other` channels of others, sixteen each."""
    many = system(1 + -(-other // 16))
    for i in many.instances:
        i.channels = []
    for n in range(one + other):
        share(many.instances[7 + (n >= one) * (1 + (n - one) // 16)], f"{name}{n}" if n else name, 2 + n,
              *([mode, 16 * PAGE, 16 * PAGE] if n == 0 else []))
    return image.pack_with(many, [], b"")[0]


def pack(threads=0, ramdisk=b"the ramdisk"):
    return image.pack_with(system(threads, contract.VALUES["LIMPET_SPARES_MAX"]), [], ramdisk)[0]
