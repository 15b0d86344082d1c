# SPDX-License-Identifier: BSD-2-Clause
"""Tests the interface generator with snapshots, and with the compiler's output."""

import os
import re

import pytest
import support

SNAPSHOT = support.ROOT / "tests" / "unit" / "compose" / "snapshot"
ECHO = support.TREE / "interfaces" / "echo" / "interface.toml"
INCLUDES = [f"-I{support.ROOT / folder}" for folder in ("lib", "include")]
FLAGS = ["-std=gnu11", "-ffreestanding", "-fpie", "-fomit-frame-pointer", "-I", "lib", "-I", "shared", "-I",
         "include"]
USE = """
#include <import/echo.h>
#include <export/echo.h>
long use(word x);
long use(word x) { word y, z, w; return echo_none() + echo_six(x, x, x, x, 1, 2, &y, &z) +
	echo_four(1, 2, 3, x, &y, &z, &w) + (long)(y + z + w); }
long null(void);
long null(void) { return echo_none(); }
"""


@pytest.fixture
def stubs(tmp_path):
    paths = {"client": tmp_path / "import/echo.h", "host": tmp_path / "host/echo.h", "header": tmp_path / "export/echo.h",
             "server": tmp_path / "export/echo.S", "page": tmp_path / "echo.md"}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    result = support.interface(ECHO, *options)
    assert result.returncode == 0, result.stderr
    return paths


@pytest.mark.parametrize("name", ["client", "host", "header", "server", "page"])
def test_snapshot(stubs, name):
    """SNAPSHOT=update writes new snapshots. Read the difference before you commit it."""
    kept = SNAPSHOT / f"echo-{name}{stubs[name].suffix}"
    if os.environ.get("SNAPSHOT") == "update":
        kept.write_text(stubs[name].read_text())
    assert stubs[name].read_text() == kept.read_text()


@pytest.mark.parametrize("level", ["-O0", "-Og", "-O1", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("machine", [["-mgeneral-regs-only"], ["-DLIMPET_FPU"],
                                     ["-DLIMPET_FPU", "-mavx2"], ["-DLIMPET_FAKE_KERNEL"],
                                     ["-mgeneral-regs-only", "-DLIMPET_STACK_POOL"]])
def test_compiles(stubs, tmp_path, level, machine):
    source = tmp_path / "use.c"
    source.write_text(USE)
    flags = [*FLAGS, level, *machine, "-I", tmp_path]
    result = support.compile_c(source, *flags)
    assert result.returncode == 0, result.stderr
    result = support.run("gcc", "-c", *machine, *INCLUDES, "-o", "/dev/null", stubs["server"])
    assert result.returncode == 0, result.stderr


HOST_USE = """
#include <host/echo.h>
long use(struct limpet_caller *caller, uint64_t x);
long use(struct limpet_caller *caller, uint64_t x) { uint64_t y, z, w; return echo_none(caller) +
	echo_six(caller, x, x, x, x, 1, 2, &y, &z) + echo_four(caller, 1, 2, 3, x, &y, &z, &w) + (long)(y + z + w); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "musl-gcc"])
def test_host_compiles(stubs, tmp_path, compiler):
    """The header compiles in a Linux program, without the components' headers."""
    source = tmp_path / "use.c"
    source.write_text(HOST_USE)
    result = support.run(compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", tmp_path, "-I", support.ROOT,
                         "-I", support.ROOT / "include", "-I", support.ROOT / "cli", "-c", "-o", "/dev/null", source)
    assert result.returncode == 0, result.stderr


TIMED = """
[interface]
name    = "timed"
version = 1
doc     = "Waits."
[[function]]
name    = "sleep"
doc     = "Waits."
args    = [{ name = "time", doc = "Its end." }]
until   = "time"
[[function]]
name    = "wait"
doc     = "Waits, too."
args    = [{ name = "other", doc = "Another word." }, { name = "limit", doc = "Its end." }]
errors  = [{ error = "ETIME", doc = "the time has passed" }]
until   = "limit"
[[function]]
name    = "period"
doc     = "Waits for a period."
results = [{ name = "due", doc = "Its end." }]
until   = "due"
[[function]]
name    = "none"
doc     = "Does not wait."
args    = [{ name = "time", doc = "Not a limit." }]
"""


def test_until(tmp_path):
    """The stub waits for the rest of the time: after each success, or only after ETIME if the function has this error."""
    folder = tmp_path / "timed"
    folder.mkdir()
    (folder / "interface.toml").write_text(TIMED)
    made = tmp_path / "import/timed.h"
    assert support.interface(folder / "interface.toml", "--client", made).returncode == 0
    text = made.read_text()
    assert "#include <runtime/time.h>" in text
    bodies = {name: text.split(f"LIMPET_IMPORT long timed_{name}(")[1].split("\n}\n")[0]
              for name in ("sleep", "wait", "period", "none")}
    assert "if (limpet_status >= 0)\n\t\tlimpet_time_reach(time);" in bodies["sleep"]
    assert "if (limpet_status == LIMPET_ETIME)\n\t\tlimpet_time_reach(limit);" in bodies["wait"]
    assert "if (limpet_status >= 0)\n\t\tlimpet_time_reach(*due);" in bodies["period"]
    assert "limpet_time_reach" not in bodies["none"]
    source = tmp_path / "use.c"
    source.write_text("#include <import/timed.h>\nlong use(word *due);\n"
                      "long use(word *due) { return timed_sleep(1) + timed_wait(2, 3) + timed_period(due) + timed_none(4); }\n")
    for machine in ("-mgeneral-regs-only", "-DLIMPET_FPU", "-DLIMPET_FAKE_KERNEL"):
        result = support.compile_c(source, *FLAGS, "-O2", machine, "-I", tmp_path)
        assert result.returncode == 0, result.stderr


REACH = """
#include <runtime/time.h>
int main(void)
{
	uint64_t near = limpet_time() + LIMPET_LEAD_MAX / 2, far = near + (1ul << 60);
	limpet_time_reach(near);
	if (limpet_time() < near)
		return 1;
	limpet_time_reach(near); /* has passed */
	limpet_time_reach(far);
	return limpet_time() < far ? 0 : 2;
}
"""


def test_time_reach(tmp_path):
    """It waits for a time that is near, and returns if the time has passed or is far."""
    source, program = tmp_path / "reach.c", tmp_path / "reach"
    source.write_text(REACH)
    flags = [flag for flag in FLAGS if flag not in ("-ffreestanding", "-fpie")]
    result = support.run("gcc", *flags, "-O2", "-o", program, source)
    assert result.returncode == 0, result.stderr
    assert support.run(program).returncode == 0


def test_identity(tmp_path):
    """The identity changes only with parts that matter to callers."""
    text = ECHO.read_text()
    seen = set()
    for number, changed in enumerate([text, text.replace("version = ", "version = 1"),
                                      text.replace('name = "', 'name = "x', 2), text + "\n# a comment\n"]):
        folder = tmp_path / str(number) / "echo"
        folder.mkdir(parents=True)
        (folder / "x.toml").write_text(changed)
        assert support.interface(folder / "x.toml", "--host", folder / "x.h").returncode == 0
        seen.add(re.search(r"_INTERFACE (0x[0-9a-f]{8})u", (folder / "x.h").read_text())[1])
    assert len(seen) == 3


def test_two_imports_in_one_file(stubs, tmp_path):
    assert support.interface(ECHO, "--prefix", "other", "--client",
                             tmp_path / "import/other.h").returncode == 0
    source = tmp_path / "two.c"
    source.write_text(USE + "\n#include <import/other.h>\n"
                      "long more(void);\nlong more(void) { return other_none(); }\n")
    for machine in ("-mgeneral-regs-only", "-DLIMPET_FPU"):
        result = support.compile_c(source, *FLAGS, "-O2", machine, "-I", tmp_path)
        assert result.returncode == 0, result.stderr


def instructions(path, name, end=None):
    """Returns the mnemonics of a function."""
    text = support.run("objdump", "-d", "--no-show-raw-insn", path).stdout
    body = re.search(rf"<{name}>:\n(.*?)(?:\n\n|\Z)", text, re.S)[1]
    return [line.split("\t")[1].split()[0] for line in body.splitlines()
            if "nop" not in line and "xchg   %ax,%ax" not in line]


def test_null_call_is_short(stubs, tmp_path):
    """A call needs at most 9 instructions in the client, and 6 in the server in addition to the C function."""
    source, binary = tmp_path / "use.c", tmp_path / "use.o"
    source.write_text(USE)
    support.run("gcc", *FLAGS, "-O2", "-mgeneral-regs-only", "-I", tmp_path, "-c", source, "-o",
                binary)
    code = [word for word in instructions(binary, "null") if word not in ("push", "pop", "ret")]
    assert code == ["xor"] * 6 + ["mov", "syscall"]
    result = support.run("gcc", "-c", *INCLUDES, stubs["server"], "-o", binary)
    assert result.returncode == 0, result.stderr
    assert instructions(binary, "__limpet_export_echo_none") == [
        "mov", "call", "mov", "mov", "syscall", "ud2"]


def test_no_function_reads_frame_pointer_arrays(stubs, tmp_path):
    """A function with a variable-length array cannot invoke, and the compiler reports it."""
    source = tmp_path / "vla.c"
    source.write_text(USE + "void fill(char *);\nlong bad(word n);\n"
                      "long bad(word n) { char text[n]; fill(text); return echo_none(); }\n")
    result = support.compile_c(source, *FLAGS, "-O2", "-mgeneral-regs-only", "-I", tmp_path)
    assert result.returncode and "bp cannot be used" in result.stderr


def test_prefix_is_checked(tmp_path):
    result = support.interface(ECHO, "--prefix", "No Name", "--client", tmp_path / "x.h")
    assert result.returncode == 2 and not (tmp_path / "x.h").exists()


def test_all_definitions_of_the_project():
    for definition in sorted((support.ROOT / "interfaces").glob("*/interface.toml")):
        result = support.interface(definition)
        assert result.returncode == 0, result.stderr
