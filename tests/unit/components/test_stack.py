# SPDX-License-Identifier: BSD-2-Clause
"""Tests the stack that schedulers, and waits for a stack, need according to their machine code.

Each thread of a system has a stack of 4 KiB in its scheduler. In a component with a pool of stacks, each thread
has an entry stack of 512 bytes. The thread waits there for a stack of the pool.
"""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tools.compose.contract import VALUES

TREE = Path(__file__).resolve().parents[3]
SCHEDULERS = sorted(path.parent for path in TREE.glob("components/system/sched.*/component.toml"))

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$", re.M)
PUSH = re.compile(r"\tpush")
LOWERED = re.compile(r"\tsub +\$0x([0-9a-f]+),%rsp")
CALL = re.compile(r"\tcall +[0-9a-f]+ <([^>+]+)>")
JUMP = re.compile(r"\tj[a-z]+ +[0-9a-f]+ <([^>+]+)>")
#: A frame whose size is known only at run time, or a call through a pointer.
UNKNOWN = re.compile(r"\t(sub +%\w+,%rsp|and +\$\w+,%rsp|lea +-\w+\(%rsp\),%rsp|call +\*).*")
START = "__limpet_start"
#: The only function that is called here through a pointer.
POINTERS = {"sync_wait": "try_stack"}
ENTRY_STACK = 1 << VALUES["LIMPET_ENTRY_SHIFT"]
#: Bytes that __limpet_stack_wait and its caller push: two return addresses, and the badge.
PUSHED = 3 * 8


def functions(component: Path, work: Path) -> dict[str, str]:
    """Builds a component and returns the instructions of each function."""
    made, linked = work / f"{component.name}.o", work / "linked"
    subprocess.run([TREE / "tools/limpet-component", component, "-o", made], check=True)
    subprocess.run(["ld", "-static", "-e", START, "--unresolved-symbols=ignore-all", made, "-o", linked], check=True)
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", linked], check=True, capture_output=True,
                          text=True).stdout
    parts = FUNCTION.split(text)
    return dict(zip(parts[1::2], parts[2::2]))


def deepest(found: dict[str, str], name: str, path: tuple = ()) -> int:
    """Returns an upper bound of the bytes that a function and all that it calls use of the stack.

    Each push and each lowering of rsp in a function counts, also if they are on different branches.
    """
    assert name not in path, f"recursion: {' '.join((*path, name))}"
    code = found[name]
    assert name == START or name in POINTERS or not UNKNOWN.search(code), f"{name}: {UNKNOWN.search(code)[0].strip()}"
    own = 8 * len(PUSH.findall(code)) + sum(int(size, 16) for size in LOWERED.findall(code))
    below = [8 + deepest(found, to, (*path, name)) for to in {*CALL.findall(code), POINTERS.get(name)} if to in found]
    below += [deepest(found, to, (*path, name)) for to in set(JUMP.findall(code)) - {name} if to in found]
    return own + max(below, default=0)


@pytest.mark.parametrize("component", SCHEDULERS, ids=lambda path: path.name)
def test_stack_of_scheduler(component: Path, tmp_path: Path):
    """A scheduler uses at most half of its stack."""
    with open(component / "component.toml", "rb") as file:
        stack = tomllib.load(file)["component"]["stack"]
    assert stack == "4K"
    found = functions(component, tmp_path)
    entries = [START, *(name for name in found if name.startswith("__limpet_export_"))]
    assert len(entries) > 20, "the entries of interface sched"
    depths = {name: deepest(found, name) for name in entries}
    assert 200 < max(depths.values()) <= 4096 // 2, depths


def test_entry_stack(tmp_path: Path):
    """A thread that waits for a stack, or wakes one that waits, uses at most half of its entry stack."""
    found = functions(TREE / "tests/system/sched/stack-pool/stack-pool-server", tmp_path)
    depths = {name: PUSHED + deepest(found, name)
              for name in ("limpet_stack_wait", "limpet_stack_wake", "limpet_pool_init", "limpet_pool_own")}
    assert 100 < max(depths.values()) <= ENTRY_STACK // 2, depths
