# SPDX-License-Identifier: BSD-2-Clause
"""Reads [[mqtt]], which gives components topics of an MQTT broker, and passes the rows to component mqtt as an argument."""

import re
from dataclasses import dataclass

from . import component, musl, table
from .errors import Mistakes, each

SERVER, INTERFACE = "mqtt", "topic"
TOPICS_MAX = 16     # TOPICS of components/system/mqtt/mqtt.h
NAME_MAX = 24       # three words
PATH_MAX = 128
#: A topic, without the wildcards of a filter.
PATH = re.compile(r"[^\s+#\x00-\x1f\x7f]+")


@dataclass
class Topic:
    """A row of the table."""

    server: object  # system.Instance
    owner: object   # system.Instance
    name: str
    direction: str
    topic: str
    qos: int
    retain: bool

    @property
    def row(self):
        """Returns the row as component mqtt reads it."""
        return (f"{self.owner.index} {int(self.direction == 'publish')} {self.qos} {int(self.retain)} "
                f"{self.name} {self.topic}")


def read_owner(t, system):
    """Returns the component that uses the topic, and its instance of component mqtt. Returns (None, None) if the
    component's own table has a mistake.
    """
    name = t.word("owner", table.NAME, maximum=component.NAME_MAX)
    if name in system.broken:
        return None, None
    instances = {i.name: i for i in system.instances if not i.booter}
    if name not in instances:
        t.refuse("owner", f"there is no component '{name}'. {table.near(name, instances)} Correct it.")
    owner = instances[name]
    servers = [instances[server] for key, server in owner.imports.items()
               if owner.definition.imports.get(key) == INTERFACE and server in instances
               and instances[server].definition.name == SERVER]
    if not servers:
        t.refuse("owner", f"'{name}' does not import interface {INTERFACE} from an instance of {SERVER}, so it cannot use "
                 "topics of a broker. Add the import.")
    return owner, servers[0]


def read_path(t):
    path = t.text("topic")
    if not PATH.fullmatch(path):
        t.refuse("topic", f"'{path[:60]}' is not a topic. Wildcards, blanks and control characters are not allowed. "
                 'Write "plant/speed".')
    if len(path.encode()) > PATH_MAX:
        t.refuse("topic", f"has {len(path.encode())} bytes. At most {PATH_MAX} are possible. Shorten it.")
    return path


def read_retain(t, direction):
    retain = t.boolean("retain", False)
    if retain and direction == "subscribe":
        t.refuse("retain", "is given, but the publisher decides it. Remove it.")
    return retain


def check_name(t, owner, name, names):
    """Refuses a second topic of a name. `names` has the owners and names of all topics."""
    if (owner.name, name) in names:
        t.refuse("name", f"'{name}' is the name of two topics of '{owner.name}'. A component finds topics by name. "
                 "Rename one.")
    names.add((owner.name, name))


def check_subscription(t, server, path, paths):
    """Refuses a second subscription of a topic. `paths` has the servers and topics of all subscriptions."""
    if (server.name, path) in paths:
        t.refuse("topic", f"'{path[:60]}' has another subscription of '{server.name}'. A message goes to one queue. "
                 "Remove one.")
    paths.add((server.name, path))


def read_one(t, system, names, paths):
    mistakes = Mistakes()
    owner, server = mistakes.of(read_owner, t, system) or (None, None)
    name = mistakes.of(t.word, "name", table.NAME, table.REQUIRED, NAME_MAX)
    direction = mistakes.of(t.one_of, "direction", ("publish", "subscribe"), "publish")
    path, qos = mistakes.of(read_path, t), mistakes.of(t.integer, "qos", 0, 0, 1)
    retain = mistakes.of(read_retain, t, direction)
    mistakes.of(t.done)
    if owner and name:
        mistakes.of(check_name, t, owner, name, names)
    if owner and path and direction == "subscribe":
        mistakes.of(check_subscription, t, server, path, paths)
    mistakes.end()
    if not owner:
        return
    if len([other for other in system.topics if other.server is server]) == TOPICS_MAX:
        t.refuse("owner", f"has topic {TOPICS_MAX + 1} of '{server.name}'. An instance has at most {TOPICS_MAX}. "
                 "Add another instance.")
    system.topics.append(Topic(server, owner, name, direction, path, qos, retain))


def read(top, system):
    """Adds the topics to the system, without those of components that have mistakes."""
    each(read_one, top.tables("mqtt"), system, set(), set())


def resolve(system):
    """Passes the topics to the instances of component mqtt as an argument. The components must have their numbers."""
    for server in {id(t.server): t.server for t in system.topics}.values():
        server.args[musl.TOPICS] = "\n".join(t.row for t in system.topics if t.server is server)
