# SPDX-License-Identifier: BSD-2-Clause
"""Describes a composed system as plain data, for --json, the report and the picture."""

from . import capabilities, memory
from .contract import VALUES
from .link import PAGE

RIGHTS = {1: "r--", 3: "rw-", 5: "r-x"}


def faults(i):
    """Returns the handler of its faults and its policy, or None without a handler."""
    rule = i.policy
    return i.faults and {
        "handler": i.faults.name, "supervisor": i.supervisor and i.supervisor.name,
        "restart": rule.restart if i.supervisor else None, "limit": rule.limit,
        "backoff_ms": rule.backoff, "heartbeat_ms": rule.heartbeat}


def component(system, i):
    place = i.layout
    return {
        "name": i.name, "image": i.definition.name, "doc": i.definition.doc, "index": i.index,
        "cpu": None if i.booter else i.cpu, "thread": i.thread, "priority": i.priority or None,
        "spare_threads": i.spares, "scheduler": i.scheduler and i.scheduler.name,
        "faults": faults(i), "guest": i.guest and i.guest.name,
        "address": place.segments[0].address, "entry": place.entry,
        "segments": [{"address": s.address, "size": s.size, "file_size": len(s.data),
                      "rights": RIGHTS[s.rights]} for s in place.segments],
        "info": place.info, "heap": place.heap, "heap_size": place.heap_size,
        "stacks": place.stacks, "stack_size": (1 << (place.pool_shift or place.stack_shift)) - PAGE,
        "pool": i.stacks or None, "pool_full": i.stacks and ("error" if i.stack_error else "wait") or None,
        "privileges": i.definition.privileges, "exports": i.definition.exports,
        "fpu": i.definition.fpu, "branch_barrier": i.barrier, "args": i.args,
        "channels": [c.node for c in i.channels],
        "resources": list(dict.fromkeys(capabilities.NAMES[key] for key, _ in i.resources)),
        "capabilities": [{"slots": str(slots), "what": what}
                         for slots, what in capabilities.of(system, i)],
    }


def wires(i):
    """Returns an entry for each import."""
    found = {}
    for w in i.wires:
        entry = found.setdefault(w.import_name, {
            "client": i.name, "import": w.import_name, "server": w.server.name,
            "interface": w.interface, "badge": 1 + i.index, "slot": w.slot, "functions": []})
        entry["functions"].append(w.function)
    return list(found.values())


def resources(i):
    return [{"component": i.name, "what": capabilities.NAMES[key], "which": r.text, "first": r.first,
             "count": r.count, "shown": bool(r.flags & VALUES["LIMPET_RESOURCE_SHOWN"])}
            for key, r in i.resources]


def channel(c):
    return {"name": c.name, "node": c.node, "owner": c.owner.name, "cpu": c.owner.cpu,
            "number": c.number, "mode": c.mode, "direction": c.direction,
            "size": c.to_linux or c.to_component, "access": None if c.network else f"{c.access:04o}",
            "mtu": c.mtu or None, "mac": c.mac.hex(":") if c.network else None}


def bridge(b):
    return {"channel": b.channel.name, "direction": b.direction, "topic": b.topic, "type": b.type,
            "reliability": b.reliability, "durability": b.durability, "history": b.history, "depth": b.depth,
            "size": b.size, "fields": [{"name": f.name, "type": f.type, "kind": f.kind, "count": f.count, "offset": f.at}
                                       for f in b.fields]}


def cpu(system, number):
    parts = [{"name": i.name, "contents": n.contents, "heap": n.heap, "stacks": n.stacks,
              "kernel": n.kernel, "kept": n.kept, "total": n.total, "quota": n.quota}
             for i, n in memory.needs(system, number)]
    return {"cpu": number, "frames": system.frames, "needed": sum(p["total"] for p in parts),
            "components": parts}


def system(composed, size, crc, ramdisk_size):
    return {
        "name": composed.name, "file": composed.file.name, "size": size, "crc": crc,
        "version": VALUES["LIMPET_IMAGE_VERSION"], "cpus": composed.cpus,
        "frames": composed.frames, "ramdisk_size": ramdisk_size, "trace": composed.trace,
        "components": [component(composed, i) for i in composed.instances],
        "imports": [w for i in composed.instances for w in wires(i)],
        "resources": [r for i in composed.instances for r in resources(i)],
        "channels": [channel(c) for c in composed.channels],
        "bridges": [bridge(b) for b in composed.bridges],
        "ports": [[i.name, i.port.name] for i in composed.instances if i.port],
        "memory": [cpu(composed, number) for number in range(composed.cpus)],
    }
