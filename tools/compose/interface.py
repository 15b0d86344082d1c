# SPDX-License-Identifier: BSD-2-Clause
"""Interface definitions: reads and checks one, generates stubs and the reference page.

    python3 -m tools.compose.interface interfaces/NAME/interface.toml [--prefix IMPORT]
        [--client client.h] [--host host.h] [--server server.S] [--header server.h] [--page NAME.md]
"""

import argparse
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from . import contract, errors, stub_client, stub_host, stub_page, stub_server, table
from .errors import Mistakes

ARGS_MAX, RESULTS_MAX, FUNCTIONS_MAX, NAME_MAX = 6, 3, 64, 24


@dataclass
class Word:
    name: str
    doc: str
    range: str | None = None
    unit: str | None = None


@dataclass
class Function:
    name: str
    doc: str
    args: list
    results: list
    errors: list
    context: str
    cost: str | None
    until: Word | None = None    # the word with the time for which a call waits


@dataclass
class Interface:
    name: str
    version: int
    doc: str
    functions: list
    file: Path


def read_name(t, key="name"):
    name = t.word(key, table.IDENTIFIER, maximum=NAME_MAX)
    t.check_c(key, name)
    return name


def check_twice(t, key, names):
    for name in names:
        if names.count(name) > 1:
            t.refuse(key, f"'{name}' is defined twice. Names must be unique. Rename one.")


def read_words(t, key, maximum):
    tables = t.tables(key)
    if len(tables) > maximum:
        t.refuse(key, f"has {len(tables)} words. Registers carry {maximum}. Pass the rest through shared memory.")
    mistakes = Mistakes()
    words = [read_word(entry, mistakes) for entry in tables]
    mistakes.end()
    return words


def read_word(entry, mistakes):
    word = Word(mistakes.of(read_name, entry), mistakes.of(entry.paragraph, "doc"),
                mistakes.of(entry.text, "range", None), mistakes.of(entry.text, "unit", None))
    mistakes.of(entry.done)
    return word


def read_error(entry):
    """Returns the name of an error."""
    name = entry.text("error")
    if name not in contract.ERRORS:
        entry.refuse("error", f"'{name}' is not an error of <limpet/error.h>. "
                     f"{table.near(name, contract.ERRORS)} Use one of that list.")
    return name


def read_errors(t):
    found, mistakes = [], Mistakes()
    for entry in t.tables("errors"):
        found.append((mistakes.of(read_error, entry), mistakes.of(entry.paragraph, "doc")))
        mistakes.of(entry.done)
    mistakes.of(check_twice, t, "errors", [name for name, _ in found if name])
    mistakes.end()
    return found


def read_until(t, words):
    """Returns the word with the time stamp for which a call waits, or None."""
    name = t.text("until", None)
    found = next((word for word in words if word.name == name), None)
    if name and not found:
        known = [word.name for word in words]
        t.refuse("until", f"'{name}' is not a word of the function. {table.near(name, known)} Name the argument or the "
                 "result with the time stamp for which the call waits.")
    return found


def read_function(t, mistakes):
    """Returns the function. Parts with a mistake are None."""
    function = Function(mistakes.of(read_name, t), mistakes.of(t.paragraph, "doc"),
                        mistakes.of(read_words, t, "args", ARGS_MAX), mistakes.of(read_words, t, "results", RESULTS_MAX),
                        mistakes.of(read_errors, t),
                        mistakes.of(t.paragraph, "context", "any thread of a component that imports it"),
                        mistakes.of(t.paragraph, "cost", None))
    words = (function.args or []) + (function.results or [])
    mistakes.of(check_twice, t, "args", [word.name for word in words])
    function.until = mistakes.of(read_until, t, words)
    mistakes.of(t.done)
    return function


def read_functions(top, mistakes):
    tables = top.tables("function")
    if not 1 <= len(tables) <= FUNCTIONS_MAX:
        top.refuse("function", f"there are {len(tables)} functions. An interface has 1 to "
                   f"{FUNCTIONS_MAX}. Add a [[function]] or split the interface.")
    functions = [read_function(t, mistakes) for t in tables]
    check_twice(top, "function", [function.name for function in functions if function.name])
    return functions


def check_folder(head, interface):
    folder = interface.file.resolve().parent.name
    if interface.file.name == "interface.toml" and folder != interface.name:
        head.refuse("name", f"is '{interface.name}' in the folder '{folder}'. Both names must be the same. Rename one.")


def read(path):
    """Returns the interface defined in a file. Refuses all mistakes of the file."""
    top, mistakes = table.load(Path(path)), Mistakes()
    head = mistakes.of(top.table, "interface")
    interface = Interface(None, 0, None, [], Path(path))
    if head:
        interface.name = mistakes.of(read_name, head)
        interface.version = mistakes.of(head.integer, "version", table.REQUIRED, 1, 65535)
        interface.doc = mistakes.of(head.paragraph, "doc")
        mistakes.of(head.done)
    if head or "function" in top.data:
        interface.functions = mistakes.of(read_functions, top, mistakes)
    mistakes.of(top.done)
    if interface.name:
        mistakes.of(check_folder, head, interface)
    mistakes.end()
    return interface


def identity(interface):
    """Returns 32 bits that differ if client and server were built with different interfaces."""
    functions = [f"{f.name} {' '.join(w.name for w in f.args)}:{' '.join(w.name for w in f.results)}"
                 for f in interface.functions]
    return zlib.crc32("\n".join([f"{interface.name} {interface.version}", *functions]).encode())


def find(name, folders):
    """Returns the definition of interface `name`, or None."""
    for folder in folders:
        path = Path(folder) / name / "interface.toml"
        if path.is_file():
            return read(path)
    return None


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def main(arguments):
    parser = argparse.ArgumentParser(prog="tools.compose.interface",
                                     description="Generates stubs and page of an interface.")
    parser.add_argument("definition")
    parser.add_argument("--prefix", help="name of the import, when it is not the interface's")
    for output in ("client", "host", "server", "header", "page"):
        parser.add_argument(f"--{output}", metavar="FILE")
    options = parser.parse_args(arguments)
    interface = read(options.definition)
    if options.prefix and not table.IDENTIFIER.fullmatch(options.prefix):
        parser.error("--prefix is a name of a-z 0-9 _")
    if options.client:
        write(options.client, stub_client.header(interface, options.prefix))
    if options.host:
        write(options.host, stub_host.header(interface, identity(interface)))
    if options.server:
        write(options.server, stub_server.assembly(interface))
    if options.header:
        write(options.header, stub_server.header(interface))
    if options.page:
        write(options.page, stub_page.page(interface))


if __name__ == "__main__":
    sys.exit(errors.run("limpet-interface", main))
