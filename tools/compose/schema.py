# SPDX-License-Identifier: BSD-2-Clause
"""Prints the JSON Schema of system files.

The composer's readers ask a table for each key, with its type, range and default. This module runs them on a sample, with
tables that record these requests. So the schema has exactly the keys that the composer knows. The meanings come from the
reference page.
"""

import json
import re
import sys
import tomllib
from types import SimpleNamespace

from . import argument, bridge, channel, mqtt, musl, resource, system, table
from .contract import VALUES
from .root import ROOT

PAGE = ROOT / "docs/reference/system-toml.md"
#: A file for which the readers ask for each key: it has a restarted component, both forms of imports and all channel modes.
SAMPLE = """
[system]
name   = "sample"
frames = "1M"
[[component]]
name    = "calls"
image   = "calls"
restart = "image"
imports = { server = { component = "log", interface = "log", functions = ["write"] }, log = "log" }
[[channel]]
name  = "messages"
owner = "calls"
[[channel]]
name  = "memory"
owner = "calls"
mode  = "shared"
[[channel]]
name  = "net0"
owner = "calls"
mode  = "network"
[[fifo]]
number = 0
owner  = "calls"
[[mbuff]]
name  = "buffer"
owner = "calls"
size  = "4K"
[[bridge]]
channel = "messages"
topic   = "/speed"
type    = "std_msgs/msg/Float64"
fields  = ["double data"]
[[component]]
name  = "mqtt"
image = "mqtt"
[[component]]
name    = "sample"
image   = "topic.echo"
imports = { topic = "mqtt" }
[[mqtt]]
owner = "sample"
name  = "speed"
topic = "plant/speed"
"""
TYPES = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object"}


def whole(pattern):
    """Returns the schema of a text that the pattern matches completely."""
    return {"type": "string", "pattern": f"^({pattern.pattern})$"}


#: Schemas for checks that are not in the class Table, by table and key.
MORE = {
    **{f"{kind}/access": whole(channel.ACCESS) for kind in channel.KINDS},
    "channel/mac": whole(channel.MAC),
    "mqtt/topic": whole(mqtt.PATH),
    "component/args": {"type": "object", "additionalProperties": {
        "anyOf": [{"type": "integer", "minimum": -argument.INTEGER, "maximum": argument.INTEGER - 1},
                  {"type": "string", "minLength": 1}]}},
    "component/environment": {"type": "object", "additionalProperties": {"type": "string"},
                              "propertyNames": whole(musl.VARIABLE), "maxProperties": musl.VARIABLES_MAX},
    "component/imports/server/functions": {"minItems": 1},
    "component/ports": {"items": whole(resource.RANGE)},
    "component/memory": {"items": whole(resource.MEMORY)},
    "component/interrupts": {"items": {"anyOf": [
        {"type": "integer", "minimum": 0, "maximum": VALUES["LIMPET_LINES_MAX"] - 1},
        whole(resource.LINE), {"enum": ["message", "linux"]}]}},
    "component/pci": {"items": whole(resource.PCI)},
    "system/linux-restarts": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": system.RESTARTS_MAX},
                                        {"const": "always"}]},
}
ROW = re.compile(r"^\| ((?:`[\w-]+`(?:, )?)+) \|.*?\|.*?\| (.*) \|$")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


class Recording(table.Table):
    """A table that records each request for a key. `notes` maps each kind of table to the schemas of its keys."""

    notes: dict

    @property
    def kind(self):
        """Returns the path of the table without names that the file's author chose, such as component/imports."""
        return "/".join(part.split(".", 1)[0] for part in self.where.split("/")) if self.where else ""

    def note(self, key, **more):
        """Records a request for a key. Unites the ranges of several requests, and keeps a default only if they agree."""
        found = self.notes.setdefault(self.kind, {}).setdefault(key, {})
        for name, value in more.items():
            before = found.get(name, value)
            if name in ("minimum", "maximum"):
                found[name] = {"minimum": min, "maximum": max}[name](before, value)
            elif name == "default" and before != value:
                found[name] = None
            else:
                found[name] = value

    def get(self, key, kind, kind_text, default):
        self.note(key, type=TYPES[kind], **({"required": True} if default is table.REQUIRED else {"default": default}))
        return super().get(key, kind, kind_text, default)

    def text(self, key, default=table.REQUIRED):
        self.note(key, pattern=r"\S")
        return super().text(key, default)

    def one_of(self, key, words, default):
        self.note(key, enum=list(words))
        return super().one_of(key, words, default)

    def word(self, key, pattern, default=table.REQUIRED, maximum=None):
        self.note(key, pattern=f"^({pattern.pattern})$", **({"maxLength": maximum} if maximum else {}))
        return super().word(key, pattern, default, maximum)

    def integer(self, key, default, minimum, maximum):
        self.note(key, minimum=minimum, maximum=maximum)
        return super().integer(key, default, minimum, maximum)

    def size(self, key, default, minimum, maximum, align=1):
        self.note(key, pattern=f"^({table.SIZE.pattern})$")
        return super().size(key, default, minimum, maximum, align)

    def words(self, key, pattern, maximum=None):
        items = {"type": "string", **({"pattern": f"^({pattern.pattern})$"} if pattern else {})}
        self.note(key, uniqueItems=True, items=items)
        return super().words(key, pattern, maximum)

    def table(self, key, required=True):
        self.note(key, table=True)
        return super().table(key, required)

    def tables(self, key):
        self.note(key, table=True)
        return super().tables(key)


def record():
    """Runs the readers on the sample. Returns the recorded keys: {kind of table: {key: schema}}."""
    recorder = type("Recorder", (Recording,), {"notes": {}})
    top = recorder(tomllib.loads(SAMPLE), "sample", "")
    system.read_head(top.table("system"))
    instances = [system.read_instance(t, [ROOT / "components"], VALUES["LIMPET_CPUS_MAX"]) for t in top.tables("component")]
    channel.read(top, instances, [])
    bridge.read(top, SimpleNamespace(channels=[c for i in instances for c in i.channels], bridges=[]))
    mqtt.read(top, SimpleNamespace(instances=instances, broken=[], topics=[]))
    top.done()
    return recorder.notes


def meanings(page):
    """Returns the meaning of each key from the tables of [system] and of [[...]] in the page, by the path of the key."""
    found, kind = {}, None
    for line in page.splitlines():
        head = re.match(r"\| `\[(?:\[(\w+)\]|(system))\]` \|", line)
        kind = (head[1] or head[2]) if head else kind if line.startswith("|") else None
        row = ROW.match(line)
        if kind and row and not head:
            for key in re.findall(r"`([\w-]+)`", row[1]):
                found[f"{kind}/{key}"] = LINK.sub(r"\1", row[2]).replace("`", "").replace("\\|", "|")
    return found


def key_schema(notes, kind, key, known):
    """Returns the schema of one key."""
    path = f"{kind}/{key}" if kind else key
    found = {name: value for name, value in notes[kind][key].items()
             if name not in ("required", "table") and not (name == "default" and value in (None, [], {}))}
    if path == "component/imports":
        found["additionalProperties"] = {"anyOf": [name_schema(notes, "component/imports"),
                                                   table_schema(notes, "component/imports/server", known)]}
    elif notes[kind][key].get("table") and path not in MORE:
        inner = table_schema(notes, path, known)
        found = {"type": "array", "items": inner} if found["type"] == "array" else inner
    if "anyOf" in MORE.get(path, {}):
        found = {name: found[name] for name in ("default",) if name in found}
    found |= MORE.get(path, {})
    return found | ({"description": known[path]} if path in known else {})


def name_schema(notes, kind):
    """Returns the schema of an import that names a component."""
    return {name: notes[kind]["log"][name] for name in ("type", "pattern", "maxLength")}


def table_schema(notes, kind, known):
    """Returns the schema of a kind of table."""
    keys = notes[kind]
    return {"type": "object", "additionalProperties": False,
            "properties": {key: key_schema(notes, kind, key, known) for key in keys},
            "required": [key for key in keys if keys[key].get("required")]}


def schema():
    """Returns the schema of a system file."""
    notes = record()
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "System file of Limpet",
            **table_schema(notes, "", meanings(PAGE.read_text() if PAGE.exists() else ""))}


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=1)
    print()
