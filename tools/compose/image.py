# SPDX-License-Identifier: BSD-2-Clause
"""Packs a placed system into the bytes that <limpet/image.h> describes."""

import zlib

from . import channel, link, musl, policy, ramdisk
from .contract import IMAGE, VALUES
from .errors import Refused
from .link import align

HEADER, COMPONENT = IMAGE["limpet_image"], IMAGE["limpet_image_component"]
SEGMENT, WIRE, ARG, RESOURCE, CHANNEL, SYMBOL, UNWIND = (
    IMAGE[f"limpet_image_{name}"]
    for name in ("segment", "wire", "arg", "resource", "channel", "symbol", "unwind"))
NO_TEXT = 0xFFFFFFFF


def records(instance):
    """Returns the records [(name, value)] of an instance's arguments."""
    return [record for name, value in instance.args.items() for record in musl.pieces(instance.definition, name, value)]


class Strings:
    """Collects the strings of an image. Equal strings are stored once."""

    def __init__(self):
        self.data, self.known = bytearray(), {}

    def add(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        if data not in self.known:
            self.known[data] = len(self.data)
            self.data += data + b"\0"
        return self.known[data]


def components(system, strings, objects):
    segment = wire = arg = symbol = unwind = 0
    for i in system.instances:
        place, rule, handler = i.layout, i.policy, policy.entry(i)
        yield COMPONENT.pack(
            name=strings.add(i.name), image=strings.add(i.definition.name), cpu=i.cpu,
            segment=segment, segments=len(place.segments), wire=wire, wires=len(i.wires), arg=arg,
            args=len(records(i)), flags=i.flags, entry=place.entry, heap=place.heap,
            heap_size=place.heap_size, stacks=place.stacks, stack_shift=place.stack_shift,
            priority=i.priority, info=place.info, threads=i.threads,
            scheduler=i.scheduler.index if i.scheduler else 0, quota=i.quota,
            faults=handler[0].index if handler else 0,
            faults_entry=link.export_address(*handler, objects) if handler else 0,
            restart=rule.number, restart_limit=rule.limit, restart_backoff_ms=rule.backoff,
            heartbeat_ms=rule.heartbeat, symbol=symbol, symbols=len(place.functions),
            unwind=unwind, unwinds=len(place.unwinds),
            supervisor=i.supervisor.index if i.supervisor else 0,
            memory=i.manager.index if i.manager else 0, stack_count=place.stack_count,
            pool_count=i.stacks, pool=place.pool, pool_shift=place.pool_shift,
            guest=i.guest.index if i.guest else 0)
        segment, wire, arg = segment + len(place.segments), wire + len(i.wires), arg + len(records(i))
        symbol, unwind = symbol + len(place.functions), unwind + len(place.unwinds)


def wires(system, strings, objects):
    for i in system.instances:
        for w in i.wires:
            yield WIRE.pack(server=w.server.index, slot=w.slot,
                            entry=link.export_address(w.server, w.export_symbol, objects), badge=1 + i.index,
                            **{"import": strings.add(w.import_name)},
                            function=strings.add(w.function))


def args(system, strings):
    for i in system.instances:
        for name, value in records(i):
            text = isinstance(value, (str, bytes))
            yield ARG.pack(name=strings.add(name), text=strings.add(value) if text else NO_TEXT,
                           number=0 if text else value)


def resources(system):
    for i in system.instances:
        for _, r in i.resources:
            yield RESOURCE.pack(component=i.index, kind=r.kind, flags=r.flags, reserved=0,
                                first=r.first, count=r.count)


def channels(system, strings):
    all_channels = [c for i in system.instances for c in i.channels]
    order = sorted(range(len(all_channels)),
                   key=lambda n: (all_channels[n].name.encode(), all_channels[n].mode == "attached", n))
    for c, place in zip(all_channels, order):
        yield CHANNEL.pack(component=c.owner.index, number=c.number, name=strings.add(c.name),
                           mode=channel.MODES[c.mode], to_linux=c.to_linux,
                           to_component=c.to_component, access=c.access, order=place, mtu=c.mtu,
                           mac=int.from_bytes(c.mac, "little"))


def symbols(system, strings):
    for i in system.instances:
        for offset, name in i.layout.functions:
            yield SYMBOL.pack(offset=offset, name=strings.add(name))


def unwinds(system):
    for i in system.instances:
        for offset, frame in i.layout.unwinds:
            yield UNWIND.pack(offset=offset, frame=frame)


def segments(system, at):
    """Returns the segment records and the contents, from offset `at` on. Contents are page aligned."""
    records, payload = [], bytearray()
    for i in system.instances:
        for s in i.layout.segments:
            place = at + len(payload) if s.data else 0
            records.append(SEGMENT.pack(address=s.address, size=s.size, file_size=len(s.data),
                                        at=place, rights=s.rights, reserved=0))
            payload += s.data + b"\0" * (-len(s.data) % VALUES["LIMPET_PAGE"])
    return records, payload


def check_symbols(system):
    """Refuses more symbols or unwind records than an image can have."""
    for words, kind in (("functions", "functions"), ("unwind records", "unwinds")):
        count, limit = sum(len(getattr(i.layout, kind)) for i in system.instances), VALUES["LIMPET_SYMBOLS_MAX"]
        if count > limit:
            raise Refused(system.file, "system", f"the code of all components has {count} {words}. At most {limit} are "
                          "possible. Remove components, or make programs smaller.")


def pack(system, objects):
    """Returns the whole image, its checksum, and the size of its RAM disk."""
    check_symbols(system)
    disk = ramdisk.pack(system.ramdisk, system.file, system.translated) if system.ramdisk else b""
    return pack_with(system, objects, disk)


def pack_with(system, objects, disk):
    """Does the same with the bytes of the RAM disk."""
    strings = Strings()
    name = strings.add(system.name)
    tables = [list(components(system, strings, objects)), segments(system, 0)[0],
              list(wires(system, strings, objects)), list(args(system, strings)),
              list(resources(system)), list(channels(system, strings)),
              list(symbols(system, strings)), list(unwinds(system))]
    places, at = [], HEADER.size
    for records in tables:
        places.append(at)
        at += sum(map(len, records))
    payload_at = align(at + len(strings.data))
    tables[1], payload = segments(system, payload_at)
    size = align(payload_at + len(payload) + len(disk))
    fields = dict(
        magic=VALUES["LIMPET_IMAGE_MAGIC"], version=VALUES["LIMPET_IMAGE_VERSION"], crc=0,
        size=size, frames=system.frames, cpus=system.cpus, components=len(tables[0]),
        segments=len(tables[1]), wires=len(tables[2]), args=len(tables[3]),
        strings=len(strings.data), components_at=places[0], segments_at=places[1],
        wires_at=places[2], args_at=places[3], strings_at=at,
        ramdisk_at=payload_at + len(payload) if disk else 0, ramdisk_size=len(disk), name=name,
        restarts=system.restarts, resources=len(tables[4]), trace=system.trace,
        resources_at=places[4], channels=len(tables[5]), channels_at=places[5], depth=system.depth,
        symbols=len(tables[6]), unwinds=len(tables[7]), symbols_at=places[6],
        unwinds_at=places[7], real_ns=0, real_stamp=0)
    body = b"".join(b"".join(records) for records in tables) + bytes(strings.data)
    body += b"\0" * (payload_at - HEADER.size - len(body)) + payload + disk
    body += b"\0" * (size - HEADER.size - len(body))
    if size > VALUES["LIMPET_IMAGE_MAX"]:
        raise Refused(system.file, "system", f"the image has {size} bytes. At most "
                      f"{VALUES['LIMPET_IMAGE_MAX']} can be loaded. Make ramdisk or data smaller.")
    crc = zlib.crc32(HEADER.pack(**fields) + body)
    return HEADER.pack(**{**fields, "crc": crc}) + body, crc, len(disk)
