# SPDX-License-Identifier: BSD-2-Clause
"""Translates policies of exec.sandbox. A policy is a TOML file of the ramdisk, which an argument of type `policy` names.
The image has lines of rules instead, which the component reads: components/executive/exec.sandbox/sandbox.h.
"""

import functools
import re

from . import table
from .errors import Mistakes, Refused
from .root import ROOT

KIND = "policy"  # type of the argument
DEFAULT = "sandbox.toml"  # the component's default
NUMBERS = [ROOT / "build/lib/include/guest/numbers.h", ROOT / "lib/include/guest/numbers.h"]  # of a checkout, of the kit
ACTIONS = ("allow", "deny", "kill")
ACCESSES = ("read", "write", "execute")
DIRECTIONS = ("connect", "bind")
FAMILIES = ("unix", "inet", "inet6", "netlink", "any")
FAMILY_MAX, PORT_MAX, BITS_MAX = 255, 65535, 32
PATHS_MAX, ADDRESSES_MAX = 128, 64  # of sandbox.h
INET = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:/(\d{1,2}))?(?::(\d{1,5}))?")


@functools.cache
def calls():
    """Returns the names of all system calls that lib/guest knows."""
    found = next((path for path in NUMBERS if path.is_file()), None)
    if not found:
        raise Refused(NUMBERS[0], "file", "The file does not exist. A policy needs its names of system calls. Run make "
                      f"{NUMBERS[0].relative_to(ROOT)}.")
    return frozenset(re.findall(r"\bGUEST_CALL_(\w+) =", found.read_text()))


class Policy:
    """Reads a policy. Collects its mistakes and its lines of rules."""

    def __init__(self, path):
        self.path, self.mistakes, self.rules = path, Mistakes(), []
        self.text = path.read_text(encoding="utf-8").split("\n")

    def refuse(self, t, key, value, message):
        """Refuses one value of a list, which can have lines of its own."""
        first = t.line(key) or 1
        quoted = (f'"{value}"', f"'{value}'")
        line = next((number for number, text in enumerate(self.text[first - 1:], first)
                     if any(q in text.split("#")[0] for q in quoted)), first)
        raise Refused(self.path, t.at(key), message, line, t, key)

    def each(self, t, key, check):
        """Returns the values of a list for which check(t, key, value) returns. Keeps the mistakes of the others."""
        values = self.mistakes.of(t.words, key, None) or []
        return [found for value in values if (found := self.mistakes.of(check, t, key, value))]

    def add(self, word, values):
        if values:
            self.rules.append(" ".join([word, *values]))

    def word(self, t, key, words, default):
        """Reads a text that must be one of some words."""
        return self.mistakes.of(t.one_of, key, words, default) or default


def check_call(policy, t, key, name):
    if name not in calls():
        policy.refuse(t, key, name, f"'{name[:60]}' is not a system call that can be named. "
                      f"{table.near(name, calls())} Correct the name.")
    other = next((k for k in ACTIONS if k != key and isinstance(t.data.get(k), list) and name in t.data[k]), None)
    if other and ACTIONS.index(other) < ACTIONS.index(key):
        policy.refuse(t, key, name, f"'{name}' is also in the list '{other}'. A call has one action. Remove one of them.")
    return name


def check_path(policy, t, key, path):
    """Returns a path as the component compares it."""
    parts = path.rstrip("/").split("/")
    if not path.startswith("/"):
        policy.refuse(t, key, path, f"'{path[:60]}' is not an absolute path. Rules have whole paths. "
                      "Write it from / on.")
    if "//" in path or any(part in (".", "..") for part in parts):
        policy.refuse(t, key, path, f"'{path[:60]}' has a part '.' or '..' or a repeated slash. Paths are compared without "
                      "these. Remove them.")
    if len(path.encode()) > 4095 or not path.isprintable() or re.search(r"\s", path):
        policy.refuse(t, key, path, f"'{path[:60]}' has a space or a control character, or more than 4,095 bytes. "
                      "Rules cannot name such a path. Allow a folder above it.")
    return path.rstrip("/") or "/"


def check_access(policy, t, key, word):
    if word not in ACCESSES:
        policy.refuse(t, key, word, f"'{word[:60]}' is not one of {', '.join(ACCESSES)}. {table.near(word, ACCESSES)} "
                      "Write one of these.")
    return word


def check_address(policy, t, key, text):
    """Returns an address as the words of a rule."""
    inet = INET.fullmatch(text)
    if text in FAMILIES or re.fullmatch(r"\d{1,3}", text) and int(text) <= FAMILY_MAX:
        return text
    if not inet:
        policy.refuse(t, key, text, f"'{text[:60]}' is not an address. An address is A.B.C.D, A.B.C.D/BITS, either with "
                      f":PORT, or a family: {', '.join(FAMILIES)} or its number, 0 to {FAMILY_MAX}. Write one of these.")
    parts, bits, port = [int(part) for part in inet.groups()[:4]], inet[5], inet[6]
    if max(parts) > 255 or bits and int(bits) > BITS_MAX or port and not 1 <= int(port) <= PORT_MAX:
        policy.refuse(t, key, text, f"'{text}' has a number that is out of range. The parts are 0 to 255, BITS is 0 to "
                      f"{BITS_MAX} and PORT is 1 to {PORT_MAX}. Correct it.")
    number = int.from_bytes(bytes(parts))
    if bits and number & ((1 << BITS_MAX - int(bits)) - 1):
        policy.refuse(t, key, text, f"'{text}' has bits behind its prefix of {bits} bits. They must be 0. Correct it.")
    return f"inet {'.'.join(map(str, parts))}{f'/{int(bits)}' if bits else ''}{f' {int(port)}' if port else ''}"


def read_table(policy, top, key):
    """Returns a table of the policy, which can be missing. Keeps the mistake if it is no table."""
    return policy.mistakes.of(top.table, key, False) or table.Table({}, top.file, key)


def read_calls(policy, top):
    t = read_table(policy, top, "calls")
    policy.add("default", [policy.word(t, "default", ACTIONS, "deny")])
    for action in ACTIONS:
        policy.add(action, policy.each(t, action, functools.partial(check_call, policy)))
    policy.mistakes.of(t.done)


def read_paths(policy, top):
    t, count = read_table(policy, top, "paths"), 0
    for access in ACCESSES:
        found = policy.each(t, access, functools.partial(check_path, policy))
        count += len(found)
        policy.add(access, found)
    policy.add("relative", policy.each(t, "relative", functools.partial(check_access, policy)))
    policy.mistakes.of(t.done)
    if count > PATHS_MAX:
        policy.mistakes.of(top.refuse, "paths", f"has {count} paths. At most {PATHS_MAX} are possible. Name folders "
                           "instead of the files in them.")


def read_addresses(policy, top):
    t, count = read_table(policy, top, "addresses"), 0
    for direction in DIRECTIONS:
        found = policy.each(t, direction, functools.partial(check_address, policy))
        count += len(found)
        policy.rules += [f"{direction} {address}" for address in found]
    policy.mistakes.of(t.done)
    if count > ADDRESSES_MAX:
        policy.mistakes.of(top.refuse, "addresses", f"has {count} addresses. At most {ADDRESSES_MAX} are possible. Use "
                           "prefixes.")


def translate(path):
    """Returns the rules of a policy's file. Refuses all its mistakes."""
    top = table.load(path)
    policy = Policy(path)
    read_calls(policy, top)
    read_paths(policy, top)
    read_addresses(policy, top)
    policy.add("refusal", [policy.word(top, "refusal", ACTIONS[1:], "deny")])
    policy.mistakes.of(top.done)
    policy.mistakes.end()
    return "".join(f"{rule}\n" for rule in policy.rules).encode()


def resolve_one(instance, name, system):
    """Translates the policy that one argument names."""
    t, file = instance.table, instance.args.get(name, DEFAULT)
    if not system.ramdisk:
        t.refuse(f"args/{name}", f"names the policy '{file}', but the system has no ramdisk. The policy is a file of the "
                 "ramdisk. Add ramdisk to [system].")
    path = system.ramdisk / file
    if not path.is_file():
        there = [p.relative_to(system.ramdisk).as_posix() for p in system.ramdisk.rglob("*") if p.is_file()]
        t.refuse(f"args/{name}", f"the ramdisk has no file '{file}'. {table.near(file, there)} Correct the name or create "
                 "the policy.")
    if path.suffix != ".toml":
        t.refuse(f"args/{name}", f"'{file}' does not end with .toml. A policy is a TOML file. Rename it.")
    system.translated[file] = translate(path)


def resolve(system):
    """Translates the policies of all components. The image has the translations."""
    mistakes = Mistakes()
    for instance in system.instances:
        for name in (n for n, declared in instance.definition.args.items() if declared.type == KIND):
            mistakes.of(resolve_one, instance, name, system)
    mistakes.end()
