# SPDX-License-Identifier: GPL-2.0
"""Unpacks source distributions of Python packages into the cache. pip downloads them from its own configured index.

    python3 -m tests.harness.sdists pysoem      prints the folder of its sources
"""

import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path

from .cache import cache_dir, command, locked, publish, say
from .public import extract


@dataclasses.dataclass(frozen=True)
class Sdist:
    """A version of a package, with the SHA-256 of its archive."""

    version: str
    digest: str


#: pysoem contains the C sources of SOEM, an EtherCAT master. The tests use only these.
SDISTS = {"pysoem": Sdist("1.1.13", "4be98d8531e492f2ee5d21f6ef51e51493a10ee1322ed22e909c91a8bcfff950")}


def fetch(name: str) -> Path:
    """Returns the unpacked sources of a package. Downloads them if they are missing.

    Raises RuntimeError if pip is not installed, does not find the package, or finds another archive.
    """
    if name not in SDISTS:
        raise RuntimeError(f"no source distribution {name}: use one of {', '.join(SDISTS)}")
    sdist = SDISTS[name]
    root = cache_dir() / "sources" / f"{name}-{sdist.version}-{sdist.digest[:12]}"
    with locked(f"sdist-{name}"):
        if not root.exists():
            root.parent.mkdir(exist_ok=True)
            _download(name, sdist, root)
    return root


def _download(name: str, sdist: Sdist, root: Path) -> None:
    say(f"downloading {name} {sdist.version}")
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        wanted = Path(folder, "requirements")
        wanted.write_text(f"{name}=={sdist.version} --hash=sha256:{sdist.digest}\n")
        command(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                "--no-binary", name, "--require-hashes", "--dest", folder, "--requirement", wanted)
        archive = Path(folder, f"{name}-{sdist.version}.tar.gz")
        part = root.with_name(f"{root.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        extract(archive, part)
        publish(part / f"{name}-{sdist.version}", root)
        part.rmdir()


def main(arguments: list[str]) -> int:
    """Prints the folder of a package's sources."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    print(fetch(arguments[0]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RuntimeError as error:
        sys.exit(f"no source distribution: {error}")
