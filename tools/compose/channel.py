# SPDX-License-Identifier: BSD-2-Clause
"""Channels: memory and events that a component shares with Linux, and network devices made of them."""

import re
import zlib
from dataclasses import dataclass

from . import component, table
from .contract import VALUES
from .errors import Mistakes, each

PAGE = VALUES["LIMPET_PAGE"]
MODES = {name: VALUES[f"LIMPET_CHANNEL_{name.upper()}"]
         for name in ("messages", "bytes", "shared", "network", "fifo", "attached")}
WRITTEN = ("messages", "bytes", "shared", "network")  # as mode of a [[channel]]
FIFOS = VALUES["LIMPET_FIFOS_MAX"]
DIRECTIONS = ("both", "to-linux", "from-linux")
STOP = "stop."  # a channel STOP + owner: `limpet stop` asks the owner to finish
RESERVED = re.compile(r"control|guest|(console|crash)\..*")  # Limpet's own nodes
RING_MIN, RING_MAX = VALUES["LIMPET_CHANNEL_RING_MIN"], VALUES["LIMPET_CHANNEL_RING_MAX"]
SHARED_MAX = VALUES["LIMPET_CHANNEL_SHARED_MAX"]
FIRST, CPU_MAX = VALUES["LIMPET_CHANNEL_FIRST"], VALUES["LIMPET_CHANNELS_MAX"]
OWN_MAX = VALUES["LIMPET_INFO_CHANNELS"]
INTERFACE_MAX = VALUES["LIMPET_INTERFACE_NAME_MAX"] - 1
MTU_MIN, MTU_MAX = VALUES["LIMPET_MTU_MIN"], VALUES["LIMPET_MTU_MAX"]
ACCESS = re.compile(r"0?[0246]{3}")
MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass(eq=False)
class Channel:
    """A record of the image."""

    name: str
    owner: object  # system.Instance
    mode: str
    to_linux: int      # bytes of each ring
    to_component: int
    access: int
    mtu: int
    mac: bytes         # of Linux's end
    table: table.Table
    number: int = 0    # on its CPU; of mode attached: index of the channel `of` in the image
    of: "Channel" = None  # mode attached: the channel that owns the memory

    @property
    def network(self):
        return self.mode == "network"

    @property
    def pages(self):
        """The frames of the header and the data after it."""
        return 0 if self.of else 1 + (self.to_linux + self.to_component) // PAGE

    @property
    def direction(self):
        if self.mode in ("shared", "attached") or (self.to_linux and self.to_component):
            return "both"
        return "to-linux" if self.to_linux else "from-linux"

    @property
    def node(self):
        """The name of the node or network device on Linux."""
        if self.mode == "fifo":
            return f"/dev/{self.name}"
        return self.name if self.network else f"/dev/limpet/{self.name}"


def needless(t, key, why):
    """Refuses a key that has no meaning in this table."""
    if key in t.data:
        t.read.add(key)
        t.refuse(key, f"is given, but {why}. Remove it.")


def read_name(t, mode, seen):
    """Returns the name, and adds it to `seen`, the names of all channels."""
    name = t.word("name", table.NAME, maximum=component.NAME_MAX)
    if mode == "network" and len(name) > INTERFACE_MAX:
        t.refuse("name", f"'{name}' has {len(name)} characters. Names of network devices have at "
                 f"most {INTERFACE_MAX}. Shorten it.")
    if RESERVED.fullmatch(name):
        t.refuse("name", f"'{name}' is a name for Limpet's own nodes: control, guest, console.CPU, crash.CPU. "
                 "Rename the channel.")
    if name in seen:
        t.refuse("name", f"'{name}' is the name of another channel. Each channel has its own node on Linux. Rename "
                 "one.")
    seen.add(name)
    return name


def read_owner(t, instances, broken):
    return find_owner(t, "owner", t.word("owner", table.NAME, maximum=component.NAME_MAX), instances, broken)


def find_owner(t, key, name, instances, broken):
    """Returns the component. Returns None if `broken` has its name, because its own table has a mistake."""
    if name in broken:
        return None
    found = {i.name: i for i in instances if not i.booter}
    if name not in found:
        known = {i.name for i in found.values() if i.name != table.UNNAMED}
        t.refuse(key, f"there is no component '{name}'. {table.near(name, known)} A channel belongs to a component "
                 "of the system. Correct the name.")
    if not found[name].priority:
        t.refuse(key, f"'{name}' has no thread of its own. The thread of the owner receives Linux's events. Give it "
                 "a priority, or choose another owner.")
    return found[name]


def check_stop(t, name, owner, mode):
    """Refuses a channel for stops that `limpet stop` would not find."""
    if not name.startswith(STOP):
        return
    if name != STOP + owner.name:
        t.refuse("name", f"'{name}' is a name for the channel by which `limpet stop` asks a component to finish. Its "
                 f"owner is '{owner.name}'. Name it '{STOP}{owner.name}', or rename the channel.")
    if mode != "shared":
        t.refuse("mode", f"is '{mode}', but `limpet stop` asks a component by shared memory. Write mode = \"shared\".")


# The mode in the following functions is None if it is wrong. They then refuse only what no mode accepts.


def read_size(t, mode):
    """Returns the bytes of the memory or of each ring."""
    if mode in ("shared", None):
        return t.size("size", "16K", PAGE, SHARED_MAX, PAGE)
    size = t.size("size", "64K" if mode == "network" else "16K", RING_MIN, RING_MAX)
    if size & (size - 1):
        t.refuse("size", f"'{t.data['size']}' is not a power of two. Messages and bytes are stored in "
                 'rings. Write "4K", "8K", "16K", "32K" or "64K".')
    return size


def read_direction(t, mode):
    if mode == "shared":
        needless(t, "direction", "memory is shared both ways")
        return "to-linux"  # the memory is counted once
    if mode == "network":
        needless(t, "direction", "frames go both ways")
        return "both"
    return t.one_of("direction", DIRECTIONS, "both")


def rings(size, direction):
    """Returns (bytes of the ring to Linux, bytes of the ring from Linux)."""
    return size if direction != "from-linux" else 0, size if direction != "to-linux" else 0


def read_access(t, mode):
    if mode == "network":
        needless(t, "access", "a network device has no node with permissions")
        return 0
    text = t.text("access", "0600")
    if not ACCESS.fullmatch(text):
        t.refuse("access", f"'{text[:60]}' is not a permission. A permission is an octal number with read and write "
                 "for owner, group "
                 'and others. Write access = "0660".')
    return int(text, 8)


def default_mac(name):
    """Returns a locally administered address. The same name results in the same address on every machine."""
    return bytes([2, 0x4c]) + zlib.crc32(name.encode()).to_bytes(4, "big")[:3] + \
        bytes([zlib.crc32(name.encode()) & 0xfe])


def read_mac(t, name, mode):
    """Returns the Ethernet address of Linux's end."""
    if mode not in ("network", None):
        needless(t, "mac", "only a channel of mode network has an Ethernet address")
        return bytes(6)
    text = t.text("mac", None)
    if text is None:
        return default_mac(name or "")
    mac = bytes.fromhex(text.replace(":", "")) if MAC.fullmatch(text) else None
    if not mac or mac[0] & 1 or not any(mac):
        t.refuse("mac", f"'{text[:60]}' is not an address of one network device. An address has six bytes, the "
                 'first one even. Write mac = "02:00:00:00:00:02".')
    return mac


def read_mtu(t, mode, size):
    """Returns the MTU. The size is None if it is wrong."""
    if mode not in ("network", None):
        needless(t, "mtu", "only a channel of mode network has packets")
        return 0
    mtu = t.integer("mtu", 1500, MTU_MIN, MTU_MAX)
    maximum = (size or RING_MAX) // 2 - 8 - VALUES["LIMPET_FRAME_EXTRA"]
    if mode and mtu > maximum:
        t.refuse("mtu", f"{mtu} does not fit. A ring of {table.size_text(size)} has space for packets of {maximum} "
                 "bytes. Make 'mtu' smaller, or 'size' larger.")
    return mtu


def read_one(t, instances, seen, broken):
    """Returns the channel in a list, or [] if its owner's table has a mistake."""
    mistakes = Mistakes()
    mode = mistakes.of(t.one_of, "mode", WRITTEN, "messages")
    name, owner = mistakes.of(read_name, t, mode, seen), mistakes.of(read_owner, t, instances, broken)
    if mode and name and owner:
        mistakes.of(check_stop, t, name, owner, mode)
    size, direction = mistakes.of(read_size, t, mode), mistakes.of(read_direction, t, mode)
    access, mtu = mistakes.of(read_access, t, mode), mistakes.of(read_mtu, t, mode, size)
    mac = mistakes.of(read_mac, t, name, mode)
    mistakes.of(t.done)
    mistakes.end()
    return [Channel(name, owner, mode, *rings(size, direction), access, mtu, mac, t)] if owner else []


def read_numbers(t, seen):
    """Returns the numbers of FIFOs, and adds their names to `seen`."""
    mistakes = Mistakes()
    first = mistakes.of(t.integer, "number", table.REQUIRED, 0, FIFOS - 1)
    count = mistakes.of(t.integer, "count", 1, 1, FIFOS)
    mistakes.end()
    if first + count > FIFOS:
        t.refuse("count", f"{count} FIFOs from number {first} end at {first + count - 1}. FIFO numbers end at "
                 f"{FIFOS - 1}. Make 'count' smaller.")
    numbers = range(first, first + count)
    for number in numbers:
        if f"rtf{number}" in seen:
            t.refuse("number", f"{number} is the number of another FIFO, or rtf{number} is the name of a channel. "
                     "Each has its own node on Linux. Choose another number.")
    seen.update(f"rtf{number}" for number in numbers)
    return numbers


def read_fifos(t, instances, seen, broken):
    """Returns `count` FIFOs of one component, with consecutive numbers."""
    mistakes = Mistakes()
    numbers = mistakes.of(read_numbers, t, seen)
    owner = mistakes.of(read_owner, t, instances, broken)
    size, direction = mistakes.of(read_size, t, "fifo"), mistakes.of(read_direction, t, "fifo")
    access = mistakes.of(read_access, t, "fifo")
    mistakes.of(t.done)
    mistakes.end()
    return [Channel(f"rtf{number}", owner, "fifo", *rings(size, direction), access, 0, bytes(6), t)
            for number in numbers if owner]


def read_shared_with(t, owner, instances, broken):
    """Returns the other components that share a buffer. The owner is None if it has a mistake."""
    sharers = []
    for name in t.words("shared-with", table.NAME, maximum=component.NAME_MAX):
        other = find_owner(t, "shared-with", name, instances, broken)
        if not other or not owner:
            continue
        if other is owner:
            t.refuse("shared-with", f"'{name}' is the owner, which has the buffer already. Remove it.")
        if other.cpu != owner.cpu:
            t.refuse("shared-with", f"'{name}' is on CPU {other.cpu}, but the owner '{owner.name}' is on CPU "
                     f"{owner.cpu}. Only components of one CPU can share a buffer. Place them on one CPU.")
        sharers.append(other)
    return sharers


def read_mbuff(t, instances, seen, broken):
    """Returns the channels of a shared buffer: one of its owner, and one for each component that shares it."""
    mistakes = Mistakes()
    name, owner = mistakes.of(read_name, t, "shared", seen), mistakes.of(read_owner, t, instances, broken)
    size = mistakes.of(t.size, "size", table.REQUIRED, PAGE, SHARED_MAX, PAGE)
    access = mistakes.of(read_access, t, "shared")
    sharers = mistakes.of(read_shared_with, t, owner, instances, broken)
    mistakes.of(t.done)
    mistakes.end()
    if not owner:
        return []
    of = Channel(name, owner, "shared", size, 0, access, 0, bytes(6), t)
    return [of, *(Channel(name, other, "attached", size, 0, 0, 0, bytes(6), t, of=of) for other in sharers)]


def check_mac(c, seen):
    """Checks the addresses of both ends of a network device. That of the component's end differs in the last bit."""
    other = seen.setdefault(c.mac[:5] + bytes([c.mac[5] & 0xfe]), c)
    if other is not c:
        c.table.refuse("mac", f"is the address of '{other.name}' or of its other end, which differs in the last "
                       "bit. Addresses must be unique. Choose another one.")


#: Tables of a system file, and the functions that read them as channels.
KINDS = {"channel": read_one, "fifo": read_fifos, "mbuff": read_mbuff}


def read_next(t, kind, channels, seen, instances, broken):
    """Reads one table. A component whose own table has a mistake gets no channels."""
    for c in KINDS[kind](t, instances, seen, broken):
        channels.append(c)
        c.owner.channels.append(c)
        if len(c.owner.channels) > OWN_MAX:
            t.refuse("owner", f"'{c.owner.name}' has {OWN_MAX} channels already, including FIFOs and buffers. This "
                     "is the maximum. Give this one to another component.")


def read(top, instances, broken):
    """Gives each component its channels, in the order of the file. `broken` has the names of wrong components."""
    channels, seen, mistakes = [], set(), Mistakes()
    for kind in KINDS:
        tables = mistakes.of(top.tables, kind) or []
        mistakes.of(each, read_next, tables, kind, channels, seen, instances, broken)
    mistakes.of(each, check_mac, [c for c in channels if c.network], {})
    mistakes.end()


def resolve(system):
    """Numbers the channels, on each CPU in the order of the image."""
    for cpu in range(system.cpus):
        own = [c for c in system.channels if c.owner.cpu == cpu and not c.of]
        if len(own) > CPU_MAX - FIRST:
            own[-1].table.refuse("owner", f"is on CPU {cpu} with {len(own)} channels. A CPU has at most "
                                 f"{CPU_MAX - FIRST}. Remove some.")
        for n, c in enumerate(own):
            c.number = FIRST + n
    for c in (c for c in system.channels if c.of):
        c.number = system.channels.index(c.of)
