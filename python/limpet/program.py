# SPDX-License-Identifier: BSD-2-Clause
"""Runs the program `limpet`, which does all the work of this package besides channels and calls.

The package reads the program's `--json` output, so that each figure has one implementation. The program that is found
first in PATH is used.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any


class LimpetError(Exception):
    """The program `limpet` refused a request, or could not be started. The text is its own sentence.

    `code` is its exit code: 1 for a refusal, 2 for wrong usage, 127 if it is not installed.
    """

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def arguments(words: tuple[object, ...], system: str | int | None) -> list[str]:
    """Returns the command line for the words of a command.

    `system` is the name or the number of the system that the command concerns. With None the environment's
    LIMPET_SYSTEM chooses it, or it is the only one that runs.
    """
    chosen = [] if system is None else ["--system", str(system)]
    return ["limpet", *chosen, *map(str, words)]


def start(words: tuple[object, ...], system: str | int | None) -> subprocess.Popen[str]:
    """Starts a command and returns its process, with pipes for its output. Raises LimpetError if it is not installed."""
    try:
        return subprocess.Popen(arguments(words, system), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise LimpetError("the program limpet is not in PATH: install Debian's package limpet", 127) from None


def check(code: int, errors: str, words: tuple[object, ...]) -> None:
    """Raises LimpetError if the exit code of a command is not 0. `errors` is its output on stderr."""
    if code:
        lines = [line for line in errors.split("\n") if line and not line.startswith("Try `limpet")]
        raise LimpetError("\n".join(lines) or f"limpet {words[0]} ended with exit code {code}", code)


def command(*words: object, system: str | int | None = None) -> str:
    """Runs a command of `limpet` to its end and returns what it printed.

    Any command can be run, such as `command("attach", "--beneath")` or `command("detach", "--stop")`. Raises
    LimpetError if it fails. Programs should read figures by the other functions, because this text is for people.
    """
    with start(words, system) as process:
        out, errors = process.communicate()
    check(process.returncode, errors, words)
    return out


def objects(*words: object, system: str | int | None = None) -> list[dict[str, Any]]:
    """Runs a command with `--json` and returns the objects that it printed, one for each line."""
    text = command(*words, "--json", system=system)
    return [json.loads(line) for line in text.split("\n") if line]
