# SPDX-License-Identifier: BSD-2-Clause
"""Links a component's object at its final addresses and takes segments and symbols from it."""

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from . import musl, rust, unwind, update
from .contract import VALUES
from .errors import Refused

PAGE = VALUES["LIMPET_PAGE"]
BASE, STRIDE = 0x1000000000, 0x40000000
ENTRY, INFO, THREADS = "__limpet_start", "__limpet_info", "limpet_thread_begin"
STACK_WAIT = "limpet_stack_wait"
LARGER = "a part is larger than its reserve"  # the linker's message in this case
NO_GATE = (1 << 64) - 1  # LIMPET_INVOKE(0): that slot is always empty
# Symbols that the linker and its script define.
LINKER = {INFO, "_GLOBAL_OFFSET_TABLE_", "__init_array_start", "__init_array_end", *musl.LINKER, *musl.CXX_LINKER}
RIGHTS = {4: VALUES["LIMPET_READ"], 5: VALUES["LIMPET_READ"] | VALUES["LIMPET_EXEC"],
          6: VALUES["LIMPET_READ"] | VALUES["LIMPET_WRITE"]}

SCRIPT = """\
PHDRS {{ text PT_LOAD FLAGS(5); rodata PT_LOAD FLAGS(4); data PT_LOAD FLAGS(6); {phdr} }}
SECTIONS
{{
	. = {base:#x};
	.text : {{ {entries} *(.text.start) *(.text .text.*) {text} *(.plt .plt.* .iplt) }} :text
{functions}	{constants}
	.rodata : {{ *(.rodata .rodata.*) }} :rodata
	.rela : {{ *(.rela .rela.*) }} :rodata
	ASSERT(SIZEOF(.rela) == 0, "error: addresses known at run time only, such as indirect functions")
{tables}	{variables}
	.data : {{ KEEP(*(.limpet.state)) *(.data.rel.ro .data.rel.ro.*) *(.got .got.* .igot .igot.*) *(.data .data.*)
		__init_array_start = .; KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*))) KEEP(*(.init_array)) __init_array_end = .; }} :data
{data}	.bss : {{ *(.bss .bss.[0-9a-zA-Z_]*) *(COMMON) *(.bss..each-thread) . += {each_thread}; }} :data
	{end}
	{info} = .;
	{unwind}
	.debug_frame 0 (INFO) : {{ *(.debug_frame) }}
	{debug}
	/DISCARD/ : {{ *(.comment) *(.note .note.*) *(.eh_frame_hdr) *(.debug*) }}
}}
"""
# Unwind tables for the composer alone, which are not loaded.
UNLOADED = ".eh_frame . (INFO) : { *(.eh_frame) }"
# Sections that a debugger reads. They are empty if the component does not have them.
DEBUG = " ".join(f".debug_{name} 0 (INFO) : {{ *(.debug_{name}) }}" for name in (
    "info", "abbrev", "line", "line_str", "str", "str_offsets", "addr", "aranges", "ranges", "rnglists", "loc", "loclists",
    "macro", "types"))


@dataclass
class Segment:
    address: int
    size: int
    data: bytes
    rights: int


@dataclass
class Layout:
    """The addresses of all parts of a component."""

    segments: list
    symbols: dict
    entry: int
    info: int
    heap: int
    heap_size: int
    stacks: int
    stack_shift: int
    stack_count: int
    pool: int        # lowest address of the pool of stacks; 0: no pool
    pool_shift: int
    functions: list  # (offset from the first segment, name) of functions, by offset
    unwinds: list    # (offset, bytes from rsp to the caller's frame), by offset


def align(value, to=PAGE):
    return (value + to - 1) // to * to


def object_file(instance, folders):
    for folder in folders:
        path = Path(folder) / f"{instance.definition.name}.o"
        if path.is_file():
            return path
    instance.table.refuse("image", f"there is no {instance.definition.name}.o in "
                          f"{', '.join(map(str, folders))}. Components must be built first. Run make components.")


def read_symbols(path):
    """Returns (machine, [(name, value, section, binding)]) of an ELF file."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        return elf["e_machine"], [(s.name, s["st_value"], s["st_shndx"], s["st_info"]["bind"])
                                  for s in (table.iter_symbols() if table else []) if s.name]


def symbols_of(path):
    """Returns (defined name: value, undefined names) of an ELF file. Many components can have the same object, which is
    read once unless it changes."""
    return symbols_of_version(path, os.stat(path).st_mtime_ns)


@functools.lru_cache(maxsize=64)
def symbols_of_version(path, _):
    """Does the work of symbols_of(). The second argument is the time of the file's last change."""
    try:
        machine, found = read_symbols(path)
    except OSError:
        raise
    except Exception as error:  # pyelftools raises many exceptions for invalid files
        raise Refused(path, "object", f"The object is not a usable ELF file: {error or 'it is damaged'}. Build "
                      "it again.") from None
    if machine != "EM_X86_64":
        raise Refused(path, "object", f"The object is for {machine}. Components are for x86-64. Build it again.")
    defined = {name: value for name, value, section, bind in found
               if section != "SHN_UNDEF" and bind != "STB_LOCAL"}
    return defined, [name for name, _, section, bind in found
                     if section == "SHN_UNDEF" and bind != "STB_WEAK"]


def check_symbols(instance, path):
    """Refuses an object with missing symbols, before the linker reports them in its own words."""
    defined, undefined = symbols_of(path)
    if ENTRY not in defined:
        raise Refused(path, "object", f"The object does not define {ENTRY}. Every component starts there. "
                      "Link it with the runtime library.")
    if instance.threads and THREADS not in defined:
        raise Refused(path, "object", f"The object does not define {THREADS}. Spare threads start there. Build "
                      "it again.")
    known = {w.import_symbol for w in instance.wires} | {*instance.unwired, *instance.numbers} | LINKER
    for name in undefined:
        if name.startswith("__limpet_import_") and name not in known:
            raise Refused(path, "object", f"The object invokes {name[16:]}, which no import in "
                          f"{instance.definition.file} has. Add it to [imports] or build it again.")
        if name not in known and instance.definition.rust and rust.SOFT_FLOAT.fullmatch(name):
            raise Refused(path, "object", f"'{name}' is not defined. Rust calls it for numbers in floating point, which "
                          "need vector registers. Write fpu = true, or use no such numbers.")
        if name not in known:
            raise Refused(path, "object", f"'{name}' is not defined. A component is linked with the "
                          "runtime library only. Define it or remove its use.")
    for wire in instance.wires:
        if wire.import_symbol in defined:
            raise Refused(path, "object", f"The object defines {wire.import_symbol}. The composer defines this "
                          "symbol. Rename it.")


def part_starts(instance, base):
    """Returns the statements of the linker's script before each part. With a reserve, addresses do not depend on sizes."""
    names = ("constants", "variables", "end")
    if not instance.update:
        return {"entries": "", **dict.fromkeys(names, f". = ALIGN({PAGE});")}
    places = {name: base + n * instance.update for n, name in enumerate(names, 1)}
    return {"entries": update.table(instance, ENTRY),
            **{name: f'ASSERT(. <= {at:#x}, "{LARGER}") . = {at:#x};' for name, at in places.items()}}


def reserve(instance, found):
    """Returns the parts of a component that can be replaced. Each part has the reserved size."""
    base, size, parts = BASE + instance.index * STRIDE, instance.update, []
    for n, flags in enumerate((5, 4, 6)):
        part = next((s for s in found if s.rights == RIGHTS[flags]), None) or Segment(0, 0, b"", RIGHTS[flags])
        parts.append(Segment(base + n * size, size, part.data, part.rights))
    return parts


def link(instance, path, work, threads, debug=False):
    """Runs ld and returns the linked file. Data for each thread are last, and include id 0, which is the booter's."""
    base = BASE + instance.index * STRIDE
    script, output = work / f"{instance.index}.ld", work / f"{instance.index}.elf"
    cxx = instance.definition.cxx
    # Third-party code may need addresses that this layout cannot provide.
    relax = ["--no-relax"] if instance.definition.libc or instance.definition.package else []
    more = {"text": musl.TEXT, "data": musl.DATA, "phdr": musl.PHDR}
    if not instance.definition.libc:
        more = dict.fromkeys(more, "")
    more |= {"functions": musl.CXX_FUNCTIONS, "tables": musl.CXX_CONSTANTS, "unwind": ""} if cxx else \
        {"functions": "", "tables": "", "unwind": UNLOADED}
    more["debug"] = DEBUG if debug else ""
    more["each_thread"] = instance.definition.each_thread * (1 + threads)
    script.write_text(SCRIPT.format(base=base, info=INFO, **more, **part_starts(instance, base)))
    symbols = [f"--defsym={w.import_symbol}={(-1 - w.slot) & (1 << 64) - 1:#x}"
               for w in instance.wires]
    symbols += [f"--defsym={name}={NO_GATE:#x}" for name in instance.unwired]
    symbols += [f"--defsym={name}={value:#x}" for name, value in instance.numbers.items()]
    command = [os.environ.get("LD", "ld"), "-static", "-nostdlib", "--build-id=none",
               "--orphan-handling=error", "-z", "noexecstack", "-z", f"max-page-size={PAGE}",
               "-e", ENTRY, *relax, *(["--eh-frame-hdr"] if cxx else []), "-T", str(script), *symbols, str(path),
               "-o", str(output)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        refuse_size(instance, result.stderr)
        lines = [line for line in result.stderr.splitlines()
                 if "warning: " not in line and not line.endswith(":")] or ["no reason given"]
        reason = next((line for line in lines if "error" in line), lines[0])
        raise Refused(path, "object", f"The component cannot be linked: {reason.removeprefix('ld: ')}. Correct "
                      "the component.")
    return output


def refuse_size(instance, said):
    """Refuses a component if the linker reports that a part is larger than its reserve."""
    if instance.update and LARGER in said:
        instance.table.refuse("update", f"reserves {instance.update // 1024}K. Code, constants or data of "
                              f"{instance.definition.name} are larger. Write a larger size.")


def segments(path, instance):
    found = []
    with open(path, "rb") as file:
        for part in ELFFile(file).iter_segments():
            if part["p_type"] == "PT_LOAD" and part["p_memsz"]:
                data = part.data().rstrip(b"\0") if part["p_flags"] & 2 else part.data()
                found.append(Segment(part["p_vaddr"], align(part["p_memsz"]), data,
                                     RIGHTS[part["p_flags"]]))
    return reserve(instance, found) if instance.update else found


def place_stacks(instance, start, threads):
    """Returns the place of the stacks: (address, shift, count, address of the pool, its shift, end)."""
    definition, count = instance.definition, 1 + threads
    shift = definition.stack_shift
    if not instance.stacks:
        # The kernel gives the booter one stack. The booter's thread enters all others to initialise them.
        count = 1 if instance.booter else count
        stacks = align(start + PAGE, 1 << shift)
        return stacks, shift, count, 0, 0, stacks + (count << shift)
    entry = VALUES["LIMPET_ENTRY_SHIFT"]
    stacks = start + PAGE
    pool = align(stacks + (count << entry), 1 << shift)
    return stacks, entry, count, pool, shift, pool + (instance.pool_total << shift)


def place(instance, folders, work, threads, debug=False):
    """Links one component of a CPU with `threads` threads, and lays out its GiB of addresses. Returns the linked file, with
    the sections for a debugger if `debug`."""
    path = object_file(instance, folders)
    check_symbols(instance, path)
    linked = link(instance, path, work, threads, debug)
    symbols, _ = symbols_of(linked)
    definition = instance.definition
    info = symbols[INFO]
    heap = info + (VALUES["LIMPET_INFO_PAGES"] + 1) * PAGE  # pages between the parts stay unmapped
    *stacks, end = place_stacks(instance, heap + definition.heap, threads)
    parts = segments(linked, instance)
    functions, unwinds = unwind.read(linked, parts[0].address,
                                     parts[0].address + len(parts[0].data))
    instance.layout = Layout(parts, symbols, symbols[ENTRY], info,
                             heap if definition.heap else 0, definition.heap, *stacks, functions, unwinds)
    instance.layout.entry = export_address(instance, ENTRY, folders)
    limit = BASE + instance.index * STRIDE + STRIDE // 2
    if end > limit:
        instance.table.refuse("image", f"'{definition.name}' exceeds its addresses by {end - limit} bytes. Half of "
                              "its 1G is for its parts. Make heap or data smaller.")
    return linked


def export_address(server, symbol, folders):
    """Returns the address at which others invoke a function."""
    address = server.layout.symbols.get(symbol)
    if address is None:
        raise Refused(object_file(server, folders), "object", f"The object does not define {symbol}. Its interface "
                                  "has this function. Build it again.")
    return update.entry(server, symbol, ENTRY) if server.update else address
