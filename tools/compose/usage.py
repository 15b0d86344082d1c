# SPDX-License-Identifier: BSD-2-Clause
"""Command lines of the tools. A wrong one is reported as by `limpet`: one sentence, a line with the help, exit code 2."""

import argparse
import difflib
import re
import sys

#: Messages of argparse, and the sentences that replace them.
SENTENCES = (
    (re.compile(r"the following arguments are required: (.*), ([^,]*)"), r"\1 and \2 are missing."),
    (re.compile(r"the following arguments are required: (.*)"), r"\1 is missing."),
    (re.compile(r"argument (\S+/)?(-\S+): expected (one|at least one) argument"), r"Option '\2' needs a value."),
    (re.compile(r"argument (\S+/)?(-\S+): ignored explicit argument '(.*)'"), r"'\2=\3': The option takes no value."),
    (re.compile(r"argument (\S+/)?(-\S+): not allowed with argument (\S+/)?(-\S+)"), r"\2 and \4 exclude each other."),
    (re.compile(r"argument (\S+/)?(-\S+): (.*)"), r"\2 \3"),
    (re.compile(r"argument [^:]+: (.*)"), r"\1"),
)


class Parser(argparse.ArgumentParser):
    """A parser with the messages of `limpet`. A parser of a subcommand must be the default `parser` of its options."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, allow_abbrev=False, **options)

    def error(self, message):
        for pattern, sentence in SENTENCES:
            if pattern.fullmatch(message):
                message = pattern.sub(sentence, message)
                break
        print(f"{self.prog}: {message}\nTry `{self.prog} --help`.", file=sys.stderr)
        sys.exit(2)

    def refuse(self, word):
        """Refuses the first word that no option or argument accepts."""
        if not word.startswith("-"):
            self.error(f"'{word}' is one argument too many.")
        known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        close = difflib.get_close_matches(word.split("=")[0], known, 1)
        self.error(f"There is no option '{word}'." + (f" Did you mean '{close[0]}'?" if close else ""))

    def _check_value(self, action, value):
        if action.choices is None or value in action.choices:
            return
        *words, last = action.choices
        close = difflib.get_close_matches(value, [*words, last], 1)
        meant = f". Did you mean '{close[0]}'?" if close else ""
        must = f"must be {', '.join(words)} or {last}" if words else f"must be {last}"
        raise argparse.ArgumentError(action, f"{value}: {must}{meant}")

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            getattr(found, "parser", self).refuse(next((word for word in rest if word.startswith("-")), rest[0]))
        return found


def number(minimum, maximum, kind=int, unit=""):
    """Returns a type for options that are numbers in a range."""
    def read(text):
        try:
            if minimum <= kind(text) <= maximum:
                return kind(text)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"{text}: must be {minimum} to {maximum}{unit}")
    return read
