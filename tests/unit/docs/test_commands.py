# SPDX-License-Identifier: GPL-2.0
"""Checks the commands in blocks of all pages: their lines, the names of `limpet` and its options."""

import functools
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIMPET = ROOT / "build/cli/limpet"
PAGES = sorted(path.relative_to(ROOT) for path in (*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")))
#: The word after which an option belongs to another program: `limpet guest run -- ls -l`.
ENDS = {"|", "||", "&&", "&", ";", "--", ">", ">>", "<", "2>"}
#: Words with which a command line begins before `limpet`.
BEFORE = {"sudo", "$", "#", "time"}


def blocks(text: str) -> list[tuple[int, str]]:
    """Returns the lines of indented and fenced blocks, with their numbers. Joins lines that end in a backslash."""
    found, fenced, joined = [], False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            joined += line.rstrip("\\") if line.endswith("\\") else line
            if not line.endswith("\\"):
                found.append((number, joined.strip()))
                joined = ""
    return found


def outside(text: str) -> list[tuple[int, str]]:
    """Returns the lines of prose, with their numbers: without tables, blocks and lists."""
    found, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "|", "<!--")):
            found.append((number, line))
    return found


def words_of(line: str) -> list[str]:
    """Returns the words of a call of limpet in a command line, without comments; [] if there is none."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return []
    while words and words[0] in BEFORE or words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    is_output = len(words) > 1 and words[1].endswith(":")      # such as `limpet check: the system ended`
    return words if words[:1] == ["limpet"] and not is_output else []


@functools.cache
def help_of(*command: str) -> str:
    """Returns the help of a command, or nothing if limpet does not know it."""
    done = subprocess.run([LIMPET, *command, "--help"], capture_output=True, text=True, timeout=20, check=False)
    return done.stdout if done.returncode == 0 else ""


def mistakes(line: str) -> list[str]:
    """Returns what is wrong with a call of limpet."""
    words = words_of(line)[1:]
    if words[:1] == ["--system"]:
        words = words[2:]
    if not words or words[0] in ("--version", "help", "--help") or words[0].startswith(("...", "…")):
        return []
    command = words[:2] if words[0] in ("guest", "rtlinux", "new") and words[1:] else words[:1]
    known = help_of(*command)
    if not known:
        return [f"limpet has no command {' '.join(command)}"]
    found = []
    for word in words[len(command):]:
        if word in ENDS or word.endswith(";"):
            break
        option = re.match(r"(--[a-z][a-z-]*)(?:=.*)?$", word)
        if option and option[1] != "--help" and not re.search(rf"{option[1]}(?![a-z-])", known):
            found.append(f"limpet {' '.join(command)} has no option {option[1]}")
    return found


def test_mistakes_are_found():
    """The checks find what they are for."""
    assert mistakes("sudo limpet frob image") == ["limpet has no command frob"]
    assert mistakes("limpet run --frob image") == ["limpet run has no option --frob"]
    assert mistakes("limpet guest run --frob 1 -- ls --color") == ["limpet guest run has no option --frob"]
    assert not mistakes("limpet run --cpus 1 image; ls --color")
    assert not mistakes("limpet guest run -- ls --color     # a comment")
    assert blocks("a\n\n    one \\\n    two\n\n```\nthree\n```\n") == [(4, "one     two"), (7, "three")]
    assert outside("a\n\n    one\n| b |\n```\nthree\n```\n") == [(1, "a"), (2, "")]
    assert JOINED.search("On Linux:    limpet run x") and UNINDENTED.match("limpet proxy can &")


#: A command that was joined to prose or to another command, and one that lost its indent.
JOINED = re.compile(r"\S {3,}(limpet (?![a-z-]+:)|(ip|make|apt|systemctl) )")
UNINDENTED = re.compile(r"(limpet [a-z]+|ip (link|address)|make [a-z]+|apt install|modprobe) .*(&|\S/\S|;)?$")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_blocks(page):
    """No block of commands is joined to prose or to itself, and limpet knows all commands and options in it."""
    text = (ROOT / page).read_text()
    wrong = [f"{page}:{number}: a block's line in prose: {line}" for number, line in outside(text)
             if JOINED.search(line) or UNINDENTED.match(line) and "`" not in line and not line.endswith((".", ","))]
    wrong += [f"{page}:{number}: two commands in one line: {line}" for number, line in blocks(text)
              if JOINED.search(line.partition("#")[0])]
    wrong += [f"{page}:{number}: {mistake}" for number, line in blocks(text) if words_of(line)
              for mistake in mistakes(line)]
    assert not wrong, "\n".join(wrong)
