# SPDX-License-Identifier: BSD-2-Clause
"""The lines of a TOML file on which its tables and keys are, which tomllib does not report."""

import re
import tomllib
from pathlib import Path


class Place:
    """The line of a table or value, and the places of what is in it."""

    def __init__(self, line):
        self.line, self.keys, self.items = line, {}, []

    def key(self, name):
        """Returns the place of a key or of a table, or None."""
        return self.keys.get(name)

    def item(self, index):
        """Returns the place of a table of an array, or None."""
        return self.items[index] if index < len(self.items) else None


#: What decides where a statement of a valid file ends: strings, comments, brackets, and line breaks. A string of several
#: lines can end with up to two quotes of its own.
TOKEN = re.compile(r'''"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[][{}\n]''', re.S)


def statements(text):
    """Yields (line, parsed statement, whether it is a header). A statement ends at a line break outside of brackets."""
    line = next_line = 1
    start = depth = 0
    for token in TOKEN.finditer(text + "\n"):
        depth += (token[0] in "[{") - (token[0] in "]}")
        next_line += token[0].count("\n")
        if token[0] != "\n" or depth:
            continue
        statement = text[start:token.start()]
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            parsed = {}
        if parsed:
            yield line, parsed, statement.lstrip().startswith("[")
        line, start = next_line, token.end()


def add(place, data, line):
    """Adds what one statement defines below a place. Returns the place of the innermost table."""
    for name, value in data.items():
        entry = place.keys.setdefault(name, Place(line))
        if isinstance(value, dict):
            place = add(entry, value, line)
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for item in value:
                entry.items.append(Place(line))
                place = add(entry.items[-1], item, line)
    return place


def open_header(place, data, line):
    """Follows a header to its table, which the statements after it fill. [a.b] after [[a]] is in the last one of a."""
    for name, value in data.items():
        entry = place.keys.setdefault(name, Place(line))
        if isinstance(value, list):
            entry.items.append(Place(line))
            return entry.items[-1]
        entry = entry.items[-1] if entry.items else entry
        return open_header(entry, value, line) if value else entry
    return place


def find(text):
    """Returns the Place of the top table of a valid TOML text."""
    top = at = Place(None)
    for line, parsed, header in statements(text):
        if header:
            at = open_header(top, parsed, line)
        else:
            add(at, parsed, line)
    return top


def line_of(path, where):
    """Returns the line of the last part of `where` that a TOML file has, such as imports/NAME. Returns 1 for the whole
    file, and None if it cannot be read.
    """
    try:
        place = find(Path(path).read_text(encoding="utf-8"))
    except OSError:
        return None
    except (ValueError, RecursionError):
        return 1
    line = 1
    for part in where.split("/"):
        place = place.key(part)
        if not place:
            break
        line = place.line or line
    return line
