# SPDX-License-Identifier: GPL-2.0
"""Makes the guest's root: busybox, chosen programs and modules, files, /init.

It is a plain newc archive, sorted, with all times zero, so the same inputs result in the same bytes. It is not
compressed, because decompression under TCG takes longer than QEMU needs to load it.
"""

import functools
import io
import lzma
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from .cache import command
from .kernels import Kernel

GUEST = Path(__file__).parent / "guest"
SEARCH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Initramfs:
    """A root file system: guest path -> (mode, content, device)."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[int, bytes, tuple[int, int]]] = {}
        for folder in ("proc", "sys", "dev", "tmp", "run", "root", "etc"):
            self._put(folder, stat.S_IFDIR | 0o755)
        # Contains only what /init needs before it mounts devtmpfs.
        self._put("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
        self._put("dev/null", stat.S_IFCHR | 0o666, device=(1, 3))
        self._busybox()
        self.file(GUEST / "init", "/init")
        self.data("/limpet/yield", built("yield.S", "gcc", "-nostdlib"), 0o755)
        self.file(GUEST / "verdict.sh", "/limpet/verdict.sh")
        self.file(GUEST / "pack", "/limpet/pack")

    def file(self, host, guest: str) -> None:
        """Adds a file of the build machine.

        Adds the libraries of a dynamic program, too. Strips types and source lines from a module, because they are the
        largest part of it.
        """
        host = Path(host)
        content = _stripped(host, host.stat().st_mtime_ns) if host.suffix == ".ko" else host.read_bytes()
        self._put(guest, stat.S_IFREG | stat.S_IMODE(host.stat().st_mode), content)
        if content.startswith(b"\x7fELF") and host.stat().st_mode & stat.S_IXUSR:
            for library in _libraries(host):
                if library.lstrip("/") not in self.nodes:
                    self._put(library, stat.S_IFREG | 0o755, Path(library).read_bytes())

    def folder(self, host, guest: str) -> None:
        """Adds all files below a folder of the build machine."""
        for path in sorted(Path(host).rglob("*")):
            if path.is_file():
                self.file(path, f"{guest}/{path.relative_to(host)}")

    def text(self, guest: str, content: str, mode: int = 0o755) -> None:
        """Adds a file with this text."""
        self._put(guest, stat.S_IFREG | mode, content.encode())

    def data(self, guest: str, content: bytes, mode: int = 0o644) -> None:
        """Adds a file with these bytes."""
        self._put(guest, stat.S_IFREG | mode, content)

    def program(self, name: str) -> None:
        """Adds a program of the build machine, by name, at /usr/bin."""
        path = shutil.which(name, path=SEARCH)
        if not path:
            raise FileNotFoundError(f"no program {name} on this machine: try `make deps`")
        self.file(path, f"/usr/bin/{name}")

    def modules(self, kernel: Kernel, names) -> None:
        """Adds modules with their dependencies. /init inserts them in this order."""
        order, listing = _load_order(kernel, names), []
        for path in order:
            content = (kernel.modules / path).read_bytes()
            if path.endswith(".xz"):
                path, content = path[:-3], lzma.decompress(content)
            guest = f"/lib/modules/{kernel.release}/{path}"
            self._put(guest, stat.S_IFREG | 0o644, content)
            listing.append(guest)
        self.text("/limpet/modules", "".join(f"{path}\n" for path in listing), 0o644)

    def write(self, target: Path, base: "Initramfs | None" = None) -> None:
        """Writes the archive, see archive()."""
        target.write_bytes(self.archive(base))

    def archive(self, base: "Initramfs | None" = None) -> bytes:
        """Returns the archive. Omits files that are equal in the base, over which the archive is unpacked."""
        out = io.BytesIO()
        nodes = self.nodes.items() - base.nodes.items() if base else self.nodes.items()
        for inode, (path, (mode, content, device)) in enumerate(sorted(nodes), 1):
            _write_node(out, inode, path, mode, content, device)
        _write_node(out, 0, "TRAILER!!!", 0, b"", (0, 0))
        return out.getvalue()

    def _put(self, path: str, mode: int, content: bytes = b"", device=(0, 0)) -> None:
        path = path.strip("/")
        parent = path.rpartition("/")[0]
        if parent and parent not in self.nodes:
            self._put(parent, stat.S_IFDIR | 0o755)
        self.nodes[path] = (mode, content, device)

    def _busybox(self) -> None:
        busybox = shutil.which("busybox", path=SEARCH)
        self.file(busybox, "/bin/busybox")
        for applet in _applets(busybox):
            if applet != "bin/busybox":
                self._put(applet, stat.S_IFLNK | 0o777, b"/bin/busybox")


@functools.cache
def _applets(busybox: str) -> list[str]:
    return command(busybox, "--list-full").split()


@functools.cache
def built(source: str, *compiler: str) -> bytes:
    """Compiles a program of the guest folder, and returns its content."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "program"
        command(*compiler, "-static", "-o", target, GUEST / source)
        return target.read_bytes()


@functools.cache
def _stripped(module: Path, _changed: int) -> bytes:
    with tempfile.NamedTemporaryFile() as target:
        command("strip", "--strip-debug", "-o", target.name, module)
        return Path(target.name).read_bytes()


def _libraries(program: Path) -> list[str]:
    """Returns the libraries that the loader would map for a program. The list is empty for a static one."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True)
    if "not found" in done.stdout:
        raise FileNotFoundError(f"{program}: a library is missing:\n{done.stdout}")
    return re.findall(r"(/\S+) \(0x", done.stdout)


def _load_order(kernel: Kernel, names) -> list[str]:
    """Returns module files, each after its dependencies, which modules.dep lists."""
    needs = {}
    for line in (kernel.modules / "modules.dep").read_text().splitlines():
        path, _, rest = line.partition(":")
        needs[_module_name(path)] = [*reversed(rest.split()), path]
    builtin = (kernel.modules / "modules.builtin").read_text().split()
    builtin = {_module_name(path) for path in builtin}
    order: dict[str, None] = {}
    for name in names:
        name = name.replace("-", "_")
        if name in needs:
            order |= dict.fromkeys(needs[name])
        elif name not in builtin:
            raise FileNotFoundError(f"kernel {kernel.flavour} has no module {name}")
    return list(order)


def _module_name(path: str) -> str:
    return Path(path).name.partition(".")[0].replace("-", "_")


def _write_node(out, inode: int, path: str, mode: int, content: bytes, device) -> None:
    name = path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    numbers = (inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(name), 0)
    header = b"070701" + b"".join(b"%08x" % number for number in numbers) + name
    for part in (header, content):
        out.write(part + b"\0" * (-len(part) % 4))
