# SPDX-License-Identifier: GPL-2.0
"""Sends commands and receives events of QEMU's machine protocol (QMP) over a socket."""

import json
import time

from .stream import Socket


class Monitor:
    """A connection to a running QEMU."""

    def __init__(self, stream: Socket) -> None:
        self.stream = stream
        self.events: list[dict] = []
        self.execute("qmp_capabilities")

    def execute(self, command: str, timeout: float = 20, **arguments):
        """Executes a QMP command and returns its answer."""
        self.stream.send(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for line in self.stream.read_lines(0.1):
                message = json.loads(line)
                if "return" in message:
                    return message["return"]
                if "error" in message:
                    raise RuntimeError(f"QEMU refuses {command}: {message['error']['desc']}")
                self._note(message)
            if self.stream.closed:
                raise RuntimeError(f"QEMU went away during {command}")
        raise TimeoutError(f"QEMU does not answer {command}")

    def human(self, line: str) -> str:
        """Executes a line of the human monitor, such as `info registers -a` or `nmi`."""
        return self.execute("human-monitor-command", **{"command-line": line})

    def poll(self) -> None:
        """Stores events that have arrived."""
        for line in self.stream.read_lines(0):
            self._note(json.loads(line))

    def saw(self, event: str) -> bool:
        """Returns whether an event has arrived."""
        return any(seen["event"] == event for seen in self.events)

    def shutdown(self) -> str | None:
        """Returns the reason why the guest stopped (guest-shutdown, guest-reset, ...), or None."""
        for event in self.events:
            if event["event"] == "SHUTDOWN":
                return event["data"]["reason"]
        return None

    def _note(self, message: dict) -> None:
        if "event" in message:
            self.events.append(message)
