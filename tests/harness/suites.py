# SPDX-License-Identifier: GPL-2.0
"""Packages of a named Debian suite as files, whatever release this machine runs.

`Suites("trixie")` is an apt of its own: its sources, lists and cache are in the cache folder, and its
status file is empty, so that it knows no package as installed. The machine's apt gives the rest:
the address of the archive (one-line and deb822 sources, mirrors), proxies, passwords, and the
keyring. Nothing is installed on the machine, and none of its apt files change.

    trixie = Suites("trixie")
    trixie.field("bochs", "Version")        a field of the newest version there
    trixie.download("bochs")                the path of its .deb
    trixie.closure("bochs", "bochs-term")   these and all that they depend on, as names
    root = unpacked("bochs", trixie, ["bochs", "bochs-term", "bochsbios", "vgabios"])

`unpacked` makes a whole root of packages and their dependencies, so that its programs run on the
suite's own libraries: under `chroot`, or with `loader(root, "/usr/bin/bochs")`.

    python3 -m tests.harness.suites trixie bochs bochs-term    prints the packages that these need
"""

import re
import shutil
import sys
from pathlib import Path

from . import archive
from .cache import cache_dir, command, locked, publish, say

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

CONFIGURATION = """\
Dir::State "{0}";
Dir::State::Lists "{0}/lists/";
Dir::State::Status "{0}/status";
Dir::State::extended_states "{0}/extended_states";
Dir::Cache "{0}";
Dir::Cache::Archives "{0}/archives/";
Dir::Cache::pkgcache "{0}/pkgcache.bin";
Dir::Cache::srcpkgcache "";
Dir::Etc::SourceList "{0}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::GzipIndexes "false";
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
#clear Acquire::IndexTargets::deb::CNF;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


class Suites:
    """An apt that sees the given suites alone."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self._home = cache_dir() / "apt" / "+".join(names)

    def __str__(self) -> str:
        return " and ".join(self.names)

    def field(self, package: str, name: str) -> str:
        """Returns a field of the newest version of a package."""
        [record] = self._records([package])
        found = re.search(rf"^{name}: (.*)$", record, re.M)
        if not found:
            raise RuntimeError(f"package {package} of {self} has no field {name}")
        return found.group(1)

    def depends(self, package: str, pattern: str) -> list[str]:
        """Returns the packages that a package depends on and whose names match a regular expression."""
        words = re.split(r"[,|]", self.field(package, "Depends"))
        names = [word.split()[0] for word in words]
        return [name for name in names if re.fullmatch(pattern, name)]

    def closure(self, *packages: str) -> list[str]:
        """Returns the given packages and all that they depend on, as apt would install them."""
        self._ready()
        try:
            plan = self._get("install", "--simulate", *packages)
        except RuntimeError:    # the lists may be older than the archive
            self.refresh()
            plan = self._get("install", "--simulate", *packages)
        return re.findall(r"^Inst (\S+)", plan, re.M)

    def download(self, package: str) -> Path:
        """Returns the .deb of a package's newest version, from the cache or through apt."""
        return self.downloads([package])[0]

    def downloads(self, packages: list[str]) -> list[Path]:
        """Returns the .deb files of several packages, in that order."""
        # Two flavours may want the same package at the same time.
        with locked("debs"):
            try:
                return self._download(packages)
            except RuntimeError:    # the lists may be older than the archive
                self.refresh()
                return self._download(packages)

    def refresh(self) -> None:
        """Fetches the lists of these suites anew, from the first archive that has them."""
        say(f"fetching the package lists of {self}")
        for part in ("lists/partial", "archives/partial"):
            (self._home / part).mkdir(parents=True, exist_ok=True)
        (self._home / "status").touch()
        (self._home / "apt.conf").write_text(CONFIGURATION.format(self._home))
        (self._home / "complete").unlink(missing_ok=True)
        archive.first_that_works([archive.bases(name) for name in self.names], self._update)
        (self._home / "complete").touch()

    def _update(self, bases: tuple[str, ...]) -> None:
        (self._home / "sources.list").write_text("".join(
            f"deb [signed-by={KEYRING}] {base} {name} main\n" for base, name in zip(bases, self.names)))
        self._get("update", "--error-on=any")

    def _ready(self) -> None:
        with locked(f"apt-{self._home.name}"):
            if not (self._home / "complete").exists():
                self.refresh()

    def _query(self, *words: str) -> str:
        self._ready()
        return command("apt-cache", "-c", self._home / "apt.conf", *words)

    def _get(self, *words: str, **options) -> str:
        return command("apt-get", "-q", "-c", self._home / "apt.conf", *words, **options)

    def _records(self, packages: list[str]) -> list[str]:
        """What apt knows of each package, in the same order."""
        text = self._query("show", "--no-all-versions", *packages)
        found = {re.search(r"^Package: (\S+)$", record, re.M)[1]: record
                 for record in text.split("\n\n") if record.startswith("Package: ")}
        # apt-cache takes an unknown name for a regular expression, and shows others.
        unknown = [package for package in packages if package not in found]
        if unknown:
            raise RuntimeError(f"there is no package {', '.join(unknown)} in {self}")
        return [found[package] for package in packages]

    def _download(self, packages: list[str]) -> list[Path]:
        folder = cache_dir() / "debs"
        debs = [folder / _file_name(record) for record in self._records(packages)]
        missing = [package for package, deb in zip(packages, debs) if not deb.exists()]
        if missing:
            say(f"downloading {', '.join(missing)} of {self}")
            # apt-get writes directly to the final names, and an interrupted download would stay there.
            part = folder / "part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            self._get("download", *missing, cwd=part)
            for deb in debs:
                if not deb.exists():
                    (part / deb.name).rename(deb)
            part.rmdir()
        return debs


def _file_name(record: str) -> str:
    """The name that apt-get gives to a package's file."""
    package, version, architecture = (
        re.search(rf"^{name}: (.*)$", record, re.M)[1] for name in ("Package", "Version", "Architecture"))
    return f"{package}_{version.replace(':', '%3a')}_{architecture}.deb"


def unpacked(name: str, suites: Suites, packages: list[str], *, dependencies: bool = True) -> Path:
    """Returns the folder CACHE/NAME with these packages unpacked, and makes it when it is missing.

    With `dependencies` it holds all that they depend on, too, libc included. None of the packages'
    scripts run: users, alternatives and caches are not there. Delete the folder to get what the
    suite has today.
    """
    root = cache_dir() / name
    with locked(name):
        if not root.exists():
            temporary = root.with_name(f"{name}.part")
            shutil.rmtree(temporary, ignore_errors=True)
            merged(temporary)
            for deb in suites.downloads(suites.closure(*packages) if dependencies else packages):
                unpack(deb, temporary)
            publish(temporary, root)
            say(f"{', '.join(packages)} of {suites} is in {root}")
    return root


def merged(root: Path) -> None:
    """Makes an empty root in which /bin, /lib, /lib64 and /sbin are links into /usr, for any suite."""
    for folder in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")


def unpack(deb: Path, into: Path) -> None:
    """Unpacks a .deb into a folder, through links to folders that are there, and runs none of its scripts."""
    say(f"unpacking {deb.name}")
    into.mkdir(parents=True, exist_ok=True)
    script = 'set -o pipefail; dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink -C "$1"'
    command("bash", "-c", script, deb, into)


def loader(root: Path, program: str) -> list[str]:
    """Returns the words that run a program of an unpacked root with the libraries of that root."""
    libraries = [f"{root}/usr/lib/x86_64-linux-gnu", f"{root}/usr/lib"]
    return [f"{root}/lib64/ld-linux-x86-64.so.2", "--library-path", ":".join(libraries), f"{root}{program}"]


def main(arguments: list[str]) -> int:
    """Prints what packages of a suite need."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    print("\n".join(Suites(arguments[0]).closure(*arguments[1:])))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RuntimeError as error:
        sys.exit(f"no packages: {error}")
