# SPDX-License-Identifier: BSD-2-Clause
"""The version and its date, which are those of the first entry of the packages' changelog, as in packaging/version.mk."""

import argparse
import re
from datetime import timezone
from email.utils import parsedate_to_datetime
from pathlib import Path

# The installed kit contains the changelog, too.
CHANGELOG = Path(__file__).resolve().parents[2] / "packaging/debian/changelog"


def text():
    """Returns the version and the date, as `limpet --version` prints them."""
    log = CHANGELOG.read_text(encoding="utf-8")
    date = re.search(r"^ -- .*>  (.*)$", log, re.M)[1]
    return f"{re.match(r'.*[(](.*)[)]', log)[1]}, {parsedate_to_datetime(date).astimezone(timezone.utc).date()}"


class Option(argparse.Action):
    """Option --version, which prints the version and exits."""

    def __init__(self, option_strings, dest, **options):
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser, namespace, values, option_string=None):
        print(f"{parser.prog} {text()}")
        parser.exit()
