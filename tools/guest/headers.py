# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's headers: call numbers, prototypes, macros, and values that the compiler evaluates."""

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from tools.compose.errors import Refused

# Annotations that the kernel's own headers define. Its installed headers for programs do not contain them.
FLAGS = ["-std=gnu11", "-nostdinc", "-w", "-D__EXPORTED_HEADERS__", "-D__user=", "-D__force=", "-D__attribute_const__=",
         "-Du64=__u64", "-Ds64=__s64"]
COMPILER_HEADERS = ("linux/compiler_types.h", "linux/compiler.h")
NUMBER = re.compile(r"^#define __NR_(\w+) (\d+)$", re.M)
ENTRY = re.compile(r"^__SYSCALL\w*\((\d+), (\w+)", re.M)
PROTOTYPE = re.compile(r"\basmlinkage long (sys_\w+)\(([^;]*)\)\s*;")
MACRO = re.compile(r"^#define (\w+)[ \t]+\S", re.M)
MARK = re.compile(r"^->(\d+) \$(-?\d+)$", re.M)


class Headers:
    """Headers of one kernel. `build` is the folder that modules of that kernel are built with."""

    def __init__(self, build):
        self.build = Path(build)
        found = re.search(r"^include (\S+)/Makefile$", (self.build / "Makefile").read_text(), re.M)
        if not found:
            raise Refused(self.build, "Makefile", "The Makefile includes no other one, so it is not from a package "
                          "of kernel headers. Name the folder of linux-headers-*-amd64.")
        self.common = Path(found[1])
        self.generated = self.build / "arch/x86/include/generated"
        self.texts = []  # (header, definitions that were read as text)

    def file(self, name):
        """Returns the path of a header, by its name below an include folder."""
        for folder in (self.common / "include/uapi", self.generated / "uapi", self.common / "arch/x86/include/uapi",
                       self.common / "include"):
            if (folder / name).is_file():
                return folder / name
        raise Refused(self.build, name, "there is no such header. The kernel's headers differ from those that the table "
                      "was written for. Correct the name in lib/guest.")

    def _compile(self, flags, source):
        """Returns what the compiler prints for a source."""
        with tempfile.TemporaryDirectory(prefix="limpet-guest-") as folder:
            for name in COMPILER_HEADERS:
                empty = Path(folder) / name
                empty.parent.mkdir(exist_ok=True)
                empty.touch()
            paths = (self.common / "arch/x86/include/uapi", self.generated / "uapi", self.common / "include/uapi", folder)
            command = [*shlex.split(os.environ.get("CC", "gcc")), *FLAGS, *(f"-I{path}" for path in paths), *flags,
                       "-x", "c", "-o", "-", "-"]
            done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no reason given"]
            raise Refused(self.build, "headers", f"The headers cannot be compiled: {lines[0]}. Correct the name in "
                          "lib/guest.")
        return done.stdout

    def numbers(self):
        """Returns {name: (number, function)} of all calls that <asm/unistd_64.h> numbers."""
        entries = dict(ENTRY.findall((self.generated / "asm/syscalls_64.h").read_text()))
        found = NUMBER.findall((self.generated / "uapi/asm/unistd_64.h").read_text())
        return {name: (int(number), entries[number]) for name, number in found if number in entries}

    def prototypes(self):
        """Returns {function: parameters} as the kernel was configured. A function without a prototype is missing."""
        text = "".join((self.common / name).read_text() for name in ("include/linux/syscalls.h", "include/asm-generic/syscalls.h"))
        text = "".join(f"{line}\n" for line in text.splitlines() if not re.match(r"\s*#\s*include", line))
        config = (self.build / "include/generated/autoconf.h").read_text()
        wanted = re.findall(r"^#\s*(define __ARCH_WANT_\w+)", (self.common / "arch/x86/include/asm/unistd.h").read_text(), re.M)
        config += "".join(f"#{line}\n" for line in wanted)
        plain = self._compile(["-E", "-P"], f"{config}\n#undef CONFIG_ARCH_HAS_SYSCALL_WRAPPER\n{text}")
        return {name: " ".join(words.split()) for name, words in PROTOTYPE.findall(plain)}

    def read_macros(self, name, pattern):
        """Reads the matching macros of a header that cannot be compiled alone."""
        text = re.sub(r"/\*.*?\*/", "", (self.common / "include" / name).read_text(), flags=re.S)
        lines = [found[0] for found in re.finditer(rf"^#\s*define\s+(?:{pattern})[ \t]+[^\\\n]*$", text, re.M)]
        self.texts.append((name, "\n".join(lines)))

    def read_type(self, name, first_line):
        """Reads one definition of a type from a header that cannot be compiled alone."""
        path = self.common / "include" / name
        text = path.read_text()
        if first_line not in text:
            raise Refused(path, first_line, "The type is not in this header. Correct [types] in lib/guest/sets.toml.")
        text = text[text.index(first_line):]
        self.texts.append((name, text[:text.index("\n};") + 4]))

    def _text(self, name):
        return "\n".join(text for header, text in self.texts if header == name)

    def _usable(self, name):
        """Returns the line that includes a header, or nothing if only its texts can be used."""
        return "" if self.file(name).is_relative_to(self.common / "include/linux") else f"#include <{name}>\n"

    def macros(self, name):
        """Returns the names of all macros that a header defines, in order."""
        expanded = self._compile(["-E", "-dD"], f"{self._usable(name)}\n{self._text(name)}\n")
        return list(dict.fromkeys(MACRO.findall(expanded)))

    def values(self, headers, expressions):
        """Returns {expression: value} of constant expressions."""
        source = "".join(self._usable(name) for name in headers)
        source += "".join(f"{text}\n" for _, text in self.texts) + "void values(void)\n{\n"
        numbered = list(dict.fromkeys(expressions))
        for index, expression in enumerate(numbered):
            source += f'\tasm volatile("\\n->{index} %0" :: "i"((long)({expression})));\n'
        found = dict(MARK.findall(self._compile(["-S", "-O1"], source + "}\n")))
        return {expression: int(found[str(index)]) for index, expression in enumerate(numbered)}
