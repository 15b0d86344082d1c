# SPDX-License-Identifier: BSD-2-Clause
"""TOML tables that know their place in the file. Every read is checked, and unknown keys are refused."""

import difflib
import re
import sys
import tomllib

from . import errors, lines
from .errors import Refused

REQUIRED = object()
NEAR_MAX = 20  # names that an error lists
#: Keys whose value names a table in messages, and words for tables without them.
LABELS = ("name", "channel", "topic", "error", "number")
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
UNNAMED = "unnamed"  # replaces a wrong name
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
NAME = re.compile(r"[a-z][a-z0-9]*([.-][a-z0-9]+)*")
SIZE = re.compile(r"(\d{1,12})([KMG]?)")
RESERVED = set("""auto badge break case char const continue default do double else enum extern float
for goto if inline int long out register restrict return short signed sizeof static status struct
switch typedef union unsigned void volatile while word asm typeof bool true false likely
unlikely linux unix""".split())
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


VERBS = frozenset("belongs contains forms has is leaves makes names needs reserves takes".split())
FORMS = {int: "an integer", str: "a text", list: "a list", dict: "a table"}
TYPES = {bool: "boolean", int: "integer", float: "float", str: "text", list: "list", dict: "table"}


def toml_type(value):
    """Returns the name that TOML has for the type of a value."""
    return TYPES.get(type(value), type(value).__name__)


def load(path):
    """Returns the top table of a TOML file."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise Refused(path, "file", f"byte {error.start} is not UTF-8. TOML files are UTF-8. "
                      "Save it as UTF-8.", error.object.count(b"\n", 0, error.start) + 1) from None
    except ValueError as error:
        digits = re.search(r"\d{%d}" % (sys.get_int_max_str_digits() + 1), text)
        if digits and not isinstance(error, tomllib.TOMLDecodeError):
            raise Refused(path, "file", "A number has too many digits. Numbers have 64 bits. Correct it.",
                          text.count("\n", 0, digits.start()) + 1) from None
        line = re.search(r"at line (\d+)", str(error))
        raise Refused(path, "file", f"The file is not valid TOML: {error}. Correct the "
                      "line.", line and line[1]) from None
    except RecursionError:
        rows = text.split("\n")
        deepest = max(range(len(rows)), key=lambda row: rows[row].count("[") + rows[row].count("{"))
        raise Refused(path, "file", "The file is nested too deeply. No table needs that depth. Flatten it.",
                      deepest + 1) from None
    return Table(data, path, "", lines.find(text))


def near(word, words):
    """Returns a sentence with the most similar word, or with all words."""
    close = difflib.get_close_matches(word, list(words), 1)
    if close:
        return f"Did you mean '{close[0]}'?"
    shown = sorted(words)[:NEAR_MAX]
    more = f" and {len(words) - NEAR_MAX} more" if len(words) > NEAR_MAX else ""
    return f"Known names: {', '.join(shown) or 'none'}{more}."


class Table:
    def __init__(self, data, file, where, place=None):
        self.data, self.file, self.where = data, file, where
        self.place = place or lines.Place(None)
        self.read = set()

    def at(self, key):
        return f"{self.where}/{key}" if self.where else key

    @property
    def every(self):
        """The tables of this kind, as the subject of a sentence."""
        if "." in self.where.rsplit("/", 1)[-1]:
            return f"Every [[{re.sub(r'[.][^/]*', '', self.where)}]]"
        return f"Every [{self.where}]" if self.where else "The file"

    def line(self, key):
        """Returns the line of a key, which may be that of a table in this one: imports/NAME, or the table's own."""
        place = self.place
        for part in key.split("/"):
            if not place.key(part):
                break
            place = place.key(part)
        return place.line

    def refuse(self, key, message):
        """Raises Refused. A message that begins with one of VERBS gets the key as its subject."""
        if message.split(" ", 1)[0] in VERBS:
            message = f"'{key.rsplit('/', 1)[-1]}' {message}"
        raise Refused(self.file, self.at(key), message, self.line(key), self, key)

    def form(self, key, kind, kind_text):
        """Returns what to write for a key, as the end of a sentence. A key in the file itself can be a table."""
        if kind is dict:
            return f"{key} = {{ ... }}" if self.where else f"a table [{key}]"
        return kind_text if kind is list and not self.where else f"{key} = {kind_text}"

    def get(self, key, kind, kind_text, default):
        self.read.add(key)
        if key not in self.data:
            if default is REQUIRED:
                meant = difflib.get_close_matches(key, [k for k in self.data if k not in self.read], 1)
                hint = f"Was '{meant[0]}' meant? " if meant else ""
                self.refuse(key, f"is missing. {self.every} needs it. {hint}Add {self.form(key, kind, kind_text)}.")
            return default
        value = self.data[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(key, f"is of type {toml_type(value)}. It must be {FORMS.get(kind, kind_text)}. "
                        f"Write {self.form(key, kind, kind_text)}.")
        return value

    def text(self, key, default=REQUIRED):
        """Reads a text of one line."""
        value = self.get(key, str, '"text"', default)
        if value is not None and (not value.strip() or not value.isprintable()):
            self.refuse(key, "is empty or has control characters. It must be one line of text. Write some words.")
        return value

    def one_of(self, key, words, default):
        """Reads a text that must be one of `words`."""
        value = self.text(key, default)
        if value is not None and value not in words:
            self.refuse(key, f"'{value[:60]}' is not one of {', '.join(words)}. {near(value, words)} "
                        "Write one of these.")
        return value

    def paragraph(self, key, default=REQUIRED):
        """Reads a text that may have several lines, and joins the lines."""
        value = self.get(key, str, '"text"', default)
        if value is None:
            return None
        value = " ".join(value.split())
        if not value or not value.isprintable() or "*/" in value:
            self.refuse(key, "is empty or has control characters or '*/'. The text is copied to comments and pages. "
                        "Write some words.")
        return value

    def word(self, key, pattern, default=REQUIRED, maximum=None):
        """Reads a name."""
        value = self.get(key, str, '"name"', default)
        if value is not None:
            self.check_word(key, value, pattern, maximum)
        return value

    def check_word(self, key, value, pattern, maximum=None):
        if not pattern.fullmatch(value):
            letters = "a-z 0-9 _" if pattern is IDENTIFIER else "a-z 0-9 and single . or -"
            self.refuse(key, f"'{value[:60]}' is not a name. Names consist of {letters} and start with a "
                        "letter. Rename it.")
        if maximum and len(value) > maximum:
            self.refuse(key, f"'{value[:60]}' has {len(value)} characters. At most {maximum} are possible. Shorten it.")

    def check_c(self, key, name):
        """Checks that a name can be a variable, or part of a function's name."""
        if name in RESERVED or name.startswith("limpet_"):
            self.refuse(key, f"'{name}' is a word of C or of the stubs. The stub would not compile. Rename it.")

    def integer(self, key, default, minimum, maximum):
        value = self.get(key, int, f"{minimum} to {maximum}", default)
        if value is not None and not minimum <= value <= maximum:
            self.refuse(key, f"{value} is out of range. It must be {minimum} to {maximum}. Choose a number in between.")
        return value

    def boolean(self, key, default):
        return self.get(key, bool, "true or false", default)

    def size(self, key, default, minimum, maximum, align=1):
        """Reads a number of bytes, written as "16M"."""
        text = self.get(key, str, '"64K"', default)
        match = SIZE.fullmatch(text)
        if not match:
            self.refuse(key, f"'{text[:60]}' is not a size. A size is a number with K, M or G. "
                        f'Write {key} = "64K".')
        value = int(match[1]) * UNITS[match[2]]
        if not minimum <= value <= maximum:
            self.refuse(key, f"'{text}' is out of range. It must be {size_text(minimum)} to "
                        f"{size_text(maximum)}. Choose a size in between.")
        if value % align:
            self.refuse(key, f"'{text}' is not a multiple of {size_text(align)}. Memory is given in "
                        "pages. Round it up.")
        return value

    def words(self, key, pattern, maximum=None):
        """Reads a list of different names."""
        values = self.get(key, list, '["name"]', [])
        for value in values:
            if not isinstance(value, str):
                self.refuse(key, f"{value!r} is not a text. The key is a list of names. "
                            f'Write {key} = ["name"].')
            if pattern:
                self.check_word(key, value, pattern, maximum)
            if values.count(value) > 1:
                self.refuse(key, f"'{value}' is listed twice. Once is enough. Remove one.")
        return values

    def mapping_names(self):
        """Returns the keys of a table whose keys the file's author chooses."""
        self.read.update(self.data)
        return list(self.data)

    def table(self, key, required=True):
        value = self.get(key, dict, "a table", REQUIRED if required else {})
        return type(self)(value, self.file, self.at(key), self.place.key(key))

    def tables(self, key):
        """Reads an array of tables."""
        values = self.get(key, list, f"tables [[{key}]]", [])
        result = []
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                self.refuse(key, f"entry {index} is not a table. Each entry must be a table. "
                            "Write { name = ... }.")
            place = self.place.key(key)
            result.append(type(self)(value, self.file, f"{self.at(key)}.{label(value, index)}", place and place.item(index)))
        return result

    def done(self):
        """Refuses all keys that were not read."""
        errors.each(self.refuse_unknown, [key for key in self.data if key not in self.read])

    def refuse_unknown(self, key):
        self.refuse(key, f"is unknown here. {near(key, self.read)} Correct or remove it.")


def label(data, index):
    """Returns how messages name a table of an array: by its first key of LABELS, otherwise by its position."""
    for key in LABELS:
        value = data.get(key)
        text = str(value) if isinstance(value, str) or type(value) is int else ""
        if text and text.isprintable() and (key == "name" or "/" not in text):
            return text
    return ORDINALS[index] if index < len(ORDINALS) else f"number {index + 1}"


def size_text(size):
    for unit in ("G", "M", "K"):
        if size and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]}{unit}"
    return str(size)
