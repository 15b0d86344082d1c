# SPDX-License-Identifier: BSD-2-Clause
"""Wires components: finds the server of each import, checks it, and orders the components."""

from dataclasses import dataclass

from . import choice, component, executive, interface, table
from .contract import VALUES
from .errors import Mistakes, each

SLOTS = VALUES["LIMPET_WIRES_MAX"]


def symbol_of(import_name, function):
    return f"__limpet_import_{import_name}_{function}"


@dataclass
class Wire:
    """Returns the symbol of a function that a component may invoke."""

    server: object
    slot: int
    import_name: str
    interface: str
    function: str

    @property
    def import_symbol(self):
        return symbol_of(self.import_name, self.function)

    @property
    def export_symbol(self):
        return f"__limpet_export_{self.interface}_{self.function}"


def server_of(instance, name, wanted, by_name):
    """Returns the instance that serves an import, after checks."""
    t = instance.table
    if name not in instance.imports:
        t.refuse(f"imports/{name}", f"is not given. Component {instance.definition.name} imports interface "
                 f"'{wanted}' under this name. Add {name} = \"a component that exports it\".")
    server = by_name.get(instance.imports[name])
    if not server:
        t.refuse(f"imports/{name}", f"there is no component '{instance.imports[name]}' in this "
                 f"system. {table.near(instance.imports[name], by_name)} Correct the name.")
    if wanted not in server.definition.exports:
        t.refuse(f"imports/{name}", f"'{server.name}' ({server.definition.name}) does not export "
                 f"interface '{wanted}'. It exports: "
                 f"{', '.join(server.definition.exports) or 'none'}. Choose another component.")
    if server.cpu != instance.cpu and "cpu" not in instance.wrong:
        t.refuse(f"imports/{name}", f"'{server.name}' is on CPU {server.cpu}, but this component is on CPU "
                 f"{instance.cpu}. Invocations stay on one CPU. Choose a component of the same CPU.")
    return server


def wire(instance, by_name, definitions, unsure):
    """Fills instance.wires. Skips imports that are wrong already, or that name a component in `unsure`."""
    imports, t, mistakes = instance.definition.imports, instance.table, Mistakes()
    if "imports" in instance.wrong:
        return
    known = {word.split("/")[1] for word in instance.wrong if word.startswith("imports/")}
    if instance.imports.get(executive.IMPORT) not in unsure and "cpu" not in instance.wrong:
        instance.guest = mistakes.of(executive.find, instance, by_name)
    for name in instance.imports:
        if name not in imports and name != executive.IMPORT:
            mistakes.of(t.refuse, f"imports/{name}", f"'{instance.definition.name}' has no such import. "
                        f"{table.near(name, imports)} Correct or remove it.")
    misnamed = bool(mistakes.found)  # then the import can be missing because it was given under the wrong name
    for name, wanted in imports.items():
        if instance.imports.get(name) not in unsure and name not in known and not (misnamed and name not in instance.imports):
            mistakes.of(wire_import, instance, name, wanted, by_name, definitions)
    mistakes.end()
    if len(instance.wires) > SLOTS:
        t.refuse("imports", f"needs {len(instance.wires)} slots, one for each function. A component has {SLOTS}. "
                 "Import fewer functions.")
    check_symbols(instance)


def wire_import(instance, name, wanted, by_name, definitions):
    """Adds the wires of one import."""
    if name in instance.definition.optional and name not in instance.imports:
        leave_out(instance, name, wanted, definitions)
        return
    chosen = instance.choices.get(name)
    wanted = chosen.interface if chosen else wanted
    server = server_of(instance, name, wanted, by_name)
    definition = definitions(instance, name, wanted)
    slot = VALUES["LIMPET_SLOT_FIRST"] + len(instance.wires)
    if chosen:
        instance.numbers |= choice.symbols(name, definition, chosen, slot)
    functions = choice.functions(chosen, definition) if chosen else definition.functions
    instance.wires += [Wire(server, slot + number, name, wanted, function.name)
                       for number, function in enumerate(functions)]


def leave_out(instance, name, wanted, definitions):
    """Records an optional import without a server."""
    if wanted == choice.ANY:
        instance.numbers |= choice.symbols(name)
    else:
        instance.unwired += [symbol_of(name, f.name)
                             for f in definitions(instance, name, wanted).functions]


def check_symbols(instance):
    """Refuses two imports with the same symbol: import a with function b_c, and import a_b with function c."""
    seen = {}
    for w in instance.wires:
        other = seen.setdefault(w.import_symbol, w)
        if other is not w:
            instance.table.refuse(
                f"imports/{w.import_name}", f"function {w.function} and function {other.function} "
                f"of import '{other.import_name}' have one symbol, {w.import_symbol}. Rename one "
                f"of the imports in {instance.definition.file}.")


def find_definitions(folders):
    """Returns a function that finds interfaces, and reads each only once."""
    cache = {}

    def find(instance, name, wanted):
        if wanted not in cache:
            cache[wanted] = interface.find(wanted, folders)
        if not cache[wanted]:
            t = table.Table({}, instance.definition.file, "imports")
            t.refuse(name, f"there is no interface '{wanted}'. An import needs its definition. "
                     f"Write interfaces/{wanted}/interface.toml or add --interfaces DIR.")
        return cache[wanted]
    return find


def servers(instance):
    """Returns the components that it invokes, each once, in the order of its imports. A supervisor is not counted as a
    server of faults, because it does not enter a component that is already on the way.
    """
    return list({id(w.server): w.server for w in instance.wires
                 if w.interface != "faults" or
                 component.SUPERVISOR not in w.server.definition.privileges}.values())


def refuse_cycle(instance, path):
    cycle = path[path.index(instance):] + [instance]
    guests = any(i.guest is after for i, after in zip(cycle, cycle[1:]))
    why = "A guest must reach Linux in the end" if guests else "A thread must not enter a component twice"
    path[-1].table.refuse("imports", f"forms a cycle: {' -> '.join(i.name for i in cycle)}. {why}. Remove one of these "
                          "imports.")


def order(system):
    """Orders servers before their clients, otherwise as in the file. The booter is first. The path from a client to its
    last server can be as long as the system, so this function does not call itself.
    """
    ordered, seen, path = [], set(), {}  # `path` is a dictionary, for fast lookups in order of insertion
    ways = [iter(system.instances)]
    while ways:
        instance = next(ways[-1], None)
        if not instance:
            ways.pop()
            if path:  # all servers of its last component are ordered
                ordered.append(path.popitem()[0])
        elif instance in path:
            refuse_cycle(instance, list(path))
        elif instance not in seen:
            seen.add(instance)
            path[instance] = None
            ways.append(iter(servers(instance) + [instance.guest] * bool(instance.guest)))

    for index, instance in enumerate(ordered):
        instance.index = index
    system.instances = ordered


def resolve(system, folders, mistakes):
    """Wires all components, also those that have mistakes in other keys, and puts them in order."""
    by_name = {i.name: i for i in system.instances if "name" not in i.wrong}
    mistakes.of(each, wire, system.instances, by_name, find_definitions(folders), system.unsure)
    mistakes.of(order, system)
    mistakes.end()
