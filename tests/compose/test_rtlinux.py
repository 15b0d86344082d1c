# SPDX-License-Identifier: BSD-2-Clause
"""limpet-rtlinux: refusals, and the public programs."""

import os
import subprocess
import tomllib

import pytest

from tests.compose import rtlinux_programs
from tests.compose.support import ROOT
from tests.harness.public import Missing
from tools.compose import errors, rtlinux

MODULE = 'int period;\nMODULE_PARM(period, "i");\nint init_module(void) { return 0; }\n'


@pytest.fixture
def build(tmp_path, capsys):
    """Returns a function that builds sources with options, and returns the exit code and the messages."""
    def run(files, *options, sources=None):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        given = [str(tmp_path / name) for name in sources] if sources else [str(tmp_path)]
        code = errors.run("limpet-rtlinux", rtlinux.main, ["build", *given, "-o", str(tmp_path / "out.limpet"), *options])
        return code, capsys.readouterr().err
    return run


@pytest.mark.parametrize(("files", "options", "message"), [
    ({"a.c": "int nothing;\n"}, ["--module", "a"], "has no init_module()"),
    ({}, [], "names no module"),
    ({"a.c": MODULE, "b.c": MODULE}, [], "names a, b"),
    ({"a.c": MODULE, "Makefile": "all: a.o b.o\n"}, [], "names a, b"),
    ({"Makefile": "obj-m := a.o\na-objs := b.o c.o\n", "b.c": MODULE}, [], "c.c:[build]: The file does not exist"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["-p", "perod=1"], "is not a parameter of the module. The module has period"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["-p", "period=" + "1" * 40], "exceeds 39 letters"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--fifos", "x"], "x:[fifos]: This is not a range of FIFOs"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--fifos", "60+8"], "FIFO numbers end at 63"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--mbuff", "area"], "area:[mbuff]: The buffer has no size"),
    ({"a.c": "#include <asm/io.h>\n" + MODULE}, [], "#error <asm/io.h> is not available in a component"),
    ({"a.c": "int init_module(void) { return }\n"}, [], "'gcc' failed"),
    ({"a.c": "#include <linux/module.h>\nMODULE_PARM(late, \"i\");\nint init_module(void) { return 0; }\n"}, [], "'gcc' failed"),
])
def test_refusals(build, files, options, message):
    """Each wrong input gets one line that says what is wrong."""
    code, said = build(files, *options)
    assert code == 1
    assert message in said


SHARING = """#include <rtl.h>
#include <mbuff.h>
MODULE_PARM(late, "1-2i");
module_param(wide, long, 0444);
EXPORT_SYMBOL(late);
static int late[2] = { 1, 2 };
static long wide;
static int start(void) { return mbuff_alloc("The_Area", 100) ? (int)wide : late[0]; }
module_init(start);
"""


def test_parameters_and_buffers(build, built, tmp_path):
    """A parameter can be declared before its variable. Sources name the buffers. File and functions can have any names."""
    code, said = build({"module.c": SHARING}, "-p", "late=5,6", "-p", "wide=7", "--system", str(tmp_path / "module.toml"))
    assert code == 0, said
    system = (tmp_path / "module.toml").read_text()
    assert 'name   = "the-area"' in system
    assert 'param1 = "wide=7"' in system


FIFOS = "#include <rtl_fifo.h>\nint init_module(void) { return rtf_create(5, 100); }\n"


@pytest.mark.parametrize(("source", "options", "numbers", "exchange"), [
    (FIFOS, [], ["0"], True),
    (FIFOS, ["--fifos", "1", "--fifos", "8+2"], ["1", "8"], True),
    (FIFOS, ["--fifos", "0+0"], [], True),
    ("#include <mqueue.h>\nint init_module(void) { return mq_open(\"q\", 0); }\n", [], [], True),
    ("#include <rtl.h>\nint init_module(void) { return 0; }\n", [], [], False),
])
def test_fifos_and_exchange(build, built, tmp_path, source, options, numbers, exchange):
    """The system has the FIFOs of --fifos, and the component exchange if the module creates FIFOs or queues."""
    code, said = build({"a.c": source}, *options, "--system", str(tmp_path / "a.toml"))
    assert code == 0, said
    system = tomllib.loads((tmp_path / "a.toml").read_text())
    assert [str(fifo["number"]) for fifo in system.get("fifo", [])] == numbers
    modules = {component["name"]: component for component in system["component"]}
    assert ("exchange" in modules) == exchange == ("exchange" in modules["a"]["imports"])


@pytest.mark.parametrize(("options", "name"), [
    ([], "stop.a"),
    (["--fifos", "0+15"], "stop.a"),
    (["--fifos", "0+16"], None),
    (["--fifos", "0+15", "--mbuff", "area=4K"], None),
    (["--name", "a" * 26], "stop." + "a" * 26),
    (["--name", "a" * 27], None),
])
def test_stop_channel(build, built, tmp_path, options, name):
    """The system has a channel for cleanup_module(), unless FIFOs and buffers are all channels or the name is too long."""
    code, said = build({"a.c": FIFOS}, *options, "--system", str(tmp_path / "a.toml"))
    assert code == 0, said
    channels = tomllib.loads((tmp_path / "a.toml").read_text()).get("channel", [])
    assert [(channel["name"], channel["mode"]) for channel in channels] == ([(name, "shared")] if name else [])


def test_installed(built, tmp_path):
    """The files that `make install` copies are enough to build a module."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    subprocess.run(["make", "-s", "install", f"DESTDIR={tmp_path}/root", "PREFIX=/usr", "PARTS=command kit"], cwd=ROOT,
                   env=alone, check=True, capture_output=True)
    (tmp_path / "hello.c").write_text("#include <rtl.h>\n" + MODULE)
    image = tmp_path / "hello.limpet"
    subprocess.run([tmp_path / "root/usr/bin/limpet", "rtlinux", "build", tmp_path / "hello.c", "-o", image], check=True,
                   env={"PATH": "/usr/bin:/bin"})
    assert image.stat().st_size > 0


def test_public_programs(built):
    """Each public program has the verdict that the page says."""
    try:
        page = rtlinux_programs.page(built / "lib/runtime-fpu.a")
    except Missing as missing:
        pytest.skip(str(missing))
    assert page == rtlinux_programs.PAGE.read_text()
