# SPDX-License-Identifier: GPL-2.0
"""Detects errors of the guest's kernel in its console."""

import re

#: Lines with which Linux reports an error. The first that matches names it.
SPLATS = {
    "panic": r"Kernel panic - not syncing",
    "KASAN": r"BUG: KASAN: ",
    "lockdep": r"WARNING: (possible |suspicious |inconsistent |bad unlock|Nested lock|"
               r"held lock|lock held|.* still has locks)|INFO: (trying to register|lockdep)|"
               r"\[ BUG: |DEBUG_LOCKS_WARN_ON",
    "soft lockup": r"watchdog: BUG: soft lockup|Watchdog detected hard LOCKUP",
    "RCU stall": r"rcu: INFO: .*detected.* stall|rcu_\w+ (self-)?detected .*stall",
    "hung task": r"INFO: task .* blocked for more than",
    "page table check": r"Bad (page map|pagetable|rss-counter)",
    "BUG": r"BUG: |BUG [\w-]+ \(|kernel BUG at |Bad page state",
    "WARNING": r"WARNING: ",
    "MSR": r"unchecked MSR access error: ",
    "deprecated": r"\[limpet\].* deprecated ",
    "oops": r"Oops: |general protection fault, |double fault: |unable to handle page fault|"
            r"traps: PANIC|stack segment: |Internal error: ",
}
#: A kernel message at the start of a line. Output of programs does not count.
_STAMP = r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? "
_PATTERNS = {name: re.compile(_STAMP + ".*?(?:" + text + ")") for name, text in SPLATS.items()}

#: Warnings of stock kernels under QEMU that Limpet does not cause.
HARMLESS = re.compile(
    r"x86/mm: Checked W\+X mappings|Spectre V2 : WARNING: |WARNING: Spectre|ITS: WARNING: |"
    r"Speculative Return Stack Overflow: WARNING: |WARNING: See https://kernel.org/doc/")


def of_kernel(line: str) -> bool:
    """Returns whether the kernel, and not a program, wrote a console line."""
    return bool(re.match(_STAMP, line))


def splat(line: str) -> str | None:
    """Returns the kind of error that a console line reports, or None."""
    if HARMLESS.search(line):
        return None
    for name, pattern in _PATTERNS.items():
        if pattern.search(line):
            return name
    return None
