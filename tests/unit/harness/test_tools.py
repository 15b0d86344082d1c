# SPDX-License-Identifier: GPL-2.0
"""Tests the line count, the summary, the table of costs, the cmocka runner, the kernel relocation, and slots."""

import os
import subprocess
import threading
import time
import types

import pytest

from tests.harness import (cmocka, cost, debug_kernel, kernels, lines, machine, newer_qemu, qemu, slots, suites,
                           summary)


@pytest.mark.parametrize("text, wanted", [
    ("", 0),
    ("int a; /* one */\n\n// two\nint b;\n", 2),
    ("/* a\n * b\n */ int c;\n", 1),
    ('char *s = "/* no comment"; /* but\nthis */\n', 1),
    ("char q = '\"'; // x\nchar r = '\\''; /* y */\n", 2),
    ("#define A 1\n\t/* only */\n", 1),
])
def test_count(text, wanted):
    """Comments and blank lines do not count. Strings are not comments."""
    assert lines.count(text) == wanted


def test_line_limit(tmp_path, capsys):
    """A count above the limit is a failure."""
    (tmp_path / "a.c").write_text("int a;\nint b;\n")
    (tmp_path / "b.py").write_text("x\n" * 50)
    assert lines.main(["--limit", "2", str(tmp_path)]) == 0
    assert lines.main(["--limit", "1", str(tmp_path)]) == 1
    assert "     2  lines" in capsys.readouterr().out


def test_lines_without(tmp_path):
    """Files and folders with their own limit are not counted, and single files can be named."""
    (tmp_path / "guest").mkdir()
    for name in ("a.c", "guest.c", "guest/b.c"):
        (tmp_path / name).write_text("int a;\n")
    left_out = [str(tmp_path / name) for name in ("guest.c", "guest")]
    assert lines.main(["--limit", "1", str(tmp_path), "--without", *left_out]) == 0
    assert lines.main(["--limit", "2", str(tmp_path), "--without", left_out[0]]) == 0
    assert lines.main(["--limit", "1", *left_out]) == 1


SUITE = "<testsuites><testsuite>{}</testsuite></testsuites>"


@pytest.mark.parametrize("cases, status, line, code", [
    ("<testcase/><testcase/>", 0, "2 passed, 0 failed", 0),
    ("<testcase/><testcase><failure/></testcase>", 2, "1 passed, 1 failed", 1),
    ("<testcase><error/></testcase>", 0, "0 passed, 1 failed", 1),
    ("<testcase/><testcase><skipped/></testcase>", 0, "1 passed, 0 failed", 0),
    ("<testcase/>", 2, "1 passed, 1 failed", 1),
    ("", 0, "0 passed, 0 failed", 1),
    ("<broken", 0, "0 passed, 1 failed", 1),
])
def test_summary(tmp_path, capsys, cases, status, line, code):
    """Checks the last line and the exit code."""
    (tmp_path / "a.xml").write_text(SUITE.format(cases))
    assert summary.main([str(tmp_path), str(status)]) == code
    assert capsys.readouterr().out.splitlines()[-1] == line


def test_summary_of_nothing(tmp_path):
    """A summary without tests is a failure."""
    assert summary.main([str(tmp_path), "0"]) == 1


def test_cost(tmp_path, capsys):
    """A property's own seconds count, the longest cases come first, and a broken report is left out."""
    seconds = '<properties><property name="verdicts" value="9"/><property name="seconds" value="12.34"/></properties>'
    (tmp_path / "unit.xml").write_text('<testsuites><testsuite time="20.4"><testcase name="slow" time="13.5"/>'
                                       '<testcase name="quick" time="0.5"/></testsuite></testsuites>')
    (tmp_path / "system.xml").write_text('<testsuites><testsuite time="30"><testcase name="p" time="99">'
                                         f'{seconds}</testcase></testsuite></testsuites>')
    for name in ("ring_test-0", "ring_test-1"):
        (tmp_path / f"{name}.xml").write_text('<testsuites><testsuite time="2"><testcase name="ring" time="2"/>'
                                              '</testsuite></testsuites>')
    (tmp_path / "z.xml").write_text("<broken")
    assert cost.main([str(tmp_path), "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| report | cases | wall time, s | sum of its cases, s |", "| --- | --- | --- | --- |",
        "| cmocka programs | 2 | 4 | 4 |", "| system | 1 | 30 | 12 |", "| unit | 2 | 20 | 14 |", "",
        "| case | report | s |", "| --- | --- | --- |", "| slow | unit | 13.5 |", "| p | system | 12.3 |"]


def test_cost_of_nothing(tmp_path, capsys):
    (tmp_path / "z.xml").write_text("<broken")
    assert cost.main([str(tmp_path)]) == 1
    assert "has no report" in capsys.readouterr().err


CMOCKA = """
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
static void good(void **state) { (void)state; assert_int_equal(1, 1); }
static void other(void **state) { (void)state; %s; }
int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(good), cmocka_unit_test(other) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""


@pytest.mark.parametrize("body, sums", [
    ("assert_true(1)", (2, 0)), ("assert_true(0)", (1, 1)), ("_Exit(3)", (0, 1)),
    ("for (;;) ;", (0, 1)),
])
def test_cmocka_programs(tmp_path, monkeypatch, body, sums):
    """Passes and failures are counted. A program that exits early or never ends is a failure."""
    monkeypatch.setattr(cmocka, "LIMIT", 1)
    source, program, results = tmp_path / "t.c", tmp_path / "t", tmp_path / "results"
    source.write_text("#include <stdlib.h>" + CMOCKA % body)
    subprocess.run(["gcc", "-o", program, source, "-lcmocka"], check=True)
    assert cmocka.main([str(results), str(program)]) == (1 if sums[1] else 0)
    tallies = [summary.tally(path) for path in results.glob("*.xml")]
    assert tuple(map(sum, zip(*tallies))) == sums


@pytest.mark.parametrize("merged", [False, True])
def test_headers_are_relocated(tmp_path, merged):
    """Absolute paths in the packages become paths in the cache, also if /lib is a link to /usr/lib."""
    if merged:
        suites.merged(tmp_path)
    headers = tmp_path / "usr/src/linux-headers-9-amd64"
    headers.mkdir(parents=True)
    (headers / "Makefile").write_text("include /usr/src/linux-headers-9-common/Makefile\n")
    modules = tmp_path / "lib/modules/9-amd64"
    modules.mkdir(parents=True)
    (modules / "build").symlink_to("/usr/src/linux-headers-9-amd64")
    kernels._relocate(tmp_path, tmp_path / "final")
    text = (headers / "Makefile").read_text()
    assert text == f"include {tmp_path}/final/usr/src/linux-headers-9-common/Makefile\n"
    assert (modules / "build").resolve() == headers


def test_debug_kernel_compiler(tmp_path):
    """The kernel's Makefile gets Debian 12's compiler. A Makefile without the line for the compiler is refused."""
    makefile = tmp_path / "Makefile"
    makefile.write_text("ifneq ($(LLVM),)\nCC\t\t= $(LLVM_PREFIX)clang\nelse\nCC\t\t= $(CROSS_COMPILE)gcc\nendif\n")
    debug_kernel.choose_compiler(makefile)
    assert "CC\t\t= $(CROSS_COMPILE)gcc-12\n" in makefile.read_text()
    with pytest.raises(RuntimeError, match="there is no line"):
        debug_kernel.choose_compiler(makefile)


@pytest.mark.parametrize("said, wanted", [
    ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)", 7),
    ("QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2)", 10),
])
def test_qemu_version(said, wanted):
    """Debian 12's QEMU is too old, Debian 13's is new enough."""
    assert newer_qemu.major(said) == wanted


def test_unknown_flavour():
    """An unknown flavour is refused, and the message lists the known ones."""
    for function in (kernels.fetch, kernels.headers):
        with pytest.raises(ValueError, match="6.12-rt"):
            function("5.10")


@pytest.mark.parametrize("kernel", [False, True])
def test_headers_without_kernel(tmp_path, monkeypatch, capsys, kernel):
    """The headers alone are enough, but those of the kernel that runs are used if it is in the cache."""
    monkeypatch.setenv("LIMPET_CACHE", str(tmp_path))
    roots = [tmp_path / "6.12-headers", *([tmp_path / "6.12"] if kernel else [])]
    for root in roots:
        (root / "usr/src/linux-headers-9-amd64").mkdir(parents=True)
        (root / "lib/modules/9-amd64").mkdir(parents=True)
        (root / "lib/modules/9-amd64/build").symlink_to(root / "usr/src/linux-headers-9-amd64")
    assert kernels.main(["6.12", "headers"]) == 0
    assert capsys.readouterr().out == f"{roots[-1]}/usr/src/linux-headers-9-amd64\n"


def test_slots_are_exclusive(tmp_path, monkeypatch):
    """Two processes can hold a slot. A third one must wait."""
    monkeypatch.setattr(slots, "SLOTS", [str(tmp_path / name) for name in "ab"])
    monkeypatch.setattr(slots, "QUEUE", str(tmp_path / "queue"))
    monkeypatch.setattr(slots, "_jobs", threading.BoundedSemaphore(2))
    with slots.slot(), slots.slot():
        handles = [os.open(path, os.O_RDWR) for path in slots.SLOTS]
        assert not any(slots._taken(handle) for handle in handles)
    assert all(slots._taken(handle) for handle in handles)
    for handle in handles:
        os.close(handle)


def test_slots_go_to_those_who_wait(tmp_path, monkeypatch):
    """A thread that takes a slot again and again does not keep another one from it."""
    monkeypatch.setattr(slots, "SLOTS", [str(tmp_path / "a")])
    monkeypatch.setattr(slots, "QUEUE", str(tmp_path / "queue"))
    monkeypatch.setattr(slots, "_jobs", threading.BoundedSemaphore(2))
    taken, held = [], threading.Event()

    def hold():
        with slots.slot():
            held.set()

    other = threading.Thread(target=hold)
    while not held.is_set() and len(taken) < 40:
        with slots.slot():
            taken.append(held.is_set())
            if len(taken) == 1:
                other.start()
            time.sleep(0.05)
    other.join(10)
    assert held.is_set() and len(taken) < 40


def test_one_process_limits_its_slots(tmp_path, monkeypatch):
    """With LIMPET_JOBS=1, a thread waits for the slot of another thread, although a second slot is free."""
    monkeypatch.setattr(slots, "SLOTS", [str(tmp_path / name) for name in "ab"])
    monkeypatch.setattr(slots, "QUEUE", str(tmp_path / "queue"))
    monkeypatch.setattr(slots, "_jobs", threading.BoundedSemaphore(1))
    held = threading.Event()

    def hold():
        with slots.slot():
            held.set()

    with slots.slot():
        other = threading.Thread(target=hold)
        other.start()
        assert not held.wait(0.5)
    other.join(10)
    assert held.is_set()


def test_user_network():
    """This machine's kernel chooses the ports. A request for a port without a forward raises an error."""
    words = machine.user_network(("10.0.2.15:80", "10.0.2.15:8080"))
    assert "hostfwd=tcp:127.0.0.1:0-10.0.2.15:80,hostfwd=tcp:127.0.0.1:0-10.0.2.15:8080" in words[1]
    guest = qemu.Guest(machine.Machine(kernel=None), None, "none")
    guest.monitor = types.SimpleNamespace(human=lambda line: (
        "Hub -1 (user):\r\n  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n"
        "  TCP[HOST_FORWARD]   3       127.0.0.1 41829      10.0.2.15    80     0     0\r\n"))
    assert guest.forwarded("10.0.2.15:80") == 41829
    with pytest.raises(RuntimeError):
        guest.forwarded("10.0.2.15:8080")
