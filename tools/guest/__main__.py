# SPDX-License-Identifier: BSD-2-Clause
"""Makes the table of system calls of lib/guest from a kernel's headers.

    python3 -m tools.guest --headers BUILD [--table table.c] [--numbers numbers.h] [--page calls.md]
"""

import argparse
import sys
import tomllib
from pathlib import Path

from tools.compose import errors
from tools.compose.interface import write

from . import calls, emit, sets, structs
from .headers import Headers
from .kinds import Wrong

FOLDER = Path(__file__).resolve().parents[2] / "lib/guest"


def load(folder, name):
    path = Path(folder) / name
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise errors.Refused(path, "file", f"The file is not valid TOML: {error}. Correct the line.") from None


class Model:
    """Returns the contents of the table: calls, sets, structures, and the values of their constants."""

    def __init__(self, build, folder=FOLDER):
        headers = Headers(build)
        data = {name: load(folder, f"{name}.toml") for name in ("calls", "sets", "structs")}
        known = {"set": data["sets"]["set"], "struct": data["structs"]["struct"]}
        self.sets = sets.read(headers, data["sets"])
        for name, part in (("structs", lambda d: structs.read(d, known)), ("calls", lambda d: calls.read(headers, d, known))):
            try:
                setattr(self, name, part(data[name]))
            except Wrong as wrong:
                raise errors.Refused(Path(folder) / f"{name}.toml", name, str(wrong)) from None
        used = data["sets"]["constants"]["headers"] + sets.headers_of(data["sets"]) + structs.headers_of(data["structs"])
        names = data["sets"]["constants"]["names"]
        self.values = headers.values(list(dict.fromkeys(used)), names + sets.expressions(self.sets) +
                                     structs.expressions(self.structs) + calls.expressions(self.calls))
        self.constants = {name: self.values[name] for name in names}


def main(arguments):
    parser = argparse.ArgumentParser(prog="tools.guest", description="Makes the table of system calls of guests.")
    parser.add_argument("--headers", required=True, metavar="BUILD", help="folder that modules of the kernel are built with")
    for output in ("table", "numbers", "page"):
        parser.add_argument(f"--{output}", metavar="FILE")
    options = parser.parse_args(arguments)
    model = Model(options.headers)
    if options.table:
        write(options.table, emit.table(model.calls, model.sets, model.structs, model.values))
    if options.numbers:
        write(options.numbers, emit.numbers(model.calls, model.sets, model.structs, model.values, model.constants))
    if options.page:
        write(options.page, emit.page(model.calls))


if __name__ == "__main__":
    sys.exit(errors.run("limpet-guest", main))
