# SPDX-License-Identifier: BSD-2-Clause
"""Reads a plain Makefile of RTLinux modules: the sources of a module, and its flags for the preprocessor."""

import re
import shlex
from pathlib import Path

from .errors import Refused


#: Suffixes of sources in C and C++.
CXX_SUFFIXES = (".cc", ".cpp", ".cxx")
SUFFIXES = (".c", *CXX_SUFFIXES)


def source_of(folder, stem):
    """Returns the source of an object. That in C, if no source exists."""
    paths = [folder / f"{stem}{suffix}" for suffix in SUFFIXES]
    return next(filter(Path.is_file, paths), paths[0])


def is_module(source):
    """Returns whether a source defines the start of a module."""
    return re.search(r"\b(init_module|module_init)\b", source.read_text(errors="replace"))


class Makefile:
    """The variables and rules of a folder's Makefile. The folder need not have one."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / "Makefile"
        text = self.path.read_text(errors="replace") if self.path.is_file() else ""
        self.lines = text.replace("\\\n", " ").splitlines()
        self.values = {}
        for line in self.lines:
            if found := re.match(r" *([\w-]+)\s*([:+?]?)=\s*([^#]*)", line):
                before = self.values.get(found[1], "") if found[2] == "+" else ""
                self.values[found[1]] = f"{before} {found[3]}"

    def expand(self, text):
        """Replaces variables by their values. Unknown ones become empty."""
        for _ in range(4):
            text = re.sub(r"\$[({]([\w-]+)[)}]", lambda m: self.values.get(m[1], ""), text)
        return text

    def words(self, pattern):
        """Returns the names, without ".o", of the objects that follow a pattern in a line."""
        found = (re.match(pattern, line) for line in self.lines)
        text = self.expand(" ".join(line.string[line.end():] for line in found if line))
        return [word[:-2] for word in text.split() if word.endswith(".o")]

    def module(self, module):
        """Returns the name and the sources of one module: that of this name, the Makefile's, or the folder's only one."""
        names = [module] if module else self.words(r" *obj-m\s*[:+]?=") or self.words(r"all\s*:(?!=)")
        if len(names) > 1:
            starts = [name for name in names if any(map(is_module, filter(lambda file: file.is_file(), self.parts(name))))]
            names = starts or names
        if not names:
            stems = [source.stem for source in sorted(self.folder.iterdir()) if source.suffix in SUFFIXES and is_module(source)]
            names = list(dict.fromkeys(self.whole(stem) for stem in stems))
        if len(names) != 1:
            modules = ", ".join(names) or "no module"
            raise Refused(self.path, "all", f"The Makefile names {modules}. One component is built of one module. Choose one "
                          "with --module NAME.")
        sources = self.parts(names[0])
        missing = [source for source in sources if not source.is_file()]
        if missing:
            raise Refused(missing[0], "build", f"The file does not exist. Module {names[0]} needs it. Correct the name or "
                          "list the sources.")
        return names[0], sources

    def parts(self, name):
        """Returns the sources of a module: its own, such as NAME.c, or those of its objects in the Makefile."""
        own_source = source_of(self.folder, name)
        if own_source.is_file():
            return [own_source]
        own = re.escape(name)
        listed = (self.words(rf" *{own}-(objs|y)\s*[:+]?=") or self.words(rf"{own}\.o\s*:(?!=)") or
                  self.words(rf"\s+(?=.*-r\b.*-o\s+{own}\.o\b)"))
        return [source_of(self.folder, word) for word in listed if word != name] or [own_source]

    def whole(self, stem):
        """Returns the module that the Makefile makes of an object and others, or the object's own name."""
        for line in self.lines:
            rule = re.match(r"([\w-]+)\.o\s*:(?!=)(.*)", line)
            if rule and f"{stem}.o" in self.expand(rule[2]).split():
                return rule[1]
        return stem

    def flags(self):
        """Returns -D, -U and -I of the variables for the compiler. A folder of headers must be within the module's folder."""
        text = " ".join(value for name, value in self.values.items() if re.search(r"FLAGS|INC|DEF", name))
        try:
            words = shlex.split(self.expand(text))
        except ValueError:      # unbalanced quotes
            return []
        given = [word for word in words if re.match(r"-[DU]\w", word)]
        folders = [self.folder / word[2:] for word in words if re.match(r"-I[^/$]", word)]
        inside = self.folder.resolve()
        return given + [f"-I{folder}" for folder in folders
                        if folder.is_dir() and folder.resolve().is_relative_to(inside)]
