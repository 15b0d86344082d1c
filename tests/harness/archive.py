# SPDX-License-Identifier: GPL-2.0
"""Where this machine gets Debian packages from, as its own apt says: no address is written here."""

import itertools
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from .cache import command

#: Suites of Debian by name and by role. A source of any of them shows where the machine's archive is.
RELEASES = ("bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable")
SUITE = re.compile(rf"({'|'.join(RELEASES)})(-updates|-proposed-updates|-backports|-security|/updates)?")
HELPER = "/usr/lib/apt/apt-helper"


def bases(suite: str) -> list[str]:
    """Returns the addresses that may have a suite: of its kind, security or not, in the order of apt's sources.

    Archives that are not Debian's use the same names of suites. So try each: the signature tells.
    A machine whose apt names no security archive is likely to find it where most mirrors have it:
    next to the main one.
    """
    return choose(_sources(_print_uris()), suite)


def choose(sources: list[tuple[str, str]], suite: str) -> list[str]:
    """Returns those addresses, given all sources of Debian's as pairs of address and suite."""
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
    """Calls `attempt` with one address of each list, until it raises no RuntimeError; raises the last."""
    problem: RuntimeError | None = None
    for chosen in itertools.product(*choices):
        try:
            attempt(chosen)
            return
        except RuntimeError as error:
            problem = error
    raise problem or RuntimeError("no archive to choose from")


def download(path: str, to: Path, digest: str) -> None:
    """Downloads a file of the main archive, by its path there, through apt; checks its SHA-256."""
    first_that_works([bases("stable")], lambda base: command(
        HELPER, "-o", "APT::Sandbox::User=root", "download-file", f"{base[0]}/{path}", to, f"SHA256:{digest}"))


def _print_uris() -> str:
    """apt's own words for what it would fetch: sources of all forms, read by apt itself."""
    with tempfile.TemporaryDirectory() as lists:
        return command("apt-get", "update", "--print-uris", "-o", f"Dir::State::Lists={lists}")


def _sources(text: str) -> list[tuple[str, str]]:
    """Address and suite of each source of Debian's that apt printed."""
    pairs = re.findall(r"^'(\S+?)/+dists/(\S+)/InRelease'", text, re.M)
    return [(base, suite) for base, suite in pairs if SUITE.fullmatch(suite) and not base.startswith("cdrom:")]


def _is_security(suite: str) -> bool:
    return suite.endswith(("-security", "/updates"))
