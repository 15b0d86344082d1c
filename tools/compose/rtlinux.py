# SPDX-License-Identifier: BSD-2-Clause
"""limpet-rtlinux: builds an RTLinux module, as it is, into a component and a system with it.

The module's sources are compiled against lib/rtlinux. Each header name of RTLinux and of Linux's kernel becomes a file that
includes <rtlinux/api.h>, in a folder that precedes all others.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import __main__ as composer
from . import build, channel, component, errors
from .errors import Refused
from .root import ROOT

FLAGS = ("-std=gnu89 -fgnu89-inline -O2 -w -ffreestanding -fpie -fvisibility=hidden -fomit-frame-pointer -fno-stack-protector "
         "-fasynchronous-unwind-tables -fcf-protection=none -fno-strict-aliasing -fwrapv -fcommon -nostdinc "
         "-D__KERNEL__ -DMODULE -D__RTL__ -D_LOOSE_KERNEL_NAMES -DLIMPET_FPU").split()
#: The headers that a module may include. Together they are one interface.
HEADERS = """rtl.h rtl_conf.h rtl_version.h rtl_sched.h rtl_time.h rtl_core.h rtl_sync.h rtl_spinlock.h rtl_mutex.h rtl_sema.h
rtl_barrier.h rtl_fifo.h rtl_posixio.h mbuff.h rtl_signal.h rtl_posix.h rtl_limits.h rtl_printf.h rtl_debug.h
rtl_tracer.h rtl_stdlib.h rtl_compat.h
pthread.h time.h errno.h unistd.h signal.h semaphore.h mqueue.h fcntl.h string.h ctype.h sched.h
sys/types.h sys/stat.h posix/pthread.h posix/time.h posix/unistd.h posix/signal.h posix/semaphore.h posix/errno.h
posix/fcntl.h posix/mqueue.h
linux/module.h linux/kernel.h linux/init.h linux/errno.h linux/version.h linux/sched.h linux/slab.h linux/malloc.h linux/vmalloc.h
linux/types.h linux/string.h linux/time.h linux/delay.h linux/spinlock.h linux/cons.h linux/rtl.h linux/rt_time.h linux/rt_sched.h
sys/mman.h sys/utsname.h rtl_tqueue.h reserve_cpu.h rtl_fpu.h arch/rtl_fpu.h
math.h linux/stddef.h linux/ctype.h linux/compiler.h linux/moduleparam.h linux/posix_types.h linux/rtf.h linux/smp.h
linux/signal.h linux/utsname.h linux/mman.h linux/unistd.h linux/limits.h linux/config.h linux/interrupt.h linux/param.h
asm/ptrace.h asm/system.h asm/bitops.h asm/atomic.h asm/rt_irq.h asm/rt_time.h asm/irq.h arch/constants.h arch/rtl_time.h""".split()
#: Headers of what a component does not have, and what to do instead.
REFUSED = {
    "asm/io.h": "I/O ports belong to the system file: write a component with the privilege devices",
    "arch/rtl_io.h": "I/O ports belong to the system file: write a component with the privilege devices",
    "linux/mc146818rtc.h": "the clock chip belongs to the system file: write a component with the privilege devices",
    "linux/ioport.h": "I/O ports belong to the system file: write a component with the privilege devices",
    "linux/pci.h": "PCI devices belong to the system file: write a component with the privilege devices",
    "linux/proc_fs.h": "a component has no files in /proc: print to the log",
    "linux/sysctl.h": "a component has no sysctl: give module parameters",
    "linux/fs.h": "a component is not a driver of Linux: use a channel",
    "asm/uaccess.h": "a component does not share memory with processes by address: use a channel",
    "rtlinux_signal.h": "signals into user processes (PSC) are not supported: make the function a thread of the module",
    "stdio.h": "this is a header of user programs: a module prints with rtl_printf()",
    "stdlib.h": "this is a header of user programs: a module allocates with kmalloc()",
}
COMPONENT = """[component]
name     = "{name}"
doc      = "An RTLinux module."
fpu      = true
thread   = true
threads  = {threads}
stack    = "{stack}"
optional = ["exchange"]

[imports]
sched    = "sched"
log      = "log"
mem      = "mem"
exchange = "exchange"

[args]
remove-after-ms = "Milliseconds after init_module() until cleanup_module() is called; 0: never. Default: 0."
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
imports  = {{ sched = "sched", log = "log", mem = "mem"{exchange} }}
quota    = "{quota}"
args     = {{ {args} }}
"""
EXCHANGE = """
[[component]]
name    = "exchange"
image   = "exchange"
imports = {{ sched = "sched", mem = "mem" }}
quota   = "2M"
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
MBUFF = """
[[mbuff]]
name   = "{buffer}"
owner  = "{name}"
size   = "{size}"
access = "0660"
"""
#: Functions that create FIFOs, and message queues.
FIFO_MAKERS = {"rtf_create", "open"}
QUEUE_MAKERS = {"mq_open"}
#: Default number and size of the FIFOs, and default size of a buffer.
FIFOS, FIFO_SIZE, MBUFF_SIZE = 8, "32K", "64K"
PARAMETERS_MAX, PARAMETER_MAX, THREADS_MAX = 16, component.ARG_TEXT_MAX, 62


def headers(folder):
    """Writes the header files that modules include."""
    for name in HEADERS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#include <rtlinux/api.h>\n")
    for name, reason in REFUSED.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#error <{name}> is not available in a component, because {reason}.\n")


def tool(*words):
    """Runs a program and returns its output. Its messages are the reason if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise Refused(words[-1], "build", f"'{words[0]}' failed. Its messages are above. Correct the source.")
    return done.stdout


def logical_lines(path):
    """Returns the lines of a Makefile, with continued lines joined."""
    return path.read_text(errors="replace").replace("\\\n", " ").splitlines()


def makefile_sources(folder, module):
    """Returns the sources of one module of a folder: from its Makefile, or the folder's only source."""
    path = folder / "Makefile"
    lines = logical_lines(path) if path.is_file() else []
    values = {m[1]: m[2] for m in (re.match(r"\s*([\w-]+)\s*[:+]?=\s*(.*)", line) for line in lines) if m}
    wanted = " ".join(line.split("=", 1)[1] for line in lines if re.match(r"\s*obj-m\s*[:+]?=", line))
    wanted = wanted or " ".join(line.split(":", 1)[1] for line in lines if re.match(r"all\s*:(?!=)", line))
    wanted = re.sub(r"\$[({](\w+)[)}]", lambda m: values.get(m[1], ""), wanted)
    names = [word[:-2] for word in wanted.split() if word.endswith(".o")]
    if module:
        names = [module]
    if not names:
        names = [source.stem for source in sorted(folder.glob("*.c")) if is_module(source)]
    if len(names) != 1:
        modules = ", ".join(names) or "no module"
        raise Refused(path, "all", f"The Makefile names {modules}. One component is built of one module. Choose one "
                      "with --module NAME.")
    return parts(folder, names[0], lines, values)


def parts(folder, name, lines, values):
    """Returns the sources of module NAME: NAME.c, or those of its objects in the Makefile."""
    if (folder / f"{name}.c").is_file():
        return [folder / f"{name}.c"]
    listed = values.get(f"{name}-objs") or values.get(f"{name}-y")
    for line in lines:
        rule = re.match(rf"{re.escape(name)}\.o\s*:(?!=)(.*)", line)
        listed = listed or (rule and rule[1])
    listed = re.sub(r"\$[({](\w+)[)}]", lambda m: values.get(m[1], ""), listed or "")
    sources = [folder / f"{word[:-2]}.c" for word in listed.split() if word.endswith(".o")]
    missing = [source for source in sources if not source.is_file()] or ([] if sources else [folder / f"{name}.c"])
    if missing:
        raise Refused(missing[0], "build", f"The file does not exist. Module {name} needs it. Correct the name or "
                      "list the sources.")
    return sources


def is_module(source):
    """Returns whether a source defines the start of a module."""
    return re.search(r"\b(init_module|module_init)\b", source.read_text(errors="replace"))


def sources_of(options):
    """Returns the sources that the command line names."""
    paths = [Path(given) for given in options.sources]
    if len(paths) == 1 and paths[0].is_dir():
        return makefile_sources(paths[0], options.module)
    for path in paths:
        if not path.is_file():
            raise Refused(path, "build", "The path does not exist. A module is a folder or a list of .c files. "
                          "Correct the name.")
    return paths


def preprocess(source, target, flags):
    """Preprocesses a source and appends the records of its parameters, because they name variables of the source.

    Returns the preprocessed text without its line markers.
    """
    tool(os.environ.get("CC", "gcc"), *FLAGS, *flags, "-E", "-o", target, source)
    text = target.read_text(errors="replace")
    plain = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    declared = re.findall(r"rtlinux_declared_(\w+)\[sizeof\((.*?)\)\s*\]", plain, re.DOTALL)
    records = [f"const struct rtlinux_parameter rtlinux_parameter_{name} = {{ \"{name}\", {kind}, (void *)&{name} }};\n"
               for name, kind in declared]
    target.write_text("\n".join([text, *records]))
    return plain


def compile_module(sources, work, options):
    """Compiles the module's sources into one object. Returns its path and the names of the buffers that it opens."""
    headers(work / "headers")
    own = tool("gcc", "-print-file-name=include").strip()
    objects, buffers = [], []
    for number, source in enumerate(sources):
        flags = [*options.define, f"-I{source.resolve().parent}", "-isystem", work / "headers", f"-I{ROOT / 'lib'}",
                 "-isystem", own]
        objects.append(work / f"{number}.{source.stem}.o")
        text = preprocess(source, objects[-1].with_suffix(".i"), flags)
        buffers += re.findall(r'\b(?:mbuff_alloc|mbuff_attach|shm_allocate)\s*\(\s*"([\w-]+)"', text)
        tool(os.environ.get("CC", "gcc"), *FLAGS, "-fpreprocessed", "-c", "-o", objects[-1],
             objects[-1].with_suffix(".i"))
    module = work / "all_sources.o"  # the "_" keeps it apart from the component's object, NAME.o
    tool("ld", "-r", "-z", "noexecstack", "-o", module, *objects)
    return module, sorted(set(buffers))


def symbols(module):
    """Returns the names that an object defines, and the parameters among them."""
    names = re.findall(r" [TDBRGS] (\w+)$", tool("nm", module), re.MULTILINE)
    prefix = "rtlinux_parameter_"
    return names, [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def glue(work, module, source):
    """Returns the text of the component's own source: the table of parameters, and a cleanup_module() if the module
    has none.
    """
    names, parameters = symbols(module)
    if "init_module" not in names:
        raise Refused(source, "build", "The module has no init_module(). A module starts in this function. Add it "
                      "or list all sources of the module.")
    lines = ["#include <rtlinux/api.h>"]
    lines += [f"extern const struct rtlinux_parameter rtlinux_parameter_{name};" for name in parameters]
    lines += ["extern const struct rtlinux_parameter *const rtlinux_parameters[];",
              "const struct rtlinux_parameter *const rtlinux_parameters[] = {",
              *(f"\t&rtlinux_parameter_{name}," for name in parameters), "\tNULL,", "};"]
    if "cleanup_module" not in names:
        lines += ["void cleanup_module(void);", "void cleanup_module(void)", "{", "}"]
    lines += ["void rtlinux_main(void);", "void component_main(const void *info);", "void component_main(const void *info)", "{",
              "\t(void)info;", "\trtlinux_main();", "}"]
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
    """Returns the tables of FIFOs for the system file, or an empty text, and the number of FIFOs.

    The FIFOs are those of --fifos, or the first ones if the module calls a function that creates FIFOs.
    """
    text, total = "", 0
    for word in options.fifos or ([f"0+{FIFOS}"] if used & FIFO_MAKERS else []):
        first, _, count = word.partition("+")
        if not first.isdigit() or not (count or "1").isdigit():
            raise Refused(word, "fifos", "This is not a range of FIFOs. FIFO numbers are 0 to 63. "
                          "Write FIRST or FIRST+COUNT.")
        if int(count or 1):
            text += FIFO.format(first=int(first), count=int(count or 1), name=name, size=options.fifo_size)
            total += int(count or 1)
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


def stop_written(options, name, fifos):
    """Returns the table of the channel by which `limpet stop` asks for cleanup_module().

    It is empty if the module's FIFOs and buffers are all the channels that a component can have, or the name is too long.
    """
    if fifos + len(options.mbuff) >= channel.OWN_MAX or len(channel.STOP + name) > component.NAME_MAX:
        return ""
    return STOP.format(name=name)


def component_name(options, sources):
    """Returns the component's name: as given, or made of the first source's."""
    name = options.name or re.sub(r"[^a-z0-9]+", "-", sources[0].stem.lower()).strip("-")
    return name if name[:1].isalpha() else f"rt-{name}"


def quoted(text):
    """Returns a text as TOML has it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_definitions(work, name, options, known, used):
    """Writes the component's folder and the system file. Returns their paths.

    `known` are the module's parameters. `used` are the functions that the module calls.
    """
    arguments = parameters_checked(options.parameter, known)
    if options.remove_after_ms:
        arguments["remove-after-ms"] = options.remove_after_ms
    listed = "\n".join(f'param{n} = "A module parameter, NAME=VALUE."' for n in range(PARAMETERS_MAX))
    folder = work / "components" / name
    folder.mkdir(parents=True)
    threads = options.threads + bool(options.remove_after_ms)  # the additional one waits for the time of the removal
    (folder / "component.toml").write_text(
        COMPONENT.format(name=name, threads=threads, stack=options.stack, args=listed))
    (work / "glue.c").rename(folder / "glue.c")
    system = work / f"{name}.toml"
    values = ", ".join(f"{key} = {value if isinstance(value, int) else quoted(value)}" for key, value in arguments.items())
    exchange = used & (FIFO_MAKERS | QUEUE_MAKERS)
    fifos, count = fifos_written(options, name, used)
    system.write_text(SYSTEM.format(name=name, restarts=options.linux_restarts, priority=options.priority,
                                    quota=options.quota, args=values, exchange=', exchange = "exchange"' if exchange else "") +
                      (EXCHANGE.format() if exchange else "") + fifos + buffers_written(options, name) +
                      stop_written(options, name, count))
    return folder, system


def make(options):
    """Builds the module, the component and the system into the output."""
    sources = sources_of(options)
    name = component_name(options, sources)
    with tempfile.TemporaryDirectory(prefix="limpet-rtlinux-") as folder:
        work = Path(folder)
        module, buffers = compile_module(sources, work, options)
        options.mbuff = options.mbuff or [f"{buffer}={options.mbuff_size}" for buffer in buffers]
        known = glue(work, module, sources[0])
        source, system = write_definitions(work, name, options, known, undefined(module))
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


def check_complete(object_file, source):
    """Refuses a module that uses what there is not."""
    missing = sorted(name for name in undefined(object_file) if not name.startswith(("__limpet", "_GLOBAL_OFFSET_TABLE_")))
    if missing:
        raise Refused(source, "build", f"The module uses {', '.join(missing)}, which lib/rtlinux does not have. Use "
                      "the alternatives in docs/reference/rtlinux.md.")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="limpet-rtlinux", description="Builds an RTLinux module into a system image.")
    parser.add_argument("command", choices=["build", "run"],
                        help="build: build a system image; run: build it and load it with `limpet run`")
    parser.add_argument("sources", nargs="+", metavar="DIR or FILE.c", help="a folder with a Makefile, or the module's sources")
    parser.add_argument("-o", "--output", metavar="OUT.limpet", help="the image; required for build")
    parser.add_argument("-m", "--module", metavar="NAME", help="the module, if the folder has several")
    parser.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="a module parameter")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME", help="a macro for the compiler")
    parser.add_argument("--name", help="name of the system and of the component; default: the source's")
    parser.add_argument("--threads", type=int, default=16, help="threads that the module can have at a time; default: 16")
    parser.add_argument("--stack", default="32K", help="stack of each thread; default: 32K")
    parser.add_argument("--priority", type=int, default=100, help="priority of the module's most urgent thread; default: 100")
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
    parser.add_argument("--remove-after-ms", type=int, default=0, metavar="MS", help="time after init_module() when cleanup_module() is called; default: never")
    parser.add_argument("--linux-restarts", type=int, default=0, metavar="N",
                        help="beneath mode: maximum number of restarts of Linux after it dies; default: 0")
    parser.add_argument("--system", metavar="OUT.toml", help="also write the system file, as a start for your own")
    parser.add_argument("--component", metavar="DIR",
                        help="also write the component and its object into DIR, "
                             "for limpet-compose --components DIR --objects DIR")
    options = parser.parse_args(arguments)
    options.define = [f"-D{name}" for name in options.define]
    if options.command == "build" and not options.output:
        parser.error("build needs -o OUT.limpet")
    if not 0 < options.threads <= THREADS_MAX:
        parser.error(f"--threads is out of range: 1 to {THREADS_MAX}")
    return options


def command():
    """Returns the path of `limpet`: the one of the checkout, of the installed kit's PREFIX, or of PATH."""
    places = [ROOT / "build/cli/limpet", *(prefix / "bin/limpet" for prefix in ROOT.parents[2:3])]
    return next((str(place) for place in places if place.is_file()), "limpet")


def run(options):
    """Builds the system into a temporary folder and loads it. Returns the exit code of `limpet run`."""
    name = component_name(options, sources_of(options))
    with tempfile.TemporaryDirectory(prefix="limpet-rtlinux-") as folder:
        options.output = options.output or str(Path(folder) / f"{name}.limpet")
        make(options)
        return subprocess.run([command(), "run", options.output], check=False).returncode


def main(arguments):
    options = parse(arguments)
    return run(options) if options.command == "run" else make(options)


if __name__ == "__main__":
    sys.exit(errors.run("limpet-rtlinux", main))
