# SPDX-License-Identifier: BSD-2-Clause
"""The one way in which the composer says no."""

import sys


class Refused(Exception):
    """One line: FILE:[where]: what, why, what to do."""

    def __init__(self, file, where, message):
        line = f"{file}:[{where}]: {message}"
        super().__init__("".join(c if c.isprintable() else "?" for c in line))


def run(program, main, arguments=None):
    """Runs a command; a refusal or a failing file becomes one line and exit code 1."""
    try:
        return main(sys.argv[1:] if arguments is None else arguments) or 0
    except Refused as error:
        print(f"{program}: {error}", file=sys.stderr)
    except OSError as error:
        what = error.strerror or str(error)
        print(f"{program}: {error.filename or program}:[file]: {what}, "
              "it cannot be used as it is, check path and rights", file=sys.stderr)
    except BrokenPipeError:
        pass
    return 1
