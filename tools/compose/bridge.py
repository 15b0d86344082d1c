# SPDX-License-Identifier: BSD-2-Clause
"""Reads [[bridge]], which maps channels to topics of DDS, and writes the table for `limpet bridge`."""

import re
from dataclasses import dataclass

from . import channel, table
from .contract import VALUES
from .errors import Mistakes, each

#: Primitive types of IDL and their sizes, which are also their alignment.
TYPES = {"boolean": 1, "octet": 1, "char": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
         "int64": 8, "uint64": 8, "float": 4, "double": 8}
#: Other names of these types in older IDL and in ROS 2.
SAME = {"short": "int16", "unsigned short": "uint16", "long": "int32", "unsigned long": "uint32", "long long": "int64",
        "unsigned long long": "uint64", "bool": "boolean", "byte": "octet", "float32": "float", "float64": "double"}
FIELD = re.compile(r"(?!string )(?P<type>[a-z0-9 ]+?) (?P<name>[A-Za-z]\w*)(\[(?P<count>\d{1,5})\])?|"
                   r"string<(?P<string>\d{1,5})> (?P<string_name>[A-Za-z]\w*)|"
                   r"sequence<(?P<element>[a-z0-9 ]+?), ?(?P<bound>\d{1,5})> (?P<sequence_name>[A-Za-z]\w*)", re.ASCII)
ROS_TYPE = re.compile(r"[a-z]\w*/(msg|srv|action)/[A-Z]\w*", re.ASCII)
ROS_TOPIC = re.compile(r"(/[A-Za-z_]\w*)+", re.ASCII)
DDS_TYPE = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*", re.ASCII)
DDS_TOPIC = re.compile(r"[A-Za-z_][\w/]*", re.ASCII)
NAME_MAX, ROWS_MAX, FIELDS_MAX, DEPTH_MAX = 255, 64, 128, 1_000_000
FORMS = '"double data", "float axis[3]", "string<15> name" or "sequence<double, 8> position"'


@dataclass
class Field:
    """A member of the message, with its offset in the channel's structure."""

    name: str
    type: str
    kind: str  # value, array, string or sequence
    count: int
    at: int

    @property
    def alignment(self):
        return {"string": 1, "sequence": 4}.get(self.kind) or TYPES[self.type]

    @property
    def end(self):
        if self.kind == "string":
            return self.at + self.count
        start = round_up(self.at + 4, TYPES[self.type]) if self.kind == "sequence" else self.at
        return start + self.count * TYPES[self.type]


@dataclass
class Bridge:
    """A row of the table."""

    channel: object  # channel.Channel
    direction: str
    topic: str
    type: str
    reliability: str
    durability: str
    history: str
    depth: int
    fields: list
    size: int

    def lines(self):
        yield (f"bridge {self.size} {self.direction} {self.reliability} {self.durability} {self.history} {self.depth} "
               f"{self.channel.name} {self.topic} {self.type}")
        for f in self.fields:
            yield f"field {f.type} {f.kind} {f.count} {f.at}"


def round_up(value, alignment):
    return -(-value // alignment) * alignment


def read_channel(t, channels, broken):
    """Returns the channel. Returns None if `broken` has its name, because its own table has a mistake."""
    name = t.word("channel", table.NAME)
    if name in broken:
        return None
    found = {c.name: c for c in channels if c.mode == "messages"}
    if name not in found:
        if any(c.name == name for c in channels):
            t.refuse("channel", f"'{name}' does not have mode messages. A bridge needs this mode. "
                     "Change its mode or name another channel.")
        t.refuse("channel", f"there is no channel '{name}'. {table.near(name, found)} Correct it.")
    return found[name]


def read_direction(t, c):
    """Returns the direction, and the size of the channel's ring in this direction. Without a channel the size is None."""
    direction = t.one_of("direction", ("publish", "subscribe"), "publish")
    if not c:
        return direction, None
    ring, wanted = (c.to_linux, "to-linux") if direction == "publish" else (c.to_component, "from-linux")
    if not ring:
        t.refuse("direction", f"'{direction}' needs a channel in direction {wanted}. '{c.name}' has direction "
                 f"{c.direction}. Change one of them.")
    return direction, ring


def check_length(t, key, name):
    if len(name) > NAME_MAX:
        t.refuse(key, f"has {len(name)} characters in DDS. At most {NAME_MAX} are possible. Shorten it.")
    return name


def read_type(t):
    """Returns the name of the type in DDS. A type with slashes belongs to ROS 2."""
    kind = t.text("type")
    if "/" in kind:
        if not ROS_TYPE.fullmatch(kind):
            t.refuse("type", f"'{kind[:60]}' is not a type of ROS 2. `ros2 topic list -t` prints the types. "
                     'Write "std_msgs/msg/Float64".')
        package, group, name = kind.split("/")
        kind = f"{package}::{group}::dds_::{name}_"
    elif not DDS_TYPE.fullmatch(kind):
        t.refuse("type", f"'{kind[:60]}' is not the name of a type. A type has a name of ROS 2 or IDL. "
                 'Write "std_msgs/msg/Float64" or "plant::Speed".')
    return check_length(t, "type", kind)


def topic_name(t, topic, kind):
    """Returns the name of the topic in DDS. A wrong type is None. The topic can then be one of ROS 2 or of DDS."""
    if not kind and (ROS_TOPIC.fullmatch(topic) or DDS_TOPIC.fullmatch(topic)):
        return check_length(t, "topic", topic)
    ros = "/" in str(t.data.get("type"))
    if ros and not ROS_TOPIC.fullmatch(topic):
        t.refuse("topic", f"'{topic[:60]}' is not a full topic name of ROS 2. Such names begin with a slash. "
                 'Write "/speed".')
    if not ros and not DDS_TOPIC.fullmatch(topic):
        t.refuse("topic", f"'{topic[:60]}' is not a valid topic name of DDS. Names have letters, digits, _ and /. Rename it.")
    return check_length(t, "topic", f"rt{topic}" if ros else topic)


def read_element(t, word):
    name = SAME.get(word, word)
    if name not in TYPES:
        t.refuse("fields", f"'{word[:60]}' is not a primitive type of IDL. {table.near(word, {*TYPES, *SAME})} "
                 "Write the fields of a structure one by one.")
    return name


def read_field(t, text, at):
    """Returns the field that IDL text describes. Its offset is `at` or the next aligned one."""
    match = FIELD.fullmatch(text)
    if not match:
        t.refuse("fields", f"{text!r:.60} is not a field. A field is a declaration of IDL with a bound. Write {FORMS}.")
    if match["string"]:
        field = Field(match["string_name"], "string", "string", int(match["string"]) + 1, at)
    elif match["element"]:
        field = Field(match["sequence_name"], read_element(t, match["element"]), "sequence", int(match["bound"]), at)
    else:
        kind = "array" if match["count"] else "value"
        field = Field(match["name"], read_element(t, match["type"]), kind, int(match["count"] or 1), at)
    if not field.count:
        t.refuse("fields", f"'{text[:60]}' has no elements. Bounds are at least 1. Correct it.")
    field.at = round_up(at, field.alignment)
    return field


def structure_alignment(fields):
    """Returns the alignment of the structure in C, which also contains the elements of sequences."""
    return max(1 if f.kind == "string" else max(f.alignment, TYPES[f.type]) for f in fields)


def read_fields(t, c, ring):
    """Returns the fields, and the size of the structure in C. Without a ring the size has no limit."""
    fields, names = [], t.words("fields", None)
    if not 0 < len(names) <= FIELDS_MAX:
        t.refuse("fields", f"has {len(names)} fields. A message has 1 to {FIELDS_MAX}. Write {FORMS}.")
    for text in names:
        fields.append(read_field(t, text, fields[-1].end if fields else 0))
        if fields[-1].name in {f.name for f in fields[:-1]}:
            t.refuse("fields", f"'{fields[-1].name}' is the name of two fields. Names in a structure must be "
                     "unique. Rename one.")
    size = round_up(fields[-1].end, structure_alignment(fields))
    maximum = ring // 2 - VALUES["LIMPET_MESSAGE_HEADER"] if ring else size
    if size > maximum:
        t.refuse("fields", f"takes {size} bytes. A message of channel '{c.name}' has at most {maximum}. "
                 "Make bounds smaller, or the channel's size larger.")
    return fields, size


def check_keep_all(t, reliability, durability):
    """Refuses history keep_all for a topic that cannot have it."""
    if reliability == "best_effort":
        t.refuse("history", "is 'keep_all', but a best_effort topic does not keep samples. "
                 "Remove it or write reliability = \"reliable\".")
    if durability == "transient_local":
        t.refuse("history", "is 'keep_all', but a transient_local topic needs a bound. "
                 "Write history = \"keep_last\" and a depth.")


def read_depth(t, history):
    if history == "keep_all":
        channel.needless(t, "depth", "history keep_all has no depth")
        return 1
    return t.integer("depth", 10, 1, DEPTH_MAX)


def read_quality(t):
    """Returns reliability, durability, history and depth. The defaults are those of ROS 2."""
    mistakes = Mistakes()
    reliability = mistakes.of(t.one_of, "reliability", ("reliable", "best_effort"), "reliable")
    durability = mistakes.of(t.one_of, "durability", ("volatile", "transient_local"), "volatile")
    history = mistakes.of(t.one_of, "history", ("keep_last", "keep_all"), "keep_last")
    if history == "keep_all":
        mistakes.of(check_keep_all, t, reliability, durability)
    depth = mistakes.of(read_depth, t, history)
    mistakes.end()
    return reliability, durability, history, depth


def check_single(t, c, direction, seen):
    """Refuses a second row of a channel in one direction. `seen` has the channels and directions of all rows."""
    if (c.name, direction) in seen:
        t.refuse("channel", f"'{c.name}' has another [[bridge]] in direction {direction}. Only one is possible. "
                 "Remove one.")
    seen.add((c.name, direction))


def read_one(t, channels, found, seen, broken):
    """Adds a row to `found`, unless its channel's table has a mistake."""
    mistakes = Mistakes()
    c = mistakes.of(read_channel, t, channels, broken)
    direction, ring = mistakes.of(read_direction, t, c) or (None, None)
    topic, kind = mistakes.of(t.text, "topic"), mistakes.of(read_type, t)
    topic = topic and mistakes.of(topic_name, t, topic, kind)
    fields, size = mistakes.of(read_fields, t, c, ring) or (None, None)
    quality = mistakes.of(read_quality, t)
    mistakes.of(t.done)
    if c and direction:
        mistakes.of(check_single, t, c, direction, seen)
    mistakes.end()
    if not c:
        return
    found.append(Bridge(c, direction, topic, kind, *quality, fields, size))
    if len(found) > ROWS_MAX:
        t.refuse("channel", f"belongs to [[bridge]] {len(found)}. A system has at most {ROWS_MAX}. Remove some.")


def read(top, system):
    """Adds the bridges to the system, without those of channels that have mistakes."""
    tables = top.data.get("channel")
    names = [t.get("name") for t in tables if isinstance(t, dict)] if isinstance(tables, list) else []
    good = {c.name for c in system.channels}
    each(read_one, top.tables("bridge"), system.channels, system.bridges, set(),
         [n for n in names if isinstance(n, str) and n not in good])


def text(system):
    """Returns the table of `limpet bridge`."""
    return "".join(f"{line}\n" for line in ["limpet-bridge 1", *(line for b in system.bridges for line in b.lines())])
