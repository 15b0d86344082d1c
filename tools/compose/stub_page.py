# SPDX-License-Identifier: BSD-2-Clause
"""Generates the reference page of an interface, in a fixed form."""

from . import contract
from .stub_text import sentence


def cell(text):
    return text.replace("|", "\\|")


def rows(head, lines):
    """Returns a Markdown table, or an empty text."""
    if not lines:
        return ""
    rule = "|".join("---" for _ in head)
    body = "".join("| " + " | ".join(cell(text) for text in line) + " |\n" for line in lines)
    return f"| {' | '.join(head)} |\n|{rule}|\n{body}\n"


def words(function):
    lines = [(f"`{w.name}`", way, w.doc, " ".join(filter(None, (w.range, w.unit))) or "any")
             for way, part in (("in", function.args), ("out", function.results)) for w in part]
    return rows(("word", "way", "meaning", "range, unit"), lines) or "No words in, none out.\n\n"


# Errors that every invocation can return, independent of the interface.
GENERAL = ("EDEPTH", "ECRASH")


def errors(function):
    known = dict(function.errors)
    known.update({name: contract.ERRORS[name] for name in GENERAL if name not in known})
    return rows(("error", "when"), [(f"`{name}`", doc) for name, doc in known.items()])


def function_text(interface, function):
    parameters = [word.name for word in function.args]
    parameters += [f"*{word.name}" for word in function.results]
    text = f"## {interface.name}_{function.name}\n\n{sentence(function.doc)}\n\n"
    head = f"long {interface.name}_{function.name}({', '.join(parameters) or 'void'});"
    text += f"```c\n{head}\n```\n\n"
    text += words(function) + errors(function)
    text += f"**Context:** {sentence(function.context)}\n"
    if function.cost:
        text += f"\n**Cost:** {sentence(function.cost)}\n"
    return text


def page(interface):
    """Returns the file NAME.md."""
    text = f"<!-- Generated from interface {interface.name} by tools/compose. Do not edit. -->\n\n"
    text += f"# Interface {interface.name}\n\n{sentence(interface.doc)}\n\n"
    text += f"Version {interface.version}. Every word is an unsigned 64-bit number.\n\n"
    return text + "\n".join(function_text(interface, f) for f in interface.functions)
