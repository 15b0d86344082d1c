# SPDX-License-Identifier: BSD-2-Clause
"""Builds components outside the tree, with different definitions."""

import support
from elftools.elf.elffile import ELFFile

DEFINITION = """
[component]
name = "mine.hello"
doc = "A component of somebody else."
thread = true
priority = 5

[imports]
echo = "echo"
"""
CODE = """
#include <import/echo.h>
#include <runtime/component.h>

void component_main(const struct limpet_info *info)
{
	(void)info;
	echo_none();
}
"""
SYSTEM = """
[system]
name = "mine"
frames = "4M"

[[component]]
name = "hello"
image = "mine.hello"
imports = { echo = "front" }

[[component]]
name = "front"
image = "server"
imports = { clock = "sched" }

[[component]]
name = "sched"
image = "sched.mini"
"""


def write_component(folder, definition=DEFINITION, code=CODE):
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text(definition)
    (folder / "hello.c").write_text(code)
    return folder


def build(tmp_path, **changes):
    folder = write_component(tmp_path / "components" / "mine.hello", **changes)
    result = support.component(folder, "-o", tmp_path / "objects" / "mine.hello.o", "--interfaces",
                               support.TREE / "interfaces")
    assert result.returncode == 0, result.stderr
    return tmp_path / "objects"


def test_outside_the_tree(built, tmp_path):
    objects = build(tmp_path)
    (tmp_path / "mine.toml").write_text(SYSTEM)
    result = support.compose(tmp_path / "mine.toml", "--components", tmp_path / "components",
                             "--objects", objects, "--objects", built / "components", "-o",
                             tmp_path / "mine.limpet")
    assert result.returncode == 0, result.stderr
    assert support.run(built / "tools" / "image-check", tmp_path / "mine.limpet").returncode == 0


def composed(tmp_path, objects, built):
    """Returns the composer's result for the system of mine.hello, with the components of tmp_path."""
    (tmp_path / "mine.toml").write_text(SYSTEM)
    return support.compose(tmp_path / "mine.toml", "--components", tmp_path / "components", "--objects", objects,
                           "--objects", built / "components", "-o", tmp_path / "mine.limpet")


def test_found_in_a_group(built, tmp_path):
    """The composer finds a component in a group by the name of its folder."""
    objects = build(tmp_path)
    (tmp_path / "components" / "group").mkdir()
    (tmp_path / "components" / "mine.hello").rename(tmp_path / "components" / "group" / "mine.hello")
    result = composed(tmp_path, objects, built)
    assert result.returncode == 0, result.stderr


def test_folders_outside_the_tree(tmp_path):
    """`make systems` builds the components of COMPONENT_DIRS, and composes the systems of SYSTEM_DIRS with them."""
    write_component(tmp_path / "components" / "mine.hello")
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "mine.toml").write_text(SYSTEM)
    made = support.run("make", "-n", "-f", "tools/build.mk", f"BUILD={tmp_path}/build", "systems",
                       f"COMPONENT_DIRS=components {tmp_path}/components", f"SYSTEM_DIRS={tmp_path}/systems")
    assert made.returncode == 0, made.stderr
    lines = made.stdout.replace("\\\n", " ").splitlines()
    [built] = [line for line in lines if f"tools/limpet-component {tmp_path}/components/mine.hello -o" in line]
    assert f"{tmp_path}/build/components/mine.hello.o" in built
    [composed_by] = [line for line in lines if "tools/limpet-compose" in line]
    assert f"{tmp_path}/systems/mine.toml -o {tmp_path}/build/systems/mine.limpet" in composed_by
    assert "--components components" in composed_by and f"--components {tmp_path}/components" in composed_by


def test_name_that_exists_twice(built, tmp_path):
    """Composer and Makefile refuse two components with the same name."""
    objects = build(tmp_path)
    write_component(tmp_path / "components" / "group" / "mine.hello")
    line = support.only_line(composed(tmp_path, objects, built))
    assert "There is another 'mine.hello'" in line and not (tmp_path / "mine.limpet").exists()
    result = support.run("make", "-n", "-f", "tools/build.mk", f"BUILD={tmp_path}/build",
                         f"COMPONENT_DIRS={tmp_path}/components", "components")
    assert result.returncode and "two components are named mine.hello" in result.stderr


def data_of(built, folder, definition):
    """Returns the data size of component hello and the number of threads from the composer's report."""
    objects = build(folder, definition=definition)
    (folder / "mine.toml").write_text(SYSTEM)
    result = support.compose(folder / "mine.toml", "--components", folder / "components", "--objects", objects,
                             "--objects", built / "components", "-o", folder / "mine.limpet", "--report",
                             folder / "mine.txt")
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in (folder / "mine.txt").read_text().splitlines()]
    components = [row for row in rows if row and row[0].isdigit() and len(row) > 10]
    [hello] = [row for row in components if row[1] == "hello"]
    return hello[9], sum(row[4].isdigit() for row in components)


def test_space_for_each_thread(built, tmp_path):
    """`each-thread` reserves space for the system's threads and the booter's, whose id is 0."""
    without, _ = data_of(built, tmp_path / "a", DEFINITION)
    room = DEFINITION.replace("[imports]", "each-thread = 4096\n\n[imports]")
    data, threads = data_of(built, tmp_path / "b", room)
    assert without == "-" and threads >= 1
    assert data == f"{4 * (1 + threads)}K"


GUEST_CODE = """
#include <guest/format.h>
#include <guest/numbers.h>
#include <import/echo.h>
#include <runtime/component.h>

static long copy(void *context, void *to, word address, word size)
{
	(void)context, (void)to, (void)address, (void)size;
	return -1;
}

void component_main(const struct limpet_info *info)
{
	const word arguments[GUEST_ARGUMENTS] = { info->args };
	struct guest_line line;
	char text[100];

	guest_line_begin(&line, text, sizeof(text), &(struct guest_memory){ copy, NULL }, GUEST_CALL_close, arguments);
	guest_line_end(&line, (long)line.text.length);
	echo_none();
}
"""


def test_guest_library(built, tmp_path):
    """A component that uses lib/guest links with it. Other components do not contain it."""
    objects = build(tmp_path / "guest", code=GUEST_CODE)
    result = composed(tmp_path / "guest", objects, built)
    assert result.returncode == 0, result.stderr
    assert b"guest_table" in (objects / "mine.hello.o").read_bytes()
    assert b"guest_table" not in (build(tmp_path / "other") / "mine.hello.o").read_bytes()


def test_same_source_same_object(built, tmp_path):
    first = (build(tmp_path / "a") / "mine.hello.o").read_bytes()
    assert (build(tmp_path / "b") / "mine.hello.o").read_bytes() == first


def test_old_stubs_do_not_stay(built, tmp_path):
    """An import that the definition no longer has cannot be included."""
    objects = build(tmp_path)
    assert (objects / "mine.hello.d" / "import" / "echo.h").is_file()
    folder = tmp_path / "components" / "mine.hello"
    (folder / "component.toml").write_text(DEFINITION.replace('echo = "echo"', 'e = "echo"'))
    support.component(folder, "-o", objects / "mine.hello.o", "--stubs-only", "--interfaces",
                      support.TREE / "interfaces")
    assert [p.name for p in (objects / "mine.hello.d" / "import").iterdir()] == ["e.h"]


def test_without_runtime(built, tmp_path):
    folder = write_component(tmp_path / "mine.hello")
    result = support.run("tools/limpet-component", folder, "-o", tmp_path / "x.o", "--interfaces",
                         support.TREE / "interfaces", "--runtime", tmp_path)
    assert "Run make components" in support.only_line(result)


def text_of(path):
    return support.run("objdump", "-d", "--no-show-raw-insn", path).stdout


def test_vector_registers_only_where_declared(built):
    """With fpu = false, code has no vector instructions. With fpu = true, both stubs clear the registers."""
    assert "%xmm" not in text_of(built / "components" / "client.o")
    text = text_of(built / "components" / "vector.o")
    assert "%xmm" in text and text.count("fxrstor64") >= 4


def test_object_has_no_stack_that_executes(built):
    with open(built / "components" / "client.o", "rb") as file:
        note = ELFFile(file).get_section_by_name(".note.GNU-stack")
        assert note is not None and not note["sh_flags"] & 4


PROGRAM = """
[component]
name = "mine.hello"
doc = "A program with third-party sources."
libc = "musl"
package = "theirs"
sources = ["hello.c", "source/theirs.c"]
includes = ["own", "source/include"]
defines = ["GIVEN=1"]
cflags = ["-Wno-unused-variable"]
thread = true
priority = 5

[imports]
sched = "sched"
log = "log"
mem = "mem"
"""
PROGRAM_CODE = """
#include <own.h>
#include <theirs.h>

int main(void)
{
	int unused;

	return theirs() + GIVEN + OWN;
}
"""
#: Causes warnings that are errors in a component's own sources.
THEIRS = """
#include <theirs.h>

static int never;
int theirs(argument) char *argument; { int x; }
"""


def write_program(tmp_path, definition=PROGRAM, code=PROGRAM_CODE):
    """Writes a project with a component and a package. Returns the component's folder."""
    for name, text in (("packages/theirs/source/theirs.c", THEIRS),
                       ("packages/theirs/source/include/theirs.h", "int theirs();\n"),
                       ("components/mine.hello/own/own.h", "#define OWN 2\n"),
                       ("components/mine.hello/component.toml", definition),
                       ("components/mine.hello/hello.c", code)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "components/mine.hello"


def build_program(tmp_path, folder):
    """Builds the component with the interfaces and the runtime of the tree."""
    return support.call("limpet-component", support.component_build.main, folder, "-o", tmp_path / "out.o",
                        "--packages", tmp_path / "none", "--packages", tmp_path / "packages")


def test_a_program_has_its_own_package_and_flags(tmp_path):
    done = build_program(tmp_path, write_program(tmp_path))
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out.o", "rb") as file:
        assert ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name("theirs")


def test_a_source_can_be_in_limpets_lib(tmp_path):
    definition = PROGRAM.replace('"source/theirs.c"', '"source/theirs.c", "freertos/switch.S"')
    done = build_program(tmp_path, write_program(tmp_path, definition))
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out.o", "rb") as file:
        assert ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name("port_switch")


def test_a_missing_source_is_refused_with_the_searched_folders(tmp_path):
    folder = write_program(tmp_path, PROGRAM.replace('"source/theirs.c"', '"freertos/none.c"'))
    line = support.only_line(build_program(tmp_path, folder))
    assert f"There is no file {folder}/freertos/none.c or {tmp_path}/packages/theirs/freertos/none.c or " in line
    assert "/lib/freertos/none.c" in line


def test_warnings_in_own_sources_of_a_program_with_a_package_are_errors(tmp_path):
    folder = write_program(tmp_path, PROGRAM.replace('"-Wno-unused-variable"', ""))
    assert "gcc' failed" in support.only_line(build_program(tmp_path, folder))


def test_the_message_for_a_missing_package_names_the_searched_folders(tmp_path):
    folder = write_program(tmp_path, PROGRAM.replace('"theirs"', '"others"'))
    line = support.only_line(build_program(tmp_path, folder))
    assert f"There is no folder {tmp_path}/none/others or {tmp_path}/packages/others" in line
