# SPDX-License-Identifier: BSD-2-Clause
"""Imports of interface `any`: the system file chooses the interface, and which functions of it."""

from dataclasses import dataclass

from . import component, interface, table

ANY = "any"


@dataclass
class Choice:
    interface: str
    functions: list
    table: table.Table


def read(imports, name):
    """Returns (instance, Choice) of the import `name`."""
    if not isinstance(imports.data[name], dict):
        imports.refuse(name, "names only a component. This import can be of any interface. Write "
                       f'{name} = {{ component = "NAME", interface = "NAME", functions = ["NAME"] }}.')
    t = imports.table(name)
    server = t.word("component", table.NAME, maximum=component.NAME_MAX)
    choice = Choice(t.word("interface", table.IDENTIFIER), t.words("functions", table.IDENTIFIER), t)
    t.done()
    if not choice.functions:
        t.refuse("functions", "is empty, but only listed functions can be called. List at least one.")
    return server, choice


def functions(choice, definition):
    """Returns the chosen functions of the interface, in its order."""
    known = [f.name for f in definition.functions]
    for name in choice.functions:
        if name not in known:
            choice.table.refuse("functions", f"'{name}' is not a function of interface "
                                f"'{definition.name}'. {table.near(name, known)} Correct the name.")
    return [f for f in definition.functions if f.name in choice.functions]


def symbols(name, definition=None, choice=None, slot=0):
    """Returns the symbols that the stubs of such an import need. Without a choice no function can be called."""
    chosen = sum(1 << number for number, f in enumerate(definition.functions)
                 if f.name in choice.functions) if choice else 0
    return {f"__limpet_any_{name}_slot": slot, f"__limpet_any_{name}_functions": chosen,
            f"__limpet_any_{name}_interface": interface.identity(definition) if choice else 0}
