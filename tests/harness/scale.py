# SPDX-License-Identifier: GPL-2.0
"""Makes system files with many components and threads, for tests and benches of scale.

The components are `sleeper` and `still` of tests/system/kernel/scale, which `make test-programs` builds:

    from tests.harness import scale
    text = scale.system(components=500, threads=1000)            # TOML; see below
    scale.compose(text, Path("build/scale/500.limpet"))          # its image

or, to look at one:  python3 -m tests.harness.scale 500 1000 --cpus 2 > many.toml

Each of the first `threads` components is a `sleeper`, whose thread sleeps for an hour; the others are `still`
and have none. More threads than components are spare threads of the sleepers, which wait in the scheduler until
they are created. Each CPU has the components and threads that were asked for, and a scheduler; `more` is TOML
that is put behind: a bench's own components, which find `sched` on CPU 0, `sched-1` on CPU 1 and so on.
"""

import argparse
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "components", ROOT / "tests" / "system" / "kernel" / "scale"]


def scheduler(cpu: int) -> str:
    """Name of the scheduler of a CPU."""
    return f"sched-{cpu}" if cpu else "sched"


def table(**fields) -> str:
    """One [[component]] of a system file."""
    lines = [f"{key.replace('_', '-')} = {value}" for key, value in fields.items() if value]
    return "\n".join(["[[component]]", *lines, ""])


def one_cpu(cpu: int, components: int, threads: int):
    """Tables of one CPU's components."""
    sched = scheduler(cpu)
    yield table(name=f'"{sched}"', image='"sched.fixed-priority"', cpu=cpu)
    sleepers = min(components, threads)
    for n in range(components):
        name = f'"c{n}-{cpu}"'
        if n >= sleepers:
            yield table(name=name, image='"still"', cpu=cpu)
            continue
        spare = (threads - sleepers) * (n + 1) // sleepers - (threads - sleepers) * n // sleepers
        yield table(name=name, image='"sleeper"', cpu=cpu, threads=spare,
                    imports=f'{{ sched = "{sched}" }}')


def system(components: int, threads: int, cpus: int = 1, frames: str = "", more: str = "") -> str:
    """A system file with so many components and sleeping threads on each CPU, besides the scheduler and its
    thread. `frames`, a size, is computed when it is not given: 64 KiB for each component and thread."""
    if threads and not components:
        raise ValueError("threads belong to components: give at least one component")
    frames = frames or f"{(components + threads) * 64 // 1024 + 8}M"
    head = (f'[system]\nname   = "scale-{components}-{threads}"\nframes = "{frames}"\n'
            f"cpus   = {cpus}\n")
    tables = [t for cpu in range(cpus) for t in one_cpu(cpu, components, threads)]
    return "\n".join([head, *tables, more])


def compose(text: str, image: Path, *components: Path) -> Path:
    """Composes a system file into an image; more folders of components are possible. Returns the image."""
    image.parent.mkdir(parents=True, exist_ok=True)
    source = image.with_suffix(".toml")
    source.write_text(text)
    folders = [word for folder in [*FOLDERS, *components] for word in ("--components", folder)]
    subprocess.run([ROOT / "tools" / "limpet-compose", source, "-o", image, *folders, "--interfaces",
                    ROOT / "interfaces", "--objects", ROOT / "build" / "components"], check=True)
    return image


def main() -> None:
    """Prints a system file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("components", type=int)
    parser.add_argument("threads", type=int)
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--frames", default="")
    options = parser.parse_args()
    print(system(options.components, options.threads, options.cpus, options.frames), end="")


if __name__ == "__main__":
    main()
