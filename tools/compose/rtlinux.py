# SPDX-License-Identifier: BSD-2-Clause
"""limpet-rtlinux: builds an RTLinux module, as it is, into a component and a system with it.

The module's sources are compiled against lib/rtlinux. Each header name of RTLinux and of Linux's kernel becomes a file that
includes <rtlinux/api.h>, in a folder that precedes all others.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import __main__ as composer
from . import build, channel, component, errors, musl, usage
from . import rtlinux_names as names
from .errors import Refused
from .root import ROOT
from .rtlinux_makefile import CXX_SUFFIXES, Makefile
from .system import PRIORITY_MAX, RESTARTS_MAX

C_FLAGS = "-std=gnu89 -fgnu89-inline".split()
CXX_FLAGS = "-std=gnu++17 -fpermissive -fno-exceptions -fno-rtti -fno-threadsafe-statics -fcheck-new -nostdinc++".split()
FLAGS = ("-O2 -w -ffreestanding -fpie -fvisibility=hidden -fomit-frame-pointer -fno-stack-protector "
         "-fasynchronous-unwind-tables -fcf-protection=none -fno-strict-aliasing -fwrapv -fcommon -nostdinc "
         "-D__KERNEL__ -DMODULE -D__RTL__ -D_LOOSE_KERNEL_NAMES -DLIMPET_FPU").split()
COMPONENT = """[component]
name     = "{name}"
doc      = "An RTLinux module."
fpu      = true
thread   = true
threads  = {threads}
stack    = "{stack}"
optional = ["exchange", "interrupts"]{privileges}

[imports]
sched    = "sched"
log      = "log"
mem      = "mem"
exchange = "exchange"
interrupts = "interrupts"

[args]
remove-after-ms = {{ type = "integer", min = 0, max = 3600000, doc = "Milliseconds after init_module() until cleanup_module() is called; 0: never. Default: 0." }}
{args}
"""
SYSTEM = """[system]
name   = "{name}"
frames = "16M"
linux-restarts = {restarts}

[[component]]
name  = "sched"
image = "sched.fixed-priority"

[[component]]
name  = "log"
image = "log"

[[component]]
name    = "mem"
image   = "mem"
imports = {{ sched = "sched" }}

[[component]]
name     = "{name}"
image    = "{name}"
priority = {priority}
imports  = {{ sched = "sched", log = "log", mem = "mem"{optional} }}
quota    = "{quota}"
{args}{ports}{restart}"""
SUPERVISOR = """
[[component]]
name    = "supervisor"
image   = "supervisor"
imports = {{ sched = "sched", log = "log" }}
"""
#: The pause before a restart lets the processes that read and write FIFOs run, so that they get EPIPE.
RESTART = """faults   = "supervisor"
restart  = "image"
restart-limit = {restarts}
restart-backoff-ms = 20
"""
EXCHANGE = """
[[component]]
name    = "exchange"
image   = "exchange"
imports = {{ sched = "sched", mem = "mem" }}
quota   = "2M"
"""
INTERRUPTS = """
[[component]]
name       = "interrupts"
image      = "interrupts"
imports    = {{ sched = "sched", log = "log" }}
priority   = {priority}
interrupts = [{lines}]
"""
FIFO = """
[[fifo]]
number = {first}
count  = {count}
owner  = "{name}"
size   = "{size}"
access = "0660"
"""
STOP = """
[[channel]]
name   = "stop.{name}"
owner  = "{name}"
mode   = "shared"
size   = "4K"
access = "0660"
"""
IOCTL = """
[[channel]]
name   = "ioctl.rtf{number}"
owner  = "{name}"
mode   = "messages"
size   = "8K"
access = "0660"
"""
MBUFF = """
[[mbuff]]
name   = "{buffer}"
owner  = "{name}"
size   = "{size}"
access = "0660"
"""
#: Functions for the C library's mathematical functions: they read the value of their stack protection by the thread pointer.
MATHEMATICS = """static char thread_data[64];
extern void (*rtlinux_thread_begin)(void);
static void thread_begin(void)
{
	__asm__ volatile("wrfsbase %0" : : "r"(thread_data));
}
void __wrap___stack_chk_fail(void);
void __wrap___stack_chk_fail(void)
{
	__builtin_trap();
}""".splitlines()
#: Constructs the static objects of sources in C++.
CONSTRUCTORS = """extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);
static void objects_construct(void)
{
	for (unsigned long i = 0; i < (unsigned long)(__init_array_end - __init_array_start); i++)
		__init_array_start[i]();
}""".splitlines()
#: Functions that create FIFOs, that answer ioctl() on them, and that create message queues.
FIFO_MAKERS = {"rtf_create", "open"}
IOCTL_HANDLERS = {"rtf_link_user_ioctl"}
QUEUE_MAKERS = {"mq_open"}
#: Functions of the library to which inb() and its kin lead.
PORT_USERS = {"rtlinux_in", "rtlinux_out", "rtlinux_in_string", "rtlinux_out_string"}
#: Default number and size of the FIFOs, and default size of a buffer.
FIFOS, FIFO_SIZE, MBUFF_SIZE = 8, "32K", "64K"
PARAMETERS_MAX, PARAMETER_MAX, THREADS_MAX = 16, component.ARG_TEXT_MAX, 62


def headers(folder):
    """Writes the header files that modules include."""
    interface = "#include <rtlinux/api.h>\n"
    texts = {**dict.fromkeys([*names.HEADERS, *names.FOREIGN_HEADERS], interface),
             **{name: f"{interface}#include <{own}>\n" for name, own in names.OWN_HEADERS.items()},
             **{name: f"#error <{name}> is not available in a component, because {reason}.\n"
                for name, reason in names.REFUSED.items()}}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def tool(*words):
    """Runs a program and returns its output. Its messages are the reason if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise Refused(words[-1], "build", f"'{words[0]}' failed. Its messages are above. Correct the source.")
    return done.stdout


def sources_of(options):
    """Returns the sources that the command line names."""
    paths = [Path(given) for given in options.sources]
    if len(paths) == 1 and paths[0].is_dir():
        makefile = Makefile(paths[0])
        name, sources = makefile.module(options.module)
        options.define = [*makefile.flags(), *options.define]
        options.name = options.name or component_name(name)
        return sources
    for path in paths:
        if not path.is_file():
            raise Refused(path, "build", "The path does not exist. A module is a folder or a list of .c and .cc files. "
                          "Correct the name.")
    return paths


def foreign(text):
    """Returns the headers that a preprocessed source includes whose subjects a component does not have, with the reasons."""
    included = set(re.findall(r'^# \d+ "[^"\n]*/headers/([^"\n]+)"', text, re.MULTILINE))
    return [f"<{name}>: {reason}" for name, reason in names.FOREIGN_HEADERS.items() if name in included]


def is_cxx(source):
    """Returns whether a source is in C++."""
    return source.suffix in CXX_SUFFIXES


def compiler(source, reasons, *words):
    """Runs the compiler. If it fails, the message has the reasons, which concern headers."""
    name, own = ("g++", CXX_FLAGS) if is_cxx(source) else ("gcc", C_FLAGS)
    program = os.environ.get("CXX" if is_cxx(source) else "CC", name)
    if not shutil.which(program):
        raise Refused(source, "build", f"There is no program '{program}', which compiles this source. Install Debian's package {name}.")
    try:
        tool(program, *own, *words)
    except Refused as error:
        because = f"The source uses the contents of {'; '.join(reasons)}. " if reasons else ""
        raise Refused(source, "build", f"{because}'{name}' failed. Its messages are above. Correct the source.") from error


def preprocess(source, target, flags):
    """Preprocesses a source and appends the records of its parameters, because they name variables of the source.

    Returns the preprocessed text.
    """
    compiler(source, [], *FLAGS, *flags, "-E", "-o", target, source)
    text = target.read_text(errors="replace")
    plain = without_markers(text)
    declared = re.findall(r"rtlinux_declared_(\w+)\[sizeof\((.*?)\)\s*\]", plain, re.DOTALL)
    linkage = 'extern "C" ' if is_cxx(source) else ""
    records = [f"{linkage}const struct rtlinux_parameter rtlinux_parameter_{name} = {{ \"{name}\", {kind}, (void *)&{name} }};\n"
               for name, kind in declared]
    target.write_text("\n".join([text, *records]))
    return text


def without_markers(text):
    """Returns a preprocessed text without its line markers."""
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def compile_module(sources, work, options):
    """Compiles the module's sources into one object. Returns its path and the names of the buffers that it opens."""
    headers(work / "headers")
    own = tool("gcc", "-print-file-name=include").strip()
    objects, buffers = [], []
    for number, source in enumerate(sources):
        flags = [*options.define, f"-I{source.resolve().parent}", "-isystem", work / "headers", f"-I{ROOT / 'lib'}",
                 "-isystem", own]
        objects.append(work / f"{number}.{source.stem}.o")
        preprocessed = objects[-1].with_suffix(".ii" if is_cxx(source) else ".i")
        text = preprocess(source, preprocessed, flags)
        buffers += re.findall(r'\b(?:mbuff_alloc|mbuff_attach|shm_allocate)\s*\(\s*"([\w-]+)"', without_markers(text))
        compiler(source, foreign(text), *FLAGS, "-fpreprocessed", "-c", "-o", objects[-1], preprocessed)
    module = work / "all_sources.o"  # the "_" keeps it apart from the component's object, NAME.o
    used = set().union(*map(undefined, objects)) & names.MATHEMATICS
    tool("ld", "-r", "-z", "noexecstack", "-o", module, *objects, *([mathematics(work, used)] if used else []))
    return module, sorted(set(buffers))


def mathematics(work, used):
    """Links mathematical functions of the C library, and what they need of it, into one object. Only they are visible outside."""
    library, target = musl.LIBRARY / "libc.a", work / "mathematics.o"
    if not library.is_file():
        raise Refused(library, "build", f"The file does not exist. The module uses {', '.join(sorted(used))}, which Debian's "
                      "package musl-dev has. Install it.")
    tool("ld", "-r", "-z", "noexecstack", "--wrap=__stack_chk_fail", "-o", target, *(f"-u{name}" for name in sorted(used)),
         library)
    tool("objcopy", *(f"--keep-global-symbol={name}" for name in sorted(used)), target)
    return target


def symbols(module):
    """Returns the names that an object defines, and the parameters among them."""
    defined = re.findall(r" [TDBRGS] (\w+)$", tool("nm", module), re.MULTILINE)
    prefix = "rtlinux_parameter_"
    return defined, [name.removeprefix(prefix) for name in defined if name.startswith(prefix)]


def glue(work, module, source):
    """Returns the text of the component's own source: the table of parameters, and a cleanup_module() if the module
    has none.
    """
    defined, parameters = symbols(module)
    if "init_module" not in defined:
        raise Refused(source, "build", "The module has no init_module(). A module starts in this function. Add it "
                      "or list all sources of the module.")
    lines = ["#include <rtlinux/api.h>"]
    lines += [f"extern const struct rtlinux_parameter rtlinux_parameter_{name};" for name in parameters]
    lines += ["extern const struct rtlinux_parameter *const rtlinux_parameters[];",
              "const struct rtlinux_parameter *const rtlinux_parameters[] = {",
              *(f"\t&rtlinux_parameter_{name}," for name in parameters), "\tNULL,", "};"]
    if "cleanup_module" not in defined:
        lines += ["void cleanup_module(void);", "void cleanup_module(void)", "{", "}"]
    mathematical = (work / "mathematics.o").is_file()
    lines += MATHEMATICS if mathematical else []
    lines += CONSTRUCTORS
    lines += ["void rtlinux_main(void);", "void component_main(const void *info);", "void component_main(const void *info)", "{",
              *(["\trtlinux_thread_begin = thread_begin;"] if mathematical else []), "\t(void)info;", "\tobjects_construct();",
              "\trtlinux_main();", "}"]
    (work / "glue.c").write_text("\n".join(lines) + "\n")
    return parameters


def parameters_checked(given, known):
    """Checks NAME=VALUE words against the module's parameters."""
    for number, word in enumerate(given):
        name = word.split("=", 1)[0]
        if "=" not in word or name not in known:
            raise Refused(word, "parameter", f"This is not a parameter of the module. The module has "
                          f"{', '.join(known) or 'none'}. Write NAME=VALUE with one of these.")
        if len(word) > PARAMETER_MAX or number == PARAMETERS_MAX:
            raise Refused(word, "parameter", f"The parameter exceeds {PARAMETER_MAX} letters or "
                          f"{PARAMETERS_MAX} parameters. The system file has no space for it. Shorten it.")
    return {f"param{number}": word for number, word in enumerate(given)}


def fifos_written(options, name, used):
    """Returns the tables of FIFOs for the system file, or an empty text, and the number of their channels.

    The FIFOs are those of --fifos, or the first ones if the module calls a function that creates FIFOs. One more channel
    carries ioctl() of processes if the module links handlers to it.
    """
    text, total, numbers = "", 0, []
    for word in options.fifos or ([f"0+{FIFOS}"] if used & FIFO_MAKERS else []):
        first, _, count = word.partition("+")
        if not first.isdigit() or not (count or "1").isdigit():
            raise Refused(word, "fifos", "This is not a range of FIFOs. FIFO numbers are 0 to 63. "
                          "Write FIRST or FIRST+COUNT.")
        if int(count or 1):
            text += FIFO.format(first=int(first), count=int(count or 1), name=name, size=options.fifo_size)
            total += int(count or 1)
            numbers.append(int(first))
    if numbers and used & IOCTL_HANDLERS:
        text += IOCTL.format(number=min(numbers), name=name)
        total += 1
    return text, total


def buffers_written(options, name):
    """Returns the tables of shared buffers for the system file."""
    text = ""
    for word in options.mbuff:
        buffer, equals, size = word.partition("=")
        if not equals:
            raise Refused(word, "mbuff", "The buffer has no size. A buffer has a name and a size. Write NAME=SIZE.")
        text += MBUFF.format(buffer=buffer.lower().replace("_", "-"), size=size, name=name)
    return text


def interrupts_written(options):
    """Returns the table of the component that gives interrupts to the module, or an empty text."""
    if not options.interrupts:
        return ""
    if options.priority == PRIORITY_MAX:
        raise Refused(str(options.priority), "priority", "A module with interrupts has at most priority "
                      f"{PRIORITY_MAX - 1}. The component that receives them has a higher priority. Choose a smaller one.")
    lines = ", ".join(word if word.isdigit() else quoted(word) for word in options.interrupts)
    return INTERRUPTS.format(priority=options.priority + 1, lines=lines)


def ports_written(options, used, source):
    """Returns the key of the module's I/O ports, or an empty text."""
    if used & PORT_USERS and not options.ports:
        raise Refused(source, "build", "The module uses I/O ports, and has none. The system file assigns ports to components, for "
                      "beneath mode. Give them by --ports, for example --ports 0x378-0x37f.")
    return f"ports    = [{', '.join(map(quoted, options.ports))}]\n" if options.ports else ""


def stop_written(options, name, fifos):
    """Returns the table of the channel by which `limpet stop` asks for cleanup_module().

    It is empty if the module's FIFOs and buffers are all the channels that a component can have, or the name is too long.
    """
    if fifos + len(options.mbuff) >= channel.OWN_MAX or len(channel.STOP + name) > component.NAME_MAX:
        return ""
    return STOP.format(name=name)


def restart_written(options):
    """Returns the module's keys for its restart after a crash and the table of the supervisor, or two empty texts."""
    if not options.restart:
        return "", ""
    return RESTART.format(restarts=options.restart), SUPERVISOR.format()


def component_name(name):
    """Returns the component's name for the name of a module or of its first source."""
    name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return name if name[:1].isalpha() else f"rt-{name}"


def quoted(text):
    """Returns a text as TOML has it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_definitions(work, name, options, known, used, source):
    """Writes the component's folder and the system file. Returns their paths.

    `known` are the module's parameters. `used` are the functions that the module calls. `source` is its first source.
    """
    ports = ports_written(options, used, source)
    arguments = parameters_checked(options.parameter, known)
    if options.remove_after_ms:
        arguments["remove-after-ms"] = options.remove_after_ms
    listed = "\n".join(f'param{n} = "A module parameter, NAME=VALUE."' for n in range(PARAMETERS_MAX))
    folder = work / "components" / name
    folder.mkdir(parents=True)
    threads = options.threads + bool(options.remove_after_ms)  # the additional one waits for the time of the removal
    (folder / "component.toml").write_text(
        COMPONENT.format(name=name, threads=threads, stack=options.stack, args=listed,
                         privileges='\nprivileges = ["devices"]' if ports else ""))
    (work / "glue.c").rename(folder / "glue.c")
    system = work / f"{name}.toml"
    values = ", ".join(f"{key} = {value if isinstance(value, int) else quoted(value)}" for key, value in arguments.items())
    args = f"args     = {{ {values} }}\n" if values else ""
    exchange = used & (FIFO_MAKERS | QUEUE_MAKERS)
    optional = (', exchange = "exchange"' if exchange else "") + (', interrupts = "interrupts"' if options.interrupts else "")
    fifos, count = fifos_written(options, name, used)
    restart, supervisor = restart_written(options)
    system.write_text(SYSTEM.format(name=name, restarts=options.linux_restarts, priority=options.priority,
                                    quota=options.quota, args=args, optional=optional, ports=ports, restart=restart) +
                      supervisor + (EXCHANGE.format() if exchange else "") + interrupts_written(options) + fifos +
                      buffers_written(options, name) +
                      stop_written(options, name, count))
    return folder, system


def make(options):
    """Builds the module, the component and the system into the output."""
    errors.check_output("-o", options.output)
    errors.check_output("--system", options.system)
    sources = sources_of(options)
    name = options.name or component_name(sources[0].stem)
    with tempfile.TemporaryDirectory(prefix="limpet-rtlinux-") as folder:
        work = Path(folder)
        module, buffers = compile_module(sources, work, options)
        options.mbuff = options.mbuff or [f"{buffer}={options.mbuff_size}" for buffer in buffers]
        known = glue(work, module, sources[0])
        source, system = write_definitions(work, name, options, known, undefined(module), sources[0])
        runtime, plain = ROOT / "build/lib", work / "plain_component.o"
        build.main([str(source), "-o", str(plain), "--interfaces", str(ROOT / "interfaces"), "--runtime", str(runtime)])
        tool("ld", "-r", "-z", "noexecstack", plain, module, runtime / "runtime-fpu.a", "-o", work / f"{name}.o")
        check_complete(work / f"{name}.o", sources[0])
        if options.system:
            shutil.copy(system, options.system)
        if options.component:
            shutil.copytree(source, Path(options.component) / name, dirs_exist_ok=True)
            shutil.copy(work / f"{name}.o", options.component)
        composer.main([str(system), "-o", options.output, "--components", str(ROOT / "components"), "--components",
                       str(work / "components"), "--interfaces", str(ROOT / "interfaces"), "--objects", str(ROOT / "build/components"),
                       "--objects", str(work)])


def undefined(object_file):
    """Returns the names that an object uses and does not define."""
    return set(re.findall(r" U (\w+)$", tool("nm", object_file), re.MULTILINE))


def missing_named(missing):
    """Returns a text with functions that the library does not have, and with the reasons."""
    reasons = {}
    for name in missing:
        reasons.setdefault(names.FUNCTIONS.get(name, "lib/rtlinux does not have it"), []).append(name)
    return "; ".join(f"{', '.join(used)}: {reason}" for reason, used in reasons.items())


def check_complete(object_file, source):
    """Refuses a module that uses what there is not."""
    missing = sorted(name for name in undefined(object_file) if not name.startswith(("__limpet", "_GLOBAL_OFFSET_TABLE_", "__init_array_")))
    if missing:
        raise Refused(source, "build", f"The module uses {missing_named(missing)}. Use the alternatives in "
                      "docs/reference/rtlinux.md.")


def parse(arguments, program):
    parser = usage.Parser(prog=program, description="Builds an RTLinux module into a system image.")
    parser.add_argument("command", metavar="COMMAND", choices=["build", "run"],
                        help="build: build a system image; run: build it and load it with `limpet run`")
    parser.add_argument("sources", nargs="+", metavar="DIR or FILE.c", help="a folder with a Makefile, or the module's sources")
    parser.add_argument("-o", "--output", metavar="OUT.limpet", help="the image; required for build")
    parser.add_argument("-m", "--module", metavar="NAME", help="the module, if the folder has several")
    parser.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="a module parameter")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME", help="a macro for the compiler")
    parser.add_argument("--name", help="name of the system and of the component; default: that of the module in a folder, otherwise that "
                                       "of the first source")
    parser.add_argument("--threads", type=usage.number(1, THREADS_MAX), default=16, help="threads that the module can have at a time; default: 16")
    parser.add_argument("--stack", default="32K", help="stack of each thread; default: 32K")
    parser.add_argument("--priority", type=usage.number(3, PRIORITY_MAX), default=100, help="highest priority of the module's threads; default: 100")
    parser.add_argument("--quota", default="2M", help="memory that kmalloc() can give; default: 2M")
    parser.add_argument("--fifos", action="append", default=[], metavar="FIRST+COUNT",
                        help="FIFOs that connect the module with Linux; can be given several times. The other numbers connect threads "
                             f"of modules. Default: 0+{FIFOS} if it creates some")
    parser.add_argument("--fifo-size", default=FIFO_SIZE, metavar="SIZE",
                        help=f"the largest size of a FIFO, a power of two up to 64K; default: {FIFO_SIZE}")
    parser.add_argument("--mbuff", action="append", default=[], metavar="NAME=SIZE",
                        help="a shared buffer, of whole pages; can be given several times")
    parser.add_argument("--mbuff-size", default=MBUFF_SIZE, metavar="SIZE",
                        help="size of the buffers that the sources open by a literal name, if --mbuff is not given; "
                             f"default: {MBUFF_SIZE}")
    parser.add_argument("--ports", action="append", default=[], metavar="FIRST-LAST",
                        help="beneath mode: I/O ports of the module; can be given several times")
    parser.add_argument("--interrupts", action="append", default=[], metavar="LINE",
                        help="beneath mode: an interrupt for rtl_request_irq(), a number, or \"NUMBER edge\" or \"NUMBER level\"; can be given "
                             "several times")
    parser.add_argument("--remove-after-ms", type=usage.number(0, 3600000), default=0, metavar="MS", help="time after init_module() when cleanup_module() is called; default: never")
    parser.add_argument("--restart", type=usage.number(0, RESTARTS_MAX), default=0, metavar="N",
                        help="restart the module after a crash, at most N times in a row; default: 0, only the thread that crashed is dead")
    parser.add_argument("--linux-restarts", type=usage.number(0, RESTARTS_MAX), default=0, metavar="N",
                        help="beneath mode: maximum number of restarts of Linux after it dies; default: 0")
    parser.add_argument("--system", metavar="OUT.toml", help="also write the system file, as a start for your own")
    parser.add_argument("--component", metavar="DIR",
                        help="also write the component and its object into DIR, "
                             "for limpet-compose --components DIR --objects DIR")
    options = parser.parse_args(arguments)
    options.define = [f"-D{name}" for name in options.define]
    if options.command == "build" and not options.output:
        parser.error("Option '--output' is missing. `build` needs it.")
    return options


def command():
    """Returns the path of `limpet`: the one of the checkout, of the installed kit's PREFIX, or of PATH."""
    places = [ROOT / "build/cli/limpet", *(prefix / "bin/limpet" for prefix in ROOT.parents[2:3])]
    return next((str(place) for place in places if place.is_file()), "limpet")


def run(options):
    """Builds the system into a temporary folder and loads it. Returns the exit code of `limpet run`."""
    sources = sources_of(options)
    name = options.name or component_name(sources[0].stem)
    with tempfile.TemporaryDirectory(prefix="limpet-rtlinux-") as folder:
        options.output = options.output or str(Path(folder) / f"{name}.limpet")
        make(options)
        return subprocess.run([command(), "run", options.output], check=False).returncode


def main(arguments, program="limpet-rtlinux"):
    options = parse(arguments, program)
    return run(options) if options.command == "run" else make(options)


if __name__ == "__main__":
    sys.exit(errors.run("limpet-rtlinux", main))
