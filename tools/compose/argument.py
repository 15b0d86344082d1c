# SPDX-License-Identifier: BSD-2-Clause
"""Arguments of components: their declarations in component files, and the values in system files."""

from dataclasses import dataclass

from . import musl, table
from .contract import VALUES
from .errors import Mistakes

INTEGER = 1 << 63
NAME_MAX = 23  # of struct limpet_info_arg, without the final 0
TYPES = {"integer": int, "text": str, "policy": str}  # a policy is the name of a file: sandbox.py


@dataclass
class Argument:
    """A declared argument. Without a type it can be an integer or a text."""

    type: str | None = None
    minimum: int = -INTEGER
    maximum: int = INTEGER - 1

    @property
    def ranged(self):
        return self.minimum > -INTEGER or self.maximum < INTEGER - 1

    @property
    def form(self):
        """The expected value, as the end of a sentence."""
        if TYPES.get(self.type) is str:
            return "a text"
        return f"an integer, {self.minimum} to {self.maximum}" if self.ranged else "an integer"


def read_one(args, name):
    """Reads a declaration: a description, or a table with the description, the type and the range."""
    if not isinstance(args.data[name], dict):
        args.paragraph(name)
        return Argument()
    t, mistakes = args.table(name), Mistakes()
    mistakes.of(t.paragraph, "doc")
    kind = mistakes.of(t.one_of, "type", TYPES, table.REQUIRED)
    minimum, maximum = (mistakes.of(t.integer, key, None, -INTEGER, INTEGER - 1) for key in ("min", "max"))
    mistakes.of(t.done)
    mistakes.end()
    if kind != "integer" and (minimum, maximum) != (None, None):
        t.refuse("type", f"is '{kind}', but the argument has a range. Only an integer has min and max. Remove them.")
    found = Argument(kind, -INTEGER if minimum is None else minimum, INTEGER - 1 if maximum is None else maximum)
    if found.minimum > found.maximum:
        t.refuse("min", f"{found.minimum} is more than max, {found.maximum}. Exchange or correct them.")
    return found


def read_all(top):
    """Returns the declared arguments of a component file, by name."""
    args, found, mistakes = top.table("args", required=False), {}, Mistakes()
    for name in args.mapping_names():
        mistakes.of(args.check_word, name, name, table.NAME, NAME_MAX)
        if args.at(name) not in mistakes.places:
            found[name] = mistakes.of(read_one, args, name)
    mistakes.end()
    return found


def check_text(args, name, value, long):
    """Refuses an invalid text of an argument. If `long`, the text can have more than one record of the info page."""
    size = len(value.encode())
    if not value:
        args.refuse(name, "is an empty text, which means the same as no argument. A text has at least 1 byte. "
                    "Remove it or write a text.")
    if "\0" in value:
        args.refuse(name, "has a zero byte, which ends a text. A text cannot contain it. Remove it.")
    if size > musl.ARG_TEXT_MAX and not long:
        args.refuse(name, f"has {size} bytes. A text has 1 to {musl.ARG_TEXT_MAX}. Shorten it or put it into "
                    "a file of the ramdisk.")


def check_count(t, definition, args):
    """Refuses more arguments than the info page has records. `args` are the values by name."""
    count, limit = sum(len(musl.pieces(definition, name, value)) for name, value in args.items()), VALUES["LIMPET_INFO_ARGS"]
    if count > limit:
        pieces = "a program's texts and environment" if definition.libc else "the topics of [[mqtt]]"
        long = f", each {musl.ARG_TEXT_MAX} bytes of {pieces} count as one" if definition.libc or musl.TOPICS in args else ""
        t.refuse("args", f"there are {count} arguments{long}. A component has at most {limit}. Remove some.")


def check_resolved(instance):
    """Checks the arguments again, with those that the composer has added or changed."""
    check_count(instance.table, instance.definition, instance.args)
    args = instance.table.table("args", required=False)
    for name, value in instance.args.items():
        if isinstance(value, str):
            check_text(args, name, value, musl.in_pieces(instance.definition, name))


def check(args, name, definition):
    """Refuses a value of a system file that the component does not declare, or declares otherwise."""
    value, declared = args.data[name], definition.args.get(name)
    if not declared:
        args.refuse(name, f"'{definition.name}' has no such argument. {table.near(name, definition.args)} "
                    f"Correct it or add it to [args] of {definition.file}.")
    if type(value) not in (int, str) or declared.type and type(value) is not TYPES[declared.type]:
        form = declared.form if declared.type else "an integer or a text"
        args.refuse(name, f"is of type {table.toml_type(value)}. It must be {form}. Write {form.split(',')[0]}.")
    if isinstance(value, str):
        check_text(args, name, value, musl.in_pieces(definition, name))
    elif not declared.minimum <= value <= declared.maximum:
        number = f"{declared.minimum} to {declared.maximum}" if declared.ranged else "an integer of 64 bits with a sign"
        args.refuse(name, f"{value} is out of range. It must be {number}. Choose a number in between.")
