# SPDX-License-Identifier: GPL-2.0
"""Finds the Debian archives of this machine in the sources of its apt. This file contains no address."""

import itertools
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from .cache import command

#: Debian's suites by name and by role. A source of one of them has the address of the machine's archive.
RELEASES = ("bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable")
SUITE = re.compile(rf"({'|'.join(RELEASES)})(-updates|-proposed-updates|-backports|-security|/updates)?")
HELPER = "/usr/lib/apt/apt-helper"


def bases(suite: str) -> list[str]:
    """Returns the addresses that can have a suite, in the order of apt's sources.

    For a security suite these are security archives, else other archives. Archives of other
    distributions use the same suite names, so the caller must try each address: apt refuses a
    wrong archive by its signature. If apt names no security archive, the result is the folder next
    to the main archive, where most mirrors have it. Raises RuntimeError if there is no address.
    """
    return choose(_sources(_print_uris()), suite)


def choose(sources: list[tuple[str, str]], suite: str) -> list[str]:
    """Returns the addresses of `bases` from all Debian sources, which are pairs of address and suite."""
    wanted = _is_security(suite)
    found = [base for base, name in sources if _is_security(name) == wanted]
    if not found and wanted:
        found = [f"{base}-security" for base, _ in sources if base.endswith("/debian")]
    if not found:
        raise RuntimeError(
            f"this machine's apt has no source of Debian's {'security ' * wanted}archive, which {suite} is in:"
            " add one to /etc/apt/sources.list.d, for any release")
    return list(dict.fromkeys(found))


def first_that_works(choices: list[list[str]], attempt: Callable[[tuple[str, ...]], None]) -> None:
    """Calls `attempt` with one address of each list, until a call succeeds.

    A call fails if it raises RuntimeError. If all combinations fail, the last error is raised.
    """
    problem: RuntimeError | None = None
    for chosen in itertools.product(*choices):
        try:
            attempt(chosen)
            return
        except RuntimeError as error:
            problem = error
    raise problem or RuntimeError("no archive to choose from")


def download(path: str, to: Path, digest: str) -> None:
    """Downloads a file of the main archive through apt, by its path in the archive, and checks its SHA-256."""
    first_that_works([bases("stable")], lambda base: command(
        HELPER, "-o", "APT::Sandbox::User=root", "download-file", f"{base[0]}/{path}", to, f"SHA256:{digest}"))


def _print_uris() -> str:
    """Returns the addresses that `apt-get update` would fetch. apt itself reads the sources, in each format."""
    with tempfile.TemporaryDirectory() as lists:
        return command("apt-get", "update", "--print-uris", "-o", f"Dir::State::Lists={lists}")


def _sources(text: str) -> list[tuple[str, str]]:
    """Returns address and suite of each Debian source in apt's output."""
    pairs = re.findall(r"^'(\S+?)/+dists/(\S+)/InRelease'", text, re.M)
    return [(base, suite) for base, suite in pairs if SUITE.fullmatch(suite) and not base.startswith("cdrom:")]


def _is_security(suite: str) -> bool:
    return suite.endswith(("-security", "/updates"))
