# SPDX-License-Identifier: GPL-2.0
"""Makes the page of a system reachable from this machine, through QEMU's user network, for `make run`."""

import argparse
import dataclasses
import sys
import tomllib
import urllib.request

from tests.harness.initramfs import Initramfs
from tests.harness.interact import interact
from tests.harness.kernels import fetch
from tests.harness.property import SYSTEM, limpet_files
from tests.harness.qemu import Guest, Machine

from . import guest

MODULES = ("virtio_pci", "virtio_net", "bridge")
#: Linux's own address on the network of the guest's card.
LINUX = "10.0.2.14/24"


@dataclasses.dataclass(frozen=True)
class Page:
    """The address of a system's page on the guest's network, and the network device that leads there."""

    host: str
    port: int
    device: str


def page_of(system: dict) -> Page | None:
    """Returns the page that the system file describes, or None without a page that Linux can reach."""
    parts = {component["image"]: component.get("args", {}) for component in system["component"]}
    devices = [channel["name"] for channel in system.get("channel", ()) if channel.get("mode") == "network"]
    host = parts.get("net", {}).get("address", "").partition("/")[0]
    if "http.accept" not in parts or not devices or not host:
        return None
    return Page(host, parts["http.accept"].get("port", 80), devices[0])


def find(name: str) -> Page | None:
    """Returns the page of a system in the tree."""
    return page_of(tomllib.loads((guest.TOP / f"systems/{name}.toml").read_text()))


def show(want: argparse.Namespace, page: Page) -> int:
    """Boots and prints the page's address. Then it shows a shell if there is a terminal and no --batch."""
    shell = not want.batch and sys.stdin.isatty()
    print(f"booting Debian's Linux {want.kernel} under QEMU", flush=True)
    machine = Machine(kernel=fetch(want.kernel), cpus=want.cpus, timeout=300,
                      forward=(f"{page.host}:{page.port}",), append="limpet.shell" * shell)
    try:
        root = _root(want, page, shell)
    except guest.Missing as error:
        print(error, file=sys.stderr)
        return 1
    with Guest(machine, root, "page") as running:
        guest.progress(running, sys.stdout)
        if running.wait_record("page"):
            url = f"http://127.0.0.1:{running.forwarded(machine.forward[0])}/"
            print(text(url), flush=True)
            if shell and running.wait_record("shell") and interact(running):
                return 0
            if not shell:
                running.console.send("\n")
        result = running.finish()
    if not result.ok:
        print(result.report(), file=sys.stderr)
    return 0 if result.ok else 1


def text(url: str) -> str:
    """Returns the page's text as this machine receives it."""
    sizes = {}
    for path in ("", "about.html", "picture.svg", "figures.json"):
        with urllib.request.urlopen(url + path, timeout=60) as answer:
            sizes[path] = len(answer.read())
    return (f"\nThe page is at {url}\n"
            "Components beside Linux serve it; it shows what they do, and updates each second. "
            f"{len(sizes)} of its parts were fetched, {sum(sizes.values()):,} bytes.\n"
            f"Try: ab -k -c 4 -n 2000 {url}about.html\n")


def _root(want: argparse.Namespace, page: Page, stay: bool) -> Initramfs:
    root = Initramfs()
    files = limpet_files(want.kernel)
    files[f"/limpet/images/{want.system}.limpet"] = guest.TOP / f"build/systems/{want.system}.limpet"
    files["/usr/bin/load"] = guest.TOP / "build/bench/load"
    for inside, host in files.items():
        if not host.exists():
            raise guest.Missing(f"{host.relative_to(guest.TOP)} is not built: run `make all KERNEL={want.kernel}`")
        root.file(host, inside)
    root.file(SYSTEM / "lib/network.sh", "/limpet/network.sh")
    root.file(guest.TOP / "bench/guest/steps.sh", "/limpet/bench/steps.sh")
    root.text("/limpet/bench/page", f"mode={want.mode} image={want.system} stay={'1' * stay}\n"
              f"host={page.host} port={page.port} device={page.device} address={LINUX}\n")
    root.text("/limpet/run.sh", (guest.TOP / "bench/guest/page.sh").read_text())
    root.modules(fetch(want.kernel), MODULES)
    return root
