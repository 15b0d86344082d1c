# SPDX-License-Identifier: BSD-2-Clause
"""Errors of the composer, and how they are printed."""

import os
import sys
from pathlib import Path

from . import lines


class Refused(Exception):
    """A mistake, printed as one line: FILE:LINE:[where]: and sentences that say what is wrong, what is expected, and
    what to do. Without `line`, a TOML file has the line of `where`, unless that is `file`.
    """

    def __init__(self, file, where, message, line=None, table=None, key=None):
        if not line and str(file).endswith(".toml") and where != "file":
            line = lines.line_of(file, where)
        at = f"{file}:{line}" if line else file
        text = f"{at}:[{where}]: {message[0].upper()}{message[1:]}"
        super().__init__("".join(c if c.isprintable() else "?" for c in text))
        self.lines = [str(self)]
        self.parts = [self]  # the mistakes, if it reports several
        self.where = where
        self.table, self.key = table, key  # of the mistake, when a TOML table has it

    @classmethod
    def plainly(cls, message):
        """Returns a mistake that is not in a file. Its sentences alone are printed."""
        error = cls("", "", message)
        text = "".join(c if c.isprintable() else "?" for c in message)
        error.args, error.lines = (text,), [text]
        return error

    @classmethod
    def together(cls, errors):
        """Returns one exception for several mistakes."""
        first, lines = errors[0], [line for error in errors for line in error.lines]
        first.lines = list(dict.fromkeys(lines))
        first.parts = [part for error in errors for part in error.parts]
        return first


class Mistakes:
    """Collects mistakes, so that one run can report all of them."""

    def __init__(self):
        self.found = []

    def of(self, act, *values):
        """Returns act(*values), or None if it is refused. The mistake is then kept."""
        try:
            return act(*values)
        except Refused as error:
            self.found.append(error)
            return None

    @property
    def places(self):
        """The places of the mistakes, such as component/name."""
        return {part.where for error in self.found for part in error.parts}

    def end(self):
        """Raises Refused with all mistakes, if there are some."""
        if self.found:
            raise Refused.together(self.found)


def each(act, items, *values):
    """Calls act(item, *values) for each item, then raises Refused with the mistakes of all."""
    mistakes = Mistakes()
    for item in items:
        mistakes.of(act, item, *values)
    mistakes.end()


def check_output(option, path):
    """Refuses a path that cannot be written. The path is None if the option is not given."""
    if not path:
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise Refused(path, option, f"there is no folder {folder}. Option {option} writes a file into a folder that "
                      "exists. Make the folder, or correct the path.")
    if Path(path).is_dir():
        raise Refused(path, option, f"the path is a folder. Option {option} writes a file. Add the name of a file.")
    if not os.access(folder, os.W_OK):
        raise Refused(path, option, f"the folder {folder} cannot be written. Option {option} writes a file into it. Change "
                      "its permissions, or choose another folder.")


def run(program, main, arguments=None):
    """Runs a command; each mistake or a failing file becomes one line, and the exit code 1."""
    try:
        return main(sys.argv[1:] if arguments is None else arguments) or 0
    except Refused as error:
        for line in error.lines:
            print(f"{program}: {line}", file=sys.stderr)
    except OSError as error:
        what = error.strerror or str(error)
        print(f"{program}: {error.filename or program}:[file]: {what}. "
              "The file cannot be used. Check its path and permissions.", file=sys.stderr)
    except BrokenPipeError:
        pass
    return 1
