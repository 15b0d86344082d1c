# SPDX-License-Identifier: BSD-2-Clause
"""Components that are programs (`libc = "musl"`): main() of a C program, Debian's musl, lib/posix.

lib/posix and the runtime are one object, whose names a program does not see; the C library is
Debian's, as it is.
"""

import os
import re
import subprocess
from pathlib import Path

from .errors import Refused
from .table import toml_type

LIBRARY = Path("/usr/lib/x86_64-linux-musl")
HEADERS = Path("/usr/include/x86_64-linux-musl")
COMPILER = "musl-gcc"
FLAGS = ("-O2 -fpie -fvisibility=hidden -fomit-frame-pointer -fno-stack-protector "
         "-fcf-protection=none -DLIMPET_FPU").split()
#: The imports of lib/posix itself, by names that it knows.
IMPORTS = ("sched", "log", "mem")
#: The import of lib/posix for sockets. Each program has it, and a system file may leave it out.
NETWORK = "socket"
#: The import that lib/posix uses to pass on faults, and the function of lib/posix that handles a program's faults first.
FAULTS, FAULT_ENTRY = "faults", "posix_fault"
#: Maximum bytes of a text in struct limpet_info_arg, without the final 0.
ARG_TEXT_MAX = 39
#: The argument that contains the environment, a line for each variable. In a system file it is the table `environment`.
ENVIRONMENT = "environment"
#: The argument by which the composer gives component mqtt its topics, a line for each.
TOPICS = "topics"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
VARIABLES_MAX = 64
#: Types of the arguments that a system file may give to any program. argv has the program's arguments, separated by
#: blanks. args0 to args15 are single arguments, which can have blanks. policy is that of the first thread (other, fifo
#: or rr), and stack-kib the size of its stack.
ARGS = {"argv": "text", **{f"args{n}": "text" for n in range(16)}, "policy": "text", "stack-kib": "integer"}
PROGRAM = "posix.o"
TLS = ["__limpet_tls_begin", "__limpet_tls_data_end", "__limpet_tls_end", "__limpet_tls_unit"]
LINKER = {*TLS, "_DYNAMIC", "__fini_array_start", "__fini_array_end"}
#: Sections that only a C library has, for the linker script; first those of code, then those of data.
TEXT = "KEEP(*(.init)) KEEP(*(.fini))"
DATA = """\
	.tdata : { __limpet_tls_begin = .; *(.tdata .tdata.*) __limpet_tls_data_end = .; } :data :tls
	.tbss : { *(.tbss .tbss.*) } :data :tls
	_DYNAMIC = .; /* there is none; musl's crt1.o wants an address nearby */
	__limpet_tls_end = ADDR(.tbss) + SIZEOF(.tbss);
	__limpet_tls_unit = __limpet_tls_begin + MAX(1, MAX(ALIGNOF(.tdata), ALIGNOF(.tbss)));
	.fini_array : { __fini_array_start = .; KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*))) KEEP(*(.fini_array))
		__fini_array_end = .; } :data
"""
PHDR = "tls PT_TLS FLAGS(4);"
#: Sections of C++: tables for exceptions, which libunwind finds by these symbols. ld makes the last one by --eh-frame-hdr.
UNWIND = [f"__eh_frame_{name}" for name in ("start", "end", "hdr_start", "hdr_end")]
CXX_LINKER = {*UNWIND, "__dso_handle"}
#: Functions of libc++ that a program may replace. The library finds the section by the symbols that ld makes of its name.
CXX_FUNCTIONS = "\t__lcxx_override : { *(__lcxx_override) } :text\n"
CXX_CONSTANTS = """\
	.gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) } :rodata
	.eh_frame : { __eh_frame_start = .; KEEP(*(.eh_frame)) __eh_frame_end = .; } :rodata
	.eh_frame_hdr : { __eh_frame_hdr_start = .; *(.eh_frame_hdr) __eh_frame_hdr_end = .; } :rodata
	__dso_handle = __eh_frame_start; /* identifies the program, for destructors of static objects */
"""


def in_pieces(definition, name):
    """Returns whether a text of this argument may be longer than one record of the info page."""
    if (definition.name, name) == ("mqtt", TOPICS):
        return True
    return bool(definition.libc) and re.fullmatch(rf"argv|args\d+|{ENVIRONMENT}", name) is not None


def pieces(definition, name, value):
    """Returns the records [(name, value)] of an argument.

    A long text continues in the records NAME.1, NAME.2, and so on. lib/posix and component mqtt join them.
    """
    if not isinstance(value, str) or not in_pieces(definition, name):
        return [(name, value)]
    data = value.encode()
    parts = [data[at:at + ARG_TEXT_MAX] for at in range(0, len(data), ARG_TEXT_MAX)]
    return [(f"{name}.{n}" if n else name, part) for n, part in enumerate(parts)]


def environment(t, definition):
    """Returns the environment of a program as an argument: {ENVIRONMENT: text}, or {} if it has no variables."""
    variables = t.table(ENVIRONMENT, required=False)
    names = variables.mapping_names()
    if names and not definition.libc:
        t.refuse(ENVIRONMENT, f"is given, but {definition.name} is not a program with a C library. Only programs have one. "
                 "Remove it.")
    if len(names) > VARIABLES_MAX:
        t.refuse(ENVIRONMENT, f"has {len(names)} variables. A program has at most {VARIABLES_MAX}. Remove some.")
    for name in names:
        value = variables.data[name]
        if not VARIABLE.fullmatch(name):
            variables.refuse(name, "is not a valid name of a variable. Names have letters, digits and _ and do not begin "
                             "with a digit. Rename it.")
        if not isinstance(value, str):
            variables.refuse(name, f"is of type {toml_type(value)}. The value of a variable is a text. Write "
                             "it in quotes.")
        if "\0" in value or "\n" in value:
            variables.refuse(name, "has a zero byte or a line break. The value of a variable is one line. Change it.")
    return {ENVIRONMENT: "\n".join(f"{name}={variables.data[name]}" for name in names)} if names else {}


def threads(imports):
    """Returns the number of spare threads that lib/posix itself uses: one fires timers, one waits for sockets."""
    return 1 + (NETWORK in imports)


def check(t, definition):
    """Checks the properties that a program must have, and adds the import for sockets."""
    if definition.thread is not True:
        t.refuse("libc", "is given, but not thread = true. 'main()' runs on the component's own thread. "
                 "Write thread = true.")
    for name in IMPORTS:
        if definition.imports.get(name) != name:
            t.refuse("libc", f"is given, but there is no import {name} of interface {name}. The C "
                     f'library uses it for its system calls. Add {name} = "{name}" to [imports].')
    if FAULTS in definition.imports:
        t.refuse("libc", f"is given, but [imports] has {FAULTS}. The C library uses this name. Rename the import.")
    if definition.imports.setdefault(NETWORK, NETWORK) != NETWORK:
        t.refuse("libc", f"is given, but import {NETWORK} is of interface {definition.imports[NETWORK]}. The C library uses "
                 "this name for its sockets. Rename the import.")
    if NETWORK not in definition.optional:
        definition.optional.append(NETWORK)


def parts(definition, objects, folder, more=()):
    """Returns the inputs of the linker, in its order. `more` are libraries that use the C library."""
    program = Path(folder) / PROGRAM
    if not program.is_file():
        raise Refused(program, "build", "The C library's part of the runtime does not exist. Programs are linked "
                      "with lib/posix. Run make components in Limpet's tree, or give --runtime DIR.")
    if not (LIBRARY / "libc.a").is_file():
        raise Refused(definition.file, "component/libc", f"there is no {LIBRARY / 'libc.a'}. Programs "
                      "are linked with Debian's musl. Install musl-tools.")
    helper = subprocess.run([os.environ.get("CC", "gcc"), "-print-libgcc-file-name"],
                            capture_output=True, text=True, check=True).stdout.strip()
    return [LIBRARY / "crt1.o", LIBRARY / "crti.o", *objects, program, "--start-group",
            *more, LIBRARY / "libc.a", helper, "--end-group", LIBRARY / "crtn.o"]
