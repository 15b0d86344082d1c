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
    ({"a.c": MODULE, "b.c": MODULE, "Makefile": "all: a.o b.o\n"}, [], "names a, b"),
    ({"Makefile": "obj-m := a.o\na-objs := b.o c.o\n", "b.c": MODULE}, [], "c.c:[build]: The file does not exist"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["-p", "perod=1"], "is not a parameter of the module. The module has period"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["-p", "period=" + "1" * 40], "exceeds 39 letters"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--fifos", "x"], "x:[fifos]: This is not a range of FIFOs"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--fifos", "60+8"], "FIFO numbers end at 63"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--mbuff", "area"], "area:[mbuff]: The buffer has no size"),
    ({"a.c": "#include <rtlinux_signal.h>\n" + MODULE}, [], "#error <rtlinux_signal.h> is not available in a component"),
    ({"a.c": "#include <asm/io.h>\nint init_module(void) { outb(1, 0x378); return inb(0x379); }\n"}, [],
     "The module uses I/O ports, and has none."),
    ({"a.c": "#include <asm/io.h>\nint init_module(void) { outb(1, 0x61); return 0; }\n"}, ["--ports", "0x61"],
     "'0x61' contains 0x61, the interval timer's gate"),
    ({"a.c": "#include <rtl.h>\n" + MODULE}, ["--interrupts", "5 high"], "'5 high' is not an interrupt"),
    ({"a.c": "#include <linux/pci.h>\nint init_module(void) { struct pci_dev dev; return dev.irq; }\n"}, [],
     "uses the contents of <linux/pci.h>: PCI devices belong to the system file"),
    ({"a.c": "#include <rtl.h>\nint init_module(void) { nothing(); return printf(\"\"); }\n"}, [],
     "uses nothing: lib/rtlinux does not have it; printf: this is a function of user programs."),
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


START = "#include <rtl.h>\n#include <asm/io.h>\n#include <linux/fs.h>\nint init_module(void) { return other(); }\n"


@pytest.mark.parametrize("makefile", [
    "all: app m.o\nm.o: a.o b.o\n\t$(LD) -r -o m.o a.o b.o\napp: app.c\n",
    "all: m.o\nm.o: $(HEADERS)\n\t$(LD) -r a.o b.o -o m.o\n",
    "OBJS = a.o \\\n\tb.o\nMODULE = m\nall: $(MODULE).o\n$(MODULE).o: $(OBJS)\n",
    "obj-m += m.o\nm-objs = a.o\nm-objs += b.o # the other one\n",
    "m.o: a.o b.o\nclean:\n\trm -f *.o\n",
])
def test_makefiles(build, built, tmp_path, makefile):
    """Each form of a Makefile names a module of two sources, and its flags reach the compiler."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers/answer.h").write_text("#define ANSWER 42\n")
    other = "#include <answer.h>\nint other(void) { return ANSWER - GIVEN - LATER; }\n"
    flags = "INCLUDE = -I/nowhere/include -Iheaders\nCFLAGS = -O2 $(INCLUDE) -DGIVEN=40\nCFLAGS += -DLATER=2\n"
    system = tmp_path / "m.toml"
    code, said = build({"a.c": START, "b.c": other, "app.c": "", "Makefile": makefile.replace("$(MODULE).o:", "m.o:") + flags},
                       "--system", str(system))
    assert code == 0, said
    assert tomllib.loads(system.read_text())["system"]["name"] == "m"


OBJECT = """#include <rtl_cpp.h>
class Thing { public: int value; Thing(int value) : value(value) {} virtual ~Thing() {} };
static int given = 3;
MODULE_PARM(given, "i");
static Thing first(1);
int init_module() { Thing *more = new Thing(given); int sum = more->value + first.value; delete more; return sum; }
"""


@pytest.mark.parametrize(("files", "message"), [
    ({"a.cc": OBJECT}, ""),
    ({"a.cpp": OBJECT, "Makefile": "all: m.o\nm.o: a.o b.o\n", "b.c": "int class;\n"}, ""),
    ({"a.cc": "#include <rtl_cpp.h>\nint init_module() { throw 1; }\n"}, "'g++' failed"),
    ({"a.cc": "#include <vector>\nint init_module() { return 0; }\n"}, "'g++' failed"),
    ({"a.c": "#include <rtl_cpp.h>\nint init_module(void) { return 0; }\n"}, "<rtl_cpp.h> is for sources in C++"),
])
def test_cxx(build, built, files, message):
    """Sources in C++ are compiled without exceptions and the standard library, also next to those in C."""
    code, said = build(files, "-p", "given=5")
    assert code == bool(message), said
    assert message in said


def test_cxx_compiler(build, monkeypatch):
    """A missing compiler of C++ is named."""
    monkeypatch.setenv("CXX", "no-such-compiler")
    code, said = build({"a.cc": OBJECT})
    assert code == 1
    assert "There is no program 'no-such-compiler', which compiles this source. Install Debian's package g++." in said


ADDRESSES = """#include <rtl.h>
#include <pthread.h>
extern int other(void);
int (*act)(pthread_t);
int init_module(void) { act = pthread_suspend_np; return act == pthread_wakeup_np || (void *)act == (void *)other; }
"""


def test_addresses_of_functions(build, built):
    """A module can store and compare addresses of the interface's functions and of its other sources."""
    code, said = build({"a.c": ADDRESSES, "b.c": "int other(void) { return 0; }\n", "Makefile": "obj-m := m.o\nm-objs := a.o b.o\n"})
    assert code == 0, said


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


@pytest.mark.parametrize(("options", "keys"), [
    ([], None),
    (["--restart", "0"], None),
    (["--restart", "3"], ("supervisor", "image", 3)),
    (["--restart", "3", "--interrupts", "5", "--ports", "0x378"], ("supervisor", "image", 3)),
])
def test_restart(build, built, tmp_path, options, keys):
    """The system has a supervisor that restarts the module, only if --restart permits it."""
    code, said = build({"a.c": FIFOS}, *options, "--system", str(tmp_path / "a.toml"))
    assert code == 0, said
    components = {component["name"]: component for component in tomllib.loads((tmp_path / "a.toml").read_text())["component"]}
    module = components["a"]
    assert ("supervisor" in components) == bool(keys)
    assert (keys or (None, None, None)) == tuple(module.get(key) for key in ("faults", "restart", "restart-limit"))


@pytest.mark.parametrize("number", ["-1", "x", "1000001"])
def test_restart_refused(number, capsys):
    """A wrong number of restarts is a wrong command line."""
    with pytest.raises(SystemExit) as ended:
        rtlinux.parse(["build", "a.c", "-o", "a.limpet", "--restart", number], "limpet-rtlinux")
    assert ended.value.code == 2
    assert "--restart" in capsys.readouterr().err


ANSWERING = """#include <rtl_fifo.h>
static int answer(unsigned int fifo, unsigned int command, unsigned long argument) { return 0; }
int init_module(void) { return rtf_create(5, 100) || rtf_link_user_ioctl(5, answer); }
"""


@pytest.mark.parametrize(("options", "name"), [
    ([], "ioctl.rtf0"),
    (["--fifos", "8", "--fifos", "5+2"], "ioctl.rtf5"),
    (["--fifos", "0+0"], None),
])
def test_ioctl_channel(build, built, tmp_path, options, name):
    """The system has a channel for ioctl() with the lowest number of the module's FIFOs."""
    code, said = build({"a.c": ANSWERING}, *options, "--system", str(tmp_path / "a.toml"))
    assert code == 0, said
    channels = tomllib.loads((tmp_path / "a.toml").read_text()).get("channel", [])
    assert [channel["name"] for channel in channels if channel["mode"] == "messages"] == ([name] if name else [])
    assert [channel["name"] for channel in channels if channel["mode"] == "shared"] == ["stop.a"]


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
