# SPDX-License-Identifier: GPL-2.0
"""Makes systems of N components and their threads for the suite `scale`.

The limits on threads and components bound N.
"""

import subprocess
import sys
from pathlib import Path

from tools.compose.contract import VALUES

TOP = Path(__file__).parents[1]
FOLDER = TOP / "build/systems"

#: The values of N: sleeping threads, components with a thread each (memory), components with two threads each (start).
SLEEPERS = (1, 16, 64, 256, 1000)
MEMBERS = (10, 100, 500)
STARTED = (10, 100, 500)

#: Other thread ids: 0, which is not a thread, and those of the scheduler, the measured thread and its partner.
THREADS_BESIDES = 4
#: Other components: the booter, the scheduler, the log, pong, scale.
COMPONENTS_BESIDES = 5

HEAD = """\
[system]
name   = "{name}"
frames = "{frames}M"

[[component]]
name  = "sched"
image = "sched.fixed-priority"

[[component]]
name  = "log"
image = "log"

[[component]]
name  = "pong"
image = "pong"

[[component]]
name     = "scale"
image    = "scale"
priority = {priority}
threads  = {threads}
imports  = {{ log = "log", pong = "pong", sched = "sched" }}
args     = {{ rounds = {rounds}, sleepers = {sleepers} }}
"""

MEMBER = """
[[component]]
name    = "m{number}"
image   = "scale.member"
threads = {threads}
imports = {{ sched = "sched" }}
"""


def sleepers() -> int:
    """Returns the maximum number of sleeping threads."""
    return min(SLEEPERS[-1], VALUES["LIMPET_THREADS_MAX"] - THREADS_BESIDES,
               VALUES["LIMPET_SPARES_MAX"] - 1)


def _counts(wanted, threads: int) -> list[int]:
    """Returns the wanted numbers of components that fit into the limits, with `threads` threads in each component.

    If a wanted number does not fit, the maximum that fits is added.
    """
    maximum = min((VALUES["LIMPET_THREADS_MAX"] - THREADS_BESIDES) // threads,
                  VALUES["LIMPET_COMPONENTS_MAX"] - COMPONENTS_BESIDES)
    fit = [count for count in wanted if count <= maximum]
    return fit if len(fit) == len(wanted) else [*fit, maximum]


def systems() -> dict[str, str]:
    """Returns the system files by name. In memory-N and start-N the thread of `scale` runs last."""
    maximum = sleepers()
    found = {"scale-sleep": HEAD.format(name="scale-sleep", frames=128, priority=100, threads=maximum + 1,
                                        rounds=500, sleepers=maximum)}
    for kind, counts, threads in (("memory", [0, *_counts(MEMBERS, 1)], 1),
                                  ("start", _counts(STARTED, 2), 2)):
        for count in counts:
            name = f"scale-{kind}-{count}"
            head = HEAD.format(name=name, frames=128, priority=1, threads=1, rounds=1, sleepers=0)
            found[name] = head + "".join(MEMBER.format(number=i, threads=threads - 1) for i in range(count))
    return found


def compose() -> list[str]:
    """Makes the images and returns their names."""
    found = systems()
    for name, text in found.items():
        file = FOLDER / f"{name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# SPDX-License-Identifier: BSD-2-Clause\n" + text)
        subprocess.run([TOP / "tools/limpet-compose", file, "-o", file.with_suffix(".limpet"), "--components",
                        TOP / "components", "--interfaces", TOP / "interfaces", "--objects",
                        TOP / "build/components"], check=True, stdout=sys.stderr)
    return list(found)


def plot(figures: list[dict], path: Path) -> None:
    """Plots each kind of case over N into a picture. N is the number after the last dash of a case."""
    import matplotlib       # slow to load, and only needed here
    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds: dict[str, list] = {}
    for figure in figures:
        kind, count = figure["case"].rsplit("-", 1)
        kinds.setdefault(kind, []).append((int(count), figure["median"], figure["max"]))
    picture, axes = pyplot.subplots(-(-len(kinds) // 2), 2, squeeze=False, figsize=(11, 3 * -(-len(kinds) // 2)))
    for axis, (kind, points) in zip(axes.flat, kinds.items()):
        counts, medians, maxima = zip(*sorted(points))
        axis.plot(counts, medians, "o-", label="median")
        axis.plot(counts, maxima, "x:", label="max")
        axis.set(title=kind, xscale="log", ylim=(0, None), xlabel=UNITS.get(kind, "sleeping threads"),
                 ylabel="bytes" if kind == "memory" else "instructions")
    for axis in axes.flat[len(kinds):]:
        axis.axis("off")
    axes.flat[0].legend()
    first = figures[0]
    picture.suptitle(f"Growth: Linux {first['kernel']}, {first['mode']}, {first['cpus']} CPU")
    picture.tight_layout()
    picture.savefig(path, dpi=120)
    pyplot.close(picture)


#: The unit of N in each kind of case. In other kinds it is sleeping threads.
UNITS = {"memory": "components with a thread each", "start": "components with two threads each",
         "stop": "components with two threads each"}
