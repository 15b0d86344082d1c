# SPDX-License-Identifier: GPL-2.0
"""A guest with Limpet and all measuring programs. It runs one of bench/guest's scripts."""

import dataclasses
import shutil
import time
from pathlib import Path

from tests.harness.cache import cache_dir, locked
from tests.harness.initramfs import SEARCH, Initramfs
from tests.harness.kernels import fetch
from tests.harness.property import limpet_files
from tests.harness.qemu import Guest, Machine
from tests.harness.suites import Suites, unpack, unpacked

from . import entry

TOP = Path(__file__).parents[1]
PROGRAMS = ["peers", "null_syscall", "yield", "job", "cyclic", "ticks", "minor_fault", "spawn", "ferry",
            "receive", "load", "streams", "call", "early", "taken", "flood",
            "real_time"]
#: Programs of suite exec only.
EXEC = ["system_calls", "page_faults", "hand_over", "nap", "timer_signal", "packet_send", "packet_task", "span",
        "guest_mode", "working_set"]
LOADS = ["cyclictest", "stress-ng"]
#: Scripts in which Linux dies, in beneath mode; in which another Linux follows; in which Limpet is not loaded.
DEADLY, FOLLOWED = ("demo", "dead", "restart"), ("demo", "restart")
UNLOADED = ("dead", "restart", "trace", "table2", "table3", "net", "scale", "exec")
#: Scripts with a network card, and the files for it.
WIRED, NETWORK, DRIVERS = ("table3",), ("ip", "chrt"), ("virtio_pci", "virtio_net", "tun")

#: Programs of this machine for suite exec: for its job, and nice.
JOB = ("bash", "cat", "cksum", "cmp", "cut", "grep", "mkdir", "nice", "rm", "sed", "sort", "wc")


class Missing(Exception):
    """A file was not built."""


def initramfs(kernel: str, script: str, images: list[str], mode: str, quick: bool = False,
              long: bool = False) -> Initramfs:
    """Returns the guest's root: programs, module, images, and the script to run. `quick`: a short run. `long`: more
    periods.
    """
    root = Initramfs()
    files = {f"/usr/bin/{name}": TOP / f"build/bench/{name}" for name in PROGRAMS + EXEC * (script == "exec")}
    files |= {f"/limpet/images/{name}.limpet": TOP / f"build/systems/{name}.limpet"
              for name in images}
    files |= limpet_files(kernel)
    files["/limpet/harm.ko"] = TOP / f"build/harm-{kernel}/harm.ko"
    for guest, host in files.items():
        if not host.exists():
            raise Missing(f"{host.relative_to(TOP)} is not built: run `make all KERNEL={kernel}`")
        root.file(host, guest)
    for name in ("common.sh", "steps.sh"):
        root.file(TOP / "bench/guest" / name, f"/limpet/bench/{name}")
    root.text("/limpet/bench/mode.sh", f"mode={mode} long={'1' * long} quick={'1' * quick}\n")
    root.text("/limpet/run.sh", (TOP / f"bench/guest/{script}.sh").read_text())
    again = TOP / f"bench/guest/{script}_again.sh"
    if again.exists():
        root.file(again, f"/limpet/bench/{again.name}")
    if mode == "beneath" and script in FOLLOWED:
        root.file(fetch(kernel).vmlinuz, "/limpet/vmlinuz")
    for name in () if script in UNLOADED else LOADS:
        root.program(name)
    if script == "net":
        _servers(root)
    if script == "exec":
        _job(root)
    if script in WIRED:
        root.modules(fetch(kernel), DRIVERS)
        for name in NETWORK:
            root.program(name)
    return root


def _servers(root: Initramfs) -> None:
    """Adds the files that all servers serve, and Debian 12's nginx, which need not be installed on this machine."""
    deb = Suites("bookworm").download("nginx")
    folder = cache_dir() / deb.stem
    with locked("nginx"):
        if not (folder / "usr/sbin/nginx").exists():
            unpack(deb, folder)
    root.file(folder / "usr/sbin/nginx", "/usr/bin/nginx")
    root.file(TOP / "bench/guest/nginx.conf", "/limpet/bench/nginx.conf")
    root.file(TOP / "systems/net-files/1k.txt", "/limpet/bench/1k.txt")
    root.file(TOP / "tests/system/lib/network.sh", "/limpet/network.sh")
    root.text("/etc/passwd", "root:x:0:0::/root:/bin/sh\n", 0o644)
    root.text("/etc/group", "root:x:0:\n", 0o644)


def _job(root: Initramfs) -> None:
    """Adds the job of suite exec: shell and utilities of this machine, Debian 12's tcc, and the C library's headers.

    tcc is compiler, assembler and linker in one small program without temporary files of random names.
    """
    for name in JOB:
        root.file(shutil.which(name, path=SEARCH), f"/debian/bin/{name}")
    library = "usr/lib/x86_64-linux-gnu"
    tools = unpacked("bench-exec", Suites("bookworm"), ["tcc", "libc6-dev"], dependencies=False)
    root.file(tools / "usr/bin/tcc", "/debian/bin/tcc")
    root.folder(tools / library / "tcc", f"/{library}/tcc")
    root.folder(tools / "usr/include", "/usr/include")
    for name in ("crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a"):
        root.file(tools / library / name, f"/{library}/{name}")
    # tcc looks for the loader, to which the C library refers, among the libraries.
    root.file("/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
    for name in ("build.sh", "module.c.in"):
        root.file(TOP / "bench/exec" / name, f"/limpet/bench/{name}")


def machine(kernel: str, cpus: int, script: str, mode: str, long: bool = False) -> Machine:
    """Returns a counted machine: its time stamp counts instructions."""
    boots = fetch(kernel)
    if script == "restart":
        boots = dataclasses.replace(boots, vmlinuz=entry.write(
            boots.vmlinuz, TOP / f"build/bench/vmlinuz-{kernel}-noted"))
    return Machine(kernel=boots, cpus=cpus, counted=True, timeout=14400 if long else 1500,
                   watch=mode != "beneath" or script not in DEADLY)


def progress(guest: Guest, out) -> None:
    """Shows the script's progress lines while the guest runs."""
    begin = time.monotonic()

    def on_line(line: str) -> None:
        if line.startswith("bench: "):
            print(f"  {time.monotonic() - begin:5.0f} s  {line[7:]}", file=out, flush=True)

    guest.on_line = on_line
