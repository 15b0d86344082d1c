# SPDX-License-Identifier: BSD-2-Clause
"""Kinds of arguments and fields: reads `WORD [NAME] [in | out | left] [by COUNT] [if VALUE BITS]`."""

import re
from dataclasses import dataclass

# Words of lib/guest/calls.toml -> the table that has the word after it, or None.
KINDS = {word: None for word in """signed unsigned hex fd dirfd pid id mode filemode signal address string path name buffer
    strings environment cloneargs length sockaddr iovec msghdr sigset status fdset cpuset dirents text limit filesize device epolldata
    handler port inet inet6 flowinfo groups ticks""".split()}
KINDS.update(flags="set", value="set", cloneflags="set", struct="struct")
RETURNS = {word: None for word in "error value fd pid address hex mode poll select never".split()}
RETURNS.update(flags="set", named="set")
WAYS = ("in", "out", "left")
RESULT, CONSTANT = -2, 16  # of `link`; a constant count is added to the second
# Kinds of plain numbers. A field of such a kind has the size of its C type.
SIZED = ("signed", "unsigned", "hex", "flags", "value")
POINTER_BYTES = 8
LONG = re.compile(r"\*|\blong\b|\bsize_t\b|loff_t|off_t|\bu64\b|__u64|aio_context_t|cap_user_")
UNSIGNED = re.compile(r"unsigned|\bsize_t\b|\bu\d\d\b|__u\d\d|uint\d\d_t|aio_context_t|umode_t|qid_t|rwf_t")


class Wrong(Exception):
    """An invalid kind. The text gives the reason and the remedy."""


@dataclass
class Value:
    """A printed argument or field: struct guest_value."""

    name: str
    kind: str
    at: int            # register of an argument, or offset of a field (an expression)
    of: str | None = None
    way: str = "in"
    link: str | None = None
    only: tuple | None = None   # (name of another value, expression of bits)
    size: int | str = 8
    sign: str = "0"
    count: str = "1"
    label: bool = False


def type_bytes(c_type):
    return POINTER_BYTES if LONG.search(c_type) else 4


def plain_kind(c_type):
    """Returns the kind of a C type that no rule names."""
    if "*" in c_type or c_type.startswith("cap_user_"):
        return "address"
    return "unsigned" if UNSIGNED.search(c_type) else "signed"


def read(text, known, value):
    """Adds to a Value what a kind's text says. `known` has the names of sets and structures."""
    words = text.split()
    value.kind = words.pop(0)
    if value.kind not in KINDS:
        raise Wrong(f"'{value.kind}' is not a kind. Use one of: {', '.join(KINDS)}.")
    names = KINDS[value.kind]
    if names:
        value.of = words.pop(0) if words else ""
        if value.of not in known[names]:
            raise Wrong(f"there is no {names} '{value.of}'. Correct the name or add it to {names}s.")
    if words and words[0] in WAYS:
        value.way = words.pop(0)
    while len(words) >= 2 and words[0] == "by":
        value.link, words = words[1], words[2:]
    if len(words) == 3 and words[0] == "if":
        value.only, words = (words[1], words[2]), []
    if words:
        raise Wrong(f"'{' '.join(words)}' has no meaning here. See the top of the file for the form. Correct it.")
    return value
