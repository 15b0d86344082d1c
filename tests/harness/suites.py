# SPDX-License-Identifier: GPL-2.0
"""Fetches packages of a named Debian suite as files, independent of the release that this machine runs.

`Suites("trixie")` is a separate apt. Its sources, lists and cache are in the cache folder. Its status
file is empty, so that apt considers no package installed. The machine's apt supplies the rest:
the address of the archive (one-line and deb822 sources, mirrors), proxies, passwords, and the
keyring. Nothing is installed on the machine, and its apt files do not change.

    trixie = Suites("trixie")
    trixie.field("bochs", "Version")        a field of the newest version in the suite
    trixie.download("bochs")                the path of its .deb
    trixie.closure("bochs", "bochs-term")   the names of these packages and of all their dependencies
    root = unpacked("bochs", trixie, ["bochs", "bochs-term", "bochsbios", "vgabios"])

`unpacked` makes a whole root of packages and their dependencies, so that its programs run on the
suite's own libraries. Start them under `chroot`, or with `loader(root, "/usr/bin/bochs")`.

    python3 -m tests.harness.suites trixie bochs bochs-term    prints these packages and their dependencies
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
    """A separate apt that knows only the given suites."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self._home = cache_dir() / "apt" / "+".join(names)

    def __str__(self) -> str:
        return " and ".join(self.names)

    def field(self, package: str, name: str) -> str:
        """Returns a field of the newest version of a package; raises RuntimeError if it does not exist."""
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
        """Returns the given packages and all their dependencies, as apt would install them."""
        self._ready()
        try:
            plan = self._get("install", "--simulate", *packages)
        except RuntimeError:    # the lists can be older than the archive
            self.refresh()
            plan = self._get("install", "--simulate", *packages)
        return re.findall(r"^Inst (\S+)", plan, re.M)

    def names_of(self, start: str) -> list[str]:
        """Returns the names of all packages that begin with a text."""
        return self._query("pkgnames", start).split()

    def download(self, package: str) -> Path:
        """Returns the .deb of a package's newest version; downloads it if it is not in the cache."""
        return self.downloads([package])[0]

    def downloads(self, packages: list[str]) -> list[Path]:
        """Returns the .deb files of several packages, in the given order."""
        # Fetches of two kernel flavours can need the same package at the same time.
        with locked("debs"):
            try:
                return self._download(packages)
            except RuntimeError:    # the lists can be older than the archive
                self.refresh()
                return self._download(packages)

    def refresh(self) -> None:
        """Fetches the current package lists of these suites, from the first archive that has them."""
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
        """Returns apt's record of each package, in the given order."""
        text = self._query("show", "--no-all-versions", *packages)
        found = {re.search(r"^Package: (\S+)$", record, re.M)[1]: record
                 for record in text.split("\n\n") if record.startswith("Package: ")}
        # apt-cache uses an unknown name as a regular expression, and shows the packages that match.
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
            # apt-get writes directly to the final name, so an interrupted download would look complete.
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
    """Returns the file name that apt-get uses for a package."""
    package, version, architecture = (
        re.search(rf"^{name}: (.*)$", record, re.M)[1] for name in ("Package", "Version", "Architecture"))
    return f"{package}_{version.replace(':', '%3a')}_{architecture}.deb"


def unpacked(name: str, suites: Suites, packages: list[str], *, dependencies: bool = True) -> Path:
    """Returns the folder CACHE/NAME with these packages unpacked; makes it if it is missing.

    With `dependencies` the folder also holds all their dependencies, including libc. The packages'
    scripts do not run, so users, alternatives and caches are missing. Delete the folder to get the
    suite's current versions.
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
    """Makes an empty root in which /bin, /lib, /lib64 and /sbin are links into /usr. It suits each suite."""
    for folder in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")


def unpack(deb: Path, into: Path) -> None:
    """Unpacks a .deb into a folder. Follows existing links to folders. The package's scripts do not run."""
    say(f"unpacking {deb.name}")
    into.mkdir(parents=True, exist_ok=True)
    script = 'set -o pipefail; dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink -C "$1"'
    command("bash", "-c", script, deb, into)


def loader(root: Path, program: str) -> list[str]:
    """Returns the command words that run a program of an unpacked root with the libraries of that root."""
    libraries = [f"{root}/usr/lib/x86_64-linux-gnu", f"{root}/usr/lib"]
    return [f"{root}/lib64/ld-linux-x86-64.so.2", "--library-path", ":".join(libraries), f"{root}{program}"]


def main(arguments: list[str]) -> int:
    """Prints packages of a suite and all their dependencies."""
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
