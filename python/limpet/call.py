# SPDX-License-Identifier: BSD-2-Clause
"""Calls of a component's functions, through a channel that an instance of component `calls` owns.

    from limpet import Caller

    with Caller("motor", "interfaces/motor/interface.toml") as motor:
        status, turns = motor.call("position", 0)

The interface definition is the one that the system was composed with. docs/guide/call.md describes the component's side.
"""

from __future__ import annotations

import binascii
import struct
import time
import tomllib
from os import PathLike
from pathlib import Path
from types import TracebackType

from .channel import Channel

WORDS, RESULTS = 6, 3
TIME, LOST, BAD, INTERFACE, FUNCTION = -1001, -1002, -1003, -1004, -1005

_REQUEST = struct.Struct(f"<QII{WORDS}Q")
_ANSWER = struct.Struct(f"<QIIq{RESULTS}Q")
_OUTCOMES = {2: INTERFACE, 3: FUNCTION}

#: The sentence for each status below 0, as in <limpet/error.h> and limpet_call(3).
TEXTS = {
    -1: "no capability in that slot, or the slot is outside the table",
    -2: "the capability is of another type than the call needs",
    -3: "the capability does not carry the right that the call needs",
    -4: "an argument is outside its documented range",
    -5: "an address or offset is not a multiple of the page size",
    -6: "the object is in use: mapped, occupied, or has derived capabilities",
    -7: "not enough frames were given for the operation",
    -8: "the destination slot or table entry already holds something",
    -9: "the thread's invocation stack is full",
    -10: "the component crashed, was stopped or destroyed before it returned",
    -11: "not finished: the bounded step is done, call again to go on",
    -12: "the named object or entry does not exist",
    -13: "the number of the kernel call is unknown",
    -14: "the object belongs to another CPU",
    -15: "the time has passed before the event came",
    -16: "nothing is pending, and the caller asked not to wait",
    -17: "the object is not in a state that allows the call",
    -18: "the caller's quota is used up",
    -19: "the other side of the connection refused it or ended it",
    -20: "the invoked component has no free stack",
    -21: "memory of the guest cannot be accessed",
    -22: "a signal for the guest ended the wait",
    TIME: "no answer in time, because the component is busy or waits. Look at limpet top, or allow more time.",
    LOST: "the component crashed or was stopped, or its system ended. Look at limpet ps and limpet crash, then call again.",
    BAD: "the answer is invalid, because the channel's owner is not component calls, or is faulty. Correct the system file.",
    INTERFACE: "the component serves another interface, or another version of it. Build this program with the system's "
               "<host/INTERFACE.h>.",
    FUNCTION: "Linux may not call this function. Add it to functions in the system file.",
}


class CallError(Exception):
    """A call that failed. `status` is the LIMPET_E... of the component, below 0, or one of the constants of this module.

    After TIME and LOST the function may have run, and after TIME it may still run.
    """

    def __init__(self, function: str, status: int) -> None:
        super().__init__(f"{function}: {TEXTS.get(status, 'unknown status')}")
        self.status = status


class Caller:
    """An open channel for calls, and a context manager. One thread at a time can use it.

    Opening raises what Channel raises, and ValueError if `interface` is not an interface definition.
    """

    def __init__(self, channel: str, interface: str | PathLike[str], timeout: float = 1.0) -> None:
        """Opens a channel for calls of the interface in a file, which wait up to `timeout` seconds for an answer."""
        self._functions, self._interface = _definition(Path(interface))
        self._name = channel
        self._timeout = timeout
        # Answers to an earlier process can still arrive. Their ids are smaller.
        self._id = time.monotonic_ns()
        self._channel: Channel | None = Channel(channel)

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the channel. A call that did not wait for its answer may still run."""
        if self._channel:
            self._channel.close()
        self._channel = None

    def call(self, function: str, *words: int) -> tuple[int, ...]:
        """Calls a function and returns its status, 0 or more, followed by its results.

        The arguments are words of 64 bits; negative ones are stored as two's complement. Raises CallError if the call
        fails or the function returns an error, and TypeError if the interface has no such function, or one with another
        number of arguments. If the component crashed or was stopped, the next call opens the channel again.
        """
        if function not in self._functions:
            raise TypeError(f"the interface has no function {function}, only {', '.join(self._functions)}")
        number, taken, given = self._functions[function]
        if len(words) != taken:
            raise TypeError(f"{function} takes {taken} arguments, not {len(words)}")
        self._id += 1
        request = _REQUEST.pack(self._id, self._interface, number,
                                *(word % (1 << 64) for word in words), *[0] * (WORDS - taken))
        try:
            outcome, status, results = self._exchange(request)
        except TimeoutError:
            raise CallError(function, TIME) from None
        except OSError:
            self.close()
            raise CallError(function, LOST) from None
        # Statuses at and below TIME belong to this side.
        if outcome or status <= TIME:
            status = _OUTCOMES.get(outcome, BAD)
        if status < 0:
            raise CallError(function, status)
        return status, *results[:given]

    def _exchange(self, request: bytes) -> tuple[int, int, tuple[int, ...]]:
        """Sends a request and waits for its answer. Answers to requests that timed out come first and are dropped."""
        end = time.monotonic() + self._timeout
        if not self._channel:
            self._channel = Channel(self._name)
        self._send(self._channel, request, end)
        while True:
            answer = self._channel.receive(max(0.0, end - time.monotonic()))
            if len(answer) != _ANSWER.size:
                return 1, 0, ()
            found, outcome, _, status, *results = _ANSWER.unpack(answer)
            if found > self._id:
                return 1, 0, ()
            if found == self._id:
                return outcome, status, tuple(results)

    @staticmethod
    def _send(channel: Channel, request: bytes, end: float) -> None:
        """Sends a request. Takes old answers out while the channel is full, because the component can wait for space."""
        while True:
            try:
                channel.send(request, 0)
                return
            except TimeoutError:
                left = end - time.monotonic()
                if left <= 0:
                    raise
            try:
                channel.receive(min(left, 0.01))
            except TimeoutError:
                pass


def _definition(path: Path) -> tuple[dict[str, tuple[int, int, int]], int]:
    """Reads an interface definition. Returns number, arguments and results of each function, and the interface's id."""
    try:
        top = tomllib.loads(path.read_text(encoding="utf-8"))
        lines = [f"{top['interface']['name']} {top['interface']['version']}"]
        functions = {}
        for number, function in enumerate(top["function"]):
            taken, given = ([word["name"] for word in function.get(key, [])] for key in ("args", "results"))
            lines.append(f"{function['name']} {' '.join(taken)}:{' '.join(given)}")
            functions[function["name"]] = number, len(taken), len(given)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: not an interface definition: {error}") from None
    return functions, binascii.crc32("\n".join(lines).encode())
