# SPDX-License-Identifier: BSD-2-Clause
"""limpet-compose: makes an image, a report and a picture of a system file."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import (argument, bridge, channel, describe, errors, executive, image, link, memory, mqtt, picture, policy, progress,
               report, roles, sandbox, scheduling, system, update, usage, version, wiring)
from .errors import Refused
from .root import ROOT


def parse(arguments):
    parser = usage.Parser(prog="limpet-compose",
                                     description="Composes a system into an image.")
    parser.add_argument("system", nargs="?", metavar="SYSTEM.toml")
    parser.add_argument("-o", "--output", metavar="OUT.limpet")
    parser.add_argument("--report", metavar="OUT.txt", help="write the report as text")
    parser.add_argument("--svg", metavar="OUT.svg", help="write the wiring as a picture")
    parser.add_argument("--debug", metavar="DIR", help="write an ELF file for gdb for each component")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--components", action="append", metavar="DIR",
                        help="folder of component folders, or of groups of component folders")
    parser.add_argument("--interfaces", action="append", metavar="DIR",
                        help="folder of interface folders")
    parser.add_argument("--objects", action="append", metavar="DIR",
                        help="folder of built components")
    parser.add_argument("--check", metavar="IMAGE", help="check an image instead")
    parser.add_argument("--version", action=version.Option, help="print the version, and end")
    options = parser.parse_args(arguments)
    if bool(options.system) == bool(options.check):
        parser.error("Give either SYSTEM.toml or --check IMAGE.")
    options.components = options.components or [ROOT / "components"]
    options.interfaces = options.interfaces or [ROOT / "interfaces"]
    options.objects = options.objects or [ROOT / "build" / "components"]
    return options


def compose(options):
    """Returns the image, its description, the table of bridges and the files for gdb. Refuses all mistakes of tables, then
    those of objects."""
    mistakes = errors.Mistakes()
    described = system.read(options.system, options.components, mistakes)
    wiring.resolve(described, options.interfaces, mistakes)
    errors.each(lambda resolve: resolve(described),
                [channel.resolve, mqtt.resolve, roles.resolve, scheduling.resolve, policy.resolve, sandbox.resolve])
    roles.resolve_memory(described)
    errors.each(argument.check_resolved, described.instances)
    update.resolve(described, wiring.find_definitions(options.interfaces))
    with tempfile.TemporaryDirectory(prefix="limpet-compose-") as work:
        threads = {cpu: described.threads(cpu) for cpu in {i.cpu for i in described.instances}}
        linked = progress.each(
            lambda i: link.place(i, options.objects, Path(work), threads[i.cpu], bool(options.debug)),
            described.instances, "components are linked")
        elves = [(Path(options.debug) / f"{i.name}.elf", path.read_bytes())
                 for i, path in zip(described.instances, linked)] if options.debug else []
    executive.check(described, options.objects)
    memory.check(described)
    packed, crc, ramdisk_size = image.pack(described, options.objects)
    return packed, describe.system(described, len(packed), crc, ramdisk_size), bridge.text(described), elves


def write_all(files):
    """Writes all files or none. Each is first written next to its place, and then renamed."""
    pending = []
    try:
        for path, data in files:
            pending.append((Path(f"{path}.new"), path))
            pending[-1][0].write_bytes(data)
        for new, path in pending:
            os.replace(new, path)
    finally:
        for new, _ in pending:
            new.unlink(missing_ok=True)


def check(path):
    """Runs the checker that the kernel module uses, built for this machine."""
    tool = Path(os.environ.get("LIMPET_IMAGE_CHECK", ROOT / "build" / "tools" / "image-check"))
    if not tool.is_file():
        raise Refused(tool, "check", "The image checker is not built. It is the same code as the module's. Run make "
                      f"{tool.name}.")
    return subprocess.run([tool, path], check=False).returncode


def main(arguments):
    options = parse(arguments)
    if options.check:
        return check(options.check)
    for option, path in (("-o", options.output), ("--report", options.report), ("--svg", options.svg)):
        errors.check_output(option, path)
    packed, data, bridges, elves = compose(options)
    if elves:
        Path(options.debug).mkdir(parents=True, exist_ok=True)
    files = [(options.output, packed)] if options.output else []
    if options.output and data["bridges"]:
        files.append((Path(options.output).with_suffix(".bridge"), bridges.encode()))
    if options.report:
        files.append((options.report, report.text(data).encode()))
    if options.svg:
        files.append((options.svg, picture.draw(data)))
    write_all(files + elves)
    if options.json:
        print(json.dumps(data, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(errors.run("limpet-compose", main))
